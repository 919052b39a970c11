"""Options as a user gave them: looked up whatever their case, checked, refused by name (ValueError)."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from typing import Final

__all__ = ["Given", "PartitionId", "either"]

PartitionId = tuple[str, int]

# The first five as in Spark's Kafka source (KafkaSourceProvider.validateGeneralOptions)
_REFUSED: Final = {
    "kafka.auto.offset.reset": "use startingOffsets",
    "kafka.key.deserializer": "keys are read as bytes; decode them with DataFrame operations",
    "kafka.value.deserializer": "values are read as bytes; decode them with DataFrame operations",
    "kafka.enable.auto.commit": "no offsets are committed",
    "kafka.interceptor.classes": "records reach you as Kafka wrote them",
    "maxoffsetspertrigger": "it limits a stream, and this source reads a batch; use endingOffsets",
    "minoffsetspertrigger": "it limits a stream, and this source reads a batch",
    "maxtriggerdelay": "it limits a stream, and this source reads a batch",
    "groupidprefix": "no consumer group is used",
}
_SIZE: Final = re.compile(r"(\d{1,15})\s*(?:([kmgt])i?b?|b)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Given:
    """The options given to `source`, which takes `known`; any other is an error that names the nearest."""

    def __init__(self, source: str, options: Mapping[str, str], known: tuple[str, ...]) -> None:
        self._values = {name.lower(): value.strip() for name, value in options.items()}
        names = {name.lower(): name for name in known}
        for name in options:
            lower = name.lower()
            if lower in names:
                continue
            if lower in _REFUSED:
                raise ValueError(f"{source} does not take the option {name}: {_REFUSED[lower]}")
            if lower.startswith("kafka."):
                raise ValueError(f"{source} reads files, not a broker: the option {name} has no meaning here")
            near = difflib.get_close_matches(lower, names, n=1)
            hint = f"did you mean {names[near[0]]}?" if near else f"it takes {', '.join(known)}"
            raise ValueError(f"{source} does not know the option {name}: {hint}")

    def text(self, name: str) -> str | None:
        """Return an option's text, or None where it was not given."""
        value = self._values.get(name.lower())
        if value == "":
            raise ValueError(f"option {name} is empty")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false."""
        value = self.text(name)
        if value is None:
            return default
        if value.lower() not in ("true", "false"):
            raise ValueError(f"option {name} must be true or false, not {value!r}")
        return value.lower() == "true"

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """Return one of `choices`, of which the first is the default."""
        value = self.text(name)
        if value is None:
            return choices[0]
        if value.lower() not in choices:
            raise ValueError(f"option {name} must be {either(choices)}, not {value!r}")
        return value.lower()

    def number(self, name: str, least: int) -> int | None:
        """Return a whole number of at least `least`."""
        value = self.text(name)
        if value is None:
            return None
        if not re.fullmatch(r"-?\d{1,18}", value) or int(value) < least:
            raise ValueError(f"option {name} must be a whole number of at least {least}, not {value!r}")
        return int(value)

    def size(self, name: str, default: int) -> int:
        """Return a number of bytes; k, m, g and t are powers of 1024, as in Spark's settings."""
        value = self.text(name)
        if value is None:
            return default
        match = _SIZE.fullmatch(value)
        if match is None or int(match[1]) == 0:
            raise ValueError(f"option {name} must be bytes above 0, such as 1048576 or 64m, not {value!r}")
        return int(match[1]) * _UNITS[(match[2] or "").lower()]

    def names(self, name: str) -> tuple[str, ...] | None:
        """Return the names of a comma list, each given once."""
        value = self.text(name)
        if value is None:
            return None
        parts = tuple(part.strip() for part in value.split(","))
        for part in parts:
            if not part:
                raise ValueError(f"option {name} has an empty name in {value!r}")
            if parts.count(part) > 1:
                raise ValueError(f"option {name} names {part} twice")
        return parts

    def columns(self, known: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the columns asked for, in the order asked for, spelled as in `known`."""
        parts = self.names("columns")
        if parts is None:
            return None
        names = {column.lower(): column for column in known}
        for part in parts:
            if part.lower() not in names:
                raise ValueError(f"option columns: there is no column {part}, only {', '.join(known)}")
        found = tuple(names[part.lower()] for part in parts)
        if len(set(found)) < len(found):
            raise ValueError(f"option columns names a column twice: {', '.join(parts)}")
        return found

    def paths(self) -> tuple[str, ...]:
        """Return what was given to load(): one path, or several, which Spark hands over as a JSON list."""
        path, paths = self.text("path"), self.text("paths")
        if paths is not None:
            found = json.loads(paths)
            if not isinstance(found, list) or not found or not all(isinstance(p, str) and p for p in found):
                raise ValueError(f"option paths must be a JSON list of paths, not {paths!r}")
            return tuple(found)
        if path is None:
            raise ValueError("load() needs the path or URL of a Kafka log directory")
        return (path,)

    def json(self, name: str) -> dict[str, object]:
        """Return a JSON object by topic; an empty one where the option was not given."""
        value = self.text(name)
        if value is None:
            return {}
        try:
            found = json.loads(value)
        except ValueError as error:
            raise ValueError(f"option {name} is not JSON: {error}: {value!r}") from None
        if not isinstance(found, dict):
            raise ValueError(f"option {name} must be a JSON object by topic, not {value!r}")
        return found

    def per_partition(self, name: str, least: int) -> dict[PartitionId, int]:
        """Return {(topic, partition): number} of JSON such as {"orders": {"0": 23, "1": -2}}."""
        found: dict[PartitionId, int] = {}
        for topic, partitions in self.json(name).items():
            if not isinstance(partitions, dict):
                example = '{"0": 23}'
                raise ValueError(f"option {name}: {topic} must map to {example} or alike, not {partitions!r}")
            for partition, number in partitions.items():
                if not re.fullmatch(r"\d{1,10}", partition):
                    raise ValueError(f"option {name}: {partition!r} is not a partition of {topic}")
                if type(number) is not int or number < least:
                    where = f"option {name}: {topic}-{partition}"
                    raise ValueError(f"{where} must be a whole number of at least {least}, not {number!r}")
                found[topic, int(partition)] = number
        return found


def either(choices: tuple[str, ...]) -> str:
    """Return `a, b or c`."""
    return f"{', '.join(choices[:-1])} or {choices[-1]}"
