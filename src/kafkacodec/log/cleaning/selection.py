"""Which records a redaction is about: by key, by a key's beginning or pattern, by header, time, or a function."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kafkacodec import layout as at
from kafkacodec._accel import offsetmap
from kafkacodec.log.arguments import check_offsets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kafkacodec._pure.objects import Record
    from kafkacodec.records import RecordColumns

__all__ = ["Selection"]

_SECRET_BYTES: Final = 16
_SLOT_NUMBERS: Final = 3
_ROOM: Final = 2  # slots per key


@dataclass(frozen=True, slots=True)
class Selection:
    """Records for which all hold that are given; at least one must be.

    keys: any of them. key_prefix: how the key begins. key_pattern: a regular expression found in the key. header: a
    name, and a value, or None for any. start_timestamp, end_timestamp: ms, the end exclusive. predicate: called with
    each `Record` that the others leave. Raises TypeError or ValueError for what is none of these.
    """

    keys: Collection[bytes] | None = None
    key_prefix: bytes | None = None
    key_pattern: bytes | None = None
    header: tuple[str, bytes | None] | None = None
    start_timestamp: int | None = None
    end_timestamp: int | None = None
    predicate: Callable[[Record], bool] | None = None
    _wanted: frozenset[bytes] = field(default=frozenset(), init=False, repr=False)
    _table: Any = field(default=None, init=False, repr=False, compare=False)
    _secret: bytes = field(default=b"", init=False, repr=False, compare=False)
    _pattern: re.Pattern[bytes] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if all(getattr(self, name) is None for name in _CRITERIA):
            raise ValueError(f"nothing says which records: give one of {', '.join(_CRITERIA)}")
        keys = (
            None if self.keys is None or isinstance(self.keys, bytes | str) else list(self.keys)
        )  # an iterator's, once
        if self.keys is not None and (keys is None or not all(isinstance(key, bytes) for key in keys)):
            raise TypeError("keys must be a collection of bytes")
        for name in ("key_prefix", "key_pattern"):
            if not isinstance(getattr(self, name), bytes | None):
                raise TypeError(f"{name} must be bytes, not {type(getattr(self, name)).__name__}")
        if self.key_pattern is not None:
            try:
                object.__setattr__(self, "_pattern", re.compile(self.key_pattern, re.DOTALL))
            except re.error as error:
                raise ValueError(f"key_pattern is no regular expression: {error}") from error
        if keys is not None:
            self._hash_keys(frozenset(keys))
        check_offsets(start_timestamp=self.start_timestamp, end_timestamp=self.end_timestamp)
        if self.header is not None and not _is_header(self.header):
            raise TypeError(f"header must be a name, a str, and a value, bytes or None, not {self.header!r:.60}")
        if self.predicate is not None and not callable(self.predicate):
            raise TypeError(f"predicate must be callable, not {type(self.predicate).__name__}")

    def _hash_keys(self, keys: frozenset[bytes]) -> None:
        ordered = sorted(keys)
        data = np.zeros((at.COLUMNS_HEIGHT, len(ordered)), np.int64)
        data[at.KEY_LENGTH] = [len(key) for key in ordered]
        data[at.KEY_START] = np.cumsum(data[at.KEY_LENGTH]) - data[at.KEY_LENGTH]
        table, secret = (
            np.zeros((len(ordered) * _ROOM + 1) * _SLOT_NUMBERS, np.uint64),
            secrets.token_bytes(_SECRET_BYTES),
        )
        offsetmap.put_keys(b"".join(ordered), b"", data, table, secret, 0, len(ordered) + 1, 0)
        for name, value in (("_wanted", keys), ("_table", table), ("_secret", secret)):
            object.__setattr__(self, name, value)

    def matches(self, columns: RecordColumns) -> NDArray[np.bool_]:
        """Tell which records are meant."""
        found = np.ones(len(columns), np.bool_)
        if self.start_timestamp is not None:
            found &= columns.timestamp >= self.start_timestamp
        if self.end_timestamp is not None:
            found &= columns.timestamp < self.end_timestamp
        if self.keys is not None:
            found &= self._may_have_keys(columns)
        rows = np.flatnonzero(found)
        if len(rows) and not (self._by_numbers and self.keys is None):
            found[rows] = self._looked_at(columns.take(rows))
        return found

    @property
    def _by_numbers(self) -> bool:
        """Whether times alone tell."""
        return self.key_prefix is None and self._pattern is None and self.header is None and self.predicate is None

    def _may_have_keys(self, columns: RecordColumns) -> NDArray[np.bool_]:
        hits = np.empty(len(columns), np.int64)
        offsetmap.find_keys(columns.source, columns.inflated, columns.data, self._table, self._secret, hits)
        return hits >= 0

    def _looked_at(self, columns: RecordColumns) -> list[bool]:
        found = [self._has_key(key) and self._has_header(headers) for _, _, key, _, headers in columns.tuples()]
        if self.predicate is not None and any(found):
            records = columns.rows()
            found = [known and bool(self.predicate(one)) for known, one in zip(found, records, strict=True)]
        return found

    def _has_key(self, key: bytes | None) -> bool:
        if self.keys is not None and key not in self._wanted:
            return False
        if self.key_prefix is not None and (key is None or not key.startswith(self.key_prefix)):
            return False
        return self._pattern is None or (key is not None and self._pattern.search(key) is not None)

    def _has_header(self, headers: tuple[tuple[str, bytes | None], ...]) -> bool:
        if self.header is None:
            return True
        name, value = self.header
        return any(own == name and (value is None or held == value) for own, held in headers)


def _is_header(header: object) -> bool:
    return (
        isinstance(header, tuple | list)
        and len(header) == 2
        and isinstance(header[0], str)
        and isinstance(header[1], bytes | None)
    )


_CRITERIA: Final = (
    "keys", "key_prefix", "key_pattern", "header", "start_timestamp", "end_timestamp", "predicate",
)  # fmt: skip
