"""Every byte by name: of messages, frames, record batches, the files of a log directory, captures; no logic here.

A room of its own above `protocol`, `records` and `log`, since it explains what all three read; `kafkacodec.protocol`
names it too.
"""

from __future__ import annotations

from kafkacodec.explain.entry import KINDS as KINDS
from kafkacodec.explain.entry import MAX_SPANS as MAX_SPANS
from kafkacodec.explain.entry import explain as explain
from kafkacodec.explain.pieces import explain_pieces as explain_pieces
from kafkacodec.explain.tree import Explanation as Explanation
from kafkacodec.explain.tree import Node as Node
from kafkacodec.explain.tree import Span as Span

__all__ = ["KINDS", "MAX_SPANS", "Explanation", "Node", "Span", "explain", "explain_pieces"]
