"""Requests and responses with their headers, and the size in front of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kafkacodec import faults
from kafkacodec.errors import DecodeError, Unsupported
from kafkacodec.explain.messages import explain_message, walk_message
from kafkacodec.faults import fault
from kafkacodec.javanumbers import int32_at
from kafkacodec.protocol.message import message_class
from kafkacodec.protocol.schema import index, names_of_key, schema

if TYPE_CHECKING:
    from kafkacodec.explain.sketch import Sketch

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
_API_VERSIONS: Final = 18
_CONTROLLED_SHUTDOWN: Final = 7
_UNSUPPORTED_VERSION: Final = 35


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
    header = _request_header_version(api_key, name, version)
    try:
        _, body = message_class("RequestHeader").read(frame, header, SIZE_WIDTH)
        _, end = message_class(name).read(frame, version, body)
    except DecodeError:
        return False
    return end == len(frame)


def _api(data: memoryview, position: int) -> tuple[int, int]:
    both = int32_at(data, position)
    return both >> 16, int.from_bytes(data[position + 2 : position + 4], "big", signed=True)


def _request_header_version(api_key: int, name: str, version: int) -> int:
    """Return the version of a request's header (ApiMessageType.requestHeaderVersion)."""
    if api_key == _CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if version in schema(name).flexible else 1


def _response_header_version(api_key: int, name: str, version: int) -> int:
    """Return the version of a response's header; ApiVersions is answered before versions are agreed on (KIP-511)."""
    return 1 if version in schema(name).flexible and api_key != _API_VERSIONS else 0


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
        walk_message(sketch, "RequestHeader", _request_header_version(api_key, name, version), end)
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

    A broker answers a version of ApiVersions that it has not in version 0, with an error.
    """
    depth = sketch.depth
    try:
        name = name_of("response", api_key)
        if name is None:
            raise Unsupported("unknown API key", found=api_key)
        if version not in index()[name].versions:
            versions = str(index()[name].versions)
            raise Unsupported(f"{name} has no such version", expected=versions, found=version)
        walk_message(sketch, "ResponseHeader", _response_header_version(api_key, name, version), end)
    except DecodeError as error:
        sketch.broken(error, end, depth)
        return
    code = int.from_bytes(sketch.data[sketch.pos : sketch.pos + 2], "big")
    if api_key == _API_VERSIONS and code == _UNSUPPORTED_VERSION:
        version = 0
    explain_message(sketch, name, version, end)
