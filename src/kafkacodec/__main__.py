"""`python -m kafkacodec`, which is the command `kafkacodec`."""

from __future__ import annotations

import sys

from kafkacodec.cli import main

if __name__ == "__main__":
    sys.exit(main())
