/* First layer of a network: the active table rows of a board, added up in an accumulator.
 *
 * Evaluations use float tables. The choice among successors uses tables quantized to 16 bits: twice as many
 * numbers fit in a register and in the cache. A float accumulator is always computed from all rows; a quantized one is
 * refreshed for the first board and updated for later ones, which differ in a few rows.
 */
#ifndef BGFAST_NETWORK_ACCUMULATOR_H
#define BGFAST_NETWORK_ACCUMULATOR_H

#include "network_rows.h"

/* ---- float ---- */

/* 32 numbers in four registers. Loops over them are unrolled. */
enum { BG_TILE_LANES = 4 };
typedef struct {
    BgLanes lanes[BG_TILE_LANES];
} BgTile;

BG_INLINE BgTile bg_tile_load(const float *from)
{
    BgTile t;
    int r;
    for (r = 0; r < BG_TILE_LANES; r++)
        t.lanes[r] = bg_lanes_load(from + BG_LANES * r);
    return t;
}

BG_INLINE void bg_tile_store(float *to, BgTile t)
{
    int r;
    for (r = 0; r < BG_TILE_LANES; r++)
        bg_lanes_store(to + BG_LANES * r, t.lanes[r]);
}

/* t + scale * row */
BG_INLINE BgTile bg_tile_add_scaled(BgTile t, const float *row, BgLanes scale)
{
    int r;
    for (r = 0; r < BG_TILE_LANES; r++)
        t.lanes[r] = bg_lanes_add(t.lanes[r], bg_lanes_mul(scale, bg_lanes_load(row + BG_LANES * r)));
    return t;
}

#define BG_FLOAT_BOARDS 8 /* boards whose accumulators are computed together */

/* Active rows and accumulator of a board. */
typedef struct {
    int n;
    const float *rows[BG_NET_MAX_ACTIVE_ROWS];
    float accumulation[BG_NET_MAX_HIDDEN] BG_ON_CACHE_LINES;
} BgFloatAccumulator;

/* Sums the bias and the active rows for `registers` registers of hidden units, from unit `h` on. */
BG_INLINE void bg_net_accumulate_floats(const float *bias, int h, int registers, BgFloatAccumulator *accumulator)
{
    BgFloats a[4];
    int i, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_floats_load(bias + h + r * BG_FLOATS);
    for (i = 0; i < accumulator->n; i++)
        for (r = 0; r < registers; r++)
            a[r] = bg_floats_add(a[r], bg_floats_load(accumulator->rows[i] + h + r * BG_FLOATS));
    for (r = 0; r < registers; r++)
        bg_floats_store(accumulator->accumulation + h + r * BG_FLOATS, a[r]);
}

/* Computes the accumulators of boards, tile by tile: boards share most of their rows, and one tile of all these
 * rows fits in the cache. */
static inline void bg_net_accumulate_boards(
    const BgFirstLayer *layer, const int8_t *boards, int row_size, int n, BgFloatAccumulator *accumulators)
{
    const float *bias = layer->float_table + (int64_t)BG_TABLE_BIAS * layer->stride;
    int active[BG_NET_MAX_ACTIVE_ROWS], b, h, i;
    for (b = 0; b < n; b++, boards += row_size) {
        accumulators[b].n = bg_net_active_rows(layer, boards, active);
        for (i = 0; i < accumulators[b].n; i++)
            accumulators[b].rows[i] = layer->float_table + (int64_t)active[i] * layer->stride;
    }
    for (h = 0; h + 4 * BG_FLOATS <= layer->hidden; h += 4 * BG_FLOATS)
        for (b = 0; b < n; b++)
            bg_net_accumulate_floats(bias, h, 4, accumulators + b);
    for (; h < layer->hidden; h += 32)
        for (b = 0; b < n; b++)
            bg_net_accumulate_floats(bias, h, 32 / BG_FLOATS, accumulators + b);
}

/* ---- quantized: in integer arithmetic an update gives the same accumulator as a refresh ---- */

BG_INLINE void bg_prefetch_row(const int16_t *row)
{
#if defined(__GNUC__)
    int line;
    for (line = 0; line < 2; line++)
        __builtin_prefetch((const char *)row + BG_CACHE_LINE * line);
#else
    (void)row;
#endif
}

/* Adds up a tile: the hidden units from `h` on that fill `registers` registers. */
BG_INLINE void bg_net_accumulate_tile(
    const int16_t *bias, int h, int registers, int n, const int16_t **rows, int16_t *accumulation)
{
    BgInt16s a[BG_INT16S_REGISTERS];
    int i, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_int16s_load(bias + h + r * BG_INT16S);
    for (i = 0; i < n; i++)
        for (r = 0; r < registers; r++)
            a[r] = bg_int16s_add(a[r], bg_int16s_load(rows[i] + h + r * BG_INT16S));
    for (r = 0; r < registers; r++)
        bg_int16s_store(accumulation + h + r * BG_INT16S, a[r]);
}

/* Computes the accumulator of a board from all its active rows. */
static inline void bg_net_refresh(const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board)
{
    const int16_t *bias = layer->quantized_table + BG_TABLE_BIAS * layer->hidden, *rows[BG_ROW_NUMBERS];
    uint64_t active;
    int h, n = 0;
    accumulator->row_numbers = bg_net_row_numbers(layer, board);
    for (active = bg_net_differences(&accumulator->row_numbers, &BG_EMPTY); active; active &= active - 1)
        rows[n++] = layer->quantized_table + accumulator->row_numbers.numbers[bg_lowest_of_64(active)] * layer->hidden;
    for (h = 0; h + BG_INT16S_REGISTERS * BG_INT16S <= layer->hidden; h += BG_INT16S_REGISTERS * BG_INT16S)
        bg_net_accumulate_tile(bias, h, BG_INT16S_REGISTERS, n, rows, accumulator->accumulation);
    for (; h < layer->hidden; h += 32)
        bg_net_accumulate_tile(bias, h, 32 / BG_INT16S, n, rows, accumulator->accumulation);
    accumulator->computed = 1;
}

/* Rows to add to, and to subtract from, the sums of an accumulator for the next board. */
typedef struct {
    int n;
    const int16_t *added[BG_ROW_NUMBERS + 4], *removed[BG_ROW_NUMBERS + 4];
} BgChangedRows;

/* Updates an accumulator's row numbers, not its sums, for the next board and writes the changed rows. A branch on
 * their count would be mispredicted too often, so rows are written in groups of four. The padding, rows of the
 * unused last row number, is not counted in `n`. */
BG_INLINE void bg_net_list_changed_rows(
    const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board, BgChangedRows *rows)
{
    const BgRowNumbers next = bg_net_row_numbers(layer, board), *before = &accumulator->row_numbers;
    uint64_t changed = bg_net_differences(before, &next);
    const int hidden = layer->hidden;
    int k, n = 0;
    rows->n = bg_popcount((uint32_t)changed) + bg_popcount((uint32_t)(changed >> 32));
    do {
        for (k = 0; k < 4; k++) {
            const int index = bg_lowest_of_64(changed | (uint64_t)1 << (BG_ROW_NUMBERS - 1));
            rows->added[n] = layer->quantized_table + next.numbers[index] * hidden;
            bg_prefetch_row(rows->added[n]);
            rows->removed[n++] = layer->quantized_table + before->numbers[index] * hidden;
            changed &= changed - 1;
        }
    } while (changed);
    accumulator->row_numbers = next;
}

/* Calls `bg_net_list_changed_rows` if the accumulator is computed; otherwise refreshes it and writes no rows. */
BG_INLINE void bg_net_next_board(
    const BgFirstLayer *layer, BgNetAccumulator *accumulator, const int8_t *board, BgChangedRows *rows)
{
    if (accumulator->computed)
        bg_net_list_changed_rows(layer, accumulator, board, rows);
    else {
        bg_net_refresh(layer, accumulator, board);
        rows->n = 0;
    }
}

#endif
