"""Redaction: what is meant goes from every format and codec, all else stays byte for byte, a second look says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kafkacodec import RecordBatchBuilder
from kafkacodec.errors import Corrupt
from kafkacodec.log import PartitionLog, redact

T0 = 1_700_000_000_000
FORMATS = [(magic, codec) for magic in (0, 1) for codec in ("none", "gzip", "snappy", "lz4")]
FORMATS += [(2, codec) for codec in ("none", "gzip", "snappy", "lz4", "zstd")]


def batch(base_offset: int, *keys: bytes, magic: int = 2, **facts) -> bytes:
    builder = RecordBatchBuilder(base_offset=base_offset, magic=magic, **facts)
    for number, key in enumerate(keys):
        headers = [("owner", key)] if magic == 2 else []
        value = b"of " + key + bytes(30)
        assert builder.append(key, value, T0 + base_offset + number if magic else -1, headers)
    return builder.build()


def write(directory: Path, segments: dict[int, bytes]) -> Path:
    directory.mkdir(parents=True)
    for base_offset, data in segments.items():
        (directory / f"{base_offset:020d}.log").write_bytes(data)
    return directory


def state(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def rows(directory: Path) -> list[tuple[int, bytes | None, bytes | None]]:
    return [(one.offset, one.key, one.value) for one in PartitionLog(directory).records()]


@pytest.mark.parametrize(("magic", "codec"), FORMATS)
@pytest.mark.parametrize("mode", ["delete", "trim", "tombstone"])
def test_a_key_goes_from_every_format_and_codec(tmp_path, magic, codec, mode):
    facts = {"magic": magic, "compression": codec}
    keys = [b"x1", b"secret", b"x2"], [b"y"], [b"secret"], [b"z", b"secret", b"secret"]
    parts = [batch(base, *some, **facts) for base, some in zip((0, 3, 4, 5), keys, strict=True)]
    log = write(tmp_path / "log-0", {0: b"".join(parts), 8: batch(8, b"w", **facts), 9: batch(9, b"secret", **facts)})
    before = state(log)
    old = rows(log)
    report = redact(log, keys=[b"secret", b"never there"], mode=mode)
    done = report.partitions[0]
    assert (done.records, done.remaining, done.left, report.is_clean) == (5, 0, (), True)
    blank = {"trim": b"", "tombstone": None}.get(mode)
    if mode == "delete":
        assert rows(log) == [row for row in old if row[1] != b"secret"]
        assert not any(b"secret" in data for data in state(log).values())
    else:
        assert rows(log) == [(o, k, blank if k == b"secret" else v) for o, k, v in old]
        assert not any(b"of secret" in data for data in state(log).values())
    after = state(log)
    assert parts[1] in after[f"{0:020d}.log"]
    assert after[f"{8:020d}.log"] == before[f"{8:020d}.log"]
    assert f"{8:020d}.index" not in after  # a segment without such records is not touched
    found = list(PartitionLog(log).batches())
    assert PartitionLog(log).log_end_offset == 10
    assert all(one.is_valid() for one in found)
    assert {one.magic for one in found} - ({2} if mode == "delete" else set()) <= {magic}
    assert {one.compression.name.lower() for one in found if one.count != 0} == {codec}
    if magic == 2:
        assert [(one.base_offset, one.last_offset) for one in found] == [
            (0, 2), (3, 3), (4, 4), (5, 7), (8, 8), (9, 9),
        ]  # fmt: skip


def test_headers_and_times_of_other_records_stay(tmp_path):
    log = write(tmp_path / "log-0", {0: batch(0, b"a", b"b", b"c"), 3: b""})
    before = list(PartitionLog(log).records())
    redact(log, keys=[b"b"])
    assert list(PartitionLog(log).records()) == [before[0], before[2]]
    redact(log, keys=[b"a"], mode="trim")
    one = next(iter(PartitionLog(log).records()))
    assert (one.offset, one.timestamp, one.key, one.value, one.headers) == (0, T0, b"a", b"", ())


@pytest.mark.parametrize(
    ("selection", "offsets"),
    [
        ({"key_prefix": b"user-"}, [0, 1]),
        ({"key_pattern": rb"-\d$"}, [0, 3]),
        ({"header": ("owner", None)}, [0, 1, 2, 3]),
        ({"header": ("owner", b"user-12")}, [1]),
        ({"header": ("owner", b"")}, []),
        ({"start_timestamp": T0 + 1, "end_timestamp": T0 + 3}, [1, 2]),
        ({"keys": [b"user-1", b"other"], "start_timestamp": T0 + 1}, [2]),
        ({"predicate": lambda record: record.offset == 2}, [2]),
        ({"key_prefix": b"user", "predicate": lambda record: len(record.key) > 6}, [1]),
        ({"keys": []}, []),
    ],
)
def test_what_is_meant(tmp_path, selection, offsets):
    log = write(tmp_path / "log-0", {0: batch(0, b"user-1", b"user-12", b"other", b"x-7")})
    before = state(log)
    dry = redact(log, **selection, dry_run=True)
    assert state(log) == before
    assert [offset for one in dry.partitions[0].batches for offset in one.offsets] == offsets
    assert dry.partitions[0].remaining is None
    redact(log, **selection)
    assert [offset for offset, _, _ in rows(log)] == [offset for offset in range(4) if offset not in offsets]
    if not offsets:
        assert state(log) == before


def test_a_second_time_nothing_is_left_to_do(tmp_path):
    for mode in ("delete", "trim", "tombstone"):
        log = write(tmp_path / mode / "log-0", {0: batch(0, b"a", b"b")})
        assert redact(log, keys=[b"a"], mode=mode).partitions[0].records == 1
        before = state(log)
        assert redact(log, keys=[b"a"], mode=mode).partitions[0].records == 0
        assert state(log) == before


def test_transactions_keep_their_markers_and_index(shop_copy):
    log = shop_copy / "payments-0"
    keys = {record.key for record in PartitionLog(log).records()}
    key = sorted(keys)[0]
    uncommitted = [record for record in PartitionLog(log).records() if record.key != key]
    committed = [record for record in PartitionLog(log).records(isolation="read_committed") if record.key != key]
    indexes = {name: data for name, data in state(log).items() if name.endswith(".txnindex")}
    report = redact(log, keys=[key])
    assert report.partitions[0].records > 0
    assert list(PartitionLog(log).records()) == uncommitted
    assert list(PartitionLog(log).records(isolation="read_committed")) == committed
    assert {name: data for name, data in state(log).items() if name.endswith(".txnindex")} == indexes


def test_a_whole_log_directory(shop_copy, expected):
    wanted = redact(shop_copy, key_prefix=b"u0002", dry_run=True)
    report = redact(shop_copy, key_prefix=b"u0002", topics=["orders"])
    assert {one.topic for one in report.partitions} == {"orders"}
    assert sum(one.records for one in report.partitions) == sum(
        one.records for one in wanted.partitions if one.topic == "orders"
    )
    assert "__cluster_metadata" not in {one.topic for one in wanted.partitions}
    for partition in range(4):
        log = PartitionLog(shop_copy / f"orders-{partition}")
        assert all(not record.key.startswith(b"u0002") for record in log.records())
        assert log.check() == []


def test_leftovers_are_put_right_first_and_foreign_files_told(tmp_path):
    log = write(tmp_path / "log-0", {0: batch(0, b"a", b"b"), 2: b""})
    shutil.copy(log / f"{0:020d}.log", log / f"{9:020d}.log.deleted")
    (log / f"{0:020d}.log.cleaned").write_bytes(b"half")
    (log / "copy of a.log").write_bytes(batch(0, b"a"))
    dry = redact(log, keys=[b"a"], dry_run=True)
    assert len(dry.partitions[0].left) == 3
    report = redact(log, keys=[b"a"])
    assert report.partitions[0].finished == (f"deleted {0:020d}.log.cleaned", f"deleted {9:020d}.log.deleted")
    assert report.partitions[0].left == (str(log / "copy of a.log"),)
    assert not report.is_clean


def test_damage_stops_it(tmp_path):
    bad = bytearray(batch(0, b"a", b"b"))
    bad[-1] ^= 1
    log = write(tmp_path / "log-0", {0: bytes(bad), 2: b""})
    before = state(log)
    with pytest.raises(Corrupt):
        redact(log, keys=[b"a"])
    assert state(log) == before


def test_arguments(tmp_path):
    log = write(tmp_path / "log-0", {0: batch(0, b"a")})
    with pytest.raises(ValueError, match="nothing says"):
        redact(log)
    with pytest.raises(TypeError, match="collection of bytes"):
        redact(log, keys=b"abc")
    with pytest.raises(TypeError, match="key_prefix must be bytes"):
        redact(log, key_prefix="text")
    with pytest.raises(ValueError, match="regular expression"):
        redact(log, key_pattern=b"(")
    with pytest.raises(ValueError, match="mode"):
        redact(log, keys=[b"a"], mode="shred")
