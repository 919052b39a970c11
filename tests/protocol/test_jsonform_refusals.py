"""Kafka's JSON form of what is no message: `EncodeError` with the path, as `encode`; numbers as JSON has them."""

from __future__ import annotations

import json
import math
from uuid import UUID

import numpy as np
import pytest

from kafkacodec.errors import EncodeError
from kafkacodec.protocol import FetchRequest, MetadataRequest, MetadataResponse, ProduceRequest, message_class

TOPIC = MetadataRequest.MetadataRequestTopic


def released():
    view = memoryview(b"abc")
    view.release()
    return view


@pytest.mark.parametrize(
    ("message", "version", "path"),
    [
        (FetchRequest(max_wait_ms="5"), 4, "max_wait_ms"),
        (FetchRequest(max_wait_ms=2**31), 4, "max_wait_ms"),
        (FetchRequest(max_wait_ms=1.5), 4, "max_wait_ms"),
        (FetchRequest(max_wait_ms=np.zeros(2)), 4, "max_wait_ms"),
        (FetchRequest(topics=5), 4, "topics"),
        (FetchRequest(topics="ab"), 4, "topics"),
        (FetchRequest(topics=[None]), 4, "topics[0]"),
        (FetchRequest(topics=[TOPIC()]), 4, "topics[0]"),
        (FetchRequest(topics=[FetchRequest.FetchTopic]), 4, "topics[0]"),
        (FetchRequest(cluster_id=7), 12, "cluster_id"),
        (FetchRequest(cluster_id=np.zeros(2)), 12, "cluster_id"),
        (MetadataRequest(topics=[TOPIC(topic_id="x")]), 12, "topics[0].topic_id"),
        (MetadataRequest(topics=[TOPIC(topic_id=None)]), 12, "topics[0].topic_id"),
        (MetadataResponse(controller_id=None), 1, "controller_id"),
        (
            ProduceRequest(
                topic_data=[
                    ProduceRequest.TopicProduceData(
                        partition_data=[ProduceRequest.PartitionProduceData(records=released())]
                    )
                ]
            ),
            9,
            "topic_data[0].partition_data[0].records",
        ),
    ],
)
def test_what_cannot_be_written_is_no_json_either(message, version, path):
    for write in (message.to_json, message.encode):
        if write == message.encode and isinstance(getattr(message, path, None), np.ndarray):
            continue  # tests/protocol/test_review.py
        with pytest.raises(EncodeError, match=rf"v{version}\.{path.replace('[', '.').replace(']', '.')}: "):
            write(version)


def test_numbers_of_other_libraries_are_numbers_of_json():
    message = FetchRequest(max_wait_ms=np.int32(5), min_bytes=True, topics=())
    form = message.to_json(4)
    assert (type(form["maxWaitMs"]), type(form["minBytes"])) == (int, int)
    assert json.loads(json.dumps(form)) == FetchRequest(max_wait_ms=5, min_bytes=1).to_json(4)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_bytes_of_any_kind(kind):
    data = ProduceRequest.PartitionProduceData(records=kind(b"\0\1\2\3"))
    message = ProduceRequest(topic_data=[ProduceRequest.TopicProduceData(partition_data=[data])])
    assert message.to_json(9)["topicData"][0]["partitionData"][0]["records"] == "AAECAw=="


def test_a_float_that_no_double_holds():
    cls = message_class("DescribeClientQuotasResponse")
    value = cls.EntryData(values=[cls.ValueData(key="k", value=1)])
    form = cls(entries=[value]).to_json(1)
    assert type(form["entries"][0]["values"][0]["value"]) is float
    for number, fails in ((10**400, True), (math.pi, False)):
        form["entries"][0]["values"][0]["value"] = number
        if fails:
            with pytest.raises(EncodeError, match=r"entries\[0\].values\[0\].value: 1000"):
                cls.from_json(form, 1)
        else:
            assert cls.from_json(form, 1).entries[0].values[0].value == number


def test_a_value_that_cannot_be_shown_is_refused_all_the_same():
    looped = FetchRequest()
    looped.max_wait_ms = looped
    half = FetchRequest()
    del half.min_bytes
    for value in (looped, FetchRequest(max_wait_ms=half), FetchRequest(max_wait_ms=object.__new__(UUID))):
        for write in (value.encode, value.to_json):
            with pytest.raises(EncodeError, match=r"^FetchRequest\.v4\.max_wait_ms: .* without repr is no int32"):
                write(4)
