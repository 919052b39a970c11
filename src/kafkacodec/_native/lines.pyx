# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, freethreading_compatible=True
"""The text of batches and records as Kafka's DumpLogSegments prints it, many lines in one call.

The twin of `_pure/lines.py`, which specifies it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from kafkacodec._native cimport layout as at
from kafkacodec._native.wire cimport Fault, Payloads, ahead, locate, outside, prefetch, read_header

from kafkacodec.faults import fault as make_fault

__all__ = ["write_lines"]

cdef enum:
    BATCH_LINE = 768
    RECORD_LINE = 320
    WORST = 3
    STEP = 32
    WORD = 8
    AHEAD = 8
    BUFFERS = 9

cdef const char *DIGITS = (
    b"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    b"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
)
cdef enum:  # what a byte of UTF-8 is: 3 bits; and what is done with one between two others, by the 9 bits of the three
    ASCII = 0
    CONTINUES = 1
    PAIR = 2  # begins two bytes
    LONG = 3  # begins three or four
    NEVER = 4
    COPIED = 0xFF
    REPLACED = 0
    LOOKED_AT = 1
cdef const char *REPLACEMENT = b"\xef\xbf\xbd"
cdef uint8_t[256] KINDS
cdef uint8_t[512] FATES
cdef const char *HEX = b"0123456789abcdef"
cdef const char *BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


cdef void fill_tables() noexcept:
    cdef int byte, before, kind, after
    for byte in range(256):
        KINDS[byte] = (
            ASCII if byte < 0x80
            else CONTINUES if byte < 0xC0
            else PAIR if 0xC2 <= byte < 0xE0
            else LONG if 0xE0 <= byte <= 0xF4
            else NEVER
        )
    for before in range(8):
        for kind in range(8):
            for after in range(8):
                FATES[before << 6 | kind << 3 | after] = (
                    COPIED if kind == ASCII or (before, kind) == (PAIR, CONTINUES) or (kind, after) == (PAIR, CONTINUES)
                    else LOOKED_AT if (kind, after) == (LONG, CONTINUES)
                    else REPLACED
                )


fill_tables()


cdef struct Sheet:  # what the lines are made of
    Payloads payloads
    const int64_t *facts
    const int64_t *plan
    const int64_t *cells
    const int64_t *inner
    const uint8_t *tails
    const int64_t *ends
    int64_t batches
    int64_t width
    bint has_inner
    bint has_tails
    int key_style
    int value_style
    bint metadata


cdef struct Fields:  # of one record
    int64_t offset
    int64_t timestamp
    int64_t key_start
    int64_t key_length
    int64_t value_start
    int64_t value_length
    int64_t headers_start
    int64_t header_count
    int64_t tail
    int64_t tail_length
    const int64_t *inner
    bint has_contents


def write_lines(source, inflated, index, plan, columns, inner, tails, ends, styles, batch, row, out):
    """Fill `out` with lines, from `row` of `batch` on (-1: from the batch's own line); return (batch, row, bytes).

    Stops before what might not fit; (batch, row) is then where to go on. If that is where it began, the line is
    larger than `out` may hold. styles: how keys and values are printed (TEXT_*), and whether facts of records are.
    Raises `Corrupt` for spans outside of the buffers.
    """
    cdef Py_buffer[BUFFERS] held
    cdef Sheet sheet
    cdef Fault fault
    cdef int64_t written = 0, batch_ = batch, row_ = row
    cdef int status = 0, taken = 0
    try:
        for buffer in (source, inflated, index, plan, columns, inner, tails, ends):
            PyObject_GetBuffer(buffer, &held[taken], PyBUF_SIMPLE)
            taken += 1
        PyObject_GetBuffer(out, &held[taken], PyBUF_WRITABLE)
        taken += 1
        sheet.payloads = Payloads(
            <const uint8_t *> held[0].buf, held[0].len, <const uint8_t *> held[1].buf, held[1].len
        )
        sheet.facts, sheet.batches = <const int64_t *> held[2].buf, held[2].len // (8 * at.INDEX_WIDTH)
        sheet.plan, sheet.cells = <const int64_t *> held[3].buf, <const int64_t *> held[4].buf
        sheet.width = held[4].len // (8 * at.COLUMNS_HEIGHT)
        sheet.inner, sheet.has_inner = <const int64_t *> held[5].buf, held[5].len != 0
        sheet.tails, sheet.ends = <const uint8_t *> held[6].buf, <const int64_t *> held[7].buf
        sheet.has_tails = held[7].len != 0
        sheet.key_style, sheet.value_style, sheet.metadata = styles[0], styles[1], bool(styles[2])
        if (
            held[3].len // 8 != sheet.batches * at.PLAN_WIDTH
            or (sheet.has_inner and held[5].len // 8 != 2 * sheet.width)
            or (sheet.has_tails and held[7].len // 8 != sheet.width + 1)
            or not 0 <= batch_ <= sheet.batches
            or row_ < -1
            or not fits(&sheet, held[6].len)
        ):
            raise ValueError("the matrices do not fit each other")
        with nogil:
            status = write_all(&sheet, &batch_, &row_, <uint8_t *> held[8].buf, held[8].len, &written, &fault)
        if status < 0:
            raise make_fault(fault.code, fault.position, fault.expected, fault.found, None)
    finally:
        for number in range(taken):
            PyBuffer_Release(&held[number])
    return batch_, row_, written


cdef bint fits(const Sheet *sheet, int64_t tails) noexcept nogil:
    """Tell whether the plan's rows are in the columns, and the ends in the tails."""
    cdef int64_t i, before = 0
    cdef const int64_t *step
    for i in range(sheet.batches):
        step = sheet.plan + i * at.PLAN_WIDTH
        if not (0 <= step[0] <= sheet.width and 0 <= step[1] <= sheet.width - step[0]):
            return False
    if sheet.has_tails:
        for i in range(sheet.width + 1):
            if not before <= sheet.ends[i] <= tails:
                return False
            before = sheet.ends[i]
    return True


cdef int write_all(
    const Sheet *sheet, int64_t *batch, int64_t *row, uint8_t *out, int64_t room, int64_t *written, Fault *fault
) noexcept nogil:
    """Write lines until all are written or the next may not fit; tell where that is."""
    cdef uint8_t *p = out
    cdef uint8_t *stop = out + room
    cdef const int64_t *fact
    cdef const int64_t *step
    cdef int64_t bound
    cdef Fields fields
    while batch[0] < sheet.batches:
        fact = sheet.facts + batch[0] * at.INDEX_WIDTH
        step = sheet.plan + batch[0] * at.PLAN_WIDTH
        if row[0] < 0:
            if step[at.PLAN_FLAGS] & at.PLAN_HEADED:
                if stop - p < BATCH_LINE:
                    break
                p = put_batch(p, fact, step[at.PLAN_POSITION], step[at.PLAN_FLAGS] & at.PLAN_VALID)
            row[0] = 0
        while row[0] < step[at.PLAN_COUNT]:
            load(sheet, fact, step[at.PLAN_FIRST] + row[0], &fields)
            bound = bound_of(sheet, &fields, fault)
            if bound < 0:
                return -1
            if bound > stop - p:
                written[0] = p - out
                return 0
            p = put_record(p, sheet, fact, &fields, step[at.PLAN_FLAGS], fault)
            if p == NULL:
                return -1
            row[0] += 1
        batch[0] += 1
        row[0] = -1
    written[0] = p - out
    return 0


cdef inline void load(const Sheet *sheet, const int64_t *fact, int64_t place, Fields *fields) noexcept nogil:
    cdef const int64_t *cell = sheet.cells + place
    cdef int64_t width = sheet.width
    fields.offset = cell[at.OFFSET * width]
    fields.timestamp = cell[at.TIMESTAMP * width]
    fields.key_start = cell[at.KEY_START * width]
    fields.key_length = cell[at.KEY_LENGTH * width]
    fields.value_start = cell[at.VALUE_START * width]
    fields.value_length = cell[at.VALUE_LENGTH * width]
    fields.headers_start = cell[at.HEADERS_START * width]
    fields.header_count = cell[at.HEADER_COUNT * width]
    fields.inner = sheet.inner + 2 * place if sheet.has_inner and sheet.inner[2 * place] >= 0 else NULL
    fields.tail = sheet.ends[place] if sheet.has_tails else 0
    fields.tail_length = sheet.ends[place + 1] - fields.tail if sheet.has_tails else 0
    fields.has_contents = not fact[at.ATTRIBUTES] & at.CONTROL_MASK
    if place + AHEAD < width:
        prefetch(ahead(&sheet.payloads, cell[at.VALUE_START * width + AHEAD]))


cdef int64_t bound_of(const Sheet *sheet, const Fields *fields, Fault *fault) noexcept nogil:
    """Return how many bytes a record's line takes at most; -1 where spans are too long or headers lie outside."""
    cdef int64_t bound = RECORD_LINE + fields.tail_length, key_length, value_length, _i
    cdef int64_t most = sheet.payloads.source_size + sheet.payloads.inflated_size
    cdef const uint8_t *end = NULL
    cdef const uint8_t *data
    cdef const uint8_t *p
    cdef const uint8_t *key = NULL
    if fields.has_contents:
        if sheet.key_style and fields.key_length > 0:
            if fields.key_length > most:  # before a product that would not fit
                return outside(fault, fields.key_start, most, fields.key_length)
            bound += WORST * fields.key_length
        if sheet.value_style and fields.value_length > 0:
            if fields.value_length > most:
                return outside(fault, fields.value_start, most, fields.value_length)
            bound += WORST * fields.value_length
    if sheet.metadata and fields.header_count > 0:
        data = locate(&sheet.payloads, fields.headers_start, &end)
        if data == NULL:
            return outside(fault, fields.headers_start, most, fields.headers_start)
        p = data
        for _i in range(fields.header_count):
            p = read_header(
                p, end, data, data - start_of(sheet, data, end), fields.header_count, &key, &key_length, &value_length,
                fault,
            )
            if p == NULL:
                return -1
            if value_length > 0:
                p += value_length
            bound += WORST * key_length + 1
    return bound


cdef inline const uint8_t *start_of(const Sheet *sheet, const uint8_t *data, const uint8_t *end) noexcept nogil:
    """Return where the buffer begins that ends at `end`."""
    if end == sheet.payloads.source + sheet.payloads.source_size and data >= sheet.payloads.source:
        return sheet.payloads.source
    return sheet.payloads.inflated


# Lines


cdef uint8_t *put_batch(uint8_t *p, const int64_t *fact, int64_t position, bint valid) noexcept nogil:
    cdef int64_t attributes = fact[at.ATTRIBUTES], sequence = fact[at.BASE_SEQUENCE]
    cdef int64_t last_offset = <int64_t> (<uint64_t> fact[at.BASE_OFFSET] + <uint64_t> fact[at.LAST_OFFSET_DELTA])
    if fact[at.MAGIC] >= at.MAGIC_V2:
        p = put_fact(p, b"baseOffset: ", 12, fact[at.BASE_OFFSET])
        p = put_fact(p, b" lastOffset: ", 13, last_offset)
        p = put_fact(p, b" count: ", 8, fact[at.COUNT])
        p = put_fact(p, b" baseSequence: ", 15, sequence)
        if sequence != at.NO_SEQUENCE:
            sequence = later_sequence(<uint32_t> sequence, <uint32_t> fact[at.LAST_OFFSET_DELTA])
        p = put_fact(p, b" lastSequence: ", 15, sequence)
        p = put_fact(p, b" producerId: ", 13, fact[at.PRODUCER_ID])
        p = put_fact(p, b" producerEpoch: ", 16, fact[at.PRODUCER_EPOCH])
        p = put_fact(p, b" partitionLeaderEpoch: ", 23, fact[at.PARTITION_LEADER_EPOCH])
        p = put_verdict(p, b" isTransactional: ", 18, attributes & at.TRANSACTIONAL_MASK)
        p = put_verdict(p, b" isControl: ", 12, attributes & at.CONTROL_MASK)
        if attributes & at.DELETE_HORIZON_MASK:
            p = put_fact(p, b" deleteHorizonMs: OptionalLong[", 31, fact[at.BASE_TIMESTAMP])
            p = put(p, b"]", 1)
        else:
            p = put(p, b" deleteHorizonMs: OptionalLong.empty", 36)
    else:
        p = put_fact(p, b"offset: ", 8, last_offset)
    p = put_fact(p, b" position: ", 11, position)
    p = put_stamp(p, fact)
    p = put_fact(p, b": ", 2, fact[at.MAX_TIMESTAMP])
    p = put_fact(p, b" size: ", 7, fact[at.SIZE])
    p = put_fact(p, b" magic: ", 8, fact[at.MAGIC])
    p = put_codec(put(p, b" compresscodec: ", 16), attributes & at.COMPRESSION_MASK)
    p = put_fact(p, b" crc: ", 6, fact[at.CRC])
    p = put_verdict(p, b" isvalid: ", 10, valid)
    return put(p, b"\n", 1)


cdef uint8_t *put_record(
    uint8_t *p, const Sheet *sheet, const int64_t *fact, const Fields *fields, int64_t flags, Fault *fault
) noexcept nogil:
    """Write a record's line, for which there is room; return where it ends, NULL for spans that lie outside."""
    cdef const char *prefix = b" "
    cdef int prefix_size = 1
    if sheet.metadata:
        p = put_facts(p, sheet, fact, fields, flags, fault)
        if p == NULL:
            return NULL
    else:
        prefix, prefix_size = b"| ", 2
    if fields.tail_length:
        memcpy(p, sheet.tails + fields.tail, <size_t> fields.tail_length)
        p += fields.tail_length
    if fields.has_contents:
        if sheet.key_style and fields.key_length >= 0:
            p = put(put(p, prefix, prefix_size), b"key: ", 5)
            p = put_span(p, sheet, fields.key_start, fields.key_length, sheet.key_style, fault)
            if p == NULL:
                return NULL
            prefix, prefix_size = b" ", 1
        if sheet.value_style and fields.value_length >= 0:
            p = put(put(p, prefix, prefix_size), b"payload: ", 9)
            p = put_span(p, sheet, fields.value_start, fields.value_length, sheet.value_style, fault)
            if p == NULL:
                return NULL
    return put(p, b"\n", 1)


cdef uint8_t *put_facts(
    uint8_t *p, const Sheet *sheet, const int64_t *fact, const Fields *fields, int64_t flags, Fault *fault
) noexcept nogil:
    cdef int64_t sequence = at.NO_SEQUENCE
    p = put_fact(p, b"| offset: ", 10, fields.offset)
    p = put_stamp(p, fact)
    p = put_fact(p, b": ", 2, fields.timestamp)
    p = put_fact(p, b" keySize: ", 10, fields.key_length)
    p = put_fact(p, b" valueSize: ", 12, fields.value_length)
    if fact[at.MAGIC] < at.MAGIC_V2:
        p = put_verdict(p, b" isValid: ", 10, flags & at.PLAN_VALID if fields.inner == NULL else fields.inner[1])
        return put_fact(p, b" crc: ", 6, fact[at.CRC] if fields.inner == NULL else fields.inner[0])
    if fact[at.BASE_SEQUENCE] >= 0:
        sequence = later_sequence(
            <uint32_t> fact[at.BASE_SEQUENCE], <uint32_t> (<uint64_t> fields.offset - <uint64_t> fact[at.BASE_OFFSET])
        )
    p = put_fact(p, b" sequence: ", 11, sequence)
    p = put(p, b" headerKeys: [", 14)
    if fields.header_count > 0:
        p = put_headers(p, sheet, fields, fault)
        if p == NULL:
            return NULL
    return put(p, b"]", 1)


cdef uint8_t *put_headers(uint8_t *p, const Sheet *sheet, const Fields *fields, Fault *fault) noexcept nogil:
    cdef const uint8_t *end = NULL
    cdef const uint8_t *data = locate(&sheet.payloads, fields.headers_start, &end)
    cdef const uint8_t *next = data
    cdef const uint8_t *key = NULL
    cdef int64_t key_length, value_length, i
    for i in range(fields.header_count):
        next = read_header(
            next, end, data, data - start_of(sheet, data, end), fields.header_count, &key, &key_length, &value_length,
            fault,
        )
        if next == NULL:
            return NULL
        if value_length > 0:
            next += value_length
        if i:
            p = put(p, b",", 1)
        p = put_utf8(p, key, key + key_length)
    return p


# What lines are made of


cdef inline uint8_t *put(uint8_t *p, const char *text, int size) noexcept nogil:
    memcpy(p, text, size)
    return p + size


cdef inline uint8_t *put_fact(uint8_t *p, const char *name, int size, int64_t value) noexcept nogil:
    return put_number(put(p, name, size), value)


cdef inline uint8_t *put_verdict(uint8_t *p, const char *name, int size, bint verdict) noexcept nogil:
    p = put(p, name, size)
    return put(p, b"true", 4) if verdict else put(p, b"false", 5)


cdef inline uint8_t *put_stamp(uint8_t *p, const int64_t *fact) noexcept nogil:
    if fact[at.MAGIC] == at.MAGIC_V0:
        return put(p, b" NoTimestampType", 16)
    if fact[at.ATTRIBUTES] & at.TIMESTAMP_TYPE_MASK:
        return put(p, b" LogAppendTime", 14)
    return put(p, b" CreateTime", 11)


cdef uint8_t *put_codec(uint8_t *p, int64_t codec) noexcept nogil:
    if codec == 0:
        return put(p, b"none", 4)
    if codec == 1:
        return put(p, b"gzip", 4)
    if codec == 2:
        return put(p, b"snappy", 6)
    if codec == 3:
        return put(p, b"lz4", 3)
    if codec == 4:
        return put(p, b"zstd", 4)
    return put_number(p, codec)


cdef inline uint8_t *put_number(uint8_t *p, int64_t value) noexcept nogil:
    cdef uint8_t[24] digits
    cdef uint64_t left = <uint64_t> value
    cdef int place = 24
    if value < 0:
        p[0] = c"-"
        p += 1
        left = 0 - left
    while left >= 100:
        place -= 2
        memcpy(&digits[place], DIGITS + 2 * (left % 100), 2)
        left //= 100
    if left >= 10:
        place -= 2
        memcpy(&digits[place], DIGITS + 2 * left, 2)
    else:
        place -= 1
        digits[place] = <uint8_t> (c"0" + left)
    memcpy(p, &digits[place], 24 - place)
    return p + (24 - place)


cdef inline int32_t later_sequence(uint32_t sequence, uint32_t increment) noexcept nogil:
    """As `increment_sequence` of objects.pyx."""
    cdef bint wraps = <int32_t> sequence > <int32_t> (<uint32_t> 0x7FFFFFFF - increment)
    return <int32_t> (sequence + increment + (<uint32_t> 0x80000000 if wraps else <uint32_t> 0))


cdef uint8_t *put_span(
    uint8_t *p, const Sheet *sheet, int64_t start, int64_t size, int style, Fault *fault
) noexcept nogil:
    """Write a payload's bytes in a style; NULL where they lie outside."""
    cdef const uint8_t *end = NULL
    cdef const uint8_t *data = locate(&sheet.payloads, start, &end)
    if data == NULL or size > end - data:
        outside(
            fault, start, sheet.payloads.source_size + sheet.payloads.inflated_size, start if data == NULL else size
        )
        return NULL
    if style == at.TEXT_HEX:
        return put_hex(p, data, data + size)
    if style == at.TEXT_BASE64:
        return put_base64(p, data, data + size)
    return put_utf8(p, data, data + size)


cdef uint8_t *put_hex(uint8_t *p, const uint8_t *data, const uint8_t *end) noexcept nogil:
    while data < end:
        p[0], p[1] = HEX[data[0] >> 4], HEX[data[0] & 15]
        p += 2
        data += 1
    return p


cdef uint8_t *put_base64(uint8_t *p, const uint8_t *data, const uint8_t *end) noexcept nogil:
    cdef uint32_t bits
    while end - data >= 3:
        bits = (<uint32_t> data[0] << 16) | (<uint32_t> data[1] << 8) | data[2]
        p[0], p[1], p[2], p[3] = BASE64[bits >> 18], BASE64[bits >> 12 & 63], BASE64[bits >> 6 & 63], BASE64[bits & 63]
        p += 4
        data += 3
    if data < end:
        bits = <uint32_t> data[0] << 16
        if end - data == 2:
            bits |= <uint32_t> data[1] << 8
        p[0], p[1], p[2], p[3] = BASE64[bits >> 18], BASE64[bits >> 12 & 63], BASE64[bits >> 6 & 63], c"="
        if end - data == 1:
            p[2] = c"="
        p += 4
    return p


cdef uint8_t *put_utf8(uint8_t *p, const uint8_t *data, const uint8_t *end) noexcept nogil:
    """Copy text, U+FFFD in the place of what Java would replace; three bytes at most for each."""
    cdef const uint8_t *stop
    cdef uint64_t[4] words
    cdef uint32_t kinds = 0  # of the byte before, of this one and of the next
    cdef uint8_t fate
    cdef int64_t taken
    if data < end:
        kinds = KINDS[data[0]]
    while end - data > 1:  # one byte more is there to be looked at
        if end - data >= STEP:
            memcpy(words, data, STEP)
            if not (words[0] | words[1] | words[2] | words[3]) & <uint64_t> 0x8080808080808080:
                memcpy(p, words, STEP)
                p += STEP
                data += STEP
                kinds = KINDS[data[0]] if data < end else 0
                continue
            stop = data + STEP if end - data > STEP else end - 1
        else:
            if end - data >= WORD:
                memcpy(words, data, WORD)
                if not words[0] & <uint64_t> 0x8080808080808080:
                    memcpy(p, words, WORD)
                    p += WORD
                    data += WORD
                    kinds = KINDS[data[0]] if data < end else 0
                    continue
            stop = end - 1
        while data < stop:
            # Without branches that depend on what bytes are, but for the beginning of three or four that go together:
            # bytes of payloads that are no text are hard to predict
            kinds = (kinds << 3 | KINDS[data[1]]) & 0x1FF
            fate = FATES[kinds]
            if fate == LOOKED_AT:
                taken = sequence_at(data, end - data)
                p = put_sequence(p, data, taken)
                data += taken if taken > 0 else -taken
                kinds = KINDS[data[0]] if data < end else 0
                continue
            memcpy(p, REPLACEMENT, 4)
            p[0] = <uint8_t> (0xEF ^ ((data[0] ^ 0xEF) & fate))
            p += 3 - (fate & 2)
            data += 1
    if data < end:
        if FATES[(kinds << 3 | NEVER) & 0x1FF] == COPIED:
            p[0] = data[0]
            return p + 1
        return put(p, b"\xef\xbf\xbd", 3)
    return p


cdef inline uint8_t *put_sequence(uint8_t *p, const uint8_t *data, int64_t taken) noexcept nogil:
    """Copy a character of so many bytes; U+FFFD for what is none, which is told by a negative number."""
    if taken > 0:
        memcpy(p, data, <size_t> taken)
        return p + taken
    return put(p, b"\xef\xbf\xbd", 3)


cdef inline bint continues(const uint8_t *data, int64_t left, int place, uint8_t low, uint8_t high) noexcept nogil:
    return place < left and low <= data[place] <= high


cdef int64_t sequence_at(const uint8_t *data, int64_t left) noexcept nogil:
    """Return the bytes of a character of several bytes; of what is none, how many go with it, negative.

    Those are as many as might have begun one, but a surrogate goes as a whole (javatext.py).
    """
    cdef uint8_t first = data[0], low = 0x80, high = 0xBF
    if first < 0xC2 or first > 0xF4:
        return -1
    if first < 0xE0:
        return 2 if continues(data, left, 1, low, high) else -1
    if first == 0xED and continues(data, left, 1, 0xA0, 0xBF):
        return -3 if continues(data, left, 2, 0x80, 0xBF) else -2
    if first == 0xE0:
        low = 0xA0
    elif first == 0xF0:
        low = 0x90
    elif first == 0xF4:
        high = 0x8F
    if not continues(data, left, 1, low, high):
        return -1
    if not continues(data, left, 2, 0x80, 0xBF):
        return -2
    if first < 0xF0:
        return 3
    return 4 if continues(data, left, 3, 0x80, 0xBF) else -3
