"""The command line as users call it: exit status, versions, pipes, and what `explain` takes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacodec.cli import main

CORPUS = Path(__file__).parent.parent / "corpus" / "seed004"
DATA = bytes.fromhex((CORPUS / "seed004.hex").read_text())
RESPONSE = ["--api", "Metadata", "--version", "0"]


@pytest.fixture
def run(capsys, monkeypatch):
    def call(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def test_version_tells_the_backend(run):
    import kafkacodec

    status, out, _ = run("--version")
    assert status == 0
    assert out.startswith(f"kafkacodec {kafkacodec.__version__}, {kafkacodec.backend} backend\n")
    assert "numpy " in out


def test_help_has_examples(run):
    status, out, _ = run("explain", "--help")
    assert status == 0
    assert "examples:" in out
    assert "kafkacodec explain orders-0/00000000000000000000.log" in out
    status, out, _ = run("--help")
    assert "explain" in out


def test_misuse_is_2(run, tmp_path):
    broken = tmp_path / "x.hex"
    broken.write_text("00 0")
    for arguments in (
        [], ["nonsense"], ["explain", "no-such-file"], ["explain", "--what", "nonsense", broken],
        ["explain", "--api", "Nonsense", "--version", "1"], ["explain", broken], ["explain", "--format", "pdf"],
        ["explain", "--api", "3", "--api-key", "3"], ["explain", tmp_path, "--what", "log"],
    ):  # fmt: skip
        status, out, err = run(*arguments, stdin=b"00 00")
        assert (status, out) == (2, ""), arguments
        assert err
    assert run("explain", stdin=b"hello")[0] == 2
    assert "'h'" in run("explain", stdin=b"hello")[2]


def test_a_break_is_1_and_is_named(run):
    status, out, _ = run("explain", *RESPONSE, stdin=DATA[:100].hex().encode())
    assert status == 1
    assert out.splitlines()[-1].startswith("! Truncated: ")


@pytest.mark.parametrize(
    "api", [["--api", "Metadata"], ["--api", "metadataresponse"], ["--api", "3"], ["--api-key", "3"]]
)
def test_apis_by_name_and_key(run, api):
    status, out, _ = run("explain", *api, "--version", "0", stdin=DATA.hex().encode())
    assert status == 0
    assert "MetadataResponse.v0" in out


def dumped(command, data):
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    "stdin",
    [
        DATA,
        DATA.hex().encode(),
        DATA.hex(" ").upper().encode(),
        DATA.hex(":").encode(),
        b"0x" + DATA.hex().encode(),
        (CORPUS / "printed.erl").read_bytes(),
        repr(list(DATA)).encode(),
        repr(DATA).encode(),
        repr([byte - 256 * (byte > 127) for byte in DATA]).encode(),
        ", ".join(f"0x{byte:02x}" for byte in DATA).encode(),
    ],
    ids=["bytes", "hex", "spaced", "colons", "0x", "erlang", "python", "literal", "java", "c"],
)
def test_what_stdin_may_be(run, stdin):
    status, out, _ = run("explain", "-", *RESPONSE, "--format", "json", stdin=stdin)
    assert status == 0
    assert json.loads(out)["size"] == 319


def test_a_file_of_bytes_and_one_of_hex(run, tmp_path):
    (tmp_path / "x.bin").write_bytes(DATA)
    (tmp_path / "x.hex").write_text(DATA.hex("\n"))
    for name in ("x.bin", "x.hex"):
        assert run("explain", tmp_path / name, *RESPONSE)[0] == 0
    assert run("explain", tmp_path / "x.hex", *RESPONSE, "--input", "binary")[0] == 1


def test_files_of_a_log_directory(run, shop):
    for path in sorted((shop / "orders-1").iterdir()):
        status, out, _ = run("explain", path, "--max-bytes", "1")
        if path.stat().st_size:
            assert status == 0, path
            assert out.startswith(path.name)


def test_a_page_to_a_file(run, tmp_path):
    page = tmp_path / "page.html"
    status, out, _ = run("explain", *RESPONSE, "--format", "html", "--output", page, stdin=DATA)
    assert (status, out) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run("explain", *RESPONSE, "--output", tmp_path / "no" / "such", stdin=DATA)[0] == 2
    assert run("explain", *RESPONSE, "--max-bytes", "0", stdin=DATA)[0] == 2


def test_colors(run):
    assert "\x1b[" not in run("explain", *RESPONSE, stdin=DATA)[1]
    assert "\x1b[" in run("explain", *RESPONSE, "--color", "always", stdin=DATA)[1]


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "kafkacodec", *arguments], capture_output=True, check=False, timeout=60, **options
    )


def test_as_a_module():
    done = command("explain", *RESPONSE, "--format", "json", input=DATA)
    assert done.returncode == 0
    assert json.loads(done.stdout)["ok"] is True
    assert command("explain", "no-such-file").returncode == 2


def test_a_reader_that_stops_early_is_no_error(shop):
    path = max(shop.glob("orders-*/*.log"), key=lambda path: path.stat().st_size)
    with subprocess.Popen(
        [sys.executable, "-m", "kafkacodec", "explain", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0
