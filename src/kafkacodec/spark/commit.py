"""How a run of an export becomes part of its target: all of it or nothing, whenever the driver dies.

    _kafkacodec/manifest.json        what the target holds: the state before a run or after it
    _kafkacodec/pending.json         the manifest to come, while files are being moved
    _kafkacodec/staging/<run id>/    what the tasks wrote, by the paths that it will have in the target
    _kafkacodec/quarantine/          copies of corrupt bytes
    _kafkacodec/lock                 one export at a time (local targets)

1. Tasks write to staging. A run that dies here leaves files that the next run removes.
2. The driver writes pending.json: the run counts from here on. If it dies later, the next run finishes it.
3. Files are moved to their places.
4. pending.json becomes manifest.json, in one step.

Spark and pyarrow ignore `_kafkacodec`. Between 2 and 4 a plain reader of the Parquet files may see some of
the run's; who cannot have that reads the files that the manifest lists. On object stores, which cannot rename,
a move is a copy and 4 writes one object: the manifest is the commit there too.
"""

from __future__ import annotations

from typing import Final

from kafkacodec.errors import ExportError
from kafkacodec.spark.manifest import Manifest
from kafkacodec.spark.target import Target

__all__ = ["LOCK", "MANIFEST", "QUARANTINE", "STAGING", "commit", "load", "recover"]

_STATE: Final = "_kafkacodec"
MANIFEST: Final = f"{_STATE}/manifest.json"
PENDING: Final = f"{_STATE}/pending.json"
STAGING: Final = f"{_STATE}/staging"
QUARANTINE: Final = f"{_STATE}/quarantine"
LOCK: Final = f"{_STATE}/lock"


def load(target: Target) -> Manifest | None:
    """Return the manifest of the last committed run, None if there was none."""
    return _read(target, MANIFEST)


def recover(target: Target) -> Manifest | None:
    """Finish a run that was decided but not finished, remove what others left, and return the manifest.

    Raises ExportError where Parquet files lie in the target without a manifest: it could not be told which.
    """
    manifest, pending = load(target), _read(target, PENDING)
    if pending is not None:
        if manifest is not None and manifest.run_id == pending.run_id:
            target.remove(PENDING)
        elif all(_whereabouts(target, pending.run_id, path) for path in _added(manifest, pending)):
            _finish(target, manifest, pending)
            manifest = pending
        else:  # staged files are gone: the run cannot be finished, so it never was
            for path in _added(manifest, pending):
                target.remove(path)
            target.remove(PENDING)
    target.remove(STAGING)
    if manifest is None and any(name.startswith("topic=") for name in target.names()):
        raise ExportError(
            f"{target.url} holds data but no {MANIFEST}: export to an empty folder, "
            "or bring the manifest back that belongs to it"
        )
    return manifest


def commit(target: Target, before: Manifest | None, after: Manifest) -> None:
    """Make what lies in staging part of the target; raises ExportError if another run got in between."""
    now = load(target)
    if (now and now.run_id) != (before and before.run_id):
        raise ExportError(f"another export has changed {target.url} since this one began: run this one again")
    target.write(PENDING, after.to_json().encode())
    _finish(target, before, after)
    target.remove(STAGING)


def _finish(target: Target, before: Manifest | None, after: Manifest) -> None:
    added = _added(before, after)
    for path in added:
        if _whereabouts(target, after.run_id, path) == "staged":
            target.move(f"{STAGING}/{after.run_id}/{path}", path)
    target.settle(added)
    target.move(PENDING, MANIFEST)
    target.settle([MANIFEST])


def _added(before: Manifest | None, after: Manifest) -> list[str]:
    """Return the paths of the files that a run brings."""
    known = {file.path for file in before.files} if before else set()
    return sorted({file.path for file in after.files} - known)


def _whereabouts(target: Target, run_id: str, path: str) -> str | None:
    """Return `staged` or `placed`, None if the file is nowhere."""
    if target.size(f"{STAGING}/{run_id}/{path}") is not None:
        return "staged"
    return "placed" if target.size(path) is not None else None


def _read(target: Target, path: str) -> Manifest | None:
    text = target.read(path)
    return None if text is None else Manifest.from_json(text, target.locate(path))
