/* First layer of a network: the active table rows of a board, added up in an accumulator.
 *
 * Float tables are for evaluations, tables quantized to 16 bits for the choice among successors, since twice as many
 * numbers fit in a register and in the cache. A float accumulator is always computed from all rows; a quantized one is
 * refreshed for the first board and updated for the next, which differs in a few rows.
 */
#ifndef BGFAST_NETWORK_ACCUMULATOR_H
#define BGFAST_NETWORK_ACCUMULATOR_H

#include "position_features.h"

static inline int bg_table_place_row(int place, int count)
{
    return BG_TABLE_PLACES + place * BG_NET_COUNTS + count + 15;
}
static inline int bg_table_off_row(int side, int off) { return BG_TABLE_OFF + side * BG_NET_OFF_COUNTS + off; }
static inline int bg_table_feature_row(int number, int value)
{
    return BG_TABLE_FEATURES + number * BG_FEATURE_VALUES + value;
}

/* Writes the active rows of a board: places, checkers off, features. Returns their number. */
static inline int bg_net_active_rows(const BgFirstLayer *layer, const int8_t *board, int *rows)
{
    int place, n = 0, own = 0, opponent = 0;
    for (place = 0; place < BG_NET_PLACES; place++) {
        int count = board[place];
        if (count) {
            rows[n++] = bg_table_place_row(place, count);
            if (count > 0)
                own += count;
            else
                opponent -= count;
        }
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

enum { BG_NET_MAX_CHANGED_ROWS = 28 + 4 + 20 + 4 };

/* Appends the rows to add and to remove, from index n on, for the bytes in the mask `changed`: places of two boards, or
 * features of two positions. A branch on their number is mispredicted too often. So rows are written in groups of four; the
 * surplus ones, for byte `bytes` (0 in both), are not counted. `first` is the row of the first byte's 0, `stride` the number
 * of rows for each byte. Returns the new number of rows. */
BG_INLINE int bg_net_append_changed_rows(
    const BgFirstLayer *layer, const int8_t *from, const int8_t *to, uint32_t changed, int bytes, int first, int stride, int n,
    const int16_t **added, const int16_t **removed)
{
    const int hidden = layer->hidden, count = n + bg_popcount(changed);
    int k;
    do {
        for (k = 0; k < 4; k++) {
            const int byte = bg_lowest(changed | (uint32_t)1 << bytes);
            const int16_t *row = layer->quantized_table + (first + byte * stride) * hidden;
            added[n] = row + to[byte] * hidden;
            removed[n++] = row + from[byte] * hidden;
            changed &= changed - 1;
        }
    } while (changed);
    return count;
}

/* Writes the rows to add and to remove for another board, and updates all of the accumulator but its sums. Returns the
 * number of rows to add, which is also that of rows to remove. */
BG_INLINE int bg_net_changed_rows(
    const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board, const int16_t **added,
    const int16_t **removed)
{
    const bg_row to = bg_load_board(board);
    const int places = BG_NET_PLACES;
    const uint32_t changed = bg_not_equal(bg_load_row(accumulator->point), to) & (((uint32_t)1 << places) - 1);
    const int off_own = BG_NET_CHECKERS - bg_sum_positive(to);
    const int off_opponent = BG_NET_CHECKERS - bg_sum_positive(bg_negated(to));
    const int hidden = layer->hidden;
    int8_t point[32];
    int n;
    bg_store(point, to);
    n = bg_net_append_changed_rows(
        layer, accumulator->point, point, changed, places, bg_table_place_row(0, 0), BG_NET_COUNTS, 0, added, removed);
    if (off_own != accumulator->off_own) {
        added[n] = layer->quantized_table + bg_table_off_row(0, off_own) * hidden;
        removed[n++] = layer->quantized_table + bg_table_off_row(0, accumulator->off_own) * hidden;
        accumulator->off_own = off_own;
    }
    if (off_opponent != accumulator->off_opponent) {
        added[n] = layer->quantized_table + bg_table_off_row(1, off_opponent) * hidden;
        removed[n++] = layer->quantized_table + bg_table_off_row(1, accumulator->off_opponent) * hidden;
        accumulator->off_opponent = off_opponent;
    }
    bg_store(accumulator->point, to);
    if (layer->has_features) {
        const bg_row features = bg_features(board);
        int8_t value[BG_FEATURE_BYTES];
        bg_store(value, features);
        n = bg_net_append_changed_rows(
            layer, accumulator->features, value, bg_not_equal(bg_load_row(accumulator->features), features),
            2 * BG_FEATURES, bg_table_feature_row(0, 0), BG_FEATURE_VALUES, n, added, removed);
        bg_store(accumulator->features, features);
    }
    return n;
}

/* Computes the accumulator of a board from all its active rows. */
static inline void bg_net_refresh(const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board)
{
    const bg_row row = bg_load_board(board);
    bg_store(accumulator->point, row);
    accumulator->off_own = BG_NET_CHECKERS - bg_sum_positive(row);
    accumulator->off_opponent = BG_NET_CHECKERS - bg_sum_positive(bg_negated(row));
    if (layer->has_features)
        bg_store(accumulator->features, bg_features(board));
    bg_net_accumulate(layer, board, accumulator->accumulation);
    accumulator->computed = 1;
}

#endif
