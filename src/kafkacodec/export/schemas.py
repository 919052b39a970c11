"""Schemas by the ids that values name, and the folder that they may lie in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol, get_args

from kafkacodec.errors import ExportError

__all__ = ["Reference", "Schema", "SchemaFolder", "SchemaMissing", "SchemaStore", "schema_of_answer"]

SchemaKind = Literal["AVRO", "PROTOBUF", "JSON"]

_KIND_OF_SUFFIX: Final[dict[str, SchemaKind]] = {".avsc": "AVRO", ".proto": "PROTOBUF", ".json": "JSON"}
_MAX_ID: Final = 2**31


class SchemaMissing(ExportError):
    """There is no schema of an id: the value that names it cannot be decoded, but others may."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a schema's text takes from another one: by the name that it has there, from a version of a subject."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True, slots=True)
class Schema:
    """A schema as a registry has it."""

    id: int
    kind: SchemaKind
    text: str
    references: tuple[Reference, ...] = ()


class SchemaStore(Protocol):
    """Where schemas are looked up."""

    def get(self, schema_id: int) -> Schema:
        """Return a schema; raises `SchemaMissing` where there is none, `ExportError` where that cannot be told."""

    def referenced(self, reference: Reference) -> Schema:
        """Return the schema that another one refers to; raises as `get`."""


class SchemaFolder:
    """A folder of schemas: <id>.avsc, <id>.proto, <id>.json, or answers of a registry saved anywhere in it as .json.

    An answer to `GET /schemas/ids/<id>` is <id>.json; one to `GET /subjects/<subject>/versions/<version>` has its id,
    subject and version in it, and may have any name. What an .avsc or .proto refers to lies in the folder too: a
    .proto under the path that is imported, an Avro schema as the answer of a subject.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise ExportError(f"{path} is not a folder of schemas, nor the URL of a registry")
        self._schemas: dict[int, Schema] = {}
        self._subjects: dict[tuple[str, int], Schema] = {}
        for file in sorted(self.path.rglob("*")):
            if file.suffix in _KIND_OF_SUFFIX and file.is_file():
                self._take(file)

    def __repr__(self) -> str:
        return f"<SchemaFolder {self.path}>"

    def __str__(self) -> str:
        return str(self.path)

    def get(self, schema_id: int) -> Schema:
        """Return a schema; raises `SchemaMissing`."""
        try:
            return self._schemas[schema_id]
        except KeyError:
            known = ", ".join(map(str, sorted(self._schemas)[:10])) or "none"
            raise SchemaMissing(f"there is no schema {schema_id} in {self.path} (there are: {known})") from None

    def referenced(self, reference: Reference) -> Schema:
        """Return the schema that another one refers to; raises `SchemaMissing`."""
        try:
            return self._subjects[reference.subject, reference.version]
        except KeyError:
            place = f"version {reference.version} of subject {reference.subject}"
            raise SchemaMissing(f"{self.path} lacks {place}, which is referred to as {reference.name}") from None

    def _take(self, file: Path) -> None:
        named = int(file.stem) if file.stem.isdecimal() and len(file.stem) <= 10 else None
        if file.suffix != ".json":
            if named is not None and file.parent == self.path:
                self._add(Schema(named, _KIND_OF_SUFFIX[file.suffix], _text_of(file)), file)
            return
        text = _text_of(file)
        answer = _answer_in(text, file, must=named is not None)
        if answer is None:
            if named is not None and file.parent == self.path:
                self._add(Schema(named, "JSON", text), file)
            return
        given = answer.get("id", named)
        schema = schema_of_answer(answer, given if isinstance(given, int) else -1, str(file))
        if given is not None:
            self._add(schema, file)
        if isinstance(answer.get("subject"), str) and isinstance(answer.get("version"), int):
            self._subjects[answer["subject"], answer["version"]] = schema

    def _add(self, schema: Schema, file: Path) -> None:
        if not 0 <= schema.id < _MAX_ID:
            raise ExportError(f"{file}: {schema.id} is no id of a schema")
        before = self._schemas.setdefault(schema.id, schema)
        if before != schema:
            raise ExportError(f"{file}: {self.path} has another schema {schema.id}")


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError:
        raise ExportError(f"{file} is not UTF-8") from None
    except OSError as error:
        raise ExportError(f"{file}: {error.strerror}") from None


def _answer_in(text: str, file: Path, *, must: bool) -> dict[str, Any] | None:
    """Return a registry's answer, None for what is none, such as a JSON schema itself."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not must:
            return None
        raise ExportError(f"{file} is not JSON: {error}") from None
    return found if isinstance(found, dict) and isinstance(found.get("schema"), str) else None


def schema_of_answer(answer: object, schema_id: int, where: str) -> Schema:
    """Return the schema in a registry's answer; `where` is for the `ExportError` that says it is none."""
    try:
        if not isinstance(answer, dict):
            raise TypeError("not an object")
        kind: Any = answer.get("schemaType") or "AVRO"  # which a registry leaves out
        if kind not in get_args(SchemaKind) or not isinstance(answer["schema"], str):
            raise ValueError(f"schemaType {kind}")
        return Schema(schema_id, kind, answer["schema"], tuple(_references(answer)))
    except (KeyError, TypeError, ValueError) as error:
        raise ExportError(f"{where} is not what a schema registry answers: {error}") from None


def _references(answer: dict[str, Any]) -> Iterator[Reference]:
    for one in answer.get("references") or ():
        yield Reference(str(one["name"]), str(one["subject"]), int(one["version"]))
