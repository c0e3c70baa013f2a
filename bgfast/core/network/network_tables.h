/* The tables of a network, made of its weights.
 *
 * The weights, row by row, each of `hidden` numbers: 2 sides x 24 points x 6 inputs, 2 bars, 2 sides x 15 of off, 2
 * sides x features, the bias of the hidden units, 5 outputs.
 */
#ifndef BGFAST_NETWORK_TABLES_H
#define BGFAST_NETWORK_TABLES_H

#include "network_sums.h"

/* The inputs of a point with so many checkers that are not 0, and their values. Returns how many. */
static inline int bg_net_point_inputs(int count, int *input, float *value)
{
    int k, n = 0;
    if (count == 1) {
        input[n] = 0;
        value[n++] = 1.0f;
        return n;
    }
    for (k = 2; k <= 5 && k <= count; k++) {
        input[n] = k - 1;
        value[n++] = 1.0f;
    }
    if (count > 5) {
        input[n] = 5;
        value[n++] = 0.5f * (float)(count - 5);
    }
    return n;
}

/* to = from + scale * row; `hidden` is a multiple of four registers. */
static inline void bg_net_add_to(int hidden, float *to, const float *from, const float *row, float scale)
{
    const BgLanes s = bg_lanes_all(scale);
    int h;
    for (h = 0; h < hidden; h += 4 * BG_LANES) {
        bg_lanes_store(to + h, bg_lanes_add(bg_lanes_load(from + h), bg_lanes_mul(s, bg_lanes_load(row + h))));
        bg_lanes_store(
            to + h + 8, bg_lanes_add(bg_lanes_load(from + h + 8), bg_lanes_mul(s, bg_lanes_load(row + h + 8))));
        bg_lanes_store(
            to + h + 16, bg_lanes_add(bg_lanes_load(from + h + 16), bg_lanes_mul(s, bg_lanes_load(row + h + 16))));
        bg_lanes_store(
            to + h + 24, bg_lanes_add(bg_lanes_load(from + h + 24), bg_lanes_mul(s, bg_lanes_load(row + h + 24))));
    }
}

static inline void bg_net_add(int hidden, float *to, const float *row, float scale)
{
    bg_net_add_to(hidden, to, to, row, scale);
}

/* The tables of weights: each place with each count, and what is off. A row is the one of a checker less, and a bit. */
static inline void bg_net_exact_tables(int hidden, int features, const float *weights, float *table)
{
    const int64_t size = hidden;
    float *off = table + BG_NET_OFF_TABLE * size, *feature = table + BG_NET_FEATURE_TABLE * size, *place = table;
    int side, point, count;
    for (point = 0; point < BG_NET_PLACES; point++)
        memset(place + (point * BG_NET_COUNTS + 15) * size, 0, sizeof(float) * hidden);
    for (side = 0; side < 2; side++) {
        const int64_t step = side ? -size : size; /* from a count to the next */
        const float *bar = weights + (BG_NET_BAR_ROW + side) * size;
        float *to = place + ((side ? 0 : 25) * BG_NET_COUNTS + 15) * size;
        for (count = 1; count <= 15; count++, to += step) {
            bg_net_add_to(hidden, to + step, to, bar, 0.5f);
            /* A side has no checkers on the bar of the other one, but rounding looks at all rows. */
            memset(place + bg_net_place_row(side ? 0 : 25, side ? count : -count) * size, 0, sizeof(float) * hidden);
        }
        for (point = 0; point < 24; point++) {
            const float *w = weights + (side * 24 + point) * BG_NET_INPUTS * size;
            to = place + ((side ? 24 - point : point + 1) * BG_NET_COUNTS + 15) * size;
            memcpy(to + step, w, sizeof(float) * hidden);
            memcpy(to + 2 * step, w + size, sizeof(float) * hidden);
            for (count = 3; count <= 15; count++)
                bg_net_add_to(hidden, to + count * step, to + (count - 1) * step,
                    w + (count <= 5 ? count - 1 : 5) * size, count <= 5 ? 1.0f : 0.5f);
        }
        to = off + side * BG_NET_OFF * size;
        memset(to, 0, sizeof(float) * hidden);
        for (count = 1; count < BG_NET_OFF; count++)
            bg_net_add_to(hidden, to + count * size, to + (count - 1) * size,
                weights + (BG_NET_OFF_ROW + side * 15 + count - 1) * size, 1.0f);
    }
    for (side = 0; features && side < 2; side++)
        for (point = 0; point < BG_FEATURES; point++)
            for (count = 0; count < BG_FEATURE_VALUES; count++) {
                float share;
                const int64_t row = bg_feature_input(point, count, &share);
                const float *w = weights + (BG_NET_FEATURE_ROW + side * BG_FEATURE_ROWS + row) * size;
                float *to = feature + (int64_t)((side * BG_FEATURES + point) * BG_FEATURE_VALUES + count) * size;
                memset(to, 0, sizeof(float) * hidden);
                bg_net_add_to(hidden, to, to, w, 1.0f - share);
                bg_net_add_to(hidden, to, to, w + size, share);
            }
    memcpy(table + BG_NET_BIAS * size, weights + BG_NET_BIAS_ROW * size, sizeof(float) * hidden * (1 + BG_NET_OUTPUTS));
}

/* 0 for what does not fit, infinite numbers and NaN included: training with too long steps comes to them. */
static inline int16_t bg_net_nearest(float x)
{
    x += (x < 0 ? -0.5f : 0.5f);
    return (int16_t)(x > -32768.0f && x < 32768.0f ? x : 0.0f);
}

/* Rounds the tables. Each hidden unit has a scale of its own, by which no sum of a board leaves 16 bits: 15 checkers of
 * a side add at most 15 times what one of them adds where it adds most. That of an output keeps its sum in 32 bits. */
static inline void bg_net_round(BgNet *net, int16_t *rounded)
{
    const int64_t hidden = net->hidden;
    const float *row;
    float bound[BG_NET_MOST_HIDDEN], scale[BG_NET_MOST_HIDDEN], most[BG_NET_MOST_HIDDEN];
    int64_t h, number;
    int side, place, count, value, k;
    const float *bias = net->exact + BG_NET_BIAS * hidden;
    for (h = 0; h < hidden; h++)
        bound[h] = bias[h] < 0 ? -bias[h] : bias[h];
    for (side = 0; side < 2; side++) {
        for (h = 0; h < hidden; h++)
            most[h] = 0;
        for (place = 0; place <= BG_NET_PLACES; place++)
            for (count = 1; count <= 15; count++) {
                const float each = 15.0f / (float)count;
                number = place < BG_NET_PLACES ? bg_net_place_row(place, side ? -count : count) : bg_net_off_row(side, count);
                row = net->exact + number * hidden;
                for (h = 0; h < hidden; h++) {
                    const float x = (row[h] < 0 ? -row[h] : row[h]) * each;
                    most[h] = most[h] < x ? x : most[h];
                }
            }
        for (h = 0; h < hidden; h++)
            bound[h] += most[h];
    }
    for (k = 0; net->features && k < 2 * BG_FEATURES; k++) {
        for (h = 0; h < hidden; h++)
            most[h] = 0;
        for (value = 0; value < BG_FEATURE_VALUES; value++) {
            row = net->exact + bg_net_feature_row(k, value) * hidden;
            for (h = 0; h < hidden; h++) {
                const float x = row[h] < 0 ? -row[h] : row[h];
                most[h] = most[h] < x ? x : most[h];
            }
        }
        for (h = 0; h < hidden; h++)
            bound[h] += most[h];
    }
    /* Below 32767, since each row may be rounded up. */
    for (h = 0; h < hidden; h++)
        scale[h] = 32000.0f / (bound[h] < 1.0f ? 1.0f : bound[h]);
    for (number = 0; number < BG_NET_OUTPUT; number++) {
        if (!net->features && number >= BG_NET_FEATURE_TABLE && number < BG_NET_BIAS)
            continue;
        for (h = 0; h < hidden; h++)
            rounded[number * hidden + h] = bg_net_nearest(net->exact[number * hidden + h] * scale[h]);
    }
    for (k = 0; k < BG_NET_OUTPUTS; k++) {
        float total = 0, largest = 0, fit;
        row = net->exact + (BG_NET_OUTPUT + k) * hidden;
        for (h = 0; h < hidden; h++) {
            const float x = (row[h] < 0 ? -row[h] : row[h]) * (1 << BG_NET_SHIFT) / scale[h];
            total += x;
            largest = largest < x ? x : largest;
        }
        /* Half a unit for each rounding is taken away in advance. */
        fit = total > 0 ? (2147483647.0f / (float)(32768 >> BG_NET_SHIFT) - 0.5f * (float)hidden) / total : 1.0f;
        if (fit * largest > 32000.0f)
            fit = 32000.0f / largest;
        for (h = 0; h < hidden; h++)
            rounded[(BG_NET_OUTPUT + k) * hidden + h] =
                bg_net_nearest(row[h] * (1 << BG_NET_SHIFT) / scale[h] * fit);
        net->output_scale[k] = 1.0f / fit;
    }
}

/* Makes the tables of weights in `memory`, which has that size and floats may stand in. */
static inline void bg_net_tables(
    BgNet *net, int hidden, int features, const float *weights, const float *output_bias, void *memory)
{
    int16_t *rounded = (int16_t *)((char *)memory + (int64_t)BG_NET_TABLE_ROWS * hidden * (int64_t)sizeof(float));
    bg_net_exact_tables(hidden, features, weights, (float *)memory);
    net->hidden = hidden;
    net->features = features;
    net->exact = (const float *)memory;
    net->rounded = rounded;
    memset(net->output_bias, 0, sizeof net->output_bias);
    memcpy(net->output_bias, output_bias, sizeof(float) * BG_NET_OUTPUTS);
    bg_net_round(net, rounded);
}

#endif
