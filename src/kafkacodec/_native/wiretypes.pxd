# The numbers of wiretypes.py for Cython; tests/test_imports.py holds the two against each other.

cdef enum:
    BOOL = 0
    INT8 = 1
    INT16 = 2
    UINT16 = 3
    INT32 = 4
    UINT32 = 5
    INT64 = 6
    FLOAT64 = 7
    UUID = 8

    STRING = 9
    BYTES = 10
    RECORDS = 11
    STRUCT = 12
    ARRAY = 13
    COMPACT = 16
