"""Large logs are explained piece by piece: the same spans at the same positions, in memory that does not grow."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacodec.cli import main
from kafkacodec.explain import explain, explain_pieces
from kafkacodec.records import scan

MiB = 2**20


@pytest.fixture(scope="module")
def segment(shop: Path) -> Path:
    return min(shop.glob("raw-bytes-*/*.log"), key=lambda path: path.stat().st_size)


def spans(explanations):
    return [span for one in explanations for span in one.spans]


@pytest.mark.parametrize("piece_bytes", [1, 5000, 70_000, None])
def test_pieces_are_the_whole(segment: Path, piece_bytes: int | None) -> None:
    whole = explain(segment)
    pieces = list(explain_pieces(segment, piece_bytes=piece_bytes))
    assert spans(pieces) == whole.spans
    assert [part.spans for one in pieces for part in one.parts] == [part.spans for part in whole.parts]
    assert sum(piece.size for piece in pieces) == whole.size
    if piece_bytes == 1:
        assert len(pieces) == len(scan(segment.read_bytes()).index)


def test_a_window_is_of_whole_batches(segment: Path) -> None:
    index = scan(segment.read_bytes()).index
    ends = (index.position + index.size_in_bytes).tolist()
    for first, last in ((0, 0), (2, 2), (1, 3), (len(index) - 1, len(index) - 1)):
        start = int(index.position[first]) + 5
        (piece,) = explain_pieces(segment, start=start, size=ends[last] - start, piece_bytes=None)
        assert (piece.tree.start, piece.tree.end) == (int(index.position[first]), ends[last])
        assert [child.name for child in piece.tree.children] == [f"batch[{n}]" for n in range(first, last + 1)]
        assert piece.to_json()["size"] == piece.size
        page = piece.html()
        assert f"<u>{piece.tree.start:08x}</u>" in page
        assert f"{piece.tree.start:08x}  " in piece.text()


def test_behind_damage_a_piece_begins_anew(segment: Path, tmp_path: Path) -> None:
    data = bytearray(segment.read_bytes())
    index = scan(bytes(data)).index
    struct.pack_into(">i", data, int(index.position[2]) + 8, 7)
    path = tmp_path / segment.name
    path.write_bytes(data)
    pieces = list(explain_pieces(path, piece_bytes=1))
    assert [piece.ok for piece in pieces].count(False) == 1
    assert sum(piece.size for piece in pieces) == len(data)
    assert pieces[-1].ok
    with pytest.raises(ValueError, match="ends at byte"):
        list(explain_pieces(path, start=len(data)))
    with pytest.raises(ValueError, match="at least"):
        list(explain_pieces(path, size=0))


@pytest.fixture(scope="module")
def large(segment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a log of a few MiB, an example's batches over and over, and zeros behind them as a broker preallocates."""
    data = segment.read_bytes()
    index = scan(data).index
    path = tmp_path_factory.mktemp("large") / f"{0:020d}.log"
    offset = 0
    with path.open("wb") as file:
        while file.tell() < MiB:
            for position, size, delta in zip(
                index.position.tolist(), index.size_in_bytes.tolist(), (index.last_offset - index.base_offset).tolist(),
                strict=True,
            ):  # fmt: skip
                file.write(struct.pack(">q", offset) + data[position + 8 : position + size])
                offset += delta + 1
        file.write(bytes(2 * MiB))
    return path


@pytest.fixture
def run(capsysbinary):
    def call(*arguments):
        status = main(["explain", *map(str, arguments)])
        said = capsysbinary.readouterr()
        return status, said.out.decode(), said.err.decode()

    return call


def test_a_large_log_as_text(large: Path) -> None:
    code = (
        "import re, sys\nfrom kafkacodec.cli import main\nstatus = main(['explain', sys.argv[1], '--max-bytes', '4'])\n"
        "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]\n"
        "print(status, peak, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(large)], capture_output=True, text=True, check=True)
    status, peak = map(int, done.stderr.split())
    assert status == 0
    assert peak < 160 * 1024
    batches = [int(number) for number in re.findall(r"^ +batch\[(\d+)\]", done.stdout, re.MULTILINE)]
    assert batches == list(range(len(batches)))
    assert "preallocated" in done.stdout.splitlines()[-2]


def test_what_is_too_large_says_what_to_do(run, large: Path, tmp_path: Path) -> None:
    for form in ("json", "html"):
        status, out, err = run(large, "--format", form)
        assert (status, out) == (2, "")
        assert "--start and --bytes" in err
    status, out, _ = run(large, "--format", "json", "--start", "700000", "--bytes", "1000")
    assert status == 0
    said = json.loads(out)
    assert said["spans"][0]["start"] <= 700_000 < said["spans"][-1]["end"]
    assert "ends at byte" in run(large, "--start", 10**9)[2]
    other = tmp_path / "x.index"
    other.write_bytes(bytes(16))
    assert "part of a log" in run(other, "--start", "0")[2]
    with other.open("wb") as file:
        file.truncate(2**26 + 8)
    assert "too many" in run(other)[2]
    assert run(large, "--bytes", "0")[0] == 2


def test_several_files(run, shop: Path, tmp_path: Path) -> None:
    files = [*sorted((shop / "orders-1").glob("*index")), shop / "orders-1" / "leader-epoch-checkpoint"]
    status, out, _ = run(*files)
    assert status == 0
    assert [line.split(":")[0] for line in out.splitlines() if re.match(r"\S+: \d+ byte", line)] == [
        file.name for file in files
    ]
    status, out, _ = run(*files, "--format", "json", "--output", tmp_path / "out.json")
    assert (status, out) == (0, "")
    assert [one["title"] for one in json.loads((tmp_path / "out.json").read_text())] == [file.name for file in files]
    assert run(*files, "--format", "html")[0] == 2
    status, _, err = run(files[0], tmp_path / "none")
    assert status == 2
    assert "No such file" in err
