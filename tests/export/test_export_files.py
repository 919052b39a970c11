"""Files in place only when they are whole: what is there is not replaced by chance, what failed leaves nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq
from exported import export, lines_of, partition

from kafkacodec.errors import ExportError
from kafkacodec.export import FileOutput, FolderOutput


def names(path):
    return sorted(one.name for one in path.iterdir())


def test_a_file_that_is_there(tmp_path):
    place = partition(tmp_path / "in", "a-0", [b"v"])
    output = tmp_path / "x.parquet"
    output.write_text("precious")
    with pytest.raises(ExportError, match="is there already: --force"):
        export(place, output)
    assert output.read_text() == "precious"
    export(place, output, force=True)
    assert pq.read_table(output).num_rows == 1
    assert names(tmp_path) == ["in", "x.parquet"]


def test_a_file_that_appears_meanwhile(tmp_path):
    output = FileOutput(tmp_path / "x")
    with output.create("x") as file:
        file.write(b"new")
    (tmp_path / "x").write_text("precious")
    with pytest.raises(ExportError, match="was made meanwhile"):
        output.commit()
    output.abandon()
    assert (names(tmp_path), (tmp_path / "x").read_text()) == (["x"], "precious")


def test_directories_that_are_there(tmp_path):
    place = partition(tmp_path / "in", "a-0", [b"v"])
    out = tmp_path / "out"
    out.mkdir()
    export(place, out)
    assert names(out) == ["a-0.parquet"]
    with pytest.raises(ExportError, match="is not empty: --force"):
        export(place, out)
    (out / "old.parquet").write_text("of an earlier export")
    export(place, out, force=True)
    assert names(out) == ["a-0.parquet"]
    (out / "precious.txt").write_text("mine")
    with pytest.raises(ExportError, match=r"holds what no export to .parquet wrote: precious.txt"):
        export(place, out, force=True)
    assert names(out) == ["a-0.parquet", "precious.txt"]
    assert names(tmp_path) == ["in", "out"]
    with pytest.raises(ExportError, match="is no directory"):
        FolderOutput(out / "precious.txt", ".parquet", force=True)


def test_no_place_to_write_to(tmp_path):
    with pytest.raises(ExportError, match="there is no directory"):
        FileOutput(tmp_path / "nowhere" / "x.parquet")
    with pytest.raises(ExportError, match="there is no directory"):
        FolderOutput(tmp_path / "nowhere" / "out", ".parquet")


def test_files_cut_by_rows(tmp_path):
    place = partition(tmp_path / "in", "a-0", [b"%d" % n for n in range(1000)])
    for jobs in (1, 3):
        report = export(place, tmp_path / "out", max_rows=333, jobs=jobs, force=True)
        files = [(Path(file.path).name, file.rows) for file in report.files]
        assert files == [(f"a-0.0000{n}.parquet", rows) for n, rows in enumerate((333, 333, 333, 1))]
        found = [n for file in report.files for n in pq.read_table(file.path)["offset"].to_pylist()]
        assert found == list(range(1000))


def test_files_cut_by_bytes(tmp_path):
    place = partition(tmp_path / "in", "a-0", [os.urandom(20_000) for _ in range(1000)])
    report = export(place, tmp_path / "out", "jsonl", values="base64", max_bytes=4 * 2**20)
    assert 3 <= len(report.files) <= 8
    assert all(file.size < 8 * 2**20 for file in report.files)
    assert [row["offset"] for file in report.files for row in lines_of(Path(file.path))] == list(range(1000))


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize("codec", ["gzip", "zstd", "lz4"])
def test_text_is_compressed(tmp_path, form, codec):
    import pyarrow as pa

    place = partition(tmp_path / "in", "a-0", [b"v" * 100] * 1000)
    export(place, tmp_path / f"plain.{form}", form)
    export(place, tmp_path / "out", form, compression=codec)
    (path,) = (tmp_path / "out").iterdir()
    with pa.input_stream(path) as stream:
        assert stream.read() == (tmp_path / f"plain.{form}").read_bytes()
    assert path.stat().st_size < (tmp_path / f"plain.{form}").stat().st_size / 5


@pytest.mark.parametrize("codec", ["zstd", "snappy", "gzip", "lz4", "none"])
def test_parquet_is_compressed(tmp_path, codec):
    place = partition(tmp_path / "in", "a-0", [b"v"])
    export(place, tmp_path / "x.parquet", compression=codec)
    column = pq.read_metadata(tmp_path / "x.parquet").row_group(0).column(0)
    assert column.compression == {"none": "UNCOMPRESSED"}.get(codec, codec.upper())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"form": "xlsx"}, "an export is to"), ({"columns": ("key", "nonsense")}, "columns are some of"),
        ({"columns": ()}, "columns are some of"), ({"columns": ("key", "key")}, "columns are some of"),
        ({"form": "csv", "values": "raw"}, "holds no raw bytes"), ({"values": "avro"}, "needs schemas"),
        ({"values": "nonsense"}, "value can be"), ({"headers": "json"}, "headers can be"),
        ({"compression": "rar"}, "is compressed by"), ({"max_rows": 0}, "max_rows must be"),
        ({"jobs": 0}, "jobs must be"), ({"partition_by": "schema"}, "a file for each schema needs"),
        ({"partition_by": "topic"}, "needs a directory"), ({"max_rows": 5}, "needs a directory"),
    ],
)  # fmt: skip
def test_options_that_contradict_themselves(tmp_path, options, said):
    place = partition(tmp_path / "in", "a-0", [b"v"])
    with pytest.raises(ExportError, match=said):
        export(place, tmp_path / "x.parquet", **options)
    assert names(tmp_path) == ["in"]


def test_one_file_per_topic_or_for_all_in_a_directory(tmp_path):
    for name in ("a-0", "a-1", "b-0"):
        partition(tmp_path / "in", name, [b"v"] * 3)
    for by, files in (("topic", ["a.parquet", "b.parquet"]), ("none", ["part.parquet"])):
        report = export(tmp_path / "in", tmp_path / by, partition_by=by)
        assert names(tmp_path / by) == files
        assert report.rows == 9
