"""Fixtures that every room's tests share, and the rule that under KAFKACODEC_REQUIRE_ALL=1 nothing may be left out."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SHOP = ROOT / "examples" / "shop"

REQUIRE_ALL = os.environ.get("KAFKACODEC_REQUIRE_ALL") == "1"
if REQUIRE_ALL:
    os.environ["KAFKACODEC_REQUIRE_NATIVE"] = "1"
    os.environ["KAFKACODEC_REQUIRE_SPARK"] = "1"


@pytest.fixture(scope="session")
def shop() -> Path:
    """Return the log directory of a real Kafka 4.3.0 broker; never written to."""
    return SHOP


@pytest.fixture
def shop_copy(tmp_path: Path) -> Path:
    """Return a copy of that directory which a test may damage."""
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


@pytest.fixture(scope="session")
def expected() -> dict[str, dict[str, Any]]:
    """Return what librdkafka read of each partition of `shop`, by `<isolation>/<topic>-<partition>`."""
    known = json.loads((ROOT / "examples" / "expected.json").read_text())
    return dict(known["expected"])


@pytest.fixture(scope="session")
def java() -> None:
    """Ask for pyspark and a Java runtime; without them the test is left out."""
    pytest.importorskip("pyspark", reason="pyspark is not installed (extra spark)")
    from kafkacodec.errors import KafkaCodecError
    from kafkacodec.spark.local import find_java

    try:
        find_java()
    except KafkaCodecError as error:
        pytest.skip(str(error))


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure that keeps the reason."""
    if REQUIRE_ALL and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"left out, but KAFKACODEC_REQUIRE_ALL=1: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    report = yield
    _refuse_skip(report)
    return report
