/* Hand-written features of a position: shots, mobility, anchors; see docs/NETWORK.md.
 *
 * Both sides have the same features, whole numbers from 0 to 36. They are computed from bit masks: bit p is point p as the
 * side counts, bit 25 the bar.
 */
#ifndef BGFAST_FEATURES_H
#define BGFAST_FEATURES_H

#include "network_layout.h"

/* Points of a side with one or more checkers (`own`) and with two or more (`made`). */
typedef struct {
    uint32_t own, made;                 /* as the side counts */
    uint32_t own_flipped, made_flipped; /* as the opponent counts */
} BgSide;

static const uint32_t BG_BAR_BIT = (uint32_t)1 << 25;
static const uint32_t BG_POINT_BITS = 0x1fffffe;

/* Rolls of 36 that one checker can play in full (two dice of a double), by the mask of blocked points among the next 12,
 * bit 0 the next. Each module that includes this file has its own table and fills it with `bg_features_init`. */
static uint8_t bg_freedom[4096];

static inline void bg_features_init(void)
{
    int mask, a, b;
    for (mask = 0; mask < 4096; mask++) {
        const int open = ~mask;
        int rolls = 0;
        for (a = 1; a <= 6; a++)
            for (b = 1; b <= 6; b++)
                rolls += (open >> (a + b - 1) & 1) && ((open >> (a - 1) & 1) || (open >> (b - 1) & 1));
        bg_freedom[mask] = (uint8_t)rolls;
    }
}

/* All bits set if x is not 0. */
BG_INLINE uint32_t bg_all_bits_if(uint32_t x) { return -(uint32_t)(x != 0); }
/* Index of the highest set bit, 0 for none, from the exponent of a float. */
BG_INLINE uint32_t bg_highest_or_0(uint32_t x)
{
    /* Clearing the bit below the highest one keeps rounding from carrying. */
    const float f = (float)(int32_t)(x & ~(x >> 1));
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return ((bits >> 23) - 127) & bg_all_bits_if(x);
}

/* Summand of one roll: 1 for a hit, 256 for a double hit, pips from bit 16 on. */
BG_INLINE uint32_t bg_hit(uint32_t hit)
{
    return (bg_all_bits_if(hit) & 1) + (bg_all_bits_if(hit & (hit - 1)) & 256) + (bg_highest_or_0(hit) << 16);
}

/* Sum of `bg_hit` over the 36 rolls with which `own` hits `blots`. Loops without branches, so that compilers vectorize
 * them. */
BG_INLINE uint32_t bg_shots(uint32_t own, int several_on_bar, uint32_t blocked, uint32_t blots)
{
    /* The 15 rolls without doubles, the 6 doubles, and padding that moves everything off the board. */
    static const uint32_t A[16] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 31};
    static const uint32_t B[16] = {2, 3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6, 31};
    static const uint32_t D[8] = {1, 2, 3, 4, 5, 6, 31, 31};
    const uint32_t open = ~blocked;
    uint32_t total = 0, doubles = 0;
    int i;
    if (!(own & BG_BAR_BIT)) {
        for (i = 0; i < 16; i++) {
            const uint32_t s = own >> A[i] & open, t = own >> B[i] & open;
            total += bg_hit((s | t | s >> B[i] | t >> A[i]) & blots);
        }
        for (i = 0; i < 8; i++) {
            const uint32_t s = own >> D[i] & open, t = s >> D[i] & open, u = t >> D[i] & open;
            doubles += bg_hit((s | t | u | u >> D[i]) & blots);
        }
    } else {
        /* Checkers on the bar move first. */
        const uint32_t others = several_on_bar ? 0 : own & ~BG_BAR_BIT, further = several_on_bar ? 0 : ~(uint32_t)0;
        for (i = 0; i < 16; i++) {
            const uint32_t s = BG_BAR_BIT >> A[i] & open, t = BG_BAR_BIT >> B[i] & open;
            const uint32_t after_a = (s | others) >> B[i] & bg_all_bits_if(s);
            const uint32_t after_b = (t | others) >> A[i] & bg_all_bits_if(t);
            total += bg_hit((s | t | ((after_a | after_b) & further)) & blots);
        }
        for (i = 0; i < 8; i++) {
            const uint32_t s = BG_BAR_BIT >> D[i] & open, t = (s | others) >> D[i] & open, u = t >> D[i] & open;
            doubles += bg_hit((s | t | u | (u >> D[i] & further)) & bg_all_bits_if(s) & blots);
        }
    }
    return 2 * total + doubles;
}

static inline int bg_min(int a, int b) { return a > b ? b : a; }

/* Features of a side as bytes, the first one lowest. In registers, since loading a row just written byte by byte would
 * stall until all stores have completed. */
typedef struct {
    uint64_t first; /* eight features */
    uint64_t last;  /* two features */
} BgSideFeatures;

BG_INLINE uint64_t bg_feature(int feature, int value) { return (uint64_t)value << 8 * (feature % 8); }

static inline BgSideFeatures bg_side_features(const BgSide *side, const BgSide *opponent)
{
    BgSideFeatures features;
    const uint32_t blocked = opponent->made_flipped & BG_POINT_BITS;
    const uint32_t blocked_flipped = opponent->made & BG_POINT_BITS;
    const uint32_t blots = opponent->own_flipped & ~opponent->made_flipped & BG_POINT_BITS;
    const int rear = bg_highest(side->own);
    const uint32_t ahead = side->made & BG_POINT_BITS;
    uint32_t back = side->own >> 13, shots, far;
    int lowest = 36, held = 0, i;
    shots = blots ? bg_shots(side->own, (side->made & BG_BAR_BIT) != 0, blocked, blots) : 0;
    features.first = bg_feature(BG_SHOTS, shots & 255) | bg_feature(BG_DOUBLE_SHOTS, shots >> 8 & 255)
        | bg_feature(BG_SHOT_PIPS, (int)((shots >> 16) / 24)) | bg_feature(BG_REAR, rear)
        | bg_feature(BG_REAR_FREEDOM, bg_freedom[blocked_flipped >> (26 - rear) & 4095]);
    /* A multiple of four iterations is predicted better; the surplus ones see open points. */
    do {
        for (i = 0; i < 4; i++) {
            const int point = 13 + bg_lowest(back | 1 << 13);
            const int rolls = bg_freedom[blocked_flipped >> (26 - point) & bg_all_bits_if(back) & 4095];
            lowest = bg_min(lowest, rolls);
            held += 36 - rolls;
            back &= back - 1;
        }
    } while (back);
    features.first |= bg_feature(BG_MIN_FREEDOM, lowest) | bg_feature(BG_HELD, bg_min(36, held / 4));
    lowest = 36;
    for (i = 1; i <= 7; i++)
        lowest = bg_min(lowest, bg_freedom[ahead >> i & 4095]);
    features.first |= bg_feature(BG_BLOCKADE, 36 - lowest);
    far = side->made >> 13 & 0xfff;
    features.last = bg_feature(BG_ENTERING,
            bg_popcount(blocked >> 19 & 63) + (side->made & BG_BAR_BIT ? 14 : side->own & BG_BAR_BIT ? 7 : 0))
        | bg_feature(BG_ANCHOR, far ? 1 + bg_highest(far) : 0);
    return features;
}

/* Features of both sides of an unfinished board, the mover's first, then zeros. */
static inline bg_row bg_features(const int8_t *board)
{
    const bg_row row = bg_load_board(board), flipped = bg_load_flipped(board);
    const bg_row negated = bg_negated(row), flipped_negated = bg_negated(flipped);
    BgSideFeatures own, other;
    BgSide mover, opponent;
    mover.own = bg_greater(row, 0);
    mover.made = bg_greater(row, 1);
    mover.own_flipped = bg_greater(flipped_negated, 0);
    mover.made_flipped = bg_greater(flipped_negated, 1);
    opponent.own = bg_greater(flipped, 0);
    opponent.made = bg_greater(flipped, 1);
    opponent.own_flipped = bg_greater(negated, 0);
    opponent.made_flipped = bg_greater(negated, 1);
    own = bg_side_features(&mover, &opponent);
    other = bg_side_features(&opponent, &mover);
    return bg_from_words(own.first, own.last | other.first << 16, other.first >> 48 | other.last << 16, 0);
}

/* ---- inputs: a row of weights for each knot, interpolated between two knots ---- */

#define BG_MAX_KNOTS 26

typedef struct {
    int first_row;
    int knots;
    uint8_t values[BG_MAX_KNOTS];
} BgKnots;

#define BG_ROLL_KNOTS {0, 2, 5, 9, 14, 20, 27, 36}
#define BG_TO_12 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
static const BgKnots BG_KNOTS[BG_FEATURES] = {
    {0, 8, BG_ROLL_KNOTS}, {8, 8, BG_ROLL_KNOTS}, {16, 8, BG_ROLL_KNOTS}, {24, 8, BG_ROLL_KNOTS},
    {32, 8, BG_ROLL_KNOTS}, {40, 8, BG_ROLL_KNOTS}, {48, 8, BG_ROLL_KNOTS},
    {56, 26, {BG_TO_12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}},
    {82, 21, {BG_TO_12, 13, 14, 15, 16, 17, 18, 19, 20}},
    {103, 13, {BG_TO_12}},
};

/* Number of values of a feature of either side, from 0 on. */
static inline int bg_feature_values(int feature)
{
    const BgKnots *knots = BG_KNOTS + feature % BG_FEATURES;
    return knots->values[knots->knots - 1] + 1;
}

/* Returns the first of the two rows for a value and writes the share of the second. */
static inline int bg_feature_knot(int feature, int value, float *share)
{
    const BgKnots *knots = BG_KNOTS + feature;
    int k = 0;
    while (k + 2 < knots->knots && knots->values[k + 1] <= value)
        k++;
    *share = (float)(value - knots->values[k]) / (float)(knots->values[k + 1] - knots->values[k]);
    if (*share > 1.0f)
        *share = 1.0f;
    return knots->first_row + k;
}

#endif
