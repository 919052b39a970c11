"""Varints of both twins: Kafka's own bytes, every kind of bad ones, and the twins against each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import Corrupt, DecodeError, EncodeError, Truncated

if TYPE_CHECKING:
    from kernels.conftest import Backend, Twins

VECTORS = Path(__file__).parent.parent / "corpus" / "varint" / "varint.tsv"
LINES = [tuple(line.split("\t")) for line in VECTORS.read_text().splitlines()]
TYPES = {
    "varint": (-(2**31), 2**31 - 1, 5),
    "varlong": (-(2**63), 2**63 - 1, 10),
    "unsigned_varint": (0, 2**32 - 1, 5),
    "unsigned_varlong": (0, 2**64 - 1, 10),
}


def outcome(function: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """Return what a call returned, or all that its exception says."""
    try:
        return "returned", function(*arguments)
    except (TypeError, ValueError, BufferError) as error:
        return type(error), str(error), getattr(error, "position", None)


def functions(backend: Backend, kind: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    varint = backend.varint
    return getattr(varint, f"encode_{kind}"), getattr(varint, f"decode_{kind}"), getattr(varint, f"size_of_{kind}")


def test_the_vectors_are_all_there() -> None:
    assert {(line[0], line[1]) for line in LINES} == {(what, kind) for what in ("encode", "decode") for kind in TYPES}


@pytest.mark.parametrize("kind", TYPES)
def test_kafka_writes_the_same_bytes(backend: Backend, kind: str) -> None:
    encode, decode, size_of = functions(backend, kind)
    for wire, value, size in (line[2:] for line in LINES if line[:2] == ("encode", kind)):
        assert encode(int(value)) == bytes.fromhex(wire)
        assert size_of(int(value)) == int(size)
        assert decode(bytes.fromhex(wire)) == (int(value), int(size))


@pytest.mark.parametrize("kind", TYPES)
def test_kafka_reads_the_same_from_any_bytes(backend: Backend, kind: str) -> None:
    _, decode, _ = functions(backend, kind)
    for wire, value, after in (line[2:] for line in LINES if line[:2] == ("decode", kind)):
        data = bytes.fromhex(wire)
        if value == "truncated":
            with pytest.raises(Truncated, match="cut off") as cut:
                decode(data)
            assert cut.value.position == len(data)
        elif value == "illegal":
            with pytest.raises(Corrupt, match="too long") as too_long:
                decode(b"12" + data, 2)
            assert too_long.value.position == 2
        else:
            assert decode(data) == (int(value), int(after))
            assert decode(b"\xff" * 3 + data + b"\xff", 3) == (int(value), 3 + int(after))


@pytest.mark.parametrize("kind", TYPES)
def test_every_prefix_is_truncated_there(backend: Backend, kind: str) -> None:
    encode, decode, _ = functions(backend, kind)
    lowest, highest, most = TYPES[kind]
    for value in (lowest, highest, 300, 0):
        whole = encode(value)
        for length in range(len(whole)):
            with pytest.raises(Truncated) as cut:
                decode(b"x" + whole[:length], 1)
            assert cut.value.position == 1 + length
    assert len(encode(highest)) == most


@pytest.mark.parametrize("kind", TYPES)
def test_the_last_possible_byte_must_be_the_last(backend: Backend, kind: str) -> None:
    _, decode, _ = functions(backend, kind)
    most = TYPES[kind][2]
    with pytest.raises(Corrupt) as too_long:  # though bytes follow, and though none does
        decode(b"\x80" * 20, 4)
    assert too_long.value.position == 4
    assert too_long.value.expected == f"at most {most} bytes"
    with pytest.raises(Corrupt):
        decode(b"\xff" * most)
    with pytest.raises(Truncated):
        decode(b"\xff" * (most - 1))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("pos", [3, 4, 2**31, 2**63 - 1, 2**63, 2**64, 10**30])
def test_a_position_past_the_end_is_truncated_there(backend: Backend, kind: str, pos: int) -> None:
    _, decode, _ = functions(backend, kind)
    with pytest.raises(Truncated) as cut:
        decode(b"abc", pos)
    assert cut.value.position == pos


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("pos", [-1, -3, -(2**63), -(10**30)])
def test_a_negative_position_is_a_misuse(backend: Backend, kind: str, pos: int) -> None:
    _, decode, _ = functions(backend, kind)
    with pytest.raises(ValueError, match=f"^pos must be at least 0, not {pos}$") as misuse:
        decode(b"abc", pos)
    assert not isinstance(misuse.value, DecodeError)


@pytest.mark.parametrize("kind", TYPES)
def test_values_out_of_range_cannot_be_encoded(backend: Backend, kind: str) -> None:
    encode, decode, size_of = functions(backend, kind)
    lowest, highest, most = TYPES[kind]
    for value in (lowest, highest):
        assert decode(encode(value)) == (value, size_of(value))
    for value in (lowest - 1, highest + 1, 10**30, -(10**30)):
        for function in (encode, size_of):
            with pytest.raises(EncodeError, match=f"^{value} is not an (unsigned )?int{32 if most == 5 else 64}$"):
                function(value)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("value", [1.0, "1", None])
def test_values_of_another_type_are_refused(twins: Twins, kind: str, value: object) -> None:
    for encode, decode, size_of in (functions(twins.pure, kind), functions(twins.native, kind)):
        for call in (lambda f=encode: f(value), lambda f=size_of: f(value), lambda f=decode: f(b"\x01", value)):
            with pytest.raises(TypeError):
                call()


@pytest.mark.parametrize("kind", TYPES)
def test_any_contiguous_buffer_is_read(backend: Backend, kind: str) -> None:
    numpy = pytest.importorskip("numpy")
    encode, decode, _ = functions(backend, kind)
    data = encode(0x7BCDEF).ljust(8, b"\xff")
    known = decode(data)
    buffers = (bytearray(data), memoryview(data), memoryview(data).cast("b"), numpy.frombuffer(data, "<u1"),
               numpy.frombuffer(data, "<i8"), numpy.frombuffer(data, ">i8"))  # fmt: skip
    for buffer in buffers:
        value = decode(buffer)
        assert value == known
        assert [type(part) for part in value] == [int, int]
    for refused, error in (("text", TypeError), (None, TypeError), (memoryview(data)[::2], BufferError)):
        with pytest.raises(error):
            decode(refused)


def test_a_buffer_is_let_go(backend: Backend) -> None:
    data = bytearray(b"\x80\x80")
    for kind in TYPES:
        _, decode, _ = functions(backend, kind)
        for pos in (0, 5, -1, "x"):
            outcome(decode, data, pos)
    data.append(0)  # BufferError if a view of it were left


@given(data=st.binary(max_size=24), pos=st.integers(-3, 30))
def test_the_twins_agree_on_any_bytes(twins: Twins, data: bytes, pos: int) -> None:
    for kind in TYPES:
        pure, native = functions(twins.pure, kind)[1], functions(twins.native, kind)[1]
        assert outcome(pure, data, pos) == outcome(native, data, pos)


@given(value=st.one_of(st.integers(), st.integers(-(2**64), 2**64), st.sampled_from([None, 1.5, "1", True])))
def test_the_twins_agree_on_any_value(twins: Twins, value: Any) -> None:
    for kind in TYPES:
        pure, native = functions(twins.pure, kind), functions(twins.native, kind)
        assert outcome(pure[0], value) == outcome(native[0], value)
        assert outcome(pure[2], value) == outcome(native[2], value)


def test_the_twins_agree_on_every_flipped_bit(twins: Twins) -> None:
    for kind, (lowest, highest, _) in TYPES.items():
        encode, pure, _ = functions(twins.pure, kind)
        _, native, _ = functions(twins.native, kind)
        for value in (lowest, highest, 0, 1, 63, 64, 2**31 - 1):
            whole = encode(value)
            for bit in range(8 * len(whole)):
                data = bytearray(whole)
                data[bit // 8] ^= 1 << bit % 8
                assert outcome(pure, data) == outcome(native, data)


def test_the_public_names_are_the_kernels(backend: Backend) -> None:
    from kafkacodec import varint

    assert set(varint.__all__) == set(backend.varint.__all__)
    assert all(callable(getattr(varint, name)) for name in varint.__all__)
    assert varint.decode_varint(varint.encode_varint(-2)) == (-2, 1)
