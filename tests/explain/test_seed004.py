"""The 319 bytes of a blog post: they come out as its story tells, and go back to the same bytes."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from covering import CORPUS, check_covering

from kafkacodec.cli.hextext import bytes_of_text
from kafkacodec.errors import DecodeError
from kafkacodec.protocol import MetadataResponse, explain

SEED = CORPUS / "seed004"
DATA = bytes.fromhex((SEED / "seed004.hex").read_text())
TOLD = json.loads((SEED / "seed004.json").read_text())
V0 = "MetadataResponse.v0"


@pytest.fixture(scope="module")
def explanation():
    return explain(DATA, what="response", api_key=3, version=0)


def test_these_are_the_bytes_of_the_post():
    assert len(DATA) == 319
    assert hashlib.sha256(DATA).hexdigest() == TOLD["sha256"]
    assert bytes_of_text((SEED / "printed.erl").read_text()) == DATA


def test_the_spans_of_the_story(explanation):
    """The brokers' half as the post takes it apart: "HOST1 LEN" is of 2 bytes, not of 4 as in its third node."""
    check_covering(explanation)
    assert explanation.ok
    host = "vagrant-ubuntu-precise-64"
    assert explanation.spans[:24] == [
        (0, 4, "ResponseHeader.v0.correlation_id", "int32", 0),
        (4, 8, f"{V0}.brokers.count", "int32", 3),
        (8, 12, f"{V0}.brokers[0].node_id", "int32", 3),
        (12, 14, f"{V0}.brokers[0].host.length", "int16", 25),
        (14, 39, f"{V0}.brokers[0].host", "string", host),
        (39, 43, f"{V0}.brokers[0].port", "int32", 9093),
        (43, 47, f"{V0}.brokers[1].node_id", "int32", 1),
        (47, 49, f"{V0}.brokers[1].host.length", "int16", 25),
        (49, 74, f"{V0}.brokers[1].host", "string", host),
        (74, 78, f"{V0}.brokers[1].port", "int32", 9091),
        (78, 82, f"{V0}.brokers[2].node_id", "int32", 2),
        (82, 84, f"{V0}.brokers[2].host.length", "int16", 25),
        (84, 109, f"{V0}.brokers[2].host", "string", host),
        (109, 113, f"{V0}.brokers[2].port", "int32", 9092),
        (113, 117, f"{V0}.topics.count", "int32", 3),
        (117, 119, f"{V0}.topics[0].error_code", "int16", 0),
        (119, 121, f"{V0}.topics[0].name.length", "int16", 2),
        (121, 123, f"{V0}.topics[0].name", "string", "a1"),
        (123, 127, f"{V0}.topics[0].partitions.count", "int32", 2),
        (127, 129, f"{V0}.topics[0].partitions[0].error_code", "int16", 0),
        (129, 133, f"{V0}.topics[0].partitions[0].partition_index", "int32", 0),
        (133, 137, f"{V0}.topics[0].partitions[0].leader_id", "int32", 3),
        (137, 141, f"{V0}.topics[0].partitions[0].replica_nodes.count", "int32", 1),
        (141, 145, f"{V0}.topics[0].partitions[0].replica_nodes[0]", "int32", 3),
    ]


def test_the_length_of_a_name_is_not_an_int32(explanation):
    """The post reads a topic's error and the length of its name as one number; the wire has an int16 of each."""
    names = [span for span in explanation.spans if span.path.endswith(".name.length")]
    assert [(span.start, span.end, span.type, span.value) for span in names] == [
        (119, 121, "int16", 2), (181, 183, "int16", 2), (243, 245, "int16", 2),
    ]  # fmt: skip
    errors = [span for span in explanation.spans if span.path.endswith("].error_code")]
    assert {(span.end - span.start, span.value) for span in errors} == {(2, 0)}


def test_the_last_partition_which_the_post_leaves_out(explanation):
    """Its list ends 34 bytes early, in front of the second partition of a3."""
    path = f"{V0}.topics[2].partitions[1]"
    last = [span for span in explanation.spans if span.path.startswith(path)]
    assert (last[0].start, last[-1].end) == (285, 319)
    assert [(span.path.removeprefix(path), span.value) for span in last] == [
        (".error_code", 0), (".partition_index", 1), (".leader_id", 1),
        (".replica_nodes.count", 2), (".replica_nodes[0]", 1), (".replica_nodes[1]", 2),
        (".isr_nodes.count", 2), (".isr_nodes[0]", 1), (".isr_nodes[1]", 2),
    ]  # fmt: skip


def test_all_of_it_in_the_order_of_the_wire_and_back():
    message, end = MetadataResponse.read(DATA, 0, 4)
    assert end == len(DATA)
    assert [{"node_id": b.node_id, "host": b.host, "port": b.port} for b in message.brokers] == TOLD["brokers"]
    assert [
        {
            "error_code": topic.error_code,
            "name": topic.name,
            "partitions": [
                {
                    "error_code": p.error_code, "partition": p.partition_index, "leader": p.leader_id,
                    "replicas": p.replica_nodes, "isr": p.isr_nodes,
                }
                for p in topic.partitions
            ],
        }
        for topic in message.topics
    ] == TOLD["topics"]  # fmt: skip
    assert DATA[:4] + message.encode(0) == DATA


def test_every_proper_prefix_is_refused():
    for size in range(len(DATA)):
        explanation = explain(DATA[:size], what="response", api_key=3, version=0)
        check_covering(explanation)
        assert isinstance(explanation.error, DecodeError), size
        assert explanation.spans[-1].type == "break"
        if size >= 4:
            with pytest.raises(DecodeError) as caught:
                MetadataResponse.read(DATA[:size], 0, 4)
            assert (caught.value.position, caught.value.path) == (explanation.error.position, explanation.error.path)


def test_the_erlang_term_is_the_same_in_reversed_order():
    """The post's decoder puts each element in front of those before: brokers, topics, partitions, replicas, isr."""
    term = (SEED / "term.erl").read_text()
    brokers = [
        (int(node), host, int(port)) for node, host, port in re.findall(r'\{broker,(\d+),<<"(.*?)">>,(\d+)\}', term)
    ]
    assert brokers[::-1] == [(b["node_id"], b["host"], b["port"]) for b in TOLD["brokers"]]
    printed = []
    for topic in re.split(r"\{topic,", term)[1:]:
        name = re.match(r'<<"(.*?)">>,undefined', topic)[1]
        partitions = [
            {
                "error_code": int(error), "partition": int(number), "leader": int(leader),
                "replicas": [int(one) for one in re.findall(r"\{replica,(\d+)\}", replicas)][::-1],
                "isr": [int(one) for one in re.findall(r"\{isr,(\d+)\}", isr)][::-1],
            }
            for number, error, leader, replicas, isr in re.findall(
                r"\{partition,(\d+),(\d+),(\d+),\s*\[(.*?)\],\s*\[(.*?)\]", topic, re.DOTALL
            )
        ]  # fmt: skip
        printed.append({"error_code": 0, "name": name, "partitions": partitions[::-1]})
    assert printed[::-1] == TOLD["topics"]
    assert printed != TOLD["topics"]
