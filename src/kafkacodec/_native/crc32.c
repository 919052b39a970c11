/* CRC-32: carry-less folding where the processor has it, else sixteen bytes per step through tables.
 *
 * Bits are reflected, as in crc32c.c. Folding (Gopal and others, "Fast CRC Computation for Generic Polynomials Using
 * PCLMULQDQ Instruction", Intel 2009): a 128-bit register is worth as much n bits further on as its two halves times
 * x^n and x^(n + 64) mod P, so 64 bytes are added to the next 64 by eight products, then four registers to one. The
 * constants are x^(n + 32) and x^(n - 32) for n = 512 (64 bytes on) and n = 128 (16 bytes on), and x^64 for the last
 * step to 64 bits; all shifted left by one, as products of reflected words need it. Barrett's reduction makes the CRC
 * of those 64 bits, by floor(x^64 / P) and P.
 */
#include "crc32.h"

#include <string.h>

#if defined(__x86_64__) || defined(_M_X64)
#define HAVE_FOLDING 1
#if defined(__GNUC__) || defined(__clang__)
#include <cpuid.h>
#include <immintrin.h>
#define TARGET_FOLDING __attribute__((target("sse4.1,pclmul")))
#else
#include <intrin.h>
#define TARGET_FOLDING
#endif
#endif

#define POLYNOMIAL 0xEDB88320u /* 0x04C11DB7 reflected */
#define SLICES 8

static uint32_t tables[SLICES][256]; /* tables[k][b]: the byte b followed by k bytes of zeros */

static void build_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        tables[0][byte] = crc;
    }
    for (int k = 1; k < SLICES; k++)
        for (int byte = 0; byte < 256; byte++)
            tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
}

static inline uint32_t load_little_endian(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t update_table(uint32_t crc, const uint8_t *data, size_t length)
{
    while (length >= 8) {
        const uint32_t low = crc ^ load_little_endian(data), high = load_little_endian(data + 4);
        crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^ tables[4][low >> 24] ^
              tables[3][high & 0xFF] ^ tables[2][high >> 8 & 0xFF] ^ tables[1][high >> 16 & 0xFF] ^
              tables[0][high >> 24];
        data += 8;
        length -= 8;
    }
    while (length--)
        crc = crc >> 8 ^ tables[0][(crc ^ *data++) & 0xFF];
    return crc;
}

#ifdef HAVE_FOLDING

static int has_folding(void)
{
    const unsigned wanted = 1u << 1 | 1u << 19; /* PCLMULQDQ, SSE4.1 */
#if defined(__GNUC__) || defined(__clang__)
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & wanted) == wanted;
#else
    int registers[4];
    __cpuid(registers, 1);
    return ((unsigned)registers[2] & wanted) == wanted;
#endif
}

TARGET_FOLDING
static inline __m128i fold(__m128i value, __m128i by, const uint8_t *next)
{
    const __m128i low = _mm_clmulepi64_si128(value, by, 0x00), high = _mm_clmulepi64_si128(value, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128((const __m128i *)next));
}

TARGET_FOLDING
static uint32_t update_folding(uint32_t crc, const uint8_t *data, size_t length)
{
    if (length < 16)
        return update_table(crc, data, length);
    const __m128i by64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
    const __m128i by16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    const __m128i mask = _mm_setr_epi32(~0, 0, ~0, 0);
    __m128i value = _mm_xor_si128(_mm_loadu_si128((const __m128i *)data), _mm_cvtsi32_si128((int)crc));
    data += 16;
    length -= 16;
    if (length >= 48 + 64) {
        __m128i second = _mm_loadu_si128((const __m128i *)data);
        __m128i third = _mm_loadu_si128((const __m128i *)(data + 16));
        __m128i fourth = _mm_loadu_si128((const __m128i *)(data + 32));
        data += 48;
        length -= 48;
        do {
            value = fold(value, by64, data);
            second = fold(second, by64, data + 16);
            third = fold(third, by64, data + 32);
            fourth = fold(fourth, by64, data + 48);
            data += 64;
            length -= 64;
        } while (length >= 64);
        const __m128i *rest[] = {&second, &third, &fourth};
        for (int i = 0; i < 3; i++)
            value = fold(value, by16, (const uint8_t *)rest[i]);
    }
    for (; length >= 16; data += 16, length -= 16)
        value = fold(value, by16, data);
    /* 128 bits to 64, then Barrett's reduction: quotient by the inverse of P, remainder by P */
    const __m128i by8 = _mm_set_epi64x(0, 0x0163cd6124), barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    value = _mm_xor_si128(_mm_srli_si128(value, 8), _mm_clmulepi64_si128(value, by16, 0x10));
    value = _mm_xor_si128(_mm_srli_si128(value, 4), _mm_clmulepi64_si128(_mm_and_si128(value, mask), by8, 0x00));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(value, mask), barrett, 0x10);
    quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, mask), barrett, 0x00);
    crc = (uint32_t)_mm_extract_epi32(_mm_xor_si128(value, quotient), 1);
    return update_table(crc, data, length);
}

#endif

/* ---- the choice, made once, as in crc32c.c --------------------------------------------------------------------- */

static uint32_t (*update)(uint32_t crc, const uint8_t *data, size_t length) = update_table;

static void choose(void)
{
    build_tables();
#ifdef HAVE_FOLDING
    if (has_folding())
        update = update_folding;
#endif
}

#include "choose.h"

uint32_t kafkacodec_crc32(const uint8_t *data, size_t length)
{
    ENSURE_CHOSEN();
    return ~update(~0u, data, length);
}
