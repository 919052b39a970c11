"""Mutations of what is inside: the records of a batch of format 2, the inner messages of formats 0 and 1."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from random import Random

from kafkacodec import layout as at
from kafkacodec._pure.varint import decode_varint, decode_varlong
from parts import Field, Piece, checksummed, message_fields, messages, number, records, replaced
from seeds import Mutation, Pool, apart, message, wrapper
from values import flip, numbers, stretched, varint

Change = Callable[[Random, Field, bytes], bytes]


# -------------------------------------------------------------------------------------------- records of format 2


def _old(field: Field, data: bytes) -> int:
    if field.kind == "varlong":
        return decode_varlong(data, field.start)[0]
    return decode_varint(data, field.start)[0]


def _edit(r: Random, pool: Pool, names: tuple[str, ...], change: Change, repair: float = 0.5) -> bytes:
    """Change one field of a record; put the record's length right around it in that share of the cases."""
    piece = apart(pool.modern(r))
    found = [(fields, f) for fields in records(piece.payload) for f in fields if f.name in names]
    if not found:
        return flip(r, piece.pack(), 1, at.RECORD_BATCH_OVERHEAD)
    fields, field = r.choice(found)
    new = change(r, field, piece.payload)
    payload = replaced(piece.payload, field.start, field.end, new)
    if field.name != "record length" and r.random() < repair:
        size = _old(fields[0], piece.payload) + len(new) - (field.end - field.start)
        payload = replaced(payload, fields[0].start, fields[0].end, varint(size))
    return replace(piece, payload=payload).pack(crc=r.random() < 0.98)


def _other_number(r: Random, field: Field, data: bytes) -> bytes:
    long = field.kind == "varlong"
    return varint(numbers(r, 64 if long else 32, _old(field, data)), long=long)


def _stretched(r: Random, field: Field, data: bytes) -> bytes:
    return stretched(r, data[field.start : field.end], 10 if field.kind == "varlong" else 5)


_VARINTS = (
    "record length", "timestamp delta", "offset delta", "key length", "value length", "header count",
    "header key length", "header value length",
)  # fmt: skip


def record_length(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, ("record length",), _other_number)


def record_varint_stretched(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, (r.choice(_VARINTS),), _stretched, 0.9)


def record_key_length(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, ("key length",), _other_number)


def record_value_length(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, ("value length",), _other_number)


def record_length_below_null(r: Random, pool: Pool) -> bytes:
    """A key or a value, gone, whose length is below -1."""
    names = ("key length", "value length", "header value length", "header key length")
    name = r.choice(names)
    piece = apart(pool.modern(r))
    found = [(fields, i) for fields in records(piece.payload) for i, f in enumerate(fields) if f.name == name]
    if not found:
        return _edit(r, pool, names, _other_number)
    fields, i = r.choice(found)
    new = varint(r.choice((-1, -2, -3, -12, -(2**31))))
    size = _old(fields[0], piece.payload) + len(new) - (fields[i + 1].end - fields[i].start)
    payload = replaced(piece.payload, fields[i].start, fields[i + 1].end, new)
    payload = replaced(payload, fields[0].start, fields[0].end, varint(size))
    return replace(piece, payload=payload).pack()


def header_count(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, ("header count",), _other_number)


def header_lengths(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, ("header key length", "header value length"), _other_number)


def header_key_text(r: Random, pool: Pool) -> bytes:
    def change(r: Random, field: Field, data: bytes) -> bytes:
        return r.randbytes(field.end - field.start)

    return _edit(r, pool, ("header key",), change, 0)


def record_deltas(r: Random, pool: Pool) -> bytes:
    return _edit(r, pool, ("timestamp delta", "offset delta"), _other_number, 0.9)


def record_attributes(r: Random, pool: Pool) -> bytes:
    def change(r: Random, field: Field, data: bytes) -> bytes:
        return bytes((r.choice((1, 3, 0x7F, 0x80, 0xFF, r.randrange(256))),))

    return _edit(r, pool, ("record attributes",), change, 0)


def record_bytes(r: Random, pool: Pool) -> bytes:
    """Bytes more or less at the end of a record, its length put right."""

    def change(r: Random, field: Field, data: bytes) -> bytes:
        here = data[field.start : field.end]
        return here[: len(here) - 1] if here and r.random() < 0.5 else here + r.randbytes(r.randrange(1, 4))

    return _edit(r, pool, ("value", "key", "header value", "header count"), change, 0.9)


def _count(piece: Piece, count: int) -> Piece:
    return replace(piece, head=replaced(piece.head, 57, 61, number(">i", count)))


def records_moved(r: Random, pool: Pool) -> bytes:
    """Records removed, repeated or swapped; their number in the head put right or not."""
    piece = apart(pool.modern(r))
    spans = [piece.payload[f[0].start : after] for f, after in _spans(piece.payload)]
    r.shuffle(spans)
    chosen = spans[: r.randrange(len(spans) + 1)] + spans[: r.randrange(3)]
    piece = replace(piece, payload=b"".join(chosen))
    return (_count(piece, len(chosen)) if r.random() < 0.6 else piece).pack()


def _spans(payload: bytes) -> list[tuple[tuple[Field, ...], int]]:
    found = records(payload)
    ends = [fields[0].start for fields in found[1:]] + [len(payload)]
    return list(zip(found, ends, strict=True))


def payload_cut(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.piece(r))
    return replace(piece, payload=piece.payload[: r.randrange(len(piece.payload) + 1)]).pack()


def payload_longer(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.piece(r))
    more = r.choice((bytes(r.randrange(1, 9)), r.randbytes(r.randrange(1, 30)), piece.payload))
    return replace(piece, payload=piece.payload + more).pack()


def payload_flipped(r: Random, pool: Pool) -> bytes:
    piece = apart(r.choice((pool.piece, pool.compressed))(r))
    return replace(piece, payload=flip(r, piece.payload, r.choice((1, 1, 3)))).pack()


def payload_shifted(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.compressed(r))
    place = r.randrange(len(piece.payload) + 1)
    new = r.randbytes(r.randrange(4))
    return replace(piece, payload=replaced(piece.payload, place, place + r.randrange(3), new)).pack()


def tiny_records(r: Random, pool: Pool) -> bytes:
    """Very many of the smallest records, and a count that says so, or not quite."""
    count = r.choice((100, 1000, 5000))
    said = count + r.choice((0, 0, 0, -1, 1, count))
    piece = apart(pool.modern(r)).with_codec(r.randrange(5))
    body = r.choice((b"\x0c\0\0\0\1\1\0", b"\x0e\0\0\0\1\1\2", b"\x0a\0\0\0\1\1", bytes(7)))
    return _count(replace(piece, payload=body * count), said).pack()


def tiny_headers(r: Random, pool: Pool) -> bytes:
    """One record with very many of the smallest headers."""
    count = r.choice((100, 1000, 5000))
    said = count + r.choice((0, 0, -1, 1, count, -count))
    body = b"\0\0\0\1\1" + varint(said) + r.choice((b"\0\1", b"\0\0", b"\0\3")) * count
    piece = apart(pool.modern(r)).with_codec(r.randrange(5))
    return _count(replace(piece, payload=varint(len(body)) + body), 1).pack()


# ---------------------------------------------------------------------------------- inner messages of formats 0, 1


def _inner(r: Random, pool: Pool, *names: str, crc: float = 0.9) -> bytes:
    """Change one fixed number of an inner message; put its checksum right in that share of the cases."""
    piece = apart(pool.wrapper(r))
    if piece.magic >= at.MAGIC_V2:
        return payload_flipped(r, pool)
    inside = list(messages(piece.payload))
    i = r.randrange(len(inside))
    fields = [f for f in message_fields(inside[i]) if f.name in names and f.end <= len(inside[i])]
    if not fields:
        return payload_flipped(r, pool)
    field = r.choice(fields)
    old = int.from_bytes(inside[i][field.start : field.end], "big", signed=True)
    changed = replaced(
        inside[i], field.start, field.end, number(field.kind, numbers(r, 8 * struct.calcsize(field.kind), old))
    )
    inside[i] = checksummed(changed) if r.random() < crc else changed
    return replace(piece, payload=b"".join(inside)).pack()


def inner_size(r: Random, pool: Pool) -> bytes:
    return _inner(r, pool, "size")


def inner_offset(r: Random, pool: Pool) -> bytes:
    return _inner(r, pool, "offset")


def inner_crc(r: Random, pool: Pool) -> bytes:
    return _inner(r, pool, "crc", crc=0)


def inner_magic(r: Random, pool: Pool) -> bytes:
    piece = apart(pool.wrapper(r))
    if piece.magic >= at.MAGIC_V2:
        return payload_flipped(r, pool)
    inside = list(messages(piece.payload))
    i = r.randrange(len(inside))
    inside[i] = checksummed(replaced(inside[i], 16, 17, bytes((r.choice((0, 1, 2, 3, 255)),))))
    return replace(piece, payload=b"".join(inside)).pack()


def inner_attributes(r: Random, pool: Pool) -> bytes:
    return _inner(r, pool, "attributes")


def inner_timestamp(r: Random, pool: Pool) -> bytes:
    return _inner(r, pool, "timestamp")


def inner_lengths(r: Random, pool: Pool) -> bytes:
    return _inner(r, pool, "key length", "value length")


def inner_cut_to_fit(r: Random, pool: Pool) -> bytes:
    """An inner message shorter than its fields, of the size that it says, with the right checksum."""
    piece = apart(pool.wrapper(r))
    if piece.magic >= at.MAGIC_V2:
        return payload_cut(r, pool)
    inside = list(messages(piece.payload))
    i = r.randrange(len(inside))
    short = inside[i][: r.randrange(12, len(inside[i]) + 1)]
    inside[i] = checksummed(replaced(short, 8, 12, struct.pack(">i", len(short) - 12)))
    return replace(piece, payload=b"".join(inside)).pack()


def nested_wrappers(r: Random, pool: Pool) -> bytes:
    magic, codec = r.randrange(2), r.randrange(1, 4)
    if not pool.has_wrappers:
        return stream_in_stream(r, pool)
    data = [message(magic, i, b"k", b"v") for i in range(3)]
    for depth in range(r.randrange(2, 4)):
        data = [wrapper(r.choice((magic, magic, r.randrange(2))), codec, data, 2 + depth)]
    return data[0]


def stream_in_stream(r: Random, pool: Pool) -> bytes:
    """Whole batches where the records of one should be."""
    piece = apart(pool.piece(r)).with_codec(r.randrange(5))
    return replace(piece, payload=pool.piece(r)).pack()


def inner_of_other_magic(r: Random, pool: Pool) -> bytes:
    """A wrapper of one format around messages of the other, or of both."""
    if not pool.has_wrappers:
        return stream_in_stream(r, pool)
    magic, codec = r.randrange(2), r.randrange(1, 5)
    inside = [message(r.choice((magic, 1 - magic, r.randrange(3))), i, b"k%d" % i, b"v") for i in range(3)]
    return wrapper(magic, codec, inside, r.choice((2, 0, 102)), r.choice((0, 0, 8)))


INNER: tuple[Mutation, ...] = (
    record_length, record_varint_stretched, record_key_length, record_value_length, record_length_below_null,
    header_count, header_lengths, header_key_text, record_deltas, record_attributes, record_bytes, records_moved,
    payload_cut, payload_longer, payload_flipped, payload_shifted, tiny_records, tiny_headers, inner_size, inner_offset,
    inner_crc, inner_magic, inner_attributes, inner_timestamp, inner_lengths, inner_cut_to_fit, nested_wrappers,
    stream_in_stream, inner_of_other_magic,
)  # fmt: skip
