/* Quantized dense layers: sums of products of 16-bit activations and weights.
 *
 * Integer arithmetic gives the same result on every processor. Weights are scaled so that sums stay within 32 bits; see
 * `bg_net_fit`.
 */
#ifndef BGFAST_DENSE_H
#define BGFAST_DENSE_H

#include "lanes.h"

#define BG_DENSE_UNITS 32 /* units whose sums are computed at a time */

#if defined(BG_INT16S_AVX512)
/* Returns the mask of the pairs that are not both 0, of up to 128 activations. */
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
        const __m256i none = _mm256_cmpeq_epi32(
            _mm256_loadu_si256((const __m256i *)(activations + i)), _mm256_setzero_si256());
        active |= (uint64_t)(~_mm256_movemask_ps(_mm256_castsi256_ps(none)) & 0xff) << (i / 2);
    }
    return active;
}
#endif

/* Sums of the first BG_DENSE_UNITS of `units` units; `inputs` is a multiple of 32. `weights` is stored in blocks of 2 inputs
 * x `units`; a unit's 2 weights are adjacent. Four in five activations are 0: pairs of zeros are skipped where that
 * pays. */
#if defined(BG_INT16S_AVX512)
BG_INLINE void bg_dense_sums(const int16_t *activations, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
    int i, n;
    for (i = 0; i < inputs; i += 128) {
        uint64_t active = bg_active_pairs(activations + i, inputs - i < 128 ? inputs - i : 128);
        /* Two chains of sums, since each instruction depends on the previous one. */
        for (n = bg_popcount((uint32_t)active) + bg_popcount((uint32_t)(active >> 32)); n > 0; n -= 2) {
            const int k = i + 2 * bg_lowest_of_64(active);
            int32_t first;
            const int16_t *row = weights + (int64_t)k * units;
            memcpy(&first, activations + k, 4);
            active &= active - 1;
            a = _mm512_dpwssd_epi32(a, _mm512_set1_epi32(first), _mm512_loadu_si512(row));
            b = _mm512_dpwssd_epi32(b, _mm512_set1_epi32(first), _mm512_loadu_si512(row + 32));
            if (n > 1) {
                const int l = i + 2 * bg_lowest_of_64(active);
                int32_t second;
                row = weights + (int64_t)l * units;
                memcpy(&second, activations + l, 4);
                active &= active - 1;
                c = _mm512_dpwssd_epi32(c, _mm512_set1_epi32(second), _mm512_loadu_si512(row));
                d = _mm512_dpwssd_epi32(d, _mm512_set1_epi32(second), _mm512_loadu_si512(row + 32));
            }
        }
    }
    _mm512_storeu_si512(sums, _mm512_add_epi32(a, c));
    _mm512_storeu_si512(sums + 16, _mm512_add_epi32(b, d));
}
#elif defined(BG_ROW_AVX2)
BG_INLINE void bg_dense_sums(const int16_t *activations, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    __m256i s[BG_DENSE_UNITS / 8];
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        s[r] = _mm256_setzero_si256();
    for (i = 0; i < inputs; i += 128) {
        uint64_t active = bg_active_pairs(activations + i, inputs - i < 128 ? inputs - i : 128);
        for (; active; active &= active - 1) {
            const int k = i + 2 * bg_lowest_of_64(active);
            const int16_t *row = weights + (int64_t)k * units;
            int32_t pair;
            memcpy(&pair, activations + k, 4);
            for (r = 0; r < BG_DENSE_UNITS / 8; r++)
                s[r] = _mm256_add_epi32(
                    s[r],
                    _mm256_madd_epi16(_mm256_set1_epi32(pair), _mm256_loadu_si256((const __m256i *)(row + 16 * r))));
        }
    }
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        _mm256_storeu_si256((__m256i *)(sums + 8 * r), s[r]);
}
#elif defined(BG_ROW_NEON)
BG_INLINE void bg_dense_sums(const int16_t *activations, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    int32x4_t s[BG_DENSE_UNITS / 4];
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS / 4; r++)
        s[r] = vdupq_n_s32(0);
    for (i = 0; i < inputs; i += 2, weights += 2 * units) {
        int32_t pair;
        int16x8_t a;
        memcpy(&pair, activations + i, 4);
        if (pair == 0)
            continue;
        a = vreinterpretq_s16_s32(vdupq_n_s32(pair));
        for (r = 0; r < BG_DENSE_UNITS / 4; r++) {
            const int16x8_t w = vld1q_s16(weights + 8 * r);
            s[r] = vaddq_s32(
                s[r], vpaddq_s32(vmull_s16(vget_low_s16(a), vget_low_s16(w)), vmull_high_s16(a, w)));
        }
    }
    for (r = 0; r < BG_DENSE_UNITS / 4; r++)
        vst1q_s32(sums + 4 * r, s[r]);
}
#elif defined(BG_ROW_SSE2)
BG_INLINE void bg_dense_sums(const int16_t *activations, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    __m128i s[BG_DENSE_UNITS / 4];
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS / 4; r++)
        s[r] = _mm_setzero_si128();
    for (i = 0; i < inputs; i += 2, weights += 2 * units) {
        int32_t pair;
        memcpy(&pair, activations + i, 4);
        if (pair == 0)
            continue;
        for (r = 0; r < BG_DENSE_UNITS / 4; r++)
            s[r] = _mm_add_epi32(
                s[r], _mm_madd_epi16(_mm_set1_epi32(pair), _mm_loadu_si128((const __m128i *)(weights + 8 * r))));
    }
    for (r = 0; r < BG_DENSE_UNITS / 4; r++)
        _mm_storeu_si128((__m128i *)(sums + 4 * r), s[r]);
}
#else
BG_INLINE void bg_dense_sums(const int16_t *activations, int inputs, const int16_t *weights, int units, int32_t *sums)
{
    int i, j;
    for (j = 0; j < BG_DENSE_UNITS; j++)
        sums[j] = 0;
    for (i = 0; i < inputs; i += 2, weights += 2 * units)
        for (j = 0; j < BG_DENSE_UNITS; j++)
            sums[j] += (int32_t)activations[i] * weights[2 * j] + (int32_t)activations[i + 1] * weights[2 * j + 1];
}
#endif

#endif
