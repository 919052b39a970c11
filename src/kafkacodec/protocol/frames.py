"""Frames: what a connection carries, an int32 size and as many bytes; put together from whatever a socket hands out.

No I/O is done here. A reader copies each byte once into the frame it belongs to and, where a frame came in pieces,
once more when it is whole: time grows with the bytes, however they are cut, and memory with what has arrived, never
with what a size promises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, EncodeError, LimitExceeded

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.errors import DecodeError

__all__ = ["DEFAULT_MAX_FRAME_BYTES", "FrameReader", "frame"]

DEFAULT_MAX_FRAME_BYTES: Final = 104857600  # socket.request.max.bytes of Kafka's brokers
_MAX_SIZE: Final = 2**31 - 1
_SIZE_BYTES: Final = 4

#: what the four bytes of a size begin with where the peer does not speak Kafka's protocol at all
_STRANGERS: Final = {
    b"HTTP": "an HTTP server answers: is this the right port?",
    b"GET ": "an HTTP client asks",
    b"POST": "an HTTP client asks",
    b"PUT ": "an HTTP client asks",
    b"HEAD": "an HTTP client asks",
    b"PRI ": "an HTTP/2 client asks",
    b"SSH-": "an SSH server answers: is this the right port?",
    b"\x16\x03": "TLS begins here: the peer has it, and this connection has not",
    b"\x15\x03": "a TLS alert: the peer expects TLS, and this connection has not",
}


def frame(payload: ReadableBuffer) -> bytes:
    """Return `payload` with its size in front; `EncodeError` where that is more than an int32 can say."""
    data = bytes_of(payload)
    if len(data) > _MAX_SIZE:
        raise EncodeError(f"a frame of {len(data)} bytes is larger than an int32 can say")
    return b"".join((len(data).to_bytes(_SIZE_BYTES, "big"), data))


class FrameReader:
    """Takes a connection's bytes as they come, hands out the frames that are whole.

    max_frame_bytes: the largest frame that is taken, its size not counted.
    """

    __slots__ = ("_body", "_error", "_head", "_max", "_start", "_wanted")

    def __init__(self, max_frame_bytes: int = DEFAULT_MAX_FRAME_BYTES) -> None:
        if isinstance(max_frame_bytes, bool) or not isinstance(max_frame_bytes, int) or max_frame_bytes < 0:
            raise ValueError(f"max_frame_bytes must be a number of at least 0, not {max_frame_bytes!r}")
        self._max = max_frame_bytes
        self._head = bytearray()  # of the frame that is not whole: its size, or the beginning of that
        self._body = bytearray()
        self._wanted = 0  # bytes of the body, once the size is known
        self._start = 0  # of that frame in the stream
        self._error: DecodeError | None = None

    @property
    def pending_bytes(self) -> int:
        """How many bytes of a frame that is not whole are held, its size included; 0 between frames."""
        return len(self._head) + len(self._body)

    @property
    def error(self) -> DecodeError | None:
        """What ended the stream, once a size is refused."""
        return self._error

    def feed(self, chunk: ReadableBuffer) -> list[bytes]:
        """Return the frames that `chunk` completes, without their sizes, in order.

        A size is checked as soon as its fourth byte is there. Raises `Corrupt` where it is negative, `LimitExceeded`
        where it exceeds `max_frame_bytes`, with the position of the size in the stream. Where the chunk completes
        frames in front of such a size, they are returned, `error` is set and the next call raises it. From then on
        every call does: the stream cannot be read on.
        """
        if self._error is not None:
            raise self._error.located()
        data = bytes_of(chunk)
        frames: list[bytes] = []
        position, end = 0, len(data)
        while position < end:
            missing = _SIZE_BYTES - len(self._head)
            if missing:
                self._head += data[position : position + missing]
                position = min(position + missing, end)
                if len(self._head) < _SIZE_BYTES or not self._take_size(frames):
                    break
                if self._wanted:
                    continue
            if not self._body and self._wanted <= end - position:  # whole, in one piece
                whole = data[position : position + self._wanted].tobytes()
                position += self._wanted
            else:
                piece = data[position : position + self._wanted - len(self._body)]
                self._body += piece
                position += len(piece)
                if len(self._body) < self._wanted:
                    break
                whole = bytes(self._body)
                self._body = bytearray()
            frames.append(whole)
            self._head.clear()
            self._start += _SIZE_BYTES + self._wanted
        return frames

    def _take_size(self, frames: list[bytes]) -> bool:
        """Take the size that is now there; without frames to hand out before, raise where it is refused."""
        size = int.from_bytes(self._head, "big", signed=True)
        if 0 <= size <= self._max:
            self._wanted = size
            return True
        self._error = self._refused(size)
        if not frames:
            raise self._error.located()  # a copy: what is raised keeps the frames of Python that it came through
        return False

    def _refused(self, size: int) -> DecodeError:
        head = bytes(self._head)
        hint = next((f" ({words})" for start, words in _STRANGERS.items() if head.startswith(start)), "")
        if size < 0:
            return Corrupt(f"frame size is negative{hint}", position=self._start, expected="at least 0", found=size)
        return LimitExceeded(
            f"frame size exceeds max_frame_bytes{hint}",
            position=self._start,
            expected=f"at most {self._max}",
            found=size,
        )
