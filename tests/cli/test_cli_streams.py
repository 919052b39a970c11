"""The command line where streams are odd: closed, full, of another encoding; file names that are no text; Ctrl-C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafkacodec.cli import main

DATA = bytes.fromhex((Path(__file__).parent.parent / "corpus" / "seed004" / "seed004.hex").read_text())
LONG = "é" * 300  # what is cut ends in an ellipsis, and JSON has it as it is
CHECKPOINT = f"0\n1\n{LONG} 0 7\n".encode()


def explain(*arguments, **options):
    command = [sys.executable, "-m", "kafkacodec", "explain", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, timeout=60, **options)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_terminals_that_are_not_utf_8(encoding, tmp_path):
    path = tmp_path / "replication-offset-checkpoint"
    path.write_bytes(CHECKPOINT)
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    done = explain(str(path), env=env, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding).startswith("replication-offset-checkpoint: 609 bytes")
    done = explain(str(path), "--format", "json", env=env, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert LONG in done.stdout.decode("utf-8")
    done = explain(str(path), "--format", "html", env=env, stdout=subprocess.PIPE)
    assert done.stdout.decode("utf-8").endswith("</html>\n")


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_a_file_name_that_is_no_text(form, tmp_path):
    path = os.fsencode(tmp_path) + b"/bad\xff\x1b[31m.index"
    try:
        Path(os.fsdecode(path)).write_bytes(bytes(8))
    except OSError:
        pytest.skip("the file system takes no such name")
    done = explain(path, "--format", form, stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert "bad" in done.stdout.decode("utf-8")
    if form == "json":
        assert os.fsencode(json.loads(done.stdout)["title"]) == b"bad\xff\x1b[31m.index"
    output = tmp_path / "output"
    assert explain(path, "--format", form, "--output", output).returncode == 0
    assert output.read_bytes() == done.stdout


@pytest.mark.parametrize(("stream", "fd"), [("stdin", 0), ("stdout", 1)])
def test_a_stream_that_is_closed(stream, fd):
    code = f"import os, sys; os.close({fd}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = ["-m", "kafkacodec", "explain", "--what", "log", "-"]
    with subprocess.Popen([sys.executable, "-c", code, *command], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        run.stdin.close()
        assert run.stderr.read() == f"kafkacodec explain: {stream} is closed\n".encode()
    assert run.returncode == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk():
    with open("/dev/full", "wb") as full:
        done = explain("--what", "response", "--api", "3", "--version", "0", input=DATA, stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith(b"kafkacodec explain: stdout: ")
    assert done.stderr.count(b"\n") == 1


def test_ctrl_c_leaves_no_traceback(monkeypatch, capsys):
    class Stdin:
        @property
        def buffer(self):
            return self

        def read(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert main(["explain", "-"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--what", "response", "--api-key", "99999", "--version", "0"), "no API with the key 99999"),
        (
            ("--what", "response", "--api", "Metadata", "--version", "99"),
            "MetadataRequest has no version 99: it has 0-13",
        ),
        (("--what", "FetchRequest", "--version", "999"), "FetchRequest has no version 999: it has 0-18"),
    ],
)
def test_a_version_that_there_is_not_is_misuse(arguments: tuple[str, ...], words: str) -> None:
    command = [sys.executable, "-m", "kafkacodec", "explain", "-", *arguments]
    done = subprocess.run(command, input="00000000", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
