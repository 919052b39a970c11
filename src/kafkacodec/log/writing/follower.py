"""One append of a follower: batches stay as they are, and are appended together or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import AppendRefused
from kafkacodec.log.writing.appended import Appended
from kafkacodec.log.writing.leader import RECORD_LIST_TOO_LARGE
from kafkacodec.log.writing.markers import read_marker
from kafkacodec.log.writing.producers import ProducerBatch
from kafkacodec.records import BatchIndex, scan
from kafkacodec.records.scan import first_bad

if TYPE_CHECKING:
    from kafkacodec.log.writing.writer import PartitionWriter

__all__ = ["FollowerAppend"]

UNKNOWN_SERVER_ERROR: Final = -1  # what Kafka has no error code of its own for
_INT32_MAX: Final = 2**31 - 1


class FollowerAppend:
    """The batches of one call (UnifiedLog.appendAsFollower); leader_epoch: those of a higher one are left out."""

    def __init__(self, log: PartitionWriter, source: memoryview, leader_epoch: int | None, now: int) -> None:
        self._log = log
        self._source = source
        self._now = now
        self._headers = self._wanted(scan(source).index, leader_epoch)

    def _wanted(self, headers: BatchIndex, leader_epoch: int | None) -> BatchIndex:
        if leader_epoch is None:
            return headers
        higher = np.flatnonzero(headers.partition_leader_epoch > leader_epoch)
        return headers[: int(higher[0])] if len(higher) else headers

    def run(self) -> Appended:
        """Append all batches; return the answer."""
        headers, log = self._headers, self._log
        if not len(headers):
            return Appended(-1, -1, at.NO_TIMESTAMP, 0)
        self._check()
        self._assign_epochs()
        size = int(headers.position[-1] + headers.size_in_bytes[-1])
        if size > log.settings.segment_bytes:
            raise AppendRefused(
                f"{size} bytes of batches are more than segment_bytes, {log.settings.segment_bytes}",
                error_code=RECORD_LIST_TOO_LARGE,
            )
        first_is_old = bool(headers.magic[0] < at.MAGIC_V2)
        first, last = int(headers.base_offset[0]), int(headers.last_offset[-1])
        timestamp = max(int(headers.max_timestamp.max()), at.NO_TIMESTAMP)
        if log.segment.is_unsettled:
            log.segment.settle()
        batches = self._producer_batches()
        if log.segment.should_roll(size, timestamp, last, self._now):
            # The first offset of an old format is known inside of the message alone: no further below than this
            expected = max(last - _INT32_MAX if first_is_old else first, log.log_end_offset)
            if last - expected > _INT32_MAX:
                raise AppendRefused(
                    f"offsets {expected} to {last} do not fit into one segment", error_code=UNKNOWN_SERVER_ERROR
                )
            if expected > log.log_end_offset:  # a segment beyond the log's end must not be left empty
                log.ledger.check_replicated(batches)
            log.roll(expected)
        log.ledger.check_replicated(batches)
        self._write(size, batches, last)
        return Appended(-1 if first_is_old else first, last, at.NO_TIMESTAMP, len(headers))

    def _check(self) -> None:
        """Refuse offsets that do not rise or are below the log's end, and batches whose CRC does not hold.

        Kafka looks at the last offset of each batch; here batches may not overlap either.
        """
        headers, log = self._headers, self._log
        lasts = headers.last_offset
        bad = first_bad(self._source, headers)
        falls = np.flatnonzero(headers.lowest_offset[1:] <= lasts[:-1])
        number = int(falls[0]) + 1 if len(falls) else len(headers)
        if bad is not None and bad[0] <= number:
            raise bad[1]
        if len(falls):
            raise AppendRefused(
                f"offset {headers.lowest_offset[number]} does not follow {lasts[number - 1]}",
                error_code=UNKNOWN_SERVER_ERROR, batch=number,
            )  # fmt: skip
        is_old = bool(headers.magic[0] < at.MAGIC_V2)
        first = int(lasts[0] if is_old else headers.base_offset[0])
        if first < log.log_end_offset:
            raise AppendRefused(
                f"offset {first} is below the next one, {log.log_end_offset}", error_code=UNKNOWN_SERVER_ERROR
            )
        without = np.flatnonzero((headers.magic >= at.MAGIC_V2) & (headers.partition_leader_epoch < 0))
        if len(without):
            raise AppendRefused("batch has no leader epoch", error_code=UNKNOWN_SERVER_ERROR, batch=int(without[0]))

    def _assign_epochs(self) -> None:
        """Note the epochs that begin here; a message of an old format makes all forgotten."""
        headers, log = self._headers, self._log
        epochs = np.where(headers.magic >= at.MAGIC_V2, headers.partition_leader_epoch, -1)
        for row in np.flatnonzero(np.diff(epochs, prepend=epochs[0] - 1)).tolist():
            if epochs[row] >= 0:
                log.assign_epoch(int(epochs[row]), int(headers.base_offset[row]))
            elif log.epochs.entries:
                log.epochs.clear()
                log.write_epochs()

    def _producer_batches(self) -> list[ProducerBatch]:
        headers = self._headers
        batches = []
        for number in np.flatnonzero((headers.producer_id > at.NO_PRODUCER_ID) & (headers.magic >= at.MAGIC_V2)):
            fact = headers.facts[number].tolist()
            is_control = bool(fact[at.ATTRIBUTES] & at.CONTROL_MASK)
            data = self._source[fact[at.POSITION] : fact[at.POSITION] + fact[at.SIZE]]
            marker = read_marker(data, int(number)) if is_control else None
            base, last = fact[at.BASE_OFFSET], fact[at.BASE_OFFSET] + fact[at.LAST_OFFSET_DELTA]
            batches.append(
                ProducerBatch(
                    fact[at.PRODUCER_ID], fact[at.PRODUCER_EPOCH], fact[at.BASE_SEQUENCE], base, last,
                    fact[at.MAX_TIMESTAMP], bool(fact[at.ATTRIBUTES] & at.TRANSACTIONAL_MASK), is_control, marker,
                    int(number),
                )
            )  # fmt: skip
        return batches

    def _write(self, size: int, batches: list[ProducerBatch], last: int) -> None:
        log, segment, facts = self._log, self._log.segment, self._headers.facts.copy()
        position = segment.end
        segment.reserve(size, int(facts[0, at.MAX_TIMESTAMP]))
        segment.write(self._source[:size])
        facts[:, at.POSITION] += position
        segment.note(facts)
        log.ledger.expect(batch.producer_id for batch in batches)
        for batch in batches:
            log.ledger.add(batch)
        aborted = log.ledger.end_append(last + 1)
        if aborted:
            segment.add_aborted(aborted)
        log.log_end_offset = last + 1
