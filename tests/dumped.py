"""What Kafka's DumpLogSegments prints of the records of internal topics, as data."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

DECODERS = {
    "__consumer_offsets": "--offsets-decoder",
    "__transaction_state": "--transaction-log-decoder",
    "__share_group_state": "--share-group-state-decoder",
    "__cluster_metadata": "--cluster-metadata-decoder",
    "__remote_log_metadata": "--remote-log-metadata-decoder",  # prints no JSON
}
TOOL = "org.apache.kafka.tools.DumpLogSegments"

_RECORD = re.compile(
    r"\| offset: (\d+) \w+: -?\d+ keySize: -?\d+ valueSize: -?\d+"
    r" (?:sequence: -?\d+ headerKeys: \[\]|isValid: true crc: \d+)(.*)"
)
_END = re.compile(r" endTxnMarker: (\w+) coordinatorEpoch: (\d+)")
_CONTROL = re.compile(r" (\w+):? (\{.*\})")
_DELETED = "<DELETE>"


def dump(run: Callable[..., str], jars: Path, topic: str, files: Iterable[Path]) -> dict[Path, list[list[Any]]]:
    """Return what the tool says of a topic's files; `run` runs a Java program (`Parts.run`)."""
    printed = run(jars, TOOL, DECODERS[topic], "--files", ",".join(map(str, files)))
    return {Path(name): records for name, records in parse(printed).items()}


def internal_files(shop: Path) -> dict[Path, str]:
    """Return the files of a log directory that hold records of internal topics, each with its topic."""
    files = {
        path: path.parent.name.rpartition("-")[0] for path in sorted(shop.glob("__*/*.log")) if path.stat().st_size
    }
    return files | {shop / "bootstrap.checkpoint": "__cluster_metadata"}


def shop_facts(run: Callable[..., str], jars: Path, shop: Path) -> dict[str, list[list[Any]]]:
    """Return what the tool says of a log directory's internal topics, by the name of the file in it."""
    files = internal_files(shop)
    facts: dict[str, list[list[Any]]] = {}
    for topic in dict.fromkeys(files.values()):
        said = dump(run, jars, topic, [path for path, of_topic in files.items() if of_topic == topic])
        facts |= {path.relative_to(shop).as_posix(): records for path, records in said.items()}
    return facts


def parse(printed: str) -> dict[str, list[list[Any]]]:
    """Return, by file, [offset, key, value] of each record; a control record's key is its name.

    key and value are the JSON that the tool prints, None for null.
    """
    files: dict[str, list[list[Any]]] = {}
    for line in printed.splitlines():
        if line.startswith("Dumping "):
            records = files.setdefault(line.removeprefix("Dumping "), [])
        elif line.startswith("| "):
            match = _RECORD.fullmatch(line)
            assert match, line
            records.append([int(match[1]), *_said(match[2])])
    return files


def _said(text: str) -> list[Any]:
    if match := _END.fullmatch(text):
        return [match[1], {"coordinatorEpoch": int(match[2])}]
    if (match := _CONTROL.fullmatch(text)) and match[1] not in ("key", "payload"):
        return [match[1], json.loads(match[2])]
    key, text = _json(text, " key: ")
    value, text = _json(text, " payload: ")
    assert not text, text
    return [key, value]


def _json(text: str, name: str) -> tuple[Any, str]:
    """Return what stands behind a name, and the text behind that: JSON, None without or where it was deleted."""
    if not text.startswith(name):
        return None, text
    text = text.removeprefix(name)
    if text == _DELETED:
        return None, ""
    if not text.startswith("{"):  # a sentence: what was not understood
        said, payload, rest = text.partition(" payload: ")
        return said, payload + rest
    value, end = json.JSONDecoder().raw_decode(text)
    return value, text[end:]
