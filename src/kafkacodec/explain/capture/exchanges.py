"""From streams to frames: where they begin and end, and which request each response answers."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from kafkacodec.explain.capture.streams import Chunk, Connection, Stream
from kafkacodec.explain.frames import SIZE_WIDTH, is_request, known_request
from kafkacodec.javanumbers import int32_at

__all__ = ["Frame", "frames_of"]

_LARGEST: Final = 100 * 2**20  # bytes; what socket.request.max.bytes is by default
_LOOKED_AT: Final = 16  # frames of a side, to tell whether it is the client's
_LEAST: Final = 4  # a correlation id
_AT_REQUEST: Final = 8  # where it lies, behind size, API key and version
_AT_RESPONSE: Final = 4


class Frame(NamedTuple):
    """A frame of a stream, its size included; `api` is (key, version) where it is known, of a response too."""

    packet: int  # the number of the one that completes it
    source: str
    target: str
    data: memoryview
    is_request: bool
    api: tuple[int, int] | None


def frames_of(connection: Connection, data: memoryview) -> list[Frame]:
    """Return the frames of a connection in the order in which they were complete; none where it speaks no Kafka."""
    chunks = {source: stream.chunks(data) for source, stream in connection.streams.items()}
    client = _client_of(connection, chunks)
    if client is None:
        return []
    requests = list(_cut(connection.streams[client], chunks[client], None))
    asked = {int32_at(request.data, _AT_REQUEST) for request in requests if len(request.data) >= _AT_REQUEST + _LEAST}
    server = next((source for source in connection.streams if source != client), client)
    responses = [] if server == client else list(_cut(connection.streams[server], chunks[server], asked))
    return sorted(requests + _answered(requests, responses), key=lambda frame: frame.packet)


def _client_of(connection: Connection, chunks: dict[str, list[Chunk]]) -> str | None:
    """Return who sends the requests: who sent the SYN, else whose first frames are requests to the last byte.

    A response looks like the head of one: a correlation id of 2 is a Produce request of version 2.
    """
    sides = [source for source in chunks if any(_first_frame(chunk, None) is not None for chunk in chunks[source])]
    if connection.client in sides:
        return connection.client

    def requests(source: str) -> int:
        frames = islice(_cut(connection.streams[source], chunks[source], None), _LOOKED_AT)
        return sum(is_request(frame.data) for frame in frames)

    return max(sides, key=requests, default=None)


def _first_frame(chunk: Chunk, asked: set[int] | None) -> int | None:
    """Return where the first frame of a chunk begins: at its first byte, or, behind a gap, where a segment does.

    asked: the correlation ids of the requests, where the chunk is of responses.
    """
    data = memoryview(chunk.data)
    if chunk.whole:
        return 0 if _may_begin(data, 0, asked, True) else None
    return next((place for place in chunk.starts if _may_begin(data, place, asked, False)), None)


def _may_begin(data: memoryview, place: int, asked: set[int] | None, is_certain: bool) -> bool:
    if len(data) - place < SIZE_WIDTH + _LEAST or not _LEAST <= int32_at(data, place) <= _LARGEST:
        return False
    if asked is None:
        return known_request(data, place + SIZE_WIDTH)
    return is_certain or int32_at(data, place + SIZE_WIDTH) in asked


def _cut(stream: Stream, chunks: list[Chunk], asked: set[int] | None) -> Iterator[Frame]:
    """Yield the frames of a stream: requests, or responses to those that asked."""
    for chunk in chunks:
        data = memoryview(chunk.data).toreadonly()
        place = _first_frame(chunk, asked)
        while place is not None and place < len(data):
            left = len(data) - place
            size = SIZE_WIDTH + int32_at(data, place) if left >= SIZE_WIDTH else left
            if not SIZE_WIDTH + _LEAST <= size <= _LARGEST + SIZE_WIDTH:
                size = left
            end = place + min(size, left)
            api = None
            if asked is None and end - place >= SIZE_WIDTH + _LEAST:
                both = int32_at(data, place + SIZE_WIDTH)
                api = both >> 16, (both & 0xFFFF ^ 0x8000) - 0x8000
            packet = chunk.packet_of(end - 1)
            yield Frame(packet, stream.source, stream.target, data[place:end], asked is None, api)
            place = end


def _answered(requests: list[Frame], responses: list[Frame]) -> list[Frame]:
    """Return the responses with the API of the requests that have their correlation ids, the oldest first."""
    asked: defaultdict[int, deque[tuple[int, int]]] = defaultdict(deque)
    for request in requests:
        if request.api is not None and len(request.data) >= _AT_REQUEST + _LEAST:
            asked[int32_at(request.data, _AT_REQUEST)].append(request.api)
    told = []
    for response in responses:
        waiting = asked[int32_at(response.data, _AT_RESPONSE)] if len(response.data) >= _AT_RESPONSE + _LEAST else None
        told.append(response._replace(api=waiting.popleft() if waiting else None))
    return told
