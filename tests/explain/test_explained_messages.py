"""Messages explained: every golden message of Kafka's covered, with the decoder's values, and with its errors."""

from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc

import pytest
from covering import assert_told, check_covering, fields_of, golden_messages, value_of

from kafkacodec import DecodeError
from kafkacodec.protocol import MetadataResponse, explain

GOLDEN = list(golden_messages())


def facts(error):
    return None if error is None else (type(error), error.position, error.path, str(error))


def decode_error(cls, data, version):
    try:
        cls.decode(data, version)
    except DecodeError as error:
        return error
    return None


def test_all_golden_messages_are_covered_and_agree_with_the_decoder():
    for cls, version, data in GOLDEN:
        explanation = explain(data, cls.message_name, version=version)
        check_covering(explanation)
        assert explanation.error is None
        (message,) = explanation.tree.children
        decoded = cls.decode(data, version)
        assert_told(value_of(message), fields_of(decoded), f"{cls.message_name}.v{version}")
        unknown = [node for node in message.children if node.note == "not known in this version"]
        assert [node.value for node in unknown] == [tag for tag, _ in decoded.unknown_tagged_fields]


def test_what_the_version_carries_is_in_the_tree():
    """Nothing that is written is left out: only what equals its default may be missing."""
    for cls, version, data in GOLDEN[::7]:
        (message,) = explain(data, cls.message_name, version=version).tree.children
        told, default = value_of(message), fields_of(cls())
        for name, value in fields_of(cls.decode(data, version)).items():
            assert name in told or value == default[name], f"{cls.message_name}.v{version}.{name}"


@pytest.mark.parametrize("part", range(8))
def test_every_prefix_breaks_where_the_decoder_breaks(part):
    for cls, version, data in GOLDEN[part::89]:
        for size in range(len(data)):
            explanation = explain(data[:size], cls.message_name, version=version)
            check_covering(explanation)
            assert facts(explanation.error) == facts(decode_error(cls, data[:size], version))
            assert explanation.error is not None
            assert sum(span.type == "break" for span in explanation.spans) >= 1


def test_mutated_messages_break_where_the_decoder_breaks():
    chance = random.Random(5)
    for cls, version, data in GOLDEN:
        if not data:
            continue
        for _ in range(6):
            changed = bytearray(data)
            for _ in range(chance.choice((1, 1, 2))):
                changed[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            if not chance.randrange(8):
                changed += b"\0"
            explanation = explain(changed, cls.message_name, version=version)
            check_covering(explanation)
            assert facts(explanation.error) == facts(decode_error(cls, bytes(changed), version))


def test_the_break_is_named():
    cls, version, data = next(one for one in GOLDEN if one[0].message_name == "MetadataResponse" and len(one[2]) > 60)
    explanation = explain(data[:-3], cls.message_name, version=version)
    last = explanation.spans[-1]
    assert (last.type, last.end) == ("break", len(data) - 3)
    assert last.value == str(explanation.error)
    assert f"byte {explanation.error.position}" in last.value
    assert explanation.errors == [explanation.error]
    assert not explanation.ok


def test_hostile_counts_take_no_memory():
    """What is named is bounded by max_spans, however many things the bytes claim or hold."""
    data = (2**20).to_bytes(4, "big") + bytes(2**21) + (0).to_bytes(4, "big")
    tracemalloc.start()
    explanation = explain(data, "MetadataRequest", version=0, max_spans=1000)
    check_covering(explanation)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "max_spans" in str(explanation.error)
    assert len(explanation.spans) < 1100
    assert peak < 8 * len(data)


def test_codes_and_moments_are_told():
    response = MetadataResponse(topics=[MetadataResponse.MetadataResponseTopic(name="t", error_code=3)])
    notes = {node.name: node.note for _, _, node in explain(response.encode(1), "MetadataResponse", version=1).walk()}
    assert notes["error_code"] == "UNKNOWN_TOPIC_OR_PARTITION"


def test_the_protocol_room_does_not_load_what_lies_above():
    code = (
        "import sys, kafkacodec.protocol as p; p.MetadataRequest; assert 'kafkacodec.explain' not in sys.modules;"
        "p.explain; assert 'kafkacodec.explain' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
