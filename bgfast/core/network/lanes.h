/* Numbers side by side: 8 floats, and 16 whole numbers of 16 bits.
 *
 * All is lane by lane, in one order: a build with wide registers and one without give the same bits.
 */
#ifndef BGFAST_LANES_H
#define BGFAST_LANES_H

#include "row.h"

#define BG_LANES 8

#if defined(__GNUC__) && !defined(BGFAST_SCALAR)
typedef float BgLanes __attribute__((vector_size(4 * BG_LANES)));
typedef int32_t BgInts __attribute__((vector_size(4 * BG_LANES)));
static inline BgLanes bg_lanes_add(BgLanes a, BgLanes b) { return a + b; }
static inline BgLanes bg_lanes_sub(BgLanes a, BgLanes b) { return a - b; }
static inline BgLanes bg_lanes_mul(BgLanes a, BgLanes b) { return a * b; }
static inline BgLanes bg_lanes_ramp(BgLanes a) { return (BgLanes)((BgInts)a & (a > 0)); }
static inline float bg_lane(BgLanes a, int i) { return a[i]; }
static inline BgLanes bg_lanes_all(float x) { return (BgLanes){x, x, x, x, x, x, x, x}; }
static inline BgLanes bg_lanes_over(BgLanes a, BgLanes b) { return a / b; }
/* NaN becomes the least. */
static inline BgLanes bg_lanes_between(BgLanes a, float least, float most)
{
    const BgLanes low = bg_lanes_all(least), high = bg_lanes_all(most);
    const BgInts enough = a >= low, above = a > high;
    return (BgLanes)(((BgInts)low & ~enough) | ((BgInts)high & above) | ((BgInts)a & enough & ~above));
}
static inline BgLanes bg_lanes_least(BgLanes a, BgLanes b)
{
    const BgInts less = a < b;
    return (BgLanes)(((BgInts)a & less) | ((BgInts)b & ~less));
}
/* a * 2**whole, for whole numbers that leave it a normal one */
static inline BgLanes bg_lanes_scaled(BgLanes a, BgLanes whole)
{
    return (BgLanes)((BgInts)a + (__builtin_convertvector(whole, BgInts) << 23));
}
#else
typedef struct {
    float x[BG_LANES];
} BgLanes;
#define BG_EACH(expression)             \
    BgLanes r;                          \
    int i;                              \
    for (i = 0; i < BG_LANES; i++)      \
        r.x[i] = (expression);          \
    return r;
static inline BgLanes bg_lanes_add(BgLanes a, BgLanes b) { BG_EACH(a.x[i] + b.x[i]) }
static inline BgLanes bg_lanes_sub(BgLanes a, BgLanes b) { BG_EACH(a.x[i] - b.x[i]) }
static inline BgLanes bg_lanes_mul(BgLanes a, BgLanes b) { BG_EACH(a.x[i] * b.x[i]) }
static inline BgLanes bg_lanes_ramp(BgLanes a) { BG_EACH(a.x[i] > 0 ? a.x[i] : 0) }
static inline float bg_lane(BgLanes a, int i) { return a.x[i]; }
static inline BgLanes bg_lanes_all(float x) { BG_EACH(x) }
static inline BgLanes bg_lanes_over(BgLanes a, BgLanes b) { BG_EACH(a.x[i] / b.x[i]) }
static inline BgLanes bg_lanes_between(BgLanes a, float least, float most)
{
    BG_EACH(a.x[i] >= least ? (a.x[i] > most ? most : a.x[i]) : least)
}
static inline BgLanes bg_lanes_least(BgLanes a, BgLanes b) { BG_EACH(a.x[i] < b.x[i] ? a.x[i] : b.x[i]) }
static inline BgLanes bg_lanes_scaled(BgLanes a, BgLanes whole)
{
    BgLanes r;
    int i;
    for (i = 0; i < BG_LANES; i++) {
        int32_t bits;
        memcpy(&bits, &a.x[i], sizeof bits);
        bits += (int32_t)whole.x[i] * (1 << 23);
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

/* The lanes' sum, in a fixed order. */
static inline float bg_lanes_sum(BgLanes a)
{
    return ((bg_lane(a, 0) + bg_lane(a, 4)) + (bg_lane(a, 2) + bg_lane(a, 6)))
        + ((bg_lane(a, 1) + bg_lane(a, 5)) + (bg_lane(a, 3) + bg_lane(a, 7)));
}

/* The sigmoid of each lane, within some units in the last place: 1 / (1 + exp(-x)). */
static inline BgLanes bg_lanes_sigmoid(BgLanes x)
{
    /* exp(-x) = 2**whole * exp(part); adding 1.5 * 2**23 leaves no place for anything behind the point. */
    const BgLanes magic = bg_lanes_all(12582912.0f);
    BgLanes whole, part, power;
    x = bg_lanes_between(bg_lanes_sub(bg_lanes_all(0.0f), x), -87.0f, 87.0f);
    whole = bg_lanes_sub(bg_lanes_add(bg_lanes_mul(x, bg_lanes_all(1.44269504f)), magic), magic);
    part = bg_lanes_sub(x, bg_lanes_mul(whole, bg_lanes_all(0.693359375f)));
    part = bg_lanes_add(part, bg_lanes_mul(whole, bg_lanes_all(2.12194440e-4f)));
    power = bg_lanes_all(1.9875691500e-4f);
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(1.3981999507e-3f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(8.3334519073e-3f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(4.1665795894e-2f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(1.6666665459e-1f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(5.0000001201e-1f));
    power = bg_lanes_add(bg_lanes_mul(bg_lanes_mul(power, part), part), bg_lanes_add(part, bg_lanes_all(1.0f)));
    return bg_lanes_over(bg_lanes_all(1.0f), bg_lanes_add(bg_lanes_all(1.0f), bg_lanes_scaled(power, whole)));
}

/* ---- 16 numbers of 16 bits; sums of products of neighbours in 32 bits. ---- */

#define BG_SHORTS 16

#if defined(BG_ROW_AVX2)
typedef __m256i BgShorts, BgSums;
BG_INLINE BgShorts bg_shorts_load(const int16_t *from) { return _mm256_loadu_si256((const __m256i *)from); }
BG_INLINE void bg_shorts_store(int16_t *to, BgShorts a) { _mm256_storeu_si256((__m256i *)to, a); }
BG_INLINE BgShorts bg_shorts_add(BgShorts a, BgShorts b) { return _mm256_add_epi16(a, b); }
BG_INLINE BgShorts bg_shorts_sub(BgShorts a, BgShorts b) { return _mm256_sub_epi16(a, b); }
BG_INLINE BgShorts bg_shorts_ramp(BgShorts a, int shift)
{
    return _mm256_srli_epi16(_mm256_max_epi16(a, _mm256_setzero_si256()), shift);
}
BG_INLINE BgSums bg_sums_zero(void) { return _mm256_setzero_si256(); }
BG_INLINE BgSums bg_sums_add(BgSums a, BgShorts b, BgShorts c)
{
    return _mm256_add_epi32(a, _mm256_madd_epi16(b, c));
}
BG_INLINE int32_t bg_sums_total(BgSums a)
{
    __m128i b = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_add_epi32(b, _mm_shuffle_epi32(b, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(b, _mm_shuffle_epi32(b, 0xb1)));
}
#elif defined(BG_ROW_SSE2)
typedef struct {
    __m128i lo, hi;
} BgShorts;
typedef __m128i BgSums;
BG_INLINE BgShorts bg_shorts_load(const int16_t *from)
{
    BgShorts a;
    a.lo = _mm_loadu_si128((const __m128i *)from);
    a.hi = _mm_loadu_si128((const __m128i *)(from + 8));
    return a;
}
BG_INLINE void bg_shorts_store(int16_t *to, BgShorts a)
{
    _mm_storeu_si128((__m128i *)to, a.lo);
    _mm_storeu_si128((__m128i *)(to + 8), a.hi);
}
BG_INLINE BgShorts bg_shorts_add(BgShorts a, BgShorts b)
{
    a.lo = _mm_add_epi16(a.lo, b.lo);
    a.hi = _mm_add_epi16(a.hi, b.hi);
    return a;
}
BG_INLINE BgShorts bg_shorts_sub(BgShorts a, BgShorts b)
{
    a.lo = _mm_sub_epi16(a.lo, b.lo);
    a.hi = _mm_sub_epi16(a.hi, b.hi);
    return a;
}
BG_INLINE BgShorts bg_shorts_ramp(BgShorts a, int shift)
{
    a.lo = _mm_srli_epi16(_mm_max_epi16(a.lo, _mm_setzero_si128()), shift);
    a.hi = _mm_srli_epi16(_mm_max_epi16(a.hi, _mm_setzero_si128()), shift);
    return a;
}
BG_INLINE BgSums bg_sums_zero(void) { return _mm_setzero_si128(); }
BG_INLINE BgSums bg_sums_add(BgSums a, BgShorts b, BgShorts c)
{
    return _mm_add_epi32(a, _mm_add_epi32(_mm_madd_epi16(b.lo, c.lo), _mm_madd_epi16(b.hi, c.hi)));
}
BG_INLINE int32_t bg_sums_total(BgSums a)
{
    a = _mm_add_epi32(a, _mm_shuffle_epi32(a, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(a, _mm_shuffle_epi32(a, 0xb1)));
}
#elif defined(BG_ROW_NEON)
typedef struct {
    int16x8_t lo, hi;
} BgShorts;
typedef int32x4_t BgSums;
BG_INLINE BgShorts bg_shorts_load(const int16_t *from)
{
    BgShorts a;
    a.lo = vld1q_s16(from);
    a.hi = vld1q_s16(from + 8);
    return a;
}
BG_INLINE void bg_shorts_store(int16_t *to, BgShorts a)
{
    vst1q_s16(to, a.lo);
    vst1q_s16(to + 8, a.hi);
}
BG_INLINE BgShorts bg_shorts_add(BgShorts a, BgShorts b)
{
    a.lo = vaddq_s16(a.lo, b.lo);
    a.hi = vaddq_s16(a.hi, b.hi);
    return a;
}
BG_INLINE BgShorts bg_shorts_sub(BgShorts a, BgShorts b)
{
    a.lo = vsubq_s16(a.lo, b.lo);
    a.hi = vsubq_s16(a.hi, b.hi);
    return a;
}
BG_INLINE BgShorts bg_shorts_ramp(BgShorts a, int shift)
{
    const int16x8_t zero = vdupq_n_s16(0), by = vdupq_n_s16((int16_t)-shift);
    a.lo = vshlq_s16(vmaxq_s16(a.lo, zero), by);
    a.hi = vshlq_s16(vmaxq_s16(a.hi, zero), by);
    return a;
}
BG_INLINE BgSums bg_sums_zero(void) { return vdupq_n_s32(0); }
BG_INLINE BgSums bg_sums_add(BgSums a, BgShorts b, BgShorts c)
{
    a = vmlal_s16(a, vget_low_s16(b.lo), vget_low_s16(c.lo));
    a = vmlal_s16(a, vget_high_s16(b.lo), vget_high_s16(c.lo));
    a = vmlal_s16(a, vget_low_s16(b.hi), vget_low_s16(c.hi));
    return vmlal_s16(a, vget_high_s16(b.hi), vget_high_s16(c.hi));
}
BG_INLINE int32_t bg_sums_total(BgSums a) { return vaddvq_s32(a); }
#else
typedef struct {
    int16_t x[BG_SHORTS];
} BgShorts;
typedef int32_t BgSums;
BG_INLINE BgShorts bg_shorts_load(const int16_t *from)
{
    BgShorts a;
    memcpy(a.x, from, sizeof a.x);
    return a;
}
BG_INLINE void bg_shorts_store(int16_t *to, BgShorts a) { memcpy(to, a.x, sizeof a.x); }
BG_INLINE BgShorts bg_shorts_add(BgShorts a, BgShorts b)
{
    int i;
    for (i = 0; i < BG_SHORTS; i++)
        a.x[i] = (int16_t)(a.x[i] + b.x[i]);
    return a;
}
BG_INLINE BgShorts bg_shorts_sub(BgShorts a, BgShorts b)
{
    int i;
    for (i = 0; i < BG_SHORTS; i++)
        a.x[i] = (int16_t)(a.x[i] - b.x[i]);
    return a;
}
BG_INLINE BgShorts bg_shorts_ramp(BgShorts a, int shift)
{
    int i;
    for (i = 0; i < BG_SHORTS; i++)
        a.x[i] = (int16_t)(a.x[i] > 0 ? a.x[i] >> shift : 0);
    return a;
}
BG_INLINE BgSums bg_sums_zero(void) { return 0; }
BG_INLINE BgSums bg_sums_add(BgSums a, BgShorts b, BgShorts c)
{
    int i;
    for (i = 0; i < BG_SHORTS; i++)
        a += (int32_t)b.x[i] * c.x[i];
    return a;
}
BG_INLINE int32_t bg_sums_total(BgSums a) { return a; }
#endif

#endif
