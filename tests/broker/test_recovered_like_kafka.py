"""Kafka's own LogLoader and LogSegment.recover leave the same bytes as ours in damaged partitions (fuzz/recover.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.broker

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fuzz"))

import recover as oracle  # noqa: E402


@pytest.mark.usefixtures("kafka_4")
def test_damaged_partitions_are_loaded_as_kafka_loads_them() -> None:
    outcomes, findings = oracle.run(300, seed=79, say=False)
    assert findings == []
    assert outcomes["same"] > 200
    assert outcomes["refused"] > 2


@pytest.mark.usefixtures("kafka_4")
def test_single_segments_are_recovered_as_kafka_recovers_them() -> None:
    outcomes, findings = oracle.run(150, seed=80, segments=True, say=False)
    assert findings == []
    assert outcomes["same"] > 100
