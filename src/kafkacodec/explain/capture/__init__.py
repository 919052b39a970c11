"""What a packet capture holds of Kafka: the packets named, and every frame of their TCP streams a part of its own."""

from __future__ import annotations

from kafkacodec.errors import DecodeError, LimitExceeded
from kafkacodec.explain.capture.exchanges import Frame, frames_of
from kafkacodec.explain.capture.formats import Block, blocks_of
from kafkacodec.explain.capture.packets import Segment, segment_of
from kafkacodec.explain.capture.streams import connections_of
from kafkacodec.explain.frames import SIZE_WIDTH, explain_frame, name_of
from kafkacodec.explain.sketch import Sketch
from kafkacodec.javanumbers import int32_at

__all__ = ["explain_capture"]


def explain_capture(sketch: Sketch) -> None:
    """Name the packets of a capture; add each frame of Kafka's that their streams hold as a part.

    Responses get API and version from the request with their correlation id. A stream that begins before the capture,
    or lacks bytes, is read from the first segment on that begins with a frame.
    """
    segments: list[tuple[int, Segment]] = []
    number = 0
    try:
        for block in blocks_of(sketch.data):
            if block.data < 0:
                sketch.leaf(f"block[{number}]", block.kind, block.end - block.start)
            else:
                segment = segment_of(sketch.data, block.link_type, block.data, block.data_end)
                if segment is not None:
                    segments.append((number, segment))
                _packet(sketch, number, block, segment)
            number += 1
    except DecodeError as error:
        sketch.broken(error, len(sketch.data), 1)
    frames = [frame for connection in connections_of(segments) for frame in frames_of(connection, sketch.data)]
    for number, frame in enumerate(sorted(frames, key=lambda frame: frame.packet)):
        if sketch.budget.spans <= 0:
            left = f"more spans than max_spans: {len(frames) - number} frames are not explained"
            sketch.find(LimitExceeded(left, expected=f"at most {sketch.budget.max_spans}"))
            break
        _frame(sketch, frame)


def _packet(sketch: Sketch, number: int, block: Block, segment: Segment | None) -> None:
    note = None
    if segment is not None:
        note = f"{segment.source} > {segment.target}, {segment.end - segment.start} bytes of TCP"
    with sketch.inside(f"block[{number}]", block.kind, note=note):
        sketch.leaf("header", "header", block.data - block.start)
        if segment is None:
            if block.data_end > block.data:
                sketch.leaf("data", "packet", block.data_end - block.data)
        else:
            sketch.leaf("headers", "link, IP, TCP", segment.start - block.data)
            if segment.end > segment.start:
                sketch.leaf("payload", "TCP", segment.end - segment.start)
            if block.data_end > segment.end:
                sketch.leaf("padding", "padding", block.data_end - segment.end)
        if block.end > block.data_end:
            sketch.leaf("trailer", "trailer", block.end - block.data_end)


def _frame(sketch: Sketch, frame: Frame) -> None:
    name = None if frame.api is None else name_of("request" if frame.is_request else "response", frame.api[0])
    what = "unanswered frame" if frame.api is None else f"{name or f'API {frame.api[0]}'} v{frame.api[1]}"
    title = f"{frame.source} > {frame.target}, packet {frame.packet}: {what}"
    part = Sketch("frame", frame.data, sketch.budget, title)
    sketch.explanation.parts.append(part.explanation)
    if frame.is_request:
        explain_frame(part)
    elif frame.api is not None:
        explain_frame(part, *frame.api)
    else:
        _unknown(part)


def _unknown(part: Sketch) -> None:
    """Name what can be known of a response whose request was not captured."""
    end = len(part.data)
    for name in ("size", "correlation_id"):
        if end - part.pos >= SIZE_WIDTH:
            part.leaf(name, "int32", SIZE_WIDTH, int32_at(part.data, part.pos))
    if part.pos < end:
        part.leaf("body", "unknown", end - part.pos, None, "the request was not captured")
