"""Kafka's error codes: numbers, names, whether trying again may help, a few words on each; the older names.

Codes, names and the retriable ones are those of Kafka 4.3.0 (org.apache.kafka.common.protocol.Errors; an error is
retriable where its exception is a RetriableException).
"""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from typing import Final

from kafkacodec.protocol.open_enum import squeeze, unnamed

__all__ = ["ErrorCode"]

_PREFIX: Final = "UNKNOWN_CODE_"
_SUFFIXES: Final = ("code", "exception", "error")


class ErrorCode(IntEnum):
    """An error code of a response: an int with `name`, `retriable` and `message`.

    `ErrorCode(9999)`, which Kafka 4.3.0 does not have, is 9999 all the same: UNKNOWN_CODE_9999, not retriable.
    """

    retriable: bool
    message: str

    def __new__(cls, code: int, retriable: bool = False, message: str = "") -> ErrorCode:
        """Return the member of a code; to its callers the class is called with the code alone."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.retriable = retriable
        member.message = message
        return member

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return type(self), (int(self),)  # by name, as the first enums of 3.11 do, an unknown one is not found again

    @classmethod
    def _missing_(cls, value: object) -> ErrorCode | None:
        member = unnamed(cls, value, _PREFIX)
        if member is not None:
            member.retriable = False
            member.message = "an error that Kafka 4.3.0 does not know"
        return member

    @classmethod
    def of(cls, name: str) -> ErrorCode:
        """Return the code of a name: Kafka's, one it had before, or its exception's; `KeyError` for others.

        Capitals, underscores and the words Code, Exception and Error at the end do not count: NOT_LEADER_FOR_PARTITION,
        NotLeaderForPartition and NotLeaderForPartitionCode are all NOT_LEADER_OR_FOLLOWER.
        """
        number = name.removeprefix(_PREFIX)
        if number != name and number.removeprefix("-").isdecimal():
            return cls(int(number))
        code = _codes().get(squeeze(name, _SUFFIXES))
        if code is None:
            raise KeyError(name)
        return code

    UNKNOWN_SERVER_ERROR = -1, False, "the broker failed in a way that it has no code for"
    NONE = 0, False, "no error"
    OFFSET_OUT_OF_RANGE = 1, False, "the partition's log does not have this offset"
    CORRUPT_MESSAGE = 2, True, "records fail their checksum, or are otherwise broken or not allowed there"
    UNKNOWN_TOPIC_OR_PARTITION = 3, True, "this broker has no such topic or partition"
    INVALID_FETCH_SIZE = 4, False, "the fetch asks for an impossible number of bytes"
    LEADER_NOT_AVAILABLE = 5, True, "the partition has no leader for now"
    NOT_LEADER_OR_FOLLOWER = 6, True, "this broker is not the leader, or no replica, of the partition"
    REQUEST_TIMED_OUT = 7, True, "the request took too long"
    BROKER_NOT_AVAILABLE = 8, False, "the broker is not there"
    REPLICA_NOT_AVAILABLE = 9, True, "the replica is not there, or cannot be read from"
    MESSAGE_TOO_LARGE = 10, False, "a batch is larger than the topic allows"
    STALE_CONTROLLER_EPOCH = 11, False, "the controller has moved on to a later epoch"
    OFFSET_METADATA_TOO_LARGE = 12, False, "the metadata of an offset commit is too long"
    NETWORK_EXCEPTION = 13, True, "the connection broke before the response came"
    COORDINATOR_LOAD_IN_PROGRESS = 14, True, "the coordinator is still loading its state"
    COORDINATOR_NOT_AVAILABLE = 15, True, "there is no coordinator for now"
    NOT_COORDINATOR = 16, True, "this broker is not the coordinator"
    INVALID_TOPIC_EXCEPTION = 17, False, "the topic's name is not allowed, or the topic must not be written to"
    RECORD_LIST_TOO_LARGE = 18, False, "the records are larger than a segment may be"
    NOT_ENOUGH_REPLICAS = 19, True, "too few replicas are in sync to write"
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20, True, "written, but too few replicas were in sync"
    INVALID_REQUIRED_ACKS = 21, False, "acks must be -1, 0 or 1"
    ILLEGAL_GENERATION = 22, False, "the group is in another generation"
    INCONSISTENT_GROUP_PROTOCOL = 23, False, "the member shares no protocol with the group"
    INVALID_GROUP_ID = 24, False, "the group id is not allowed"
    UNKNOWN_MEMBER_ID = 25, False, "the group does not know this member"
    INVALID_SESSION_TIMEOUT = 26, False, "the session timeout is outside of what the broker allows"
    REBALANCE_IN_PROGRESS = 27, False, "the group is rebalancing: join again"
    INVALID_COMMIT_OFFSET_SIZE = 28, False, "the offset commit makes a record that is too large"
    TOPIC_AUTHORIZATION_FAILED = 29, False, "not authorized for the topic"
    GROUP_AUTHORIZATION_FAILED = 30, False, "not authorized for the group"
    CLUSTER_AUTHORIZATION_FAILED = 31, False, "not authorized for the cluster"
    INVALID_TIMESTAMP = 32, False, "a record's timestamp is not allowed"
    UNSUPPORTED_SASL_MECHANISM = 33, False, "the broker does not have this SASL mechanism"
    ILLEGAL_SASL_STATE = 34, False, "the request does not fit the state of SASL authentication"
    UNSUPPORTED_VERSION = 35, False, "the broker does not have this version of the API"
    TOPIC_ALREADY_EXISTS = 36, False, "there is a topic of this name"
    INVALID_PARTITIONS = 37, False, "the number of partitions is not allowed"
    INVALID_REPLICATION_FACTOR = 38, False, "the replication factor is not possible"
    INVALID_REPLICA_ASSIGNMENT = 39, False, "the assignment of replicas is not possible"
    INVALID_CONFIG = 40, False, "the configuration is not valid"
    NOT_CONTROLLER = 41, True, "this broker is not the controller"
    INVALID_REQUEST = 42, False, "the request contradicts itself, or is otherwise not allowed"
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43, False, "the format of the log's messages cannot do this"
    POLICY_VIOLATION = 44, False, "a policy of the cluster forbids it"
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45, False, "a batch of the producer is missing before this one"
    DUPLICATE_SEQUENCE_NUMBER = 46, False, "the broker has had this batch before"
    INVALID_PRODUCER_EPOCH = 47, False, "a producer with a later epoch is at work"
    INVALID_TXN_STATE = 48, False, "the transaction is not in a state for this"
    INVALID_PRODUCER_ID_MAPPING = 49, False, "the producer id does not belong to this transactional id"
    INVALID_TRANSACTION_TIMEOUT = 50, False, "the transaction timeout is longer than the broker allows"
    CONCURRENT_TRANSACTIONS = 51, True, "the transaction before is still being completed"
    TRANSACTION_COORDINATOR_FENCED = 52, False, "another transaction coordinator has taken over"
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53, False, "not authorized for the transactional id"
    SECURITY_DISABLED = 54, False, "the broker has no security switched on"
    OPERATION_NOT_ATTEMPTED = 55, False, "not attempted, because something else in the request failed"
    KAFKA_STORAGE_ERROR = 56, True, "the broker's disk failed"
    LOG_DIR_NOT_FOUND = 57, False, "the broker is not configured with this log directory"
    SASL_AUTHENTICATION_FAILED = 58, False, "SASL authentication failed"
    UNKNOWN_PRODUCER_ID = 59, False, "the broker no longer knows this producer id"
    REASSIGNMENT_IN_PROGRESS = 60, False, "partitions are being reassigned"
    DELEGATION_TOKEN_AUTH_DISABLED = 61, False, "delegation tokens are not switched on"
    DELEGATION_TOKEN_NOT_FOUND = 62, False, "there is no such delegation token"
    DELEGATION_TOKEN_OWNER_MISMATCH = 63, False, "the delegation token belongs to someone else"
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64, False, "delegation tokens are not handed out over such a connection"
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65, False, "not authorized for the delegation token"
    DELEGATION_TOKEN_EXPIRED = 66, False, "the delegation token has expired"
    INVALID_PRINCIPAL_TYPE = 67, False, "this type of principal is not supported"
    NON_EMPTY_GROUP = 68, False, "the group still has members"
    GROUP_ID_NOT_FOUND = 69, False, "there is no such group"
    FETCH_SESSION_ID_NOT_FOUND = 70, True, "the broker does not know the fetch session"
    INVALID_FETCH_SESSION_EPOCH = 71, True, "the fetch session is in another epoch"
    LISTENER_NOT_FOUND = 72, True, "the leader does not have the listener that the request came in by"
    TOPIC_DELETION_DISABLED = 73, False, "topics must not be deleted here"
    FENCED_LEADER_EPOCH = 74, True, "the partition has a later leader epoch than the request"
    UNKNOWN_LEADER_EPOCH = 75, True, "the request has a later leader epoch than the broker"
    UNSUPPORTED_COMPRESSION_TYPE = 76, False, "this version of the API does not go with the compression"
    STALE_BROKER_EPOCH = 77, False, "the broker has been restarted since"
    OFFSET_NOT_AVAILABLE = 78, True, "the new leader does not know its end of the log yet"
    MEMBER_ID_REQUIRED = 79, False, "join again with the member id of the response"
    PREFERRED_LEADER_NOT_AVAILABLE = 80, True, "the preferred leader is not there"
    GROUP_MAX_SIZE_REACHED = 81, False, "the group is full"
    FENCED_INSTANCE_ID = 82, False, "another member has taken over the instance id"
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83, True, "no replica that might lead is there"
    ELECTION_NOT_NEEDED = 84, True, "the partition has the leader that it should have"
    NO_REASSIGNMENT_IN_PROGRESS = 85, False, "no reassignment of partitions is under way"
    GROUP_SUBSCRIBED_TO_TOPIC = 86, False, "the group's offsets of a topic that it consumes cannot be deleted"
    INVALID_RECORD = 87, False, "the broker refuses a record"
    UNSTABLE_OFFSET_COMMIT = 88, True, "transactions that commit offsets are still open"
    THROTTLING_QUOTA_EXCEEDED = 89, True, "a quota is used up"
    PRODUCER_FENCED = 90, False, "another producer with the same transactional id has taken over"
    RESOURCE_NOT_FOUND = 91, False, "there is no such resource"
    DUPLICATE_RESOURCE = 92, False, "the request names a resource twice"
    UNACCEPTABLE_CREDENTIAL = 93, False, "the credential does not meet what is required of it"
    INCONSISTENT_VOTER_SET = 94, False, "sender and receiver do not agree on who votes"
    INVALID_UPDATE_VERSION = 95, False, "the version to update to is not valid"
    FEATURE_UPDATE_FAILED = 96, False, "features could not be updated"
    PRINCIPAL_DESERIALIZATION_FAILURE = 97, False, "the principal of a forwarded request cannot be read"
    SNAPSHOT_NOT_FOUND = 98, False, "there is no such snapshot"
    POSITION_OUT_OF_RANGE = 99, False, "the position lies outside of the snapshot"
    UNKNOWN_TOPIC_ID = 100, True, "this broker has no topic of this id"
    DUPLICATE_BROKER_REGISTRATION = 101, False, "a broker of this id is registered and alive"
    BROKER_ID_NOT_REGISTERED = 102, False, "no broker of this id is registered"
    INCONSISTENT_TOPIC_ID = 103, True, "the log's topic id is not the one of the request"
    INCONSISTENT_CLUSTER_ID = 104, False, "the request is meant for another cluster"
    TRANSACTIONAL_ID_NOT_FOUND = 105, False, "there is no such transactional id"
    FETCH_SESSION_TOPIC_ID_ERROR = 106, True, "the fetch session mixes topic ids with none"
    INELIGIBLE_REPLICA = 107, False, "the replica must not join the in-sync ones"
    NEW_LEADER_ELECTED = 108, False, "the change of in-sync replicas made another leader"
    OFFSET_MOVED_TO_TIERED_STORAGE = 109, False, "the offset lies in remote storage only"
    FENCED_MEMBER_EPOCH = 110, False, "the coordinator has fenced the member's epoch: join again"
    UNRELEASED_INSTANCE_ID = 111, False, "another member still uses the instance id"
    UNSUPPORTED_ASSIGNOR = 112, False, "the group does not have this assignor"
    STALE_MEMBER_EPOCH = 113, False, "the member is in a later epoch"
    MISMATCHED_ENDPOINT_TYPE = 114, False, "meant for a broker but sent to a controller, or the other way round"
    UNSUPPORTED_ENDPOINT_TYPE = 115, False, "this type of endpoint is not supported"
    UNKNOWN_CONTROLLER_ID = 116, False, "no controller of this id is known"
    UNKNOWN_SUBSCRIPTION_ID = 117, False, "the client's telemetry subscription is out of date"
    TELEMETRY_TOO_LARGE = 118, False, "the telemetry is larger than the broker takes"
    INVALID_REGISTRATION = 119, False, "the controller refuses the registration"
    TRANSACTION_ABORTABLE = 120, False, "the transaction can only be aborted"
    INVALID_RECORD_STATE = 121, False, "the shared record is not in a state for this acknowledgement"
    SHARE_SESSION_NOT_FOUND = 122, True, "the broker does not know the share session"
    INVALID_SHARE_SESSION_EPOCH = 123, True, "the share session is in another epoch"
    FENCED_STATE_EPOCH = 124, False, "the share coordinator has a later state epoch"
    INVALID_VOTER_KEY = 125, False, "the voter's key is not this voter's"
    DUPLICATE_VOTER = 126, False, "the voter is one already"
    VOTER_NOT_FOUND = 127, False, "there is no such voter"
    INVALID_REGULAR_EXPRESSION = 128, False, "the regular expression is not valid"
    REBOOTSTRAP_REQUIRED = 129, False, "the client should begin again from its bootstrap servers"
    STREAMS_INVALID_TOPOLOGY = 130, False, "the topology of the streams group is not valid"
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131, False, "the epoch of the topology is not valid"
    STREAMS_TOPOLOGY_FENCED = 132, False, "the group has a later epoch of the topology"
    SHARE_SESSION_LIMIT_REACHED = 133, True, "the broker has as many share sessions as it may"

    # Names that Errors had before: up to 0.10.2, UNKNOWN up to 0.11, NOT_LEADER_FOR_PARTITION up to 2.5
    GROUP_LOAD_IN_PROGRESS = 14
    GROUP_COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR_FOR_GROUP = 16
    UNKNOWN = -1
    NOT_LEADER_FOR_PARTITION = 6


_OTHER_NAMES: Final = {
    # Kafka's guide to the protocol, and kafka.common.ErrorMapping of the brokers up to 0.9
    "NoError": 0,
    "InvalidMessage": 2,
    "InvalidMessageSize": 4,
    "MessageSizeTooLarge": 10,
    "StaleLeaderEpoch": 13,  # between brokers of 0.8, which clients had no network error for
    "OffsetsLoadInProgress": 14,
    "ConsumerCoordinatorNotAvailable": 15,
    "NotCoordinatorForConsumer": 16,
    "MessageSetSizeTooLarge": 18,
    # the exceptions of Java's client, where they are called other than the error
    "CorruptRecordException": 2,
    "TimeoutException": 7,
    "RecordTooLargeException": 10,
    "ControllerMovedException": 11,
    "RecordBatchTooLargeException": 18,
    "TopicAuthorizationException": 29,
    "GroupAuthorizationException": 30,
    "ClusterAuthorizationException": 31,
    "TopicExistsException": 36,
    "InvalidConfigurationException": 40,
    "OutOfOrderSequenceException": 45,
    "DuplicateSequenceException": 46,
    "InvalidPidMappingException": 49,
    "InvalidTxnTimeoutException": 50,
    "TransactionalIdAuthorizationException": 53,
    "SaslAuthenticationException": 58,
    "DelegationTokenDisabledException": 61,
    "UnsupportedByAuthenticationException": 64,
    "DelegationTokenAuthorizationException": 65,
    "GroupNotEmptyException": 68,
    "PrincipalDeserializationException": 97,
}


@cache
def _codes() -> dict[str, ErrorCode]:
    names = ErrorCode.__members__ | {name: ErrorCode(code) for name, code in _OTHER_NAMES.items()}
    return {squeeze(name, _SUFFIXES): code for name, code in names.items()}
