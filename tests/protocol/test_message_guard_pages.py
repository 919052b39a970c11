"""No byte behind a message is read: each ends where a page begins that nobody may touch, in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import kafkacodec
from guard_page import GUARD_PAGE

CORPUS = Path(__file__).parent.parent / "corpus" / "messages" / "golden-4.3.0.jsonl.gz"

# Argument: the corpus, and "beyond" to prove that the guard page bites.
GUARDED = (
    f"PAGES = 16\n{GUARD_PAGE}"
    + """
import gzip, json, random, sys

from kafkacodec.errors import DecodeError, EncodeError
from kafkacodec.protocol.message import message_class

chance = random.Random(5)


def read(name, version, data):
    try:
        message_class(name).decode(placed(data), version).encode(version)
    except (DecodeError, EncodeError):  # the latter: unknown tags in no order are read, as Kafka does, and not written
        pass


if sys.argv[2:] == ["beyond"]:
    ctypes.string_at(address + end, 1)
done = 0
for line in map(json.loads, gzip.open(sys.argv[1], "rt")):
    data = bytes.fromhex(line["hex"])
    read(line["name"], line["version"], data)
    for _ in range(5):
        damaged = bytearray(data[: chance.randrange(len(data) + 1)])
        for _ in range(min(len(damaged), 2)):
            damaged[chance.randrange(len(damaged))] = chance.choice((0, 1, 2, 0x7F, 0x80, 0xFF))
        read(line["name"], line["version"], bytes(damaged))
    done += 1
print(done)
"""
)


def guarded(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", GUARDED, str(CORPUS), *arguments]
    environment = os.environ | {"KAFKACODEC_BACKEND": kafkacodec.backend}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect is called as on Linux")
def test_nothing_is_read_behind_the_end() -> None:
    done = guarded()
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) == 2127


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect is called as on Linux")
def test_the_guard_bites() -> None:
    done = guarded("beyond")
    assert done.returncode in (-signal.SIGSEGV, -signal.SIGBUS) or "AddressSanitizer: SEGV" in done.stderr
