"""Real brokers read our headers and frames, answer in order, and do with what they do not know as we say they do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from brokers import Broker, KraftBroker, OldBroker
from kafka_parts import KAFKA_4, Parts

from kafkacodec.protocol import (
    ApiKey,
    ApiVersionsRequest,
    ApiVersionsResponse,
    ErrorCode,
    FrameReader,
    MetadataRequest,
    RequestHeader,
    decode_response,
    encode_request,
    frame,
    request_class,
)
from kafkacodec.protocol.frames import DEFAULT_MAX_FRAME_BYTES

pytestmark = pytest.mark.broker

KAFKA_0_10 = "0.10.2.2"
SECONDS = 20


@pytest.fixture(scope="module", params=[KAFKA_4, KAFKA_0_10])
def broker(
    request: pytest.FixtureRequest, parts_with: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Broker]:
    parts: Parts = parts_with(request.param)
    kind = KraftBroker if request.param == KAFKA_4 else OldBroker
    with kind(parts, request.param, Path(tmp_path_factory.mktemp("headers"))) as running:
        assert running.server is not None

        def ask() -> list[bytes] | None:
            return answers(running, frame(encode_request(ApiVersionsRequest(), 0, 1, "c")), 1)

        running.server.answer(ask)
        yield running


def answers(broker: Broker, stream: bytes, count: int) -> list[bytes]:
    """Return the frames that a broker sends on one connection for the requests in `stream`."""
    reader = FrameReader()
    frames: list[bytes] = []
    with socket.create_connection(("127.0.0.1", broker.port), timeout=SECONDS) as connection:
        connection.settimeout(SECONDS)
        connection.sendall(stream)
        while len(frames) < count:
            chunk = connection.recv(65536)
            assert chunk, "the broker closed the connection"
            frames += reader.feed(chunk)
    assert reader.pending_bytes == 0
    return frames


def test_row_7_pipelined_requests_are_answered_in_order(broker: Broker) -> None:
    stream = b"".join(
        frame(encode_request(request, 0, number, "c"))
        for number, request in enumerate([MetadataRequest(topics=[]), ApiVersionsRequest()] * 5)
    )
    for number, answer in enumerate(answers(broker, stream, 10)):
        header, _ = decode_response(answer, (3, 18)[number % 2], 0, correlation_id=number)
        assert header.correlation_id == number


def test_what_it_advertises_is_known(broker: Broker) -> None:
    (answer,) = answers(broker, frame(encode_request(ApiVersionsRequest(), 0, 1, None)), 1)
    _, response = decode_response(answer, 18, 0)
    assert isinstance(response, ApiVersionsResponse)
    assert response.error_code == ErrorCode.NONE
    assert len(response.api_keys) > 20
    for api in response.api_keys:
        assert ApiKey(api.api_key) in list(ApiKey)
        versions = request_class(api.api_key).valid_versions
        assert api.min_version in versions
        assert api.max_version in versions


def test_a_version_from_the_future_is_answered_with_error_35(broker: Broker) -> None:
    header = RequestHeader(request_api_key=18, request_api_version=99, correlation_id=7, client_id="c")
    request = ApiVersionsRequest(client_software_name="kafkacodec", client_software_version="1")
    (answer,) = answers(broker, frame(header.encode(2) + request.encode(4)), 1)
    for version in (0, 3, 4):
        of_answer, response = decode_response(answer, 18, version, correlation_id=7)
        assert isinstance(response, ApiVersionsResponse)
        assert of_answer.correlation_id == 7
        assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    if broker.version == KAFKA_4:  # which tells what it can do (KIP-511)
        assert [(api.api_key, api.min_version, api.max_version) for api in response.api_keys] == [(18, 0, 4)]


def test_row_8_a_request_that_is_too_large_ends_the_connection(broker: Broker) -> None:
    with socket.create_connection(("127.0.0.1", broker.port), timeout=SECONDS) as connection:
        connection.settimeout(SECONDS)
        connection.sendall((DEFAULT_MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
        assert connection.recv(1) == b""
