""".proto files compiled: by the protoc of grpcio-tools, in a folder of their own, into a pool of descriptors."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import Final

from kafkacodec.errors import ExportError
from kafkacodec.export.payload import UnusableSchema
from kafkacodec.export.schemas import Schema, SchemaFolder, SchemaStore

try:
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.descriptor_pool import DescriptorPool
    from grpc_tools import protoc
except ImportError as error:
    raise ExportError("Protobuf values need protobuf and grpcio-tools: pip install 'kafkacodec[protobuf]'") from error

__all__ = ["compile_schema"]

_OWN_NAME: Final = "kafkacodec_schema_{}.proto"
_SECONDS: Final = 60

# Confluent's own imports, which their registry has built in and lists as nobody's references
_BUILT_IN: Final = {
    "confluent/type/decimal.proto": """\
syntax = "proto3";
package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }
""",
    "confluent/meta.proto": """\
syntax = "proto3";
package confluent;
import "google/protobuf/descriptor.proto";
message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }
extend google.protobuf.FileOptions { Meta file_meta = 1088; }
extend google.protobuf.MessageOptions { Meta message_meta = 1088; }
extend google.protobuf.FieldOptions { Meta field_meta = 1088; }
extend google.protobuf.EnumOptions { Meta enum_meta = 1088; }
extend google.protobuf.EnumValueOptions { Meta enum_value_meta = 1088; }
""",
}


def compile_schema(schema: Schema, store: SchemaStore) -> tuple[DescriptorPool, str]:
    """Return a pool with a schema's file and all that it imports, and the name that its file has there.

    Raises `UnusableSchema` with protoc's words where it is broken.
    """
    name = _OWN_NAME.format(schema.id)
    with tempfile.TemporaryDirectory(prefix="kafkacodec-") as made:
        folder = Path(made, "schemas")
        for path, text in _BUILT_IN.items():
            _write(folder, path, text)
        _write(folder, name, schema.text)
        _write_references(folder, schema, store, {name})
        folders = [folder, *([store.path] if isinstance(store, SchemaFolder) else [])]
        compiled = Path(made, "compiled")
        _run(folders, compiled, name, schema)
        files = FileDescriptorSet.FromString(compiled.read_bytes())
    pool = DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool, name


def _write_references(folder: Path, schema: Schema, store: SchemaStore, seen: set[str]) -> None:
    for reference in schema.references:
        if reference.name in seen:
            continue
        seen.add(reference.name)
        found = store.referenced(reference)
        _write(folder, reference.name, found.text)
        _write_references(folder, found, store, seen)


def _write(folder: Path, name: str, text: str) -> None:
    """Write a file under the name that it is imported by, which must not lead out of the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in name:
        raise UnusableSchema(f"a schema refers to {name!r:.100}, which is no name of a file to import")
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")


def _run(folders: list[Path], compiled: Path, name: str, schema: Schema) -> None:
    own = Path(protoc.__file__).parent / "_proto"  # google/protobuf/*.proto
    includes = [f"-I{folder.resolve()}" for folder in (*folders, own)]
    command = ["-m", "grpc_tools.protoc", *includes, "--include_imports", f"--descriptor_set_out={compiled}", name]
    try:
        done = subprocess.run(
            [sys.executable, *command], capture_output=True, text=True, timeout=_SECONDS, check=False,
            stdin=subprocess.DEVNULL, errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UnusableSchema(f"schema {schema.id}: protoc took more than {_SECONDS} s") from None
    if done.returncode:
        said = " ".join(done.stderr.split())[:600] or f"protoc ended with status {done.returncode}"
        raise UnusableSchema(f"schema {schema.id} is no Protobuf schema: {said}")
