"""What the report asks of the logs themselves, in the driver: missing segments, damaged indexes, hidden markers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkacodec.spark.options import BatchesOptions
from kafkacodec.spark.plan import open_logs

if TYPE_CHECKING:
    from kafkacodec.log import Finding

__all__ = ["log_findings"]


def log_findings(paths: Sequence[str], topics: str | None) -> tuple[Finding, ...]:
    """Return what is found wrong with the partitions that the report is about; the ends of segments are read."""
    chosen = {"includeInternalTopics": "true"} if topics is None else {"topics": topics}
    options = BatchesOptions.parse({"paths": json.dumps(list(paths)), **chosen}, ("topic",))
    found: list[Finding] = []
    for log in open_logs(options.scope).values():
        _ = log.unreadable_markers  # notes one that holds the last stable offset back
        found += log.check()
    return tuple(dict.fromkeys(found))
