"""Measures recovery of one segment beside Kafka's LogSegment.recover on the same bytes: CPU, wall and their ratios.

    python benchmarks/recover_ratios.py --megabytes 1000

The JVM is warm: it recovers each segment several times, the best counts, as with ours. The logs are those of
examples/shop over and over, with their offsets moved, and batches of a hundred bytes, where each costs a step.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "fuzz"), str(ROOT / "src")]

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

import kafkacodec  # noqa: E402
from kafkacodec.log import recover_segment  # noqa: E402
from kafkacodec.records import encode_rows, rewrite, scan  # noqa: E402
from recover import Kafka  # noqa: E402

LOG = f"{0:020d}.log"
SHOP = ROOT / "examples" / "shop"
ROUNDS = 5


def moved(data: bytes, size: int) -> bytes:
    """Return a log of about `size` bytes: `data` again and again, its offsets going on."""
    index = scan(data).index
    span, copies, offset = int(index.last_offset[-1]) + 1 - int(index.base_offset[0]), [], 0
    for _ in range(max(size // len(data), 1)):
        copy = bytearray(data)
        rewrite(copy, offset_shift=offset)
        copies.append(bytes(copy))
        offset += span
    return b"".join(copies)


def logs(size: int) -> dict[str, bytes]:
    small = b"".join(encode_rows([(1_700_000_000_000 + n, None, b"%040d" % n, ())], base_offset=n) for n in range(2000))
    large = b"".join(
        encode_rows(((n, None, bytes(1000), ()) for n in range(start, start + 500)), base_offset=start)
        for start in range(0, 4000, 500)
    )
    return {
        "orders (lz4, idempotent)": moved((SHOP / "orders-0" / LOG).read_bytes(), size),
        "payments (zstd, transactions)": moved((SHOP / "payments-0" / LOG).read_bytes(), size),
        "batches of 0.5 MB": moved(large, size),
        "batches of 108 bytes": moved(small, size // 4),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=256, help="of each log")
    given = parser.parse_args()
    kafka = Kafka("1g")
    table = Table(title=f"Recovery of one segment, {kafkacodec.backend}: MB/s of CPU (of wall), best of {ROUNDS}")
    for heading in ("log", "MB", "batches", "Kafka", "ours", "CPU ratio", "wall ratio"):
        table.add_column(heading, justify="left" if heading == "log" else "right")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for name, data in logs(given.megabytes * 2**20).items():
            place = Path(folder) / "topic-0"
            place.mkdir()
            (place / LOG).write_bytes(data)
            batches, size = len(scan(data, check_crc=False).index), len(data) / 1e6
            del data
            theirs, mine = [], []
            for _ in range(ROUNDS):
                theirs.append(_kafka(kafka, place))
                mine.append(_ours(place))
            (wall, cpu), (own_wall, own_cpu) = map(_best, (theirs, mine))
            table.add_row(
                name, f"{size:.0f}", f"{batches:,}", f"{size / cpu:.0f} ({size / wall:.0f})",
                f"{size / own_cpu:.0f} ({size / own_wall:.0f})", f"{cpu / own_cpu:.2f}x", f"{wall / own_wall:.2f}x",
            )  # fmt: skip
            shutil.rmtree(place)
    kafka.close()
    Console(width=max(Console().width, 130)).print(table)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of this process: {memory:.0f} MiB, in it the logs as they were made")
    return 0


def _clear(place: Path) -> None:
    for path in place.iterdir():
        if path.name != LOG:
            path.unlink()


def _kafka(kafka: Kafka, place: Path) -> tuple[float, float]:
    _clear(place)
    answer = kafka.ask("time", place, 0, 0, 0).split()
    assert answer[0] == "ok", answer
    return int(answer[1]) / 1e9, int(answer[2]) / 1e9


def _ours(place: Path) -> tuple[float, float]:
    _clear(place)
    wall, cpu = time.perf_counter(), time.process_time()
    report = recover_segment(place / LOG, backup=False)
    assert not report.bytes_lost
    assert not report.is_refused
    return time.perf_counter() - wall, time.process_time() - cpu


def _best(rounds: list[tuple[float, float]]) -> tuple[float, float]:
    return min(wall for wall, _ in rounds), min(cpu for _, cpu in rounds)


if __name__ == "__main__":
    sys.exit(main())
