"""kafkacodec's `kafka-log` and export beside Spark's own Kafka source, on one topic of one real broker.

Starts an Apache Kafka 4.3.0 broker from its jars, has Kafka's own producer write 400,000 records of about
276 B with lz4, then reads them in one local[1] session: Spark's source through the broker, `kafka-log` from
the broker's log directory. Contestants take turns; the first rounds warm the JVM up and do not count;
figures are medians. CPU seconds are those of the JVM, its Python workers and the driver; the broker's are
given apart.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from accounting import Cost, cost_of, peak_of_workers
from figures import Contestant, Figures
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql

import kafkacodec.spark
from broker import Broker

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = ROOT / ".cache" / "bench-spark"
sys.path.insert(0, str(HERE.parent))
from corpora import json_documents  # noqa: E402

RECORDS = 400_000
BIG_RECORDS = 3_900_000  # uncompressed: one segment of 1 GiB and a little more
ONE_TASK = str(2**31 - 1)
FIRST = ("kafka: sum", "kafka-log: sum", "kafka: write Parquet", "kafkacodec.spark.export")


class Place(Protocol):
    """Where the data is: a broker, its log directory and its process."""

    @property
    def address(self) -> str: ...

    @property
    def data(self) -> Path: ...

    @property
    def pid(self) -> int: ...


@dataclass(frozen=True)
class Elsewhere:
    """A broker that another process started."""

    address: str
    data: Path
    pid: int


def jars(which: str) -> Path:
    """Return the folder of the jars named in `<which>-pom.xml`, fetched with Maven at first use."""
    folder = CACHE / f"{which}-jars"
    if not folder.exists():
        print(f"fetching the jars of {which}-pom.xml with Maven", flush=True)
        command = ["mvn", "-q", "-B", "-f", str(HERE / f"{which}-pom.xml"), "dependency:copy-dependencies"]
        command += ["-DincludeScope=runtime", f"-DoutputDirectory={folder}.partial"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        Path(f"{folder}.partial").rename(folder)
    return folder


def fill(broker: Broker, topic: str, records: int, compression: str) -> None:
    if not (broker.data / f"{topic}-0").exists():
        print(f"producing {records:,} records to {topic} ({compression})", flush=True)
        values = (value for _, _, value, _ in itertools.islice(json_documents(), 50_000) if value is not None)
        broker.produce(topic, values, records, compression)


def session() -> SparkSession:
    connector = ",".join(str(jar) for jar in sorted(jars("connector").glob("*.jar")))
    spark = (
        SparkSession.builder.master("local[1]")
        .appName("kafkacodec benchmark")
        .config("spark.jars", connector)
        .config("spark.ui.port", "0")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.parquet.compression.codec", "zstd")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    kafkacodec.spark.register(spark)
    return spark


def by_kafka(spark: SparkSession, broker: Place, topic: str, **options: str) -> DataFrame:
    reader = spark.read.format("kafka").option("kafka.bootstrap.servers", broker.address)
    return reader.options(subscribe=topic, **options).load()


def by_log(spark: SparkSession, broker: Place, topic: str, **options: str) -> DataFrame:
    reader = spark.read.format("kafka-log").options(subscribe=topic, splitBytes=ONE_TASK, includeHeaders="false")
    return reader.options(**options).load(str(broker.data))


def add_up(frame: DataFrame) -> int:
    return int(frame.agg(sql.sum(sql.length("value"))).collect()[0][0])


def task_seconds(spark: SparkSession, after: int) -> tuple[float, int]:
    """Return the run time of the tasks of the longest stage after stage `after`, and the newest stage's number."""
    context = spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()  # or the newest stage may not be told of yet
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages?status=complete"
    with urllib.request.urlopen(url) as answer:
        stages = [stage for stage in json.load(answer) if stage["stageId"] > after]
    if not stages:
        return 0.0, after
    return max(stage["executorRunTime"] for stage in stages) / 1000, max(stage["stageId"] for stage in stages)


def contestants(spark: SparkSession, broker: Place) -> list[Contestant]:
    few = json.dumps({"orders": {"0": 1000}})
    out = CACHE / "out"

    def export() -> None:
        shutil.rmtree(out / "log", ignore_errors=True)
        kafkacodec.spark.export(spark, str(broker.data), str(out / "log"), topics=["orders"], progress=False)

    def write() -> None:
        by_kafka(spark, broker, "orders").write.mode("overwrite").parquet(str(out / "kafka"))

    def write_few() -> None:
        by_kafka(spark, broker, "orders", endingOffsets=few).write.mode("overwrite").parquet(str(out / "kafka-few"))

    def export_few() -> None:
        shutil.rmtree(out / "log-few", ignore_errors=True)
        ends = {"orders": {"0": 1000}}
        kafkacodec.spark.export(
            spark, str(broker.data), str(out / "log-few"), topics=["orders"], ending_offsets=ends, progress=False
        )

    def write_log() -> None:
        by_log(spark, broker, "orders").write.mode("overwrite").parquet(str(out / "log-write"))

    works: dict[str, Callable[[], object]] = {
        "kafka: sum": lambda: add_up(by_kafka(spark, broker, "orders")),
        "kafka-log: sum": lambda: add_up(by_log(spark, broker, "orders")),
        "kafka-log: sum, value only": lambda: add_up(by_log(spark, broker, "orders", columns="value")),
        "kafka: sum of 1,000": lambda: add_up(by_kafka(spark, broker, "orders", endingOffsets=few)),
        "kafka-log: sum of 1,000": lambda: add_up(by_log(spark, broker, "orders", endingOffsets=few)),
        "kafka: write Parquet": write,
        "kafka-log: write Parquet": write_log,
        "kafkacodec.spark.export": export,
        "kafka: write 1,000": write_few,
        "kafkacodec.spark.export of 1,000": export_few,
    }
    return [Contestant(name, work, [], []) for name, work in works.items()]


def check(spark: SparkSession, broker: Place) -> None:
    """All routes must find the same records."""
    wanted = add_up(by_kafka(spark, broker, "orders"))
    assert add_up(by_log(spark, broker, "orders")) == wanted
    assert add_up(by_log(spark, broker, "orders", columns="value")) == wanted
    for written in ("kafka", "log", "log-write"):
        frame = spark.read.option("recursiveFileLookup", "true").parquet(str(CACHE / "out" / written))
        row = frame.agg(sql.count("*"), sql.sum(sql.length("value")), sql.countDistinct("offset")).collect()[0]
        assert tuple(row) == (RECORDS, wanted, RECORDS), (written, row)


def once(name: str, broker: Place) -> Cost:
    """Return what a contestant costs as the first thing that a new session does."""
    spark = session()
    (contestant,) = [c for c in contestants(spark, broker) if c.name == name]
    cost = cost_of(contestant.work, spark.sparkContext._gateway.proc.pid, broker.pid)
    spark.stop()
    return cost


def first_runs(broker: Place, repeats: int) -> dict[str, list[Cost]]:
    """Run each of the main contestants alone in new sessions, in turns."""
    costs: dict[str, list[Cost]] = {name: [] for name in FIRST}
    for turn in range(repeats):
        for name in FIRST:
            where = ["--address", broker.address, "--data", str(broker.data), "--pid", str(broker.pid)]
            command = [sys.executable, str(HERE / "compare.py"), "--once", name, *where]
            done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            if done.returncode:
                raise RuntimeError(f"{name} failed:\n{done.stdout}\n{done.stderr}")
            costs[name].append(Cost(**json.loads(done.stdout.splitlines()[-1])))
        print(f"new sessions, round {turn + 1} of {repeats}", flush=True)
    return costs


def compete(spark: SparkSession, broker: Place, rounds: int, warmup: int) -> list[Contestant]:
    jvm = spark.sparkContext._gateway.proc.pid
    field = contestants(spark, broker)
    stage = -1
    for turn in range(-warmup, rounds):
        for contestant in field:
            cost = cost_of(contestant.work, jvm, broker.pid)
            seconds, stage = task_seconds(spark, stage)
            if turn >= 0:
                contestant.costs.append(cost)
                contestant.tasks.append(seconds)
        print(f"round {turn + 1} of {rounds}" if turn >= 0 else "warming up", flush=True)
    return field


def watch_memory(spark: SparkSession, broker: Place) -> dict[str, int]:
    """Return the peak resident bytes of a Python worker that reads a segment of 1 GiB as one task."""
    jvm = spark.sparkContext._gateway.proc.pid
    peaks: dict[str, int] = {}
    with peak_of_workers(jvm) as seen:
        add_up(by_log(spark, broker, "big"))
    peaks["kafka-log: sum over a segment of 1 GiB"] = max(seen.values())
    target = CACHE / "out" / "big"
    shutil.rmtree(target, ignore_errors=True)
    with peak_of_workers(jvm) as seen:
        kafkacodec.spark.export(
            spark, str(broker.data), str(target), topics=["big"], split_bytes=int(ONE_TASK), progress=False
        )
    peaks["export of a segment of 1 GiB"] = max(seen.values())
    shutil.rmtree(target)
    return peaks


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--new-sessions", type=int, default=3, help="rounds with a session for each run")
    parser.add_argument("--no-memory", action="store_true", help="leave the segment of 1 GiB out")
    parser.add_argument("--once", metavar="NAME", help=argparse.SUPPRESS)
    for name, kind in (("--address", str), ("--data", Path), ("--pid", int)):
        parser.add_argument(name, type=kind, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once:
        cost = once(arguments.once, Elsewhere(arguments.address, arguments.data, arguments.pid))
        print(json.dumps(asdict(cost)))
        return 0
    with Broker(CACHE / "broker", jars("kafka")) as broker:
        fill(broker, "orders", RECORDS, "lz4")
        if not arguments.no_memory:
            fill(broker, "big", BIG_RECORDS, "none")
        first = first_runs(broker, arguments.new_sessions)
        spark = session()
        try:
            field = compete(spark, broker, arguments.rounds, arguments.warmup)
            check(spark, broker)
            peaks = {} if arguments.no_memory else watch_memory(spark, broker)
        finally:
            spark.stop()
    figures = Figures({c.name: c for c in field}, first, peaks)
    (CACHE / "results.json").write_text(json.dumps(figures.to_json(), indent=1))
    figures.show(f"{RECORDS:,} records of 276 B, lz4, local[1]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
