"""What is done to a partition that was not closed: the one place that asks for its recovery."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kafkacodec import layout as at
from kafkacodec.log.checkpoints import LEADER_EPOCHS, encode_epochs, read_epochs
from kafkacodec.log.epochs import LeaderEpochs
from kafkacodec.log.files import replace_file, sync_directory, sync_file, write_file
from kafkacodec.log.growth import IndexGrowth
from kafkacodec.log.indexes import encode_transaction_index
from kafkacodec.log.storage import Location
from kafkacodec.log.writing.snapshots import Snapshots
from kafkacodec.records import scan

if TYPE_CHECKING:
    from kafkacodec.log.producer_states import ProducerStates
    from kafkacodec.log.segment import Segment
    from kafkacodec.log.writing.settings import TopicSettings
    from kafkacodec.records import BatchIndex

__all__ = ["repair"]


def repair(
    directory: Path,
    segments: Sequence[Segment],
    settings: TopicSettings,
    log_start_offset: int,
    recovery_point: int,
    now: int,
) -> None:
    """Truncate behind the last valid batch and rebuild what goes with it, from the recovery point on.

    Raises `Corrupt`, OSError.
    """
    number = max(
        (n for n, one in enumerate(segments) if one.base_offset <= recovery_point), default=0
    )  # it may be inside of this one
    checkpoint = Location.of(directory).child(LEADER_EPOCHS)
    epochs = LeaderEpochs(read_epochs(checkpoint) if (directory / LEADER_EPOCHS).exists() else ())
    snapshots = Snapshots(directory)
    start = segments[number].base_offset
    states = snapshots.load(segments[:number], log_start_offset, start, now, settings) if number else None
    if states is None:
        for offset in snapshots.offsets:
            (directory / f"{offset:020d}.snapshot").unlink()
        snapshots = Snapshots(directory)
        from kafkacodec.log.producer_states import ProducerStates

        states = ProducerStates(start)
    damaged = False
    for segment in segments[number:]:
        if damaged:
            _delete(segment)
            continue
        states.end_offset = max(states.end_offset, segment.base_offset)
        snapshots.take(states)
        damaged = _repair_segment(directory, segment, settings, states, epochs)
    for offset in [one for one in Snapshots(directory).offsets if one > states.end_offset]:
        (directory / f"{offset:020d}.snapshot").unlink()
    snapshots.take(states)
    epochs.truncate_from_end(states.end_offset)
    replace_file(directory / LEADER_EPOCHS, encode_epochs(epochs.entries))
    sync_directory(directory)


def _repair_segment(
    directory: Path, segment: Segment, settings: TopicSettings, states: ProducerStates, epochs: LeaderEpochs
) -> bool:
    """Rebuild a segment's indexes and take its batches in; return whether it had to be truncated."""
    path = directory / f"{segment.base_offset:020d}.log"
    with segment.open() as file:
        found = scan(file.map(), on_corrupt="stop", check_crc=True)
        headers = found.index
        aborted = states.update(headers, file.read)
    if found.valid_bytes < segment.size:
        with path.open("r+b") as log:
            log.truncate(found.valid_bytes)
    sync_file(path)
    growth = IndexGrowth(segment.base_offset, settings.index_interval_bytes, settings.segment_index_bytes)
    growth.add(headers)
    growth.close()
    write_file(path.with_suffix(".index"), growth.offset_index())
    write_file(path.with_suffix(".timeindex"), growth.time_index())
    if aborted:
        write_file(path.with_suffix(".txnindex"), encode_transaction_index(aborted))
    else:
        path.with_suffix(".txnindex").unlink(missing_ok=True)
    _assign(epochs, headers)
    if len(headers):
        states.end_offset = int(headers.last_offset[-1]) + 1
    return found.valid_bytes < segment.size


def _assign(epochs: LeaderEpochs, headers: BatchIndex) -> None:
    """Note the epochs in which batches of format 2 were written."""
    known = headers[np.flatnonzero((headers.magic >= at.MAGIC_V2) & (headers.partition_leader_epoch >= 0))]
    for row in np.flatnonzero(np.diff(known.partition_leader_epoch, prepend=-1)).tolist():
        if known.partition_leader_epoch[row] > (-1 if epochs.latest is None else epochs.latest):
            epochs.assign(int(known.partition_leader_epoch[row]), int(known.base_offset[row]))


def _delete(segment: Segment) -> None:
    """Rename a segment's files as a broker does which deletes them."""
    for kind in segment.files.sizes:
        path = Path(str(segment.files.location(kind)))
        path.rename(f"{path}.deleted")
