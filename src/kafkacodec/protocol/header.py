"""Requests and responses with their headers, as they lie in a frame: which version a header has, encode, decode.

    frame    => size int32, request | response                                                          frames.py
    request  => request_api_key int16, request_api_version int16, correlation_id int32,                 header v0
                client_id nullable string (with an int16 length in every version),                      header v1
                tagged fields,                                                                          header v2
                body
    response => correlation_id int32,                                                                   header v0
                tagged fields,                                                                          header v1
                body

Source: RequestHeader.json and ResponseHeader.json, KIP-482, and the ApiMessageType that Kafka's generator writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kafkacodec.buffers import bytes_of
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, Unsupported
from kafkacodec.faults import LEFT_OVER, fault
from kafkacodec.protocol.api_keys import ApiKey, api_name, request_class, response_class
from kafkacodec.protocol.error_codes import ErrorCode
from kafkacodec.protocol.message import Message, message_class

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from kafkacodec.protocol.messages import RequestHeader, ResponseHeader

__all__ = [
    "decode_request",
    "decode_request_header",
    "decode_response",
    "encode_request",
    "encode_response",
    "request_header_version",
    "response_header_version",
]

_VERSION_AT: Final = 2
_KEY_AND_VERSION: Final = 4  # bytes


def request_header_version(api_key: int, version: int) -> int:
    """Return the version of the header that a request of a version has: 2 where it is flexible, otherwise 1.

    ControlledShutdown v0, which brokers of 0.8 send, has header version 0: no client id. Raises `Unsupported` for an
    API or version that is not known.
    """
    cls = request_class(api_key)
    _known(cls, version)
    return _of_request(cls, version)


def response_header_version(api_key: int, version: int) -> int:
    """Return the version of the header that a response of a version has: 1 where it is flexible, otherwise 0.

    ApiVersions has 0 in every version: a client must read it before it knows what the broker can do (KIP-511). Errors
    as `request_header_version`.
    """
    cls = response_class(api_key)
    _known(cls, version)
    return _of_response(cls, version)


def encode_request(m: Message, version: int, correlation_id: int, client_id: str | None = None) -> bytes:
    """Return a request with its header, without the 4 bytes of size that `frame` adds.

    A header of version 0 carries no client id: it is left out. Raises `EncodeError` as `Message.encode`, and for a
    message that is no request.
    """
    body = _body(m, "request", version)
    header_version = _of_request(type(m), version)
    fields: dict[str, Any] = {"client_id": client_id} if header_version else {}
    header = message_class("RequestHeader")(
        request_api_key=m.api_key, request_api_version=version, correlation_id=correlation_id, **fields
    )
    return header.encode(header_version) + body


def decode_request(buf: ReadableBuffer) -> tuple[RequestHeader, Message]:
    """Return the header and the message of a request, which fills `buf`, without its size, whole.

    Raises `Truncated` and `Corrupt` as `Message.decode`, `Unsupported` for an API or version that is not known. What
    to answer then, `decode_request_header` tells.
    """
    header, position = decode_request_header(buf)
    cls = request_class(header.request_api_key)
    version = header.request_api_version
    _known(cls, version, position=_VERSION_AT, path="RequestHeader.request_api_version")
    return header, _whole(cls, buf, version, position)


def decode_request_header(buf: ReadableBuffer) -> tuple[RequestHeader, int]:
    """Return the header of a request and the position of what follows; the version need not be one that is known.

    So a server can answer an ApiVersions request of a version from the future as Kafka's does, in version 0 and with
    error code 35 (KIP-511). Raises `Unsupported` for an unknown API, where nothing tells what header it has.
    """
    data = bytes_of(buf)
    cls: Any = message_class("RequestHeader")
    if len(data) < _KEY_AND_VERSION:
        cls.read(data, 0)  # raises
    api_key = int.from_bytes(data[:_VERSION_AT], "big", signed=True)
    version = int.from_bytes(data[_VERSION_AT:_KEY_AND_VERSION], "big", signed=True)
    try:
        request = request_class(api_key)
    except Unsupported as error:
        raise error.located(position=0, path="RequestHeader.request_api_key") from None
    header, position = cls.read(data, _of_request(request, version))
    return header, position


def encode_response(m: Message, version: int, correlation_id: int) -> bytes:
    """Return a response with its header, without the 4 bytes of size; errors as `encode_request`."""
    body = _body(m, "response", version)
    header = message_class("ResponseHeader")(correlation_id=correlation_id)
    return header.encode(_of_response(type(m), version)) + body


def decode_response(
    buf: ReadableBuffer, api_key: int, version: int, *, correlation_id: int | None = None
) -> tuple[ResponseHeader, Message]:
    """Return the header and the message of a response, which fills `buf`, without its size, whole.

    api_key, version: of the request, which a response does not tell. A broker that does not know the version of an
    ApiVersions request answers in version 0: a message with error code 35 is read as that, and then has nothing of
    later versions.
    correlation_id: of the request that is answered; a response to another one is `Corrupt`.
    Raises `Truncated` and `Corrupt` as `Message.decode`, `Unsupported` for an API or version that is not known.
    """
    cls = response_class(api_key)
    _known(cls, version)
    data = bytes_of(buf)
    header: Any
    header, position = message_class("ResponseHeader").read(data, _of_response(cls, version))
    if correlation_id is not None and header.correlation_id != correlation_id:
        raise Corrupt(
            "response to another request",
            position=0,
            path="ResponseHeader.correlation_id",
            expected=correlation_id,
            found=header.correlation_id,
        )
    try:
        return header, _whole(cls, data, version, position)
    except DecodeError:
        fallback = _unsupported(cls, data, position) if api_key == ApiKey.API_VERSIONS and version else None
        if fallback is None:
            raise
    return header, fallback


def _unsupported(cls: type[Message], data: memoryview, position: int) -> Message | None:
    """Return the ApiVersions response that says that the broker does not know the version, where it is one."""
    try:
        response: Any = _whole(cls, data, 0, position)
    except DecodeError:
        return None
    return response if response.error_code == ErrorCode.UNSUPPORTED_VERSION else None


def _of_request(cls: type[Message], version: int) -> int:
    if cls.api_key == ApiKey.CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if _is_flexible(cls, version) else 1


def _of_response(cls: type[Message], version: int) -> int:
    return 1 if _is_flexible(cls, version) and cls.api_key != ApiKey.API_VERSIONS else 0


def _is_flexible(cls: type[Message], version: int) -> bool:
    """Tell whether a version is flexible, versions from the future included."""
    return bool(cls.flexible_versions) and version >= cls.flexible_versions.start


def _known(cls: type[Message], version: int, **where: Any) -> None:
    versions = cls.valid_versions
    if version not in versions:
        raise Unsupported(
            f"unknown version of {api_name(cls.api_key)}",
            expected=f"{versions.start} to {versions.stop - 1}",
            found=version,
            **where,
        )


def _body(m: Message, kind: str, version: int) -> bytes:
    if not isinstance(m, Message) or m.message_kind != kind:
        raise EncodeError(f"{type(m).__qualname__} is no {kind}")
    return m.encode(version)


def _whole(cls: type[Message], buf: ReadableBuffer, version: int, position: int) -> Message:
    """Return the message that lies from `position` to the end of `buf`."""
    message, end = cls.read(buf, version, position)
    size = memoryview(buf).nbytes
    if end != size:
        raise fault(LEFT_OVER, end, 0, size - end, f"{cls.message_name}.v{version}")
    return message
