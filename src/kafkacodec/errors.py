"""Every exception of kafkacodec; imports nothing."""

from __future__ import annotations

__all__ = [
    "AppendRefused",
    "Corrupt",
    "DecodeError",
    "EncodeError",
    "ExportError",
    "KafkaCodecError",
    "LimitExceeded",
    "LogLocked",
    "OffsetOutOfRange",
    "Truncated",
    "Unsupported",
]


class KafkaCodecError(Exception):
    """Base of everything that kafkacodec raises on purpose."""


class DecodeError(KafkaCodecError, ValueError):
    """Bytes that are not what Kafka would write.

    `position` is a byte position in the buffer (or file) that was read, `path` says where in the structure
    (`batch 7, record 3, header key`), `expected` and `found` are short phrases. `file`, `topic`, `partition` and
    `offset` are known only where a log directory was read.
    """

    def __init__(
        self,
        message: str,
        *,
        position: int | None = None,
        path: str | None = None,
        expected: object = None,
        found: object = None,
        file: str | None = None,
        topic: str | None = None,
        partition: int | None = None,
        offset: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.path = path
        self.expected = expected
        self.found = found
        self.file = file
        self.topic = topic
        self.partition = partition
        self.offset = offset

    def __str__(self) -> str:
        text = self.message
        if self.expected is not None:
            text += f": expected {self.expected}"
        if self.found is not None:
            text += f"{',' if self.expected is not None else ':'} found {self.found}"
        where = []
        if self.topic is not None:
            where.append(f"{self.topic}-{self.partition}")
        if self.offset is not None:
            where.append(f"offset {self.offset}")
        if self.path is not None:
            where.append(self.path)
        if self.position is not None:
            where.append(f"byte {self.position}")
        if self.file is not None:
            where.append(f"file {self.file}")
        return f"{text} ({', '.join(where)})" if where else text

    def located(self, **where: object) -> DecodeError:
        """Return the same error with more of its place filled in; `position` replaces, the rest keeps what is known."""
        facts = self._facts()
        for name, value in where.items():
            if name == "position" or facts[name] is None:
                facts[name] = value
        error = type(self)(self.message, **facts)  # type: ignore[arg-type]
        error.__cause__ = self.__cause__
        return error

    def _facts(self) -> dict[str, object]:
        return {
            "position": self.position,
            "path": self.path,
            "expected": self.expected,
            "found": self.found,
            "file": self.file,
            "topic": self.topic,
            "partition": self.partition,
            "offset": self.offset,
        }

    def __reduce__(self) -> tuple[object, ...]:  # keyword arguments survive pickling between processes
        return _rebuild, (type(self), self.message, self._facts())


def _rebuild(cls: type[DecodeError], message: str, facts: dict[str, object]) -> DecodeError:
    return cls(message, **facts)  # type: ignore[arg-type]


class Truncated(DecodeError):
    """The bytes end before the structure does. A partial last batch is no error: reading just ends there."""


class Corrupt(DecodeError):
    """A checksum, length, count or value that contradicts the format."""


class Unsupported(DecodeError):
    """Well-formed as far as can be told, but of a magic, version or codec that is not read here."""


class LimitExceeded(DecodeError):
    """Reading on would exceed one of the `Limits`; nothing was allocated for it."""


class EncodeError(KafkaCodecError, ValueError):
    """A value that Kafka's format cannot carry."""


class ExportError(KafkaCodecError):
    """An export that cannot go on: another source than before, another export at work, a broken manifest."""


class AppendRefused(KafkaCodecError, ValueError):
    """Batches that a broker would not append either; the log is as if they had not been given.

    `error_code` is Kafka's for a producer, such as 45, OUT_OF_ORDER_SEQUENCE_NUMBER. `batch` counts from 0 in what was
    given to one append; where that were several appends of a producer's, those before it have been made.
    """

    def __init__(self, message: str, *, error_code: int, batch: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = error_code
        self.batch = batch

    def __str__(self) -> str:
        return f"{self.message} (batch {self.batch}, error code {self.error_code})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_refusal, (self.message, self.error_code, self.batch)


def _rebuild_refusal(message: str, error_code: int, batch: int) -> AppendRefused:
    return AppendRefused(message, error_code=error_code, batch=batch)


class LogLocked(KafkaCodecError, OSError):
    """A log directory that is in use: a broker runs on it, or another process writes to it."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is locked: a broker is running on this directory, or somebody else writes to it")
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return LogLocked, (self.path,)


class OffsetOutOfRange(KafkaCodecError, LookupError):
    """An offset outside of a partition's log; `offset`, `start` and `end` (exclusive) tell. Kafka's error code 1."""

    def __init__(self, message: str, *, offset: int, start: int, end: int) -> None:
        super().__init__(message)
        self.offset = offset
        self.start = start
        self.end = end

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_range, (str(self), self.offset, self.start, self.end)


def _rebuild_range(message: str, offset: int, start: int, end: int) -> OffsetOutOfRange:
    return OffsetOutOfRange(message, offset=offset, start=start, end=end)
