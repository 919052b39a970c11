"""What a piece of work costs: wall time, CPU seconds of whole process trees, peak memory of Python workers (Linux)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    """One line of /proc: `cpu` includes the children that it has already waited for."""

    pid: int
    parent: int
    cpu: float

    @classmethod
    def read(cls, pid: int) -> Process | None:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        return cls(pid, int(fields[1]), sum(int(n) for n in fields[11:15]) / TICKS)


def tree(root: int) -> list[Process]:
    """Return `root` and all that descend from it."""
    found = [Process.read(int(name)) for name in os.listdir("/proc") if name.isdigit()]
    children: dict[int, list[Process]] = {}
    for process in found:
        if process is not None:
            children.setdefault(process.parent, []).append(process)
    top = Process.read(root)
    members = [] if top is None else [top]
    for member in members:  # grows while it is walked
        members.extend(children.get(member.pid, []))
    return members


def cpu_of_tree(root: int) -> float:
    return sum(process.cpu for process in tree(root))


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds: `spark` is the JVM, its Python workers and the driver; `broker` the Kafka broker beside them."""

    wall: float
    spark: float
    broker: float


def cost_of(work: Callable[[], object], jvm: int, broker: int) -> Cost:
    """Run `work` and return what it cost."""
    spark_before, broker_before = cpu_of_tree(jvm) + time.process_time(), cpu_of_tree(broker)
    start = time.perf_counter()
    work()
    wall = time.perf_counter() - start
    spark_after, broker_after = cpu_of_tree(jvm) + time.process_time(), cpu_of_tree(broker)
    return Cost(wall, spark_after - spark_before, broker_after - broker_before)


def _peak_bytes(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) * 1024 if lines else 0


@contextmanager
def peak_of_workers(jvm: int) -> Iterator[dict[int, int]]:
    """Watch the Python processes below the JVM; the dict given maps pid to peak resident bytes."""
    peaks: dict[int, int] = {}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            for process in tree(jvm):
                if process.pid != jvm:
                    peaks[process.pid] = max(peaks.get(process.pid, 0), _peak_bytes(process.pid))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        done.set()
        watcher.join()
