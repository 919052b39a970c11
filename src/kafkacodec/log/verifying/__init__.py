"""Verifying a log directory: every batch, index, snapshot and checkpoint held against the others; nothing is written."""
