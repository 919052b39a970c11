"""Kafka's own Cleaner on the same directories: equal files; and what its LogLoader makes of a compaction cut short."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from kafka_parts import Parts

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "fuzz"), str(ROOT / "tests" / "log")]

from dirty_logs import NOW, write_dirty_log  # noqa: E402

from compact import Cleaner, answer_of, clean, differences, try_log  # noqa: E402
from kafkacodec.log import CleanerConfig, PartitionLog, compact  # noqa: E402

pytestmark = pytest.mark.broker

SMALL = CleanerConfig(min_cleanable_dirty_ratio=0.0, segment_index_bytes=2**16)
STEPS = 12


@pytest.fixture(scope="module")
def cleaner(kafka_4: Parts) -> Iterator[Cleaner]:
    with Cleaner() as running:
        yield running


@pytest.mark.parametrize("seed", [105, 107, 113, 124, 138])
def test_seeded_logs(cleaner: Cleaner, tmp_path: Path, seed: int) -> None:
    assert try_log(cleaner, tmp_path, seed) == []


@pytest.mark.parametrize("partition", ["profiles-0", "profiles-1", "payments-0", "payments-1", "orders-0"])
def test_the_shop(cleaner: Cleaner, shop: Path, tmp_path: Path, partition: str) -> None:
    sides = [shutil.copytree(shop / partition, tmp_path / side / partition) for side in ("kafka", "ours")]
    now = 1_767_300_000_000  # soon after the shop's last record: its producers are still active
    for moment in (now, now + 2 * 86_400_000):
        answer = cleaner.ask("clean", sides[0], SMALL, moment)
        assert answer == clean(sides[1], SMALL, moment)
        assert answer.startswith("ok 1")
        assert differences(*sides) == []
        for side in sides:
            (side.parent / "cleaner-offset-checkpoint").unlink()


@pytest.mark.parametrize("partition", ["__consumer_offsets-1", "__transaction_state-1"])
def test_brokers_own_topics_rolled(cleaner: Cleaner, shop: Path, tmp_path: Path, partition: str) -> None:
    sides = []
    for name in ("kafka", "ours"):
        side = shutil.copytree(shop / partition, tmp_path / name / partition)
        end = PartitionLog(side).log_end_offset
        (side / f"{end:020d}.log").write_bytes(b"")  # as if it had been rolled
        (side / f"{end:020d}.index").write_bytes(b"")
        (side / f"{end:020d}.timeindex").write_bytes(b"")
        sides.append(side)
    answer = cleaner.ask("clean", sides[0], SMALL, NOW)
    assert answer == clean(sides[1], SMALL, NOW)
    assert differences(*sides) == []


def test_a_broker_finishes_or_takes_back_what_was_cut_short(
    cleaner: Cleaner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    real = os.replace
    base = tmp_path / "base" / "log-0"
    config = write_dirty_log(base, 22)
    assert cleaner.ask("prepare", base, config, NOW).startswith("ok")
    wanted = {record.key: record.value for record in PartitionLog(base).records() if record.key is not None}
    for step in range(1, STEPS):
        left = [step]

        def dying(*arguments: Path, left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise Killed
            real(*arguments)

        log = shutil.copytree(base, tmp_path / str(step) / "log-0")
        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", dying)
            with suppress(Killed):
                compact(log, config=config, now=NOW)
        assert cleaner.ask("prepare", log, config, NOW).startswith("ok")
        assert {path.suffix for path in log.iterdir()} & {".swap", ".cleaned", ".deleted"} == set()
        found = PartitionLog(log)
        assert {record.key: record.value for record in found.records() if record.key is not None} == wanted
        assert found.log_end_offset == PartitionLog(base).log_end_offset


def test_answers_have_one_form(tmp_path: Path, shop: Path) -> None:
    log = shutil.copytree(shop / "orders-0", tmp_path / "orders-0")
    assert answer_of(compact(log, config=SMALL).partitions[0]).startswith("ok 1 ")
    assert answer_of(compact(log, config=SMALL).partitions[0]) == "ok 0 -1"
