"""Doing what a draft says: a backup first, then files changed in an order that a kill at any point leaves recoverable.

What decides how a log is loaded goes last: a recovery that was interrupted and is done again comes to the same end.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final

from kafkacodec.log.files import give_to_owner, sync_directory, sync_file, write_file
from kafkacodec.log.recovery.draft import STAGED, Content, Draft, Found
from kafkacodec.log.recovery.report import PartitionRecovery
from kafkacodec.log.recovery.snapshots import offset_of_name

__all__ = ["MANIFEST", "apply", "apply_swaps", "back_up"]

MANIFEST: Final = "recovery.json"
_BLOCK: Final = 2**20
_OF_SEGMENTS: Final = (".log", ".txnindex", ".timeindex", ".index")  # in the order in which they are written
_NO_LINKS: Final = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES)


def back_up(draft: Draft, report: PartitionRecovery, backup: Path) -> None:
    """Keep what is going to be changed, deleted or cut off in a directory of its own, flushed to disk.

    A file that is replaced or deleted is kept under its name, by a hard link where that can be; of one that is cut,
    the part behind the cut, as `<name>.from-<position>`. MANIFEST tells what is what.
    """
    source = Path(draft.directory.url)
    backup.mkdir(parents=True)
    found = [content for content in draft.files.values() if isinstance(content, Found)]
    moved = {content.name for content in found if content == Found(content.name, 0, draft.found[content.name])}
    for name, size in sorted(draft.found.items()):
        content = draft.files.get(name)
        if isinstance(content, Found) and content.name == name and not content.start:
            if content.end < size:
                _keep_tail(source / name, backup / f"{name}.from-{content.end}", content.end)
        elif name not in moved:
            _keep(source / name, backup / name)
    write_file(backup / MANIFEST, json.dumps(asdict(report), indent=1).encode())
    for place in (backup, backup.parent, backup.parent.parent):
        sync_directory(place)


def _keep(source: Path, target: Path) -> None:
    source = source.resolve()  # a link to a symbolic link would lead elsewhere from there
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copy2(source, target)
    sync_file(target)


def _keep_tail(source: Path, target: Path, position: int) -> None:
    """Copy what lies behind a position; blocks of zeros, of which preallocated indexes are full, become holes."""
    with source.open("rb") as file, target.open("wb") as kept:
        file.seek(position)
        while block := file.read(_BLOCK):
            if block.count(0) == len(block):
                kept.seek(len(block), os.SEEK_CUR)
            else:
                kept.write(block)
        kept.truncate()
        kept.flush()
        os.fsync(kept.fileno())


def apply_swaps(draft: Draft, files: dict[str, Content]) -> None:
    """Finish or undo deletions, compactions and splits that were cut short, as the first three passes of Kafka do.

    files: what the directory holds behind them. Temporary files go first, then what the swap files replace, and only
    then these take their places.
    """
    step = _Steps(draft, files)
    gone = [name for name in draft.found if files.get(name) != Found(name, 0, draft.found[name])]
    moved = [name for name in gone if any(_is_of(content, name) for content in files.values())]
    for suffixes in ((".deleted",), (".swap",), (".cleaned",), ("",)):
        for name in sorted(gone):
            if name not in moved and name.endswith(suffixes):
                step.delete(name)
    step.sync()
    for name, content in files.items():
        if not isinstance(content, Found):  # an index that Kafka makes, though it is left empty
            step.write(name)
    step.sync()
    for name in sorted(moved, key=_writing_order):  # logs first: without one, its indexes' swap files just follow
        target = next(target for target, content in files.items() if _is_of(content, name))
        step.rename(name, target)
    step.sync()


def _is_of(content: Content, name: str) -> bool:
    return isinstance(content, Found) and content.name == name


def apply(draft: Draft) -> None:
    """Change the directory into what the draft says, which has no swap files any more. Raises OSError.

    (1) Leader epochs and snapshots; (2) parts of a split segment are written as .cleaned files, renamed to .swap from
    the last to the first, and put in its place when it is gone, as Kafka splits; (3) segments go, the last first and
    the log of each before its indexes; (4) logs are cut; (5) indexes are written, an .index last, since one that is
    missing has its segment recovered.
    """
    step = _Steps(draft, draft.files)
    gone = sorted((name for name in draft.found if name not in draft.files), key=_deletion_order)
    changed = sorted((name for name in draft.files if not draft.is_kept(name)), key=_writing_order)
    beside = [name for name in changed if not name.endswith(_OF_SEGMENTS)]
    for name in beside:
        step.write(name)
    step.delete_all(name for name in gone if not name.endswith(_OF_SEGMENTS))
    _split(step, gone)
    step.delete_all(gone)
    for name in changed:
        content = draft.files[name]
        if name.endswith(".log") and _is_of(content, name) and content.size < draft.found.get(name, 0):
            step.truncate(name)
    for name in changed:
        step.write(name)
    step.sync()


def _split(step: _Steps, gone: list[str]) -> None:
    logs = [name for name, content in step.draft.files.items() if name.endswith(".log") and _is_part(name, content)]
    if not logs:
        return
    made = [
        name.removesuffix(".log") + kind
        for name in sorted(logs, reverse=True)
        for kind in (".log", ".index", ".timeindex")
    ]
    for name in made:
        step.copy(name, f"{name}.cleaned")
    step.sync()
    for name in made:
        step.rename(f"{name}.cleaned", f"{name}.swap")
    step.sync()
    step.delete_all(name for name in gone if name.endswith(".log"))
    for name in reversed(made):
        step.rename(f"{name}.swap", name)
    step.sync()


def _is_part(name: str, content: Content) -> bool:
    """Tell whether a log is made of a part of another one, or of its own behind the start."""
    return isinstance(content, Found) and (content.name != name or content.start > 0)


def _deletion_order(name: str) -> tuple[int, bool, str]:
    return -(offset_of_name(name) or 0), not name.endswith(".log"), name


def _writing_order(name: str) -> tuple[int, str]:
    whole = name.removesuffix(".swap")
    return next((n for n, kind in enumerate(_OF_SEGMENTS) if whole.endswith(kind)), len(_OF_SEGMENTS)), name


class _Steps:
    """The single steps, on disk; what was put in its place once is not written again."""

    def __init__(self, draft: Draft, files: dict[str, Content]) -> None:
        self.draft = draft
        self.files = files
        self.directory = Path(draft.directory.url)
        self._placed: set[str] = set()
        self._is_dirty = False

    def sync(self) -> None:
        """Flush what was renamed, made and deleted since the last time."""
        if self._is_dirty:
            sync_directory(self.directory)
            self._is_dirty = False

    def delete(self, name: str) -> None:
        (self.directory / name).unlink(missing_ok=True)
        self._is_dirty = True

    def delete_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.delete(name)
        self.sync()

    def rename(self, name: str, target: str) -> None:
        os.replace(self.directory / name, self.directory / target)
        self._placed.add(target)
        self._is_dirty = True

    def truncate(self, name: str) -> None:
        with (self.directory / name).open("r+b") as file:
            file.truncate(self.files[name].size)
            os.fsync(file.fileno())
        self._placed.add(name)

    def copy(self, name: str, target: str) -> None:
        """Write what a file will hold under another name; it belongs to whom the file belonged that it replaces."""
        with (self.directory / target).open("wb") as file:
            for block in self.draft.blocks(self.files[name]):
                file.write(block)
            give_to_owner(self.directory / target, self.directory / name)
            file.flush()
            os.fsync(file.fileno())
        self._is_dirty = True

    def write(self, name: str) -> None:
        """Put a file in its place, at once."""
        if name not in self._placed:
            self.copy(name, name + STAGED)
            self.rename(name + STAGED, name)
