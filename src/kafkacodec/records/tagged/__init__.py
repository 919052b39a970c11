"""Kafka's proposal "Enriched Message Metadata" of 2014: its message layout with tags, which no Kafka ever wrote.

What became of its ideas are message format 1 (KIP-31, KIP-32), which has an int64 timestamp and no tags, whose
compressed messages carry the offset of their last record where the proposal has the first one's, and record batches
(KIP-98). The layout is read and written here, apart from all others, for those who study or test it; a broker or log
holds none of it. Where the proposal says nothing, the number was chosen here, and the module says so.
"""

from kafkacodec.records.tagged.message import (
    MessageKind,
    TaggedMessage,
    TagId,
    decode_messages,
    encode_message,
    encode_messages,
)
from kafkacodec.records.tagged.sets import compact, mirror, pass_through, rebase, unwrap, wrap
from kafkacodec.records.tagged.timestamps import (
    Cleaning,
    TimestampIndexEntry,
    clean,
    decode_timestamp_index,
    encode_timestamp_index,
)

__all__ = [
    "Cleaning",
    "MessageKind",
    "TagId",
    "TaggedMessage",
    "TimestampIndexEntry",
    "clean",
    "compact",
    "decode_messages",
    "decode_timestamp_index",
    "encode_message",
    "encode_messages",
    "encode_timestamp_index",
    "mirror",
    "pass_through",
    "rebase",
    "unwrap",
    "wrap",
]
