"""What we append is what Kafka's UnifiedLog appends, file by file; what is flushed outlives a kill.

A sample of fuzz/append.py and fuzz/kills.py, which play as many as one likes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka_parts import KAFKA_4, OPTIONS, Parts

FUZZ = Path(__file__).resolve().parent.parent.parent / "fuzz"
sys.path.insert(0, str(FUZZ))

import appending  # noqa: E402
import kills  # noqa: E402

pytestmark = pytest.mark.broker

# Leaders and followers, transactions, stamps, old formats, all reasons to roll, logs opened again, crashes
SEEDS = (1, 24, 108, 185, 1014, 2076, 100001, 100002)


@pytest.fixture(scope="module")
def kafka(kafka_4: Parts) -> Iterator[appending.Kafka]:
    command = [str(kafka_4.java), *OPTIONS, "-cp", f"{kafka_4.jars(KAFKA_4)}/*"]
    with appending.Kafka(command) as started:
        yield started


@pytest.mark.parametrize("seed", SEEDS)
def test_files_are_kafkas(kafka: appending.Kafka, tmp_path: Path, seed: int) -> None:
    scenario = appending.scenario(seed)
    answers = kafka.play(scenario, tmp_path / "kafka" / "topic-0")
    assert not appending.is_broken(scenario, answers)
    ours = appending.Ours(tmp_path / "ours" / "topic-0", scenario.settings)
    assert ours.play(scenario, answers) == []
    assert appending.compare(tmp_path / "kafka" / "topic-0", tmp_path / "ours" / "topic-0") == []


def test_what_was_flushed_outlives_a_kill(tmp_path: Path) -> None:
    assert kills.run(tmp_path / "log", kills=3, seed=7) == []
