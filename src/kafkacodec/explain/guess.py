"""What bytes are when nobody says it: by the name of their file, by what they begin with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from kafkacodec import layout as at
from kafkacodec.explain.capture.formats import is_capture
from kafkacodec.explain.frames import SIZE_WIDTH, known_request
from kafkacodec.javanumbers import int32_at
from kafkacodec.log.names import parse_directory_name, parse_file_name

__all__ = ["Origin", "begins_batch", "guess", "origin_of"]

_SUFFIXES: Final = {".log", ".index", ".timeindex", ".txnindex", ".snapshot"}
_CAPTURES: Final = {".pcap", ".pcapng", ".cap"}
_CHECKPOINT: Final = re.compile(rb"[0-9]\r?\n[0-9]+\r?\n")
_GZIP: Final = b"\x1f\x8b"
_TEXT_FILES: Final = ("partition.metadata", "meta.properties", "quorum-state", ".kafka_cleanshutdown")


class Origin(NamedTuple):
    """What the path of a file says."""

    kind: str | None = None
    title: str = ""
    topic: str | None = None
    base_offset: int | None = None


def origin_of(path: Path) -> Origin:
    """Return what a path says of the bytes in its file."""
    directory = parse_directory_name(path.absolute().parent.name)
    topic = directory.topic if directory else None
    file = parse_file_name(path.name)
    if file is not None:
        return Origin(file.kind, path.name, topic, file.base_offset)
    kind = None
    if path.suffix in _SUFFIXES:
        kind = path.suffix[1:]
    elif path.suffix in _CAPTURES:
        kind = "pcap"
    elif path.name in _TEXT_FILES or path.name.endswith("-checkpoint"):
        kind = "checkpoint"
    elif path.suffix == ".checkpoint":  # KRaft's snapshots and the bootstrap file are batches
        kind = "log"
    return Origin(kind, path.name, topic)


def guess(data: memoryview, api_key: int | None, version: int | None) -> str:
    """Return what bytes are; ValueError where nothing fits."""
    if not data:
        raise ValueError("cannot tell what no bytes are: say what")
    if is_capture(data):
        return "pcap"
    is_framed = len(data) > SIZE_WIDTH and int32_at(data, 0) == len(data) - SIZE_WIDTH
    if api_key is not None and version is not None:
        return "frame" if is_framed else "response"
    if is_framed and known_request(data, SIZE_WIDTH):
        return "frame"
    if begins_batch(data):
        return "records"
    if _CHECKPOINT.match(data[:32].tobytes()):
        return "checkpoint"
    if known_request(data, 0):
        return "request"
    if data[:2].tobytes() == _GZIP:
        raise ValueError("cannot tell what is in gzip: the bytes must be inflated before (zcat FILE | ...)")
    raise ValueError("cannot tell what the bytes are: say what, and for a response api_key and version")


def begins_batch(data: memoryview) -> bool:
    """Tell whether what could be a batch's length and format lie where they would."""
    if len(data) < at.HEADER_SIZE_UP_TO_MAGIC:
        return False
    length = int32_at(data, at.LENGTH_OFFSET)
    return data[at.MAGIC_OFFSET] <= at.MAGIC_V2 and length >= at.MIN_LENGTH and data[at.BASE_OFFSET_OFFSET] < 128
