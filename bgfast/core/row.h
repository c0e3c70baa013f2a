/* A board as a vector of 32 bytes (26 used), and bit operations of the generator.
 *
 * The vectors are AVX2 if the compiler may use it, otherwise the baseline of the platform: SSE2 on x86-64, NEON on
 * arm64, 64-bit words elsewhere or with BGFAST_SCALAR defined, as in tests.
 *
 * Boards are read as 26 bytes, but stores are 32 bytes wide. Consecutive rows of 26 bytes therefore need 6 bytes of
 * room after the last one; each row overwrites the excess of the previous one.
 */
#ifndef BGFAST_ROW_H
#define BGFAST_ROW_H

#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define BG_INLINE static __forceinline
#else
#define BG_INLINE static inline __attribute__((always_inline))
#endif

#if defined(__AVX2__) && !defined(BGFAST_SCALAR)
#define BG_ROW_AVX2
#define BG_ROW_NAME "avx2"
#include <immintrin.h>
#elif (defined(__SSE2__) || defined(_M_X64)) && !defined(BGFAST_SCALAR)
#define BG_ROW_SSE2
#define BG_ROW_NAME "sse2"
#include <emmintrin.h>
#elif (defined(__aarch64__) || defined(_M_ARM64)) && !defined(BGFAST_SCALAR)
#define BG_ROW_NEON
#define BG_ROW_NAME "neon"
#include <arm_neon.h>
#else
#define BG_ROW_NAME "scalar"
#endif

/* ---- bits ------------------------------------------------------------------------------------- */

/* Index of the lowest and of the highest set bit; x must not be 0. `bg_reverse` reverses eight bytes. */
#if defined(_MSC_VER) && !defined(__clang__)
BG_INLINE int bg_lowest(uint32_t x)
{
    unsigned long i;
    _BitScanForward(&i, x);
    return (int)i;
}
BG_INLINE int bg_lowest_of_64(uint64_t x)
{
    unsigned long i;
    _BitScanForward64(&i, x);
    return (int)i;
}
BG_INLINE int bg_highest(uint32_t x)
{
    unsigned long i;
    _BitScanReverse(&i, x);
    return (int)i;
}
BG_INLINE uint64_t bg_reverse(uint64_t x) { return _byteswap_uint64(x); }
#else
BG_INLINE int bg_lowest(uint32_t x) { return __builtin_ctz(x); }
BG_INLINE int bg_lowest_of_64(uint64_t x) { return __builtin_ctzll(x); }
BG_INLINE int bg_highest(uint32_t x) { return 31 - __builtin_clz(x); }
BG_INLINE uint64_t bg_reverse(uint64_t x) { return __builtin_bswap64(x); }
#endif

/* Without the POPCNT instruction, the builtin calls a table lookup, which is slower and not inlined. */
BG_INLINE int bg_popcount(uint32_t x)
{
#if defined(__POPCNT__) || (defined(__aarch64__) && defined(__GNUC__))
    return __builtin_popcount(x);
#else
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (int)((x * 0x01010101u) >> 24);
#endif
}

/* ---- rows ------------------------------------------------------------------------------------- */

#if defined(BG_ROW_AVX2)

typedef __m256i bg_row;

BG_INLINE void bg_store(void *to, bg_row r) { _mm256_storeu_si256((__m256i *)to, r); }
BG_INLINE bg_row bg_add(bg_row a, bg_row b) { return _mm256_add_epi8(a, b); }
BG_INLINE bg_row bg_negate(bg_row a) { return _mm256_sub_epi8(_mm256_setzero_si256(), a); }
BG_INLINE bg_row bg_from_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return _mm256_set_epi64x((long long)d, (long long)c, (long long)b, (long long)a);
}
/* Mask of the bytes greater than `limit`. */
BG_INLINE uint32_t bg_greater(bg_row a, int limit)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(a, _mm256_set1_epi8((char)limit)));
}

#elif defined(BG_ROW_SSE2) || defined(BG_ROW_NEON)

#if defined(BG_ROW_SSE2)
typedef __m128i bg_half;
BG_INLINE void bg_store_half(void *to, bg_half a) { _mm_storeu_si128((__m128i *)to, a); }
BG_INLINE bg_half bg_add_half(bg_half a, bg_half b) { return _mm_add_epi8(a, b); }
BG_INLINE bg_half bg_negate_half(bg_half a) { return _mm_sub_epi8(_mm_setzero_si128(), a); }
BG_INLINE bg_half bg_half_of(uint64_t a, uint64_t b) { return _mm_set_epi64x((long long)b, (long long)a); }
BG_INLINE uint32_t bg_greater_half(bg_half a, int limit)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(a, _mm_set1_epi8((char)limit)));
}
#else
typedef int8x16_t bg_half;
BG_INLINE void bg_store_half(void *to, bg_half a) { vst1q_s8((int8_t *)to, a); }
BG_INLINE bg_half bg_add_half(bg_half a, bg_half b) { return vaddq_s8(a, b); }
BG_INLINE bg_half bg_negate_half(bg_half a) { return vnegq_s8(a); }
BG_INLINE bg_half bg_half_of(uint64_t a, uint64_t b) { return vcombine_s8(vcreate_s8(a), vcreate_s8(b)); }
/* NEON has no movemask: mask each byte with its bit and add up each half. */
BG_INLINE uint32_t bg_greater_half(bg_half a, int limit)
{
    static const uint8_t weight[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(vcgtq_s8(a, vdupq_n_s8((int8_t)limit)), vld1q_u8(weight));
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
#endif

typedef struct { bg_half lo, hi; } bg_row;

BG_INLINE bg_row bg_row_of(bg_half lo, bg_half hi)
{
    bg_row r;
    r.lo = lo;
    r.hi = hi;
    return r;
}
BG_INLINE void bg_store(void *to, bg_row r)
{
    bg_store_half(to, r.lo);
    bg_store_half((char *)to + 16, r.hi);
}
BG_INLINE bg_row bg_add(bg_row a, bg_row b) { return bg_row_of(bg_add_half(a.lo, b.lo), bg_add_half(a.hi, b.hi)); }
BG_INLINE bg_row bg_negate(bg_row a) { return bg_row_of(bg_negate_half(a.lo), bg_negate_half(a.hi)); }
BG_INLINE bg_row bg_from_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return bg_row_of(bg_half_of(a, b), bg_half_of(c, d));
}
BG_INLINE uint32_t bg_greater(bg_row a, int limit)
{
    return bg_greater_half(a.lo, limit) | bg_greater_half(a.hi, limit) << 16;
}

#else

typedef struct { uint64_t w[4]; } bg_row;

BG_INLINE void bg_store(void *to, bg_row r) { memcpy(to, r.w, 32); }
/* Eight byte additions in a word: add without the top bits, then add the top bits without carry. */
BG_INLINE bg_row bg_add(bg_row a, bg_row b)
{
    const uint64_t top = UINT64_C(0x8080808080808080);
    int i;
    for (i = 0; i < 4; i++)
        a.w[i] = ((a.w[i] & ~top) + (b.w[i] & ~top)) ^ ((a.w[i] ^ b.w[i]) & top);
    return a;
}
BG_INLINE bg_row bg_negate(bg_row a)
{
    bg_row ones;
    int i;
    for (i = 0; i < 4; i++) {
        a.w[i] = ~a.w[i];
        ones.w[i] = UINT64_C(0x0101010101010101);
    }
    return bg_add(a, ones);
}
BG_INLINE bg_row bg_from_words(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const bg_row r = {{a, b, c, d}};
    return r;
}
BG_INLINE uint32_t bg_greater(bg_row a, int limit)
{
    int8_t bytes[32];
    uint32_t bits = 0;
    int i;
    memcpy(bytes, a.w, 32);
    for (i = 0; i < 32; i++)
        bits |= (uint32_t)(bytes[i] > limit) << i;
    return bits;
}

#endif

/* Sum of the positive bytes. */
BG_INLINE int bg_sum_positive(bg_row a)
{
#if defined(BG_ROW_AVX2)
    const __m256i zero = _mm256_setzero_si256();
    const __m256i sums = _mm256_sad_epu8(_mm256_and_si256(a, _mm256_cmpgt_epi8(a, zero)), zero);
    const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return _mm_cvtsi128_si32(half) + _mm_extract_epi16(half, 4);
#elif defined(BG_ROW_SSE2)
    const __m128i zero = _mm_setzero_si128();
    const __m128i lo = _mm_sad_epu8(_mm_and_si128(a.lo, _mm_cmpgt_epi8(a.lo, zero)), zero);
    const __m128i hi = _mm_sad_epu8(_mm_and_si128(a.hi, _mm_cmpgt_epi8(a.hi, zero)), zero);
    const __m128i half = _mm_add_epi64(lo, hi);
    return _mm_cvtsi128_si32(half) + _mm_extract_epi16(half, 4);
#elif defined(BG_ROW_NEON)
    const int8x16_t zero = vdupq_n_s8(0);
    return vaddlvq_s8(vmaxq_s8(a.lo, zero)) + vaddlvq_s8(vmaxq_s8(a.hi, zero));
#else
    int8_t bytes[32];
    int i, total = 0;
    memcpy(bytes, a.w, 32);
    for (i = 0; i < 32; i++)
        total += bytes[i] > 0 ? bytes[i] : 0;
    return total;
#endif
}

/* Sum of the absolute values; no byte is -128. */
BG_INLINE int bg_sum_absolute(bg_row a)
{
#if defined(BG_ROW_AVX2)
    const __m256i sums = _mm256_sad_epu8(_mm256_abs_epi8(a), _mm256_setzero_si256());
    const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return _mm_cvtsi128_si32(half) + _mm_extract_epi16(half, 4);
#elif defined(BG_ROW_SSE2)
    /* The smaller of a number and its negative, as unsigned bytes, is the absolute value. */
    const bg_row negated = bg_negate(a);
    const __m128i zero = _mm_setzero_si128();
    const __m128i lo = _mm_sad_epu8(_mm_min_epu8(a.lo, negated.lo), zero);
    const __m128i hi = _mm_sad_epu8(_mm_min_epu8(a.hi, negated.hi), zero);
    const __m128i half = _mm_add_epi64(lo, hi);
    return _mm_cvtsi128_si32(half) + _mm_extract_epi16(half, 4);
#else
    return bg_sum_positive(a) + bg_sum_positive(bg_negate(a));
#endif
}

/* Sums over the checkers of a side on the board. A checker on point p needs at least ceil(p / 6) dice to bear off. */
typedef struct {
    unsigned checkers, pips, dice;
} BgSideSums;

/* The sums of the player on roll and of the opponent, each from its own side. */
BG_INLINE void bg_sums_of_sides(bg_row board, BgSideSums *mover, BgSideSums *opponent)
{
#if defined(BG_ROW_AVX2)
    /* A row of weights counts pips, or 16 times the dice plus the checkers, which are at most 15. */
    static const int8_t weights[4][32] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 0, 0, 0, 0, 0, 0},
        {0, 17, 17, 17, 17, 17, 17, 33, 33, 33, 33, 33, 33, 49, 49, 49, 49, 49, 49, 65, 65, 65, 65, 65, 65, 81, 0, 0, 0, 0, 0, 0},
        {25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0},
        {81, 65, 65, 65, 65, 65, 65, 49, 49, 49, 49, 49, 49, 33, 33, 33, 33, 33, 33, 17, 17, 17, 17, 17, 17, 0, 0, 0, 0, 0, 0, 0}};
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
    const __m256i counts[2] = {_mm256_max_epi8(board, zero), _mm256_max_epi8(bg_negate(board), zero)};
    __m256i sums[4];
    __m128i total;
    int i;
    for (i = 0; i < 4; i++)
        sums[i] = _mm256_madd_epi16(
            _mm256_maddubs_epi16(counts[i / 2], _mm256_loadu_si256((const __m256i *)weights[i])), ones);
    sums[0] = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    total = _mm_add_epi32(_mm256_castsi256_si128(sums[0]), _mm256_extracti128_si256(sums[0], 1));
    mover->pips = (unsigned)_mm_cvtsi128_si32(total);
    mover->checkers = _mm_extract_epi32(total, 1) & 15;
    mover->dice = _mm_extract_epi32(total, 1) >> 4;
    opponent->pips = _mm_extract_epi32(total, 2);
    opponent->checkers = _mm_extract_epi32(total, 3) & 15;
    opponent->dice = _mm_extract_epi32(total, 3) >> 4;
#else
    int8_t cells[32];
    int i;
    bg_store(cells, board);
    mover->checkers = mover->pips = mover->dice = opponent->checkers = opponent->pips = opponent->dice = 0;
    for (i = 0; i < 26; i++) {
        BgSideSums *side = cells[i] > 0 ? mover : opponent;
        const unsigned count = cells[i] > 0 ? cells[i] : -cells[i], point = cells[i] > 0 ? i : 25 - i;
        side->checkers += count;
        side->pips += count * point;
        side->dice += count * ((point + 5) / 6);
    }
#endif
}

/* ---- boards of 26 numbers, possibly at the end of an array ----------------------------------- */

BG_INLINE uint64_t bg_word(const int8_t *from)
{
    uint64_t w;
    memcpy(&w, from, 8);
    return w;
}

/* Two numbers padded with zeros to a word: the end of a row. */
BG_INLINE uint64_t bg_last_word(int8_t first, int8_t second)
{
    const int8_t bytes[8] = {first, second, 0, 0, 0, 0, 0, 0};
    return bg_word(bytes);
}

BG_INLINE bg_row bg_load_board(const int8_t *board)
{
#if defined(BG_ROW_AVX2) || defined(BG_ROW_SSE2)
    const __m128i lo = _mm_loadu_si128((const __m128i *)board);
    const __m128i hi = _mm_srli_si128(_mm_loadu_si128((const __m128i *)(board + 10)), 6);
#if defined(BG_ROW_AVX2)
    return _mm256_set_m128i(hi, lo);
#else
    return bg_row_of(lo, hi);
#endif
#else
    return bg_from_words(bg_word(board), bg_word(board + 8), bg_word(board + 16),
                         bg_last_word(board[24], board[25]));
#endif
}

/* The board from the other side: out[i] = -in[25 - i]. */
BG_INLINE bg_row bg_load_flipped(const int8_t *board)
{
    return bg_negate(bg_from_words(bg_reverse(bg_word(board + 18)), bg_reverse(bg_word(board + 10)),
                                    bg_reverse(bg_word(board + 2)), bg_last_word(board[1], board[0])));
}

/* A store outside the cache waits for its cache line. Prefetching the lines of the next roll while this one is generated
 * saves a seventh of the time, and costs a fiftieth if the lines are in the cache already. Any address is allowed. */
BG_INLINE void bg_prefetch_rows(const void *rows)
{
#if !(defined(_MSC_VER) && !defined(__clang__))
    int line;
    for (line = 8; line < 20; line++)
        __builtin_prefetch((const char *)rows + 64 * line, 1, 3);
#else
    (void)rows;
#endif
}

/* ---- moves ------------------------------------------------------------------------------------ */

/* A (from, to) pair in its slot of the eight bytes of a play. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BG_MOVE(slot, from, to) ((uint64_t)((from) << 8 | (to)) << (48 - 16 * (slot)))
#else
#define BG_MOVE(slot, from, to) ((uint64_t)((to) << 8 | (from)) << (16 * (slot)))
#endif

#endif
