"""Frames put together from pieces of any size; sizes refused at their fourth byte; time that grows with the bytes."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import Corrupt, DecodeError, EncodeError, LimitExceeded
from kafkacodec.protocol import FrameReader, frame, frames
from kafkacodec.protocol.frames import DEFAULT_MAX_FRAME_BYTES

PAYLOADS = st.lists(st.binary(max_size=40), max_size=8)


def fed(reader: FrameReader, stream: bytes, sizes: Iterator[int]) -> list[bytes]:
    got: list[bytes] = []
    position = 0
    for size in sizes:
        got += reader.feed(stream[position : position + size])
        position += size
    return got + reader.feed(stream[position:])


def test_frame_adds_the_size() -> None:
    assert frame(b"abc") == b"\0\0\0\3abc"
    assert frame(b"") == b"\0\0\0\0"
    assert frame(memoryview(b"abcdef")[::1]) == b"\0\0\0\6abcdef"
    with pytest.raises(BufferError):
        frame(memoryview(b"abcdef")[::2])


def test_a_frame_larger_than_int32_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_MAX_SIZE", 3)
    assert frame(b"abc")
    with pytest.raises(EncodeError, match="a frame of 4 bytes is larger than an int32 can say"):
        frame(b"abcd")


def test_row_4_one_frame_only_when_all_bytes_are_there() -> None:  # seeds.md
    reader = FrameReader()
    stream = frame(b"0123456789")
    for count, byte in enumerate(stream[:-1], 1):
        assert reader.feed(bytes([byte])) == []
        assert reader.pending_bytes == count
    assert reader.feed(stream[-1:]) == [b"0123456789"]
    assert reader.pending_bytes == 0


@given(PAYLOADS, st.lists(st.integers(0, 60), max_size=40))
def test_pieces_do_not_matter(payloads: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(map(frame, payloads))
    reader = FrameReader()
    assert fed(reader, stream, iter(sizes)) == payloads
    assert reader.pending_bytes == 0
    assert FrameReader().feed(stream) == payloads


@given(PAYLOADS, st.integers(-(2**31), -1) | st.integers(51, 2**31 - 1), st.lists(st.integers(1, 60), max_size=40))
def test_pieces_do_not_matter_to_errors(payloads: list[bytes], size: int, sizes: list[int]) -> None:
    good = b"".join(map(frame, payloads))
    stream = good + size.to_bytes(4, "big", signed=True) + b"rest"
    reader = FrameReader(max_frame_bytes=50)
    got: list[bytes] = []
    position = 0
    for step in [*sizes, len(stream)]:
        if reader.error is None and step:
            try:
                got += reader.feed(stream[position : position + step])
            except DecodeError:
                assert reader.error is not None
            position += step
    assert got == payloads
    with pytest.raises(DecodeError) as caught:
        reader.feed(b"")
    assert caught.value.position == len(good)
    assert caught.value.found == size
    assert type(caught.value) is (Corrupt if size < 0 else LimitExceeded)


@pytest.mark.parametrize(
    ("size", "error", "words"),
    [
        (-1, Corrupt, "frame size is negative: expected at least 0, found -1 (byte 0)"),
        (-(2**31), Corrupt, "frame size is negative: expected at least 0, found -2147483648 (byte 0)"),
        (101, LimitExceeded, "frame size exceeds max_frame_bytes: expected at most 100, found 101 (byte 0)"),
        (
            2**31 - 1,
            LimitExceeded,
            "frame size exceeds max_frame_bytes: expected at most 100, found 2147483647 (byte 0)",
        ),
    ],
)
def test_row_4_a_size_is_refused_at_its_fourth_byte(size: int, error: type[DecodeError], words: str) -> None:
    reader = FrameReader(max_frame_bytes=100)
    head = size.to_bytes(4, "big", signed=True)
    assert reader.feed(head[:3]) == []
    for chunk in (head[3:], b"", b"more", frame(b"good")):  # and by every call after that
        with pytest.raises(error) as caught:
            reader.feed(chunk)
        assert str(caught.value) == words
    assert str(reader.error) == words


def test_frames_in_front_of_a_bad_size_are_handed_out() -> None:
    reader = FrameReader()
    assert reader.feed(frame(b"one") + frame(b"two") + b"\xff\xff\xff\xffrest") == [b"one", b"two"]
    assert isinstance(reader.error, Corrupt)
    with pytest.raises(Corrupt, match=r"frame size is negative: expected at least 0, found -1 \(byte 14\)"):
        reader.feed(b"")


def test_the_largest_frame_is_taken() -> None:
    assert FrameReader(max_frame_bytes=3).feed(frame(b"abc")) == [b"abc"]
    assert FrameReader(max_frame_bytes=0).feed(frame(b"")) == [b""]
    assert DEFAULT_MAX_FRAME_BYTES == 104857600  # socket.request.max.bytes
    assert FrameReader().feed((104857600).to_bytes(4, "big")) == []
    with pytest.raises(LimitExceeded):
        FrameReader().feed((104857601).to_bytes(4, "big"))


@pytest.mark.parametrize("limit", [-1, 1.5, None, True, "1"])
def test_a_limit_is_a_number(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_frame_bytes must be a number of at least 0"):
        FrameReader(max_frame_bytes=limit)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", "an HTTP server answers: is this the right port?"),
        (b"GET / HTTP/1.1\r\n", "an HTTP client asks"),
        (b"\x16\x03\x01\x02\x00\x01", "TLS begins here: the peer has it, and this connection has not"),
        (b"\x15\x03\x03\x00\x02\x02\x50", "a TLS alert: the peer expects TLS, and this connection has not"),
        (b"SSH-2.0-OpenSSH_9.2", "an SSH server answers: is this the right port?"),
    ],
)
def test_the_wrong_port_is_named(said: bytes, words: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        FrameReader().feed(said)
    assert f"frame size exceeds max_frame_bytes ({words}): expected" in str(caught.value)


@pytest.mark.parametrize("wrap", [bytearray, memoryview, lambda data: memoryview(data).cast("h")])
def test_any_buffer_will_do_and_is_not_kept(wrap: Callable[[bytes], Any]) -> None:
    reader = FrameReader()
    chunk = bytearray(frame(b"abcd") + frame(b"efgh")[:6])
    assert reader.feed(wrap(chunk)) == [b"abcd"]
    chunk[:] = b"\xff" * len(chunk)
    assert reader.feed(b"gh") == [b"efgh"]


def test_a_size_alone_allocates_nothing() -> None:
    tracemalloc.start()
    try:
        reader = FrameReader()
        reader.feed((100 * 2**20).to_bytes(4, "big") + b"x" * 1000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert reader.pending_bytes == 1004
    assert peak < 64 * 1024


def test_time_grows_with_the_bytes() -> None:
    def cost(size: int) -> float:
        pieces = [bytes([byte]) for byte in frame(bytes(size))]
        best = float("inf")
        for _ in range(3):
            reader, started = FrameReader(), time.process_time()
            for piece in pieces[:-1]:
                reader.feed(piece)
            assert reader.feed(pieces[-1]) == [bytes(size)]
            best = min(best, time.process_time() - started)
        return best

    small, large = cost(2**15), cost(2**18)
    assert large < 24 * small  # 8 times the bytes; 64 times the time if it were quadratic
