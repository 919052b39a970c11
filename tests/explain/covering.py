"""What every explanation must hold: the spans cover the bytes, the tree nests, values are those of the decoder."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

CORPUS = Path(__file__).parent.parent / "corpus"


def golden_messages():
    """Yield (message class, version, bytes): each version as the newest Kafka that has it wrote it."""
    from kafkacodec.protocol import message_class

    newest = set()
    for release in ("4.3.0", "3.9.1"):
        with gzip.open(CORPUS / "messages" / f"golden-{release}.jsonl.gz", "rt") as lines:
            for line in lines:
                case = json.loads(line)
                which = case["name"], case["version"]
                if release == "4.3.0":
                    newest.add(which)
                elif which in newest:
                    continue
                yield message_class(case["name"]), case["version"], bytes.fromhex(case["hex"])


def check_covering(explanation):
    """Hold an explanation to its promise: each byte in one leaf, children side by side in their parents."""
    place = 0
    for span in explanation.spans:
        assert span.start == place, span
        assert span.end > span.start or span.type == "break", span
        place = span.end
    assert place == len(explanation.data)
    for _, _, node in explanation.walk():
        place = node.start
        for child in node.children or ():
            assert child.start == place, (node, child)
            place = child.end
        if node.children is not None:
            assert place == node.end, node
    for part in explanation.parts:
        check_covering(part)


def value_of(node, field_class=None):
    """Return what the tree says of a field, in the form that messages have it."""
    if node.note == "null":
        return None
    if node.type == "array":
        return [value_of(child) for child in node.children if isinstance(child.name, int)]
    if node.type in ("struct", "message"):
        return {child.name: value_of(child) for child in node.children if not is_framing(child)}
    return node.value


def is_framing(node):
    return node.name == "presence" or (isinstance(node.name, str) and node.name.startswith("tagged_fields"))


def fields_of(structure):
    """Return a decoded structure in the same form, all of its fields."""
    if isinstance(structure, list):
        return [fields_of(one) for one in structure]
    if hasattr(structure, "_defaults"):
        return {name: fields_of(getattr(structure, name)) for name in structure._defaults}
    return bytes(structure) if isinstance(structure, memoryview) else structure


def assert_told(told, decoded, path=""):
    """Hold what the tree says against what the decoder says; a field that is not in the bytes is not in the tree."""
    if isinstance(told, dict):
        assert told.keys() <= decoded.keys(), path
        for name, value in told.items():
            assert_told(value, decoded[name], f"{path}.{name}")
    elif isinstance(told, list):
        assert len(told) == len(decoded), path
        for number, (one, other) in enumerate(zip(told, decoded, strict=True)):
            assert_told(one, other, f"{path}[{number}]")
    else:
        assert told == decoded or (told != told and decoded != decoded), path
        assert type(told) is type(decoded), path
