"""Numbers with names, of which a peer may send more than we know: enums that an unknown number is no error for."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar

__all__ = ["squeeze", "unnamed"]

E = TypeVar("E", bound=IntEnum)


def unnamed(cls: type[E], value: object, prefix: str) -> E | None:
    """Return a member of `cls` for a number that has no name, as its `_missing_` does; None for what is no number.

    It is equal to the number, and to any other made for it, but not the same object.
    """
    if not isinstance(value, int):
        return None
    member = int.__new__(cls, value)
    member._name_ = f"{prefix}{int(value)}"
    member._value_ = int(value)
    return member


def squeeze(name: str, suffixes: tuple[str, ...]) -> str:
    """Return what a name has in common with other spellings of it, in capitals and underscores or in camel case.

    suffixes: words that do not count at the end, in lower case.
    """
    squeezed = name.replace("_", "").lower()
    for suffix in suffixes:
        squeezed = squeezed.removesuffix(suffix)
    return squeezed
