"""Reading the end-of-transaction marker in a control batch that is appended."""

from __future__ import annotations

from kafkacodec.errors import AppendRefused
from kafkacodec.log.writing.producers import Marker
from kafkacodec.records import read_batches
from kafkacodec.records.control import read_control
from kafkacodec.types import ControlType

__all__ = ["read_marker"]

INVALID_RECORD = 87  # Kafka's error code for producers


def read_marker(batch: memoryview, number: int) -> Marker | None:
    """Return what the marker in a control batch says, None where the batch has no records.

    Raises `AppendRefused` for a control batch of a producer that is no marker, `Corrupt`.
    """
    rows = next(read_batches(batch)).records()
    if not rows:
        return None
    control = read_control(rows[0].key, rows[0].value)
    if control.coordinator_epoch is None:
        raise AppendRefused(
            "control batch of a producer is not the end of a transaction", error_code=INVALID_RECORD, batch=number
        )
    return Marker(control.type is ControlType.ABORT, control.coordinator_epoch, rows[0].timestamp)
