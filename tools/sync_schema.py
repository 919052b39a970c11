"""Makes the one text table of Kafka's messages, src/kafkacodec/protocol/messages.schema, from Kafka's own jars.

    python tools/sync_schema.py                       write the table
    python tools/sync_schema.py --check               fail where the table is not what the jars say
    python tools/sync_schema.py --newest 4.4.0        compare with another release, print what is new, write nothing
    python tools/sync_schema.py --newest latest       the same with the newest that Maven knows

The message definitions lie in the jars as `message/*.json` and `metadata/*.json`. The table is of NEWEST, and of OLDER
for the versions that NEWEST no longer has; every (message, version) of the table is compared with the definition that
it comes from before anything is written. Jars come from Maven's repository through `mvn`; without them the exit status
is 3.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "src" / "kafkacodec" / "protocol" / "messages.schema"
NEWEST, OLDER = "4.3.0", "3.9.1"
LATEST = "latest"
WITHOUT_JARS = 3  # the exit status, as tools/check.py knows it
MODULES = (  # in the order of the table; a release may lack some
    "kafka-clients",
    "kafka-group-coordinator",
    "kafka-share-coordinator",
    "kafka-transaction-coordinator",
    "kafka-metadata",
    "kafka-raft",
    "kafka-storage",
)
KINDS = {"coordinator-key": "key", "coordinator-value": "value", "metadata": "metadata"}
NEVER = (0, -1)
OPEN = 32767

Versions = tuple[int, int]
Definition = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One line of the table: a field, or a structure that several fields share."""

    name: str
    type: str  # "struct" for a shared structure
    versions: Versions
    nullable: Versions = NEVER
    tag: int = -1
    tagged: Versions = NEVER
    default: str | None = None  # as text
    ignorable: bool = False
    inflexible: bool = False
    rows: tuple[Row, ...] = ()

    def facts(self) -> tuple[object, ...]:
        """What must be equal for two releases to mean the same field (`ignorable` is about versions that lack it)."""
        return self.name, self.type, self.tag, self.default, self.inflexible


def parse_versions(text: str | None) -> Versions:
    if text is None or text == "none":
        return NEVER
    low, _, high = text.partition("-")
    if text.endswith("+"):
        return int(text[:-1]), OPEN
    return int(low), int(high or low)


def meet(one: Versions, other: Versions) -> Versions:
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else NEVER


def join(one: Versions, other: Versions) -> Versions | None:
    """Return the range of both, or None where there would be a gap."""
    if NEVER in (one, other):
        return other if one == NEVER else one
    if one[1] + 1 < other[0] or other[1] + 1 < one[0]:
        return None
    return min(one[0], other[0]), max(one[1], other[1])


def rows_of(fields: list[Definition], within: Versions) -> tuple[Row, ...]:
    """Return the fields that any version of `within` has; their versions cut to it."""
    rows = []
    for field in fields:
        tagged = meet(parse_versions(field.get("taggedVersions")), within)
        versions = meet(parse_versions(field.get("versions", field.get("taggedVersions"))), within)
        if versions == NEVER:
            continue
        default = field.get("default")  # null itself, unlike "null", is to Kafka's generator as good as nothing
        rows.append(
            Row(
                name=field["name"],
                type=field["type"],
                versions=versions,
                nullable=meet(parse_versions(field.get("nullableVersions")), versions),
                tag=field.get("tag", -1),
                tagged=tagged,
                default=None if default is None else str(default).lower(),
                ignorable=bool(field.get("ignorable", False)),
                inflexible=field.get("flexibleVersions") == "none",
                rows=rows_of(field.get("fields", []), versions),
            )
        )
    return tuple(rows)


@dataclass(frozen=True)
class Message:
    """One definition, as one or two releases have it."""

    name: str
    kind: str
    api_key: int
    versions: Versions
    flexible: Versions
    unstable: bool
    listeners: str
    rows: tuple[Row, ...]
    module: str


def message_of(definition: Definition, module: str, within: Versions) -> Message:
    versions = meet(parse_versions(definition["validVersions"]), within)
    structs = tuple(
        Row(struct["name"], "struct", meet(parse_versions(struct["versions"]), versions),
            rows=rows_of(struct["fields"], meet(parse_versions(struct["versions"]), versions)))
        for struct in definition.get("commonStructs", [])
        if meet(parse_versions(struct["versions"]), versions) != NEVER
    )  # fmt: skip
    return Message(
        name=definition["name"],
        kind=KINDS.get(definition["type"], definition["type"]),
        api_key=definition.get("apiKey", -1),
        versions=versions,
        flexible=meet(parse_versions(definition.get("flexibleVersions")), versions),
        unstable=bool(definition.get("latestVersionUnstable", False)),
        listeners=",".join(definition.get("listeners", [])),
        rows=structs + rows_of(definition.get("fields", []), versions),
        module=module,
    )


def merge_rows(old: tuple[Row, ...], new: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return the rows of both in an order that keeps each one's; a field of two shapes has a row for each."""
    merged: list[Row] = []
    rest = list(old)
    for row in new:
        twin = next((number for number, other in enumerate(rest) if other.facts() == row.facts()), None)
        if twin is not None:
            other = rest[twin]
            versions = join(other.versions, row.versions)
            nullable = join(other.nullable, row.nullable)
            tagged = join(other.tagged, row.tagged)
            if versions is not None and nullable is not None and tagged is not None:
                merged += rest[:twin]
                del rest[: twin + 1]
                merged.append(
                    replace(
                        row, versions=versions, nullable=nullable, tagged=tagged, rows=merge_rows(other.rows, row.rows)
                    )
                )
                continue
        merged.append(row)
    return (*merged, *rest)


def merge(old: Message | None, new: Message | None) -> Message:
    """Return one message of the versions of both, `old` having those that `new` lacks."""
    if old is None or new is None or new.versions == NEVER:
        merged = old if new is None or new.versions == NEVER else new
        assert merged is not None
        return merged
    versions = join(old.versions, new.versions)
    flexible = join(old.flexible, new.flexible)
    assert versions is not None, new.name
    assert flexible is not None, new.name
    return replace(new, versions=versions, flexible=flexible, rows=merge_rows(old.rows, new.rows))


def written(versions: Versions, within: Versions) -> str:
    low, high = versions
    return f"{low}+" if high == within[1] and high > low else str(low) if low == high else f"{low}-{high}"


def lines_of(rows: tuple[Row, ...], within: Versions, depth: int) -> list[str]:
    lines = []
    for row in rows:
        parts = ["  " * depth + row.name, row.type, written(row.versions, within)]
        if row.nullable != NEVER:
            parts.append("nullable=" + written(row.nullable, within))
        if row.tagged != NEVER:
            parts.append(f"tag={row.tag}@{written(row.tagged, within)}")
        if row.default is not None:
            parts.append("default=" + (row.default or '""'))
        parts += ["ignorable"] * row.ignorable + ["inflexible"] * row.inflexible
        lines += [" ".join(parts), *lines_of(row.rows, within, depth + 1)]
    return lines


def header_of(message: Message) -> str:
    low, high = message.versions
    parts = [message.name, message.kind, str(message.api_key), f"{low}-{high}"]
    if message.flexible != NEVER:
        parts.append(f"flexible={written(message.flexible, message.versions)}")
    if message.listeners:
        parts.append(f"listeners={message.listeners}")
    if message.module != MODULES[0]:
        parts.append("module=" + message.module.removeprefix("kafka-"))
    parts += ["unstable"] * message.unstable
    return " ".join(parts)


HEADER = f"""\
# Kafka's messages: made by tools/sync_schema.py from the definitions in the jars of Kafka {NEWEST}, and of {OLDER}
# for the versions that it no longer has. Not to be edited.
#
# Name kind key versions [flexible=] [listeners=] [module=] [unstable]
#   Field type versions [nullable=] [tag=number@versions] [default=] [ignorable] [inflexible]
#     fields of its structure, or none where it is a shared one (of type "struct")
#
# kind: request, response, header, data; key, value (records of coordinators), metadata (of KRaft and of remote logs)
# module: whose the definition is, where not kafka-clients'; keys of records are numbered within their module
"""


def table_of(messages: list[Message]) -> str:
    lines = [HEADER.rstrip()]
    for message in messages:
        lines += ["", header_of(message), *lines_of(message.rows, message.versions, 1)]
    return "\n".join(lines) + "\n"


def cut(rows: tuple[Row, ...], version: int) -> list[tuple[object, ...]]:
    """Return what one version has of these rows, to compare definitions by."""

    def has(versions: Versions) -> bool:
        return versions[0] <= version <= versions[1]

    return [
        (row.facts(), has(row.nullable), has(row.tagged), cut(row.rows, version)) for row in rows if has(row.versions)
    ]


def definitions(release: str, folder: Path) -> dict[str, tuple[str, Definition]]:
    """Return the definitions of a release by name, with the module of each, from its jars."""
    found: dict[str, tuple[str, Definition]] = {}
    for module in MODULES:
        jar = folder / f"{module}-{release}.jar"
        if not jar.exists() and not fetch(module, release, folder):
            continue
        with zipfile.ZipFile(jar) as archive:
            for name in sorted(archive.namelist()):
                if re.fullmatch(r"(?:common/)?(?:message|metadata)/\w+\.json", name):
                    text = re.sub(r"^\s*//.*$", "", archive.read(name).decode(), flags=re.MULTILINE)
                    definition = json.loads(text)
                    found[definition["name"]] = (module, definition)
    return found | {
        name: (module, coordinators(definition, found[re.sub("Value$", "Key", name)][1]["validVersions"]))
        for name, (module, definition) in found.items()
        if module.endswith("-coordinator") and definition["type"] == "data"
    }


def coordinators(definition: Definition, versions_of_key: str) -> Definition:
    """Return a coordinator's record as 4.x defines it: up to 3.9 a key's version was the type of the record."""
    number = int(versions_of_key.partition("-")[0])
    if definition["name"].endswith("Value"):
        return {**definition, "type": "coordinator-value", "apiKey": number}
    fields = [{**field, "versions": "0"} for field in definition["fields"]]
    return {**definition, "type": "coordinator-key", "apiKey": number, "validVersions": "0", "fields": fields}


def fetch(module: str, release: str, folder: Path) -> bool:
    """Copy a jar from Maven's repository; tell whether the release has such a module."""
    try:
        done = subprocess.run(
            ["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
             f"-Dartifact=org.apache.kafka:{module}:{release}", f"-DoutputDirectory={folder}"],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        print("Maven is needed to fetch Kafka's jars", file=sys.stderr)
        sys.exit(WITHOUT_JARS)
    if done.returncode and not re.search("Could not find artifact|Unable to find/resolve artifact", done.stdout):
        print(f"mvn could not fetch {module} {release}:\n{done.stdout}{done.stderr}", file=sys.stderr)
        sys.exit(WITHOUT_JARS)
    return not done.returncode


def latest() -> str:
    """Return the newest release that Maven's repository has."""
    with tempfile.TemporaryDirectory() as folder:
        if not fetch(MODULES[0], "RELEASE", Path(folder)):
            print(f"Maven's repository has no release of {MODULES[0]}", file=sys.stderr)
            sys.exit(WITHOUT_JARS)
        (jar,) = Path(folder).glob("*.jar")
        return jar.stem.removeprefix(f"{MODULES[0]}-")


def build(newest: str, older: str, folder: Path) -> list[Message]:
    """Return all messages, each version of each compared with the definition it comes from."""
    new, old = definitions(newest, folder), definitions(older, folder)
    messages = []
    for name in [*new, *(name for name in old if name not in new)]:
        current = message_of(new[name][1], new[name][0], (0, OPEN)) if name in new else None
        before = (0, OPEN) if current is None or current.versions == NEVER else (0, current.versions[0] - 1)
        earlier = message_of(old[name][1], old[name][0], before) if name in old else None
        if earlier is not None and earlier.versions == NEVER:
            earlier = None
        message = merge(earlier, current)
        for source in (earlier, current):
            if source is not None and source.versions != NEVER:
                for version in range(source.versions[0], source.versions[1] + 1):
                    assert cut(message.rows, version) == cut(source.rows, version), (name, version)
        messages.append(message)
    order = {module: number for number, module in enumerate(MODULES)}
    kinds = ("header", "request", "response", "data", "key", "value", "metadata")
    messages.sort(
        key=lambda it: (order[it.module], it.kind not in kinds[:3], it.api_key, kinds.index(it.kind), it.name)
    )
    return messages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail where the table is not what the jars say")
    parser.add_argument(
        "--newest", default=NEWEST, metavar="RELEASE", help="compare the table with another release, or with the latest"
    )
    parser.add_argument("--jars", type=Path, help="where jars are kept (default: a temporary folder)")
    options = parser.parse_args()
    newest = latest() if options.newest == LATEST else options.newest
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.jars or Path(temporary)
        table = table_of(build(newest, OLDER, folder))
    if not options.check and options.newest == NEWEST:
        TABLE.write_text(table)
        print(f"{TABLE.relative_to(ROOT)}: {len(table.splitlines())} lines")
        return 0
    changes = list(
        difflib.unified_diff(TABLE.read_text().splitlines(), table.splitlines(), "table", "jars", n=2, lineterm="")
    )
    print("\n".join(changes) if changes else f"the table is what the jars of Kafka {newest} and {OLDER} say")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
