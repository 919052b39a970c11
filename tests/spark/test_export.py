"""The export: source and target row for row, run after run, whatever dies in between."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from shop_copies import append_segment
from spark_rows import digests, everything, expected_digests, read

from kafkacodec.errors import Corrupt, DecodeError, LimitExceeded, OffsetOutOfRange
from kafkacodec.export.rows import LOG_SCHEMA, to_batch
from kafkacodec.limits import Limits
from kafkacodec.log import LogDirectory, PartitionLog
from kafkacodec.spark import ExportError, ExportResult, Manifest, export
from kafkacodec.spark.commit import MANIFEST, PENDING, QUARANTINE, STAGING
from kafkacodec.spark.export_task import ExportTasks
from kafkacodec.spark.manifest import CorruptBytes, Totals
from kafkacodec.spark.options import LOG_COLUMNS, LogOptions
from kafkacodec.spark.parquet import Layout
from kafkacodec.spark.plan import Piece
from kafkacodec.spark.reading import SplitReader
from kafkacodec.spark.result import FinishedRun, PartitionResult
from kafkacodec.spark.target import Target

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SMALL = ("profiles", "payments")
ORDER = [("topic", "ascending"), ("partition", "ascending"), ("offset", "ascending")]


def source_table(path: Path, topics: tuple[str, ...], isolation: str = "read_committed") -> pa.Table:
    """Return the records of a log directory without Spark."""
    batches = [
        to_batch(columns, log.topic, log.partition, LOG_SCHEMA)
        for log in LogDirectory(path).partitions(topics)
        for columns in log.columns(isolation=isolation, on_corrupt="skip")  # type: ignore[arg-type]
    ]
    return pa.Table.from_batches(batches, LOG_SCHEMA).sort_by(ORDER)


def target_table(path: Path) -> pa.Table:
    """Return what a plain reader of the Parquet files sees."""
    partitioning = ds.partitioning(pa.schema([("topic", pa.string()), ("date", pa.string())]), flavor="hive")
    table = ds.dataset(path, format="parquet", partitioning=partitioning).to_table()
    return table.select(LOG_COLUMNS).cast(LOG_SCHEMA).sort_by(ORDER)  # Spark writes timestamps in Parquet's old way


def manifest_of(path: Path) -> Manifest:
    return Manifest.from_json((path / MANIFEST).read_bytes())


def check(source: Path, target: Path, topics: tuple[str, ...] = SMALL, isolation: str = "read_committed") -> Manifest:
    """Check that the target holds the source, that the manifest says so, and that nothing else lies there."""
    wanted, found = source_table(source, topics, isolation), target_table(target)
    assert found.equals(wanted)
    manifest = manifest_of(target)
    assert manifest.rows == len(wanted)
    for name, partition in manifest.partitions.items():
        totals = partition.totals
        assert totals.rows + totals.gaps.offsets == partition.end_offset - partition.start_offset, name
        assert sum(file.rows for file in totals.files) == totals.rows
    listed = {file.path: file.size_in_bytes for file in manifest.files}
    there = {str(file.relative_to(target)): file.stat().st_size for file in target.glob("topic=*/*/*")}
    assert there == listed
    assert not (target / STAGING).exists()
    assert not (target / PENDING).exists()
    return manifest


@pytest.fixture
def source(shop: Path, tmp_path: Path) -> Path:
    """Return a small log directory that a test may change."""
    for log in LogDirectory(shop).partitions(SMALL):
        name = f"{log.topic}-{log.partition}"
        shutil.copytree(shop / name, tmp_path / "source" / name)
    shutil.copy(shop / "meta.properties", tmp_path / "source")
    return tmp_path / "source"


def run(spark: SparkSession, source: object, target: object, **options: Any) -> ExportResult:
    return export(spark, source, target, **options)  # type: ignore[arg-type]


# What is written


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_an_export_is_the_source(
    spark: SparkSession, shop: Path, tmp_path: Path, expected: dict[str, dict[str, Any]], isolation: Any
) -> None:
    result = run(spark, shop, tmp_path, isolation=isolation, split_bytes=200_000)
    topics = ("orders", "payments", "profiles", "metrics.v1", "raw-bytes")
    manifest = check(shop, tmp_path, topics, isolation)
    assert result.manifest == manifest
    assert digests(spark.read.parquet(str(tmp_path)).collect()) == expected_digests(expected, isolation)
    for name, (rows, _) in expected_digests(expected, isolation).items():
        facts, partition = expected[f"{isolation}/{name}"], manifest.partitions[name]
        assert (partition.totals.rows, partition.totals.null_values) == (rows, facts["null_values"])
        assert (partition.start_offset, partition.end_offset) == (facts["low"], facts["high"])
        assert (partition.totals.first_offset, partition.totals.last_offset) == (facts["first"][0], facts["last"][0])
        assert partition.topic_id == PartitionLog(shop / name).topic_id
    assert (result.rows, len(result.files)) == (manifest.rows, len(manifest.files))
    assert result.bytes == sum((tmp_path / path).stat().st_size for path in result.files)


def test_codecs_and_payloads_are_counted(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    run(spark, shop, tmp_path, topics=["orders", "raw-bytes"], split_bytes=200_000)
    for name in ("orders-2", "raw-bytes-1"):
        (compressed, inflated, batches, key_bytes, value_bytes, null_keys) = (0,) * 6
        for columns in PartitionLog(shop / name).columns():
            batches += len(columns.index)
            compressed += int(columns.index.size_in_bytes.sum()) - 61 * len(columns.index)
            inflated += int((columns.index.facts[:, 15] - columns.index.facts[:, 14]).sum())
            key_bytes += int(columns.key_length.clip(0).sum())
            value_bytes += int(columns.value_length.clip(0).sum())
            null_keys += int((columns.key_length < 0).sum())
        totals = manifest_of(tmp_path).partitions[name].totals
        (codec,) = totals.codecs.values()
        assert (codec.batches, codec.compressed_bytes, codec.inflated_bytes) == (batches, compressed, inflated)
        assert (totals.key_bytes, totals.value_bytes, totals.null_keys) == (key_bytes, value_bytes, null_keys)


def test_a_dataframe_write_gives_the_same(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    run(spark, source, tmp_path / "ours")
    frame = read(spark, source, includeHeaders="true", isolation="read_committed")
    dated = frame.selectExpr("*", "date(timestamp) as date")
    dated.write.partitionBy("topic", "date").parquet(str(tmp_path / "sparks"))
    assert target_table(tmp_path / "sparks").equals(target_table(tmp_path / "ours"))
    layouts = [
        {str(folder.relative_to(tmp_path / name)) for folder in (tmp_path / name).glob("topic=*/date=*")}
        for name in ("ours", "sparks")
    ]
    assert layouts[0] == layouts[1]
    schemas = [spark.read.parquet(str(tmp_path / name)).schema for name in ("ours", "sparks")]
    assert schemas[0] == schemas[1]


def test_arguments(spark: SparkSession, shop: Path, tmp_path: Path) -> None:
    result = run(
        spark, shop, tmp_path, assign={"orders": [1, 3]}, starting_offsets={"orders": {"1": 9000}},
        ending_offsets='{"orders": {"3": 100}}', columns="offset,value", compression="snappy", progress=False,
    )  # fmt: skip
    assert {p.name: (p.start_offset, p.end_offset, p.totals.rows) for p in result.partitions} == {
        "orders-1": (9000, 9896, 896),
        "orders-3": (0, 100, 100),
    }
    (path, *_) = result.files
    metadata = pq.ParquetFile(tmp_path / path).metadata
    assert metadata.schema.names == ["value", "offset"]
    assert metadata.row_group(0).column(0).compression == "SNAPPY"
    with pytest.raises(ValueError, match="there is no topic nothing"):
        run(spark, shop, tmp_path / "x", topics="nothing")
    with pytest.raises(ValueError, match="option isolation must be"):
        run(spark, shop, tmp_path / "x", isolation="committed")
    with pytest.raises(ValueError, match="compression must be one of none, snappy, gzip, brotli, lz4, zstd"):
        run(spark, shop, tmp_path / "x", compression="zip")
    with pytest.raises(OffsetOutOfRange, match="orders-0 has offsets 0 to 10067, not 99999"):
        run(spark, shop, tmp_path / "x", topics="orders", starting_offsets={"orders": {"0": 99_999}})


def test_a_log_directory_is_not_exported_into(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    before = everything(tmp_path)
    for target in (source, source / "profiles-0" / "x", f"file://{source}/new", tmp_path):
        for on_corrupt in ("fail", "quarantine"):
            with pytest.raises(ValueError, match=r"target .* the log directory"):
                run(spark, [tmp_path / "elsewhere", source], target, on_corrupt=on_corrupt)
    assert everything(tmp_path) == before


def test_a_start_at_a_timestamp_passes_idle_partitions(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    latest = {log.partition: max(column.timestamp.max() for column in log.columns())
              for log in LogDirectory(source).partitions(["profiles"])}  # fmt: skip
    idle, busy = sorted(latest, key=lambda partition: latest[partition])
    start = int(latest[busy])
    assert latest[idle] < start
    options = {"topics": "profiles", "starting_timestamp": start}
    with pytest.raises(ValueError, match=f"profiles-{idle} has no record at {start} ms or later"):
        run(spark, source, tmp_path / "strict", **options, starting_timestamp_strategy="error")
    first = run(spark, source, tmp_path / "target", **options)
    assert {partition.name for partition in first.partitions} == {f"profiles-{busy}"}
    partition = source / f"profiles-{idle}"
    end = PartitionLog(partition).log_end_offset
    for segment in sorted((source / f"profiles-{busy}").glob("*.log")):
        append_segment(partition, segment)
    second = run(spark, source, tmp_path / "target", **options)
    (late,) = (found for found in second.partitions if found.name == f"profiles-{idle}")
    assert late.start_offset >= end
    assert late.totals.rows > 0


def test_urls(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    for number, prefix in enumerate(("file://", "local://")):
        target = tmp_path / str(number)
        run(spark, f"{prefix}{source}", f"{prefix}{target}", split_bytes=20_000)
        again = run(spark, f"{prefix}{source}", f"{prefix}{target}")
        assert again.up_to_date
        check(source, target)


def test_progress_and_table(
    spark: SparkSession, source: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(spark, source, tmp_path / "quiet")
    assert "export" not in capfd.readouterr().err  # stderr is no terminal here
    result = run(spark, source, tmp_path / "shown", progress=True)
    assert "export" in capfd.readouterr().err
    lines = repr(result).splitlines()
    assert re.match(r"8,080 records in 4 files, [\d.]+ KiB, in [\d.]+ s to ", lines[0])
    assert lines[1].split() == [
        "partition", "offsets", "records", "null", "keys", "null", "values", "gaps", "corrupt", "codecs", "in", "out",
    ]  # fmt: skip
    assert lines[3].split()[:5] == ["payments-0", "0", "-", "4,960", "3,705"]
    assert lines[-1].split()[:2] == ["total", "8,080"]
    assert repr(run(spark, source, tmp_path / "shown")).endswith("is up to date: nothing was written")


# Run after run


def test_a_second_run_goes_on(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    first = run(spark, source, target)
    nothing = run(spark, source, target)
    assert nothing.up_to_date
    assert (nothing.rows, nothing.files, nothing.manifest) == (0, (), first.manifest)
    for number in (0, 1):
        partition = source / f"profiles-{number}"
        append_segment(partition, min(partition.glob("*.log")))
    second = run(spark, source, target, split_bytes=3000)
    assert {p.name for p in second.partitions} == {"profiles-0", "profiles-1"}
    assert second.rows == 500
    manifest = check(source, target)
    assert manifest.partitions["profiles-0"].end_offset == PartitionLog(source / "profiles-0").log_end_offset
    # another topic joins later, those that are not read again stay as they are
    third = run(spark, source, target, topics="payments")
    assert third.up_to_date
    assert manifest_of(target) == manifest


def test_gaps_join_up_over_runs(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    in_one, in_steps = tmp_path / "one", tmp_path / "steps"
    run(spark, source, in_one, topics="profiles")
    for end in (1000, 3459, 3460, 4000, 5068):
        offsets = {"profiles": {"0": end, "1": min(end, 4932)}}
        run(spark, source, in_steps, topics="profiles", ending_offsets=offsets)
    check(source, in_steps, ("profiles",))
    for name in ("profiles-0", "profiles-1"):
        one, steps = (manifest_of(path).partitions[name].totals for path in (in_one, in_steps))
        assert steps.gaps == one.gaps
        assert steps.rows == one.rows


def test_committed_ends_at_the_last_stable_offset(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    path = source / "payments-0" / "00000000000000000229.log"
    whole = path.read_bytes()
    position = next(
        batch.position for batch in PartitionLog(path.parent).segments()[1].batches()
        if batch.position > len(whole) // 2 and batch.is_control
    )  # fmt: skip
    path.write_bytes(whole[:position])  # before a marker: its transaction is open
    log = PartitionLog(path.parent)
    assert log.last_stable_offset < log.log_end_offset
    first = run(spark, source, target, topics="payments")
    assert {p.name: p.end_offset for p in first.partitions}["payments-0"] == log.last_stable_offset
    path.write_bytes(whole)
    run(spark, source, target, topics="payments")
    check(source, target, ("payments",))


def test_another_source_is_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    run(spark, source, target, topics="profiles")
    manifest = (target / MANIFEST).read_bytes()

    def refused(message: str, **options: Any) -> None:
        with pytest.raises(ExportError, match=message):
            run(spark, source, target, topics="profiles", **options)
        assert (target / MANIFEST).read_bytes() == manifest

    refused("was exported with isolation read_committed, not read_uncommitted", isolation="read_uncommitted")
    refused("was exported with columns key, value, .*, not value", columns="value")
    properties = (source / "meta.properties").read_text()
    (source / "meta.properties").write_text(re.sub(r"cluster\.id=.*", "cluster.id=another", properties))
    refused("holds cluster .*, not another")
    (source / "meta.properties").write_text(properties)
    metadata = source / "profiles-0" / "partition.metadata"
    text = metadata.read_text()
    metadata.write_text(re.sub(r"topic_id: .*", "topic_id: AAAAAAAAAAAAAAAAAAAAAQ", text))
    refused("profiles-0 has topic id AAAAAAAAAAAAAAAAAAAAAQ, and .* was exported")
    metadata.write_text(text)
    for kind in ("log", "index", "timeindex", "snapshot"):
        (source / "profiles-0" / f"00000000000000005027.{kind}").unlink()
    refused("profiles-0 ends at offset 5[0-9]*, but was exported up to 5068")


def test_a_cluster_is_not_forgotten(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target, properties = tmp_path / "target", source / "meta.properties"
    text = properties.read_text()
    cluster_id = run(spark, source, target, topics="profiles", ending_offsets={"profiles": {"0": 100}}).manifest
    assert cluster_id is not None
    properties.unlink()
    run(spark, source, target, topics="profiles")
    assert manifest_of(target).cluster_id == cluster_id.cluster_id is not None
    properties.write_text(re.sub(r"cluster\.id=.*", "cluster.id=another", text))
    with pytest.raises(ExportError, match=r"holds cluster .*, not another"):
        run(spark, source, target)


def test_directories_of_two_clusters_are_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.move(source / "profiles-1", other / "profiles-1")
    properties = (source / "meta.properties").read_text()
    (other / "meta.properties").write_text(re.sub(r"cluster\.id=.*", "cluster.id=zzz", properties))
    with pytest.raises(ExportError, match=r"the source is of clusters .* and zzz"):
        run(spark, [source, other], tmp_path / "target")
    assert not (tmp_path / "target" / MANIFEST).exists()


def test_what_was_deleted_before_it_was_exported(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    target, partition = tmp_path / "target", source / "profiles-0"
    run(spark, source, target, topics="profiles", ending_offsets={"profiles": {"0": 4000}})
    for file in partition.glob("00000000000000000000.*"):
        file.unlink()
    with pytest.raises(ExportError, match="profiles-0 begins at offset 5027, but was exported up to 4000 only"):
        run(spark, source, target, topics="profiles")
    run(spark, source, target, topics="profiles", fail_on_data_loss=False)
    state = manifest_of(target).partitions["profiles-0"]
    assert state.end_offset == 5068
    assert state.totals.rows + state.totals.gaps.offsets == 5068
    assert any(first <= 4000 and last >= 5026 for first, last in state.totals.gaps.ranges)


def test_data_without_its_manifest(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    run(spark, source, tmp_path / "target", topics="profiles")
    (tmp_path / "target" / MANIFEST).unlink()
    with pytest.raises(ExportError, match="holds data but no"):
        run(spark, source, tmp_path / "target", topics="profiles")


# Corrupt bytes


@pytest.fixture
def corrupt(source: Path) -> tuple[Path, int, int]:
    """Flip a bit in the tenth batch of profiles-1; return the file, and the batch's position and size."""
    segment = PartitionLog(source / "profiles-1").segments()[0]
    position, size = [(one.position, one.size_in_bytes) for one in segment.batches()][1]
    path = Path(str(segment.location))
    data = bytearray(path.read_bytes())
    data[position + size - 1] ^= 1
    path.write_bytes(data)
    return path, position, size


def test_corrupt_bytes_fail_a_run(
    spark: SparkSession, source: Path, tmp_path: Path, corrupt: tuple[Path, int, int]
) -> None:
    target, (path, position, _) = tmp_path / "target", corrupt
    with pytest.raises(Corrupt, match="CRC-32C") as caught:
        run(spark, source, target, on_corrupt="fail")
    error = caught.value
    assert (error.topic, error.partition, error.file) == ("profiles", 1, str(path))
    assert error.position is not None
    assert position <= error.position <= position + 21
    assert not any(target.glob("topic=*"))
    assert not (target / STAGING).exists()
    assert not (target / MANIFEST).exists()
    run(spark, source, target)  # quarantine is the default
    check(source, target)


@pytest.mark.parametrize("on_corrupt", ["skip", "quarantine"])
def test_corrupt_bytes_are_in_the_manifest(
    spark: SparkSession, source: Path, tmp_path: Path, corrupt: tuple[Path, int, int], on_corrupt: Any
) -> None:
    target, (path, position, size) = tmp_path / "target", corrupt
    result = run(spark, source, target, on_corrupt=on_corrupt)
    manifest = check(source, target)
    (stretch,) = manifest.partitions["profiles-1"].totals.corrupt
    assert result.corrupt == (stretch,)
    assert (stretch.file, stretch.position, stretch.size_in_bytes) == (str(path), position, size)
    assert "CRC-32C" in stretch.error
    assert run(spark, source, target).up_to_date
    if on_corrupt == "skip":
        assert stretch.copy is None
        assert not (target / QUARANTINE).exists()
    else:
        assert stretch.copy is not None
        assert stretch.copy.startswith(f"{QUARANTINE}/profiles-1/")
        assert (target / stretch.copy).read_bytes() == path.read_bytes()[position : position + size]
        note = json.loads((target / f"{stretch.copy}.json").read_text())
        assert (note["topic"], note["partition"], note["position"]) == ("profiles", 1, position)


def test_limits_are_told_from_corruption(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded, match="max_records"):
        run(spark, source, tmp_path / "x", topics="profiles", limits=Limits(max_records=3), on_corrupt="fail")
    assert not (tmp_path / "x" / MANIFEST).exists()
    exported = run(spark, source, tmp_path / "x", topics="profiles", limits=Limits(max_records=3))
    assert exported.over_limits
    assert exported.rows < 580
    assert exported.corrupt == ()
    assert all(stretch.copy for stretch in exported.over_limits)
    assert run(spark, source, tmp_path / "y", topics="profiles", limits=Limits(max_records=10**6)).rows == 580
    small = Limits(max_decompressed_bytes=10)
    reader = SplitReader("read_uncommitted", small, "skip", 2**20)
    log = PartitionLog(source / "profiles-0")
    found: list[CorruptBytes] = []
    assert sum(len(columns) for split in log.splits(2**30) for columns in reader.read(split, found)) == 0
    assert found
    assert all(stretch.over_limit for stretch in found)
    corrupt = replace(found[0], over_limit=False)
    totals = Totals(corrupt=(corrupt, *found))
    result = ExportResult("target", None, (PartitionResult("profiles-0", 0, 5068, totals),), 1.0)
    assert (result.corrupt, result.over_limits) == ((corrupt,), tuple(found))
    assert f"not read, since over the limits: {len(found)} batches, none of them among the corrupt" in repr(result)
    assert result.table().splitlines()[2].split()[8] == "1"
    assert Totals.from_json(json.loads(json.dumps(asdict(totals)))).corrupt == totals.corrupt


# What dies in between


class Died(BaseException):
    """The driver is gone."""


def mortal(original: Callable[..., Any], lives: list[int]) -> Callable[..., Any]:
    def method(self: Target, *arguments: Any) -> Any:
        lives[0] -= 1
        if lives[0] < 0:
            raise Died
        return original(self, *arguments)

    return method


def test_a_driver_may_die_at_any_step(
    spark: SparkSession, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Die before the nth change that the driver makes to the target; the next run must find everything once."""
    steps = 0
    while True:
        target, survived, lives = tmp_path / str(steps), True, [steps]
        with monkeypatch.context() as patch:
            for name in ("write", "move", "remove"):
                patch.setattr(Target, name, mortal(getattr(Target, name), lives))
            try:
                run(spark, source, target, topics="profiles")
            except Died:
                survived = False
        committed, decided = (target / MANIFEST).exists(), (target / PENDING).exists()
        if committed:
            assert manifest_of(target).rows == 580
        again = run(spark, source, target, topics="profiles")
        manifest = check(source, target, ("profiles",))
        if decided and not committed:
            assert again.finished == FinishedRun(manifest.run_id, 580, tuple(file.path for file in manifest.files))
            assert (again.rows, again.up_to_date) == (0, False)
            words = f"finished the interrupted run {manifest.run_id}: 580 records in {len(manifest.files)} files to "
            assert repr(again) == f"{words}{target}"
        else:
            assert again.finished is None
        assert run(spark, source, target, topics="profiles").up_to_date
        if survived:
            break
        steps += 1
    assert steps > 5  # staging, pending.json, a move for each of four files, the manifest, staging again


def tasks_for(target: Path, **options: str) -> ExportTasks:
    columns = tuple(name for name in LOG_COLUMNS if name != "topic")
    reader = SplitReader.of(LogOptions.parse({"path": "/", **options}))
    return ExportTasks(Target(target), "run", reader, Layout(columns), lambda amount: None)


def test_attempts_of_a_task_do_not_touch_each_other(shop: Path, tmp_path: Path) -> None:
    piece = Piece(tuple(PartitionLog(shop / "profiles-0").splits(2**30)))
    tasks = tasks_for(tmp_path)
    (_, one), (_, two) = [*tasks.run([(0, piece)]), *tasks.run([(0, piece)])]
    assert isinstance(one, Totals)
    assert isinstance(two, Totals)
    assert {file.path for file in one.files}.isdisjoint(file.path for file in two.files)
    assert one.rows == two.rows == 291


def test_tasks_do_not_begin_after_one_has_failed(source: Path, tmp_path: Path, corrupt: tuple[Path, int, int]) -> None:
    names = ("profiles-1", "profiles-0")
    bad, good = (Piece(tuple(PartitionLog(source / name).splits(2**30))) for name in names)
    tasks = tasks_for(tmp_path)
    outcomes = dict(tasks.run([(7, bad), (3, good)]))
    assert isinstance(outcomes[7], DecodeError)
    assert outcomes[3] is None


def test_a_target_that_cannot_be_written(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    (tmp_path / "target").write_text("a file")
    with pytest.raises(OSError, match="target"):
        run(spark, source, tmp_path / "target")
