"""Every message in every version as Kafka's own classes wrote it (tests/corpus/messages)."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus" / "messages"
RELEASES = ("4.3.0", "3.9.1")  # the older one counts only where the newer has no such version


@cache
def golden() -> dict[str, list[dict[str, Any]]]:
    """Return the lines of each message by name."""
    lines: dict[str, list[dict[str, Any]]] = defaultdict(list)
    known: set[tuple[str, int]] = set()
    for release in RELEASES:
        with gzip.open(CORPUS / f"golden-{release}.jsonl.gz", "rt") as file:
            found = [line for line in map(json.loads, file) if (line["name"], line["version"]) not in known]
        for line in found:
            lines[line["name"]].append(line)
        known |= {(line["name"], line["version"]) for line in found}
    return lines
