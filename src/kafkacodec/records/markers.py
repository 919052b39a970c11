"""Control batches as Kafka writes them: end-transaction markers, and what KRaft's logs and snapshots say of themselves.

A control record's key is Version int16 | Type int16 (ControlRecordTypeSchema.json). Its value begins with its own
version; those of KRaft are flexible messages (KIP-482), here in the versions of kafka-clients 4.3.0:

  end of transaction  Version int16 | CoordinatorEpoch int32                     (EndTxnMarker.json)
  leader change       Version int16 | LeaderId int32 | Voters | GrantingVoters   (LeaderChangeMessage.json)
                      of VoterId int32 | [version 1: VoterDirectoryId uuid]
  snapshot header     Version int16 | LastContainedLogTimestamp int64            (SnapshotHeaderRecord.json)
  snapshot footer     Version int16                                              (SnapshotFooterRecord.json)
  KRaft version       Version int16 | KRaftVersion int16                         (KRaftVersionRecord.json)
  voters              Version int16 | Voters                                     (VotersRecord.json)
                      of VoterId int32 | VoterDirectoryId uuid | Endpoints of Name, Host, Port uint16
                      | MinSupportedVersion int16 | MaxSupportedVersion int16
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final
from uuid import UUID

from kafkacodec import layout as at
from kafkacodec.errors import EncodeError
from kafkacodec.records.builder import RecordBatchBuilder
from kafkacodec.types import ControlType
from kafkacodec.varint import encode_unsigned_varint

__all__ = [
    "Endpoint", "Voter", "end_transaction_marker", "kraft_version", "kraft_voters", "leader_change", "snapshot_footer",
    "snapshot_header",
]  # fmt: skip

_KEY_VERSION: Final = 0
_VERSION: Final = 0  # of every value but that of a leader change
_LEADER_CHANGE_VERSIONS: Final = (0, 1)
_KEY: Final = Struct(">hh")
_INT16, _UINT16, _INT32 = Struct(">h"), Struct(">H"), Struct(">i")
_INT16_INT16, _INT16_INT32, _INT16_INT64 = Struct(">hh"), Struct(">hi"), Struct(">hq")
_NO_TAGS: Final = b"\0"
_NO_DIRECTORY: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a voter listens: the listener's name, host and port."""

    name: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Voter:
    """A voter of a KRaft quorum: its id, the id of its directory, endpoints and range of KRaft versions."""

    voter_id: int
    directory_id: UUID = _NO_DIRECTORY
    endpoints: Sequence[Endpoint] = ()
    min_supported_version: int = 0
    max_supported_version: int = 0


def end_transaction_marker(
    *,
    producer_id: int,
    producer_epoch: int,
    commit: bool,
    coordinator_epoch: int,
    timestamp: int | None = None,
    base_offset: int = 0,
    partition_leader_epoch: int = -1,
) -> bytes:
    """Return the batch that ends a producer's transaction: commit, or abort.

    timestamp: ms, None for now. Raises EncodeError (MemoryRecords.withEndTransactionMarker).
    """
    if producer_id == at.NO_PRODUCER_ID:
        raise EncodeError("an end-transaction marker needs a producer_id")
    value = _pack(_INT16_INT32, _VERSION, coordinator_epoch)
    return _batch(
        ControlType.COMMIT if commit else ControlType.ABORT, value, timestamp, base_offset=base_offset,
        partition_leader_epoch=partition_leader_epoch, producer_id=producer_id, producer_epoch=producer_epoch,
        is_transactional=True,
    )  # fmt: skip


def leader_change(
    leader_id: int,
    voters: Iterable[Voter],
    granting_voters: Iterable[Voter],
    *,
    partition_leader_epoch: int,
    version: int = 0,
    timestamp: int | None = None,
    base_offset: int = 0,
) -> bytes:
    """Return the batch with which a new KRaft leader begins its epoch; version 1 has the voters' directories.

    timestamp: ms, None for now. Raises EncodeError (MemoryRecords.withLeaderChangeMessage).
    """
    if version not in _LEADER_CHANGE_VERSIONS:
        raise EncodeError(f"a leader change has the versions 0 and 1, not {version}")
    if partition_leader_epoch < 0:
        raise EncodeError("a leader change needs a partition_leader_epoch")

    def ids(of: Iterable[Voter]) -> bytes:
        return _array(
            _pack(_INT32, voter.voter_id) + (voter.directory_id.bytes if version else b"") + _NO_TAGS for voter in of
        )

    value = _pack(_INT16_INT32, version, leader_id) + ids(voters) + ids(granting_voters) + _NO_TAGS
    return _batch(
        ControlType.LEADER_CHANGE, value, timestamp, base_offset=base_offset,
        partition_leader_epoch=partition_leader_epoch,
    )  # fmt: skip


def snapshot_header(last_contained_log_timestamp: int, *, timestamp: int | None = None, **place: int) -> bytes:
    """Return the batch that a KRaft snapshot begins with.

    last_contained_log_timestamp, timestamp: ms; timestamp None is now. place: base_offset, partition_leader_epoch.
    Raises EncodeError.
    """
    value = _pack(_INT16_INT64, _VERSION, last_contained_log_timestamp) + _NO_TAGS
    return _batch(ControlType.SNAPSHOT_HEADER, value, timestamp, **place)


def snapshot_footer(*, timestamp: int | None = None, **place: int) -> bytes:
    """Return the batch that a KRaft snapshot ends with; arguments as `snapshot_header`."""
    return _batch(ControlType.SNAPSHOT_FOOTER, _pack(_INT16, _VERSION) + _NO_TAGS, timestamp, **place)


def kraft_version(version: int, *, timestamp: int | None = None, **place: int) -> bytes:
    """Return the batch that says which version of KRaft a log is in; arguments as `snapshot_header`."""
    value = _pack(_INT16_INT16, _VERSION, version) + _NO_TAGS
    return _batch(ControlType.KRAFT_VERSION, value, timestamp, **place)


def kraft_voters(voters: Iterable[Voter], *, timestamp: int | None = None, **place: int) -> bytes:
    """Return the batch that lists a KRaft quorum's voters; arguments as `snapshot_header`."""
    value = _pack(_INT16, _VERSION) + _array(map(_voter, voters)) + _NO_TAGS
    return _batch(ControlType.KRAFT_VOTERS, value, timestamp, **place)


def _voter(voter: Voter) -> bytes:
    endpoints = _array(
        _string(endpoint.name) + _string(endpoint.host) + _pack(_UINT16, endpoint.port) + _NO_TAGS
        for endpoint in voter.endpoints
    )
    versions = _pack(_INT16_INT16, voter.min_supported_version, voter.max_supported_version) + _NO_TAGS
    return _pack(_INT32, voter.voter_id) + voter.directory_id.bytes + endpoints + versions + _NO_TAGS


def _batch(kind: ControlType, value: bytes, timestamp: int | None, **arguments: Any) -> bytes:
    builder = RecordBatchBuilder(is_control=True, **arguments)
    builder.append(_KEY.pack(_KEY_VERSION, kind), value, timestamp)
    return builder.build()


def _pack(numbers: Struct, *values: int) -> bytes:
    try:
        return numbers.pack(*values)
    except struct.error as error:
        raise EncodeError(f"a number does not fit its field: {error}") from error


def _array(items: Iterable[bytes]) -> bytes:
    parts = list(items)
    return encode_unsigned_varint(len(parts) + 1) + b"".join(parts)


def _string(text: str) -> bytes:
    data = text.encode()
    return encode_unsigned_varint(len(data) + 1) + data
