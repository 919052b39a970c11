"""From streams to frames: where they begin and end, and which request each response answers."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Final, NamedTuple

from kafkacodec.explain.capture.streams import Chunk, Connection, Stream
from kafkacodec.explain.frames import SIZE_WIDTH, known_request
from kafkacodec.javanumbers import int32_at

__all__ = ["Frame", "frames_of"]

_LARGEST: Final = 100 * 2**20  # bytes; what socket.request.max.bytes is by default
_LEAST: Final = 4  # a correlation id
_REQUEST_HEAD: Final = 8


class Frame(NamedTuple):
    """A frame of a stream, its size included; `api` is (key, version) where it is known, of a response too."""

    packet: int  # the number of the one that completes it
    source: str
    target: str
    data: memoryview
    is_request: bool
    api: tuple[int, int] | None
    is_whole: bool


def frames_of(connection: Connection, data: memoryview) -> list[Frame]:
    """Return the frames of a connection in the order in which they were complete; none where it speaks no Kafka."""
    chunks = {source: stream.chunks(data) for source, stream in connection.streams.items()}
    client = _client_of(connection, chunks)
    if client is None:
        return []
    requests = _cut(connection.streams[client], chunks[client], True)
    server = next((source for source in connection.streams if source != client), client)
    responses = [] if server == client else _cut(connection.streams[server], chunks[server], False)
    return sorted(requests + _answered(requests, responses), key=lambda frame: frame.packet)


def _client_of(connection: Connection, chunks: dict[str, list[Chunk]]) -> str | None:
    """Return who sends the requests: the side whose bytes hold some; who sent the SYN is asked first."""
    sides = sorted(connection.streams, key=lambda source: source != connection.client)
    for source in sides:
        if any(_first_frame(chunk, True) is not None for chunk in chunks[source]):
            return source
    return None


def _first_frame(chunk: Chunk, is_request: bool) -> int | None:
    """Return where the first frame of a chunk begins: at its first byte, or, behind a gap, where a segment does."""
    data = memoryview(chunk.data)
    places = [0] if chunk.whole else chunk.starts
    return next((place for place in places if _may_begin(data, place, is_request)), None)


def _may_begin(data: memoryview, place: int, is_request: bool) -> bool:
    if len(data) - place < SIZE_WIDTH + _LEAST:
        return False
    size = int32_at(data, place)
    if not _LEAST <= size <= _LARGEST:
        return False
    return not is_request or (size >= _REQUEST_HEAD and known_request(data, place + SIZE_WIDTH))


def _cut(stream: Stream, chunks: list[Chunk], is_request: bool) -> list[Frame]:
    frames = []
    for chunk in chunks:
        data = memoryview(chunk.data).toreadonly()
        place = _first_frame(chunk, is_request)
        while place is not None and place < len(data):
            left = len(data) - place
            size = SIZE_WIDTH + int32_at(data, place) if left >= SIZE_WIDTH else left
            if not SIZE_WIDTH + _LEAST <= size <= _LARGEST + SIZE_WIDTH:
                size = left
            end = place + min(size, left)
            api = None
            if is_request and end - place >= SIZE_WIDTH + _LEAST:
                both = int32_at(data, place + SIZE_WIDTH)
                api = both >> 16, (both & 0xFFFF ^ 0x8000) - 0x8000
            packet = chunk.packet_of(end - 1)
            whole = size <= left
            frames.append(Frame(packet, stream.source, stream.target, data[place:end], is_request, api, whole))
            place = end
    return frames


def _answered(requests: list[Frame], responses: list[Frame]) -> list[Frame]:
    """Return the responses with the API of the requests that have their correlation ids, the oldest first."""
    asked: defaultdict[int, deque[tuple[int, int]]] = defaultdict(deque)
    at_request, at_response = 2 * SIZE_WIDTH, SIZE_WIDTH
    for request in requests:
        if request.api is not None and len(request.data) >= at_request + _LEAST:
            asked[int32_at(request.data, at_request)].append(request.api)
    told = []
    for response in responses:
        waiting = asked[int32_at(response.data, at_response)] if len(response.data) >= at_response + _LEAST else None
        told.append(response._replace(api=waiting.popleft() if waiting else None))
    return told
