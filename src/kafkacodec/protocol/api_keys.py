"""Kafka's API keys: numbers, names and the classes of their requests and responses; the older names."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

from kafkacodec.errors import Unsupported
from kafkacodec.protocol.message import Message, message_class
from kafkacodec.protocol.open_enum import squeeze, unnamed
from kafkacodec.protocol.schema import Kind, names_of_key

__all__ = ["ApiKey", "api_name", "request_class", "response_class"]

_PREFIX: Final = "UNKNOWN_KEY_"
_SUFFIXES: Final = ("key", "request", "response")


class ApiKey(IntEnum):
    """The number of an API, first in the header of a request; `ApiKey(9999)` is 9999, and called UNKNOWN_KEY_9999."""

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return type(self), (int(self),)  # by name, as the first enums of 3.11 do, an unknown one is not found again

    @classmethod
    def _missing_(cls, value: object) -> ApiKey | None:
        return unnamed(cls, value, _PREFIX)

    @classmethod
    def of(cls, name: str) -> ApiKey:
        """Return the key of a name: Kafka's, or one it had before; `KeyError` for others.

        Capitals, underscores and the words Key, Request and Response at the end do not count: LIST_OFFSETS, ListOffsets
        and the older OffsetRequest are all 2.
        """
        number = name.removeprefix(_PREFIX)
        if number != name and number.removeprefix("-").isdecimal():
            return cls(int(number))
        key = _keys().get(squeeze(name, _SUFFIXES))
        if key is None:
            raise KeyError(name)
        return key

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92


_OLDER_NAMES: Final = {
    "Offset": 2,  # Kafka's guide to the protocol, 0.8 to 0.10
    "Offsets": 2,  # ApiKeys, 0.9 to 0.11
    "ConsumerMetadata": 10,  # 0.8
    "GroupCoordinator": 10,  # 0.9, 0.10
    "ElectPreferredLeaders": 43,  # 2.2, 2.3
    "AlterIsr": 56,  # 2.7 to 3.0
    "ListClientMetricsResources": 74,  # 3.7 to 4.0
}


@cache
def _keys() -> dict[str, ApiKey]:
    names = dict(ApiKey.__members__) | {name: ApiKey(key) for name, key in _OLDER_NAMES.items()}
    return {squeeze(name, _SUFFIXES): key for name, key in names.items()}


def api_name(api_key: int) -> str:
    """Return the name of an API as Kafka's messages have it, `ListOffsets` for 2; `Unsupported` for unknown keys."""
    return _name("request", api_key).removesuffix("Request")


def request_class(api_key: int | str) -> type[Message]:
    """Return the class of an API's requests, by its key or by any of its names.

    Raises `Unsupported` for a key that no API has, `KeyError` for a name that none has or had.
    """
    return message_class(_name("request", api_key))


def response_class(api_key: int | str) -> type[Message]:
    """Return the class of an API's responses; errors as `request_class`."""
    return message_class(_name("response", api_key))


def _name(kind: Kind, api_key: int | str) -> str:
    key = ApiKey.of(api_key) if isinstance(api_key, str) else api_key
    names = names_of_key(kind)
    if key not in names:
        raise Unsupported("unknown API key", expected=f"{min(names)} to {max(names)}", found=int(key))
    return names[key]
