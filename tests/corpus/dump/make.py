"""Makes kafka-4.3.0.json with Kafka's DumpLogSegments (PROVENANCE.md).

python tests/corpus/dump/make.py       (needs a JDK, and Maven for Kafka's jars the first time)
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent), str(HERE.parent.parent / "broker")]

from kafka_parts import KAFKA_4, Parts  # noqa: E402

from dumped import TOOL  # noqa: E402
from dumping_cases import digests, runs  # noqa: E402


def main() -> None:
    parts = Parts.find()
    found = {}
    for case in runs():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            files = ",".join(str(path.relative_to(folder)) for path in case.make(folder))
            arguments = [TOOL, *case.arguments, "--files", files]
            done = subprocess.run(
                parts.command(parts.jars(KAFKA_4), *arguments, options=("-Dfile.encoding=UTF-8",)),
                cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True,
            )  # fmt: skip
            found[case.name] = digests(done.stdout.decode(), done.stderr.decode(), folder)
    (HERE / "kafka-4.3.0.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
