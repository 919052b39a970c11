"""The session helper and the package: Java found or missed with a clear word, and nothing imported too early."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkacodec.errors import KafkaCodecError
from kafkacodec.spark.local import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def java(folder: Path, version: str, status: int = 0) -> Path:
    """Make a `java` that says a version."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\nexit {status}\n")
    path.chmod(0o755)
    return path


def test_java_of_java_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = java(tmp_path, "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java() == path


def test_java_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = java(tmp_path, "17")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{path.parent}:/bin:/usr/bin")
    assert find_java() == path


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(KafkaCodecError, match="there is no java on the PATH: install a Java runtime of version 17"):
        find_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(KafkaCodecError, match=r"JAVA_HOME=.* has no bin/java: install a Java runtime"):
        find_java()


@pytest.mark.parametrize(
    ("version", "status", "message"),
    [("1.8.0_392", 0, "is Java 8, and Spark needs 17"), ("11.0.2", 0, "is Java 11"), ("17", 1, "does not run")],
)
def test_java_that_is_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, status: int, message: str
) -> None:
    java(tmp_path, version, status)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(KafkaCodecError, match=message):
        find_java()


def test_importing_the_package_imports_little() -> None:
    """Each of Spark's workers imports it; what is not needed there must not cost."""
    code = (
        "import sys, kafkacodec.spark; assert 'export' in dir(kafkacodec.spark);"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'numpy', 'pyarrow', 'pyspark', 'rich'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_of_the_package() -> None:
    import kafkacodec.spark

    for name in set(kafkacodec.spark.__all__) - {"report"}:
        assert getattr(kafkacodec.spark, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = kafkacodec.spark.nothing


@pytest.mark.spark
def test_a_session_is_made_once(spark: SparkSession) -> None:
    from kafkacodec.spark import session

    assert session() is spark
    assert spark.conf.get("spark.sql.python.filterPushdown.enabled") == "true"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_export_without_a_spark_context(tmp_path: Path) -> None:
    from kafkacodec.spark import export

    class Connected:
        """A session of Spark Connect, as far as this goes."""

    with pytest.raises(KafkaCodecError, match="a Spark Connect session has not"):
        export(Connected(), tmp_path / "logs", tmp_path / "parquet")  # type: ignore[arg-type]
