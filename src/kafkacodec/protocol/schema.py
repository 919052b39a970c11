"""The table of Kafka's messages, `messages.schema`: indexed by name and key, each entry read when it is asked for.

Annotations are not deferred here: a NamedTuple compiles those that are, which takes longer than reading the table.
"""

from functools import cache
from os import path
from typing import Any, Final, Literal, NamedTuple

__all__ = ["Field", "Kind", "Schema", "Struct", "Versions", "entries", "index", "messages", "names_of_key", "schema"]

Kind = Literal["header", "request", "response", "data", "key", "value", "metadata"]


class Versions(NamedTuple):
    """A range of versions, both ends included; empty where the last is below the first."""

    first: int
    last: int

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.first <= version <= self.last

    def __str__(self) -> str:
        return (
            "none" if self.last < self.first else str(self.first) if self.last == self.first else f"{self[0]}-{self[1]}"
        )


NEVER: Final = Versions(0, -1)
CLIENTS: Final = "clients"


class Field(NamedTuple):
    """A field as Kafka's definition has it; a name that changed its shape between versions has several."""

    name: str  # in snake case, as in Python
    kafka_name: str
    type: str  # bool, int8, ... string, bytes, records, or the name of a structure
    is_array: bool
    versions: Versions
    nullable: Versions
    tag: int  # -1 without
    tagged: Versions
    default: str | None  # as it is written in the definition
    ignorable: bool
    inflexible: bool  # lies as in old versions also where the message is flexible

    @property
    def json_name(self) -> str:
        """The name in Kafka's JSON form."""
        return self.kafka_name[0].lower() + self.kafka_name[1:]


class Struct(NamedTuple):
    """A structure of a message."""

    name: str
    fields: tuple[Field, ...]


class Schema(NamedTuple):
    """One message of Kafka: what its class is made from."""

    name: str
    kind: Kind
    api_key: int  # of requests and responses; the type of a coordinator's or metadata record; -1 without
    versions: Versions
    flexible: Versions
    listeners: tuple[str, ...]  # who answers the request: broker, controller
    module: str  # of Kafka, whose definition it is; the api_key of a record is a number within it
    unstable: bool  # the last version may change
    fields: tuple[Field, ...]
    structs: dict[str, Struct]


class Entry(NamedTuple):
    """What the index knows of a message."""

    kind: Kind
    api_key: int
    versions: Versions
    options: str
    lines: str


@cache
def entries() -> dict[str, str]:
    """Return the text of each entry by name, in the order of the table."""
    loader: Any = __spec__.loader  # reads from zip files too; pkgutil and importlib.resources take longer to import
    data: bytes = loader.get_data(path.join(path.dirname(__file__), "messages.schema"))
    return {entry[: entry.index(" ")]: entry for entry in data.decode().split("\n\n")[1:]}


def messages() -> list[str]:
    """Return the names of all messages, headers and records of internal topics included, in the table's order."""
    return list(entries())


@cache
def index() -> dict[str, Entry]:
    """Return what the head of each entry says by name, in the order of the table."""
    return {name: _entry(text) for name, text in entries().items()}


def _entry(text: str) -> Entry:
    head, _, lines = text.partition("\n")
    _, kind, key, versions, options = f"{head} ".split(" ", 4)
    first, _, last = versions.partition("-")
    return Entry(kind, int(key), Versions(int(first), int(last)), options, lines)  # type: ignore[arg-type]


@cache
def names_of_key(kind: Kind, module: str = CLIENTS) -> dict[int, str]:
    """Return the names of the messages of a kind by their key; records need the module in which keys are numbered."""
    return {
        entry.api_key: name
        for name, entry in index().items()
        if entry.kind == kind and _named(entry.options).get("module", CLIENTS) == module
    }


@cache
def schema(name: str) -> Schema:
    """Return what the table says of a message; `KeyError` where it has none of that name."""
    kind, api_key, versions, options, lines = _entry(entries()[name])
    named = _named(options)
    structs: dict[str, Struct] = {}
    fields, _ = _read(lines.splitlines(), 0, 1, versions, structs)
    return Schema(
        name,
        kind,
        api_key,
        versions,
        _versions(named.get("flexible"), versions),
        tuple(named["listeners"].split(",")) if "listeners" in named else (),
        named.get("module", CLIENTS),
        "unstable" in named,
        fields,
        structs,
    )


def _named(options: str) -> dict[str, str]:
    return dict(option.partition("=")[::2] for option in options.split())


def _read(
    lines: list[str], at: int, depth: int, within: Versions, structs: dict[str, Struct]
) -> tuple[tuple[Field, ...], int]:
    """Return the fields at `depth` from line `at` on and the line behind them; structures go into `structs`."""
    fields = []
    indent = "  " * depth
    while at < len(lines) and lines[at].startswith(indent):
        kafka_name, kind, versions, *options = lines[at].split()
        named = dict(option.partition("=")[::2] for option in options)
        inner, at = _read(lines, at + 1, depth + 1, within, structs)
        element = kind.removeprefix("[]")
        if kind == "struct":
            structs[kafka_name] = Struct(kafka_name, inner)
            continue
        if inner:
            structs[element] = Struct(element, inner)
        tag, _, tagged = named.get("tag", "-1@").partition("@")
        fields.append(
            Field(
                snake_case(kafka_name),
                kafka_name,
                element,
                element != kind,
                _versions(versions, within),
                _versions(named.get("nullable"), within),
                int(tag),
                _versions(tagged, within),
                named.get("default"),
                "ignorable" in named,
                "inflexible" in named,
            )
        )
    return tuple(fields), at


def _versions(text: str | None, within: Versions) -> Versions:
    if not text:
        return NEVER
    first, _, last = text.rstrip("+").partition("-")
    return Versions(int(first), within.last if text.endswith("+") else int(last or first))


def snake_case(name: str) -> str:
    """Return the name as Kafka itself writes it in snake case: KRaftVersion is kraft_version (MessageGenerator)."""
    out = []
    after_capital = True
    for letter in name:
        if letter.isupper() and not after_capital:
            out.append("_")
        after_capital = letter.isupper()
        out.append(letter.lower())
    return "".join(out)
