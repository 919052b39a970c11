"""Opening a partition for appending: what a clean shutdown has left is read, anything else is recovered first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kafkacodec.errors import Corrupt
from kafkacodec.log.checkpoints import LEADER_EPOCHS, encode_epochs
from kafkacodec.log.epochs import LeaderEpochs
from kafkacodec.log.files import replace_file
from kafkacodec.log.partition import PartitionLog
from kafkacodec.log.producer_states import ProducerStates
from kafkacodec.log.writing.repair import repair
from kafkacodec.log.writing.segment import ActiveSegment
from kafkacodec.log.writing.snapshots import Snapshots
from kafkacodec.log.writing.writer import WriterState

if TYPE_CHECKING:
    from kafkacodec.log.writing.settings import TopicSettings

__all__ = ["open_partition"]


def open_partition(
    directory: Path,
    topic: str,
    partition: int,
    settings: TopicSettings,
    *,
    log_start_offset: int,
    recovery_point: int,
    is_clean: bool,
    now: int,
) -> WriterState:
    """Return the state that a partition is in; one without segments begins at `log_start_offset`.

    recovery_point: what lies below needs no recovery. Raises `Corrupt` where it cannot be recovered, OSError.
    """
    log = PartitionLog(directory, topic=topic, partition=partition, log_start_offset=log_start_offset)
    is_whole = not log.segments() or (is_clean and _is_whole(log))
    if not is_whole:
        repair(directory, log_start_offset, recovery_point, now)
        log = PartitionLog(directory, topic=topic, partition=partition, log_start_offset=log_start_offset)
    if not log.segments():
        return _created(directory, settings, log_start_offset, now)
    epochs = LeaderEpochs(log.leader_epochs)
    end = log.log_end_offset
    shortened = epochs.truncate_from_end(end)
    if epochs.truncate_from_start(log_start_offset) or shortened:
        replace_file(directory / LEADER_EPOCHS, encode_epochs(epochs.entries))
    snapshots = Snapshots(directory)
    if is_whole:  # a recovery has done so before it took its own
        snapshots.remove_strays([segment.base_offset for segment in log.segments()])
    states = snapshots.load(log.segments(), log.log_start_offset, end, now, settings)
    last = log.segments()[-1]
    if last.offset_index is None or last.time_index is None:
        raise Corrupt("indexes of the last segment cannot be read", file=str(last.location))
    segment = ActiveSegment.resume(directory, last.base_offset, settings, now, last.offset_index, last.time_index)
    first = log.segments()[0].base_offset
    return WriterState(segment, first, log.log_start_offset, end, epochs, states, snapshots.last)


def _created(directory: Path, settings: TopicSettings, base_offset: int, now: int) -> WriterState:
    """Return the state of a partition that begins, with an empty segment."""
    segment = ActiveSegment.create(directory, base_offset, settings, now)
    snapshots, states = Snapshots(directory), ProducerStates(base_offset)
    snapshots.take(states)
    return WriterState(segment, base_offset, base_offset, base_offset, LeaderEpochs(), states, snapshots.last)


def _is_whole(log: PartitionLog) -> bool:
    """Tell whether the last segment is as a clean shutdown leaves it, and no compaction was cut short."""
    last = log.segments()[-1]
    return (
        not any(segment.files.suffix for segment in log.segments())
        and last.valid_end[0] == last.size
        and "index" in last.files.sizes
        and "timeindex" in last.files.sizes
        and last.offset_index is not None
        and last.time_index is not None
    )
