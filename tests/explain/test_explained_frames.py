"""Frames, requests and responses explained with their headers; what is guessed, and what cannot be."""

from __future__ import annotations

import pytest
from covering import check_covering

from kafkacodec.errors import Corrupt, Truncated, Unsupported
from kafkacodec.protocol import (
    ApiVersionsResponse,
    JoinGroupRequest,
    MetadataRequest,
    MetadataResponse,
    RequestHeader,
    ResponseHeader,
    explain,
)


def request(message, version, header_version, correlation_id=7, client_id="me"):
    header = RequestHeader(
        request_api_key=message.api_key, request_api_version=version, correlation_id=correlation_id, client_id=client_id
    )
    return header.encode(header_version) + message.encode(version)


def framed(data):
    return len(data).to_bytes(4, "big") + data


def paths(explanation):
    return [span.path for span in explanation.spans]


def test_a_frame_says_what_it_is():
    data = framed(request(MetadataRequest(topics=None), 9, 2))
    explanation = explain(data)
    check_covering(explanation)
    assert explanation.ok
    assert explanation.what == "frame"
    assert paths(explanation)[:5] == [
        "size",
        "RequestHeader.v2.request_api_key",
        "RequestHeader.v2.request_api_version",
        "RequestHeader.v2.correlation_id",
        "RequestHeader.v2.client_id.length",
    ]
    assert "MetadataRequest.v9.topics.count" in paths(explanation)
    key = next(node for _, _, node in explanation.walk() if node.name == "request_api_key")
    assert key.note == "MetadataRequest"


def test_headers_of_old_versions():
    assert explain(framed(request(MetadataRequest(topics=[]), 1, 1))).ok
    shutdown = bytes([0, 7, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1])  # ControlledShutdown 0 has no client id
    explanation = explain(framed(shutdown))
    if explanation.ok:
        assert paths(explanation)[-1] == "ControlledShutdownRequest.v0.broker_id"
    else:  # 4.x and 3.9 have dropped the version
        assert isinstance(explanation.error, Unsupported)
    check_covering(explanation)


def test_a_response_in_a_frame():
    body = ResponseHeader(correlation_id=5).encode(1) + MetadataResponse().encode(9)
    for what, data in (("response", body), ("frame", framed(body)), ("auto", body), ("auto", framed(body))):
        explanation = explain(data, what, api_key=3, version=9)
        check_covering(explanation)
        assert explanation.ok
        assert "ResponseHeader.v1.correlation_id" in paths(explanation)
        assert ("size" in paths(explanation)) == (len(data) > len(body))


def test_api_versions_is_answered_with_the_old_header():
    body = ResponseHeader(correlation_id=5).encode(0) + ApiVersionsResponse().encode(3)
    assert explain(body, "response", api_key=18, version=3).ok
    refused = ResponseHeader(correlation_id=5).encode(0) + ApiVersionsResponse(error_code=35).encode(0)
    explanation = explain(refused, "response", api_key=18, version=4)
    assert explanation.ok
    assert "ApiVersionsResponse.v0.error_code" in paths(explanation)


def test_what_members_tell_each_other():
    subscription = bytes.fromhex("0001 00000001 0001 61 ffffffff 00000000".replace(" ", ""))
    protocols = [
        JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=subscription),
        JoinGroupRequest.JoinGroupRequestProtocol(name="other", metadata=b"\1\2\3"),
    ]
    data = JoinGroupRequest(group_id="g", protocol_type="consumer", protocols=protocols).encode(5)
    explanation = explain(data, "JoinGroupRequest", version=5)
    check_covering(explanation)
    found = {span.path: span.value for span in explanation.spans}
    inside = "JoinGroupRequest.v5.protocols[0].metadata"
    assert found[f"{inside}.version"] == 1
    assert found[f"{inside}.ConsumerProtocolSubscription.v1.topics[0]"] == "a"
    assert found["JoinGroupRequest.v5.protocols[1].metadata"] == b"\1\2\3"


@pytest.mark.parametrize(
    ("data", "error", "position"),
    [
        (b"\0\0\0", Truncated, 0),
        (b"\0\0\0\x63\0\x03", Truncated, 0),
        (b"\xff\xff\xff\xff\0\x03", Truncated, 0),
        (framed(b"\x27\x0f\0\0\0\0\0\1\0\0"), Unsupported, 4),
        (framed(b"\0\x03\0\x63\0\0\0\1\0\0"), Unsupported, 6),
        (framed(b"\0\x03\0"), Truncated, 6),
        (framed(request(MetadataRequest(topics=[]), 1, 1)) + b"\0", Corrupt, 20),
        (framed(request(MetadataRequest(topics=[]), 1, 1) + b"\0"), Corrupt, 20),
    ],
)
def test_broken_frames(data, error, position):
    explanation = explain(data, "frame")
    check_covering(explanation)
    assert (type(explanation.error), explanation.error.position) == (error, position)
    assert explanation.spans[-1].type == "break"


def test_every_prefix_of_a_frame_is_broken():
    data = framed(request(MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name="t")]), 12, 2))
    for size in range(len(data)):
        explanation = explain(data[:size], "frame")
        check_covering(explanation)
        assert explanation.error is not None


def test_requests_without_a_size_are_found_too():
    explanation = explain(request(MetadataRequest(topics=[]), 1, 1))
    assert (explanation.what, explanation.ok) == ("request", True)


def test_misuse():
    for arguments in (
        {"what": "response"}, {"what": "response", "api_key": 3}, {"what": "MetadataRequest"}, {"what": "NoSuchThing"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"give|must be"):
            explain(b"\0\0\0\0", **arguments)
    with pytest.raises(ValueError, match="cannot tell"):
        explain(b"hello, world")
    with pytest.raises(FileNotFoundError):
        explain("no-such-file.log")


def test_an_unknown_version_is_a_break():
    explanation = explain(b"\0\0\0\0", "MetadataRequest", version=99)
    check_covering(explanation)
    assert isinstance(explanation.error, Unsupported)
    for api_key, version in ((3, 99), (9999, 0)):
        explanation = explain(b"\0\0\0\0", "response", api_key=api_key, version=version)
        check_covering(explanation)
        assert isinstance(explanation.error, Unsupported)
