"""Images of damaged partition directories, for recover.py: sources that are whole, and what is done to them.

An image is a function of (seed, number) and of the sources, which Kafka itself has loaded once, so that their indexes
and snapshots are its own.
"""

from __future__ import annotations

import contextlib
import itertools
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT / "tests" / "log")]

from logdirs import marker, numbered, snapshot, transactional  # noqa: E402

from kafkacodec import crc32c  # noqa: E402
from kafkacodec.errors import KafkaCodecError  # noqa: E402
from kafkacodec.records import rewrite, scan  # noqa: E402

NOW = 1_763_700_000_000
BLOCK = 4096
LARGEST = 90_000  # bytes of a source's log
INDEXES = (".index", ".timeindex", ".txnindex")


@dataclass
class Image:
    """The files of a partition's directory by name, and what a broker would be told of it."""

    topic: str
    files: dict[str, bytes]
    log_start: int = 0
    recovery_point: int = 0
    now: int = NOW
    state: str = ""  # what the directory's name ends in
    done: list[str] = field(default_factory=list)

    def named(self, *suffixes: str) -> list[str]:
        return sorted(name for name in self.files if name.endswith(suffixes))

    def logs(self) -> list[str]:
        return [name for name in self.named(".log") if self.files[name]] or self.named(".log")

    @property
    def bases(self) -> list[int]:
        return [int(name.split(".")[0]) for name in self.named(".log")]

    def write(self, directory: Path) -> Path:
        place = directory / f"{self.topic}-0{self.state}"
        place.mkdir(parents=True)
        for name, data in self.files.items():
            (place / name).write_bytes(data)
        return place


# ---------------------------------------------------------------------------------------------------------- sources


def batches_of(data: bytes) -> list[bytes]:
    index = scan(data, on_corrupt="stop").index
    starts = index.position.tolist()
    return [data[s : s + n] for s, n in zip(starts, index.size_in_bytes.tolist(), strict=True)]


def parts_of(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the batches, and what is behind them that is none."""
    batches = batches_of(data)
    return batches, data[sum(map(len, batches)) :]


def sources() -> list[Image]:
    """Return partitions as logs alone, cut into segments in several ways."""
    r = Random("sources")
    found = []
    for name, batches in _logs(r):
        for pieces in (1, 2, 3, 6):
            if pieces <= len(batches):
                found.append(Image(name, _segments(r, batches, pieces)))
    return found


def _logs(r: Random) -> list[tuple[str, list[bytes]]]:
    logs = []
    for path in sorted((ROOT / "examples" / "shop").glob("*-[0-9]/*.log")):
        data = path.read_bytes()
        if data:
            topic = path.parent.name.rpartition("-")[0]
            logs.append((topic, _with_epochs(r, _short(batches_of(data)))))
    old = [batches_of(path.read_bytes()) for path in sorted((ROOT / "tests" / "corpus" / "segments").glob("*.log"))]
    logs += [(f"old{n}", batches) for n, batches in enumerate(old)]
    for n, batches in enumerate(old):
        logs.append((f"mixed{n}", batches + _moved(r.choice(logs[:8])[1], _last(batches) + 1)))
    logs += [(f"made{n}", _with_epochs(r, _made(r))) for n in range(6)]
    return logs


def _short(batches: list[bytes]) -> list[bytes]:
    total, kept = 0, []
    for one in batches:
        total += len(one)
        if total > LARGEST and kept:
            break
        kept.append(one)
    return kept


def _last(batches: list[bytes]) -> int:
    return int(scan(batches[-1]).index.last_offset[0])


def _moved(batches: list[bytes], start: int) -> list[bytes]:
    data = bytearray(b"".join(batches))
    rewrite(data, base_offset=start)
    return batches_of(bytes(data))


def _with_epochs(r: Random, batches: list[bytes]) -> list[bytes]:
    """Let leaders change now and then; the epoch is not covered by the CRC."""
    epoch, changed = r.randrange(3), []
    for one in batches:
        epoch += r.random() < 0.05
        changed.append(one[:12] + struct.pack(">i", epoch) + one[16:] if one[16] == 2 else one)
    return changed


def _made(r: Random) -> list[bytes]:
    """Small batches of many producers, with and without transactions, committed and aborted, some left open."""
    offset, batches, running = 0, [], {}
    producers = [r.choice([r.randrange(50), r.randrange(2**40), 1000 + n]) for n in range(r.randrange(1, 40))]
    while len(batches) < r.randrange(100, 500):
        count, producer = r.randrange(1, 6), r.choice(producers)
        kind = r.random()
        if kind < 0.25 and running:
            producer = r.choice(sorted(running))
            del running[producer]
            batches.append(marker(offset, producer, commit=r.random() < 0.5))
            count = 1
        elif kind < 0.6 or producer in running:
            running[producer] = True
            batches.append(transactional(offset, count, producer))
        elif kind < 0.9:
            facts = {"producer_id": producer, "producer_epoch": 0, "base_sequence": r.randrange(2**31)}
            batches.append(numbered(offset, count, size=r.randrange(1, 400), **facts))
        else:
            batches.append(numbered(offset, count, size=r.randrange(1, 3000)))
        offset += count + (r.randrange(50) if r.random() < 0.02 else 0)
    return batches


def _segments(r: Random, batches: list[bytes], pieces: int) -> dict[str, bytes]:
    cuts = [0, *sorted(r.sample(range(1, len(batches)), pieces - 1)), len(batches)]
    files = {}
    for start, end in itertools.pairwise(cuts):
        base = int(scan(batches[start]).index.lowest_offset[0]) if not start else _last(batches[:start]) + 1
        files[f"{base:020d}.log"] = b"".join(batches[start:end])
    return files


# ---------------------------------------------------------------------------------------------------------- damage

Mutation = Callable[[Random, Image], None]


def _log(r: Random, image: Image) -> str:
    return r.choice(image.logs())


def _place(r: Random, image: Image, name: str) -> int:
    return r.randrange(len(image.files[name]) + 1)


def _header(r: Random, data: bytes) -> int:
    """Return the position of some header's byte."""
    starts = scan(data, on_corrupt="stop").index.position.tolist() or [0]
    return min(r.choice(starts) + r.randrange(61), len(data) - 1)


def flip_bit(r: Random, image: Image) -> None:
    name = _log(r, image)
    data = bytearray(image.files[name])
    if data:
        place = _header(r, bytes(data)) if r.random() < 0.6 else r.randrange(len(data))
        data[place] ^= 1 << r.randrange(8)
    image.files[name] = bytes(data)


def cut(r: Random, image: Image) -> None:
    name = image.logs()[-1] if r.random() < 0.7 else _log(r, image)
    image.files[name] = image.files[name][: _place(r, image, name)]


def zero_block(r: Random, image: Image) -> None:
    _overwrite(r, image, bytes(r.choice([BLOCK, 512, 17, r.randrange(1, 9000)])))


def random_block(r: Random, image: Image) -> None:
    _overwrite(r, image, r.randbytes(r.choice([BLOCK, 512, 17, r.randrange(1, 9000)])))


def _overwrite(r: Random, image: Image, block: bytes) -> None:
    name = _log(r, image)
    data, place = image.files[name], _place(r, image, name)
    grown = r.random() < 0.2
    changed = data[:place] + block + data[place + len(block) :]
    image.files[name] = changed if grown else changed[: len(data)]


def remove_bytes(r: Random, image: Image) -> None:
    name = _log(r, image)
    data, place = image.files[name], _place(r, image, name)
    image.files[name] = data[:place] + data[place + r.choice([BLOCK, 1, r.randrange(1, 3000)]) :]


def append_bytes(r: Random, image: Image) -> None:
    name = _log(r, image)
    size = r.choice([1, 16, 17, 18, 61, BLOCK])
    image.files[name] += bytes(size) if r.random() < 0.5 else r.randbytes(size)


def rearrange(r: Random, image: Image) -> None:
    """Remove, double or swap whole batches."""
    name = _log(r, image)
    batches, rest = parts_of(image.files[name])
    if not batches:
        return
    first, second, kind = r.randrange(len(batches)), r.randrange(len(batches)), r.random()
    if kind < 0.4:
        batches[first], batches[second] = batches[second], batches[first]
    elif kind < 0.7:
        del batches[first : first + r.randrange(1, 4)]
    else:
        batches.insert(second, batches[first])
    image.files[name] = b"".join(batches) + rest


def change_epochs(r: Random, image: Image) -> None:
    """Write other leader epochs into some batches."""
    name = _log(r, image)
    batches, rest = parts_of(image.files[name])
    for n in range(len(batches)):
        if r.random() < 0.2 and batches[n][16] == 2:
            batches[n] = batches[n][:12] + struct.pack(">i", r.choice([-1, 0, r.randrange(100)])) + batches[n][16:]
    image.files[name] = b"".join(batches) + rest


def change_headers(r: Random, image: Image) -> None:
    """Write other facts into a batch, with its CRC put right."""
    name = _log(r, image)
    batches, rest = parts_of(image.files[name])
    if not batches:
        return
    place = r.randrange(len(batches))
    data = bytearray(batches[place])
    if data[16] == 2:
        change = r.choice(
            [
                {"max_timestamp": r.choice([-1, 0, 2**41, 2**62])},
                {"producer_epoch": r.randrange(5)},
                {"base_sequence": r.choice([0, 2**31 - 1, r.randrange(2**31)])},
                {"base_offset": r.choice([0, r.randrange(2**33), r.randrange(10_000)])},
            ]
        )
        with contextlib.suppress(KafkaCodecError):  # where the batch's other facts do not go with it
            rewrite(data, **change)
    batches[place] = bytes(data)
    image.files[name] = b"".join(batches) + rest


def odd_headers(r: Random, image: Image) -> None:
    """Write anything into a header, with its CRC put right: what no broker writes."""
    name = _log(r, image)
    batches, rest = parts_of(image.files[name])
    if not batches:
        return
    place = r.randrange(len(batches))
    data = bytearray(batches[place])
    if data[16] == 2:
        for _ in range(r.randrange(1, 3)):
            at = r.choice([0, 12, 16, 22, 22, 22, 22, 23, 35, 43, 51, r.randrange(57)])  # 57 on is the count
            data[at] ^= 1 << r.randrange(8)
        data[17:21] = struct.pack(">I", crc32c(bytes(data[21:])))
    batches[place] = bytes(data)
    image.files[name] = b"".join(batches) + rest


def overflow(r: Random, image: Image) -> None:
    """Let the later batches of a segment lie further from its base than an index can tell (KAFKA-6264)."""
    name = image.logs()[-1] if r.random() < 0.7 else _log(r, image)
    batches, rest = parts_of(image.files[name])
    places = sorted(r.randrange(len(batches)) for _ in range(r.randrange(1, 3))) if batches else []
    for place in places:
        shift = 2**31 + r.choice([0, 5])
        for n in range(place, len(batches)):  # offsets are not covered by the CRC
            (offset,) = struct.unpack_from(">q", batches[n])
            batches[n] = struct.pack(">q", offset + shift) + batches[n][8:]
    image.files[name] = b"".join(batches) + rest


def drop_index(r: Random, image: Image) -> None:
    for name in image.named(*(INDEXES if r.random() < 0.3 else (r.choice(INDEXES),))):
        if r.random() < 0.6:
            del image.files[name]


def spoil_index(r: Random, image: Image) -> None:
    names = image.named(*INDEXES)
    if not names:
        return
    name = r.choice(names)
    data = image.files[name]
    kind = r.random()
    if kind < 0.3:
        data = data[: r.randrange(len(data) + 1)]
    elif kind < 0.5:
        data += r.randbytes(r.randrange(40))
    elif kind < 0.6:
        data = b""
    elif kind < 0.8 and data:
        changed = bytearray(data)
        changed[r.randrange(len(data))] ^= 1 << r.randrange(8)
        data = bytes(changed)
    else:
        data = r.randbytes(len(data))
    image.files[name] = data


def false_txnindex(r: Random, image: Image) -> None:
    """Write a transaction index with markers below its segment, or elsewhere."""
    base = r.choice(image.bases or [0])
    entries = b""
    for _ in range(r.randrange(3)):
        last = max(base + r.randrange(-5, 200), 0)
        entries += struct.pack(">hqqqq", r.choice([0, 0, 0, 256]), 7, max(last - 3, 0), last, last + 1)
    image.files[f"{base:020d}.txnindex"] = entries + r.randbytes(r.choice([0, 0, 5]))


def snapshots(r: Random, image: Image) -> None:
    """Remove, spoil, invent or move producer snapshots."""
    names, kind = image.named(".snapshot"), r.random()
    bases = image.bases or [0]
    if kind < 0.3:
        for name in names:
            if r.random() < 0.7:
                del image.files[name]
    elif kind < 0.5 and names:
        name = r.choice(names)
        data = bytearray(image.files[name])
        data[r.randrange(len(data))] ^= 1 << r.randrange(8)
        image.files[name] = bytes(data[: r.choice([len(data), r.randrange(len(data) + 1)])])
    elif kind < 0.75:
        offset = r.choice([r.choice(bases), r.choice(bases) + r.randrange(200), 10**7])
        opened = [r.choice([None, max(offset - 3 - n, 0)]) for n in range(r.randrange(20))]  # no two at one offset
        states = snapshot(*[(r.randrange(2000), first) for first in dict.fromkeys(opened)])
        image.files[f"{offset:020d}.snapshot"] = states
    elif names:
        name = r.choice(names)  # moved on: what it says of the future would not go with the log
        offset = max(r.choice(bases) + r.randrange(-2, 50), int(name[:20]))
        image.files[f"{offset:020d}.snapshot"] = image.files.pop(name)


def temporary(r: Random, image: Image) -> None:
    """Give some files the suffixes of deletions, compactions and splits that were cut short."""
    for base in image.bases:
        if r.random() < 0.5:
            continue
        suffix, copied = r.choice([".deleted", ".cleaned", ".swap", ".swap"]), r.random() < 0.5
        for name in [name for name in image.files if name.startswith(f"{base:020d}.")]:
            if name.endswith((*INDEXES, ".log")) and r.random() < 0.9:
                image.files[name + suffix] = image.files[name]
                if not copied:
                    del image.files[name]


def points(r: Random, image: Image) -> None:
    """Tell another recovery point or log start."""
    near = [r.choice(image.bases or [0]) + r.randrange(0, 60) for _ in range(2)]
    image.recovery_point = r.choice([0, near[0], 10**9, max(image.bases, default=0)])
    if r.random() < 0.4:
        image.log_start = r.choice([near[1], near[1], min(image.bases, default=0), 10**8])


def epoch_file(r: Random, image: Image) -> None:
    kind, bases = r.random(), image.bases or [0]
    name = "leader-epoch-checkpoint"
    if kind < 0.3:
        image.files.pop(name, None)
    elif kind < 0.4:
        image.files[name] = r.choice([b"", b"0\n", b"0\n0\n", b"1\n0\n", b"x", b"0\n1\n", b"0\n1\n1 2 3\n"])
    else:
        rows = [(r.randrange(12), r.choice(bases) + r.randrange(100)) for _ in range(r.randrange(6))]
        rows = sorted(rows) if r.random() < 0.7 else rows
        image.files[name] = f"0\n{len(rows)}\n".encode() + b"".join(b"%d %d\n" % row for row in rows)


def files(r: Random, image: Image) -> None:
    """Remove a whole segment or a log, or add what does not belong there."""
    kind, logs = r.random(), image.named(".log")
    if kind < 0.35 and logs:
        del image.files[r.choice(logs)]
    elif kind < 0.6 and logs:
        base = r.choice(logs)[:20]
        image.files = {name: data for name, data in image.files.items() if not name.startswith(base)}
    elif kind < 0.8:
        image.files[f"{max(image.bases, default=0) + 10_000:020d}.log"] = b""
    else:
        image.files[
            r.choice(["other.txt", "partition.metadata", "a.tmp", "00000000000000000007-0000000001.checkpoint"])
        ] = b"x"


def late(r: Random, image: Image) -> None:
    """Recover long after: producers without a transaction have expired."""
    image.now = r.choice([NOW + 10**9, 1_700_000_000_000 + 86_400_000 + r.randrange(500), 2**50])


def deleted(r: Random, image: Image) -> None:
    """Let the whole partition be one that is being deleted, moved or left over."""
    image.state = f".{r.getrandbits(128):032x}-{r.choice(['delete', 'delete', 'future', 'stray'])}"


MUTATIONS: tuple[tuple[int, Mutation], ...] = (
    (14, flip_bit), (12, cut), (10, zero_block), (10, random_block), (6, remove_bytes), (5, append_bytes),
    (10, rearrange), (4, change_epochs), (5, change_headers), (4, odd_headers), (3, overflow), (6, drop_index),
    (6, spoil_index), (2, false_txnindex), (6, snapshots), (5, temporary), (8, points), (3, epoch_file), (3, files),
    (2, late), (1, deleted),
)  # fmt: skip


def image_of(seed: int, number: int, whole: list[Image]) -> Image:
    """Return image `number` of a run; one in a hundred is not damaged."""
    r = Random(f"{seed}/{number}")
    source = r.choice(whole)
    image = Image(source.topic, dict(source.files), recovery_point=r.choice([0, *source.bases]))
    weights, kinds = zip(*MUTATIONS, strict=True)
    for mutate in r.choices(kinds, weights, k=r.choice([1, 1, 1, 2, 2, 3]) if number % 100 else 0):
        if not image.named(".log"):
            break
        mutate(r, image)
        image.done.append(mutate.__name__)
    return image
