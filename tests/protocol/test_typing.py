"""What editors and mypy know of messages: messages.pyi says what the classes are, and mypy --strict believes it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kafkacodec.protocol import message_class, messages

ROOT = Path(__file__).parent.parent.parent
STUBS = ROOT / "src" / "kafkacodec" / "protocol" / "messages.pyi"
EXAMPLE = Path(__file__).with_name("typed_example.py")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd=ROOT
    )


def test_the_stubs_are_made_from_the_table() -> None:
    done = run("tools/make_stubs.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stub_that_differs_is_noticed(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, "tools")
import make_stubs
from pathlib import Path
text = make_stubs.STUBS.read_text()
make_stubs.STUBS = Path({str(tmp_path / "messages.pyi")!r})
make_stubs.STUBS.write_text(text.replace("max_wait_ms: int", "max_wait_ms: str", 1))
sys.argv[1:] = ["--check"]
sys.exit(make_stubs.main())
"""
    done = run("-c", code)
    assert done.returncode == 1, done.stderr
    assert "+    max_wait_ms: int  # 0+" in done.stdout


def test_the_stubs_have_the_classes_fields_and_defaults_of_the_messages() -> None:
    tree = ast.parse(STUBS.read_text())
    found = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in found] == messages()
    compared = sum(compare(node, message_class(node.name)) for node in found)
    assert compared > 2000  # fields


def compare(node: ast.ClassDef, cls: Any) -> int:
    """Compare a class of the stubs with that which there is; return how many fields it and those inside of it have."""
    inner = {one.name: one for one in node.body if isinstance(one, ast.ClassDef)}
    assert set(inner) == {name for name, value in vars(cls).items() if isinstance(value, type)}
    (init,) = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    defaults = {
        argument.arg: ast.literal_eval(default)
        for argument, default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
        if default is not None
    }
    assert defaults.pop("unknown_tagged_fields") is ...
    annotated = [one for one in node.body if isinstance(one, ast.AnnAssign) and one.value is None]
    assert [ast.unparse(one.target) for one in annotated] == [*defaults]
    made = cls()
    assert [*defaults] == [*made._defaults]
    for name, default in defaults.items():
        value = getattr(made, name)
        assert (type(value), value) == (type(default), default) or (default is ... and value is not None), (cls, name)
    return len(defaults) + sum(compare(one, getattr(cls, name)) for name, one in inner.items())


def test_mypy_knows_every_field(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed (dependency group lint)")
    done = run("-m", "mypy", "--strict", "--no-pretty", "--cache-dir", tmp_path, "--config-file=", EXAMPLE)
    said: dict[int, list[str]] = {}
    for line in done.stdout.splitlines():
        match = re.match(r"[^:]+:(\d+): (.*)", line)
        if match:
            said.setdefault(int(match[1]), []).append(match[2])
    expected = 0
    for number, line in enumerate(EXAMPLE.read_text().splitlines(), 1):
        _, _, revealed = line.partition("  # is ")
        _, _, code = line.partition("  # error: ")
        words = said.pop(number, [])
        if revealed:
            expected += 1
            assert words == [f'note: Revealed type is "{revealed}"'], (line, done.stdout)
        elif code:
            expected += 1
            assert [word for word in words if word.startswith("error:")], (line, done.stdout)
            assert any(f"[{code}]" in word for word in words), (line, words)
    assert said == {}, done.stdout + done.stderr
    assert expected == 38
