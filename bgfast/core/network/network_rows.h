/* Active rows of a board in the tables of a first layer.
 *
 * A board has a row for each triple of points, for each place (point or bar) with checkers that the triples
 * do not count, for checkers off and for features. In a quantized table, a pair of features shares one row. The row
 * numbers of a board fill four registers of 16-bit integers, which are compared with the numbers of the previous board.
 */
#ifndef BGFAST_NETWORK_ROWS_H
#define BGFAST_NETWORK_ROWS_H

#include "network_layout.h"

/* ---- features: shots, mobility, anchors; see docs/NETWORK.md ----
 *
 * Both sides have the same features, whole numbers from 0 to 36, computed from bit masks: bit p is point p in the
 * side's numbering, bit 25 the bar. */

/* Points of a side with one or more checkers (`own`) and with two or more (`made`). */
typedef struct {
    uint32_t own, made;                 /* in the side's numbering */
    uint32_t own_flipped, made_flipped; /* in the opponent's numbering */
} BgSide;

static const uint32_t BG_BAR_BIT = (uint32_t)1 << 25;
static const uint32_t BG_POINT_BITS = 0x1fffffe;

/* Number of the 36 rolls that one checker can play in full (two dice of a double), indexed by a mask of the
 * blocked points among the next 12; bit 0 is the next point. Each module that includes this file has its own table
 * and fills it with `bg_features_init`. */
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

/* Returns all bits set if x is not 0, else 0. */
BG_INLINE uint32_t bg_all_bits_if(uint32_t x) { return -(uint32_t)(x != 0); }
/* Returns the index of the highest set bit, 0 for none, from the exponent of a float. */
BG_INLINE uint32_t bg_highest_or_0(uint32_t x)
{
    /* Clearing the bit below the highest one keeps rounding from carrying. */
    const float f = (float)(int32_t)(x & ~(x >> 1));
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return ((bits >> 23) - 127) & bg_all_bits_if(x);
}

/* Encodes the hits of one roll: 1 for a hit, 256 more for a double hit, the pips lost in bits 16 and up. */
BG_INLINE uint32_t bg_hit(uint32_t hit)
{
    return (bg_all_bits_if(hit) & 1) + (bg_all_bits_if(hit & (hit - 1)) & 256) + (bg_highest_or_0(hit) << 16);
}

/* Sum of `bg_hit` over the 36 rolls, for `own` hitting `blots`. Branch-free, so that the loops are vectorized. */
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
        const uint32_t others = several_on_bar ? 0 : own & ~BG_BAR_BIT, second_hops = several_on_bar ? 0 : ~(uint32_t)0;
        for (i = 0; i < 16; i++) {
            const uint32_t s = BG_BAR_BIT >> A[i] & open, t = BG_BAR_BIT >> B[i] & open;
            const uint32_t after_a = (s | others) >> B[i] & bg_all_bits_if(s);
            const uint32_t after_b = (t | others) >> A[i] & bg_all_bits_if(t);
            total += bg_hit((s | t | ((after_a | after_b) & second_hops)) & blots);
        }
        for (i = 0; i < 8; i++) {
            const uint32_t s = BG_BAR_BIT >> D[i] & open, t = (s | others) >> D[i] & open, u = t >> D[i] & open;
            doubles += bg_hit((s | t | u | (u >> D[i] & second_hops)) & bg_all_bits_if(s) & blots);
        }
    }
    return 2 * total + doubles;
}

static inline int bg_min(int a, int b) { return a > b ? b : a; }

/* Features of a side as bytes, the first one lowest. They stay in registers: loading a row just written byte by
 * byte would stall until all stores have completed. */
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
    const uint32_t made = side->made & BG_POINT_BITS;
    uint32_t far_checkers = side->own >> 13, shots, anchors;
    int min_rolls = 36, held_rolls = 0, i;
    shots = blots ? bg_shots(side->own, (side->made & BG_BAR_BIT) != 0, blocked, blots) : 0;
    features.first = bg_feature(BG_SHOTS, shots & 255) | bg_feature(BG_DOUBLE_SHOTS, shots >> 8 & 255)
        | bg_feature(BG_SHOT_PIPS, (int)((shots >> 16) / 24)) | bg_feature(BG_REAR, rear)
        | bg_feature(BG_REAR_FREEDOM, bg_freedom[blocked_flipped >> (26 - rear) & 4095]);
    /* Groups of four iterations help branch prediction; surplus iterations see open points. */
    do {
        for (i = 0; i < 4; i++) {
            const int point = 13 + bg_lowest(far_checkers | 1 << 13);
            const int rolls = bg_freedom[blocked_flipped >> (26 - point) & bg_all_bits_if(far_checkers) & 4095];
            min_rolls = bg_min(min_rolls, rolls);
            held_rolls += 36 - rolls;
            far_checkers &= far_checkers - 1;
        }
    } while (far_checkers);
    features.first |= bg_feature(BG_MIN_FREEDOM, min_rolls) | bg_feature(BG_HELD, bg_min(36, held_rolls / 4));
    min_rolls = 36;
    for (i = 1; i <= 7; i++)
        min_rolls = bg_min(min_rolls, bg_freedom[made >> i & 4095]);
    features.first |= bg_feature(BG_BLOCKADE, 36 - min_rolls);
    anchors = side->made >> 13 & 0xfff;
    features.last = bg_feature(BG_ENTERING,
            bg_popcount(blocked >> 19 & 63) + (side->made & BG_BAR_BIT ? 14 : side->own & BG_BAR_BIT ? 7 : 0))
        | bg_feature(BG_ANCHOR, anchors ? 1 + bg_highest(anchors) : 0);
    return features;
}

/* Features of both sides of an unfinished board, the mover's first, then zeros. */
static inline bg_row bg_features(const int8_t *board)
{
    const bg_row row = bg_load_board(board), flipped = bg_load_flipped(board);
    const bg_row negated = bg_negate(row), flipped_negated = bg_negate(flipped);
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
#define BG_VALUES_TO_12 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
static const BgKnots BG_KNOTS[BG_FEATURES] = {
    {0, 8, BG_ROLL_KNOTS}, {8, 8, BG_ROLL_KNOTS}, {16, 8, BG_ROLL_KNOTS}, {24, 8, BG_ROLL_KNOTS},
    {32, 8, BG_ROLL_KNOTS}, {40, 8, BG_ROLL_KNOTS}, {48, 8, BG_ROLL_KNOTS},
    {56, 26, {BG_VALUES_TO_12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}},
    {82, 21, {BG_VALUES_TO_12, 13, 14, 15, 16, 17, 18, 19, 20}},
    {103, 13, {BG_VALUES_TO_12}},
};

/* Number of values of a feature of either side; the values begin at 0. */
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

/* ---- rows ---- */

static inline int bg_table_triple_row(int triple, int triple_class)
{
    return BG_TABLE_TRIPLES + triple * BG_TRIPLE_CLASSES + triple_class;
}
static inline int bg_table_place_row(int place, int count)
{
    return BG_TABLE_PLACES + place * BG_PLACE_ROWS + count;
}
static inline int bg_table_off_row(int side, int off) { return BG_TABLE_OFF + side * BG_NET_OFF_COUNTS + off; }
static inline int bg_table_feature_row(int feature, int value)
{
    return BG_TABLE_FEATURES + feature * BG_FEATURE_VALUES + value;
}

/* Class of a triple of points; triples and classes are counted from 0. */
BG_INLINE int bg_triple_class(const int8_t *board, int triple)
{
    int i, triple_class = 0;
    for (i = 1; i <= 3; i++) {
        const int count = board[3 * triple + i];
        triple_class = 5 * triple_class + 2 + (count < -2 ? -2 : count > 2 ? 2 : count);
    }
    return triple_class;
}

/* Writes the active rows of a board in a float table. Returns their number. */
static inline int bg_net_active_rows(const BgFirstLayer *layer, const int8_t *board, int *rows)
{
    int place, n = 0, own = 0, opponent = 0;
    for (place = 0; place < BG_NET_TRIPLES; place++)
        rows[n++] = bg_table_triple_row(place, bg_triple_class(board, place));
    for (place = 0; place < BG_NET_PLACES; place++) {
        const int count = board[place], triple_limit = place % 25 ? 2 : 0;
        if (count > triple_limit)
            rows[n++] = bg_table_place_row(place, count - triple_limit);
        else if (count < -triple_limit)
            rows[n++] = bg_table_place_row(place, count + triple_limit);
        if (count > 0)
            own += count;
        else
            opponent -= count;
    }
    if (own < BG_NET_CHECKERS)
        rows[n++] = bg_table_off_row(0, BG_NET_CHECKERS - own);
    if (opponent < BG_NET_CHECKERS)
        rows[n++] = bg_table_off_row(1, BG_NET_CHECKERS - opponent);
    if (layer->has_features) {
        uint8_t value[BG_FEATURE_BYTES];
        bg_store(value, bg_features(board));
        for (place = 0; place < 2 * BG_FEATURES; place++)
            rows[n++] = bg_table_feature_row(place, value[place]);
    }
    return n;
}

/* ---- row numbers ---- */

/* Pairs of features; 0 to 9 are the mover's, 10 to 19 the opponent's. The numbers of the first five pairs are at
 * the start of a half register, the others at the start of the next half. Row of a pair of values: first row +
 * first value * stride + second value. */
#define BG_OPPONENT BG_FEATURES
static const uint8_t BG_PAIRS[BG_FEATURES][2] = {
    {BG_SHOTS, BG_SHOT_PIPS},
    {BG_DOUBLE_SHOTS, BG_HELD},
    {BG_REAR_FREEDOM, BG_MIN_FREEDOM},
    {BG_BLOCKADE, BG_OPPONENT + BG_ENTERING},
    {BG_REAR, BG_OPPONENT + BG_ANCHOR},
    {BG_OPPONENT + BG_SHOTS, BG_OPPONENT + BG_SHOT_PIPS},
    {BG_OPPONENT + BG_DOUBLE_SHOTS, BG_OPPONENT + BG_HELD},
    {BG_OPPONENT + BG_REAR_FREEDOM, BG_OPPONENT + BG_MIN_FREEDOM},
    {BG_OPPONENT + BG_BLOCKADE, BG_ENTERING},
    {BG_OPPONENT + BG_REAR, BG_ANCHOR},
};
#define BG_SIDE_PAIRS(side) (BG_TABLE_FEATURES + BG_SHOT_ROWS + (side) * BG_SIDE_PAIR_ROWS)
#define BG_FIRST_PAIR_ROWS(side)                                                        \
    BG_TABLE_FEATURES + (side) * (BG_SHOT_ROWS - 1), BG_SIDE_PAIRS(side),                \
    BG_SIDE_PAIRS(side) + BG_PAIR_ROWS, BG_SIDE_PAIRS(side) + 2 * BG_PAIR_ROWS, BG_SIDE_PAIRS(side) + BG_REAR_PAIR
static inline int bg_is_shot_pair(int pair) { return BG_PAIRS[pair][1] % BG_FEATURES == BG_SHOT_PIPS; }
static inline int bg_table_pair_row(int pair, int first, int second)
{
    static const int16_t first_rows[BG_FEATURES] = {BG_FIRST_PAIR_ROWS(0), BG_FIRST_PAIR_ROWS(1)};
    const int stride = bg_is_shot_pair(pair) ? BG_SHOT_STRIDE : bg_feature_values(BG_PAIRS[pair][1]);
    const int row = first * stride + second;
    return first_rows[pair] + (BG_PAIRS[pair][1] == BG_OPPONENT + BG_SHOT_PIPS ? -row : row);
}

/* Row numbers of an empty board; these rows are zeros. */
#define BG_4_PLACES(place) BG_PLACE(place), BG_PLACE(place + 1), BG_PLACE(place + 2), BG_PLACE(place + 3)
#define BG_PLACE(place) BG_TABLE_PLACES + BG_PLACE_ROWS * (place)
static const BgRowNumbers BG_EMPTY = {{
    BG_4_PLACES(0), BG_4_PLACES(4), BG_4_PLACES(8), BG_4_PLACES(12), BG_4_PLACES(16), BG_4_PLACES(20),
    BG_PLACE(24), BG_PLACE(25), BG_TABLE_OFF, BG_TABLE_OFF + BG_NET_OFF_COUNTS}};

/* Sets the row numbers of places, checkers off and triples; `row_numbers` must start as BG_EMPTY. */
BG_INLINE void bg_net_checker_numbers(const int8_t *board, BgRowNumbers *row_numbers)
{
    const bg_row row = bg_load_board(board);
    const int off_own = BG_NET_CHECKERS - bg_sum_positive(row);
    const int off_opponent = BG_NET_CHECKERS - bg_sum_positive(bg_negate(row));
    int16_t *to = row_numbers->numbers;
#if defined(BG_ROW_AVX2)
    const __m256i two = _mm256_setr_epi8(
        0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0);
    const __m256i points = _mm256_setr_epi8(
        1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1);
    const __m256i first = _mm256_add_epi32(_mm256_set1_epi32(BG_TABLE_TRIPLES), _mm256_mullo_epi32(
        _mm256_set1_epi32(BG_TRIPLE_CLASSES), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    const __m256i clipped = _mm256_min_epi8(_mm256_max_epi8(row, _mm256_sub_epi8(_mm256_setzero_si256(), two)), two);
    /* Puts points 1 to 12 and 13 to 24 at the same bytes of the two halves. */
    const __m256i halves = _mm256_permutevar8x32_epi32(
        _mm256_add_epi8(clipped, two), _mm256_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6));
    const __m256i classes = _mm256_madd_epi16(
        _mm256_maddubs_epi16(_mm256_shuffle_epi8(halves, points), _mm256_set1_epi32(1 << 16 | 5 << 8 | 25)),
        _mm256_set1_epi16(1));
    const __m256i counts = _mm256_add_epi8(
        _mm256_sub_epi8(row, clipped), bg_from_words(0, 0, 0, (uint64_t)off_own << 16 | (uint64_t)off_opponent << 24));
    int i;
    for (i = 0; i < 2; i++) {
        const __m128i half = i ? _mm256_extracti128_si256(counts, 1) : _mm256_castsi256_si128(counts);
        bg_store(to + 16 * i, _mm256_add_epi16(
            _mm256_cvtepi8_epi16(half), _mm256_loadu_si256((const __m256i *)(BG_EMPTY.numbers + 16 * i))));
    }
    bg_store(to + BG_TRIPLE_NUMBERS, _mm256_packs_epi32(_mm256_add_epi32(classes, first), _mm256_setzero_si256()));
#else
    int8_t counts[32];
    int i;
    bg_store(counts, row);
    for (i = 0; i < BG_NET_TRIPLES; i++)
        to[BG_TRIPLE_NUMBERS + i] = (int16_t)bg_table_triple_row(i, bg_triple_class(counts, i));
    to[0] = (int16_t)(to[0] + counts[0]);
    to[25] = (int16_t)(to[25] + counts[25]);
    for (i = 1; i <= 24; i++)
        to[i] = (int16_t)(to[i] + (counts[i] > 2 ? counts[i] - 2 : counts[i] < -2 ? counts[i] + 2 : 0));
    to[26] = (int16_t)bg_table_off_row(0, off_own);
    to[27] = (int16_t)bg_table_off_row(1, off_opponent);
#endif
}

BG_INLINE void bg_net_pair_numbers(const int8_t *board, BgRowNumbers *row_numbers)
{
    const bg_row features = bg_features(board);
    int16_t *to = row_numbers->numbers + BG_PAIR_NUMBERS;
#if defined(BG_ROW_AVX2)
    const __m256i pairs = _mm256_setr_epi8(
        0, 1, 2, 5, 3, 4, 6, 10, 7, 11, -1, -1, -1, -1, -1, -1, 2, 3, 4, 7, 5, 6, 8, 0, 9, 1, -1, -1, -1, -1, -1, -1);
    const __m256i first = _mm256_setr_epi16(BG_FIRST_PAIR_ROWS(0), 0, 0, 0, BG_FIRST_PAIR_ROWS(1), 0, 0, 0);
    const __m256i strides = _mm256_setr_epi8(
        BG_SHOT_STRIDE, 1, BG_FEATURE_VALUES, 1, BG_FEATURE_VALUES, 1, BG_ENTERING_VALUES, 1, BG_ANCHOR_VALUES, 1,
        0, 0, 0, 0, 0, 0,
        -BG_SHOT_STRIDE, -1, BG_FEATURE_VALUES, 1, BG_FEATURE_VALUES, 1, BG_ENTERING_VALUES, 1, BG_ANCHOR_VALUES, 1,
        0, 0, 0, 0, 0, 0);
    /* Low half: features 0 to 7 and 16 to 19; high half: features 8 to 19. */
    const __m256i halves = _mm256_permute4x64_epi64(features, 0x98);
    bg_store(to, _mm256_add_epi16(first, _mm256_maddubs_epi16(_mm256_shuffle_epi8(halves, pairs), strides)));
#else
    uint8_t values[BG_FEATURE_BYTES];
    int i;
    bg_store(values, features);
    for (i = 0; i < BG_FEATURES; i++)
        to[i < BG_FEATURES / 2 ? i : i + 3] =
            (int16_t)bg_table_pair_row(i, values[BG_PAIRS[i][0]], values[BG_PAIRS[i][1]]);
#endif
}

BG_INLINE BgRowNumbers bg_net_row_numbers(const BgFirstLayer *layer, const int8_t *board)
{
    BgRowNumbers row_numbers = BG_EMPTY;
    bg_net_checker_numbers(board, &row_numbers);
    if (layer->has_features)
        bg_net_pair_numbers(board, &row_numbers);
    return row_numbers;
}

/* Mask of the row numbers that differ. */
BG_INLINE uint64_t bg_net_differences(const BgRowNumbers *a, const BgRowNumbers *b)
{
    uint64_t differences = 0;
    int i;
    for (i = 0; i < BG_ROW_NUMBERS; i += 16) {
        const int16_t *x = a->numbers + i, *y = b->numbers + i;
        uint64_t mask;
#if defined(BG_ROW_AVX2)
        const __m256i equal = _mm256_cmpeq_epi16(
            _mm256_loadu_si256((const __m256i *)x), _mm256_loadu_si256((const __m256i *)y));
        mask = 0xffff ^ (uint32_t)_mm_movemask_epi8(
            _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1)));
#else
        int k;
        mask = 0;
        for (k = 0; k < 16; k++)
            mask |= (uint64_t)(x[k] != y[k]) << k;
#endif
        differences |= mask << i;
    }
    return differences;
}

#endif
