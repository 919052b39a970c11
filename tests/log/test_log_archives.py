"""Archives of logs: the same as the directory they were made of, any range at a bounded price, damage an OSError."""

from __future__ import annotations

import gzip
import io
import pickle
import random
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import fsspec
import pytest
from logdirs import all_rows, digest_of_columns

from kafkacodec.log import LogDirectory, PartitionLog, verify
from kafkacodec.log import archives as archives_module
from kafkacodec.log.archives import Archive, archive_kind, into_archive
from kafkacodec.log.opening import open_place
from kafkacodec.log.storage import Location

KINDS = ("tar", "tar.gz", "tgz", "stored.zip", "zip")


def pack(source: Path, target: Path, folder: str = "shop") -> Path:
    """Make an archive of a directory's files below `folder`, of the kind that its name says."""
    files = sorted(path for path in source.rglob("*") if path.is_file())
    names = [(path, f"{folder}/{path.relative_to(source).as_posix()}".lstrip("/")) for path in files]
    if target.suffix == ".zip":
        method = zipfile.ZIP_STORED if "stored" in target.name else zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(target, "w", method) as zipped:
            for path, name in names:
                zipped.write(path, name)
        return target
    with tarfile.open(target, "w" if target.suffix == ".tar" else "w:gz") as tar:
        for path, name in names:
            tar.add(path, name)
    return target


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_is_the_directory_that_is_in_it(shop, tmp_path, kind):
    archive = pack(shop, tmp_path / f"backup.{kind}", "a/b/shop")
    place = open_place(archive)
    assert isinstance(place, LogDirectory)
    assert place.was_shut_down_cleanly
    plain = LogDirectory(shop)
    assert [(one.topic, one.partition) for one in place.partitions()] == [
        (one.topic, one.partition) for one in plain.partitions()
    ]
    wanted = ["payments", "profiles"]
    for one, other in zip(LogDirectory(str(archive)).partitions(wanted), plain.partitions(wanted), strict=True):
        assert digest_of_columns(one.columns()) == digest_of_columns(other.columns())
        assert (one.log_end_offset, one.last_stable_offset) == (other.log_end_offset, other.last_stable_offset)
    outcome = verify(archive)
    assert outcome.findings == []
    assert outcome.batches == verify(shop).batches


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", ["", ".", "orders-0", "./some/orders-0"])
def test_a_partition_in_an_archive(shop, tmp_path, kind, folder):
    archive = pack(shop / "orders-0", tmp_path / f"orders-0.{kind}", folder)
    log = PartitionLog(archive, topic="orders", partition=0)
    assert all_rows(log, start_offset=10_000) == all_rows(PartitionLog(shop / "orders-0"), start_offset=10_000)
    assert bytes(log.read(5000, 20_000)) == bytes(PartitionLog(shop / "orders-0").read(5000, 20_000))
    assert isinstance(open_place(archive), PartitionLog)
    if folder.endswith("orders-0"):
        assert [one.topic for one in LogDirectory(archive).partitions()] == ["orders"]
        assert PartitionLog(archive).topic == "orders"


def test_an_archive_on_a_url_and_one_in_another(shop, tmp_path):
    packed = pack(shop / "orders-1", tmp_path / "inner.tar.gz", "orders-1")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.write(packed, "x/inner.tar.gz")
    fsspec.filesystem("memory").pipe_file("/archives/outer.zip", (tmp_path / "outer.zip").read_bytes())
    known = all_rows(PartitionLog(shop / "orders-1"))
    for url in (str(tmp_path / "outer.zip"), "memory://archives/outer.zip"):
        inner = Location.of(f"zip://x/inner.tar.gz::{url}")
        assert all_rows(PartitionLog(inner)) == known


def test_a_location_in_an_archive_goes_to_other_processes(shop, tmp_path):
    log = PartitionLog(pack(shop / "orders-1", tmp_path / "a.tgz", "orders-1"))
    location = pickle.loads(pickle.dumps(log.location))
    assert location == log.location
    assert [entry.name for entry in location.list()] == sorted(path.name for path in (shop / "orders-1").iterdir())


def test_kinds_by_name():
    assert [archive_kind(name) for name in ("a.tar", "A.TAR.GZ", "b.tgz", "c.zip", "d.gz", "e.log")] == [
        "tar", "tar", "tar", "zip", None, None,
    ]  # fmt: skip


def test_a_directory_with_the_name_of_an_archive_is_a_directory(shop_copy, tmp_path):
    path = shop_copy.rename(tmp_path / "old.tar")
    assert into_archive(Location.of(path)) == Location.of(path)
    assert len(LogDirectory(path).partitions()) == 21


# Ranges, and what they cost


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_any_range_of_a_packed_file_at_a_bounded_price(tmp_path, monkeypatch, kind, members):
    """Reads in random order inflate at most a spacing each, not all that lies before."""
    monkeypatch.setattr(archives_module, "_FIRST_SPACING", 2**16)
    monkeypatch.setattr(archives_module, "_PIECE", 2**14)
    chance = random.Random(1)
    data = b"".join(chance.randbytes(500) + bytes(500) for _ in range(4000))
    source = tmp_path / "source"
    source.mkdir()
    (source / "large.bin").write_bytes(data)
    archive = pack(source, tmp_path / f"a.{kind}", "f")
    if kind == "tar.gz" and members > 1:  # a gzip file may be several, one behind the other
        plain = gzip.decompress(archive.read_bytes())
        third = len(plain) // members
        parts = [plain[n * third : (n + 1) * third if n + 1 < members else None] for n in range(members)]
        archive.write_bytes(b"".join(map(gzip.compress, parts)))
    inflated = 0
    inflate = archives_module._Inflated._inflate

    def counted(self):
        nonlocal inflated
        before = self._place
        found = inflate(self)
        inflated += max(self._place - before, 0)
        return found

    monkeypatch.setattr(archives_module._Inflated, "_inflate", counted)
    with Location.of(f"{'zip' if kind == 'zip' else 'tar'}://f/large.bin::{archive}").open() as file:
        assert file.size() == len(data)
        assert file.read(0, len(data)) == data
        inflated = 0
        reads = 300
        for _ in range(reads):
            position = chance.randrange(len(data))
            size = chance.randrange(2000)
            assert file.read(position, size) == data[position : position + size]
        assert file.read(len(data) - 3, 100) == data[-3:]
        assert file.read(len(data) + 3, 100) == b""
    assert inflated < reads * 2 * 2**16 < reads * len(data) / 8


def test_states_are_bounded_however_long_the_stream(monkeypatch):
    states = archives_module._States(8)

    class Inflater:
        def copy(self) -> Inflater:
            return self

    for place in range(0, 2**30, 2**18):
        states.keep(place, place, Inflater())
    assert len(states.places) <= 8
    assert states.before(2**30)[0] > 2**29
    assert states.before(2**17) is None


# Damage


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_archive_is_an_oserror_or_what_is_whole_of_it(shop, tmp_path, kind):
    whole = pack(shop / "orders-1", tmp_path / f"a.{kind}", "orders-1").read_bytes()
    path = tmp_path / f"b.{kind}"
    whole_batches = verify(shop / "orders-1").batches
    for end in (0, 1, 10, 511, 513, 5000, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:end])
        with suppress(OSError):  # and nothing else
            place = open_place(path)
            if isinstance(place, PartitionLog):
                assert verify(place).batches <= whole_batches


def test_damaged_bytes_of_a_packed_archive(shop, tmp_path):
    data = bytearray(pack(shop / "orders-1", tmp_path / "a.zip", "orders-1").read_bytes())
    data[3000:3100] = b"\xff" * 100
    (tmp_path / "b.zip").write_bytes(data)
    outcome = verify(tmp_path / "b.zip")
    assert [one.kind for one in outcome.findings if one.severity == "error"]


def test_what_is_no_archive_and_what_is_not_read(tmp_path):
    (tmp_path / "a.tar").write_bytes(b"hello " * 500)
    (tmp_path / "b.zip").write_bytes(b"hello " * 500)
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_BZIP2) as zipped:
        zipped.writestr("x.log", "data")
    for name in ("a.tar", "b.zip", "c.zip"):
        with pytest.raises(OSError, match="archive cannot be read"):
            open_place(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        open_place(tmp_path / "nothing.zip")


def test_names_that_lead_out_of_an_archive_are_not_in_it(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for name in ("../../etc/passwd", "/abs/x.log", "t-0/./y.log", "t-0//z.log"):
            info = tarfile.TarInfo(name)
            info.size = 4
            tar.addfile(info, io.BytesIO(b"data"))
        link = tarfile.TarInfo("t-0/link.log")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    archive = Archive(Location.of(tmp_path / "a.tar"), "tar")
    assert [one.name for one in archive.list("")] == ["abs", "t-0"]
    assert [one.name for one in archive.list("t-0")] == ["y.log", "z.log"]
    with archive.open("t-0/y.log") as file:
        assert (file.read(0, 10), bytes(file.map())) == (b"data", b"data")
    with pytest.raises(NotADirectoryError):
        archive.list("t-0/y.log")
    with pytest.raises(FileNotFoundError):
        archive.list("u-0")
    with pytest.raises(FileNotFoundError):
        archive.open("t-0/link.log")
