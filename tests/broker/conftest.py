"""The real parts that these tests need; without a JDK or Maven they are left out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kafka_parts import KAFKA_4, MissingPart, Parts

PartsWith = Callable[[str], Parts]


@pytest.fixture(scope="session")
def parts_with() -> PartsWith:
    """Return what asks for a JDK and a Kafka version's jars."""

    def ask(version: str) -> Parts:
        try:
            parts = Parts.find()
            parts.jars(version)
        except MissingPart as missing:
            pytest.skip(f"real Kafka brokers: {missing}")
        return parts

    return ask


@pytest.fixture(scope="session")
def kafka_4(parts_with: PartsWith) -> Parts:
    return parts_with(KAFKA_4)
