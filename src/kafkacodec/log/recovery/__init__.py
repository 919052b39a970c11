"""Recovery after a crash as a broker does it at its start: planned whole on a draft, told, backed up, then done."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

from kafkacodec.log.arguments import check_offsets
from kafkacodec.log.checkpoints import Checkpoints
from kafkacodec.log.lock import locked
from kafkacodec.log.names import DirectoryName, parse_directory_name, parse_file_name
from kafkacodec.log.recovery.applying import apply, apply_swaps, back_up
from kafkacodec.log.recovery.draft import Draft
from kafkacodec.log.recovery.loader import Loader
from kafkacodec.log.recovery.planning import changes_of, losses_of
from kafkacodec.log.recovery.refusal import OffsetDisorder, Overflow, Refused
from kafkacodec.log.recovery.report import PartitionRecovery, RecoveryReport
from kafkacodec.log.storage import Located, Location, PathLike

__all__ = ["recover", "recover_held", "recover_segment"]

_THREADS: Final = min(os.cpu_count() or 1, 8)
_UNNAMED: Final = DirectoryName("", 0)

Backup = bool | PathLike
Keep = Literal["kafka", "valid"]
OnBytes = Callable[[int], None]


def recover(
    path: PathLike | Location | Located,
    dry_run: bool = False,
    *,
    recovery_point: int | None = None,
    log_start_offset: int | None = None,
    now: int | None = None,
    backup: Backup = True,
    keep: Keep = "kafka",
    on_bytes: OnBytes | None = None,
) -> RecoveryReport:
    """Bring a partition, or all partitions of a log directory, to what Kafka 4.3 makes of it after an unclean shutdown.

    Logs are cut at the first invalid batch and later segments deleted, from the recovery point on; indexes, the leader
    epoch checkpoint and producer snapshots are built anew where they do not fit (LogLoader.load, LogSegment.recover).
    dry_run: plan all, change nothing. recovery_point, log_start_offset: those of the checkpoints in the log directory
    by default, else 0. now: the time (ms) by which idle producers have expired, the clock's by default. backup: what is
    changed, deleted or cut off is kept first in a directory `<log directory>.recovery-<time>` beside the log directory,
    or in the one given; False keeps nothing. keep: "kafka" cuts where Kafka does, with all that is whole behind the
    damage; "valid" takes only the damage out, so that the log has a hole there, and builds anew a leader epoch
    checkpoint or transaction index that Kafka would refuse. on_bytes: told of bytes of log that were checked, by
    several threads.

    A partition that Kafka itself would refuse to load is left as it is, and `refused` says why. Of a log directory one
    partition that cannot be read or written does not keep others from being recovered: its `failed` says why. Only one
    process may write to a log directory: raises `LogLocked` while a broker runs on it; OSError, ValueError for what is
    not local.
    """
    if keep not in ("kafka", "valid"):
        raise ValueError(f"keep must be 'kafka' or 'valid', not {keep!r}")
    check_offsets(recovery_point=recovery_point, log_start_offset=log_start_offset, now=now)
    started = time.monotonic()
    place = _local(path)
    directories = list(_partitions_of(place))
    parent = place if directories != [place] else _parent_of(place)
    task = _Task(
        parent, recovery_point, log_start_offset, int(time.time() * 1000) if now is None else now,
        on_bytes or (lambda _: None), None if dry_run else _backup_place(parent, backup), dry_run, keep,
    )  # fmt: skip
    work = task.recover if directories == [place] else task.recover_or_tell
    with _held(parent, dry_run), ThreadPoolExecutor(min(len(directories), _THREADS) or 1) as threads:
        partitions = tuple(threads.map(work, directories))
    return RecoveryReport(str(place), dry_run, partitions, task.kept, time.monotonic() - started)


def recover_held(directory: Path, *, recovery_point: int, log_start_offset: int, now: int) -> PartitionRecovery:
    """Recover one partition, without a backup, for who holds the lock of its log directory; raises OSError."""
    task = _Task(_parent_of(directory), recovery_point, log_start_offset, now, lambda _: None, None, dry_run=False)
    return task.recover(directory)


def recover_segment(
    path: PathLike | Location | Located,
    dry_run: bool = False,
    *,
    backup: Backup = True,
    on_bytes: OnBytes | None = None,
) -> RecoveryReport:
    """Recover one segment, given by its .log file, alone: LogSegment.recover.

    The log is cut at the first invalid batch, its indexes are built anew. Producers are those of the snapshot at the
    segment's base offset, if there is one; epochs and snapshots are left alone. Raises as `recover`.
    """
    started = time.monotonic()
    place = _local(path)
    name = parse_file_name(place.name)
    if name is None or (name.kind, name.suffix) != ("log", ""):
        raise ValueError(f"{place.name} is not the name of a segment's log")
    directory = place.parent
    parent = _parent_of(directory)
    task = _Task(
        parent, 0, 0, 0, on_bytes or (lambda _: None), None if dry_run else _backup_place(parent, backup), dry_run
    )
    with _held(parent, dry_run):
        partition = task.recover_segment(directory, name.base_offset)
    return RecoveryReport(str(place), dry_run, (partition,), task.kept, time.monotonic() - started)


@contextmanager
def _held(log_directory: Path, dry_run: bool) -> Iterator[None]:
    if dry_run:
        yield
        return
    with locked(log_directory):
        yield


class _Task:
    """One call: what all of its partitions have in common."""

    def __init__(
        self,
        log_directory: Path,
        recovery_point: int | None,
        log_start_offset: int | None,
        now: int,
        on_bytes: OnBytes,
        backup: Path | None,
        dry_run: bool,
        keep: Keep = "kafka",
    ) -> None:
        self.checkpoints = Checkpoints(Location(str(log_directory)))
        self.recovery_point = recovery_point
        self.log_start_offset = log_start_offset
        self.now = now
        self.on_bytes = on_bytes
        self.backup = backup
        self.dry_run = dry_run
        self.keep = keep
        self._has_backup = False
        _ = self.checkpoints.recovery_points, self.checkpoints.log_start_offsets  # read once, before threads ask

    @property
    def kept(self) -> str | None:
        """Where what was there before is, None where nothing had to be kept."""
        return str(self.backup) if self._has_backup else None

    def recover_or_tell(self, directory: Path) -> PartitionRecovery:
        """Do as `recover`, but tell what the operating system refuses."""
        try:
            return self.recover(directory)
        except OSError as error:
            name = parse_directory_name(_name_of(directory)) or _UNNAMED
            return replace(_report(directory, name), failed=f"{error.filename or directory}: {error.strerror or error}")

    def recover(self, directory: Path) -> PartitionRecovery:
        """Plan one partition, and do what was planned, unless it is a dry run."""
        name = parse_directory_name(_name_of(directory)) or _UNNAMED
        with closing(Draft.of(Location(str(directory)))) as draft:
            loader = self._loader(draft, name)
            report = _report(directory, name)
            try:
                loaded = loader.load(is_deleted=name.state == "delete")
            except Refused as refusal:
                return replace(report, refused=str(refusal))
            report = self._told(loader, replace(
                report, log_start_offset=loaded.log_start_offset, recovery_point=loaded.recovery_point,
                log_end_offset=loaded.log_end_offset,
            ))  # fmt: skip
            if self.dry_run or not report.changes:
                return report
            self._back_up(draft, report)
            if not loader.has_swapped:
                apply(draft)
                return report
            apply_swaps(draft, loader.after_swaps)
        with closing(Draft.of(Location(str(directory)))) as draft:  # what was planned, from where it stands now
            try:
                self._loader(draft, name).load(is_deleted=name.state == "delete")
            except Refused as refusal:
                return replace(report, refused=str(refusal))
            apply(draft)
        return report

    def recover_segment(self, directory: Path, base_offset: int) -> PartitionRecovery:
        """Plan one segment, and do what was planned, unless it is a dry run."""
        with closing(Draft.of(Location(str(directory)))) as draft:
            loader = Loader(draft, 0, 0, self.now, self.on_bytes)
            report = _report(directory, parse_directory_name(_name_of(directory)) or _UNNAMED)
            try:
                loader.load_one(base_offset)
            except (Refused, Overflow, OffsetDisorder) as refusal:
                return replace(report, refused=str(refusal))
            report = self._told(loader, report)
            if report.changes and not self.dry_run:
                self._back_up(draft, report)
                apply(draft)
            return report

    def _loader(self, draft: Draft, name: DirectoryName) -> Loader:
        key = name.topic, name.partition
        point, start = self.recovery_point, self.log_start_offset
        point = self.checkpoints.recovery_points.get(key, 0) if point is None else point
        start = self.checkpoints.log_start_offsets.get(key, 0) if start is None else start
        return Loader(draft, start, point, self.now, self.on_bytes, keeps_valid=self.keep == "valid")

    def _told(self, loader: Loader, report: PartitionRecovery) -> PartitionRecovery:
        changes = tuple(changes_of(loader.draft, loader.notes))
        return replace(report, changes=changes, losses=tuple(losses_of(loader)))

    def _back_up(self, draft: Draft, report: PartitionRecovery) -> None:
        if self.backup is not None and any(change.size_before is not None for change in report.changes):
            self._has_backup = True
            back_up(draft, report, self.backup / Path(report.path).name)


def _report(directory: Path, name: DirectoryName) -> PartitionRecovery:
    return PartitionRecovery(str(directory), name.topic, name.partition, None, None, None)


def _partitions_of(place: Path) -> Iterator[Path]:
    """Yield the place itself if it is a partition, else the directories in it that are named as partitions are."""
    with os.scandir(place) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    if parse_directory_name(_name_of(place)) is not None or any(parse_file_name(entry.name) for entry in listed):
        yield place
        return
    for entry in listed:
        if entry.is_dir() and parse_directory_name(entry.name) is not None:
            yield place / entry.name


def _local(path: PathLike | Location | Located) -> Path:
    location = Location.of(path)
    if not location.is_local:
        raise ValueError(f"{location} is not local: only local logs are recovered")
    if not location.url:
        raise FileNotFoundError("an empty path names nothing")
    return Path(location.url)


def _name_of(place: Path) -> str:
    return Path(os.path.abspath(place)).name


def _parent_of(place: Path) -> Path:
    return Path(os.path.abspath(place)).parent


def _backup_place(log_directory: Path, backup: Backup) -> Path | None:
    """Return where to keep what is changed: never in the log directory, where brokers refuse what they do not know."""
    if backup is False:
        return None
    whole = Path(os.path.abspath(log_directory))
    if backup is not True:
        if Path(os.path.abspath(backup)).is_relative_to(whole):
            raise ValueError(f"{backup} lies in the log directory: brokers refuse what is none of their partitions")
        return Path(backup)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for number in range(1000):
        place = whole.with_name(f"{whole.name}.recovery-{stamp}{f'-{number}' if number else ''}")
        if not place.exists():
            return place
    raise FileExistsError(f"there are too many backups like {place}")
