"""From a draft that a loader has filled to what is to be done: the changes of files, and what of the log is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkacodec.errors import DecodeError
from kafkacodec.log.recovery.draft import Draft, Found
from kafkacodec.log.recovery.report import FileChange, Loss
from kafkacodec.log.recovery.snapshots import offset_of_name
from kafkacodec.log.walk import Range, walk_windows
from kafkacodec.records import read_batches

if TYPE_CHECKING:
    from kafkacodec.log.recovery.loader import Loader
    from kafkacodec.log.walk import Window

__all__ = ["changes_of", "losses_of"]


def changes_of(draft: Draft, notes: dict[str, str]) -> Iterator[FileChange]:
    """Yield what happens to each file, by name."""
    renamed = {
        content.name: name
        for name, content in draft.files.items()
        if isinstance(content, Found) and content.name != name and content.name not in draft.files
        and content == Found(content.name, 0, draft.found[content.name])
    }  # fmt: skip
    for name in sorted({*draft.found, *draft.files}):
        before, content = draft.found.get(name), draft.files.get(name)
        after = None if content is None else content.size
        if draft.is_kept(name) or name in renamed.values():
            continue
        if name in renamed:
            yield FileChange(name, "rename", before, before, notes.get(name, "moved"), renamed[name])
        elif content is None:
            yield FileChange(name, "delete", before, None, notes.get(name, _why_deleted(name)))
        elif before is None:
            yield FileChange(name, "create", None, after, notes.get(name, "missing"))
        elif isinstance(content, Found) and content.name == name and not content.start:
            yield FileChange(name, "truncate", before, after, notes.get(name, _why_shorter(name)))
        else:
            yield FileChange(name, "rewrite", before, after, notes.get(name, "built anew from the log"))


def _why_deleted(name: str) -> str:
    if name.endswith(".snapshot"):
        return "a producer snapshot of no segment, or one that does not fit the log or cannot be read"
    return "goes with its segment"


def _why_shorter(name: str) -> str:
    return "cut at the first invalid batch" if name.endswith(".log") else "holds more than the log"


def losses_of(loader: Loader) -> Iterator[Loss]:
    """Yield the stretches of logs that nothing of the draft holds any more, with what is whole in them."""
    draft = loader.draft
    for name in sorted(draft.found):
        if not name.endswith(".log") or name in loader.superseded:
            continue
        base = offset_of_name(name) or 0
        cut = loader.cuts.get(base)
        for start, end in _uncovered(draft, name):
            error = ""
            if cut is not None and cut.error is not None and start <= (cut.error.position or cut.valid_bytes) < end:
                error = str(cut.error)
            elif cut is not None and start == cut.valid_bytes:
                error = "a batch reaches beyond the end of the file" if cut.error is None else str(cut.error)
            yield _loss(draft, name, base, start, end, error or loader.notes.get(name, ""))


def _uncovered(draft: Draft, name: str) -> Iterator[tuple[int, int]]:
    kept = sorted(
        (content.start, content.end)
        for target, content in draft.files.items()
        if isinstance(content, Found) and content.name == name and target.endswith(".log")
    )
    position = 0
    for start, end in [*kept, (draft.found[name], draft.found[name])]:
        if start > position:
            yield position, start
        position = max(position, end)


def _loss(draft: Draft, name: str, base: int, start: int, end: int, error: str) -> Loss:
    batches = records = 0
    first, last = None, None
    with draft.open(name) as file:
        for window in walk_windows(Range(file, start, end, base, None, True, on_corrupt="skip")):
            batches += len(window.index)
            records += _records_of(window)
            first = int(window.index.base_offset[0]) if first is None else first
            last = int(window.index.last_offset[-1])
    return Loss(name, start, end - start, error, batches, records, first, last)


def _records_of(window: Window) -> int:
    if not window.index.is_wrapper.any():
        return int(window.index.count.clip(0).sum())
    try:
        return sum(len(batch.records()) for batch in read_batches(window.data))
    except DecodeError:
        return int(window.index.count.clip(0).sum())
