"""What is in a log, in numbers: sizes, records, codecs, times, producers; from headers alone unless more is asked."""
