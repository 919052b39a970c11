"""What the files of a log directory say, all of it, as Kafka's DumpLogSegments tells it."""
