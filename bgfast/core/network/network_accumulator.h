/* First layer of a network: the active table rows of a board, added up in an accumulator.
 *
 * Float tables are for evaluations, tables quantized to 16 bits for the choice among successors, since twice as many
 * numbers fit in a register and in the cache. A float accumulator is always computed from all rows; a quantized one is
 * refreshed for the first board and updated for the next, which differs in a few rows.
 */
#ifndef BGFAST_NETWORK_ACCUMULATOR_H
#define BGFAST_NETWORK_ACCUMULATOR_H

#include "position_features.h"

static inline int bg_table_triple_row(int triple, int number)
{
    return BG_TABLE_TRIPLES + triple * BG_TRIPLE_ROWS + number;
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

/* ---- places ---- */

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

/* The two parts of BG_PLACES_BYTES. */
typedef struct {
    bg_row triples, excess;
} BgPlaces;

BG_INLINE BgPlaces bg_places(bg_row board)
{
    BgPlaces places;
#if defined(BG_ROW_AVX2)
    const __m256i two = _mm256_setr_epi8(
        0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0);
    const __m256i points = _mm256_setr_epi8(
        1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 1, 2, 3, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1);
    const __m256i clipped = _mm256_min_epi8(_mm256_max_epi8(board, _mm256_sub_epi8(_mm256_setzero_si256(), two)), two);
    /* Points 1 to 12 and 13 to 24 at the same bytes of both halves. */
    const __m256i halves = _mm256_permutevar8x32_epi32(
        _mm256_add_epi8(clipped, two), _mm256_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6));
    places.excess = _mm256_sub_epi8(board, clipped);
    places.triples = _mm256_madd_epi16(
        _mm256_maddubs_epi16(_mm256_shuffle_epi8(halves, points), _mm256_set1_epi32(1 << 16 | 5 << 8 | 25)),
        _mm256_set1_epi16(1));
#else
    int8_t counts[32], triples[32] = {0};
    int i;
    bg_store(counts, board);
    for (i = 0; i < BG_NET_TRIPLES; i++)
        triples[4 * i] = (int8_t)bg_triple_class(counts, i);
    for (i = 1; i <= 24; i++)
        counts[i] = (int8_t)(counts[i] > 2 ? counts[i] - 2 : counts[i] < -2 ? counts[i] + 2 : 0);
    places.triples = bg_load_row(triples);
    places.excess = bg_load_row(counts);
#endif
    return places;
}

/* Writes the active rows of a board: triples, places, checkers off, features. Returns their number. */
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

/* ---- float ---- */

/* 32 numbers in four registers. */
typedef struct {
    BgLanes a, b, c, d;
} BgTile;

BG_INLINE BgTile bg_tile_load(const float *from)
{
    BgTile t;
    t.a = bg_lanes_load(from);
    t.b = bg_lanes_load(from + 8);
    t.c = bg_lanes_load(from + 16);
    t.d = bg_lanes_load(from + 24);
    return t;
}

BG_INLINE void bg_tile_store(float *to, BgTile t)
{
    bg_lanes_store(to, t.a);
    bg_lanes_store(to + 8, t.b);
    bg_lanes_store(to + 16, t.c);
    bg_lanes_store(to + 24, t.d);
}

/* t + row */
BG_INLINE BgTile bg_tile_add(BgTile t, const float *row)
{
    t.a = bg_lanes_add(t.a, bg_lanes_load(row));
    t.b = bg_lanes_add(t.b, bg_lanes_load(row + 8));
    t.c = bg_lanes_add(t.c, bg_lanes_load(row + 16));
    t.d = bg_lanes_add(t.d, bg_lanes_load(row + 24));
    return t;
}

/* t + scale * row */
BG_INLINE BgTile bg_tile_add_scaled(BgTile t, const float *row, BgLanes scale)
{
    t.a = bg_lanes_add(t.a, bg_lanes_mul(scale, bg_lanes_load(row)));
    t.b = bg_lanes_add(t.b, bg_lanes_mul(scale, bg_lanes_load(row + 8)));
    t.c = bg_lanes_add(t.c, bg_lanes_mul(scale, bg_lanes_load(row + 16)));
    t.d = bg_lanes_add(t.d, bg_lanes_mul(scale, bg_lanes_load(row + 24)));
    return t;
}

/* Computes the accumulator of a board. */
static inline void bg_net_accumulate_float(const BgFirstLayer *layer, const int8_t *board, float *accumulation)
{
    const float *bias = layer->float_table + (int64_t)BG_TABLE_BIAS * layer->hidden, *rows[BG_NET_MAX_ACTIVE_ROWS];
    int active[BG_NET_MAX_ACTIVE_ROWS], h, i, n = bg_net_active_rows(layer, board, active);
    for (i = 0; i < n; i++)
        rows[i] = layer->float_table + (int64_t)active[i] * layer->hidden;
    for (h = 0; h < layer->hidden; h += 4 * BG_LANES) {
        BgTile t = bg_tile_load(bias + h);
        for (i = 0; i < n; i++)
            t = bg_tile_add(t, rows[i] + h);
        bg_tile_store(accumulation + h, t);
    }
}

/* Begins to load a row of which the first part is read soon. */
BG_INLINE void bg_prefetch_row(const int16_t *row)
{
#if defined(__GNUC__)
    int line;
    for (line = 0; line < 4; line++)
        __builtin_prefetch((const char *)row + BG_CACHE_LINE * line);
#else
    (void)row;
#endif
}

/* ---- quantized: in integer arithmetic an update gives the same accumulator as a refresh ---- */

/* Adds up a tile: the hidden units from `h` on that fill `registers` registers. */
BG_INLINE void bg_net_accumulate_tile(
    const int16_t *bias, int h, int registers, int n, const int16_t **rows, int16_t *accumulation)
{
    BgInt16s a[4];
    int i, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_int16s_load(bias + h + r * BG_INT16S);
    for (i = 0; i < n; i++)
        for (r = 0; r < registers; r++)
            a[r] = bg_int16s_add(a[r], bg_int16s_load(rows[i] + h + r * BG_INT16S));
    for (r = 0; r < registers; r++)
        bg_int16s_store(accumulation + h + r * BG_INT16S, a[r]);
}

static inline void bg_net_accumulate(const BgFirstLayer *layer, const int8_t *board, int16_t *accumulation)
{
    const int16_t *bias = layer->quantized_table + BG_TABLE_BIAS * layer->hidden, *rows[BG_NET_MAX_ACTIVE_ROWS];
    int active[BG_NET_MAX_ACTIVE_ROWS], h, i, n = bg_net_active_rows(layer, board, active);
    for (i = 0; i < n; i++)
        rows[i] = layer->quantized_table + active[i] * layer->hidden;
    for (h = 0; h + 4 * BG_INT16S <= layer->hidden; h += 4 * BG_INT16S)
        bg_net_accumulate_tile(bias, h, 4, n, rows, accumulation);
    for (; h < layer->hidden; h += 32)
        bg_net_accumulate_tile(bias, h, 32 / BG_INT16S, n, rows, accumulation);
}

/* Rows to add to the sums of an accumulator and to remove from them for the next board. */
typedef struct {
    int n;
    const int16_t *added[BG_NET_MAX_ACTIVE_ROWS + 4], *removed[BG_NET_MAX_ACTIVE_ROWS + 4];
} BgChangedRows;

/* Appends rows for the bytes in the mask `changed`, which differ in `from` and `to`. A branch on their number is mispredicted
 * too often. So rows are written in groups of four; the surplus ones, for byte `bytes` (0 in both), are not counted. `first` is
 * the row of the first byte's 0, `stride` the number of rows for each byte. */
BG_INLINE void bg_net_append_changed_rows(
    const BgFirstLayer *layer, const int8_t *from, const int8_t *to, uint64_t changed, int bytes, int first, int stride,
    BgChangedRows *rows)
{
    const int hidden = layer->hidden;
    int k, n = rows->n;
    rows->n += bg_popcount((uint32_t)changed) + bg_popcount((uint32_t)(changed >> 32));
    do {
        for (k = 0; k < 4; k++) {
            const int byte = bg_lowest_of_64(changed | (uint64_t)1 << bytes);
            const int16_t *row = layer->quantized_table + (first + byte * stride) * hidden;
            rows->added[n] = row + to[byte] * hidden;
            bg_prefetch_row(rows->added[n]);
            rows->removed[n++] = row + from[byte] * hidden;
            changed &= changed - 1;
        }
    } while (changed);
}

/* Appends the rows of a side's checkers off if their number changes. */
BG_INLINE void bg_net_append_off(const BgFirstLayer *layer, int side, int *from, int to, BgChangedRows *rows)
{
    if (*from == to)
        return;
    rows->added[rows->n] = layer->quantized_table + bg_table_off_row(side, to) * layer->hidden;
    rows->removed[rows->n++] = layer->quantized_table + bg_table_off_row(side, *from) * layer->hidden;
    *from = to;
}

/* Moves an accumulator from one board to the next, except for its sums, and writes the rows that change. */
BG_INLINE void bg_net_changed_rows(
    const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board, BgChangedRows *rows)
{
    const bg_row row = bg_load_board(board);
    const BgPlaces places = bg_places(row);
    const uint32_t triples = bg_not_equal(bg_load_row(accumulator->places), places.triples);
    const uint32_t excess = bg_not_equal(bg_load_row(accumulator->places + BG_FIRST_PLACE_BYTE), places.excess);
    int8_t bytes[BG_PLACES_BYTES];
    rows->n = 0;
    bg_store(bytes, places.triples);
    bg_store(bytes + BG_FIRST_PLACE_BYTE, places.excess);
    bg_net_append_changed_rows(
        layer, accumulator->places, bytes, triples | (uint64_t)excess << BG_FIRST_PLACE_BYTE, BG_UNUSED_BYTE, 0,
        BG_PLACE_ROWS, rows);
    bg_store(accumulator->places, places.triples);
    bg_store(accumulator->places + BG_FIRST_PLACE_BYTE, places.excess);
    bg_net_append_off(layer, 0, &accumulator->off_own, BG_NET_CHECKERS - bg_sum_positive(row), rows);
    bg_net_append_off(layer, 1, &accumulator->off_opponent, BG_NET_CHECKERS - bg_sum_positive(bg_negated(row)), rows);
    if (layer->has_features) {
        const bg_row features = bg_features(board);
        int8_t value[BG_FEATURE_BYTES];
        bg_store(value, features);
        bg_net_append_changed_rows(
            layer, accumulator->features, value, bg_not_equal(bg_load_row(accumulator->features), features),
            2 * BG_FEATURES, bg_table_feature_row(0, 0), BG_FEATURE_VALUES, rows);
        bg_store(accumulator->features, features);
    }
}

/* Computes the accumulator of a board from all its active rows. */
static inline void bg_net_refresh(const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board)
{
    const bg_row row = bg_load_board(board);
    const BgPlaces places = bg_places(row);
    bg_store(accumulator->places, places.triples);
    bg_store(accumulator->places + BG_FIRST_PLACE_BYTE, places.excess);
    accumulator->off_own = BG_NET_CHECKERS - bg_sum_positive(row);
    accumulator->off_opponent = BG_NET_CHECKERS - bg_sum_positive(bg_negated(row));
    if (layer->has_features)
        bg_store(accumulator->features, bg_features(board));
    bg_net_accumulate(layer, board, accumulator->accumulation);
    accumulator->computed = 1;
}

/* The same, or with a computed accumulator `bg_net_changed_rows`; else no row changes. */
BG_INLINE void bg_net_next_board(
    const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board, BgChangedRows *rows)
{
    if (accumulator->computed)
        bg_net_changed_rows(layer, accumulator, board, rows);
    else {
        bg_net_refresh(layer, accumulator, board);
        rows->n = 0;
    }
}

#endif
