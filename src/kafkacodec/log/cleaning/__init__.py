"""Logs made smaller, offline: compaction as Kafka's cleaner does it, retention, redaction, and the swap of segments."""
