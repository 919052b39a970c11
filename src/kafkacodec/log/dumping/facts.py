"""What every dump needs: its options, the beginning of a file, and sentences about files; no logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.log.arguments import check_integers, check_reading

__all__ = ["Decoder", "DumpNote", "DumpOptions", "DumpedFile", "FileKind"]

Decoder = Literal["string", "hex", "base64", "integer", "long", "none"]
TopicDecoder = Literal["offsets", "transaction-log", "cluster-metadata", "share-group-state", "remote-log-metadata"]
FileKind = Literal[
    "log", "raft-snapshot", "index", "timeindex", "txnindex", "snapshot", "epochs", "offsets", "properties", "unknown"
]
NoteKind = Literal["info", "ignored", "invalid-bytes", "fault"]

_LARGEST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class DumpOptions:
    """What is told; the names and defaults of DumpLogSegments' options.

    print_data_log: contents of records; so do topic_decoder and the decoders, where they are given. deep_iteration:
    records at all. max_bytes: of a log file. max_message_size: how far behind an index entry its batch is looked for.
    key_decoder, value_decoder: "string" is UTF-8 as Java decodes it; "integer" and "long" are big-endian; "none" leaves
    out. topic_decoder: records of one of Kafka's own topics. limits: of what one batch of many may be inflated to at
    once; one that is larger is inflated piece by piece. Raises TypeError or ValueError for what is none of these.
    """

    print_data_log: bool = False
    deep_iteration: bool = False
    skip_record_metadata: bool = False
    verify_index_only: bool = False
    index_sanity_check: bool = False
    max_message_size: int = 5 * 2**20
    max_bytes: int = _LARGEST
    key_decoder: Decoder | None = None
    value_decoder: Decoder | None = None
    topic_decoder: TopicDecoder | None = None
    limits: Limits = DEFAULT_LIMITS

    def __post_init__(self) -> None:
        check_integers(max_message_size=self.max_message_size, max_bytes=self.max_bytes)
        check_reading(limits=self.limits)
        known = {"key_decoder": Decoder, "value_decoder": Decoder, "topic_decoder": TopicDecoder}
        for name, choices in known.items():
            value = getattr(self, name)
            if value is not None and value not in get_args(choices):
                raise ValueError(f"{name} must be one of {', '.join(get_args(choices))}, not {value!r}")

    @property
    def contents(self) -> bool:
        """Whether contents of records are told."""
        return self.print_data_log or any((self.key_decoder, self.value_decoder, self.topic_decoder))

    @property
    def deep(self) -> bool:
        """Whether batches are opened."""
        return self.deep_iteration or self.contents

    @property
    def is_bounded(self) -> bool:
        """Whether only the first bytes of log files are read, so that bytes left over say nothing."""
        return self.max_bytes < _LARGEST


@dataclass(frozen=True, slots=True)
class DumpedFile:
    """A file begins: its path, its kind, and what its name says: base or end offset, and the epoch of a snapshot."""

    file: str
    kind: FileKind
    offset: int | None = None
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class DumpNote:
    """A sentence about a file: it is empty or passed a check, is ignored, ends with invalid bytes, or has a fault."""

    file: str
    message: str
    kind: NoteKind = "fault"

    @property
    def is_fault(self) -> bool:
        """Whether something is wrong."""
        return self.kind in ("fault", "invalid-bytes")
