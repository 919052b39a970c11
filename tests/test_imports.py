"""What `import kafkacodec` costs, who imports whom, and that what is said in two places says the same."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import kafkacodec
from kafkacodec import faults, layout, refusals, wiretypes
from kafkacodec._accel import KERNELS

ROOT = Path(__file__).parent.parent
NATIVE = ROOT / "src" / "kafkacodec" / "_native"
HEAVY = ("numpy", "pyarrow", "pyspark", "lz4", "cramjam", "fsspec", "rich", "matplotlib")


def in_fresh_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("statement", ["import kafkacodec", "import kafkacodec; kafkacodec.backend"])
def test_import_loads_nothing_heavy(statement: str) -> None:
    loaded = json.loads(in_fresh_python(f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"))
    assert [name for name in loaded if name.partition(".")[0] in HEAVY] == []


def test_a_first_decode_loads_only_what_it_needs() -> None:
    code = """
import json, sys
import kafkacodec
before = set(sys.modules)
from kafkacodec.protocol import FetchResponse
FetchResponse.decode(bytes(14), 11)
print(json.dumps(sorted(set(sys.modules) - before)))
"""
    loaded = json.loads(in_fresh_python(code))
    ours = [name for name in loaded if name.startswith("kafkacodec.")]
    kernels = [name for name in ours if re.match(r"kafkacodec\._(pure|native)\.", name)]
    rooms = {"message", "program", "reading"} | ({"quick", "writing"} if kafkacodec.backend == "pure" else set())
    assert {name.rpartition(".")[2] for name in kernels} == rooms
    assert {name.split(".")[2] for name in ours if name.startswith("kafkacodec.protocol.")} == {
        "message",
        "messages",
        "plan",
        "schema",
    }
    assert {name.split(".")[1] for name in ours} <= {
        "_accel", "_native", "_pure", "buffers", "errors", "faults", "javatext", "protocol", "refusals", "wiretypes",
    }  # fmt: skip
    slow = {"dataclasses", "inspect", "pkgutil", "importlib.resources", "base64", "pathlib", "logging", *HEAVY}
    assert slow & set(loaded) == set()


def test_only_the_message_that_is_named_is_made() -> None:
    code = """
from kafkacodec.protocol import FetchResponse
from kafkacodec.protocol import message
print(len(message._made_classes), len(FetchResponse._programs))
"""
    assert in_fresh_python(code).split() == ["1", "0"]


def test_every_public_name_resolves() -> None:
    assert [name for name in kafkacodec.__all__ if getattr(kafkacodec, name, None) is None] == []


def test_layers() -> None:
    """The contracts in pyproject.toml hold (import-linter)."""
    pytest.importorskip("importlinter", reason="import-linter is not installed (dependency group lint)")
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("room", "among"),
    [
        (layout, {"RECORD_BATCH_OVERHEAD", "INDEX_WIDTH"}),
        (wiretypes, set(wiretypes.__all__) - {"FIXED_SIZES"}),
        (faults, {"NEGATIVE_OFFSET_DELTA", "LENGTH_TOO_SMALL", "FIELD_CUT", "LEFT_OVER"}),
        (refusals, {"WRONG_NUMBER", "BAD_UNKNOWN_TAGS"}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, ModuleType) else "",
)
def test_numbers_of_both_languages_are_the_same(room: ModuleType, among: set[str]) -> None:
    text = (NATIVE / f"{room.__name__.rpartition('.')[2]}.pxd").read_text()
    in_cython = {name: int(value, 0) for name, value in re.findall(r"^ +([A-Z][A-Z0-9_]*) = (\S+)$", text, re.M)}
    assert among <= in_cython.keys()
    assert {name: getattr(room, name, None) for name in in_cython} == in_cython


def test_what_is_told_to_cython_is_what_inspect_says() -> None:
    """_native/startup.h saves every module the import of `inspect`."""
    told = dict(re.findall(r"^#define (CO_[A-Z_]+) (0x[0-9a-f]{4})$", (NATIVE / "startup.h").read_text(), re.M))
    assert len(told) == 7
    assert {name: int(value, 16) for name, value in told.items()} == {name: getattr(inspect, name) for name in told}


def test_version_is_the_metadata_s() -> None:
    assert kafkacodec.__version__ == version("kafkacodec")


@pytest.mark.parametrize("kernel", KERNELS)
def test_twins_have_the_same_names(kernel: str) -> None:
    pure = importlib.import_module(f"kafkacodec._pure.{kernel}")
    if importlib.util.find_spec(f"kafkacodec._native.{kernel}") is None:
        reason = f"kafkacodec._native.{kernel} is not built"
        if os.environ.get("KAFKACODEC_REQUIRE_NATIVE") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    native = importlib.import_module(f"kafkacodec._native.{kernel}")
    assert sorted(native.__all__) == sorted(pure.__all__)
    assert [name for name in pure.__all__ if not hasattr(native, name)] == []


@pytest.mark.parametrize("wanted", ["pure", "native"])
def test_the_environment_chooses_the_backend(wanted: str) -> None:
    if wanted == "native" and importlib.util.find_spec("kafkacodec._native.records") is None:
        if os.environ.get("KAFKACODEC_REQUIRE_NATIVE") == "1":
            pytest.fail("the native backend is not built")
        pytest.skip("the native backend is not built")
    code = "import kafkacodec; print(kafkacodec.backend, kafkacodec.Record.__module__)"
    backend, module = in_fresh_python(code, KAFKACODEC_BACKEND=wanted).split()
    assert backend == wanted
    assert f"._{wanted}." in f".{module}."


def test_a_module_that_is_not_built_is_named_with_the_way_to_build_it() -> None:
    code = """
import importlib.util as util
find = util.find_spec
util.find_spec = lambda name, *where: None if name.endswith("._native.rewrite") else find(name, *where)
import kafkacodec
kafkacodec.backend
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"KAFKACODEC_BACKEND": "native"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert "rewrite" in done.stderr
    assert "KAFKACODEC_BACKEND=native python setup.py build_ext --inplace" in done.stderr


def test_an_unknown_backend_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import kafkacodec; kafkacodec.backend"],
        env=os.environ | {"KAFKACODEC_BACKEND": "fast"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert "KAFKACODEC_BACKEND must be auto, native or pure, not 'fast'" in done.stderr
