"""The places where kafkacodec and kafka-clients differ on purpose, as predicates; docs/strictness.md gives the reasons.

Whatever no predicate here covers is a finding. Each has a test of its name in tests/records/test_differences.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kafkacodec import layout as at
from parts import split
from sides import Verdict

LZ4_MAGIC = b"\x04\x22\x4d\x18"
BYTES_OF_512_BLOCKS = 512 * 3  # at the least; of 128 KiB each they come to the 64 MiB that both builds may inflate
GZIP_MAGIC = b"\x1f\x8b"
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4


@dataclass(frozen=True)
class Difference:
    """A known difference; `holds` is asked only where the verdicts are not the same."""

    name: str
    holds: Callable[[bytes, Verdict, Verdict], bool]


def _prefix(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    return long[: len(short)] == short


def _where(ours: Verdict, kafka: Verdict) -> int:
    """Return the number of the first batch on which the verdicts differ."""
    pairs = zip(ours.batches, kafka.batches, strict=False)
    same = min(len(ours.batches), len(kafka.batches))
    return next((i for i, (one, other) in enumerate(pairs) if one != other), same)


def _stream(data: bytes, number: int) -> tuple[int, bytes]:
    """Return the codec of a batch and what its compressed payload is a part of."""
    pieces = split(data)
    if number >= len(pieces) or len(pieces[number]) <= at.ATTRIBUTES_OFFSET + 1:
        return 0, b""
    piece = pieces[number]
    if piece[at.MAGIC_OFFSET] >= at.MAGIC_V2:
        return piece[at.ATTRIBUTES_OFFSET + 1] & at.COMPRESSION_MASK, piece[at.RECORD_BATCH_OVERHEAD :]
    return piece[at.MESSAGE_ATTRIBUTES_OFFSET] & at.COMPRESSION_MASK, piece[at.MESSAGE_TIMESTAMP_OFFSET :]


def empty_batch_not_opened(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """Kafka's streaming iterator opens the stream of a compressed batch of no records; its iterator and we do not."""
    number = len(kafka.batches)
    if not kafka.refused or number >= len(ours.batches) or not _prefix(kafka.batches, ours.batches):
        return False
    facts = ours.batches[number].split(":")[0].split(",")
    return facts[0] == "2" and facts[3] != "0" and facts[-1] == "0"


def size_on_trust(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """Kafka allocates what a cut inner message of format 0 or 1 declares; if there is memory, it ignores it."""
    return kafka.end == "refused OutOfMemoryError" and _prefix(kafka.batches, ours.batches)


def lz4_frames_after_the_first(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """We read all frames of an lz4 payload, Kafka the first one only."""
    codec, stream = _stream(data, _where(ours, kafka))
    return codec == LZ4 and stream.count(LZ4_MAGIC) > 1


def zstd_frame_cut_after_a_whole_one(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """Kafka drops a cut frame after a whole one in silence, we refuse the payload."""
    codec, _ = _stream(data, _where(ours, kafka))
    return codec == ZSTD and _refused(ours, kafka, "zstd payload ends inside of a frame")


def snappy_header_cut_short(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """After what begins as a further header and is none, Kafka's reader stops, or goes on at the next call."""
    codec, _ = _stream(data, _where(ours, kafka))
    return codec == SNAPPY and _refused(ours, kafka, "snappy chunk with a negative size")


def zstd_size_behind_an_empty_block(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """The library does not hold a frame's declared size against it where its last block is empty; we always do."""
    codec, stream = _stream(data, _where(ours, kafka))
    words = ["zstd frame declares more than its blocks can hold"]
    if len(stream) < BYTES_OF_512_BLOCKS:  # so few hold less than the limit: what is beyond it is only declared
        words.append("zstd payload inflates to more than may be read")
    return codec == ZSTD and _refused(ours, kafka, *words)


def gzip_member_of_few_bytes(data: bytes, ours: Verdict, kafka: Verdict) -> bool:
    """Java before 25 does not look at the last 18 bytes behind a member; we do if they begin a further one."""
    codec, stream = _stream(data, _where(ours, kafka))
    begun = stream.rfind(GZIP_MAGIC)
    return codec == GZIP and 0 < len(stream) - begun <= 18 and _refused(ours, kafka, "gzip payload ends inside of")


def _refused(ours: Verdict, kafka: Verdict, *words: str) -> bool:
    """Tell whether we refuse, with one of these messages, what Kafka reads; what comes before is the same."""
    return ours.refused and _prefix(ours.batches, kafka.batches) and ours.message.startswith(words)


DIFFERENCES = tuple(
    Difference(holds.__name__, holds)
    for holds in (
        empty_batch_not_opened,
        size_on_trust,
        lz4_frames_after_the_first,
        zstd_frame_cut_after_a_whole_one,
        snappy_header_cut_short,
        zstd_size_behind_an_empty_block,
        gzip_member_of_few_bytes,
    )
)
