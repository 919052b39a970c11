"""Error codes against Kafka's own: all 135 of 4.3.0, the names of older releases, and numbers that no release has."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest

from kafkacodec.protocol import ErrorCode

NAMES = Path(__file__).parent.parent / "corpus" / "names"
LINES = [line.split("\t") for line in (NAMES / "names.tsv").read_text().splitlines()]
NOW = [line[1:] for line in LINES if line[0] == "now"]
EVER = [(int(line[1]), line[2]) for line in LINES if line[0] == "error"]
IN_0_8 = [line.split("\t") for line in (NAMES / "mapping-0.8.tsv").read_text().splitlines()]

# Section 4 of seeds.md: code, the guide's name of it, whether the guide says that it can be retried
GUIDE = """
-1 Unknown, 0 NoError, 1 OffsetOutOfRange, 2 InvalidMessage ®, 2 CorruptMessage ®, 3 UnknownTopicOrPartition ®,
4 InvalidMessageSize, 5 LeaderNotAvailable ®, 6 NotLeaderForPartition ®, 7 RequestTimedOut ®, 8 BrokerNotAvailable,
9 ReplicaNotAvailable, 10 MessageSizeTooLarge, 11 StaleControllerEpochCode, 12 OffsetMetadataTooLargeCode,
14 GroupLoadInProgressCode ®, 15 GroupCoordinatorNotAvailableCode ®, 16 NotCoordinatorForGroupCode ®,
17 InvalidTopicCode, 18 RecordListTooLargeCode, 19 NotEnoughReplicasCode ®, 20 NotEnoughReplicasAfterAppendCode ®,
21 InvalidRequiredAcksCode, 22 IllegalGenerationCode, 23 InconsistentGroupProtocolCode, 24 InvalidGroupIdCode,
25 UnknownMemberIdCode, 26 InvalidSessionTimeoutCode, 27 RebalanceInProgressCode, 28 InvalidCommitOffsetSizeCode,
29 TopicAuthorizationFailedCode, 30 GroupAuthorizationFailedCode, 31 ClusterAuthorizationFailedCode,
43 UnsupportedForMessageFormat
"""
IN_THE_GUIDE = [(int(code), name, bool(mark)) for code, name, mark in re.findall(r"(-?\d+) (\w+)( ®)?", GUIDE)]


def test_section_4_codes_names_and_retriable_ones_are_kafka_s() -> None:
    assert [[str(int(e)), e.name, str(e.retriable).lower()] for e in ErrorCode] == [line[:3] for line in NOW]
    assert len(ErrorCode) == len(NOW) == 135


@pytest.mark.parametrize(("code", "name", "retriable"), IN_THE_GUIDE, ids=[name for _, name, _ in IN_THE_GUIDE])
def test_section_4_the_guide_s_names_resolve(code: int, name: str, retriable: bool) -> None:
    error = ErrorCode.of(name)
    assert error == code
    assert error.retriable == (retriable or code == 9)  # 9: the guide has no mark, Kafka's exception is retriable


def test_section_4_the_guide_lacks_13() -> None:
    assert 13 not in {code for code, _, _ in IN_THE_GUIDE}
    assert ErrorCode(13).name == "NETWORK_EXCEPTION"
    assert ErrorCode(13).retriable


def test_section_4_an_unknown_code_stays_a_number() -> None:
    for code in (9999, -2, 134, 32767, -32768):
        error = ErrorCode(code)
        assert error == code
        assert hash(error) == hash(code)
        assert {code: "found"}[error] == "found"
        assert error.name == f"UNKNOWN_CODE_{code}"
        assert not error.retriable
        assert error.message
        assert ErrorCode.of(error.name) == error == ErrorCode(code)
        assert pickle.loads(pickle.dumps(error)) == copy.deepcopy(error) == error
        assert pickle.loads(pickle.dumps(error)).name == error.name
    assert len(ErrorCode) == 135


def test_every_name_that_a_release_had_resolves() -> None:
    assert len(EVER) == 140
    assert [(code, name) for code, name in EVER if ErrorCode.of(name) != code] == []
    assert [(code, name) for code, name in EVER if ErrorCode[name] != code] == []


def test_every_name_of_0_8_resolves() -> None:
    assert len(IN_0_8) == 22
    assert [(code, name) for code, name in IN_0_8 if ErrorCode.of(name) != int(code)] == []


def test_the_names_of_java_s_exceptions_resolve() -> None:
    assert [line for line in NOW if line[3] != "-" and ErrorCode.of(line[3]) != int(line[0])] == []


@pytest.mark.parametrize(
    "name",
    [
        "NOT_LEADER_FOR_PARTITION", "NotLeaderForPartition", "NotLeaderForPartitionCode", "notLeaderForPartition",
        "NOT_LEADER_OR_FOLLOWER", "NotLeaderOrFollowerException", "not_leader_or_follower",
    ],
)  # fmt: skip
def test_spellings(name: str) -> None:
    assert ErrorCode.of(name) is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("name", ["", "CODE", "NO_SUCH", "UNKNOWN_CODE_x", "6"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(KeyError, match=re.escape(repr(name))):
        ErrorCode.of(name)


def test_it_is_an_int() -> None:
    assert ErrorCode.NONE == 0
    assert not ErrorCode.NONE
    assert ErrorCode(6) is ErrorCode.NOT_LEADER_OR_FOLLOWER is ErrorCode.NOT_LEADER_FOR_PARTITION
    assert isinstance(ErrorCode(6), int)
    assert sorted([ErrorCode(9999), ErrorCode(-1), ErrorCode(3)]) == [-1, 3, 9999]
    with pytest.raises(ValueError, match="is not a valid ErrorCode"):
        ErrorCode("6")


def test_each_has_words_of_its_own() -> None:
    words = [error.message for error in ErrorCode]
    assert len(set(words)) == 135
    assert all(8 <= len(of_one) <= 100 and not of_one.endswith(".") for of_one in words)
