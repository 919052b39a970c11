"""A local Spark session that works at once: Java found, workers on this Python, loopback only, quiet."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kafkacodec.errors import KafkaCodecError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["find_java", "session"]

_LEAST_JAVA: Final = 17  # Spark 4
_HOW: Final = (
    "install a Java runtime of version 17 or later (Debian and Ubuntu: apt install openjdk-17-jre-headless; "
    "macOS: brew install openjdk@17; Fedora: dnf install java-17-openjdk-headless), or set JAVA_HOME to one"
)
_LOG4J: Final = """\
rootLogger.level = error
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def session(
    name: str = "kafkacodec", *, master: str = "local[*]", conf: Mapping[str, str] | None = None
) -> SparkSession:
    """Return a Spark session with our sources registered; the running one if there is one.

    Filters are pushed down, times are UTC, the web UI and Spark's progress bar are off, only errors are logged,
    unless `conf` says otherwise. Raises KafkaCodecError where no Java runtime is found.
    """
    from pyspark.sql import SparkSession

    from kafkacodec.spark.sources import register

    running = SparkSession.getActiveSession()
    if running is None:
        find_java()
        os.environ["PYSPARK_PYTHON"] = sys.executable  # else workers take PATH's python3
        running = _build(SparkSession.builder.appName(name).master(master), dict(conf or {}))
    register(running)
    return running


def _build(builder: SparkSession.Builder, conf: dict[str, str]) -> SparkSession:
    with tempfile.TemporaryDirectory(prefix="kafkacodec-") as folder:
        log4j = Path(folder, "log4j2.properties")
        log4j.write_text(_LOG4J)
        settings = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log4j.as_uri()}",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.python.filterPushdown.enabled": "true",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            **conf,
        }
        for key, value in settings.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()


def find_java() -> Path:
    """Return the `java` that Spark will start, JAVA_HOME's or PATH's; raises KafkaCodecError if there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is no java on the PATH"
        raise KafkaCodecError(f"Spark needs Java, and {where}: {_HOW}")
    answer = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    if answer.returncode or match is None:
        raise KafkaCodecError(f"{found} does not run ({answer.stderr.strip()[:200]!r}): {_HOW}")
    if int(match[1]) < _LEAST_JAVA:
        raise KafkaCodecError(f"{found} is Java {match[1]}, and Spark needs {_LEAST_JAVA} or later: {_HOW}")
    return Path(found)
