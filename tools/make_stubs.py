"""Makes src/kafkacodec/protocol/messages.pyi from messages.schema: every message and every field, for editors and mypy.

python tools/make_stubs.py            write it
python tools/make_stubs.py --check    fail where it is not what the table says
"""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from kafkacodec.protocol.schema import Field, Schema, Versions, index, schema  # noqa: E402

STUBS = ROOT / "src" / "kafkacodec" / "protocol" / "messages.pyi"

HEADER = '''\
"""Every message by Kafka's name: made by tools/make_stubs.py from messages.schema, not to be edited.

What stands behind a field: the versions that have it, and those in which it may be None.
"""

from typing import ClassVar
from uuid import UUID

from kafkacodec.protocol.message import Message, Structure
'''
TYPES = {
    "bool": "bool",
    "int8": "int",
    "int16": "int",
    "uint16": "int",
    "int32": "int",
    "uint32": "int",
    "int64": "int",
    "float64": "float",
    "uuid": "UUID",
    "string": "str",
    "bytes": "bytes",
    "records": "memoryview | bytes | None",  # None in Python also where no version can be null: it is the default
}
KINDS = {
    "header": "A header",
    "request": "A request of API {key}",
    "response": "A response of API {key}",
    "data": "Data",
    "key": "The key of a coordinator's record of type {key}",
    "value": "The value of a coordinator's record of type {key}",
    "metadata": "A record of the metadata log, of type {key}",
}


def type_of(message: str, shapes: list[Field]) -> str:
    """Return the type of a field that has several shapes if it changed between versions."""
    parts: list[str] = []
    for field in shapes:
        element = TYPES.get(field.type, f"{message}.{field.type}")
        parts += [f"list[{element}]"] if field.is_array else element.split(" | ")
        if field.nullable != Versions(0, -1) or field.default == "null":
            parts.append("None")
    return " | ".join(sorted(dict.fromkeys(parts), key=lambda part: part == "None"))


def default_of(field: Field) -> str:
    """Return the default as Python has it; an ellipsis for what is made anew each time, and for uuids."""
    if field.default == "null" or (field.type == "records" and not field.is_array):
        return "None"
    if field.is_array or field.type not in TYPES or field.type == "uuid":
        return "..."
    if field.type in ("string", "bytes"):
        return ("b" if field.type == "bytes" else "") + (
            f'"{field.default}"' if field.default not in (None, '""') else '""'
        )
    if field.type == "bool":
        return str(field.default == "true")
    return str(int(field.default, 0)) if field.default else "0.0" if field.type == "float64" else "0"


def spoken(versions: Versions, last: int) -> str:
    return f"{versions.first}+" if versions.last == last > versions.first else str(versions)


def remark(shapes: list[Field], last: int) -> str:
    """Return the comment behind a field: its versions where not all of the message have it, and nullable ones."""
    said = []
    for field in shapes:
        tagged = field.tagged.last >= field.tagged.first
        words = spoken(field.versions, last) + (f" tag {field.tag}" if tagged else "")
        if field.nullable.last >= field.nullable.first:
            words += f", null {spoken(field.nullable, last)}"
        said.append(words)
    return "; ".join(said)


def body(message: str, fields: tuple[Field, ...], last: int, indent: str) -> list[str]:
    """Return the fields of a structure, and its constructor."""
    shapes: dict[str, list[Field]] = {}
    for field in fields:
        shapes.setdefault(field.name, []).append(field)
    types = {name: type_of(message, of_name) for name, of_name in shapes.items()}
    lines = [f"{indent}{name}: {types[name]}  # {remark(of_name, last)}" for name, of_name in shapes.items()]
    return [
        *lines,
        f"{indent}def __init__(",
        f"{indent}    self,",
        f"{indent}    *,",
        *(f"{indent}    {name}: {types[name]} = {default_of(of_name[0])}," for name, of_name in shapes.items()),
        f"{indent}    unknown_tagged_fields: list[tuple[int, bytes]] = ...,",
        f"{indent}) -> None: ...",
    ]


def stub(message: Schema) -> list[str]:
    """Return the class of a message, with those of its structures inside."""
    last = message.versions.last
    said = f"{KINDS[message.kind].format(key=message.api_key)}, versions {message.versions}"
    said += f", flexible {message.flexible}" if str(message.flexible) != "none" else ""
    said += f"; answered by: {', '.join(message.listeners)}" if message.listeners else ""
    lines = [f"class {message.name}(Message):", f'    """{said}."""', ""]
    lines.append(f"    api_key: ClassVar[int] = {message.api_key}")
    for struct in message.structs.values():
        lines += ["", f"    class {struct.name}(Structure):", *body(message.name, struct.fields, last, " " * 8)]
    return [*lines, "", *body(message.name, message.fields, last, " " * 4)]


def stubs() -> str:
    """Return the file as it should be."""
    blocks = [HEADER.rstrip("\n")]
    blocks += ["\n".join(stub(schema(name))) for name in index()]
    return "\n\n".join(blocks) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail where the file is not what the table says")
    options = parser.parse_args()
    wanted = stubs()
    if not options.check:
        STUBS.write_text(wanted)
        print(f"{STUBS.relative_to(ROOT)}: {len(wanted.splitlines())} lines")
        return 0
    found = STUBS.read_text() if STUBS.exists() else ""
    changes = list(difflib.unified_diff(found.splitlines(), wanted.splitlines(), "file", "table", n=2, lineterm=""))
    print("\n".join(changes) if changes else "the stubs are what the table says")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
