# The codes of FIELD_REFUSALS in refusals.py for Cython; tests/test_imports.py holds the two against each other.

cdef enum:
    WRONG_NUMBER = 1
    WRONG_TEXT = 2
    WRONG_BYTES = 3
    WRONG_UUID = 4
    WRONG_ARRAY = 5
    WRONG_STRUCT = 6
    MUST_NOT_BE_NULL = 7
    FIELD_TOO_LONG = 8
    NOT_CARRIED = 9
    BAD_UNKNOWN_TAGS = 10
