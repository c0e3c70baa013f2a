/* Quantized dense layers: sums of products of 16-bit activations and weights.
 *
 * Integer arithmetic gives the same result on every processor. Weights are scaled so that sums stay within 32 bits; see
 * `bg_net_fit`.
 */
#ifndef BGFAST_DENSE_H
#define BGFAST_DENSE_H

#include "lanes.h"

#define BG_DENSE_UNITS 32 /* units whose sums are computed together */
#define BG_BOARDS 2 /* boards whose outputs are computed together */

#if defined(BG_INT16S_AVX512)
/* Returns a mask of the nonzero pairs among up to 128 activations. */
BG_INLINE uint64_t bg_active_pairs(const int16_t *activations, int inputs)
{
    uint64_t active = 0;
    int i;
    for (i = 0; i < inputs; i += 32) {
        const __m512i a = _mm512_loadu_si512(activations + i);
        active |= (uint64_t)_mm512_test_epi32_mask(a, a) << (i / 2);
    }
    return active;
}
#elif defined(BG_ROW_AVX2)
BG_INLINE uint64_t bg_active_pairs(const int16_t *activations, int inputs)
{
    uint64_t active = 0;
    int i;
    for (i = 0; i < inputs; i += 16) {
        const __m256i zeros = _mm256_cmpeq_epi32(
            _mm256_loadu_si256((const __m256i *)(activations + i)), _mm256_setzero_si256());
        active |= (uint64_t)(~_mm256_movemask_ps(_mm256_castsi256_ps(zeros)) & 0xff) << (i / 2);
    }
    return active;
}
#endif

#if defined(BG_INT16S_AVX512)
BG_INLINE __m512i bg_pair(const int16_t *pair)
{
    int32_t bits;
    memcpy(&bits, pair, 4);
    return _mm512_set1_epi32(bits);
}

/* Computes the sums of the first BG_DENSE_UNITS of `units` units for a board; `inputs` is a multiple of 32. `weights`
 * is stored in blocks of 2 inputs x `units`; a unit's 2 weights are adjacent. Unless `squares` is NULL, each block is
 * followed by the block for the squares. Four in five activations are 0; pairs of zeros, whose squares are 0, are
 * skipped. */
BG_INLINE void bg_dense_sums(
    const int16_t *activations, const int16_t *squares, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    const int64_t block = squares == NULL ? 2 * units : 4 * units;
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
    int i, n;
    /* Two chains of sums hide the latency of instructions that each depend on the previous one. */
    for (i = 0; i < inputs; i += 128) {
        uint64_t active = bg_active_pairs(activations + i, inputs - i < 128 ? inputs - i : 128);
        n = bg_popcount((uint32_t)active) + bg_popcount((uint32_t)(active >> 32));
        for (; squares != NULL && n > 0; n--) {
            const int k = i / 2 + bg_lowest_of_64(active);
            const int16_t *row = weights + k * block;
            const __m512i first = bg_pair(activations + 2 * k), second = bg_pair(squares + 2 * k);
            active &= active - 1;
            a = _mm512_dpwssd_epi32(a, first, _mm512_loadu_si512(row));
            b = _mm512_dpwssd_epi32(b, first, _mm512_loadu_si512(row + 32));
            c = _mm512_dpwssd_epi32(c, second, _mm512_loadu_si512(row + 2 * units));
            d = _mm512_dpwssd_epi32(d, second, _mm512_loadu_si512(row + 2 * units + 32));
        }
        for (; n > 0; n -= 2) {
            const int k = i / 2 + bg_lowest_of_64(active);
            const int16_t *row = weights + k * block;
            const __m512i first = bg_pair(activations + 2 * k);
            active &= active - 1;
            a = _mm512_dpwssd_epi32(a, first, _mm512_loadu_si512(row));
            b = _mm512_dpwssd_epi32(b, first, _mm512_loadu_si512(row + 32));
            if (n > 1) {
                const int l = i / 2 + bg_lowest_of_64(active);
                const __m512i second = bg_pair(activations + 2 * l);
                row = weights + l * block;
                active &= active - 1;
                c = _mm512_dpwssd_epi32(c, second, _mm512_loadu_si512(row));
                d = _mm512_dpwssd_epi32(d, second, _mm512_loadu_si512(row + 32));
            }
        }
    }
    _mm512_storeu_si512(sums, _mm512_add_epi32(a, c));
    _mm512_storeu_si512(sums + 16, _mm512_add_epi32(b, d));
}

/* Computes `bg_dense_sums` with squares for BG_BOARDS boards, 2 * `inputs` apart, activations before squares;
 * their sums are `stride` apart. Weights of pairs active on any board are read once: reading 64 KB of weights
 * from the L2 cache takes longer than adding their products. */
BG_INLINE void bg_dense_sums_of_boards(
    const int16_t *activations, int inputs, const int16_t *weights, int units, int32_t *sums, int stride)
{
    __m512i a[BG_BOARDS], b[BG_BOARDS];
    int i, n;
    for (n = 0; n < BG_BOARDS; n++)
        a[n] = b[n] = _mm512_setzero_si512();
    for (i = 0; i < inputs; i += 128) {
        const int width = inputs - i < 128 ? inputs - i : 128;
        uint64_t active = 0;
        for (n = 0; n < BG_BOARDS; n++)
            active |= bg_active_pairs(activations + 2 * n * inputs + i, width);
        for (; active; active &= active - 1) {
            const int k = i / 2 + bg_lowest_of_64(active);
            const int16_t *row = weights + k * (int64_t)(4 * units), *pair = activations + 2 * k;
            const __m512i first = _mm512_loadu_si512(row), second = _mm512_loadu_si512(row + 32);
            const __m512i third = _mm512_loadu_si512(row + 2 * units), fourth = _mm512_loadu_si512(row + 2 * units + 32);
            for (n = 0; n < BG_BOARDS; n++, pair += 2 * inputs) {
                const __m512i values = bg_pair(pair), squares = bg_pair(pair + inputs);
                a[n] = _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(a[n], values, first), squares, third);
                b[n] = _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(b[n], values, second), squares, fourth);
            }
        }
    }
    for (n = 0; n < BG_BOARDS; n++) {
        _mm512_storeu_si512(sums + n * stride, a[n]);
        _mm512_storeu_si512(sums + n * stride + 16, b[n]);
    }
}
#elif defined(BG_ROW_AVX2)
BG_INLINE void bg_dense_add_pair(const int16_t *pair, const int16_t *row, __m256i *s)
{
    int32_t bits;
    int r;
    memcpy(&bits, pair, 4);
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        s[r] = _mm256_add_epi32(
            s[r], _mm256_madd_epi16(_mm256_set1_epi32(bits), _mm256_loadu_si256((const __m256i *)(row + 16 * r))));
}

BG_INLINE void bg_dense_sums(
    const int16_t *activations, const int16_t *squares, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    const int64_t block = squares == NULL ? 2 * units : 4 * units;
    __m256i s[BG_DENSE_UNITS / 8];
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        s[r] = _mm256_setzero_si256();
    for (i = 0; i < inputs; i += 128) {
        uint64_t active = bg_active_pairs(activations + i, inputs - i < 128 ? inputs - i : 128);
        for (; active; active &= active - 1) {
            const int k = i / 2 + bg_lowest_of_64(active);
            bg_dense_add_pair(activations + 2 * k, weights + k * block, s);
            if (squares != NULL)
                bg_dense_add_pair(squares + 2 * k, weights + k * block + 2 * units, s);
        }
    }
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        _mm256_storeu_si256((__m256i *)(sums + 8 * r), s[r]);
}
#else
#if defined(BG_ROW_NEON)
typedef int32x4_t BgSums;
#define BG_SUMS 4
BG_INLINE void bg_dense_add_pair(const int16_t *pair, const int16_t *row, BgSums *s)
{
    int32_t bits;
    int16x8_t a;
    int r;
    memcpy(&bits, pair, 4);
    a = vreinterpretq_s16_s32(vdupq_n_s32(bits));
    for (r = 0; r < BG_DENSE_UNITS / BG_SUMS; r++) {
        const int16x8_t w = vld1q_s16(row + 8 * r);
        s[r] = vaddq_s32(s[r], vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(w)), vmull_high_s16(a, w)));
    }
}
#elif defined(BG_ROW_SSE2)
typedef __m128i BgSums;
#define BG_SUMS 4
BG_INLINE void bg_dense_add_pair(const int16_t *pair, const int16_t *row, BgSums *s)
{
    int32_t bits;
    int r;
    memcpy(&bits, pair, 4);
    for (r = 0; r < BG_DENSE_UNITS / BG_SUMS; r++)
        s[r] = _mm_add_epi32(
            s[r], _mm_madd_epi16(_mm_set1_epi32(bits), _mm_loadu_si128((const __m128i *)(row + 8 * r))));
}
#else
typedef int32_t BgSums;
#define BG_SUMS 1
BG_INLINE void bg_dense_add_pair(const int16_t *pair, const int16_t *row, BgSums *s)
{
    int r;
    for (r = 0; r < BG_DENSE_UNITS; r++)
        s[r] += (int32_t)pair[0] * row[2 * r] + (int32_t)pair[1] * row[2 * r + 1];
}
#endif

BG_INLINE void bg_dense_sums(
    const int16_t *activations, const int16_t *squares, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    BgSums s[BG_DENSE_UNITS / BG_SUMS];
    int i;
    memset(s, 0, sizeof s);
    for (i = 0; i < inputs; i += 2, weights += 2 * units) {
        const int is_active = activations[i] || activations[i + 1];
        if (is_active)
            bg_dense_add_pair(activations + i, weights, s);
        if (squares == NULL)
            continue;
        weights += 2 * units;
        if (is_active)
            bg_dense_add_pair(squares + i, weights, s);
    }
    memcpy(sums, s, sizeof s);
}
#endif

#endif
