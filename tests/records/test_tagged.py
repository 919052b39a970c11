"""The proposal's tagged messages, row by row (seeds.md rows 91 to 99)."""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import replace

import pytest

from kafkacodec import Corrupt, DecodeError, EncodeError, LimitExceeded, Limits, Unsupported
from kafkacodec.records.tagged import (
    Cleaning,
    MessageKind,
    TaggedMessage,
    TagId,
    TimestampIndexEntry,
    clean,
    compact,
    decode_messages,
    decode_timestamp_index,
    encode_message,
    encode_messages,
    encode_timestamp_index,
    mirror,
    pass_through,
    rebase,
    sets,
    unwrap,
    wrap,
)

# Format 0 as Kafka wrote it: offset 0, key abc, value hello (seeds.md row 12)
FORMAT_0 = bytes.fromhex("000000000000000000000016fbb1d3460000000000036162630000000568656c6c6f")
ABC = TaggedMessage(0, b"abc", b"hello", magic=0)


def tagged(tags, *, attributes=0, key=b"k", value=b"v", timestamp=7, offset=5, magic=1):
    covered = struct.pack(">bB", magic, attributes) + struct.pack(">i", timestamp) + tags
    for data in (key, value):
        covered += struct.pack(">i", -1 if data is None else len(data)) + (data or b"")
    return struct.pack(">iqI", len(covered) + 4, offset, zlib.crc32(covered)) + covered


def tags_of(data):
    return struct.pack(">i", len(data)) + data


def plain(offset, key=None, value=b"v"):
    return TaggedMessage(offset, key, value)


def places(messages):
    return [one.offset for one in messages]


def only(data, **more):
    (message,) = decode_messages(data, **more)
    return message


def test_row_91_size_before_offset_behind_a_flag():
    turned = FORMAT_0[8:12] + FORMAT_0[:8] + FORMAT_0[12:]
    assert only(turned) == only(FORMAT_0, size_first=False) == ABC
    assert encode_message(ABC) == turned
    assert encode_message(ABC, size_first=False) == FORMAT_0
    with pytest.raises(Corrupt) as caught:
        list(decode_messages(FORMAT_0))
    assert caught.value.position == 0
    packed = replace(ABC, attributes=0xFE)
    assert only(encode_message(packed)).kind is MessageKind.SNAPPY  # the lowest two bits are the codec


def test_row_92_the_layout_with_timestamp_and_tags():
    message = TaggedMessage(5, b"k", b"v", timestamp=7)
    data = encode_message(message)
    assert data[16:].hex() == "010000000007ffffffff000000016b0000000176"
    assert data[:12] == struct.pack(">iq", len(data) - 12, 5)
    assert int.from_bytes(data[12:16], "big") == zlib.crc32(data[16:])
    assert data == tagged(b"\xff\xff\xff\xff")
    assert len(data) == len(encode_message(replace(message, magic=0, timestamp=0))) + 8
    assert only(data) == only(tagged(tags_of(b""))) == message
    nulls = TaggedMessage(0, None, None)
    assert only(encode_message(nulls)) == nulls != only(encode_message(TaggedMessage(0, b"", b"")))


def test_row_93_known_tags_are_read_and_unknown_ones_skipped_by_length():
    known = b"\0" + struct.pack(">q", 1) + b"\x20" + struct.pack(">i", 3)
    message = only(tagged(tags_of(known + b"\x4d what it is")))
    assert (message.tag(TagId.TIMESTAMP), message.tag(TagId.NUM_MESSAGES)) == (1, 3)
    assert message.tag(TagId.HAS_NO_KEYS) is None
    assert message.unknown_tags == b"\x4d what it is"
    assert (message.key, message.value) == (b"k", b"v")
    assert encode_message(message) == tagged(tags_of(known + b"\x4d what it is"))
    turned = known[9:] + known[:9]  # in any order, which stays
    assert encode_message(only(tagged(tags_of(turned)))) == tagged(tags_of(turned))
    assert only(tagged(tags_of(b"\x4d" + known))).tags == ()  # nothing can be told behind an unknown one


def test_row_94_offsets_with_and_without_the_honour_flag():
    wrapper = wrap([plain(100), plain(102), plain(105)], MessageKind.GZIP)
    assert wrapper.offset == 100
    assert places(unwrap(wrapper)) == [100, 102, 105]
    honored = replace(wrapper, tags=wrapper.with_tag(TagId.HONORS_RELATIVE_OFFSETS, 1))
    assert places(unwrap(honored)) == [100, 102, 105]
    ignored = replace(wrapper, tags=wrapper.with_tag(TagId.HONORS_RELATIVE_OFFSETS, 0))
    assert places(unwrap(only(encode_message(ignored)))) == [100, 101, 102]
    assert unwrap(plain(9)) == [plain(9)]


def test_row_95_kinds_do_not_clash():
    assert len(MessageKind) == len({int(kind) for kind in MessageKind}) == 8
    assert all(0 <= kind <= 15 for kind in MessageKind)
    assert [kind for kind in MessageKind if kind.is_control] == [
        MessageKind.LEADER_EPOCH,
        MessageKind.START_TRANSACTION,
        MessageKind.COMMIT_TRANSACTION,
        MessageKind.ABORT_TRANSACTION,
    ]
    for kind in MessageKind:
        assert only(encode_message(replace(plain(0), attributes=0xF0 | kind))).kind is kind
    for unknown in (4, 7, 12, 15):
        with pytest.raises(Unsupported) as caught:
            only(encode_message(replace(plain(0), attributes=unknown)))
        assert caught.value.position == 17


@pytest.mark.parametrize("kind", [MessageKind.GZIP, MessageKind.SNAPPY, MessageKind.LZ4])
def test_row_96_rebase_without_recompressing(kind, monkeypatch):
    wrapper = only(encode_message(wrap([plain(0, b"a"), plain(1), plain(2)], kind)))
    monkeypatch.setattr(sets, "inflate", None)
    monkeypatch.setattr(sets, "deflate", None)
    moved = rebase(wrapper, 1000, timestamp=99)
    assert moved.value is wrapper.value
    before, after = encode_message(wrapper), encode_message(moved)
    assert (before[12:16], before[-len(wrapper.value) :]) != (after[12:16], after[-len(moved.value) :])
    assert before[-len(wrapper.value) :] == after[-len(moved.value) :]
    assert int.from_bytes(after[12:16], "big") == zlib.crc32(after[16:])
    assert encode_message(rebase(wrapper, 1000))[12:] == before[12:]  # the offset is not covered
    monkeypatch.undo()
    assert places(unwrap(only(after))) == [1000, 1001, 1002]
    with pytest.raises(EncodeError):
        rebase(TaggedMessage(5, None, wrapper.value, attributes=1, magic=0), 1000)
    with pytest.raises(EncodeError):
        rebase(wrapper, -1)


def test_row_97_a_mirror_passes_keyless_messages_through(monkeypatch):
    keyless = wrap([plain(100), plain(102)], MessageKind.SNAPPY)
    keyed = wrap([plain(103), plain(107, b"key")], MessageKind.GZIP)
    opened = []

    def counting(*args, **more):
        opened.append(args[0])
        return inflate(*args, **more)

    inflate = sets.inflate
    monkeypatch.setattr(sets, "inflate", counting)
    passed = pass_through(keyless, 7)
    assert passed.value is keyless.value
    assert (passed.offset, passed.honors_relative_offsets) == (7, False)
    assert pass_through(keyed, 7) is pass_through(plain(1), 7) is None
    copied = list(mirror([keyless, keyless], 50))
    assert [one.value is keyless.value for one in copied] == [True, True]
    assert opened == []
    copied = list(mirror([keyless, keyed, plain(108), keyless], 50))
    assert places(copied) == [50, 52, 53, 54, 55]
    assert [one.key for one in copied] == [None, None, b"key", None, None]
    assert len(opened) == 1
    assert [offset for one in copied for offset in places(unwrap(one))] == [50, 51, 52, 53, 54, 55, 56]
    uncounted = replace(keyless, tags=((TagId.HAS_NO_KEYS, 1),))
    assert places(mirror([uncounted, plain(0)], 0)) == [0, 1, 2]


def entries(*timestamps):
    return [TimestampIndexEntry(10 * n, timestamp, 100 * n) for n, timestamp in enumerate(timestamps)]


def test_row_98_timestamp_index_and_cleaning():
    segments = [entries(0, 1), entries(2, 5), entries(5, 5, 7, 9)]
    assert clean(segments, 6) == Cleaning(2, TimestampIndexEntry(20, 7, 200))
    assert clean(segments, 5) == Cleaning(1, TimestampIndexEntry(10, 5, 100))
    assert clean(segments, 0) == Cleaning(0, TimestampIndexEntry(0, 0, 0))
    assert clean(segments, 10) == Cleaning(3, None)
    assert clean([entries(1), [], entries(9)], 6) == Cleaning(1, None)
    draw = random.Random(98)
    for _ in range(50):
        times = sorted(draw.choices(range(20), k=12))
        cut = draw.randrange(22)
        found = clean([entries(*times[:4]), entries(*times[4:8]), entries(*times[8:])], cut)
        kept = [time for time in times if time >= cut]
        assert found.deleted_segments == sum(max(times[n : n + 4]) < cut for n in (0, 4, 8))
        assert (found.first.timestamp if found.first else None) == (kept[0] if kept else None)
    assert decode_timestamp_index(encode_timestamp_index(segments[2])[:0]) == []
    ascending = entries(0, 1, 1, 9)
    data = encode_timestamp_index(ascending)
    assert len(data) == 80
    assert decode_timestamp_index(data) == ascending
    for bad, position in [(data[:-1], 60), (data[20:40] + data[:20], 20), (data[:20] * 2, 20)]:
        with pytest.raises(Corrupt) as caught:
            decode_timestamp_index(bad)
        assert caught.value.position == position
    with pytest.raises(EncodeError):
        encode_timestamp_index([TimestampIndexEntry(2**63, 0, 0)])


def test_row_99_compaction_merges_sets_and_keeps_holes():
    one = wrap([plain(100, b"a"), plain(101, b"b")], MessageKind.GZIP)
    two = wrap([plain(102, b"a", b"new"), plain(103, b"c")], MessageKind.SNAPPY)
    merged = compact([one, two], MessageKind.GZIP)
    assert merged.offset == 100
    assert [(m.offset, m.key) for m in unwrap(merged)] == [(101, b"b"), (102, b"a"), (103, b"c")]
    sets_ = [
        wrap([plain(0, b"x"), plain(1, b"y")], MessageKind.GZIP),
        wrap([plain(2, b"x"), plain(3, b"z")], MessageKind.GZIP),
    ]
    kept = compact(sets_, MessageKind.GZIP, latest={b"x": 9, b"y": 1, b"z": 3})
    inside = wrap_contents(kept)
    assert (kept.offset, places(inside)) == (0, [1, 3])  # starts where the first did, relatives keep their distance
    ignored = replace(two, offset=110, tags=two.with_tag(TagId.HONORS_RELATIVE_OFFSETS, 0))
    assert places(unwrap(compact([one, ignored], MessageKind.GZIP))) == [101, 110, 111]
    assert compact([one], MessageKind.GZIP, latest={b"a": 200, b"b": 200}) is None
    assert places(unwrap(compact([wrap([plain(4), plain(6)], MessageKind.LZ4)], MessageKind.GZIP))) == [4, 6]
    with pytest.raises(EncodeError):
        compact([two, one], MessageKind.GZIP)


def wrap_contents(message):
    return [replace(one, offset=one.offset - message.offset) for one in unwrap(message)]


# ---- hostile bytes


WRAPPER = wrap([plain(100, b"a"), plain(102)], MessageKind.GZIP)
WHOLE = encode_messages([plain(1, b"key"), WRAPPER, ABC])


def test_a_partial_last_message_ends_quietly():
    ends = [0]
    for message in (plain(1, b"key"), WRAPPER, ABC):
        ends.append(ends[-1] + len(encode_message(message)))
    for end in range(len(WHOLE) + 1):
        assert len(list(decode_messages(WHOLE[:end]))) == sum(whole <= end for whole in ends[1:])


def test_every_flipped_byte_is_noticed_or_lies_in_an_offset():
    places_of_errors = []
    for position in range(len(WHOLE)):
        for flip in (1, 0x80, 0xFF):
            data = bytearray(WHOLE)
            data[position] ^= flip
            try:
                found = list(decode_messages(data))
            except DecodeError as error:
                places_of_errors.append(error.position)
                continue
            assert len(found) < 3 or [replace(m, offset=0) for m in found] == [
                replace(m, offset=0) for m in decode_messages(WHOLE)
            ]
    assert len(places_of_errors) > 2 * len(WHOLE)
    assert None not in places_of_errors


@pytest.mark.parametrize(
    ("data", "words", "position"),
    [
        (tagged(struct.pack(">i", -2)), "tags length", 22),
        (tagged(struct.pack(">i", 2**31 - 1)), "tags length", 22),
        (tagged(tags_of(b"\0" + bytes(7))), "middle of its value", 26),
        (tagged(tags_of((b"\x21" + b"\1") * 2)), "twice", 28),
        (tagged(struct.pack(">i", 4)), "middle of its value", 26),
        (tagged(b"", magic=2), "unknown message format", 16),
        (tagged(b"", magic=1, value=b""), "shorter", 12),
        (struct.pack(">iq", 13, 0) + bytes(13), "too small", 0),
        (struct.pack(">iq", -1, 0) + bytes(13), "too small", 0),
    ],
)
def test_hostile_lengths_and_tags(data, words, position):
    with pytest.raises(DecodeError, match=words) as caught:
        list(decode_messages(data))
    assert caught.value.position == position


def test_bytes_behind_the_value_are_refused():
    covered = encode_message(plain(0))[16:] + b"\0"
    data = struct.pack(">iqI", len(covered) + 4, 0, zlib.crc32(covered)) + covered
    with pytest.raises(Corrupt, match="left") as caught:
        only(data)
    assert caught.value.position == len(data) - 1


def repacked(inside, **facts):
    facts = {"tags": (), **facts}
    return replace(WRAPPER, value=zlib.compress(inside, wbits=31), **facts)


def test_hostile_payloads():
    good = encode_messages([plain(0), plain(1)])
    assert places(unwrap(repacked(good))) == [100, 101]
    assert unwrap(repacked(b"")) == []
    for message, words in [
        (repacked(good[:-1]), "ends in the middle"),
        (repacked(good, tags=((TagId.NUM_MESSAGES, 3),)), "number of messages"),
        (repacked(encode_messages([plain(1), plain(1)])), "ascend"),
        (repacked(encode_messages([plain(-1)])), "ascend"),
        (repacked(good, offset=2**63 - 1), "ascend"),
        (repacked(encode_message(WRAPPER)), "inside of a compressed"),
        (replace(WRAPPER, value=b"no gzip"), None),
        (replace(WRAPPER, value=None), None),
    ]:
        with pytest.raises(DecodeError, match=words) as caught:
            unwrap(message)
        assert caught.value.path.startswith(f"message {message.offset}")


def test_limits():
    bomb = repacked(encode_messages([plain(0, value=bytes(2**20))]))
    with pytest.raises(LimitExceeded):
        unwrap(bomb, limits=Limits(max_decompressed_bytes=2**20))
    many = encode_messages([plain(n) for n in range(10)])
    with pytest.raises(LimitExceeded):
        list(decode_messages(many, limits=Limits(max_records=9)))
    with pytest.raises(LimitExceeded):
        list(decode_messages(many, limits=Limits(max_batch_bytes=20)))
    with pytest.raises(LimitExceeded):
        compact([repacked(many), repacked(many, offset=110)], MessageKind.GZIP, limits=Limits(max_records=15))
    with pytest.raises(LimitExceeded):
        compact([bomb, replace(bomb, offset=110)], MessageKind.GZIP, limits=Limits(max_decompressed_bytes=2**21 - 1))


def test_what_cannot_be_written():
    for message in [
        replace(ABC, tags=((TagId.TIMESTAMP, 1),)),
        replace(ABC, timestamp=1),
        replace(plain(0), magic=2),
        replace(plain(0), timestamp=2**31),
        replace(plain(0), attributes=256),
        replace(plain(0), offset=2**63),
        replace(plain(0), tags=((TagId.NUM_MESSAGES, 2**31),)),
        replace(plain(0), tags=((TagId.NUM_MESSAGES, 1), (TagId.NUM_MESSAGES, 1))),
    ]:
        with pytest.raises(EncodeError):
            encode_message(message)
    for messages, kind in [
        ([], MessageKind.GZIP),
        ([plain(0)], MessageKind.NORMAL),
        ([plain(0)], MessageKind.LEADER_EPOCH),
        ([plain(1), plain(1)], MessageKind.GZIP),
        ([WRAPPER], MessageKind.GZIP),
    ]:
        with pytest.raises(EncodeError):
            wrap(messages, kind)
