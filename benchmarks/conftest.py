"""Keeps pytest-benchmark's own table out of `make bench`: ratios.py prints a readable one of bench_columns.py."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_benchmark_group_stats(benchmarks: list[dict[str, Any]]) -> list[Any] | None:
    """Show no group where every benchmark is one turn of a contestant; else leave it to pytest-benchmark."""
    return [] if all("contestant" in measured["extra_info"] for measured in benchmarks) else None
