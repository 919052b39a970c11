"""A segment that takes the place of others: its log and indexes, written beside them under the suffix .cleaned."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from kafkacodec import layout as at
from kafkacodec.errors import Corrupt
from kafkacodec.log.files import give_to_owner, write_file
from kafkacodec.log.growth import IndexGrowth
from kafkacodec.log.indexes import AbortedTxn, encode_transaction_index
from kafkacodec.log.names import FileKind, segment_file_name
from kafkacodec.records import BatchIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kafkacodec.records.sift import Sifted

__all__ = ["CLEANED", "KINDS", "Measured", "NewSegment", "Target", "modified_ms"]

CLEANED: Final = "cleaned"
KINDS: Final[tuple[FileKind, ...]] = ("log", "index", "timeindex", "txnindex")  # in the order Kafka renames them
_NS_OF_MS: Final = 1_000_000


def modified_ms(path: str | os.PathLike[str]) -> int:
    """Return when a file was last modified, in ms as Java has it."""
    return os.stat(path).st_mtime_ns // _NS_OF_MS


class Target(Protocol):
    """What sifted batches are written to; `size` is how many bytes that came to."""

    size: int

    def append(self, sifted: Sifted) -> None:
        """Write batches behind those before them."""

    def finish(self, aborted: Iterable[AbortedTxn], modified: int) -> None:
        """Write what goes with the log. modified: the time of modification that the files are to have, ms."""

    def abandon(self) -> None:
        """Leave nothing behind."""


class Measured:
    """A target that only adds up what would be written: for a dry run."""

    def __init__(self) -> None:
        self.size = 0

    def append(self, sifted: Sifted) -> None:
        """Count the bytes."""
        self.size += len(sifted.data)

    def finish(self, aborted: Iterable[AbortedTxn], modified: int) -> None:
        """Do nothing."""

    def abandon(self) -> None:
        """Do nothing."""


class NewSegment:
    """The files of a segment under the suffix .cleaned, which a broker that finds them throws away.

    Files of that name that are left from before are written over. Raises OSError.
    """

    def __init__(self, directory: str, base_offset: int, interval_bytes: int, max_index_bytes: int) -> None:
        self.directory = directory
        self.base_offset = base_offset
        self.size = 0
        self._growth = IndexGrowth(base_offset, interval_bytes, max_index_bytes)
        for kind in KINDS:
            self._path(kind).unlink(missing_ok=True)
        self._log = self._path("log").open("wb", buffering=0)
        give_to_owner(self._path("log"), self._path("log"))

    def _path(self, kind: FileKind) -> Path:
        return Path(self.directory, segment_file_name(self.base_offset, kind, CLEANED))

    def append(self, sifted: Sifted) -> None:
        """Write batches; raises `Corrupt` where an offset is too far from the segment's base for its indexes."""
        if not len(sifted.index):
            return
        facts = sifted.index.facts.copy()
        facts[:, at.POSITION] += self.size
        index = BatchIndex(facts)
        lowest, highest = int(np.min(index.last_offset)), int(np.max(index.last_offset))
        for offset in (lowest, highest):
            if not self._growth.fits(offset):
                raise Corrupt("offset is too far from its segment's base offset", offset=offset, found=offset)
        data = sifted.data
        while len(data):
            data = data[self._log.write(data) :]
        self.size += len(sifted.data)
        self._growth.add(index)

    def finish(self, aborted: Iterable[AbortedTxn], modified: int) -> None:
        """Write the indexes, flush all to disk, and set the time of modification as Kafka does: not the txnindex's."""
        os.fsync(self._log.fileno())
        self._log.close()
        self._growth.close()
        write_file(self._path("index"), self._growth.offset_index())
        write_file(self._path("timeindex"), self._growth.time_index())
        entries = encode_transaction_index(aborted)
        if entries:
            write_file(self._path("txnindex"), entries)
        for kind in ("log", "index", "timeindex"):
            path = self._path(kind)
            os.utime(path, ns=(path.stat().st_atime_ns, modified * _NS_OF_MS))

    def abandon(self) -> None:
        """Close and delete the files."""
        self._log.close()
        for kind in KINDS:
            self._path(kind).unlink(missing_ok=True)
