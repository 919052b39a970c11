"""Requests and responses with their headers, and the size in front of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import faults
from kafkacodec.errors import DecodeError, Unsupported
from kafkacodec.explain.messages import explain_message, walk_message
from kafkacodec.faults import fault
from kafkacodec.javanumbers import int32_at
from kafkacodec.protocol.api_keys import ApiKey, response_class
from kafkacodec.protocol.error_codes import ErrorCode
from kafkacodec.protocol.header import request_header_version, response_header_version
from kafkacodec.protocol.message import message_class
from kafkacodec.protocol.schema import index, names_of_key

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch
    from kafkacodec.protocol.message import Message

__all__ = [
    "SIZE_WIDTH",
    "explain_frame",
    "explain_request",
    "explain_response",
    "is_request",
    "known_request",
    "name_of",
]

SIZE_WIDTH: Final = 4


def name_of(kind: str, api_key: int) -> str | None:
    """Return the name of the request or response of an API, None where the key is of none."""
    names = names_of_key("request" if kind == "request" else "response")
    return names.get(api_key)


def known_request(data: memoryview, position: int) -> bool:
    """Tell whether an API key and a version that are known lie at `position`."""
    if len(data) - position < SIZE_WIDTH:
        return False
    api_key, version = _api(data, position)
    name = name_of("request", api_key)
    return name is not None and version in index()[name].versions


def is_request(frame: memoryview) -> bool:
    """Tell whether a frame, its size included, is a request to the last byte."""
    if not known_request(frame, SIZE_WIDTH):
        return False
    api_key, version = _api(frame, SIZE_WIDTH)
    name = name_of("request", api_key)
    assert name is not None
    header = request_header_version(api_key, version)
    try:
        _, body = message_class("RequestHeader").read(frame, header, SIZE_WIDTH)
        _, end = message_class(name).read(frame, version, body)
    except DecodeError:
        return False
    return end == len(frame)


def _api(data: memoryview, position: int) -> tuple[int, int]:
    both = int32_at(data, position)
    return both >> 16, int.from_bytes(data[position + 2 : position + 4], "big", signed=True)


def explain_frame(sketch: Sketch, api_key: int | None = None, version: int | None = None) -> None:
    """Name all bytes as a frame: a size, and a request, or the response of an API that is given."""
    depth, end = sketch.depth, len(sketch.data)
    try:
        size = sketch.number("size", "int32", end)
        if size < 0 or size > end - sketch.pos:
            raise fault(faults.LENGTH_BEYOND, 0, end - sketch.pos, size, "size")
        stop = sketch.pos + size
    except DecodeError as error:
        sketch.broken(error, end, depth)
        return
    if api_key is None or version is None:
        explain_request(sketch, stop)
    else:
        explain_response(sketch, api_key, version, stop)
    if sketch.pos < end:
        sketch.broken(fault(faults.LEFT_OVER, sketch.pos, 0, end - sketch.pos, "frame"), end, depth)


def explain_request(sketch: Sketch, end: int) -> None:
    """Name the bytes up to `end` as a request with its header, which says what request it is."""
    depth, start = sketch.depth, sketch.pos
    try:
        if end - start < SIZE_WIDTH or not known_request(sketch.data, start):
            _unknown_request(sketch, end)
        api_key, version = _api(sketch.data, start)
        name = name_of("request", api_key)
        assert name is not None
        walk_message(sketch, "RequestHeader", request_header_version(api_key, version), end)
        _note_api(sketch, name)
    except DecodeError as error:
        sketch.broken(error, end, depth)
        return
    explain_message(sketch, name, version, end)


def _unknown_request(sketch: Sketch, end: int) -> None:
    """Name key and version, and raise what is wrong with them."""
    with sketch.inside("RequestHeader.v0", "message"):
        start = sketch.pos
        api_key = sketch.number("request_api_key", "int16", end)
        name = name_of("request", api_key)
        if name is None:
            raise Unsupported("unknown API key", position=start, found=api_key, path=sketch.path("request_api_key"))
        version = sketch.number("request_api_version", "int16", end)
        raise Unsupported(
            f"{name} has no such version", position=start + 2, expected=str(index()[name].versions), found=version,
            path=sketch.path("request_api_version"),
        )  # fmt: skip


def _note_api(sketch: Sketch, name: str) -> None:
    header = sketch.last
    if header.children:
        header.children[0].note = name


def explain_response(sketch: Sketch, api_key: int, version: int, end: int) -> None:
    """Name the bytes up to `end` as a response of an API with its header.

    A broker answers a version of ApiVersions that it does not know in version 0, with error code 35.
    """
    depth = sketch.depth
    try:
        header = response_header_version(api_key, version)
        walk_message(sketch, "ResponseHeader", header, end)
    except DecodeError as error:
        sketch.broken(error, end, depth)
        return
    cls = response_class(api_key)
    if api_key == ApiKey.API_VERSIONS and version and _refuses(cls, sketch.data[sketch.pos : end], version):
        version = 0
    explain_message(sketch, cls.message_name, version, end)


def _refuses(cls: type[Message], body: memoryview, version: int) -> bool:
    """Tell whether a body is of version 0 though another was asked for."""
    if int.from_bytes(body[:2], "big") != ErrorCode.UNSUPPORTED_VERSION:
        return False
    try:
        cls.decode(body, version)
    except DecodeError:
        return True
    return False
