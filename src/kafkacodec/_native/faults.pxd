# The codes of faults.py for Cython; tests/test_imports.py holds the two against each other.

cdef enum:
    LENGTH_TOO_SMALL = 1
    LENGTH_TOO_LARGE = 2
    BAD_MAGIC = 3
    OLD_MAGIC = 4
    SHORTER_THAN_HEADER = 5
    BAD_CRC = 6
    NEGATIVE_COUNT = 7
    COUNT_TOO_LARGE = 8
    RECORD_CUT = 9
    VARINT_TOO_LONG = 10
    BAD_RECORD_LENGTH = 11
    BAD_KEY_LENGTH = 12
    BAD_VALUE_LENGTH = 13
    BAD_HEADER_COUNT = 14
    BAD_HEADER_KEY_LENGTH = 15
    BAD_HEADER_VALUE_LENGTH = 16
    TOO_MANY_HEADERS = 17
    RECORD_NOT_FILLED = 18
    BATCH_NOT_FILLED = 19
    SPAN_OUTSIDE = 20
