"""From a Kafka broker's log directory to Parquet and a report: what `make demo` runs.

    python examples/demo.py [--scale N] [--out demo-out] [SOURCE]

SOURCE is examples/shop, the log directory of a real broker, unless you name yours; with `--scale 20` twenty times as
much is made of it first (see scale_log.py). What an earlier demo of the same scale wrote is replaced.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

import kafkacodec
import kafkacodec.spark
from kafkacodec.spark import ExportResult
from kafkacodec.spark.result import PartitionResult
from scale_log import scale_log

SHOP = Path(__file__).resolve().parent / "shop"
console = Console(width=None if sys.stdout.isatty() else 100)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is happening, and how long it took."""
    start = time.perf_counter()
    console.print(f"[bold]{what}[/] ...")
    yield
    console.print(f"  {time.perf_counter() - start:.1f} s", highlight=False)


def size(count: float) -> str:
    """Return bytes for people: 1.4 MiB."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def table_of(result: ExportResult) -> Table:
    """Return what was exported, a row per topic."""
    table = Table(
        title="Exported, read_committed", title_justify="left", box=box.SIMPLE_HEAD, padding=0, show_footer=True
    )
    headings = ("topic", "parts", "records", "nulls", "gaps", "corrupt", "codec", "log", "Parquet")
    by_topic: dict[str, list[PartitionResult]] = {}
    for partition in result.partitions:
        by_topic.setdefault(partition.name.rpartition("-")[0], []).append(partition)
    footer = ("all", *cells(result.partitions))
    for heading, total in zip(headings, footer, strict=True):
        justify = "left" if heading in ("topic", "codec") else "right"
        table.add_column(heading, "" if heading == "codec" else total, justify=justify, no_wrap=True)
    for topic, partitions in by_topic.items():
        table.add_row(topic, *cells(partitions))
    return table


def cells(partitions: Sequence[PartitionResult]) -> tuple[str, ...]:
    """Return the sums over some partitions, for a row of the table."""
    totals = [partition.totals for partition in partitions]
    return (
        f"{len(totals):,}",
        f"{sum(each.rows for each in totals):,}",
        f"{sum(each.null_values for each in totals):,}",
        f"{sum(each.gaps.count for each in totals):,}",
        f"{sum(len(each.corrupt) for each in totals):,}",
        ", ".join(sorted({codec for each in totals for codec in each.codecs})),
        size(sum(codec.compressed_bytes for each in totals for codec in each.codecs.values())),
        size(sum(file.size_in_bytes for each in totals for file in each.files)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", type=Path, nargs="?", default=SHOP)
    parser.add_argument("--scale", type=int, default=1, help="make this many times as much first")
    parser.add_argument("--out", type=Path, default=Path("demo-out"))
    arguments = parser.parse_args()
    if arguments.scale < 1:
        parser.error("--scale must be at least 1")
    start = time.perf_counter()
    out = arguments.out.resolve() / f"x{arguments.scale}"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)

    console.print(f"kafkacodec {kafkacodec.__version__}, {kafkacodec.backend} backend")
    source = arguments.source
    if arguments.scale > 1:
        source = out / "log"
        with step(f"Making {arguments.scale} times as much of {arguments.source.name}"):
            scale_log(arguments.source, source, arguments.scale)
    with step("Starting Spark"):
        spark = kafkacodec.spark.session("kafkacodec demo")
    try:
        with step("Exporting to Parquet"):
            result = kafkacodec.spark.export(spark, source, out / "parquet")
        with step("Drawing the report"):
            page = kafkacodec.spark.report(spark, source, out / "report", manifest=result, title="Shop, a Kafka log")
    finally:
        spark.stop()

    console.print()
    console.print(table_of(result))
    console.print(f"Parquet and its manifest: {out / 'parquet'}", soft_wrap=True)
    console.print(f"Report, to open in a browser: [bold]{page}[/]", soft_wrap=True)
    console.print(f"Total time: {time.perf_counter() - start:.1f} s", highlight=False)


if __name__ == "__main__":
    main()
