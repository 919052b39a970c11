"""No byte behind a buffer is read: buffers end where a page begins that nobody may touch, in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import kafkacodec
from guard_page import GUARD_PAGE

FUZZ = Path(__file__).parent.parent.parent / "fuzz"

# Argument: the number of mutants, or "beyond" to prove that the guard page bites.
GUARDED = (
    f"PAGES = 256\n{GUARD_PAGE}"
    + """
import sys

sys.path.insert(0, sys.argv[1])
from mutations import mutant
from seeds import Pool
from kafkacodec import crc32c, read_batches, read_columns
from kafkacodec.errors import DecodeError
from kafkacodec.log.cleaning.keymap import KeyMap


def read(data):
    crc32c(data)
    for how in ("raise", "skip"):
        try:
            columns = read_columns(data, on_corrupt=how)
            columns.tuples(), columns.rows(), columns.__arrow_c_array__()
            keys = KeyMap(100, 0.5)
            keys.put(columns, 0), keys.is_last(columns)
        except DecodeError:
            pass
    try:
        for batch in read_batches(data):
            batch.is_valid(), batch.records(), batch.control
    except DecodeError:
        pass


if sys.argv[2] == "beyond":
    ctypes.string_at(address + end, 1)
pool = Pool({0, 1, 2})
buffers = [b for b in pool.small + pool.large if len(b) < end]
for data in buffers:
    read(placed(data))
for number in range(int(sys.argv[2])):
    data = mutant(1, number, pool)[1]
    if len(data) < end:
        read(placed(data))
print(len(buffers))
"""
)

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs mprotect"),
]


def run(what: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"KAFKACODEC_BACKEND": kafkacodec.backend}
    return subprocess.run(
        [sys.executable, "-c", GUARDED, str(FUZZ), what], capture_output=True, text=True, check=False, env=environment
    )


def test_nothing_is_read_behind_the_end_of_a_buffer():
    done = run("3000")
    assert done.returncode == 0, f"{done.returncode} {done.stderr}"
    assert int(done.stdout) > 300


def test_the_guard_page_bites():
    done = run("beyond")
    assert done.returncode in (-signal.SIGSEGV, -signal.SIGBUS) or "AddressSanitizer: SEGV" in done.stderr
