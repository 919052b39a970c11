"""Bytes of any kind taken for anything: every one is named, nothing but what is documented is raised."""

from __future__ import annotations

import json
import random

import pytest
from covering import check_covering, golden_messages

from kafkacodec.explain import KINDS
from kafkacodec.protocol import explain, message_class, messages

CHANCE = random.Random(11)
SAMPLES = [data for _, _, data in golden_messages()][::50]


def hostile():
    """Yield noise, and messages of Kafka's with noise in them, long and short."""
    for size in (0, 1, 3, 4, 11, 12, 17, 26, 61, 100, 300):
        yield CHANCE.randbytes(size)
        yield bytes(size)
        yield b"\xff" * size
        yield bytes(CHANCE.choice((0, 0, 0, 1, 2, 0x7F, 0x80, 0xFF)) for _ in range(size))
    for data in SAMPLES:
        changed = bytearray(data or b"\0")
        changed[CHANCE.randrange(len(changed))] = CHANCE.randrange(256)
        yield bytes(changed)


BUFFERS = list(hostile())


@pytest.mark.parametrize("what", [kind for kind in KINDS if kind not in ("auto", "response")])
def test_anything_taken_for_a_file_or_frame(what):
    for data in BUFFERS:
        explanation = explain(data, what)
        check_covering(explanation)


def test_anything_taken_for_a_response():
    for number, data in enumerate(BUFFERS):
        check_covering(explain(data, "response", api_key=number % 95 - 1, version=number % 7 - 1))
        check_covering(explain(data, "frame", api_key=number % 95 - 1, version=number % 7 - 1))


def test_anything_taken_for_any_message():
    for number, name in enumerate(messages()):
        versions = message_class(name).valid_versions
        for data in BUFFERS[number % 5 :: 5]:
            check_covering(explain(data, name, version=CHANCE.choice(versions)))


def test_anything_guessed():
    for data in BUFFERS:
        try:
            explanation = explain(data)
        except ValueError as error:
            assert str(error).startswith("cannot tell")  # noqa: PT017
        else:
            check_covering(explanation)


def test_anything_can_be_shown():
    for number, data in enumerate(BUFFERS):
        explanation = explain(data, ("frame", "records", "index", "checkpoint", "snapshot")[number % 5])
        assert explanation.text(color=True, max_bytes=1)
        assert explanation.html(max_bytes=64).endswith("</html>\n")
        json.dumps(explanation.to_json(), allow_nan=False)
