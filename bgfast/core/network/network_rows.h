/* The rows of a first layer's table that are active on a board.
 *
 * A board has a row for each triple of points, for each place with further checkers, for checkers off and for features. In
 * a quantized table both values of a pair of features have one row; the numbers of all rows fill four registers of 16-bit
 * integers, which are compared with those of the board before.
 */
#ifndef BGFAST_NETWORK_ROWS_H
#define BGFAST_NETWORK_ROWS_H

#include "position_features.h"

static inline int bg_table_triple_row(int triple, int number)
{
    return BG_TABLE_TRIPLES + triple * BG_TRIPLE_CLASSES + number;
}
static inline int bg_table_place_row(int place, int count)
{
    return BG_TABLE_PLACES + place * BG_PLACE_ROWS + count;
}
static inline int bg_table_off_row(int side, int off) { return BG_TABLE_OFF + side * BG_NET_OFF_COUNTS + off; }
static inline int bg_table_feature_row(int number, int value)
{
    return BG_TABLE_FEATURES + number * BG_FEATURE_VALUES + value;
}

/* Class of a triple of points from 0 on. */
BG_INLINE int bg_triple_class(const int8_t *board, int triple)
{
    int i, number = 0;
    for (i = 1; i <= 3; i++) {
        const int count = board[3 * triple + i];
        number = 5 * number + 2 + (count < -2 ? -2 : count > 2 ? 2 : count);
    }
    return number;
}

/* Writes the active rows of a board in a float table. Returns their number. */
static inline int bg_net_active_rows(const BgFirstLayer *layer, const int8_t *board, int *rows)
{
    int place, n = 0, own = 0, opponent = 0;
    for (place = 0; place < BG_NET_TRIPLES; place++)
        rows[n++] = bg_table_triple_row(place, bg_triple_class(board, place));
    for (place = 0; place < BG_NET_PLACES; place++) {
        const int count = board[place], few = place % 25 ? 2 : 0;
        if (count > few)
            rows[n++] = bg_table_place_row(place, count - few);
        else if (count < -few)
            rows[n++] = bg_table_place_row(place, count + few);
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

/* ---- numbers of rows ---- */

/* Pairs of features: 0 to 9 are the mover's, 10 to 19 the opponent's. The first five pairs have the first numbers of a half register,
 * the others those of the next half. */
#define BG_OTHER BG_FEATURES
static const uint8_t BG_PAIRS[BG_FEATURES][2] = {
    {BG_SHOTS, BG_SHOT_PIPS},
    {BG_DOUBLE_SHOTS, BG_HELD},
    {BG_REAR_FREEDOM, BG_MIN_FREEDOM},
    {BG_BLOCKADE, BG_OTHER + BG_ENTERING},
    {BG_REAR, BG_OTHER + BG_ANCHOR},
    {BG_OTHER + BG_SHOTS, BG_OTHER + BG_SHOT_PIPS},
    {BG_OTHER + BG_DOUBLE_SHOTS, BG_OTHER + BG_HELD},
    {BG_OTHER + BG_REAR_FREEDOM, BG_OTHER + BG_MIN_FREEDOM},
    {BG_OTHER + BG_BLOCKADE, BG_ENTERING},
    {BG_OTHER + BG_REAR, BG_ANCHOR},
};
static inline int bg_table_pair_row(int pair, int first, int second)
{
    return BG_TABLE_FEATURES + pair * BG_PAIR_ROWS + first * BG_FEATURE_VALUES + second;
}

/* The numbers of an empty board, whose rows are zeros. */
#define BG_4_PLACES(place) BG_PLACE(place), BG_PLACE(place + 1), BG_PLACE(place + 2), BG_PLACE(place + 3)
#define BG_PLACE(place) BG_TABLE_PLACES + BG_PLACE_ROWS * (place)
static const BgRowNumbers BG_EMPTY = {{
    BG_4_PLACES(0), BG_4_PLACES(4), BG_4_PLACES(8), BG_4_PLACES(12), BG_4_PLACES(16), BG_4_PLACES(20),
    BG_PLACE(24), BG_PLACE(25), BG_TABLE_OFF, BG_TABLE_OFF + BG_NET_OFF_COUNTS}};

/* Changes the numbers of an empty board to those of places, checkers off and triples. */
BG_INLINE void bg_net_checker_numbers(const int8_t *board, BgRowNumbers *numbers)
{
    const bg_row row = bg_load_board(board);
    const int off_own = BG_NET_CHECKERS - bg_sum_positive(row);
    const int off_opponent = BG_NET_CHECKERS - bg_sum_positive(bg_negated(row));
    int16_t *to = numbers->of;
#if defined(BG_ROW_AVX2)
    const __m256i two = _mm256_setr_epi8(
        0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0);
    const __m256i points = _mm256_setr_epi8(
        1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1);
    const __m256i first = _mm256_add_epi32(_mm256_set1_epi32(BG_TABLE_TRIPLES), _mm256_mullo_epi32(
        _mm256_set1_epi32(BG_TRIPLE_CLASSES), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    const __m256i clipped = _mm256_min_epi8(_mm256_max_epi8(row, _mm256_sub_epi8(_mm256_setzero_si256(), two)), two);
    /* Points 1 to 12 and 13 to 24 at the same bytes of both halves. */
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
            _mm256_cvtepi8_epi16(half), _mm256_loadu_si256((const __m256i *)(BG_EMPTY.of + 16 * i))));
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

/* Writes the numbers for pairs of features. */
BG_INLINE void bg_net_pair_numbers(const int8_t *board, BgRowNumbers *numbers)
{
    const bg_row features = bg_features(board);
    int16_t *to = numbers->of + BG_PAIR_NUMBERS;
#if defined(BG_ROW_AVX2)
    const __m256i pairs = _mm256_setr_epi8(
        0, 1, 2, 5, 3, 4, 6, 10, 7, 11, -1, -1, -1, -1, -1, -1, 2, 3, 4, 7, 5, 6, 8, 0, 9, 1, -1, -1, -1, -1, -1, -1);
    const __m256i first = _mm256_setr_epi16(
        BG_TABLE_FEATURES, BG_TABLE_FEATURES + BG_PAIR_ROWS, BG_TABLE_FEATURES + 2 * BG_PAIR_ROWS,
        BG_TABLE_FEATURES + 3 * BG_PAIR_ROWS, BG_TABLE_FEATURES + 4 * BG_PAIR_ROWS, 0, 0, 0,
        BG_TABLE_FEATURES + 5 * BG_PAIR_ROWS, BG_TABLE_FEATURES + 6 * BG_PAIR_ROWS, BG_TABLE_FEATURES + 7 * BG_PAIR_ROWS,
        BG_TABLE_FEATURES + 8 * BG_PAIR_ROWS, BG_TABLE_FEATURES + 9 * BG_PAIR_ROWS, 0, 0, 0);
    /* Features 0 to 7 and 16 to 19, 8 to 19. */
    const __m256i halves = _mm256_permute4x64_epi64(features, 0x98);
    bg_store(to, _mm256_add_epi16(first, _mm256_maddubs_epi16(
        _mm256_shuffle_epi8(halves, pairs), _mm256_set1_epi16(1 << 8 | BG_FEATURE_VALUES))));
#else
    uint8_t values[BG_FEATURE_BYTES];
    int i;
    bg_store(values, features);
    for (i = 0; i < BG_FEATURES; i++)
        to[i < BG_FEATURES / 2 ? i : i + 3] =
            (int16_t)bg_table_pair_row(i, values[BG_PAIRS[i][0]], values[BG_PAIRS[i][1]]);
#endif
}

/* The numbers of all rows of a board. */
BG_INLINE BgRowNumbers bg_net_row_numbers(const BgFirstLayer *layer, const int8_t *board)
{
    BgRowNumbers numbers = BG_EMPTY;
    bg_net_checker_numbers(board, &numbers);
    if (layer->has_features)
        bg_net_pair_numbers(board, &numbers);
    return numbers;
}

/* Mask of the numbers that differ. */
BG_INLINE uint64_t bg_net_differences(const BgRowNumbers *a, const BgRowNumbers *b)
{
    uint64_t differences = 0;
    int i;
    for (i = 0; i < BG_ROW_NUMBERS; i += 16) {
        const int16_t *x = a->of + i, *y = b->of + i;
        uint64_t some;
#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(BG_ROW_AVX2)
        some = _mm256_cmpneq_epi16_mask(
            _mm256_loadu_si256((const __m256i *)x), _mm256_loadu_si256((const __m256i *)y));
#elif defined(BG_ROW_AVX2)
        const __m256i equal = _mm256_cmpeq_epi16(
            _mm256_loadu_si256((const __m256i *)x), _mm256_loadu_si256((const __m256i *)y));
        some = 0xffff ^ (uint32_t)_mm_movemask_epi8(
            _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1)));
#else
        int k;
        some = 0;
        for (k = 0; k < 16; k++)
            some |= (uint64_t)(x[k] != y[k]) << k;
#endif
        differences |= some << i;
    }
    return differences;
}

#endif
