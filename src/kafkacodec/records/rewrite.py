"""Rewriting what the headers of batches say, in place: what a broker does on append, and a mirror on copying."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from kafkacodec import layout as at
from kafkacodec._accel import rewrite as kernel
from kafkacodec.errors import EncodeError, Truncated, Unsupported
from kafkacodec.types import TimestampType

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["HeaderChanges", "rewrite"]

_INT16_MAX: Final = 2**15 - 1
_INT32_MAX: Final = 2**31 - 1
_INT64_MAX: Final = 2**63 - 1
_TIMESTAMP_TYPES: Final = {"create": TimestampType.CREATE_TIME, "log_append": TimestampType.LOG_APPEND_TIME}
_BOUNDS: Final = {
    "base_offset": (0, _INT64_MAX),
    "last_offset": (0, _INT64_MAX),
    "offset_shift": (-_INT64_MAX, _INT64_MAX),
    "partition_leader_epoch": (-1, _INT32_MAX),
    "max_timestamp": (at.NO_TIMESTAMP, _INT64_MAX),
    "producer_id": (at.NO_PRODUCER_ID, _INT64_MAX),
    "producer_epoch": (-1, _INT16_MAX),
    "base_sequence": (at.NO_SEQUENCE, _INT32_MAX),
    "is_transactional": (0, 1),
}

TimestampTypeName = Literal["create", "log_append"]


def rewrite(
    buf: WriteableBuffer,
    *,
    base_offset: int | None = None,
    last_offset: int | None = None,
    offset_shift: int | None = None,
    partition_leader_epoch: int | None = None,
    max_timestamp: int | None = None,
    timestamp_type: TimestampType | TimestampTypeName | None = None,
    producer_id: int | None = None,
    producer_epoch: int | None = None,
    base_sequence: int | None = None,
    is_transactional: bool | None = None,
) -> None:
    """Change the headers of all batches of `buf`, formats 0, 1 and 2 mixed, in place; None keeps what is there.

    Only headers are read and written: nothing is decompressed, and a CRC that covers what changed is renewed without
    reading what it covers, so that a wrong one stays wrong (verify first where that matters, by `is_valid`). All is
    checked before the first byte is written. A partial last batch is left as it is. Attribute bits that are not known
    are kept.

    base_offset:    of the first batch; each batch behind it begins where the one before ends. Offsets within a batch,
                    with the holes that compaction left, stay relative to its base.
    last_offset:    of the first batch, in its place: Kafka's setLastOffset.
    offset_shift:   added to all offsets instead; what lies between batches stays, too.
    max_timestamp:  ms; with timestamp_type "log_append" it is the time of all records of the batch. In an
                    uncompressed message of format 1 it is the message's timestamp.
    timestamp_type: "create" or "log_append"; `TimestampType` will do.
    base_sequence:  of the first batch, -1 for none; goes on from batch to batch, 0 follows 2^31 - 1.
    partition_leader_epoch, producer_id, producer_epoch, is_transactional: of every batch.

    A compressed message of format 1 has its last record's offset, and how many lie before it is known inside alone:
    it takes offset_shift, and last_offset where it is the first. One of format 0 holds absolute offsets inside: it
    takes none. Both, and facts that a format has no field for, raise `Unsupported`. The delete horizon (KIP-534)
    cannot be set here: it takes the field that all timestamps of the batch are relative to.
    Raises `EncodeError` where numbers do not fit or producer fields do not go together, `Corrupt`, `Unsupported`
    for bad headers, `Truncated` where there is no whole batch, BufferError where `buf` cannot be written to.
    """
    changes = HeaderChanges(
        base_offset, last_offset, offset_shift, partition_leader_epoch, max_timestamp, _type(timestamp_type),
        producer_id, producer_epoch, base_sequence, None if is_transactional is None else int(is_transactional),
    )  # fmt: skip
    changes.apply(_writable(buf))


class _Survey(NamedTuple):
    """What the kernel's survey returns, by name."""

    batches: int
    end: int
    first_delta: int
    span: int
    lowest: int
    highest: int
    legacy: int
    format_0: int
    wrapper_0: int
    wrapper_1: int
    later_wrapper_1: int
    stateless: int


@dataclass(frozen=True, slots=True)
class HeaderChanges:
    """What is to be changed, as `rewrite` has it; raises `EncodeError` for numbers that no header can hold."""

    base_offset: int | None = None
    last_offset: int | None = None
    offset_shift: int | None = None
    partition_leader_epoch: int | None = None
    max_timestamp: int | None = None
    timestamp_type: TimestampType | None = None
    producer_id: int | None = None
    producer_epoch: int | None = None
    base_sequence: int | None = None
    is_transactional: int | None = None

    def __post_init__(self) -> None:
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if value is not None and not least <= index(value) <= most:
                raise EncodeError(f"{name} must be {least} to {most}, not {value}")
        given = [n for n in ("base_offset", "last_offset", "offset_shift") if getattr(self, n) is not None]
        if len(given) > 1:
            raise EncodeError(f"{' and '.join(given)} exclude each other")
        if self.timestamp_type is TimestampType.NONE:
            raise EncodeError("timestamp_type must be 'create' or 'log_append': without is format 0 alone")

    def apply(self, target: memoryview, *, headers_only: bool = False) -> int:
        """Change the batches of `target`; return the offset that follows them, -1 where offsets are not assigned.

        headers_only: `target` has the headers alone, one after another.
        """
        found = _Survey(*kernel.survey(target, headers_only, *self._producer_fields()))
        if not found.batches:
            if len(target):
                raise Truncated("no whole batch to rewrite", position=0, found=f"{len(target)} bytes")
            return -1 if self.base_offset is None else self.base_offset
        self._check_fields(found)
        self._check_offsets(found)
        last_offset = self.last_offset if self.base_offset is None else self.base_offset + found.first_delta
        return kernel.rewrite_batches(
            target, headers_only, last_offset, self.offset_shift, self.partition_leader_epoch, self.max_timestamp,
            self.timestamp_type, *self._producer_fields(),
        )  # fmt: skip

    def _producer_fields(self) -> tuple[int | None, int | None, int | None, int | None]:
        return self.producer_id, self.producer_epoch, self.base_sequence, self.is_transactional

    def _check_fields(self, found: _Survey) -> None:
        """Refuse facts that the format of some batch has no field for."""
        produced = any(field is not None for field in self._producer_fields())
        if found.legacy >= 0 and (produced or self.partition_leader_epoch is not None):
            field = "producer fields" if self.partition_leader_epoch is None else "partition leader epoch"
            raise _unsupported(f"message formats 0 and 1 have no {field}", found.legacy)
        if found.format_0 >= 0 and (self.max_timestamp is not None or self.timestamp_type is not None):
            raise _unsupported("message format 0 has no timestamp", found.format_0)
        if produced and found.stateless >= 0:
            raise EncodeError(
                f"producer fields of the batch at byte {found.stateless} would not go together: a transaction needs a "
                "producer id, and an id needs an epoch and, but for control batches, a sequence"
            )

    def _check_offsets(self, found: _Survey) -> None:
        """Refuse offsets that cannot be assigned from outside, or leave the range of offsets."""
        if self.base_offset is self.last_offset is self.offset_shift is None:
            return
        if found.wrapper_0 >= 0:
            raise _unsupported("offsets inside a compressed message of format 0 are absolute", found.wrapper_0)
        unknown = found.wrapper_1 if self.base_offset is not None else found.later_wrapper_1
        if unknown >= 0 and self.offset_shift is None:
            what = "how many offsets a compressed message of format 1 takes is not in its header"
            raise _unsupported(f"{what}: give last_offset for one alone, or offset_shift", unknown)
        if self.offset_shift is not None:
            first, last = found.lowest + self.offset_shift, found.highest + self.offset_shift
        elif self.base_offset is not None:
            first, last = self.base_offset, self.base_offset + found.first_delta + found.span
        else:
            assert self.last_offset is not None
            first, last = self.last_offset - found.first_delta, self.last_offset + found.span
        if first < 0 or last > _INT64_MAX:
            raise EncodeError(f"offsets would be {first} to {last}, beyond 0 to {_INT64_MAX}")


def _unsupported(message: str, position: int) -> Unsupported:
    return Unsupported(message, position=position + at.MAGIC_OFFSET)


def _type(given: TimestampType | TimestampTypeName | None) -> TimestampType | None:
    if given is None:
        return None
    if isinstance(given, str):
        if given not in _TIMESTAMP_TYPES:
            raise EncodeError(f"timestamp_type must be 'create' or 'log_append', not {given!r}")
        return _TIMESTAMP_TYPES[given]
    try:
        return TimestampType(given)
    except ValueError:
        raise EncodeError(f"timestamp_type must be 'create' or 'log_append', not {given!r}") from None


def _writable(buf: WriteableBuffer) -> memoryview:
    """Return the bytes of a buffer that is to be written to: never a copy."""
    view = memoryview(buf)
    if view.readonly:
        raise BufferError("the buffer is read-only")
    if not view.c_contiguous:
        raise BufferError("the buffer is not C-contiguous")
    return view.cast("B") if view.nbytes else memoryview(bytearray())  # cast refuses empty views
