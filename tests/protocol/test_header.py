"""Headers of requests and responses: their versions, their bytes as Kafka's own classes wrote them, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacodec.errors import Corrupt, DecodeError, EncodeError, Truncated, Unsupported
from kafkacodec.protocol import (
    ApiKey,
    ApiVersionsRequest,
    ApiVersionsResponse,
    ConsumerProtocolSubscription,
    ControlledShutdownRequest,
    ErrorCode,
    FetchRequest,
    FrameReader,
    ListClientMetricsResourcesRequest,
    MetadataRequest,
    MetadataResponse,
    RequestHeader,
    decode_request,
    decode_request_header,
    decode_response,
    encode_request,
    encode_response,
    frame,
    message_class,
    messages,
    request_class,
    request_header_version,
    response_class,
    response_header_version,
)

CORPUS = Path(__file__).parent.parent / "corpus" / "headers" / "headers.tsv"
CORRELATION_ID = 0x7FFFFFFF
CLIENT_ID = "cé"
API_VERSIONS = 18


class Vector(NamedTuple):
    kind: str
    api_key: int
    version: int
    header_version: int
    data: bytes


def vectors(kind: str) -> list[Vector]:
    found = []
    for line in CORPUS.read_text().splitlines():
        of, api_key, version, header_version, _, data = line.split("\t")
        if of == kind:
            found.append(Vector(of, int(api_key), int(version), int(header_version), bytes.fromhex(data)))
    return found


REQUESTS, RESPONSES = vectors("request"), vectors("response")


def test_the_corpus_has_every_version_of_the_table() -> None:
    classes = [message_class(name) for name in messages()]
    for kind, of_kind in (("request", REQUESTS), ("response", RESPONSES)):
        known = {(c.api_key, version) for c in classes if c.message_kind == kind for version in c.valid_versions}
        assert known == {(v.api_key, v.version) for v in of_kind}
        assert len(known) == 361


def test_header_versions_are_kafka_s() -> None:
    assert [v for v in REQUESTS if request_header_version(v.api_key, v.version) != v.header_version] == []
    assert [v for v in RESPONSES if response_header_version(v.api_key, v.version) != v.header_version] == []
    assert {v.header_version for v in REQUESTS} == {0, 1, 2}
    assert {v.header_version for v in RESPONSES if v.api_key == API_VERSIONS} == {0}


def test_requests_are_kafka_s_both_ways() -> None:
    for v in REQUESTS:
        cls = request_class(v.api_key)
        assert encode_request(cls(), v.version, CORRELATION_ID, CLIENT_ID) == v.data, v
        header, message = decode_request(v.data)
        assert (header.request_api_key, header.request_api_version) == (v.api_key, v.version)
        assert (header.correlation_id, header.client_id) == (CORRELATION_ID, CLIENT_ID if v.header_version else "")
        assert message == cls.decode(cls().encode(v.version), v.version)
        assert encode_request(message, v.version, header.correlation_id, header.client_id) == v.data


def test_responses_are_kafka_s_both_ways() -> None:  # row 6 of seeds.md: the correlation id comes back
    for v in RESPONSES:
        cls = response_class(v.api_key)
        assert encode_response(cls(), v.version, CORRELATION_ID) == v.data, v
        header, message = decode_response(v.data, v.api_key, v.version, correlation_id=CORRELATION_ID)
        assert header.correlation_id == CORRELATION_ID
        assert encode_response(message, v.version, header.correlation_id) == v.data


def test_every_prefix_is_refused_and_so_is_a_byte_more() -> None:
    for v in REQUESTS + RESPONSES:

        def decode(data: bytes, v: Vector = v) -> Any:
            return decode_request(data) if v.kind == "request" else decode_response(data, v.api_key, v.version)

        for size in range(len(v.data)):
            with pytest.raises(DecodeError) as caught:
                decode(v.data[:size])
            assert caught.value.position is not None
        with pytest.raises(Corrupt, match="left behind the message") as caught:
            decode(v.data + b"\0")
        assert caught.value.position == len(v.data)


def test_positions_count_from_the_header() -> None:
    data = encode_request(MetadataRequest(topics=[]), 0, 1, "c")
    with pytest.raises(Truncated) as caught:
        decode_request(data[:-1])
    assert caught.value.position == len(data) - 4
    assert caught.value.path == "MetadataRequest.v0.topics"


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview], ids=["bytes", "bytearray", "memoryview"])
def test_any_buffer_will_do(wrap: Any) -> None:
    header, _ = decode_request(wrap(encode_request(MetadataRequest(topics=[]), 0, 7, "c")))
    assert header.correlation_id == 7
    header, _ = decode_response(wrap(encode_response(MetadataResponse(), 0, 8)), 3, 0)
    assert header.correlation_id == 8


# Rows of seeds.md


def test_row_1_integers_are_big_endian() -> None:
    response = MetadataResponse(brokers=[MetadataResponse.MetadataResponseBroker(node_id=-1, host="", port=9092)])
    assert response.encode(0).hex() == "00000001ffffffff00000000238400000000"
    assert MetadataResponse.decode(bytes.fromhex("00000001ffffffff00000000238500000000"), 0).brokers[0].port == 9093


def test_row_2_null_is_not_empty() -> None:
    for client_id, written in ((None, "ffff"), ("", "0000"), ("a1", "00026131")):
        data = encode_request(MetadataRequest(topics=[]), 0, 1, client_id)
        assert data.hex() == "0003000000000001" + written + "00000000"
        assert decode_request(data)[0].client_id == client_id
    for user_data, written in ((None, "ffffffff"), (b"", "00000000")):
        subscription = ConsumerProtocolSubscription(topics=["t"], user_data=user_data)
        assert subscription.encode(0).hex() == "00000001000174" + written
        assert ConsumerProtocolSubscription.decode(subscription.encode(0), 0).user_data == user_data


def test_row_3_arrays() -> None:
    topics = [MetadataRequest.MetadataRequestTopic(name="a1")]
    assert MetadataRequest(topics=topics).encode(0).hex() == "0000000100026131"
    assert MetadataRequest(topics=None).encode(1).hex() == "ffffffff"
    assert MetadataRequest.decode(bytes.fromhex("ffffffff"), 1).topics is None
    assert MetadataRequest.decode(bytes.fromhex("00000000"), 1).topics == []
    with pytest.raises(Corrupt):
        MetadataRequest.decode(bytes.fromhex("ffffffff"), 0)


def test_row_5_the_request_of_the_protocol_s_guide() -> None:
    request = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name="a1")])
    data = frame(encode_request(request, 0, 1, "c"))
    assert data.hex(" ", -4) == bytes.fromhex("00000013 0003 0000 00000001 0001 63 00000001 0002 6131").hex(" ", -4)


def test_row_6_a_response_to_another_request_is_an_error() -> None:
    data = encode_response(MetadataResponse(), 0, CORRELATION_ID)
    with pytest.raises(Corrupt, match="response to another request: expected 5, found 2147483647") as caught:
        decode_response(data, 3, 0, correlation_id=5)
    assert caught.value.position == 0


def test_row_7_pipelined_requests_are_answered_in_order() -> None:
    asked = b"".join(frame(encode_request(MetadataRequest(topics=[]), 0, number, "c")) for number in range(10))
    answered = b""
    for request in FrameReader().feed(asked):
        header, _ = decode_request(request)
        answered += frame(encode_response(MetadataResponse(), 0, header.correlation_id))
    for number, response in enumerate(FrameReader().feed(answered)):
        assert decode_response(response, 3, 0, correlation_id=number)[0].correlation_id == number
    assert number == 9


@pytest.mark.parametrize("version", [-1, 19, 32767])
def test_row_9_an_unknown_version_is_refused_with_the_known_ones(version: int) -> None:
    words = f"unknown version of Fetch: expected 0 to 18, found {version}"
    for ask in (request_header_version, response_header_version, lambda *of: decode_response(b"", *of)):
        with pytest.raises(Unsupported, match=words):
            ask(1, version)
    header = RequestHeader(request_api_key=1, request_api_version=version, correlation_id=1)
    with pytest.raises(Unsupported, match=words) as caught:
        decode_request(header.encode(2) + FetchRequest().encode(18))
    assert caught.value.position == 2
    with pytest.raises(EncodeError, match=f"has no version {version}: it has 0-18"):
        encode_request(FetchRequest(), version, 1, "c")


@pytest.mark.parametrize("api_key", [-1, 93, 32767])
def test_row_9_an_unknown_api_is_refused(api_key: int) -> None:
    words = f"unknown API key: expected 0 to 92, found {api_key}"
    for ask in (request_header_version, response_header_version, lambda *of: decode_response(b"", *of)):
        with pytest.raises(Unsupported, match=words):
            ask(api_key, 0)
    data = api_key.to_bytes(2, "big", signed=True) + b"\0" * 20
    for decode in (decode_request, decode_request_header):
        with pytest.raises(Unsupported, match=words) as caught:
            decode(data)
        assert caught.value.position == 0


# ApiVersions of a version that the other side does not know (KIP-511)


@pytest.mark.parametrize("version", [5, 99, 32767])
def test_api_versions_from_the_future_can_be_answered(version: int) -> None:
    asked = RequestHeader(request_api_key=18, request_api_version=version, correlation_id=77, client_id="later")
    data = asked.encode(2) + b"\x0fnobody knows this"
    with pytest.raises(Unsupported, match=r"unknown version of ApiVersions: expected 0 to 4"):
        decode_request(data)
    header, position = decode_request_header(data)
    assert header == asked
    assert data[position:] == b"\x0fnobody knows this"
    known = ApiVersionsResponse.ApiVersion(api_key=18, min_version=0, max_version=4)
    answer = ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[known])
    assert encode_response(answer, 0, header.correlation_id).hex() == "0000004d002300000001001200000004"


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_the_client_understands_that_answer(version: int) -> None:
    data = bytes.fromhex("0000004d002300000001001200000004")
    header, response = decode_response(data, API_VERSIONS, version)
    assert isinstance(response, ApiVersionsResponse)
    assert header.correlation_id == 77
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(key.api_key, key.max_version) for key in response.api_keys] == [(18, 4)]
    with pytest.raises(DecodeError):
        decode_response(data[:-1], API_VERSIONS, version)


def test_other_answers_are_not_read_as_version_0() -> None:
    data = encode_response(ApiVersionsResponse(), 0, 1)
    with pytest.raises(Truncated) as caught:
        decode_response(data, API_VERSIONS, 1)
    assert caught.value.path == "ApiVersionsResponse.v1.throttle_time_ms"


# What cannot be written


def test_a_request_is_no_response() -> None:
    with pytest.raises(EncodeError, match="ApiVersionsRequest is no response"):
        encode_response(ApiVersionsRequest(), 0, 1)
    with pytest.raises(EncodeError, match="MetadataResponse is no request"):
        encode_request(MetadataResponse(), 0, 1)
    with pytest.raises(EncodeError, match="int is no request"):
        encode_request(5, 0, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(("correlation_id", "client_id"), [(2**31, "c"), ("1", "c"), (1, "c" * 32768), (1, b"c")])
def test_a_header_s_values_are_checked(correlation_id: Any, client_id: Any) -> None:
    with pytest.raises(EncodeError, match=r"RequestHeader\.v1\.c"):
        encode_request(MetadataRequest(topics=[]), 0, correlation_id, client_id)


def test_a_header_without_a_client_id_leaves_it_out() -> None:
    request = ControlledShutdownRequest(broker_id=5)
    assert encode_request(request, 0, 1, "c").hex() == "000700000000000100000005"
    assert encode_request(request, 1, 1, "c").hex() == "000700010000000100016300000005"


def test_a_key_with_two_names_reads_as_the_newer() -> None:
    data = encode_request(ListClientMetricsResourcesRequest(), 0, 1)
    assert type(decode_request(data)[1]).__name__ == "ListConfigResourcesRequest"


# Hostile bytes


def tried(decode: Callable[..., Any], *arguments: Any) -> tuple[Any, DecodeError | None]:
    try:
        return decode(*arguments), None
    except DecodeError as error:
        return None, error


@given(st.sampled_from(REQUESTS + RESPONSES), st.data())
def test_damage_is_a_decode_error_or_another_message(v: Vector, data: st.DataObject) -> None:
    damaged = bytearray(v.data)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    asked = v.kind == "request"
    found, error = tried(decode_request, damaged) if asked else tried(decode_response, damaged, v.api_key, v.version)
    if error is not None:
        assert error.position is not None
        assert 0 <= error.position <= len(damaged)
    else:
        header, message = found
        assert type(message) is (request_class(header.request_api_key) if asked else response_class(v.api_key))


@given(st.binary(max_size=60))
def test_any_bytes_have_a_header_or_a_decode_error(data: bytes) -> None:
    found, error = tried(decode_request_header, data)
    if error is not None:
        assert error.position is not None
        assert 0 <= error.position <= len(data)
    else:
        assert 8 <= found[1] <= len(data)
        assert found[0].request_api_key in list(ApiKey)
