"""Doing what a draft says: a backup first, then files changed in an order that a kill at any point leaves recoverable.

What decides how a log is loaded goes last: an interrupted recovery, done again, comes to the same end.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Final

from kafkacodec.log.files import sync_directory, sync_file, write_file
from kafkacodec.log.recovery.draft import Content, Draft, Found
from kafkacodec.log.recovery.report import FileChange, PartitionRecovery
from kafkacodec.log.recovery.snapshots import offset_of_name

__all__ = ["MANIFEST", "apply", "back_up"]

MANIFEST: Final = "recovery.json"
_STAGED: Final = ".recovering"


def back_up(draft: Draft, report: PartitionRecovery, backup: Path) -> None:
    """Keep what is going to be changed, deleted or cut off in a directory of its own, flushed to disk.

    A file that is replaced or deleted is kept under its name, by a hard link where that can be; of a log that is cut,
    the part behind the cut, as `<name>.from-<position>`. MANIFEST tells what is what.
    """
    backup.mkdir(parents=True)
    source = Path(draft.directory.url)
    for change in report.changes:
        if change.size_before is None:
            continue
        if change.action == "truncate":
            _keep_tail(source / change.file, backup, change.size_after or 0)
        else:
            _keep(source / change.file, backup / change.file)
    write_file(backup / MANIFEST, json.dumps(_manifest(report), indent=1).encode())
    sync_directory(backup)
    sync_directory(backup.parent)


def _keep(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
            raise
        shutil.copy2(source, target)
    sync_file(target)


def _keep_tail(source: Path, backup: Path, position: int) -> None:
    with source.open("rb") as file, (backup / f"{source.name}.from-{position}").open("wb") as kept:
        file.seek(position)
        shutil.copyfileobj(file, kept, 2**20)
        kept.flush()
        os.fsync(kept.fileno())


def _manifest(report: PartitionRecovery) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(report)


def apply(draft: Draft, changes: tuple[FileChange, ...]) -> None:
    """Change the directory into what the draft says. Raises OSError.

    Steps: (1) swap files take their places as Kafka's third pass has it; (2) parts of a split segment are written as
    .cleaned files, renamed to .swap from the last to the first, and put in its place, as Kafka splits; (3) segments
    that go, the last first and the log of each before its indexes; (4) logs are cut; (5) indexes, an .index last of
    all, since a missing one has its segment recovered; (6) snapshots and leader epochs.
    """
    directory = Path(draft.directory.url)
    if not changes:
        return
    step = _Steps(draft, directory)
    _finish_swaps(step, changes)
    _split(step, changes)
    for change in sorted(changes, key=_deletion_order):
        if change.action == "delete" and not change.file.endswith(".snapshot"):
            step.delete(change.file)
    for change in changes:
        if change.action == "truncate" and change.file.endswith(".log"):
            step.truncate(change.file)
    for change in sorted(changes, key=_writing_order):
        if change.action in ("create", "rewrite", "truncate"):
            step.write(change.file)
    for change in changes:
        if change.action == "delete" and change.file.endswith(".snapshot"):
            step.delete(change.file)
    sync_directory(directory)


def _finish_swaps(step: _Steps, changes: tuple[FileChange, ...]) -> None:
    moved = [change for change in changes if change.action == "rename"]
    if not moved:
        return
    for change in sorted(changes, key=_deletion_order):
        if change.action == "delete" and not change.file.endswith(".snapshot"):
            step.delete(change.file)
    for change in moved:
        step.rename(change.file, change.renamed_to or change.file)


def _split(step: _Steps, changes: tuple[FileChange, ...]) -> None:
    made = [
        name
        for name, content in sorted(step.draft.files.items(), reverse=True)
        if name.endswith(".log") and isinstance(content, Found) and content.size and _is_part(step.draft, name, content)
    ]
    for name in made:
        step.copy(name, f"{name}.cleaned")
    for name in made:
        step.rename(f"{name}.cleaned", f"{name}.swap")
    for change in sorted(changes, key=_deletion_order):
        if made and change.action == "delete" and change.file.endswith(".log"):
            step.delete(change.file)
    for name in reversed(made):
        step.rename(f"{name}.swap", name)


def _is_part(draft: Draft, name: str, content: Content) -> bool:
    """Tell whether a log is made of a part of another, or of its own behind the start."""
    if not isinstance(content, Found):
        return False
    if content.name == name:
        return content.start > 0
    return content.start > 0 or content.end < draft.found[content.name] or content.name in draft.files


def _deletion_order(change: FileChange) -> tuple[int, bool, str]:
    return -(offset_of_name(change.file) or 0), not change.file.endswith(".log"), change.file


def _writing_order(change: FileChange) -> tuple[int, str]:
    kinds = (".log", ".txnindex", ".timeindex", ".index", ".snapshot")
    return next((n for n, kind in enumerate(kinds) if change.file.endswith(kind)), len(kinds)), change.file


class _Steps:
    """The single steps, each of which is done when it was flushed; done twice, a step changes nothing."""

    def __init__(self, draft: Draft, directory: Path) -> None:
        self.draft = draft
        self.directory = directory
        self._placed: set[str] = set()

    def delete(self, name: str) -> None:
        (self.directory / name).unlink(missing_ok=True)

    def rename(self, name: str, target: str) -> None:
        os.replace(self.directory / name, self.directory / target)
        self._placed.add(target)

    def truncate(self, name: str) -> None:
        with (self.directory / name).open("r+b") as file:
            file.truncate(self.draft.size(name))
            os.fsync(file.fileno())
        self._placed.add(name)

    def copy(self, name: str, target: str) -> None:
        """Write what a file of the draft will hold under another name."""
        path = self.directory / target
        with path.open("wb") as file:
            for block in self.draft.blocks(self.draft.files[name]):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())

    def write(self, name: str) -> None:
        """Put a file of the draft in its place, at once."""
        if name not in self._placed:
            self.copy(name, name + _STAGED)
            os.replace(self.directory / (name + _STAGED), self.directory / name)
            self._placed.add(name)
