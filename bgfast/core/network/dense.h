/* Quantized dense layers: sums of products of activations, 0 to 127, and 8-bit weights.
 *
 * Integer arithmetic gives the same result on every processor. Two products of 127 * 127 fit in a signed 16-bit number, the
 * sum over all inputs in 32 bits.
 */
#ifndef BGFAST_DENSE_H
#define BGFAST_DENSE_H

#include "lanes.h"

#define BG_DENSE_UNITS 32 /* units whose sums are computed at a time */

#if defined(BG_ROW_AVX2)
/* Returns the mask of the groups of 4 that are not all 0, of up to 256 activations. */
BG_INLINE uint64_t bg_active_fours(const uint8_t *activations, int inputs)
{
    uint64_t active = 0;
    int i;
    for (i = 0; i < inputs; i += 32) {
        const __m256i none = _mm256_cmpeq_epi32(
            _mm256_loadu_si256((const __m256i *)(activations + i)), _mm256_setzero_si256());
        active |= (uint64_t)(~_mm256_movemask_ps(_mm256_castsi256_ps(none)) & 0xff) << (i / 4);
    }
    return active;
}
#endif

/* Sums of the first BG_DENSE_UNITS of `units` units; `inputs` is a multiple of 32. `weights` is stored in blocks of 4 inputs
 * x `units`; a unit's 4 weights are adjacent. Four in five activations are 0: groups of 4 zeros are skipped where that
 * pays. */
#if defined(BG_INT16S_AVX512)
BG_INLINE void bg_dense_sums(const uint8_t *activations, int inputs, const int8_t *weights, int units, int32_t *sums)
{
    __m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
    int i, n;
    for (i = 0; i < inputs; i += 256) {
        uint64_t active = bg_active_fours(activations + i, inputs - i < 256 ? inputs - i : 256);
        /* Two chains of sums, since each instruction depends on the previous one. */
        for (n = bg_popcount((uint32_t)active) + bg_popcount((uint32_t)(active >> 32)); n > 0; n -= 2) {
            const int k = i + 4 * bg_lowest_of_64(active);
            int32_t first;
            const int8_t *row = weights + (int64_t)k * units;
            memcpy(&first, activations + k, 4);
            active &= active - 1;
            a = _mm512_dpbusd_epi32(a, _mm512_set1_epi32(first), _mm512_loadu_si512(row));
            b = _mm512_dpbusd_epi32(b, _mm512_set1_epi32(first), _mm512_loadu_si512(row + 64));
            if (n > 1) {
                const int l = i + 4 * bg_lowest_of_64(active);
                int32_t second;
                row = weights + (int64_t)l * units;
                memcpy(&second, activations + l, 4);
                active &= active - 1;
                c = _mm512_dpbusd_epi32(c, _mm512_set1_epi32(second), _mm512_loadu_si512(row));
                d = _mm512_dpbusd_epi32(d, _mm512_set1_epi32(second), _mm512_loadu_si512(row + 64));
            }
        }
    }
    _mm512_storeu_si512(sums, _mm512_add_epi32(a, c));
    _mm512_storeu_si512(sums + 16, _mm512_add_epi32(b, d));
}
#elif defined(BG_ROW_AVX2)
BG_INLINE void bg_dense_sums(const uint8_t *activations, int inputs, const int8_t *weights, int units, int32_t *sums)
{
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i s[BG_DENSE_UNITS / 8];
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        s[r] = _mm256_setzero_si256();
    for (i = 0; i < inputs; i += 256) {
        uint64_t active = bg_active_fours(activations + i, inputs - i < 256 ? inputs - i : 256);
        for (; active; active &= active - 1) {
            const int k = i + 4 * bg_lowest_of_64(active);
            const int8_t *row = weights + (int64_t)k * units;
            int32_t four;
            __m256i a;
            memcpy(&four, activations + k, 4);
            a = _mm256_set1_epi32(four);
            for (r = 0; r < BG_DENSE_UNITS / 8; r++)
                s[r] = _mm256_add_epi32(
                    s[r],
                    _mm256_madd_epi16(
                        _mm256_maddubs_epi16(a, _mm256_loadu_si256((const __m256i *)(row + 32 * r))), ones));
        }
    }
    for (r = 0; r < BG_DENSE_UNITS / 8; r++)
        _mm256_storeu_si256((__m256i *)(sums + 8 * r), s[r]);
}
#elif defined(BG_ROW_NEON)
BG_INLINE void bg_dense_sums(const uint8_t *activations, int inputs, const int8_t *weights, int units, int32_t *sums)
{
    int32x4_t s[BG_DENSE_UNITS / 4];
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS / 4; r++)
        s[r] = vdupq_n_s32(0);
    for (i = 0; i < inputs; i += 4, weights += 4 * units) {
        int32_t four;
        int8x16_t a;
        memcpy(&four, activations + i, 4);
        a = vreinterpretq_s8_s32(vdupq_n_s32(four));
        for (r = 0; r < BG_DENSE_UNITS / 4; r++) {
            const int8x16_t w = vld1q_s8(weights + 16 * r);
#if defined(__ARM_FEATURE_DOTPROD)
            s[r] = vdotq_s32(s[r], a, w);
#else
            const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(w)), high = vmull_high_s8(a, w);
            s[r] = vaddq_s32(s[r], vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
#endif
        }
    }
    for (r = 0; r < BG_DENSE_UNITS / 4; r++)
        vst1q_s32(sums + 4 * r, s[r]);
}
#elif defined(BG_ROW_SSE2)
BG_INLINE void bg_dense_sums(const uint8_t *activations, int inputs, const int8_t *weights, int units, int32_t *sums)
{
    const __m128i zero = _mm_setzero_si128();
    int i, r;
    for (r = 0; r < BG_DENSE_UNITS; r++)
        sums[r] = 0;
    for (i = 0; i < inputs; i += 4, weights += 4 * units) {
        int32_t four;
        __m128i a;
        memcpy(&four, activations + i, 4);
        if (four == 0) /* common, and the multiplication is slow */
            continue;
        a = _mm_unpacklo_epi8(_mm_set1_epi32(four), zero);
        for (r = 0; r < BG_DENSE_UNITS; r += 4) {
            const __m128i w = _mm_loadu_si128((const __m128i *)(weights + 4 * r)), sign = _mm_cmpgt_epi8(zero, w);
            const __m128i low = _mm_madd_epi16(a, _mm_unpacklo_epi8(w, sign)); /* sums of two products for each unit */
            const __m128i high = _mm_madd_epi16(a, _mm_unpackhi_epi8(w, sign));
            const __m128i even = _mm_castps_si128(
                _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), _MM_SHUFFLE(2, 0, 2, 0)));
            const __m128i odd = _mm_castps_si128(
                _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), _MM_SHUFFLE(3, 1, 3, 1)));
            __m128i *sum = (__m128i *)(sums + r);
            _mm_storeu_si128(sum, _mm_add_epi32(_mm_loadu_si128(sum), _mm_add_epi32(even, odd)));
        }
    }
}
#else
BG_INLINE void bg_dense_sums(const uint8_t *activations, int inputs, const int8_t *weights, int units, int32_t *sums)
{
    int i, j, k;
    for (j = 0; j < BG_DENSE_UNITS; j++)
        sums[j] = 0;
    for (i = 0; i < inputs; i += 4, weights += 4 * units)
        for (j = 0; j < BG_DENSE_UNITS; j++)
            for (k = 0; k < 4; k++)
                sums[j] += (int32_t)activations[i + k] * weights[4 * j + k];
}
#endif

#endif
