/* The yardstick: what plain C can do. Finds the batches of magic 2 in a buffer, verifies each CRC-32C, inflates lz4 and
 * zstd with the system's libraries, and decodes every record to the same eight int64 columns as kafkacodec, with the
 * same bounds checks. No Python object is made and no payload copied, but for what the codecs inflate.
 *
 * The caller counts first (c_loop_count), allocates the columns, then decodes (c_loop_decode), as kafkacodec does. The
 * arena for inflated bytes starts empty in every run and grows by doubling. The CRC is kafkacodec's own crc32c.c, so
 * that it costs the same on both sides.
 */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "crc32c.h"

/* liblz4 and libzstd by their stable ABIs, so that no development package is needed. */
typedef struct LZ4F_dctx_s LZ4F_dctx;
typedef struct {
    unsigned stableDst, skipChecksums, reserved1, reserved0;
} LZ4F_decompressOptions_t;
size_t LZ4F_createDecompressionContext(LZ4F_dctx **, unsigned version);
size_t LZ4F_freeDecompressionContext(LZ4F_dctx *);
void LZ4F_resetDecompressionContext(LZ4F_dctx *);
size_t LZ4F_decompress(LZ4F_dctx *, void *dst, size_t *dst_size, const void *src, size_t *src_size,
                       const LZ4F_decompressOptions_t *);
unsigned LZ4F_isError(size_t);

typedef struct ZSTD_DCtx_s ZSTD_DCtx;
typedef struct {
    const void *src;
    size_t size, pos;
} ZSTD_inBuffer;
typedef struct {
    void *dst;
    size_t size, pos;
} ZSTD_outBuffer;
ZSTD_DCtx *ZSTD_createDCtx(void);
size_t ZSTD_freeDCtx(ZSTD_DCtx *);
size_t ZSTD_decompressStream(ZSTD_DCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *);
size_t ZSTD_DCtx_reset(ZSTD_DCtx *, int directive);
unsigned ZSTD_isError(size_t);

#define LARGE_PAGE ((size_t)2 << 20)

enum { NONE, GZIP, SNAPPY, LZ4, ZSTD };
enum { OK = 0, CORRUPT = -1, NO_MEMORY = -2, UNSUPPORTED = -3 };
enum { OFFSET, TIMESTAMP, KEY_START, KEY_LENGTH, VALUE_START, VALUE_LENGTH, HEADERS_START, HEADER_COUNT };

typedef struct {
    uint8_t *data;
    size_t size, capacity;
    LZ4F_dctx *lz4;
    ZSTD_DCtx *zstd;
} Arena;

static inline uint16_t be16(const uint8_t *p) {
    uint16_t v;
    memcpy(&v, p, 2);
    return __builtin_bswap16(v);
}
static inline uint32_t be32(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}
static inline uint64_t be64(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}

/* Zigzag varint of up to `limit` bits; NULL where it is cut or too long. One and two bytes are unrolled. */
static inline const uint8_t *varint(const uint8_t *p, const uint8_t *end, unsigned limit, int64_t *value) {
    uint64_t raw = 0;
    if (end - p >= 2) {
        raw = p[0];
        if (raw < 0x80) {
            p += 1;
            goto done;
        }
        raw = (raw & 0x7f) | (uint64_t)p[1] << 7;
        if (p[1] < 0x80) {
            p += 2;
            goto done;
        }
        raw = 0;
    }
    for (unsigned shift = 0; p < end && shift < limit; shift += 7) {
        raw |= (uint64_t)(*p & 0x7f) << shift;
        if (*p++ < 0x80)
            goto done;
    }
    return NULL;
done:
    *value = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
    return p;
}

/* Large pages are asked for, as numpy does for the arrays that kafkacodec's arena is made of: with pages of 4 KiB the
 * faults of a fresh arena cost more than inflating lz4. */
static int reserve(Arena *arena, size_t room) {
    if (arena->capacity - arena->size < room) {
        size_t capacity = arena->capacity * 2 > arena->size + room ? arena->capacity * 2 : arena->size + room;
        capacity = (capacity + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
        uint8_t *data = aligned_alloc(LARGE_PAGE, capacity);
        if (data == NULL)
            return NO_MEMORY;
        madvise(data, capacity, MADV_HUGEPAGE);
        if (arena->size > 0)
            memcpy(data, arena->data, arena->size);
        free(arena->data);
        arena->data = data;
        arena->capacity = capacity;
    }
    return OK;
}

static int inflate_lz4(Arena *arena, const uint8_t *src, size_t size) {
    const LZ4F_decompressOptions_t options = {0, 0, 0, 0};
    if (arena->lz4 == NULL && LZ4F_isError(LZ4F_createDecompressionContext(&arena->lz4, 100)))
        return NO_MEMORY;
    LZ4F_resetDecompressionContext(arena->lz4);
    while (size > 0) {
        if (reserve(arena, size > 65536 ? size : 65536))
            return NO_MEMORY;
        size_t out = arena->capacity - arena->size, in = size;
        size_t hint = LZ4F_decompress(arena->lz4, arena->data + arena->size, &out, src, &in, &options);
        if (LZ4F_isError(hint) || (out == 0 && in == 0))
            return CORRUPT;
        arena->size += out;
        src += in;
        size -= in;
        if (size == 0 && hint != 0)
            return CORRUPT;
    }
    return OK;
}

static int inflate_zstd(Arena *arena, const uint8_t *src, size_t size) {
    if (arena->zstd == NULL && (arena->zstd = ZSTD_createDCtx()) == NULL)
        return NO_MEMORY;
    ZSTD_DCtx_reset(arena->zstd, 1 /* session only */);
    ZSTD_inBuffer in = {src, size, 0};
    for (;;) {
        if (reserve(arena, 131072))
            return NO_MEMORY;
        ZSTD_outBuffer out = {arena->data, arena->capacity, arena->size};
        size_t hint = ZSTD_decompressStream(arena->zstd, &out, &in);
        if (ZSTD_isError(hint))
            return CORRUPT;
        size_t written = out.pos - arena->size;
        arena->size = out.pos;
        if (hint == 0 && in.pos == in.size)
            return OK;
        if (in.pos == in.size && written == 0)
            return CORRUPT;
    }
}

/* Decode `count` records in [p, end) whose first byte has the address `start`; the columns have `width` rows. */
static int decode(const uint8_t *p, const uint8_t *end, int64_t start, int64_t count, int64_t base_offset,
                  int64_t base_timestamp, int64_t *restrict columns, int64_t width, int64_t row) {
    const uint8_t *origin = p;
    for (int64_t i = 0; i < count; i++, row++) {
        int64_t length, timestamp_delta, offset_delta, key_length, value_length, headers, key, value;
        if ((p = varint(p, end, 35, &length)) == NULL || length < 1 || length > end - p)
            return CORRUPT;
        const uint8_t *stop = p + length;
        p++; /* attributes: unused */
        if ((p = varint(p, stop, 70, &timestamp_delta)) == NULL)
            return CORRUPT;
        if ((p = varint(p, stop, 35, &offset_delta)) == NULL)
            return CORRUPT;
        if ((p = varint(p, stop, 35, &key_length)) == NULL || key_length < -1 || key_length > stop - p)
            return CORRUPT;
        key = start + (p - origin);
        if (key_length > 0)
            p += key_length;
        if ((p = varint(p, stop, 35, &value_length)) == NULL || value_length < -1 || value_length > stop - p)
            return CORRUPT;
        value = start + (p - origin);
        if (value_length > 0)
            p += value_length;
        if ((p = varint(p, stop, 35, &headers)) == NULL || headers < 0 || headers > stop - p)
            return CORRUPT;
        columns[OFFSET * width + row] = base_offset + offset_delta;
        columns[TIMESTAMP * width + row] = base_timestamp + timestamp_delta;
        columns[KEY_START * width + row] = key;
        columns[KEY_LENGTH * width + row] = key_length;
        columns[VALUE_START * width + row] = value;
        columns[VALUE_LENGTH * width + row] = value_length;
        columns[HEADERS_START * width + row] = start + (p - origin);
        columns[HEADER_COUNT * width + row] = headers;
        for (int64_t h = 0; h < headers; h++) {
            if ((p = varint(p, stop, 35, &key_length)) == NULL || key_length < 0 || key_length > stop - p)
                return CORRUPT;
            p += key_length;
            if ((p = varint(p, stop, 35, &value_length)) == NULL || value_length < -1 || value_length > stop - p)
                return CORRUPT;
            if (value_length > 0)
                p += value_length;
        }
        if (p != stop)
            return CORRUPT;
    }
    return p == end ? OK : CORRUPT;
}

/* The number of records in the whole batches of `data`, by their headers alone. */
int64_t c_loop_count(const uint8_t *data, int64_t size) {
    int64_t records = 0;
    for (int64_t position = 0; size - position >= 61;) {
        int64_t length = (int32_t)be32(data + position + 8);
        if (length < 49 || data[position + 16] != 2)
            return CORRUPT;
        if (length > size - position - 12)
            break;
        int32_t count = (int32_t)be32(data + position + 57);
        if (count < 0)
            return CORRUPT;
        records += count;
        position += length + 12;
    }
    return records;
}

/* Decode all of `data` into `columns` (8 x width, width from c_loop_count); return the bytes that were inflated. */
int64_t c_loop_decode(const uint8_t *data, int64_t size, int64_t *columns, int64_t width) {
    Arena arena = {NULL, 0, 0, NULL, NULL};
    int64_t row = 0, status = OK;
    for (int64_t position = 0; status == OK && size - position >= 61;) {
        const uint8_t *batch = data + position;
        int64_t length = (int32_t)be32(batch + 8);
        if (length > size - position - 12)
            break;
        const uint8_t *p = batch + 61, *end = batch + 12 + length;
        if (kafkacodec_crc32c(0, batch + 21, length - 9) != be32(batch + 17)) {
            status = CORRUPT;
            break;
        }
        int64_t start = position + 61, count = (int32_t)be32(batch + 57);
        int codec = be16(batch + 21) & 7;
        if (codec != NONE) {
            size_t before = arena.size;
            status = codec == LZ4    ? inflate_lz4(&arena, p, end - p)
                     : codec == ZSTD ? inflate_zstd(&arena, p, end - p)
                                     : UNSUPPORTED;
            if (status != OK)
                break;
            p = arena.data + before;
            end = arena.data + arena.size;
            start = size + (int64_t)before;
        }
        if (count > width - row) {
            status = CORRUPT;
            break;
        }
        status = decode(p, end, start, count, (int64_t)be64(batch), (int64_t)be64(batch + 27), columns, width, row);
        row += count;
        position += length + 12;
    }
    int64_t inflated = (int64_t)arena.size;
    free(arena.data);
    if (arena.lz4 != NULL)
        LZ4F_freeDecompressionContext(arena.lz4);
    if (arena.zstd != NULL)
        ZSTD_freeDCtx(arena.zstd);
    return status != OK ? status : row == width ? inflated : CORRUPT;
}
