"""Which schema the values of a file are brought into: the latest that occurs, which a look at all of them tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import numpy as np

from kafkacodec.errors import ExportError
from kafkacodec.export.convert import Converter
from kafkacodec.export.decode import SchemaDecoder, row_keys
from kafkacodec.export.options import SCHEMA_KINDS, ExportOptions
from kafkacodec.export.payload import Codec, SchemaKey
from kafkacodec.export.rows import arrow_schema, to_batch
from kafkacodec.export.schemas import SchemaMissing, SchemaStore

if TYPE_CHECKING:
    from kafkacodec.export.source import Source
    from kafkacodec.log.reading import SkippedBatch

__all__ = ["Count", "Readers", "codec_of"]

#: is told how many bytes of log were read
Count = Callable[[int], None]

_FIRST_MESSAGE: Final = (0,)


def codec_of(kind: str, store: SchemaStore) -> Codec:
    """Return what reads schemas of a kind; raises `ExportError` where its library is not installed."""
    if kind == "AVRO":
        from kafkacodec.export.avro import Avro

        return Avro(store)
    if kind == "PROTOBUF":
        from kafkacodec.export.protobuf import Protobuf

        return Protobuf(store)
    from kafkacodec.export.jsonschema import JsonSchemas

    return JsonSchemas(store)


class Readers:
    """Makes the converters of files, for which values are read once more where their schemas have to be found."""

    def __init__(self, options: ExportOptions) -> None:
        self._options = options
        self._codecs: dict[str, Codec] = {}
        self.kinds: dict[str, str] = {}  # of the columns that are decoded by schemas
        for column in ("key", "value"):
            kind = SCHEMA_KINDS.get(options.encoding(column))
            if kind is not None and column in options.columns and options.schemas is not None:
                self.kinds[column] = kind
                if kind not in self._codecs:
                    self._codecs[kind] = codec_of(kind, options.schemas)

    @property
    def unknown(self) -> list[str]:
        """The columns whose schemas have to be looked for."""
        given = {"key": self._options.key_schema, "value": self._options.value_schema}
        is_split = self._options.partition_by == "schema"
        return [name for name in self.kinds if given[name] is None and not (is_split and name == "value")]

    def converter(self, found: dict[str, SchemaKey | None]) -> Converter:
        """Return the converter of a file, whose keys and values are brought into the schemas that were found."""
        given = {"key": self._options.key_schema, "value": self._options.value_schema}
        decoders = {}
        for column, kind in self.kinds.items():
            if column in found:
                key = found[column]
            else:
                key = SchemaKey(given[column] or 0, _FIRST_MESSAGE if kind == "PROTOBUF" else ())
            assert self._options.schemas is not None  # as the columns with kinds have it
            decoders[column] = SchemaDecoder(self._codecs[kind], self._options.schemas, kind, key)
        return Converter(self._options, **decoders)

    def find(self, sources: Iterable[Source], limit: int | None, count: Count) -> dict[str, SchemaKey | None]:
        """Return the latest schemas that some sources name, None where there is none to be had."""
        seen: dict[str, Counter[SchemaKey]] = {name: Counter() for name in self.unknown}
        if not seen:
            return {}
        left = limit
        for source in sources:
            skipped: list[SkippedBatch] = []
            for columns in source.columns(skipped):
                wanted = columns if left is None else columns.take(slice(left))
                batch = to_batch(wanted, source.topic, source.partition, arrow_schema(seen))
                for name, counter in seen.items():
                    keys, numbers = row_keys(batch.column(name), self.kinds[name])
                    totals = np.bincount(numbers[numbers >= 0], minlength=len(keys)).tolist()
                    counter.update(dict(zip(keys, totals, strict=True)))
                count(int(columns.index.size_in_bytes.sum()))
                left = None if left is None else left - len(wanted)
                if left == 0:
                    break
            if left == 0:
                break
        return {name: self._latest(counter, self.kinds[name]) for name, counter in seen.items()}

    def _latest(self, seen: Counter[SchemaKey], kind: str) -> SchemaKey | None:
        """Return the schema of the highest id that is there; of its messages, the one that most values are of."""
        for schema_id in sorted({key.id for key in seen}, reverse=True):
            if self.is_there(schema_id, kind):
                keys = [key for key in seen if key.id == schema_id]
                return max(keys, key=lambda key: (seen[key], [-index for index in key.indexes]))
        return None

    def is_there(self, schema_id: int, kind: str) -> bool:
        """Tell whether there is a schema of an id and a kind; raises `ExportError` where that cannot be told."""
        if self._options.schemas is None:
            raise ExportError("there are no schemas")
        try:
            return self._options.schemas.get(schema_id).kind == kind
        except SchemaMissing:
            return False
