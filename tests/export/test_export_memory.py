"""An export of any size holds less than 200 MB, whatever it is to, in a process of its own."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from kafkacodec import backend
from kafkacodec.records.scan import scan

MOST = 200 * 10**6
COPIES = {"native": 12, "pure": 2}[backend]  # of four partitions of some 10,000 records each
# VmHWM is the process's own peak; ru_maxrss would begin with that of the process that started it
CODE = """
import re, sys
from kafkacodec.cli import main
status = main(["export", *sys.argv[1:]])
print(status, re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr)
"""


@pytest.fixture(scope="module")
def long(tmp_path_factory, shop) -> Path:
    """Return a log directory of the example's orders over and over."""
    path = tmp_path_factory.mktemp("long")
    for partition in sorted(shop.glob("orders-*")):
        (path / partition.name).mkdir()
        data = bytearray(b"".join(log.read_bytes() for log in sorted(partition.glob("*.log"))))
        index = scan(memoryview(data)).index
        end = int(index.last_offset[-1]) + 1
        with (path / partition.name / f"{0:020d}.log").open("wb") as file:
            for copy in range(COPIES):
                for position, offset in zip(index.position.tolist(), index.base_offset.tolist(), strict=True):
                    struct.pack_into(">q", data, position, copy * end + offset)
                file.write(data)
    return path


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
@pytest.mark.parametrize("form", ["parquet", "arrows", "jsonl", "csv", "folder"])
def test_memory_is_bounded(long, tmp_path, form):
    output = ["--output", f"{tmp_path}/out/"] if form == "folder" else ["--to", form, "--output", "/dev/null"]
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(long), "--jobs", "4", *output], capture_output=True, text=True, check=True
    )
    rows = int(re.match("[0-9,]+", done.stdout)[0].replace(",", ""))
    status, peak = map(int, done.stderr.split())
    assert (status, rows) == (0, COPIES * 40_000)
    assert peak * 1024 < MOST
