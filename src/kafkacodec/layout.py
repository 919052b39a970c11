"""The numbers of Kafka's record formats and of our column and index matrices; nothing else holds a literal of either.

`_native/layout.pxd` says the same to Cython; a test compares the two.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

# Record batch, magic 2 (KIP-98; org.apache.kafka.common.record.internal.DefaultRecordBatch):
#
#   BaseOffset int64 | Length int32 | PartitionLeaderEpoch int32 | Magic int8 | CRC uint32 | Attributes int16
#   LastOffsetDelta int32 | BaseTimestamp int64 | MaxTimestamp int64 | ProducerId int64 | ProducerEpoch int16
#   BaseSequence int32 | RecordsCount int32 | Records
#
# Length counts what follows it; CRC is CRC-32C over Attributes and all that follows. The first 12 bytes (the log
# overhead) and the place of Magic are the same in all formats.
BASE_OFFSET_OFFSET: Final = 0
LENGTH_OFFSET: Final = 8
LOG_OVERHEAD: Final = 12
PARTITION_LEADER_EPOCH_OFFSET: Final = 12
MAGIC_OFFSET: Final = 16
HEADER_SIZE_UP_TO_MAGIC: Final = 17
CRC_OFFSET: Final = 17
ATTRIBUTES_OFFSET: Final = 21
LAST_OFFSET_DELTA_OFFSET: Final = 23
BASE_TIMESTAMP_OFFSET: Final = 27
MAX_TIMESTAMP_OFFSET: Final = 35
PRODUCER_ID_OFFSET: Final = 43
PRODUCER_EPOCH_OFFSET: Final = 51
BASE_SEQUENCE_OFFSET: Final = 53
RECORDS_COUNT_OFFSET: Final = 57
RECORD_BATCH_OVERHEAD: Final = 61
BATCH_HEADER: Final = Struct(">qiibIHiqqqhii")  # the fields above, in their order

# Message, magic 0 and 1 (KIP-32; org.apache.kafka.common.record.internal.LegacyRecord):
#
#   Offset int64 | MessageSize int32 | Crc uint32 | Magic int8 | Attributes int8 | [magic 1: Timestamp int64]
#   KeyLength int32 | Key | ValueLength int32 | Value
#
# Crc is CRC-32 over Magic and all that follows; a compressed Value is a sequence of such messages.
MESSAGE_CRC_OFFSET: Final = 12
MESSAGE_ATTRIBUTES_OFFSET: Final = 17
MESSAGE_TIMESTAMP_OFFSET: Final = 18
MESSAGE_FIELDS_OFFSET_V0: Final = 18  # of KeyLength
MESSAGE_FIELDS_OFFSET_V1: Final = 26
MESSAGE_LENGTH_SIZE: Final = 4  # of KeyLength and of ValueLength
MESSAGE_OVERHEAD_V0: Final = 14  # of what MessageSize counts: all but key and value
MESSAGE_OVERHEAD_V1: Final = 22

MAGIC_V0, MAGIC_V1, MAGIC_V2 = 0, 1, 2
MIN_LENGTH: Final = 14  # the overhead of a message of format 0, the least that Length may say (LegacyRecord)
MIN_BATCH_SIZE: Final = LOG_OVERHEAD + MIN_LENGTH

# Attributes of a magic 2 batch
COMPRESSION_MASK: Final = 0x07
TIMESTAMP_TYPE_MASK: Final = 0x08
TRANSACTIONAL_MASK: Final = 0x10
CONTROL_MASK: Final = 0x20
DELETE_HORIZON_MASK: Final = 0x40  # BaseTimestamp holds the delete horizon (KIP-534)

# Record, magic 2 (DefaultRecord): Length varint | Attributes int8 | TimestampDelta varlong | OffsetDelta varint
#   KeyLength varint | Key | ValueLength varint | Value | HeaderCount varint | Headers
# Header: KeyLength varint | Key | ValueLength varint | Value
MIN_RECORD_SIZE: Final = 7  # one byte of length and six of a body of nulls

NO_TIMESTAMP: Final = -1
NO_PRODUCER_ID: Final = -1
NO_SEQUENCE: Final = -1
NO_HEADERS: Final = 0

# The batch index: an int64 matrix, a row per batch, these columns. PAYLOAD_START and PAYLOAD_END place a batch's
# records in the address space of "source, then inflated"; FIRST_ROW is the batch's first row in the columns matrix,
# -1 until decoded.
(
    POSITION, SIZE, BASE_OFFSET, LAST_OFFSET_DELTA, PARTITION_LEADER_EPOCH, MAGIC, CRC, ATTRIBUTES, BASE_TIMESTAMP,
    MAX_TIMESTAMP, PRODUCER_ID, PRODUCER_EPOCH, BASE_SEQUENCE, COUNT, PAYLOAD_START, PAYLOAD_END, FIRST_ROW,
) = range(17)  # fmt: skip
INDEX_WIDTH: Final = 17

# The record columns: an int64 matrix, one row of these per fact, one column per record. Starts are positions in the
# address space of "source, then inflated": below len(source) in source, from there on in the inflated arena.
# A length of -1 is null.
OFFSET, TIMESTAMP, KEY_START, KEY_LENGTH, VALUE_START, VALUE_LENGTH, HEADERS_START, HEADER_COUNT = range(8)
COLUMNS_HEIGHT: Final = 8

# The bounds of batches: an int64 matrix, a row of these per batch, whatever its format.
BOUND_POSITION, BOUND_SIZE, BOUND_LAST_OFFSET = range(3)
BOUNDS_WIDTH: Final = 3

# What lines of text are made of (lines.py): an int64 matrix, a row per batch, flags in it, and how payloads are shown.
PLAN_FIRST, PLAN_COUNT, PLAN_FLAGS, PLAN_POSITION = range(4)
PLAN_WIDTH: Final = 4
PLAN_HEADED, PLAN_VALID = 1, 2
TEXT_NONE, TEXT_UTF8, TEXT_HEX, TEXT_BASE64 = range(4)
