"""One Spark session for all tests of this folder."""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REQUIRED = os.environ.get("KAFKACODEC_REQUIRE_SPARK") == "1"
CONF = {"spark.sql.shuffle.partitions": "2", "spark.driver.memory": "1g", "spark.ui.showConsoleProgress": "false"}


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Return the session; without Java or pyspark the test is left out, or fails under KAFKACODEC_REQUIRE_SPARK=1."""
    if importlib.util.find_spec("pyspark") is None:
        _leave_out("pyspark is not installed")
    from kafkacodec.errors import KafkaCodecError
    from kafkacodec.spark import session
    from kafkacodec.spark.local import find_java

    try:
        find_java()
    except KafkaCodecError as error:
        _leave_out(str(error))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark's own
        running = session("kafkacodec-tests", master="local[2]", conf=CONF)
    yield running
    running.stop()


def _leave_out(reason: str) -> None:
    if REQUIRED:
        pytest.fail(f"left out, but KAFKACODEC_REQUIRE_SPARK=1: {reason}")
    pytest.skip(reason)


@pytest.fixture(params=["pushdown", "no-pushdown"])
def pushdown(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[bool]:
    """Run the test with Spark's filter pushdown and without."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", str(request.param == "pushdown").lower())
    yield request.param == "pushdown"
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
