"""What a run of an export brought, and the table that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from kafkacodec.spark.manifest import CodecTotals, CorruptBytes, Manifest, Totals

__all__ = ["ExportResult", "PartitionResult"]

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True, slots=True)
class PartitionResult:
    """One partition's part in a run: `start_offset` to `end_offset` (exclusive) were read and hold `totals`."""

    name: str
    start_offset: int
    end_offset: int
    totals: Totals


@dataclass(frozen=True, slots=True)
class ExportResult:
    """One run of an export.

    manifest:   what the target holds now, this run included; None where nothing was ever there to export.
    partitions: what this run brought, by partition; empty where the target was up to date already.
    seconds:    from the start of the run to its commit.
    """

    target: str
    manifest: Manifest | None
    partitions: tuple[PartitionResult, ...]
    seconds: float

    @property
    def up_to_date(self) -> bool:
        """Tell whether there was nothing new, so that nothing was written."""
        return not self.partitions

    @property
    def rows(self) -> int:
        """Return how many records this run wrote."""
        return sum(partition.totals.rows for partition in self.partitions)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the Parquet files that this run wrote, relative to the target."""
        return tuple(file.path for partition in self.partitions for file in partition.totals.files)

    @property
    def bytes(self) -> int:
        """Return the size of those files."""
        return sum(file.size_in_bytes for partition in self.partitions for file in partition.totals.files)

    @property
    def corrupt(self) -> tuple[CorruptBytes, ...]:
        """Return the stretches of segments that could not be read."""
        return tuple(stretch for partition in self.partitions for stretch in partition.totals.corrupt)

    def __repr__(self) -> str:
        if self.up_to_date:
            return f"{self.target} is up to date: nothing was written"
        head = (
            f"{self.rows:,} records in {len(self.files):,} files, {_size(self.bytes)}, "
            f"in {self.seconds:.1f} s to {self.target}"
        )
        return f"{head}\n{self.table()}"

    def table(self) -> str:
        """Return the run as text: a row for each partition, and the sums."""
        header = ("partition", "offsets", "records", "null keys", "null values", "gaps", "corrupt", "codecs", "in", "out")
        rows = [header, *(_row(p.name, f"{p.start_offset:,} - {p.end_offset:,}", p.totals) for p in self.partitions)]
        total = Totals()
        for partition in self.partitions:
            total = total.followed_by(partition.totals, total.gaps.followed_by(partition.totals.gaps))
        rows.append(_row("total", "", total))
        widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
        lines = ["  ".join(_aligned(column, text, widths[column]) for column, text in enumerate(row)) for row in rows]
        rule = "-" * len(lines[0])
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def _row(name: str, offsets: str, totals: Totals) -> tuple[str, ...]:
    counts = (totals.rows, totals.null_keys, totals.null_values, totals.gaps.count, len(totals.corrupt))
    codecs = sum(totals.codecs.values(), start=CodecTotals())
    return (
        name,
        offsets,
        *(f"{count:,}" for count in counts),
        ",".join(sorted(totals.codecs)) or "-",
        _size(codecs.compressed_bytes),
        _size(sum(file.size_in_bytes for file in totals.files)),
    )


def _aligned(column: int, text: str, width: int) -> str:
    return text.ljust(width) if column in (0, 7) else text.rjust(width)


def _size(count: int) -> str:
    """Return a number of bytes for people."""
    size = float(count)
    for unit in _UNITS[:-1]:
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {_UNITS[-1]}"
