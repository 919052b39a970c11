"""The one door: bytes or a file in, an explanation out; what they are is told, or guessed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import DecodeError
from kafkacodec.explain.files import INDEXES, explain_index, explain_lines, explain_snapshot
from kafkacodec.explain.frames import explain_frame, explain_request, explain_response
from kafkacodec.explain.guess import Origin, guess, origin_of
from kafkacodec.explain.messages import explain_message
from kafkacodec.explain.records import explain_records
from kafkacodec.explain.sketch import Budget, Sketch
from kafkacodec.limits import DEFAULT_LIMITS, Limits
from kafkacodec.protocol.schema import index

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.explain.tree import Explanation

__all__ = ["KINDS", "MAX_SPANS", "explain"]

#: what `what` may be, besides the name of a message
KINDS: Final = (
    "auto", "frame", "request", "response", "records", "log", *INDEXES, "snapshot", "checkpoint", "pcap",
)  # fmt: skip
MAX_SPANS: Final = 2**21


def explain(
    buf: ReadableBuffer | str | os.PathLike[str],
    what: str = "auto",
    *,
    api_key: int | None = None,
    version: int | None = None,
    topic: str | None = None,
    limits: Limits | None = None,
    max_spans: int = MAX_SPANS,
) -> Explanation:
    """Return every byte of a buffer, or of the file whose path is given, by name.

    what: "frame" (size and request; with api_key and version, size and response), "request" and "response" (with
    header, without size; a response needs api_key and version), "records" (batches of any format), "log", "index",
    "timeindex", "txnindex", "snapshot", "checkpoint" (files of a log directory), "pcap" (a capture of either format),
    or the name of a message, whose body it then is in `version`. "auto" goes by a file's name, and by the bytes.
    topic: whose records they are, for the internal topics; of a file, its directory tells.
    limits: of what is inflated. max_spans: nodes at most; what would be more is a break.

    Bytes that are not what they are said to be are explained up to the break, which `error` tells; nothing is raised
    for them. Raises ValueError for arguments that make no sense together, and where "auto" finds nothing; OSError.
    """
    origin = Origin()
    if isinstance(buf, str | os.PathLike):
        path = Path(buf)
        data = memoryview(path.read_bytes())
        origin = origin_of(path)
    else:
        data = bytes_of(buf).toreadonly()
    if what == "auto":
        what = origin.kind or guess(data, api_key, version)
    _check(what, api_key, version)
    sketch = Sketch(what, data, Budget(limits or DEFAULT_LIMITS, max_spans), origin.title)
    try:
        _draw(sketch, what, api_key, version, topic or origin.topic, origin)
    except DecodeError as error:  # of the budget, where nothing nearer dealt with it
        sketch.broken(error, len(data), 1)
    return sketch.finish()


def _check(what: str, api_key: int | None, version: int | None) -> None:
    if what not in KINDS and what not in index():
        raise ValueError(f"what must be the name of a message or one of {', '.join(KINDS)}, not {what!r}")
    if what == "response" and (api_key is None or version is None):
        raise ValueError("a response does not say what it answers: give api_key and version")
    if what in index() and version is None:
        raise ValueError(f"{what} does not say its version: give version")


def _draw(
    sketch: Sketch, what: str, api_key: int | None, version: int | None, topic: str | None, origin: Origin
) -> None:
    end = len(sketch.data)
    if what == "frame":
        explain_frame(sketch, api_key, version)
    elif what == "request":
        explain_request(sketch, end)
    elif what == "response":
        assert api_key is not None
        assert version is not None
        explain_response(sketch, api_key, version, end)
    elif what in ("records", "log"):
        explain_records(sketch, end, topic=topic, preallocated=what == "log")
    elif what in INDEXES:
        explain_index(sketch, what, origin.base_offset)
    elif what == "snapshot":
        explain_snapshot(sketch)
    elif what == "checkpoint":
        explain_lines(sketch)
    elif what == "pcap":
        from kafkacodec.explain.capture import explain_capture

        explain_capture(sketch)
    else:
        assert version is not None
        explain_message(sketch, what, version, end)
