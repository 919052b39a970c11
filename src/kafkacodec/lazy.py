"""Public names of a package that are loaded when first used (PEP 562); imports nothing of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    namespace: dict[str, Any], modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of the package whose globals are `namespace`.

    modules: public names and the modules, relative to the package, that have them. No module may have the name of a
    public function beside it: once imported it would hide that.
    """
    package = namespace["__name__"]

    def get(name: str) -> Any:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(import_module(f"{package}.{module}"), name)
        return value

    def names() -> list[str]:
        return sorted({*namespace, *modules})

    return get, names
