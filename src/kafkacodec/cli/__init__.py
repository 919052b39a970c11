"""The command line `kafkacodec`: the only room that prints. Each command is a module named in `main.COMMANDS`."""

from __future__ import annotations

from kafkacodec.cli.main import main as main

__all__ = ["main"]
