"""Verifying a log: batches, indexes, snapshots and checkpoints held against each other; nothing is written."""
