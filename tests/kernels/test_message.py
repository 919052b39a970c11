"""The kernel of messages: the twins agree on what is well-formed, cut, flipped and hostile, and on what is refused."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import random
import struct
import sys
from array import array
from functools import cache
from types import SimpleNamespace
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacodec import wiretypes as wire
from kafkacodec._pure import message as pure_message
from kafkacodec.errors import Corrupt, DecodeError, EncodeError, Truncated
from kafkacodec.protocol.message import message_class
from kafkacodec.protocol.plan import compile_plan
from kafkacodec.protocol.schema import index, schema

EVERYTHING = [(name, version) for name in index() for version in message_class(name).valid_versions]
NEWEST = [(name, schema(name).versions.last) for name in index()]
EDGES = {
    wire.BOOL: (False, True),
    wire.INT8: (0, -1, 127, -128),
    wire.INT16: (0, -1, 0x7FFF, -0x8000),
    wire.UINT16: (0, 0xFFFF),
    wire.INT32: (0, -1, 2**31 - 1, -(2**31)),
    wire.UINT32: (0, 2**32 - 1),
    wire.INT64: (0, -1, 2**63 - 1, -(2**63)),
    wire.FLOAT64: (0.0, -1.5, math.inf),
    wire.UUID: (UUID(int=0), UUID(int=1), UUID(int=2**128 - 1), UUID("d9b2d63d-a233-4123-847a-6a6f2c1d5c1e")),
}
TEXTS = ("", "topic", "größe", "日本", "\0", "x" * 200)
CONTENTS = (b"", b"\0", b"\xff" * 130, bytes(range(256)))


@cache
def plan_of(name, version):
    return compile_plan(schema(name), version, message_class(name)._classes)


@cache
def _prepared(kernel, name, version):
    return kernel.prepare(f"{name}.v{version}", plan_of(name, version))


def decode(backend, name, version, data, start=0):
    return backend.message.decode(_prepared(backend.message, name, version), data, start)


def encode(backend, name, version, message):
    return backend.message.encode(_prepared(backend.message, name, version), message)


def outcome(call, *arguments):
    """Return the result, or all that the error says."""
    try:
        return "done", call(*arguments)
    except Exception as error:  # whatever it is, it has to be the same
        return type(error), str(error), getattr(error, "position", None), getattr(error, "path", None)


def shape(value):
    """Return a value so that `==` means the same types and contents all the way down."""
    if isinstance(value, list | tuple):
        return type(value), [shape(one) for one in value]
    if hasattr(value, "_defaults"):
        names = (*value._defaults, "unknown_tagged_fields")
        return type(value), [shape(getattr(value, name)) for name in names]
    if isinstance(value, memoryview):
        return value.readonly, value.format, value.ndim, bytes(value)
    if isinstance(value, UUID):
        return type(value), value.int, value.is_safe
    if isinstance(value, float):
        return type(value), struct.pack(">d", value)
    return type(value), value


def agree(twins, call, *arguments):
    """Return the outcome that both twins have."""
    pure, native = (outcome(call, twin, *arguments) for twin in (twins.pure, twins.native))
    assert shape(native) == shape(pure)
    return pure


def random_value(kind, step, plans, chance, depth):
    plain = kind & ~wire.COMPACT
    if kind in EDGES:
        return chance.choice(EDGES[kind])
    if plain == wire.STRUCT:
        return random_message(plans, step.struct, chance, depth + 1)
    return chance.choice(TEXTS if plain == wire.STRING else CONTENTS)


def random_field(step, plans, chance, depth):
    if step.nullable and chance.random() < 0.2:
        return None
    if step.kind & ~wire.COMPACT != wire.ARRAY:
        return random_value(step.kind, step, plans, chance, depth)
    count = chance.choice((0, 1, 2, 3) if depth < 2 else (0, 1))
    return [random_value(step.element, step, plans, chance, depth) for _ in range(count)]


def random_message(plans, place, chance, depth=0):
    """Return a message, or a structure of one, with random values in what the version has."""
    plan = plans[place]
    message = plan.cls()
    for step in [*plan.steps, *(step for _, step in plan.tagged)]:
        if chance.random() < 0.9 or getattr(message, step.name) is None:
            setattr(message, step.name, random_field(step, plans, chance, depth))
    if plan.flexible and chance.random() < 0.2:
        taken = dict(plan.tagged)
        tags = {chance.choice((2, 7, 127, 128, 10001, 2**32 - 1)) for _ in range(3)} - taken.keys()
        message.unknown_tagged_fields = [(tag, chance.choice(CONTENTS)) for tag in sorted(tags)]
    return message


def random_bytes(twins, name, version, seed):
    plans = plan_of(name, version)
    message = random_message(plans, len(plans) - 1, random.Random(seed))
    status, data = agree(twins, encode, name, version, message)[:2]
    assert status == "done", data
    return message, data


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(EVERYTHING), st.integers(0, 2**32))
def test_random_messages_are_written_and_read_alike(twins, which, seed):
    message, data = random_bytes(twins, *which, seed)
    status, (decoded, end) = agree(twins, decode, *which, data)
    assert status == "done"
    assert end == len(data)
    assert decoded == message
    assert encode(twins.native, *which, decoded) == data


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(EVERYTHING), st.integers(0, 2**32))
def test_the_short_cut_of_the_pure_twin_reads_all_that_is_good(twins, which, seed):
    """What the careful reader makes of it is the same: that is otherwise asked only where something is wrong."""
    _, data = random_bytes(twins, *which, seed)
    program = _prepared(twins.pure.message, *which)
    view = memoryview(data)
    (quick,), end = pure_message.read_structures(program.message, data, view, 0, 1)
    careful = pure_message.read_structure(program.message, view, 0, len(data))
    assert shape(careful) == shape((quick, end))
    assert shape(pure_message.read_structures(program.message, view, view, 0, 1)) == shape(([quick], end))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(EVERYTHING), st.integers(0, 2**32))
def test_every_prefix(twins, which, seed):
    _, data = random_bytes(twins, *which, seed)
    for size in range(min(len(data), 400)):
        assert issubclass(agree(twins, decode, *which, data[:size])[0], DecodeError)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(EVERYTHING), st.integers(0, 2**32), st.data())
def test_damaged_bytes(twins, which, seed, data):
    _, good = random_bytes(twins, *which, seed)
    damaged = bytearray(good or b"\0")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(damaged) - 1))
        kind = data.draw(st.sampled_from(("flip", "set", "insert", "long")))
        if kind == "flip":
            damaged[at] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "set":
            damaged[at] = data.draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF)))
        elif kind == "insert":
            damaged[at:at] = data.draw(st.sampled_from((b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x08", b"\xff" * 6)))
        else:
            damaged[at : at + 4] = data.draw(st.sampled_from((b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\xff\xff\xff\xfe")))
    status = agree(twins, decode, *which, bytes(damaged))[0]
    assert status == "done" or issubclass(status, DecodeError)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(EVERYTHING), st.binary(max_size=200))
def test_arbitrary_bytes(twins, which, data):
    status = agree(twins, decode, *which, data)[0]
    assert status == "done" or issubclass(status, DecodeError)


HOSTILE = [
    # (message, version, bytes, class of the error, position, path behind the version, words)
    ("MetadataRequest", 9, b"\xff\xff\xff\xff\x07", Truncated, 0, ".topics", "array has more elements"),
    ("MetadataRequest", 9, b"\xff\xff\xff\xff\xff\xff", Corrupt, 0, ".topics", "varint is too long"),
    ("MetadataRequest", 9, b"\x02\x00\x00\x01\x01\x01\x00", Corrupt, 1, ".topics[0].name", "must not be null"),
    ("MetadataRequest", 1, b"\x7f\xff\xff\xff", Truncated, 0, ".topics", "array has more elements"),
    ("MetadataRequest", 0, b"\xff\xff\xff\xff", Corrupt, 0, ".topics", "must not be null"),
    ("MetadataRequest", 1, b"\0\0\0\1\x7f\xffab", Truncated, 4, ".topics[0].name", "longer than what is left"),
    ("MetadataRequest", 1, b"\0\0\0\1\0\5ab", Truncated, 4, ".topics[0].name", "longer than what is left"),
    ("SaslAuthenticateRequest", 0, b"\x80\0\0\0", Corrupt, 0, ".auth_bytes", "must not be null"),
    ("ApiVersionsRequest", 3, b"\x81\x80\x02" + bytes(40000), Corrupt, 0, ".client_software_name", "longer than Kafka"),
    ("ApiVersionsRequest", 3, b"\x01\x01\x7f", Truncated, 2, ".tagged_fields", "array has more elements"),
    ("ApiVersionsRequest", 3, b"\x01\x01\x01\x07\x05ab", Truncated, 4, ".tagged_fields", "longer than what is left"),
    ("FetchRequest", 12, bytes(25) + b"\x01\x01\x01\x01\x00\x03\x01\x00\x00", Corrupt, 30, ".cluster_id", "not fill"),
]


@pytest.mark.parametrize(("name", "version", "data", "error", "position", "path", "words"), HOSTILE)
def test_hostile_lengths_and_counts(twins, name, version, data, error, position, path, words):
    found = agree(twins, decode, name, version, data)
    assert found[0] is error
    assert words in found[1]
    assert found[2:] == (position, f"{name}.v{version}{path}")


def test_text_that_is_not_utf8_is_read_as_java_does(twins):
    data = b"\0\0\0\1\0\4a\xed\xa0\x80"
    assert agree(twins, decode, "MetadataRequest", 1, data)[1][0].topics[0].name == "a\ufffd"


@pytest.mark.parametrize(
    "buffer",
    [
        bytes,
        bytearray,
        memoryview,
        lambda data: memoryview(data).cast("b"),
        lambda data: array("H", data),
        lambda data: memoryview(data + data)[len(data) :],
        lambda data: memoryview(data * 2)[::2],
        lambda data: data.hex(),
        lambda data: None,
        lambda data: memoryview(data).cast("B", (2, len(data) // 2)),
    ],
)
def test_buffers_of_any_kind(twins, buffer):
    message = message_class("ProduceRequest")()
    topic = message.TopicProduceData(name="t")
    topic.partition_data = [message.PartitionProduceData(index=1, records=b"abcdefg")]
    message.topic_data = [topic]
    data = encode(twins.pure, "ProduceRequest", 7, message)
    assert len(data) % 2 == 0
    pure, native = (outcome(decode, twin, "ProduceRequest", 7, buffer(data)) for twin in (twins.pure, twins.native))
    assert pure[0] == native[0]
    if pure[0] == "done":
        assert shape(pure) == shape(native)


def test_records_are_a_view_that_cannot_be_written_to(backend):
    message = message_class("ProduceRequest")()
    topic = message.TopicProduceData(name="t")
    topic.partition_data = [message.PartitionProduceData(index=1, records=b"abcdefg")]
    message.topic_data = [topic]
    data = bytearray(b"..." + encode(backend, "ProduceRequest", 9, message))
    decoded, end = decode(backend, "ProduceRequest", 9, data, 3)
    records = decoded.topic_data[0].partition_data[0].records
    assert end == len(data)
    assert records.obj is data
    assert records.readonly
    at = data.index(b"abcdefg")
    data[at : at + 7] = b"ABCDEFG"  # no copy was made
    assert records == b"ABCDEFG"
    with pytest.raises(BufferError):
        data.clear()


@pytest.mark.parametrize("start", [-1, 1000, 2**70, -(2**70), "0", None])
def test_a_start_outside_of_the_buffer(twins, start):
    assert agree(twins, decode, "HeartbeatRequest", 0, b"abc", start)[0] in (ValueError, TypeError)


class Strange:
    """An object that raises, or answers, as it is told."""

    def __init__(self, **answers):
        self.answers = answers

    def _answer(self, name):
        answer = self.answers.get(name, ZeroDivisionError(name))
        if isinstance(answer, Exception):
            raise answer
        return answer

    __hash__ = None
    __index__ = __float__ = __bool__ = __len__ = __eq__ = lambda self, *_: None


for method in ("__index__", "__float__", "__bool__", "__len__", "__iter__"):
    setattr(Strange, method, lambda self, method=method: self._answer(method))
Strange.__eq__ = lambda self, other: self._answer("__eq__")


class Text(str):
    __slots__ = ()

    def encode(self, *_):
        raise ZeroDivisionError("encode")


class Number(int):
    def __index__(self):
        raise ZeroDivisionError("index")


class Numbers(list):
    def __iter__(self):
        return iter((7, 8, 9))

    def __len__(self):
        return 1


class OddUuid(UUID):
    bytes = "no bytes"


class BrokenUuid(UUID):
    @property
    def bytes(self):
        raise ZeroDivisionError("bytes")


def stale_uuid(number):
    made = UUID(int=1)
    object.__setattr__(made, "int", number)
    return made


WRONG = [
    None,
    True,
    0,
    5,
    -1,
    127,
    128,
    2**15,
    2**31,
    2**32,
    2**63,
    -(2**63) - 1,
    10**5000,
    Number(6),
    1.5,
    math.nan,
    2**2000,
    "text",
    Text("subclass"),
    "\ud800",
    "x" * 32767,
    "ö" * 16384,
    b"bytes",
    bytearray(b"array"),
    memoryview(b"strided")[::2],
    array("d", [1.0]),
    UUID(int=5),
    OddUuid(int=5),
    BrokenUuid(int=5),
    stale_uuid(-1),
    stale_uuid(2**128),
    stale_uuid("7"),
    [],
    (),
    [None],
    (5,),
    ["text", 5],
    [UUID(int=3), "x"],
    Numbers([1]),
    {},
    {1: 2},
    object(),
    SimpleNamespace(unknown_tagged_fields=[]),
    message_class("ProduceRequest"),
    Strange(),
    Strange(__index__=TypeError("own")),
    Strange(__index__=OverflowError("own")),
    Strange(__index__=struct.error("own")),
    Strange(__index__=5, __float__=2.5, __bool__=True, __eq__=False),
    Strange(__index__=2**80, __bool__=TypeError("own"), __float__=TypeError("own"), __eq__=False),
    Strange(__float__=OverflowError("own"), __eq__=False),
    Strange(__index__="no number", __bool__=2, __float__="no float", __eq__=True),
]


@pytest.mark.parametrize("kind", sorted({index()[name].kind for name in index()}))
def test_values_of_wrong_types(twins, kind):
    seen = set()
    for name, version in NEWEST:
        if index()[name].kind != kind:
            continue
        plans = plan_of(name, version)
        for place, plan in enumerate(plans):
            fields = [*plan.steps, *(step for _, step in plan.tagged)]
            for field in (*fields, *plan.absent, SimpleNamespace(name="unknown_tagged_fields")):
                sort = tuple(getattr(field, fact, None) for fact in ("kind", "nullable", "element", "refused"))
                if (sort, plan.flexible, place == len(plans) - 1) in seen:
                    continue
                seen.add((sort, plan.flexible, place == len(plans) - 1))
                for value in WRONG:
                    message = plan.cls()
                    setattr(message, field.name, value)
                    found = [
                        outcome(twin.message.encode, _beginning(twin.message, name, version, place + 1), message)
                        for twin in (twins.pure, twins.native)
                    ]
                    assert found[0] == found[1], (name, version, field, type(value))


@cache
def _beginning(kernel, name, version, count):
    """Prepare the first structures of a plan: the last of them then is what is written."""
    return kernel.prepare(f"{name}.v{version}", plan_of(name, version)[:count])


def test_what_is_refused_is_said(twins):
    request = message_class("FetchRequest")
    partition = request.FetchPartition(partition=2**31)
    message = request(topics=[request.FetchTopic(topic="a"), request.FetchTopic(topic="b", partitions=[partition])])
    where = "FetchRequest.v12.topics[1].partitions[0]"
    found = agree(twins, encode, "FetchRequest", 12, message)
    assert found[:2] == (EncodeError, f"{where}.partition: 2147483648 is no int32")
    partition.partition = None
    assert agree(twins, encode, "FetchRequest", 12, message)[1] == f"{where}.partition: None is no int32"
    message.topics[1].partitions = [None]
    assert agree(twins, encode, "FetchRequest", 12, message)[1] == f"{where}: must not be None in this version"
    message.topics[1].partitions = [message]
    assert agree(twins, encode, "FetchRequest", 12, message)[1].endswith("is no FetchRequest.FetchPartition")
    message.topics = 10**5000
    assert "without repr is not a list" in agree(twins, encode, "FetchRequest", 12, message)[1]


@pytest.mark.parametrize(
    "unknown",
    [
        [(5, b"a"), (5, b"b")],
        [(6, b"a"), (5, b"b")],
        [(-1, b"")],
        [(2**32, b"")],
        [(0, b"known")],
        [(7, "text")],
        [(7.0, b"")],
        [(7,)],
        [7],
        {7: b""},
        ((7, bytearray(b"fine")), (300, memoryview(b"strided")[::2])),
        [(True, b"fine")],
        [(tag, b"") for tag in range(10, 200)],
        [(9, b"x" * 200), (2**32 - 1, b"")],
        Strange(__bool__=True),
        Strange(__bool__=KeyError("own")),
        5,
        0,
        None,
        "",
    ],
)
def test_unknown_tagged_fields(twins, unknown):
    message = message_class("FetchRequest")(cluster_id="c" * 130, unknown_tagged_fields=unknown)
    found = agree(twins, encode, "FetchRequest", 12, message)
    if found[0] == "done":
        decoded = agree(twins, decode, "FetchRequest", 12, found[1])[1][0]
        assert decoded.unknown_tagged_fields == [(tag, bytes(content)) for tag, content in unknown or ()]
    agree(twins, encode, "FetchRequest", 4, message)


def test_a_list_that_shrinks_and_grows_while_it_is_written(backend):
    """What an element's own code does to the list has no say in what is written."""
    for change in (list.clear, lambda values: values.extend([1] * 1000), lambda values: values.pop()):
        values = []

        class Meddler:
            def __index__(self, values=values, change=change):
                change(values)
                gc.collect()
                return 9

        response = message_class("MetadataResponse")
        values += [1, Meddler(), 3, 2**20]
        topic = response.MetadataResponseTopic(
            name="t", partitions=[response.MetadataResponsePartition(replica_nodes=values)]
        )
        data = encode(backend, "MetadataResponse", 9, response(topics=[topic]))
        decoded, _ = decode(backend, "MetadataResponse", 9, data)
        assert decoded.topics[0].partitions[0].replica_nodes == [1, 9, 3, 2**20]


def test_subclasses_and_missing_attributes(twins):
    request = message_class("HeartbeatRequest")

    class Mine(request):
        generation_id = property(lambda self: 1 / 0)

    class Gone:
        __class__ = request
        group_id, generation_id, member_id, group_instance_id, unknown_tagged_fields = "g", 1, "m", None, ()

    mine = Mine.__new__(Mine)
    mine.group_id, mine.group_instance_id, mine.unknown_tagged_fields = "g", None, []
    assert agree(twins, encode, "HeartbeatRequest", 0, mine)[0] is ZeroDivisionError
    assert agree(twins, encode, "HeartbeatRequest", 0, Gone())[0] == "done"
    bare = request.__new__(request)
    assert agree(twins, encode, "HeartbeatRequest", 0, bare)[0] is AttributeError
    bare.group_id, bare.generation_id, bare.group_instance_id = "g", 2**40, None
    assert agree(twins, encode, "HeartbeatRequest", 0, bare)[0] is EncodeError
    assert agree(twins, encode, "HeartbeatRequest", 0, 5)[1] == "HeartbeatRequest.v0: 5 is no HeartbeatRequest"


def test_tagged_structures_that_are_the_default_are_left_out(twins):
    response = message_class("FetchResponse")
    partition = response.PartitionData(records=b"")
    message = response(responses=[response.FetchableTopicResponse(topic="t", partitions=[partition])])
    least = agree(twins, encode, "FetchResponse", 12, message)[1]
    for change in ("epoch", "end_offset"):
        partition.diverging_epoch = response.EpochEndOffset(**{change: 77})
        assert len(agree(twins, encode, "FetchResponse", 12, message)[1]) > len(least)
    partition.diverging_epoch = response.EpochEndOffset(unknown_tagged_fields=[(9, b"")])
    assert len(agree(twins, encode, "FetchResponse", 12, message)[1]) > len(least)
    del partition.diverging_epoch.epoch
    assert agree(twins, encode, "FetchResponse", 12, message)[0] is AttributeError


@cache
def late_fields():
    """Return the fields whose default is a structure made when it is read: (message, class, field)."""
    classes = [(name, cls) for name in index() for cls in message_class(name)._classes.values()]
    return [(name, cls, field) for name, cls in classes for field in cls._late]


def is_made(structure, field):
    return hasattr(structure, structure._late[field])


def test_fields_that_may_be_absent_make_their_default_when_they_are_read():
    assert {("FetchResponse", "diverging_epoch"), ("FetchResponse", "snapshot_id")} <= {
        (name, field) for name, _, field in late_fields()
    }
    for _, cls, field in late_fields():
        value = cls()
        assert not is_made(value, field)
        made = getattr(value, field)
        assert is_made(value, field)
        assert getattr(value, field) is made
        assert made == cls._defaults[field][1]()
        assert value == cls()
        delattr(value, field)
        assert not is_made(value, field)
        assert cls(**{field: made}).__getattribute__(field) is made
        assert f"{field}={made!r}" in repr(cls())
        for again in (copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))):
            assert again(cls()) == cls()
            assert not is_made(again(cls()), field)


@pytest.mark.parametrize("version", [11, 12, 17])
def test_what_is_absent_is_neither_made_when_read_nor_when_written(backend, version):
    response = message_class("FetchResponse")
    partition = response.PartitionData(partition_index=3, records=b"abc", aborted_transactions=[])
    message = response(responses=[response.FetchableTopicResponse(partitions=[partition])])
    data = encode(backend, "FetchResponse", version, message)
    decoded, _ = decode(backend, "FetchResponse", version, data)
    assert encode(backend, "FetchResponse", version, decoded) == data
    for one in (partition, decoded.responses[0].partitions[0]):
        assert not any(is_made(one, field) for field in one._late)
    read = decoded.responses[0].partitions[0]
    assert (read.current_leader.leader_id, read.snapshot_id.end_offset) == (-1, -1)
    assert encode(backend, "FetchResponse", version, decoded) == data
    read.current_leader.leader_id = 7
    if version > 11:
        again, _ = decode(backend, "FetchResponse", version, encode(backend, "FetchResponse", version, decoded))
        assert again.responses[0].partitions[0].current_leader.leader_id == 7
        assert not is_made(again.responses[0].partitions[0], "snapshot_id")


def test_late_fields_that_are_wrong_are_refused_alike(twins):
    for value in WRONG:
        for name, version in (("FetchResponse", 11), ("FetchResponse", 12), ("FetchRequest", 14), ("FetchRequest", 17)):
            message = message_class(name)()
            inner = message
            field = "replica_state"
            if name == "FetchResponse":
                inner = message.PartitionData(records=b"")
                message.responses = [message.FetchableTopicResponse(topic="t", partitions=[inner])]
                field = "diverging_epoch"
            setattr(inner, field, value)
            agree(twins, encode, name, version, message)


@pytest.mark.parametrize("count", [15, 16, 126, 127, 128, 999, 1000, 1001, 2500, 16400])
@pytest.mark.parametrize("version", [11, 12])
def test_long_arrays(twins, count, version):
    response = message_class("FetchResponse")
    aborted = [response.AbortedTransaction(producer_id=i, first_offset=2 * i) for i in range(count)]
    partition = response.PartitionData(aborted_transactions=aborted, records=bytes(count))
    partitions = [response.PartitionData(partition_index=i, records=bytes(i % 300)) for i in range(min(count, 1500))]
    topics = [response.FetchableTopicResponse(topic="t" * count, partitions=[partition, *partitions])]
    data = agree(twins, encode, "FetchResponse", version, response(responses=topics))[1]
    decoded = agree(twins, decode, "FetchResponse", version, data)[1][0]
    assert decoded.responses[0].partitions[0].aborted_transactions == aborted
    for cut in (len(data) // 2, len(data) - 1):
        assert issubclass(agree(twins, decode, "FetchResponse", version, data[:cut])[0], DecodeError)


def test_tags_among_structures_of_numbers(twins):
    response = message_class("FetchResponse")
    aborted = [response.AbortedTransaction(producer_id=i) for i in range(5)]
    aborted[3].unknown_tagged_fields = [(9, b"tag")]
    partition = response.PartitionData(aborted_transactions=aborted, records=b"")
    message = response(responses=[response.FetchableTopicResponse(topic="t", partitions=[partition])])
    data = agree(twins, encode, "FetchResponse", 12, message)[1]
    decoded = agree(twins, decode, "FetchResponse", 12, data)[1][0]
    assert decoded.responses[0].partitions[0].aborted_transactions == aborted


@pytest.mark.parametrize("length", ["00", "8000", "808000", "8080808000", "8080808010", "8100", "818000", "ffffffff0f"])
def test_lengths_that_are_written_in_more_bytes_than_they_need(twins, length):
    agree(twins, decode, "MetadataRequest", 9, bytes.fromhex(length) + bytes(4))
    agree(twins, decode, "FetchRequest", 12, bytes(25) + bytes.fromhex(length) + b"\1\1\1\0")
    agree(twins, decode, "ApiVersionsRequest", 3, bytes.fromhex(length) + b"\1\1\0")
    produce = b"\0\0\1\0\0\0\0\2\2t\2\0\0\0\0"
    agree(twins, decode, "ProduceRequest", 9, produce + bytes.fromhex(length) + bytes(4))


def test_nothing_is_leaked(twins):
    """Blocks of memory and references are the same before and after, errors among the calls."""
    plans = plan_of("FetchResponse", 13)
    messages = [random_message(plans, len(plans) - 1, random.Random(seed)) for seed in range(30)]
    good = [encode(twins.native, "FetchResponse", 13, message) for message in messages]
    bad = [data[: len(data) // 2] for data in good] + [data.replace(b"\0", b"\xff", 3) for data in good]
    wrong = message_class("FetchResponse")(responses=[5], unknown_tagged_fields=[(1, "")])

    def work():
        for data in good + bad:
            outcome(decode, twins.native, "FetchResponse", 13, data)
        for message in (*messages, wrong):
            outcome(encode, twins.native, "FetchResponse", 13, message)

    for _ in range(3):
        work()
    gc.collect()
    before, references = sys.getallocatedblocks(), sys.getrefcount(None)
    for _ in range(20):
        work()
    gc.collect()
    assert abs(sys.getallocatedblocks() - before) < 200
    assert abs(sys.getrefcount(None) - references) < 50


def test_the_collector_is_left_as_it_was(backend):
    data = encode(backend, "ProduceRequest", 9, message_class("ProduceRequest")(transactional_id="x" * 5000))
    gc.disable()
    try:
        decode(backend, "ProduceRequest", 9, data)
        assert not gc.isenabled()
    finally:
        gc.enable()
    decode(backend, "ProduceRequest", 9, data)
    assert gc.isenabled()


def test_a_program_is_only_what_prepare_made(backend):
    with pytest.raises((TypeError, AttributeError)):
        backend.message.decode(None, b"", 0)
    with pytest.raises((TypeError, AttributeError)):
        backend.message.encode(object(), None)
