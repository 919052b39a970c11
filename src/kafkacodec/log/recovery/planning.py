"""From a draft that a loader has filled to what is to be done: the changes of files, and what of the log is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kafkacodec.errors import DecodeError
from kafkacodec.log.recovery.draft import Draft, Found
from kafkacodec.log.recovery.refusal import Refused
from kafkacodec.log.recovery.report import FileChange, Loss
from kafkacodec.log.recovery.snapshots import offset_of_name
from kafkacodec.log.walk import Range, walk_windows
from kafkacodec.records import read_batches

if TYPE_CHECKING:
    from kafkacodec.log.recovery.loader import Loader
    from kafkacodec.log.recovery.segments import LogPart
    from kafkacodec.log.walk import Window

__all__ = ["changes_of", "losses_of"]


def changes_of(draft: Draft, notes: dict[str, str]) -> Iterator[FileChange]:
    """Yield what happens to each file, by name."""
    renamed = {
        content.name: name
        for name, content in draft.files.items()
        if isinstance(content, Found)
        and content.name not in (name, *draft.files)
        and content == Found(content.name, 0, draft.found[content.name])
    }
    taken = set(renamed.values())
    for name in sorted({*draft.found, *draft.files}):
        before, content = draft.found.get(name), draft.files.get(name)
        after = None if content is None else content.size
        if draft.is_kept(name) or (name in taken and before is None):
            continue
        if name in renamed:
            yield FileChange(name, "rename", before, before, notes.get(name, "moved"), renamed[name])
        elif content is None or name in taken:
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
        for start, end in _uncovered(loader, name, base):
            part = loader.parts.get(base)
            last = _last_offset(part) if part is not None and part.size == start else None
            with draft.open(Found(name, 0, end)) as file:
                range_ = Range(file, start, end, base, None, True, on_corrupt="skip", last_offset=last)
                yield _loss(name, range_, _error_at(loader, name, base, start) or loader.notes.get(name, ""))


def _last_offset(part: LogPart) -> int | None:
    try:
        return part.next_offset() - 1
    except Refused:  # a compressed message that Kafka does not open where it only cuts behind it
        return None


def _error_at(loader: Loader, name: str, base: int, start: int) -> str:
    joined, cut = loader.joined.get(name), loader.cuts.get(base)
    if joined is not None and start in joined.errors:
        return str(joined.errors[start])
    if cut is None or (joined is None and start != cut.valid_bytes):
        return ""
    return "a batch reaches beyond the end of the file" if cut.error is None else str(cut.error)


def _uncovered(loader: Loader, name: str, base: int) -> Iterator[tuple[int, int]]:
    draft, joined = loader.draft, loader.joined.get(name)
    if joined is not None and base in loader.parts:
        kept = list(joined.kept)
    else:
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


def _loss(name: str, range_: Range, error: str) -> Loss:
    batches = records = 0
    first, last = None, None
    for window in walk_windows(range_):
        batches += len(window.index)
        records += _records_of(window)
        first = int(window.index.base_offset[0]) if first is None else first
        last = int(window.index.last_offset[-1])
    return Loss(name, range_.start, range_.end - range_.start, error, batches, records, first, last)


def _records_of(window: Window) -> int:
    if not window.index.is_wrapper.any():
        return int(window.index.count.clip(0).sum())
    try:
        return sum(len(batch.records()) for batch in read_batches(window.data))
    except DecodeError:
        return int(window.index.count.clip(0).sum())
