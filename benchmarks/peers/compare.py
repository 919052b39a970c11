"""Measures kafkacodec beside Rust's, Go's, Java's and Python's codecs of record batches, and prints speeds and ratios.

    python compare.py                        all of it: about half an hour
    python compare.py --only decode,pure     some sections: decode, encode, pure, threads
    python compare.py --corpora json --codecs none,lz4 --turns 1
    python compare.py --print                what was measured last

Contestants are processes of their own that hold their data; in each turn each of them runs its rounds, so that whatever
else the machine does falls on all alike. The figure is the best round of all turns. What each finds in a corpus is
compared with what is known of it; what each encodes is decoded and compared too. A contestant whose tool is missing
is left out, and said so. Results are kept in .cache/peers/results.json.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import tables  # noqa: E402
from contest import CACHE, RECIPES, Contestant, Request, build  # noqa: E402

import kafkacodec  # noqa: E402
from corpora import CACHE as CORPORA  # noqa: E402
from corpora import CODECS, ROWS, corpus  # noqa: E402
from corpora import VERSION as CORPORA_VERSION  # noqa: E402
from kafkacodec import read_batches, read_columns  # noqa: E402

RESULTS = CACHE / "results.json"
SECTIONS = ("decode", "encode", "pure", "threads")
EXCERPT = 2 * 2**20  # what kafka-python is given of a corpus: whole batches of about so many bytes
FIELDS = ("records", "offsets", "timestamps", "key_bytes", "value_bytes", "headers")


ENTRANTS = {
    "decode": [
        ("kafkacodec", "decode-columns"),
        ("kafkacodec", "decode-tuples"),
        ("kafkacodec", "decode-rows"),
        *((peer, work) for peer in tables.OTHER_LANGUAGES for work in ("decode", "decode-dropping")),
        ("kafka-clients", "decode-arrays"),
        ("aiokafka", "decode"),
        ("aiokafka", "decode-dropping"),
    ],
    "encode": [
        ("kafkacodec", "encode-columns"),
        ("kafkacodec", "encode-arrow"),
        ("kafkacodec", "encode-rows"),
        *((peer, work) for peer in tables.OTHER_LANGUAGES for work in ("encode", "encode-dropping")),
        ("aiokafka", "encode"),
    ],
    "pure": [
        ("kafkacodec-pure", "decode-columns"),
        ("kafkacodec-pure", "decode-rows"),
        ("kafka-python", "decode"),
        ("kafka-python-without-crc32c", "decode"),
    ],
}
CODECS_OF = {"decode": CODECS, "encode": ("none", "lz4", "zstd"), "pure": ("none",)}


def sums_of(data: bytes) -> dict[str, int]:
    """Return what a contestant's answer must say of a buffer."""
    found = read_columns(data)
    keys, values = found.key_length.clip(0).sum(), found.value_length.clip(0).sum()
    sums = (len(found), found.offset.sum(), found.timestamp.sum(), keys, values, found.header_count.sum())
    return dict(zip(FIELDS, (int(n) for n in sums), strict=True))


def file_of(name: str, codec: str) -> Path:
    return CORPORA / f"{name}.{codec}.v{CORPORA_VERSION}.bin"


def excerpt(name: str, codec: str) -> Path:
    """Return a file with the first batches of a corpus."""
    target = CACHE / f"{name}.{codec}.v{CORPORA_VERSION}.excerpt.bin"
    if not target.exists():
        data, _ = corpus(name, codec)
        batches = read_batches(data)
        end = next(batch.position + batch.size_in_bytes for batch in batches if batch.position >= EXCERPT)
        target.write_bytes(data[:end])
    return target


class Match:
    """One run of everything: the contestants that could be built, and all of their answers."""

    def __init__(self, turns: int, rounds: int) -> None:
        """Start with no contestant: `contestant` builds and starts one when it is first needed."""
        self.turns, self.rounds = turns, rounds
        self.answers: list[dict[str, Any]] = []
        self.left_out: dict[str, str] = {}
        self._running: dict[str, Contestant] = {}
        self.closing = ExitStack()

    def contestant(self, name: str) -> Contestant | None:
        if name not in self._running and name not in self.left_out:
            reason = build(RECIPES[name])
            if reason is not None:
                self.left_out[name] = reason
                print(f"\n*** {name} is left out: {reason} ***\n", flush=True)
            else:
                self._running[name] = Contestant(RECIPES[name])
                self.closing.callback(self._running[name].close)
        return self._running.get(name)

    def section(self, section: str, name: str, codec: str) -> None:
        """Run the contestants of a section over one corpus with one codec, in turns."""
        plain, facts = corpus(name, "none" if section == "encode" else codec)
        path = file_of(name, "none" if section == "encode" else codec)
        known = dict(zip(FIELDS, facts.sums, strict=True))
        if section == "pure":
            path = excerpt(name, codec)
            plain = path.read_bytes()
            known = sums_of(plain)
        entrants = [(one, work) for peer, work in ENTRANTS[section] if (one := self.contestant(peer)) is not None]
        out = CACHE / "encoded.bin" if section == "encode" else None
        for one, work in entrants:
            answer = one.warm(Request(work, name, codec, path, out=out))
            check(answer, known, out, len(plain) if codec == "none" else None)
        if out is not None:
            out.unlink(missing_ok=True)
        for turn in range(self.turns):
            for one, work in entrants:
                answer = one.ask(Request(work, name, codec, path, self.rounds))
                answer |= {"section": section, "turn": turn, "records": known["records"], "plain_bytes": len(plain)}
                self.answers.append(answer)


def check(answer: dict[str, Any], known: dict[str, int], out: Path | None, size: int | None) -> None:
    """Compare what a contestant found, or encoded, with what is known."""
    found = {field: answer[field] for field in FIELDS} if out is None else sums_of(out.read_bytes())
    if found != known:
        raise SystemExit(f"{answer['peer']}, {answer['work']} of {answer['corpus']}: {found} is not {known}")
    if out is not None and size is not None and abs(answer["bytes"] - size) > size // 1000:  # it may cut otherwise
        raise SystemExit(f"{answer['peer']} encoded {answer['bytes']:,} bytes instead of {size:,}")


def wall_of_threads(work: Callable[[bytes], object], data: list[bytes], together: bool) -> float:
    """Return the wall time of a thread for each buffer, all at the same time or one after the other."""
    threads = [threading.Thread(target=work, args=(buffer,)) for buffer in data]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
        if not together:
            thread.join()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def two_threads(name: str, codec: str, turns: int) -> dict[str, Any]:
    """Read two partitions, whose bytes are not shared, by two threads; zlib.crc32 tells what the machine can give."""
    data, facts = corpus(name, codec)
    partitions = [data, bytes(bytearray(data))]
    answer = {"section": "threads", "peer": "kafkacodec", "work": "two threads", "corpus": name, "codec": codec}
    answer["records"] = 2 * facts.records
    walls: dict[str, list[float]] = {}
    for turn in range(turns + 1):
        for what, work in (("read", read_columns), ("crc32", zlib.crc32)):
            for together in (False, True):
                wall = wall_of_threads(work, partitions, together)
                if turn:
                    walls.setdefault(f"{what}_{'together' if together else 'one_after_the_other'}", []).append(wall)
    return answer | {what: min(times) for what, times in walls.items()}


def cells(section: str, arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for name in arguments.corpora.split(","):
        for codec in CODECS_OF.get(section, ("none", "lz4", "zstd")):
            if codec in arguments.codecs.split(","):
                yield name, codec


def measure(arguments: argparse.Namespace) -> None:
    """Run what was asked for; what was measured is kept after each corpus, should the run be ended."""
    match = Match(arguments.turns, arguments.rounds)
    results = {
        "started": time.strftime("%Y-%m-%d %H:%M:%S"),
        "command": sys.argv[1:],
        "python": platform.python_version(),
        "backend": kafkacodec.backend,
        "left_out": match.left_out,
        "answers": match.answers,
    }
    with match.closing:
        for section in arguments.only.split(","):
            for name, codec in cells(section, arguments):
                print(f"{section} {name}.{codec}", flush=True)
                if section == "threads":
                    match.answers.append(two_threads(name, codec, 2 * arguments.turns))
                else:
                    match.section(section, name, codec)
                RESULTS.write_text(json.dumps(results | {"machine": asdict(tables.machine())}, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--corpora", default=",".join(ROWS))
    parser.add_argument("--codecs", default=",".join(CODECS))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3, help="of each contestant in each turn")
    parser.add_argument("--print", action="store_true", help="print what was measured last")
    arguments = parser.parse_args()
    if not arguments.print:
        CACHE.mkdir(parents=True, exist_ok=True)
        measure(arguments)
    tables.show(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    main()
