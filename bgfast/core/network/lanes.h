/* Vectors of 8 floats, of 8 to 32 16-bit integers, and of 32-bit sums of their products.
 *
 * Operations work lane by lane in a fixed order, so builds with wide and narrow registers give the same bits.
 */
#ifndef BGFAST_LANES_H
#define BGFAST_LANES_H

#include "row.h"

#define BG_LANES 8

/* Body of a function that sets each number `x[i]` of a struct and returns the struct. */
#define BG_LANEWISE(type, expression)                              \
    type r;                                                        \
    int i;                                                         \
    for (i = 0; i < (int)(sizeof r.x / sizeof r.x[0]); i++)        \
        r.x[i] = (expression);                                     \
    return r;

#if defined(__GNUC__) && !defined(BGFAST_SCALAR)
typedef float BgLanes __attribute__((vector_size(4 * BG_LANES)));
typedef int32_t BgLaneInts __attribute__((vector_size(4 * BG_LANES)));
static inline BgLanes bg_lanes_add(BgLanes a, BgLanes b) { return a + b; }
static inline BgLanes bg_lanes_sub(BgLanes a, BgLanes b) { return a - b; }
static inline BgLanes bg_lanes_mul(BgLanes a, BgLanes b) { return a * b; }
static inline BgLanes bg_lanes_relu(BgLanes a) { return (BgLanes)((BgLaneInts)a & (a > 0)); }
static inline float bg_lane(BgLanes a, int i) { return a[i]; }
static inline BgLanes bg_lanes_splat(float x) { return (BgLanes){x, x, x, x, x, x, x, x}; }
static inline BgLanes bg_lanes_div(BgLanes a, BgLanes b) { return a / b; }
/* NaN becomes `min`. */
static inline BgLanes bg_lanes_clamp(BgLanes a, float min, float max)
{
    const BgLanes low = bg_lanes_splat(min), high = bg_lanes_splat(max);
    const BgLaneInts ge_min = a >= low, gt_max = a > high;
    return (BgLanes)(((BgLaneInts)low & ~ge_min) | ((BgLaneInts)high & gt_max) | ((BgLaneInts)a & ge_min & ~gt_max));
}
static inline BgLanes bg_lanes_min(BgLanes a, BgLanes b)
{
    const BgLaneInts is_less = a < b;
    return (BgLanes)(((BgLaneInts)a & is_less) | ((BgLaneInts)b & ~is_less));
}
/* a * 2**exponent; the result must be a normal number. */
static inline BgLanes bg_lanes_ldexp(BgLanes a, BgLanes exponent)
{
    return (BgLanes)((BgLaneInts)a + (__builtin_convertvector(exponent, BgLaneInts) << 23));
}
#else
typedef struct {
    float x[BG_LANES];
} BgLanes;
static inline BgLanes bg_lanes_add(BgLanes a, BgLanes b) { BG_LANEWISE(BgLanes, a.x[i] + b.x[i]) }
static inline BgLanes bg_lanes_sub(BgLanes a, BgLanes b) { BG_LANEWISE(BgLanes, a.x[i] - b.x[i]) }
static inline BgLanes bg_lanes_mul(BgLanes a, BgLanes b) { BG_LANEWISE(BgLanes, a.x[i] * b.x[i]) }
static inline BgLanes bg_lanes_relu(BgLanes a) { BG_LANEWISE(BgLanes, a.x[i] > 0 ? a.x[i] : 0) }
static inline float bg_lane(BgLanes a, int i) { return a.x[i]; }
static inline BgLanes bg_lanes_splat(float x) { BG_LANEWISE(BgLanes, x) }
static inline BgLanes bg_lanes_div(BgLanes a, BgLanes b) { BG_LANEWISE(BgLanes, a.x[i] / b.x[i]) }
static inline BgLanes bg_lanes_clamp(BgLanes a, float min, float max)
{
    BG_LANEWISE(BgLanes, a.x[i] >= min ? (a.x[i] > max ? max : a.x[i]) : min)
}
static inline BgLanes bg_lanes_min(BgLanes a, BgLanes b) { BG_LANEWISE(BgLanes, a.x[i] < b.x[i] ? a.x[i] : b.x[i]) }
static inline BgLanes bg_lanes_ldexp(BgLanes a, BgLanes exponent)
{
    BgLanes r;
    int i;
    for (i = 0; i < BG_LANES; i++) {
        int32_t bits;
        memcpy(&bits, &a.x[i], sizeof bits);
        bits += (int32_t)exponent.x[i] * (1 << 23);
        memcpy(&r.x[i], &bits, sizeof bits);
    }
    return r;
}
#endif

static inline BgLanes bg_lanes_load(const float *from)
{
    BgLanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void bg_lanes_store(float *to, BgLanes a) { memcpy(to, &a, sizeof a); }

/* Floats in the widest registers; addition is the only operation. */
#if defined(__AVX512F__) && defined(BG_ROW_AVX2)
#define BG_FLOATS 16
typedef __m512 BgFloats;
BG_INLINE BgFloats bg_floats_load(const float *from) { return _mm512_loadu_ps(from); }
BG_INLINE void bg_floats_store(float *to, BgFloats a) { _mm512_storeu_ps(to, a); }
BG_INLINE BgFloats bg_floats_add(BgFloats a, BgFloats b) { return _mm512_add_ps(a, b); }
#else
#define BG_FLOATS BG_LANES
typedef BgLanes BgFloats;
BG_INLINE BgFloats bg_floats_load(const float *from) { return bg_lanes_load(from); }
BG_INLINE void bg_floats_store(float *to, BgFloats a) { bg_lanes_store(to, a); }
BG_INLINE BgFloats bg_floats_add(BgFloats a, BgFloats b) { return bg_lanes_add(a, b); }
#endif

/* Sum of the lanes in a fixed order. */
static inline float bg_lanes_sum(BgLanes a)
{
    return ((bg_lane(a, 0) + bg_lane(a, 4)) + (bg_lane(a, 2) + bg_lane(a, 6)))
        + ((bg_lane(a, 1) + bg_lane(a, 5)) + (bg_lane(a, 3) + bg_lane(a, 7)));
}

/* Sigmoid of each lane, 1 / (1 + exp(-x)), within a few units in the last place. */
static inline BgLanes bg_lanes_sigmoid(BgLanes x)
{
    /* exp(-x) = 2**exponent * exp(rest); a polynomial gives exp(rest). Adding 1.5 * 2**23 rounds to an integer. */
    const BgLanes rounder = bg_lanes_splat(12582912.0f), one = bg_lanes_splat(1.0f);
    BgLanes exponent, rest, polynomial;
    x = bg_lanes_clamp(bg_lanes_sub(bg_lanes_splat(0.0f), x), -87.0f, 87.0f);
    exponent = bg_lanes_sub(bg_lanes_add(bg_lanes_mul(x, bg_lanes_splat(1.44269504f)), rounder), rounder);
    rest = bg_lanes_sub(x, bg_lanes_mul(exponent, bg_lanes_splat(0.693359375f)));
    rest = bg_lanes_add(rest, bg_lanes_mul(exponent, bg_lanes_splat(2.12194440e-4f)));
    polynomial = bg_lanes_splat(1.9875691500e-4f);
    polynomial = bg_lanes_add(bg_lanes_mul(polynomial, rest), bg_lanes_splat(1.3981999507e-3f));
    polynomial = bg_lanes_add(bg_lanes_mul(polynomial, rest), bg_lanes_splat(8.3334519073e-3f));
    polynomial = bg_lanes_add(bg_lanes_mul(polynomial, rest), bg_lanes_splat(4.1665795894e-2f));
    polynomial = bg_lanes_add(bg_lanes_mul(polynomial, rest), bg_lanes_splat(1.6666665459e-1f));
    polynomial = bg_lanes_add(bg_lanes_mul(polynomial, rest), bg_lanes_splat(5.0000001201e-1f));
    polynomial = bg_lanes_add(bg_lanes_mul(bg_lanes_mul(polynomial, rest), rest), bg_lanes_add(rest, one));
    return bg_lanes_div(one, bg_lanes_add(one, bg_lanes_ldexp(polynomial, exponent)));
}

/* Writes the indices of the positive numbers among n floats and returns their count. n is a multiple of
 * BG_ACTIVE_STEP, and `indices` has room for n + BG_ACTIVE_STEP. Branch-free: branches would be
 * mispredicted too often. */
#define BG_ACTIVE_STEP 16

#if defined(__AVX512F__) && defined(BG_ROW_AVX2)
BG_INLINE int bg_floats_above_0(const float *from, int n, int32_t *indices)
{
    __m512i positions = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int h, count = 0;
    for (h = 0; h < n; h += BG_ACTIVE_STEP) {
        const __mmask16 above = _mm512_cmp_ps_mask(_mm512_loadu_ps(from + h), _mm512_setzero_ps(), _CMP_GT_OQ);
        _mm512_storeu_si512(indices + count, _mm512_maskz_compress_epi32(above, positions));
        count += bg_popcount(above);
        positions = _mm512_add_epi32(positions, _mm512_set1_epi32(BG_ACTIVE_STEP));
    }
    return count;
}
#else
BG_INLINE int bg_floats_above_0(const float *from, int n, int32_t *indices)
{
    int h, count = 0;
    for (h = 0; h < n; h++) {
        indices[count] = h;
        count += from[h] > 0.0f;
    }
    return count;
}
#endif

/* ---- 8 to 32 16-bit integers, and half as many 32-bit sums of products of adjacent lanes ---- */

/* `relu` also shifts right. `squares` returns a^2 / 2^15, rounded, for lanes a >= 0. `madd` adds products to the
 * sums. Loops keep BG_INT16S_REGISTERS vectors in registers: each pointer is loaded once for all of them. */

#if defined(__AVX512BW__) && defined(__AVX512VNNI__) && defined(BG_ROW_AVX2)
#define BG_INT16S_AVX512
#define BG_INT16S 32
#define BG_INT16S_REGISTERS 4
#elif defined(BG_ROW_AVX2)
#define BG_INT16S 16
#define BG_INT16S_REGISTERS 4
#else
#define BG_INT16S 8
#define BG_INT16S_REGISTERS 8
#endif

#if defined(BG_INT16S_AVX512)
typedef __m512i BgInt16s, BgInt32s;
BG_INLINE BgInt16s bg_int16s_load(const int16_t *from) { return _mm512_loadu_si512(from); }
BG_INLINE void bg_int16s_store(int16_t *to, BgInt16s a) { _mm512_storeu_si512(to, a); }
BG_INLINE BgInt16s bg_int16s_add(BgInt16s a, BgInt16s b) { return _mm512_add_epi16(a, b); }
BG_INLINE BgInt16s bg_int16s_sub(BgInt16s a, BgInt16s b) { return _mm512_sub_epi16(a, b); }
BG_INLINE BgInt16s bg_int16s_relu(BgInt16s a, int shift)
{
    return _mm512_srli_epi16(_mm512_max_epi16(a, _mm512_setzero_si512()), (unsigned)shift);
}
BG_INLINE BgInt16s bg_int16s_squares(BgInt16s a) { return _mm512_mulhrs_epi16(a, a); }
BG_INLINE BgInt32s bg_int32s_zero(void) { return _mm512_setzero_si512(); }
BG_INLINE BgInt32s bg_int32s_madd(BgInt32s a, BgInt16s b, BgInt16s c) { return _mm512_dpwssd_epi32(a, b, c); }
BG_INLINE int32_t bg_int32s_sum(BgInt32s a) { return _mm512_reduce_add_epi32(a); }
#elif defined(BG_ROW_AVX2)
typedef __m256i BgInt16s, BgInt32s;
BG_INLINE BgInt16s bg_int16s_load(const int16_t *from) { return _mm256_loadu_si256((const __m256i *)from); }
BG_INLINE void bg_int16s_store(int16_t *to, BgInt16s a) { _mm256_storeu_si256((__m256i *)to, a); }
BG_INLINE BgInt16s bg_int16s_add(BgInt16s a, BgInt16s b) { return _mm256_add_epi16(a, b); }
BG_INLINE BgInt16s bg_int16s_sub(BgInt16s a, BgInt16s b) { return _mm256_sub_epi16(a, b); }
BG_INLINE BgInt16s bg_int16s_relu(BgInt16s a, int shift)
{
    return _mm256_srli_epi16(_mm256_max_epi16(a, _mm256_setzero_si256()), shift);
}
BG_INLINE BgInt16s bg_int16s_squares(BgInt16s a) { return _mm256_mulhrs_epi16(a, a); }
BG_INLINE BgInt32s bg_int32s_zero(void) { return _mm256_setzero_si256(); }
BG_INLINE BgInt32s bg_int32s_madd(BgInt32s a, BgInt16s b, BgInt16s c)
{
    return _mm256_add_epi32(a, _mm256_madd_epi16(b, c));
}
BG_INLINE int32_t bg_int32s_sum(BgInt32s a)
{
    __m128i b = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(b, _mm_shuffle_epi32(b, 0xb1)));
}
#elif defined(BG_ROW_SSE2)
typedef __m128i BgInt16s, BgInt32s;
BG_INLINE BgInt16s bg_int16s_load(const int16_t *from) { return _mm_loadu_si128((const __m128i *)from); }
BG_INLINE void bg_int16s_store(int16_t *to, BgInt16s a) { _mm_storeu_si128((__m128i *)to, a); }
BG_INLINE BgInt16s bg_int16s_add(BgInt16s a, BgInt16s b) { return _mm_add_epi16(a, b); }
BG_INLINE BgInt16s bg_int16s_sub(BgInt16s a, BgInt16s b) { return _mm_sub_epi16(a, b); }
BG_INLINE BgInt16s bg_int16s_relu(BgInt16s a, int shift) { return _mm_srli_epi16(_mm_max_epi16(a, _mm_setzero_si128()), shift); }
BG_INLINE BgInt16s bg_int16s_squares(BgInt16s a)
{
    const __m128i low = _mm_srli_epi16(_mm_mullo_epi16(a, a), 14);
    return _mm_add_epi16(
        _mm_slli_epi16(_mm_mulhi_epi16(a, a), 1), _mm_srli_epi16(_mm_add_epi16(low, _mm_set1_epi16(1)), 1));
}
BG_INLINE BgInt32s bg_int32s_zero(void) { return _mm_setzero_si128(); }
BG_INLINE BgInt32s bg_int32s_madd(BgInt32s a, BgInt16s b, BgInt16s c) { return _mm_add_epi32(a, _mm_madd_epi16(b, c)); }
BG_INLINE int32_t bg_int32s_sum(BgInt32s a)
{
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(a, _mm_shuffle_epi32(a, 0xb1)));
}
#elif defined(BG_ROW_NEON)
typedef int16x8_t BgInt16s;
typedef int32x4_t BgInt32s;
BG_INLINE BgInt16s bg_int16s_load(const int16_t *from) { return vld1q_s16(from); }
BG_INLINE void bg_int16s_store(int16_t *to, BgInt16s a) { vst1q_s16(to, a); }
BG_INLINE BgInt16s bg_int16s_add(BgInt16s a, BgInt16s b) { return vaddq_s16(a, b); }
BG_INLINE BgInt16s bg_int16s_sub(BgInt16s a, BgInt16s b) { return vsubq_s16(a, b); }
BG_INLINE BgInt16s bg_int16s_relu(BgInt16s a, int shift)
{
    return vshlq_s16(vmaxq_s16(a, vdupq_n_s16(0)), vdupq_n_s16((int16_t)-shift));
}
BG_INLINE BgInt16s bg_int16s_squares(BgInt16s a) { return vqrdmulhq_s16(a, a); }
BG_INLINE BgInt32s bg_int32s_zero(void) { return vdupq_n_s32(0); }
BG_INLINE BgInt32s bg_int32s_madd(BgInt32s a, BgInt16s b, BgInt16s c)
{
    return vmlal_high_s16(vmlal_s16(a, vget_low_s16(b), vget_low_s16(c)), b, c);
}
BG_INLINE int32_t bg_int32s_sum(BgInt32s a) { return vaddvq_s32(a); }
#else
typedef struct {
    int16_t x[BG_INT16S];
} BgInt16s;
typedef int32_t BgInt32s;
BG_INLINE BgInt16s bg_int16s_load(const int16_t *from) { BG_LANEWISE(BgInt16s, from[i]) }
BG_INLINE void bg_int16s_store(int16_t *to, BgInt16s a) { memcpy(to, a.x, sizeof a.x); }
BG_INLINE BgInt16s bg_int16s_add(BgInt16s a, BgInt16s b) { BG_LANEWISE(BgInt16s, (int16_t)(a.x[i] + b.x[i])) }
BG_INLINE BgInt16s bg_int16s_sub(BgInt16s a, BgInt16s b) { BG_LANEWISE(BgInt16s, (int16_t)(a.x[i] - b.x[i])) }
BG_INLINE BgInt16s bg_int16s_relu(BgInt16s a, int shift) { BG_LANEWISE(BgInt16s, a.x[i] > 0 ? a.x[i] >> shift : 0) }
BG_INLINE BgInt16s bg_int16s_squares(BgInt16s a) { BG_LANEWISE(BgInt16s, (int16_t)((a.x[i] * a.x[i] + 16384) >> 15)) }
BG_INLINE BgInt32s bg_int32s_zero(void) { return 0; }
BG_INLINE BgInt32s bg_int32s_madd(BgInt32s a, BgInt16s b, BgInt16s c)
{
    int i;
    for (i = 0; i < BG_INT16S; i++)
        a += (int32_t)b.x[i] * c.x[i];
    return a;
}
BG_INLINE int32_t bg_int32s_sum(BgInt32s a) { return a; }
#endif

#endif
