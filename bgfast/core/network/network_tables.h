/* Float and quantized tables of a network, computed from its weights.
 *
 * Rows of weights of a first layer: 2 sides x 24 points x 6 inputs, 2 bars, 2 sides x 15 checkers off, 2 sides x
 * features, the biases of the hidden units, 8 triples x 125 classes.
 */
#ifndef BGFAST_NETWORK_TABLES_H
#define BGFAST_NETWORK_TABLES_H

#include "network_forward.h"

/* Writes the nonzero inputs, and their values, of a point with `count` checkers. Returns their number. */
static inline int bg_net_point_inputs(int count, int *input, float *value)
{
    int k, n = 0;
    for (k = count == 1 ? 1 : 2; k <= 5 && k <= count; k++) {
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
static inline void bg_net_add_scaled_to(int hidden, float *to, const float *from, const float *row, float scale)
{
    int h;
    for (h = 0; h < hidden; h += 4 * BG_LANES)
        bg_tile_store(to + h, bg_tile_add_scaled(bg_tile_load(from + h), row + h, bg_lanes_splat(scale)));
}

/* Returns the weights of the `count`th checker on a point, the third or later, and writes its input value. */
static inline const float *bg_net_weights_of_checker(const float *inputs, int hidden, int count, float *value)
{
    *value = count <= 5 ? 1.0f : 0.5f;
    return inputs + (int64_t)(count <= 5 ? count - 1 : 5) * hidden;
}

/* Fills the rows of a triple: its own weights plus the weights of one or two checkers on each point. */
static inline void bg_net_make_triple(int hidden, const float *weights, int triple, float *table)
{
    const int64_t size = hidden, stride = bg_float_stride(hidden);
    const float *row = weights + (BG_WEIGHTS_TRIPLES + triple * BG_TRIPLE_CLASSES) * size;
    float *to = table + bg_table_triple_row(triple, 0) * stride;
    int triple_class, i;
    for (triple_class = 0; triple_class < BG_TRIPLE_CLASSES; triple_class++, row += size, to += stride) {
        const int counts[3] = {triple_class / 25 - 2, triple_class / 5 % 5 - 2, triple_class % 5 - 2};
        memcpy(to, row, sizeof(float) * size);
        for (i = 0; i < 3; i++) {
            const int point = 3 * triple + 1 + i, side = counts[i] < 0, input = counts[i] < 0 ? -counts[i] : counts[i];
            const int place = side ? 24 + 24 - point : point - 1;
            if (counts[i])
                bg_net_add_scaled_to(hidden, to, to, weights + (place * BG_NET_POINT_INPUTS + input - 1) * size, 1.0f);
        }
    }
}

/* Fills the float table. Each count's row is the previous count's row plus the weights of the added checker. */
static inline void bg_net_make_float_table(int hidden, int has_features, const float *weights, float *table)
{
    const int64_t size = hidden, stride = bg_float_stride(hidden);
    float *off = table + BG_TABLE_OFF * stride;
    float *features = table + BG_TABLE_FEATURES * stride;
    int side, point, count, triple, feature, value;
    for (triple = 0; triple < BG_NET_TRIPLES; triple++)
        bg_net_make_triple(hidden, weights, triple, table);
    memset(table, 0, sizeof(float) * BG_TABLE_OFF * stride);
    for (side = 0; side < 2; side++) {
        const int64_t step = side ? -stride : stride; /* from the row of a count to the row of the next */
        const float *bar = weights + (BG_WEIGHTS_BAR + side) * size;
        float *to = table + bg_table_place_row(side ? 0 : 25, 0) * stride;
        for (count = 1; count <= 15; count++, to += step)
            bg_net_add_scaled_to(hidden, to + step, to, bar, 0.5f);
        for (point = 0; point < 24; point++) {
            const float *w = weights + (side * 24 + point) * BG_NET_POINT_INPUTS * size;
            to = table + bg_table_place_row(side ? 24 - point : point + 1, 0) * stride;
            for (count = 3; count <= 15; count++, to += step) {
                float scale;
                const float *row = bg_net_weights_of_checker(w, hidden, count, &scale);
                bg_net_add_scaled_to(hidden, to + step, to, row, scale);
            }
        }
        to = off + side * BG_NET_OFF_COUNTS * stride;
        memset(to, 0, sizeof(float) * hidden);
        for (count = 1; count < BG_NET_OFF_COUNTS; count++)
            bg_net_add_scaled_to(hidden, to + count * stride, to + (count - 1) * stride,
                weights + (BG_WEIGHTS_OFF + side * 15 + count - 1) * size, 1.0f);
    }
    for (side = 0; has_features && side < 2; side++)
        for (feature = 0; feature < BG_FEATURES; feature++)
            for (value = 0; value < BG_FEATURE_VALUES; value++) {
                float share;
                const int64_t row = bg_feature_knot(feature, value, &share);
                const float *w = weights + (BG_WEIGHTS_FEATURES + side * BG_FEATURE_ROWS + row) * size;
                float *to = features + (int64_t)((side * BG_FEATURES + feature) * BG_FEATURE_VALUES + value) * stride;
                memset(to, 0, sizeof(float) * hidden);
                bg_net_add_scaled_to(hidden, to, to, w, 1.0f - share);
                bg_net_add_scaled_to(hidden, to, to, w + size, share);
            }
    memcpy(table + BG_TABLE_BIAS * stride, weights + BG_WEIGHTS_BIAS * size, sizeof(float) * hidden);
}

/* Rounds to the nearest integer. Returns 0 for NaN and numbers out of range, which diverged training produces. */
static inline int16_t bg_net_round_to_int16(float x)
{
    x += (x < 0 ? -0.5f : 0.5f);
    return (int16_t)(x > -32768.0f && x < 32768.0f ? x : 0.0f);
}

/* Raises each of `hidden` numbers in `largest` to at least the number in `row` times `sign`, 1 or -1. */
static inline void bg_net_raise(int64_t hidden, float *largest, const float *row, float sign)
{
    int64_t h;
    for (h = 0; h < hidden; h++)
        largest[h] = largest[h] < sign * row[h] ? sign * row[h] : largest[h];
}

/* Adds to each unit's `bound` the largest of `sign` times its numbers in `rows` rows, `stride` apart. */
static inline void bg_net_add_largest(
    int64_t hidden, float *bound, const float *row, int64_t stride, int rows, float sign)
{
    float largest[BG_NET_MAX_HIDDEN];
    int64_t h;
    for (h = 0; h < hidden; h++)
        largest[h] = sign * row[h];
    while (--rows)
        bg_net_raise(hidden, largest, row += stride, sign);
    for (h = 0; h < hidden; h++)
        bound[h] += largest[h];
}

/* Adds to the bounds of 32 units, from `first` on, the largest sums, times `sign`, that a side's 15 checkers can
 * contribute, wherever they are. `largest[c]` has the largest sums of c checkers on the places so far. */
static inline void bg_net_add_checkers(
    const BgFirstLayer *layer, const float *weights, int first, int side, float sign, float *bound)
{
    const int64_t hidden = layer->hidden;
    float largest[BG_NET_CHECKERS + 1][32], value[BG_NET_CHECKERS + 1][32];
    int place, count, added, h;
    for (count = 0; count <= BG_NET_CHECKERS; count++)
        for (h = 0; h < 32; h++)
            largest[count][h] = count ? -1e30f : 0.0f;
    for (place = 0; place <= BG_NET_PLACES; place++) {
        const int is_point = 1 <= place && place <= 24;
        const int point = is_point ? side ? 24 + 24 - place : place - 1 : 0;
        const float *inputs = weights + point * BG_NET_POINT_INPUTS * hidden + first;
        for (count = 1; count <= BG_NET_CHECKERS; count++) {
            const int base = is_point ? count < 2 ? count : 2 : 0, extra = side ? base - count : count - base;
            const int row = place < BG_NET_PLACES ? bg_table_place_row(place, extra) : bg_table_off_row(side, count);
            for (h = 0; h < 32; h++)
                value[count][h] =
                    layer->float_table[row * layer->stride + first + h] + (base ? inputs[(base - 1) * hidden + h] : 0.0f);
        }
        for (count = BG_NET_CHECKERS; count > 0; count--)
            for (added = 1; added <= count; added++)
                for (h = 0; h < 32; h++) {
                    const float x = largest[count - added][h] + sign * value[added][h];
                    largest[count][h] = largest[count][h] < x ? x : largest[count][h];
                }
    }
    for (h = 0; h < 32; h++)
        bound[first + h] += largest[BG_NET_CHECKERS][h];
}

static inline void bg_net_quantize_row(int64_t hidden, const float *row, const float *scale, int16_t *quantized)
{
    int64_t h;
    for (h = 0; h < hidden; h++)
        quantized[h] = bg_net_round_to_int16(row[h] * scale[h]);
}

/* Fills each row of a pair of features with the sum of the quantized rows of both features. */
static inline void bg_net_quantize_pairs(const BgFirstLayer *layer, const float *scale, int16_t *quantized)
{
    const int64_t hidden = layer->hidden, stride = layer->stride;
    int16_t first_row[BG_NET_MAX_HIDDEN];
    int pair, first, second;
    int64_t h;
    for (pair = 0; pair < BG_FEATURES; pair++) {
        const int values[2] = {bg_feature_values(BG_PAIRS[pair][0]), bg_feature_values(BG_PAIRS[pair][1])};
        const float *table[2] = {layer->float_table + bg_table_feature_row(BG_PAIRS[pair][0], 0) * stride,
            layer->float_table + bg_table_feature_row(BG_PAIRS[pair][1], 0) * stride};
        /* The rows of the last value of `first` are filled last; until then they hold the second feature's rows. */
        for (second = 0; second < values[1]; second++)
            bg_net_quantize_row(hidden, table[1] + second * stride, scale,
                quantized + bg_table_pair_row(pair, values[0] - 1, second) * hidden);
        for (first = 0; first < values[0]; first++) {
            bg_net_quantize_row(hidden, table[0] + first * stride, scale, first_row);
            for (second = 0; second < (bg_is_shot_pair(pair) ? first + 1 : values[1]); second++) {
                int16_t *to = quantized + bg_table_pair_row(pair, first, second) * hidden;
                const int16_t *second_row = quantized + bg_table_pair_row(pair, values[0] - 1, second) * hidden;
                for (h = 0; h < hidden; h += BG_INT16S)
                    bg_int16s_store(to + h, bg_int16s_add(bg_int16s_load(first_row + h), bg_int16s_load(second_row + h)));
            }
        }
    }
}

/* Quantizes the float table. The scale of each hidden unit keeps rows and accumulators within 16 bits. */
static inline void bg_net_quantize_first_layer(
    const BgFirstLayer *layer, const float *weights, float *scale, float *peak, int16_t *quantized)
{
    const int64_t hidden = layer->hidden, stride = layer->stride;
    const float *table = layer->float_table, *triples = weights + BG_WEIGHTS_TRIPLES * hidden;
    float largest[BG_NET_MAX_HIDDEN], bound[BG_NET_MAX_HIDDEN];
    int64_t h, index;
    int k, negative;
    for (h = 0; h < hidden; h++)
        largest[h] = 1.0f;
    for (negative = 0; negative < 2; negative++) {
        const float sign = negative ? -1.0f : 1.0f;
        for (h = 0; h < hidden; h++)
            bound[h] = sign * table[BG_TABLE_BIAS * stride + h];
        for (k = 0; k < BG_NET_TRIPLES; k++)
            bg_net_add_largest(
                hidden, bound, triples + k * BG_TRIPLE_CLASSES * hidden, hidden, BG_TRIPLE_CLASSES, sign);
        for (k = 0; layer->has_features && k < 2 * BG_FEATURES; k++)
            bg_net_add_largest(
                hidden, bound, table + bg_table_feature_row(k, 0) * stride, stride, BG_FEATURE_VALUES, sign);
        for (h = 0; h < hidden; h += 32)
            for (k = 0; k < 2; k++)
                bg_net_add_checkers(layer, weights, (int)h, k, sign, bound);
        bg_net_raise(hidden, largest, bound, 1.0f);
        if (!negative)
            memcpy(peak, bound, sizeof(float) * hidden);
        for (index = 0; index < BG_TABLE_ROWS; index++)
            if (layer->has_features || index < BG_TABLE_FEATURES)
                bg_net_raise(hidden, largest, table + index * stride, sign);
    }
    /* The maximum is 32000, not 32767, since each row may be rounded up. */
    for (h = 0; h < hidden; h++) {
        scale[h] = 32000.0f / largest[h];
        peak[h] = (peak[h] > 0 ? peak[h] : 0) * scale[h] + 0.5f * BG_NET_MAX_ACTIVE_ROWS;
    }
    for (index = 0; index < BG_TABLE_FEATURES; index++)
        bg_net_quantize_row(hidden, table + index * stride, scale, quantized + index * hidden);
    if (layer->has_features)
        bg_net_quantize_pairs(layer, scale, quantized);
}

/* Lays out the tables of a first layer in `memory`: `bg_first_layer_bytes` bytes, aligned for floats. They are made from
 * `weights`, arrays of floats of 16 or 32 bits, when a board first needs them. */
static inline void bg_net_make_first_layer(
    BgFirstLayer *layer, int hidden, int has_features, const void *const *weights, int bits, void *memory)
{
    int16_t *quantized = (int16_t *)bg_on_cache_line(memory); /* first, for rows at multiples of 1 KB in large pages */
    float *scale = (float *)(quantized + (int64_t)BG_QUANTIZED_ROWS * hidden);
    layer->hidden = hidden;
    layer->stride = bg_float_stride(hidden);
    layer->has_features = has_features;
    layer->bits = bits;
    layer->ready = BG_NOTHING_READY;
    memcpy(layer->weights, weights, sizeof layer->weights);
    layer->float_table = scale + 2 * hidden;
    layer->quantized_table = quantized;
    layer->scale = scale;
    layer->peak = scale + hidden;
}

/* Writes the values of 32 finite 16-bit floats of any alignment. */
static inline void bg_floats_of_halves(const void *from, float *to)
{
    uint16_t halves[32];
    uint32_t bits[32];
    float subnormals[32];
    int i;
    memcpy(halves, from, sizeof halves);
    for (i = 0; i < 32; i++)
        subnormals[i] = (float)(halves[i] & 0x3ff) * (1.0f / 16777216.0f);
    memcpy(bits, subnormals, sizeof bits);
    for (i = 0; i < 32; i++) {
        const uint32_t half = halves[i], mask = 0u - (uint32_t)((half & 0x7c00) == 0);
        bits[i] = (bits[i] & mask) | ((((half & 0x7fff) << 13) + ((uint32_t)112 << 23)) & ~mask) | (half & 0x8000) << 16;
    }
    memcpy(to, bits, sizeof bits);
}

/* Writes all rows of weights of a first layer as floats. */
static inline void bg_net_read_weights(const BgFirstLayer *layer, float *to)
{
    static const int first_rows[BG_WEIGHTS_PARTS + 1] = {
        0, BG_WEIGHTS_BAR, BG_WEIGHTS_OFF, BG_WEIGHTS_FEATURES, BG_WEIGHTS_BIAS, BG_WEIGHTS_TRIPLES, BG_WEIGHTS_ROWS};
    int part;
    int64_t i;
    for (part = 0; part < BG_WEIGHTS_PARTS; part++) {
        const int64_t size = (int64_t)(first_rows[part + 1] - first_rows[part]) * layer->hidden;
        const char *from = (const char *)layer->weights[part]; /* may be unaligned */
        if (from == NULL)
            memset(to, 0, sizeof(float) * size);
        else if (layer->bits == 32)
            memcpy(to, from, sizeof(float) * size);
        else
            for (i = 0; i < size; i += 32)
                bg_floats_of_halves(from + 2 * i, to + i);
        to += size;
    }
}

/* Makes the missing tables of a first layer, up to the state `tables`. */
static inline void bg_net_make_tables(BgFirstLayer *layer, int tables)
{
    int16_t *quantized = (int16_t *)layer->quantized_table;
    float *weights = (float *)quantized; /* uses a third of this memory until rows are quantized */
    bg_net_read_weights(layer, weights);
    if (layer->ready == BG_NOTHING_READY)
        bg_net_make_float_table(layer->hidden, layer->has_features, weights, (float *)layer->float_table);
    if (tables == BG_ALL_READY)
        bg_net_quantize_first_layer(layer, weights, (float *)layer->scale, (float *)layer->peak, quantized);
    layer->ready = tables;
}

/* Returns `weight` per unit of a quantized activation or, from input `hidden` on, of a quantized square. */
BG_INLINE float bg_net_step(float weight, int input, const BgFirstLayer *layer)
{
    const int hidden = layer->hidden;
    const float scale = layer->scale[input < hidden ? input : input - hidden];
    return input < hidden ? weight * (1 << BG_NET_ACTIVATION_SHIFT) / scale : weight * 32768.0f / scale / scale;
}

/* Returns the factor that quantizes `inputs` weights `stride` apart: sums of their products with activations and squares must
 * stay within 32 bits. */
static inline float bg_net_fit(const BgFirstLayer *layer, int inputs, const float *weights, int stride)
{
    float positive_sum = 0, negative_sum = 0, largest = 0, rounding = 0, sum, fit;
    int h;
    for (h = 0; h < inputs; h++) {
        const float peak = layer->peak[h < layer->hidden ? h : h - layer->hidden];
        const float input = h < layer->hidden ? peak / (1 << BG_NET_ACTIVATION_SHIFT) : peak * peak / 32768.0f + 0.5f;
        const float x = bg_net_step(weights[(int64_t)h * stride], h, layer), size = x < 0 ? -x : x;
        positive_sum += x > 0 ? x * input : 0;
        negative_sum += x < 0 ? size * input : 0;
        rounding += 0.5f * input; /* each weight is rounded by up to half a unit */
        largest = largest < size ? size : largest;
    }
    sum = positive_sum > negative_sum ? positive_sum : negative_sum;
    /* The maximum is 2147000000, not 2^31 - 1, since the sums are rounded. */
    fit = sum > 0 ? (2147000000.0f - rounding) / sum : 1.0f;
    return fit * largest > 32000.0f ? 32000.0f / largest : fit;
}

/* Quantizes outputs that read the first layer. */
static inline void bg_net_quantize_outputs(BgNet *net, int16_t *quantized)
{
    const BgFirstLayer *layer = net->first_layer;
    const int inputs = net->inputs;
    int h, k;
    for (k = 0; k < BG_NET_OUTPUTS; k++) {
        const float *row = net->output_weights + (int64_t)k * inputs, fit = bg_net_fit(layer, inputs, row, 1);
        for (h = 0; h < inputs; h++)
            quantized[(int64_t)k * inputs + h] = bg_net_round_to_int16(bg_net_step(row[h], h, layer) * fit);
        net->output_scale[k] = 1.0f / fit;
    }
}

/* Quantizes a hidden dense layer into the order that `bg_dense_sums` reads. */
static inline void bg_net_quantize_dense(const BgNet *net, int16_t *quantized, float *dense_scale)
{
    const BgFirstLayer *layer = net->first_layer;
    const int inputs = net->inputs, units = net->units;
    const int hidden = layer->hidden, block = 2 * units, blocks = inputs / hidden; /* a block has the weights of two inputs */
    int h, j;
    for (j = 0; j < units; j++) {
        const float *column = net->dense_weights + j, fit = bg_net_fit(layer, inputs, column, units);
        for (h = 0; h < inputs; h++)
            quantized[(int64_t)(h % hidden / 2 * blocks + h / hidden) * block + j * 2 + (h & 1)] =
                bg_net_round_to_int16(bg_net_step(column[(int64_t)h * units], h, layer) * fit);
        dense_scale[j] = 1.0f / fit;
    }
}

/* Makes the float tables of a bucket's head in `memory`: `bg_head_bytes` bytes. `dense_weights` (`units` rows of `inputs`) and
 * `dense_bias` are not read if `units` is 0. */
static inline void bg_net_make_head(
    BgNet *net, const BgFirstLayer *layer, int accumulator, int inputs, int units, const float *dense_weights,
    const float *dense_bias, const float *output_weights, const float *output_bias, void *memory)
{
    const int last = units ? units : inputs;
    float *outputs = (float *)bg_on_cache_line(memory), *rest = outputs + BG_NET_OUTPUTS * last;
    int h, j;
    memset(net, 0, sizeof *net);
    net->first_layer = layer;
    net->accumulator = accumulator;
    net->inputs = inputs;
    net->units = units;
    memcpy(outputs, output_weights, sizeof(float) * BG_NET_OUTPUTS * last);
    net->output_weights = outputs;
    memcpy(net->output_bias, output_bias, sizeof(float) * BG_NET_OUTPUTS);
    if (units) {
        float *bias = rest, *scale = bias + units, *dense = scale + units;
        memcpy(bias, dense_bias, sizeof(float) * units);
        for (h = 0; h < inputs; h++)
            for (j = 0; j < units; j++)
                dense[(int64_t)h * units + j] = dense_weights[(int64_t)j * inputs + h];
        net->dense_bias = bias;
        net->dense_scale = scale;
        net->dense_weights = dense;
        net->quantized_dense = (int16_t *)(dense + (int64_t)inputs * units);
    } else
        net->quantized_output = (int16_t *)rest;
}

BG_NOINLINE void bg_net_make(const BgNet *net, int tables)
{
    BgNet *writable_net = (BgNet *)net;
    BgFirstLayer *layer = (BgFirstLayer *)net->first_layer;
    bg_lock(&layer->maker);
    if (layer->ready < tables)
        bg_net_make_tables(layer, tables);
    if (writable_net->ready < tables) {
        if (tables == BG_ALL_READY && net->units)
            bg_net_quantize_dense(net, (int16_t *)net->quantized_dense, (float *)net->dense_scale);
        else if (tables == BG_ALL_READY)
            bg_net_quantize_outputs(writable_net, (int16_t *)net->quantized_output);
        bg_store_release(&writable_net->ready, tables);
    }
    bg_unlock(&layer->maker);
}

#endif
