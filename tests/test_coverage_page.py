"""docs/coverage.md names modules and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "coverage.md").read_text()


def test_the_tests_named_exist() -> None:
    sources = [path.read_text() for path in (ROOT / "tests").rglob("test_*.py")]
    defined = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.MULTILINE)}
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 40
    assert named <= defined


def test_the_modules_named_exist() -> None:
    named = re.findall(r"`([\w/]+\.py)`", PAGE)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / "src" / "kafkacodec" / name).exists()] == []
