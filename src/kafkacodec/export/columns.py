"""What the columns of an export are called, and what they can hold; imports no pyarrow."""

from __future__ import annotations

from typing import Final

__all__ = ["COLUMNS", "LAST_TIMESTAMP"]

#: the schema of Spark's own Kafka source, in its order
COLUMNS: Final = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers")

#: the last ms whose microseconds fit into an int64, as Spark's timestamps must; what lies beyond is null
LAST_TIMESTAMP: Final = (2**63 - 1) // 1000
