"""An explanation as data for other programs. The form is stable: names are added to it, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafkacodec.explain.shown import json_value

if TYPE_CHECKING:
    from kafkacodec.errors import DecodeError
    from kafkacodec.explain.tree import Explanation, Node

__all__ = ["FORMAT", "to_json"]

FORMAT: Final = 1


def to_json(explanation: Explanation) -> dict[str, Any]:
    """Return the form: `spans` are the leaves, `tree` what holds them, each {start, end, path, type, value}.

    `note` is there where something is to be said, `part` where `parts` has what was inflated from the bytes.
    """
    return {"format": FORMAT, **_form(explanation)}


def _form(explanation: Explanation) -> dict[str, Any]:
    numbers = {id(part): number for number, part in enumerate(explanation.parts)}
    spans, tree = [], []
    for depth, path, node in explanation.walk():
        form = _node(path, node, numbers)
        if node.children is None:
            spans.append(form)
        elif depth:
            tree.append(form)
    return {
        "what": explanation.what,
        "title": explanation.title,
        "size": explanation.size,
        "ok": explanation.ok,
        "error": None if explanation.error is None else _error(explanation.error),
        "errors": [_error(error) for error in explanation.errors],
        "spans": spans,
        "tree": tree,
        "parts": [_form(part) for part in explanation.parts],
    }


def _node(path: str, node: Node, numbers: dict[int, int]) -> dict[str, Any]:
    form = {
        "start": node.start, "end": node.end, "path": path, "type": node.type, "value": json_value(node.value),
    }  # fmt: skip
    if node.note is not None:
        form["note"] = node.note
    if node.part is not None:
        form["part"] = numbers[id(node.part)]
    return form


def _error(error: DecodeError) -> dict[str, Any]:
    return {
        "class": type(error).__name__,
        "message": str(error),
        "position": error.position,
        "path": error.path,
        "expected": None if error.expected is None else str(error.expected),
        "found": None if error.found is None else str(error.found),
    }
