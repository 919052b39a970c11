/* CRC-32C: several implementations behind one run-time choice, made once.
 *
 *   x86-64-pclmul  SSE4.2's crc32 instruction on three lanes, and carry-less folding of a fourth at the same time
 *   x86-64-sse4.2  the crc32 instruction alone
 *   armv8-pmull    ARMv8's crc32c instructions on three lanes, joined by carry-less multiplication
 *   armv8-crc      the crc32c instructions alone
 *   table          eight bytes per step through eight tables: any processor, any byte order
 *
 * A CRC is arithmetic on polynomials over GF(2), modulo P. Bits are reflected: bit 31 of a register is the coefficient
 * of x^0, bit 0 that of x^31. In this file `crc` is the bare register; the public functions invert it on the way in
 * and on the way out.
 *
 * What the lanes rest on: a register followed by n more bits of zeros becomes register * x^n mod P, and registers add
 * (XOR). So a buffer may be cut into lanes that are computed independently, if each lane's register is multiplied by
 * the x^n of what follows it. The carry-less product of two reflected words is their product times x, and the crc32
 * instruction that takes that product as eight bytes of data multiplies by x^32. So the constants are x^(n - 33):
 * advance[i] holds that for n = 64 * i, a distance of i words of eight bytes.
 */
#include "crc32c.h"

#include <string.h>

#if defined(__GNUC__) || defined(__clang__) /* clang-cl is the second without the first */
#define GNU_STYLE 1
#define TARGET(features) __attribute__((target(features)))
#else /* MSVC compiles any intrinsic without being told */
#define TARGET(features)
#endif

#define POLYNOMIAL 0x82F63B78u /* 0x1EDC6F41 reflected */

#define LANE_STEP 32       /* bytes per step in each of a block's three lanes */
#define FOLD_STEP 64       /* bytes per step in its folded one */
#define BYTES_PER_STEP 160 /* 3 * LANE_STEP + FOLD_STEP */
#define MIN_STEPS 3        /* below that, folding costs more than it saves */
#define MAX_STEPS 32       /* 5 KiB: long enough to hide the cost of joining the lanes */
#define MIN_LANES 72       /* bytes from which three lanes pay without folding */
#define MAX_ADVANCE ((2 * LANE_STEP + FOLD_STEP) / 8 * MAX_STEPS)

static uint32_t tables[8][256];           /* tables[k][b]: the byte b followed by k bytes of zeros */
static uint32_t advance[MAX_ADVANCE + 1]; /* x^(64 * i - 33) mod P; [0] is not used */

/* ---- table ----------------------------------------------------------------------------------------------------- */

static inline uint64_t load_little_endian(const uint8_t *p)
{
    /* Compilers make one load of this, with a byte swap where the machine is big endian. */
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static inline uint32_t table_word(uint64_t word)
{
    return tables[7][word & 0xFF] ^ tables[6][word >> 8 & 0xFF] ^ tables[5][word >> 16 & 0xFF] ^
           tables[4][word >> 24 & 0xFF] ^ tables[3][word >> 32 & 0xFF] ^ tables[2][word >> 40 & 0xFF] ^
           tables[1][word >> 48 & 0xFF] ^ tables[0][word >> 56];
}

static uint32_t update_table(uint32_t crc, const uint8_t *data, size_t length)
{
    for (; length >= 8; data += 8, length -= 8)
        crc = table_word(load_little_endian(data) ^ crc);
    for (; length > 0; data++, length--)
        crc = tables[0][(crc ^ *data) & 0xFF] ^ crc >> 8;
    return crc;
}

static void build_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        tables[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++)
            tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
    advance[1] = 1; /* x^31 */
    for (int i = 2; i <= MAX_ADVANCE; i++)
        advance[i] = table_word(advance[i - 1]);
}

/* ---- what the processors offer --------------------------------------------------------------------------------- *
 *
 * HAVE_CRC: Lane (an integer that holds a register), crc_word, crc_half, crc_quarter, crc_byte, has_crc().
 * HAVE_MULTIPLY: on top of it multiply(a, b), the low 64 bits of a carry-less product, and has_multiply().
 */

#if (defined(__x86_64__) && defined(GNU_STYLE)) || (defined(_M_X64) && !defined(_M_ARM64EC))

#define HAVE_CRC "x86-64-sse4.2"
#define HAVE_MULTIPLY "x86-64-pclmul"
#define HAVE_FOLDING 1
#define TARGET_CRC TARGET("sse4.2")
#define TARGET_MULTIPLY TARGET("sse4.2,pclmul")

#include <nmmintrin.h>
#include <wmmintrin.h>
#if defined(GNU_STYLE)
#include <cpuid.h>
#else
#include <intrin.h>
#endif

typedef uint64_t Lane; /* as wide as the instruction's result, which saves a move per word */

#define crc_word(crc, word) _mm_crc32_u64(crc, word)
#define crc_half(crc, half) _mm_crc32_u32((uint32_t)(crc), half)
#define crc_quarter(crc, quarter) _mm_crc32_u16((uint32_t)(crc), quarter)
#define crc_byte(crc, byte) _mm_crc32_u8((uint32_t)(crc), byte)

TARGET_MULTIPLY
static inline uint64_t multiply(Lane a, uint32_t b)
{
    return (uint64_t)_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a), _mm_cvtsi32_si128((int)b), 0));
}

static unsigned cpuid_features(void)
{
#if defined(GNU_STYLE)
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) ? c : 0;
#else
    int registers[4];
    __cpuid(registers, 1);
    return (unsigned)registers[2];
#endif
}

static int has_crc(void)
{
    return cpuid_features() >> 20 & 1;
}

static int has_multiply(void)
{
    return has_crc() && cpuid_features() >> 1 & 1;
}

#elif defined(__aarch64__) && defined(GNU_STYLE) && !defined(__AARCH64EB__)

#define HAVE_CRC "armv8-crc"
#define HAVE_MULTIPLY "armv8-pmull"
#if defined(__clang__)
#define TARGET_CRC TARGET("crc")
#define TARGET_MULTIPLY TARGET("crc,aes")
#else
#define TARGET_CRC TARGET("+crc")
#define TARGET_MULTIPLY TARGET("+crc+crypto")
#endif

#include <arm_neon.h>
#if defined(__linux__) || defined(__FreeBSD__)
#include <sys/auxv.h>
#elif defined(_WIN32)
#include <windows.h>
#endif

typedef uint32_t Lane;

/* In assembly, since the headers of older compilers hide these intrinsics unless the whole file is compiled for them. */
#define ARM_CRC(name, instruction, type, width)                                                 \
    TARGET_CRC static inline Lane name(Lane crc, type data)                                      \
    {                                                                                            \
        __asm__(instruction " %w0, %w1, %" width "2" : "=r"(crc) : "r"(crc), "r"(data));         \
        return crc;                                                                              \
    }
ARM_CRC(crc_word, "crc32cx", uint64_t, "x")
ARM_CRC(crc_half, "crc32cw", uint32_t, "w")
ARM_CRC(crc_quarter, "crc32ch", uint16_t, "w")
ARM_CRC(crc_byte, "crc32cb", uint8_t, "w")

TARGET_MULTIPLY
static inline uint64_t multiply(Lane a, uint32_t b)
{
    uint64x2_t product;
    __asm__("pmull %0.1q, %1.1d, %2.1d" : "=w"(product) : "w"(vcreate_u64(a)), "w"(vcreate_u64(b)));
    return vgetq_lane_u64(product, 0);
}

static unsigned long arm_features(void) /* bit 4: PMULL, bit 7: CRC32, as Linux numbers them */
{
#if defined(__APPLE__)
    return 1ul << 4 | 1ul << 7; /* every 64-bit Mac that is not Intel's has both */
#elif defined(__linux__)
    return getauxval(AT_HWCAP);
#elif defined(__FreeBSD__)
    unsigned long features = 0;
    return elf_aux_info(AT_HWCAP, &features, sizeof features) ? 0 : features;
#elif defined(_WIN32)
    return (IsProcessorFeaturePresent(PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE) ? 1ul << 4 : 0) |
           (IsProcessorFeaturePresent(PF_ARM_V8_CRC32_INSTRUCTIONS_AVAILABLE) ? 1ul << 7 : 0);
#else
    return 0;
#endif
}

static int has_crc(void)
{
    return arm_features() >> 7 & 1;
}

static int has_multiply(void)
{
    return has_crc() && arm_features() >> 4 & 1;
}

#elif defined(_M_ARM64)

#define HAVE_CRC "armv8-crc"
#define TARGET_CRC

#include <intrin.h>
#include <windows.h>

typedef uint32_t Lane;

#define crc_word(crc, word) __crc32cd(crc, word)
#define crc_half(crc, half) __crc32cw(crc, half)
#define crc_quarter(crc, quarter) __crc32ch(crc, quarter)
#define crc_byte(crc, byte) __crc32cb(crc, byte)

static int has_crc(void)
{
    return IsProcessorFeaturePresent(PF_ARM_V8_CRC32_INSTRUCTIONS_AVAILABLE) != 0;
}

#endif

/* ---- one instruction per word ---------------------------------------------------------------------------------- */

#ifdef HAVE_CRC

static inline uint64_t load_word(const uint8_t *p) /* both families are little endian here and load from any address */
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

TARGET_CRC
static uint32_t update_words(uint32_t crc, const uint8_t *data, size_t length)
{
    Lane lane = crc;
    for (; length >= 8; data += 8, length -= 8)
        lane = crc_word(lane, load_word(data));
    if (length & 4) {
        uint32_t half;
        memcpy(&half, data, sizeof half);
        lane = crc_half(lane, half);
        data += 4;
    }
    if (length & 2) {
        uint16_t quarter;
        memcpy(&quarter, data, sizeof quarter);
        lane = crc_quarter(lane, quarter);
        data += 2;
    }
    if (length & 1)
        lane = crc_byte(lane, *data);
    return (uint32_t)lane;
}

#endif

/* ---- three lanes ----------------------------------------------------------------------------------------------- */

#ifdef HAVE_MULTIPLY

/* Lanes of `words` words each: the instruction takes two or three cycles, but one may start in every cycle. */
TARGET_MULTIPLY
static uint32_t update_lanes(uint32_t crc, const uint8_t *a, size_t words)
{
    const uint8_t *b = a + 8 * words, *c = b + 8 * words, *end = b;
    Lane in_a = crc, in_b = 0, in_c = 0;
    for (; a < end; a += 8, b += 8, c += 8) {
        in_a = crc_word(in_a, load_word(a));
        in_b = crc_word(in_b, load_word(b));
        in_c = crc_word(in_c, load_word(c));
    }
    const uint64_t joined = multiply(in_a, advance[2 * words]) ^ multiply(in_b, advance[words]);
    return (uint32_t)(crc_word(0, joined) ^ in_c);
}

#ifdef HAVE_FOLDING

/* FOLD moves 16 bytes past the words that its key was made for; their low half stands 64 bits before the high one. */
#define FOLD_KEY(words) _mm_set_epi64x(advance[words], advance[(words) + 1])
#define FOLD(v, key) _mm_xor_si128(_mm_clmulepi64_si128(v, key, 0x00), _mm_clmulepi64_si128(v, key, 0x11))
#define LOAD(p) _mm_loadu_si128((const __m128i *)(p))

TARGET_CRC
static inline Lane crc_four_words(Lane lane, const uint8_t *p)
{
    lane = crc_word(lane, load_word(p));
    lane = crc_word(lane, load_word(p + 8));
    lane = crc_word(lane, load_word(p + 16));
    return crc_word(lane, load_word(p + 24));
}

/* A block cut as  a | b | c | v,  where a, b and c are lanes as above, and v is folded by the multiplier meanwhile:
 * it is another unit of the processor. Four registers are folded because it, too, takes several cycles. */
TARGET_MULTIPLY
static uint32_t update_block(uint32_t crc, const uint8_t *a, size_t steps)
{
    const uint8_t *b = a + LANE_STEP * steps, *c = b + LANE_STEP * steps, *v = c + LANE_STEP * steps;
    const __m128i key = FOLD_KEY(FOLD_STEP / 8);
    __m128i v0 = LOAD(v), v1 = LOAD(v + 16), v2 = LOAD(v + 32), v3 = LOAD(v + 48);
    Lane in_a = crc_four_words(crc, a), in_b = crc_four_words(0, b), in_c = crc_four_words(0, c);
    for (size_t step = 1; step < steps; step++) {
        a += LANE_STEP, b += LANE_STEP, c += LANE_STEP, v += FOLD_STEP;
        v0 = _mm_xor_si128(FOLD(v0, key), LOAD(v));
        v1 = _mm_xor_si128(FOLD(v1, key), LOAD(v + 16));
        v2 = _mm_xor_si128(FOLD(v2, key), LOAD(v + 32));
        v3 = _mm_xor_si128(FOLD(v3, key), LOAD(v + 48));
        in_a = crc_four_words(in_a, a);
        in_b = crc_four_words(in_b, b);
        in_c = crc_four_words(in_c, c);
    }
    v3 = _mm_xor_si128(v3, FOLD(v0, FOLD_KEY(6)));
    v3 = _mm_xor_si128(v3, FOLD(v1, FOLD_KEY(4)));
    v3 = _mm_xor_si128(v3, FOLD(v2, FOLD_KEY(2)));
    /* The lanes' registers move past the words that follow them, and join v's last word. */
    const size_t lane = LANE_STEP / 8 * steps, folded = FOLD_STEP / 8 * steps;
    const uint64_t joined = multiply(in_a, advance[folded + 2 * lane]) ^ multiply(in_b, advance[folded + lane]) ^
                            multiply(in_c, advance[folded]);
    const Lane low = crc_word(0, (uint64_t)_mm_cvtsi128_si64(v3));
    return (uint32_t)crc_word(low, (uint64_t)_mm_extract_epi64(v3, 1) ^ joined);
}

#endif

TARGET_MULTIPLY
static uint32_t update_multiply(uint32_t crc, const uint8_t *data, size_t length)
{
#ifdef HAVE_FOLDING
    while (length >= MIN_STEPS * BYTES_PER_STEP) {
        const size_t steps = length < MAX_STEPS * BYTES_PER_STEP ? length / BYTES_PER_STEP : MAX_STEPS;
        crc = update_block(crc, data, steps);
        data += BYTES_PER_STEP * steps;
        length -= BYTES_PER_STEP * steps;
    }
#endif
    while (length >= MIN_LANES) {
        const size_t words = length < 12 * MAX_ADVANCE ? length / 24 : MAX_ADVANCE / 2;
        crc = update_lanes(crc, data, words);
        data += 24 * words;
        length -= 24 * words;
    }
    return update_words(crc, data, length);
}

#endif

/* ---- the choice ------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name;
    uint32_t (*update)(uint32_t crc, const uint8_t *data, size_t length);
} Implementation;

static Implementation available[4]; /* the fastest first, then a NULL */

static void choose(void)
{
    Implementation *next = available;
    build_tables();
#ifdef HAVE_MULTIPLY
    if (has_multiply())
        *next++ = (Implementation){HAVE_MULTIPLY, update_multiply};
#endif
#ifdef HAVE_CRC
    if (has_crc())
        *next++ = (Implementation){HAVE_CRC, update_words};
#endif
    *next = (Implementation){"table", update_table};
}

#include "choose.h"

uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length)
{
    ENSURE_CHOSEN();
    return ~available[0].update(~crc, data, length);
}

const char *kafkacodec_crc32c_name(void)
{
    ENSURE_CHOSEN();
    return available[0].name;
}

const char *kafkacodec_crc32c_available(int which)
{
    ENSURE_CHOSEN();
    return which >= 0 && which < 3 ? available[which].name : NULL;
}

uint32_t kafkacodec_crc32c_with(int which, uint32_t crc, const uint8_t *data, size_t length)
{
    ENSURE_CHOSEN();
    return ~available[which].update(~crc, data, length);
}
