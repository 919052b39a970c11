"""Captures explained: streams put in order, frames cut, responses matched with requests; hostile files survived."""

from __future__ import annotations

import gzip
import random
from collections import Counter

import pytest
from captures import CLIENT6, SERVER6, Talk, ethernet, ip, pcap, pcapng, tcp
from covering import CORPUS, check_covering
from test_explained_frames import framed, request

from kafkacodec.protocol import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    MetadataRequest,
    MetadataResponse,
    ResponseHeader,
    explain,
)

FIRST = framed(request(ApiVersionsRequest(client_software_name="x", client_software_version="1"), 3, 2, 1))
SECOND = framed(request(MetadataRequest(topics=None), 9, 2, 2))
THIRD = framed(request(MetadataRequest(topics=[]), 1, 1, 3))
ANSWER1 = framed(ResponseHeader(correlation_id=1).encode(0) + ApiVersionsResponse().encode(3))
ANSWER2 = framed(ResponseHeader(correlation_id=2).encode(1) + MetadataResponse(cluster_id="c").encode(9))
ANSWER3 = framed(ResponseHeader(correlation_id=3).encode(0) + MetadataResponse().encode(1))
NAMES = [
    "ApiVersionsRequest v3", "ApiVersionsResponse v3", "MetadataRequest v9", "MetadataRequest v1",
    "MetadataResponse v9", "MetadataResponse v1",
]  # fmt: skip


def talk(**where):
    one = Talk(**where)
    one.say(0, FIRST)
    one.say(1, ANSWER1, pieces=3)
    one.say(0, SECOND + THIRD, pieces=4)
    one.say(1, ANSWER2 + ANSWER3, pieces=2)
    return one


def names(explanation):
    return [part.title.rpartition(": ")[2] for part in explanation.parts]


@pytest.mark.parametrize("link", [1, 0, 108, 101, 113, 276])
@pytest.mark.parametrize(
    "write",
    [
        pcap,
        lambda packets, link: pcap(packets, link, ">", 0xA1B23C4D),
        pcapng,
        lambda packets, link: pcapng(packets, link, ">"),
        lambda packets, link: pcapng(packets, link, kind=3),
        lambda packets, link: pcapng(packets, link, kind=2),
    ],
    ids=["pcap", "pcap-big-ns", "pcapng", "pcapng-big", "pcapng-simple", "pcapng-old"],
)
def test_both_formats_and_all_link_layers(write, link):
    explanation = explain(write(talk(link=link).packets, link))
    assert explanation.what == "pcap"
    check_covering(explanation)
    assert explanation.ok
    assert sorted(names(explanation)) == sorted(NAMES)
    assert sorted(bytes(part.data) for part in explanation.parts) == sorted(
        [FIRST, ANSWER1, SECOND, THIRD, ANSWER2, ANSWER3]
    )


def test_the_order_is_that_of_the_packets():
    explanation = explain(pcap(talk().packets))
    assert names(explanation)[:2] == NAMES[:2]
    assert explanation.parts[0].title.startswith("10.0.0.1:40000 > 10.0.0.2:9092, packet 3")


def test_ipv6_with_and_without_extension_headers():
    assert len(explain(pcap(talk(client=CLIENT6, server=SERVER6).packets)).parts) == 6
    packet = ip(CLIENT6, SERVER6, tcp(CLIENT6, SERVER6, 5, FIRST), extension=bytes([6, 0]) + bytes(6))
    assert names(explain(pcap([ethernet(packet)]))) == NAMES[:1]


def test_vlans_and_padding():
    packet = ip(("10.0.0.1", 1), ("10.0.0.2", 2), tcp(("10.0.0.1", 1), ("10.0.0.2", 2), 5, FIRST))
    explanation = explain(pcap([ethernet(packet, vlan=True) + bytes(9)]))
    assert names(explanation) == NAMES[:1]
    assert "padding" in {span.type for span in explanation.spans}


@pytest.mark.parametrize("seed", range(5))
def test_disorder_and_repetition_change_nothing(seed):
    chance = random.Random(seed)
    packets = talk().packets
    moved = packets[:2] + chance.sample(packets[2:], len(packets) - 2) + chance.sample(packets, 4)
    explanation = explain(pcap(moved))
    assert explanation.ok
    assert sorted(names(explanation)) == sorted(NAMES)


def test_overlapping_segments():
    one = Talk()
    one.send(0, FIRST[:20])
    one.next[0] -= 10
    one.send(0, FIRST[10:])
    explanation = explain(pcap(one.packets))
    assert [bytes(part.data) for part in explanation.parts] == [FIRST]


def test_a_capture_that_begins_in_the_middle():
    one = Talk(syn=False)
    one.say(1, ANSWER2[-5:])
    one.say(0, FIRST[-7:])
    one.say(0, SECOND)
    one.say(1, ANSWER2)
    explanation = explain(pcap(one.packets))
    assert names(explanation)[:1] == ["MetadataRequest v9"]
    assert "MetadataResponse v9" in names(explanation)


def test_a_lost_packet_costs_only_its_frame():
    one = Talk()
    one.say(0, FIRST)
    one.next[0] += len(SECOND)  # never captured
    one.say(0, THIRD)
    explanation = explain(pcap(one.packets))
    assert names(explanation) == ["ApiVersionsRequest v3", "MetadataRequest v1"]


def test_a_response_without_its_request():
    one = Talk()
    one.say(0, THIRD)
    one.say(1, ANSWER2)
    explanation = explain(pcap(one.packets))
    assert names(explanation) == ["MetadataRequest v1", "unanswered frame"]
    check_covering(explanation)


def test_the_same_ports_again():
    first, second = talk(), talk(start=(77, 99))
    explanation = explain(pcap(first.packets + second.packets))
    assert sorted(names(explanation)) == sorted(NAMES * 2)


def test_a_cut_frame_is_broken():
    one = Talk()
    one.say(0, SECOND[:-2])
    explanation = explain(pcap(one.packets))
    assert not explanation.ok
    assert explanation.parts[0].error is not None
    assert explanation.errors == []


def test_a_capture_of_more_than_can_be_named_is_cut():
    explanation = explain(pcap(talk().packets), max_spans=60)
    check_covering(explanation)
    assert not explanation.ok
    assert len(explanation.parts) < 6
    assert "max_spans" in str(explanation.errors[-1])


def test_what_is_not_kafkas_has_no_parts():
    one = Talk()
    one.say(0, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    explanation = explain(pcap([*one.packets, b"", b"\0" * 14, ethernet(b"\x45" + bytes(19))]))
    check_covering(explanation)
    assert explanation.ok
    assert explanation.parts == []


def test_every_prefix_and_many_mutations_are_survived():
    chance = random.Random(3)
    for data in (pcap(talk().packets), pcapng(talk().packets)):
        for size in range(4, len(data)):
            explanation = explain(data[:size], "pcap")
            check_covering(explanation)
        for _ in range(400):
            changed = bytearray(data)
            for _ in range(chance.choice((1, 2, 5))):
                changed[chance.randrange(len(changed))] = chance.choice((0, 0xFF, 0x7F, chance.randrange(256)))
            check_covering(explain(changed, "pcap"))
    check_covering(explain(b"", "pcap"))
    assert not explain(b"hello, world, hello", "pcap").ok


def test_a_broken_capture_is_read_up_to_the_break():
    data = pcap(talk().packets)
    explanation = explain(data[:-3])
    assert explanation.spans[-1].type == "break"
    assert len(explanation.parts) >= 4


@pytest.fixture(scope="module")
def recorded():
    """Return the explanation of what librdkafka and a real broker said to each other."""
    return explain(gzip.decompress((CORPUS / "captures" / "librdkafka-4.3.0.pcap.gz").read_bytes()))


def test_real_traffic_is_read_whole(recorded):
    check_covering(recorded)
    assert recorded.what == "pcap"
    assert recorded.ok
    seen = Counter(names(recorded))
    assert len(recorded.parts) == sum(seen.values()) == 194
    for name, count in seen.items():
        if "Request" in name:
            assert seen[name.replace("Request", "Response")] == count, name
    assert {"ProduceRequest v10", "FetchResponse v16", "JoinGroupRequest v5", "OffsetCommitRequest v9"} <= set(seen)
    payload = sum(span.end - span.start for span in recorded.spans if span.type == "TCP")
    again = 233  # a segment that the kernel sent twice
    assert payload == sum(len(part.data) for part in recorded.parts) + again  # nothing of the streams is left over


def test_real_traffic_is_read_down_to_records_and_subscriptions(recorded):
    found = Counter()
    values = set()

    def look(explanation):
        for _, _, node in explanation.walk():
            found[str(node.name).split(".")[0] if node.type == "message" else node.type] += 1
            if node.name == "value" and node.type == "bytes":
                values.add(node.value)
        for part in explanation.parts:
            look(part)

    look(recorded)
    assert found["ConsumerProtocolSubscription"] == 7
    assert found["ConsumerProtocolAssignment"] == 2
    assert found["record"] == 80  # 40 produced, and fetched again
    assert found["zstd"] >= 1
    assert {b"value %d " % number * 3 for number in range(20)} <= values


def test_real_traffic_from_the_middle_on():
    data = gzip.decompress((CORPUS / "captures" / "librdkafka-4.3.0.pcap.gz").read_bytes())
    whole = explain(data)
    packets = [node for node in whole.tree.children if node.type == "packet"]
    cut = data[:24] + data[packets[len(packets) // 2].start :]
    explanation = explain(cut)
    check_covering(explanation)
    told = [part for part in explanation.parts if "unanswered" not in part.title]
    assert len(told) > 50
    assert all(part.ok for part in told)
