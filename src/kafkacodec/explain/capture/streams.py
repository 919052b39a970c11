"""From segments to streams: a direction of a connection, in order by sequence numbers, cut where bytes are missing."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from kafkacodec.explain.capture.packets import Segment

__all__ = ["Chunk", "Connection", "Stream", "connections_of"]

_WRAP: Final = 2**32
_HALF: Final = 2**31


class Chunk:
    """Bytes of a stream without a gap, and which packet brought which of them.

    `whole`: whether it begins where the stream does, so that its first byte is the first of a frame.
    """

    def __init__(self, whole: bool) -> None:
        self.whole = whole
        self.data = bytearray()
        self.starts: list[int] = []  # where each segment's bytes begin
        self.packets: list[int] = []

    def packet_of(self, position: int) -> int:
        """Return the number of the packet that brought a byte."""
        return self.packets[bisect_right(self.starts, position) - 1]


class Stream:
    """One direction of a connection."""

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target
        self.first: int | None = None  # the sequence number of the first byte, where its SYN was seen
        self.segments: list[tuple[int, int, int, int]] = []  # sequence number, packet, extent in the file

    def chunks(self, data: memoryview) -> list[Chunk]:
        """Return the bytes in order; what came twice once, as it came first."""
        if not self.segments:
            return []
        base = self.segments[0][0] if self.first is None else self.first
        ordered = sorted(((sequence - base + _HALF) % _WRAP - _HALF, *rest) for sequence, *rest in self.segments)
        chunks: list[Chunk] = []
        reached = 0 if self.first is not None else ordered[0][0]
        for place, packet, begin, end in ordered:
            if not chunks or place > reached:
                chunks.append(Chunk(not chunks and self.first is not None and place == 0))
                reached = max(place, reached)
            start = begin + reached - place
            if start >= end:
                continue
            chunk = chunks[-1]
            chunk.starts.append(len(chunk.data))
            chunk.packets.append(packet)
            chunk.data += data[start:end]
            reached += end - start
        return [chunk for chunk in chunks if chunk.data]


class Connection:
    """Two streams that belong together; `client` sends the first SYN, where that was seen."""

    def __init__(self, segment: Segment) -> None:
        self.streams = {
            segment.source: Stream(segment.source, segment.target),
            segment.target: Stream(segment.target, segment.source),
        }
        self.client: str | None = None

    def take(self, segment: Segment, packet: int) -> None:
        """Add a segment."""
        stream = self.streams[segment.source]
        if segment.syn:
            stream.first = (segment.sequence + 1) % _WRAP
            if self.client is None:
                self.client = segment.source
        if segment.end > segment.start:
            sequence = (segment.sequence + segment.syn) % _WRAP
            stream.segments.append((sequence, packet, segment.start, segment.end))


def connections_of(segments: list[tuple[int, Segment]]) -> list[Connection]:
    """Return the connections of (packet number, segment), in the order in which they begin."""
    found: list[Connection] = []
    current: dict[frozenset[str], Connection] = {}
    for packet, segment in segments:
        ends = frozenset((segment.source, segment.target))
        connection = current.get(ends)
        if connection is None or _begins_anew(connection, segment):
            connection = current[ends] = Connection(segment)
            found.append(connection)
        connection.take(segment, packet)
    return found


def _begins_anew(connection: Connection, segment: Segment) -> bool:
    """Tell whether a SYN is of another connection between the same ends than the one that was there."""
    if not segment.syn:
        return False
    stream = connection.streams[segment.source]
    known = stream.first
    return bool(stream.segments) and known != (segment.sequence + 1) % _WRAP
