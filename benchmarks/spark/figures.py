"""What compare.py measured, as tables and as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from accounting import Cost
from rich.console import Console
from rich.table import Table

WORKER_LIMIT = 300 * 2**20
# What is done -> Spark's source, ours, and the same two over 1,000 records, which is what a job costs whatever it reads
JOBS = {
    "sum": ("kafka: sum", "kafka-log: sum", "kafka: sum of 1,000", "kafka-log: sum of 1,000"),
    "sum, columns=value": (
        "kafka: sum", "kafka-log: sum, value only", "kafka: sum of 1,000", "kafka-log: sum of 1,000",
    ),
    "write Parquet": ("kafka: write Parquet", "kafka-log: write Parquet", None, None),
    "export": (
        "kafka: write Parquet", "kafkacodec.spark.export", "kafka: write 1,000", "kafkacodec.spark.export of 1,000",
    ),
}  # fmt: skip
TARGETS = "Targets: sum 3x by wall per task and 1.5x per CPU second, export 5x per CPU second."


@dataclass
class Contestant:
    """A name, what it does, and what that cost, round by round; `tasks`: the run time of its main stage."""

    name: str
    work: Callable[[], object]
    costs: list[Cost]
    tasks: list[float]


def median(costs: list[Cost], *what: str) -> float:
    """Return the median of a cost, or of the sum of several."""
    return statistics.median(sum(getattr(cost, each) for each in what) for cost in costs)


@dataclass
class Figures:
    """Warm rounds by contestant, first runs of new sessions, and peak bytes of a Python worker."""

    field: dict[str, Contestant]
    first: dict[str, list[Cost]]
    peaks: dict[str, int]

    def ratios(self) -> dict[str, dict[str, float]]:
        """Return how many times less ours costs, by job and kind of cost."""
        return {job: self._ratios(*names) for job, names in JOBS.items()}

    def _ratios(self, theirs: str, ours: str, their_few: str | None, our_few: str | None) -> dict[str, float]:
        them, us = self.field[theirs], self.field[ours]
        found = {
            "wall": median(them.costs, "wall") / median(us.costs, "wall"),
            "task": statistics.median(them.tasks) / statistics.median(us.tasks),
            "CPU": median(them.costs, "spark") / median(us.costs, "spark"),
            "CPU with broker": median(them.costs, "spark", "broker") / median(us.costs, "spark"),
        }
        if their_few is not None and our_few is not None:
            for what, name in (("wall", "marginal wall"), ("spark", "marginal CPU")):
                more = median(them.costs, what) - median(self.field[their_few].costs, what)
                found[name] = more / (median(us.costs, what) - median(self.field[our_few].costs, what))
        if theirs in self.first and ours in self.first:
            for what, name in (("wall", "new session, wall"), ("spark", "new session, CPU")):
                found[name] = median(self.first[theirs], what) / median(self.first[ours], what)
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "warm": {name: [asdict(cost) for cost in one.costs] for name, one in self.field.items()},
            "tasks": {name: one.tasks for name, one in self.field.items()},
            "first": {name: [asdict(cost) for cost in costs] for name, costs in self.first.items()},
            "ratios": self.ratios(),
            "peaks": self.peaks,
        }

    def show(self, title: str) -> None:
        """Print all of it."""
        console = Console(width=max(Console().width, 125))
        console.print(self._costs(title))
        console.print(self._ratio_table())
        console.print(TARGETS)
        for name, peak in self.peaks.items():
            verdict = "below" if peak < WORKER_LIMIT else "ABOVE"
            megabytes = f"{peak >> 20} MiB, {verdict} {WORKER_LIMIT >> 20} MiB"
            console.print(f"{name}: the Python worker's peak is {megabytes}")

    def _costs(self, title: str) -> Table:
        table = Table(title=f"{title}; medians, seconds", title_justify="left")
        warm = ("wall", "task", "CPU: Spark", "CPU: broker")
        for heading in ("", *warm, "new session: wall", "CPU: Spark", "CPU: broker"):
            table.add_column(heading, justify="right" if heading else "left")
        for name, one in self.field.items():
            kinds = ("wall", "spark", "broker")
            wall, spark, broker = (median(one.costs, kind) for kind in kinds)
            figures = [wall, statistics.median(one.tasks), spark, broker]
            figures += [median(self.first[name], kind) for kind in kinds if name in self.first]
            table.add_row(name, *(f"{figure:.2f}" for figure in figures))
        return table

    def _ratio_table(self) -> Table:
        table = Table(title="How many times less than Spark's Kafka source", title_justify="left")
        ratios = self.ratios()
        kinds = list(dict.fromkeys(kind for found in ratios.values() for kind in found))
        for heading in ("", *kinds):
            table.add_column(heading, justify="right" if heading else "left")
        for job, found in ratios.items():
            table.add_row(job, *(f"{found[kind]:.2f}x" if kind in found else "" for kind in kinds))
        return table
