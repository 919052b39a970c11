"""How a child process tells the most memory that it has held: `peak()` in KiB, of Linux alone.

VmHWM is the process's own; ru_maxrss would begin with that of the process that started it, and hide what is below.
"""

from __future__ import annotations

PEAK = """
import re
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""
