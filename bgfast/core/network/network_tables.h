/* Float and quantized tables of a network, computed from its weights.
 *
 * Rows of weights of a first layer: 2 sides x 24 points x 6 inputs, 2 bars, 2 sides x 15 checkers off, 2 sides x
 * features, the biases of the hidden units.
 */
#ifndef BGFAST_NETWORK_TABLES_H
#define BGFAST_NETWORK_TABLES_H

#include "network_forward.h"

/* Writes the nonzero inputs of a point with `count` checkers and their values. Returns their number. */
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
static inline void bg_net_add_scaled_to(int hidden, float *to, const float *from, const float *row, float scale)
{
    int h;
    for (h = 0; h < hidden; h += 4 * BG_LANES)
        bg_tile_store(to + h, bg_tile_add_scaled(bg_tile_load(from + h), row + h, bg_lanes_splat(scale)));
}

/* Fills the float table. The row of a count is that of one checker less plus the weights of the added input. */
static inline void bg_net_make_float_table(int hidden, int has_features, const float *weights, float *table)
{
    const int64_t size = hidden;
    float *place = table + BG_TABLE_PLACES * size, *off = table + BG_TABLE_OFF * size;
    float *feature = table + BG_TABLE_FEATURES * size;
    int side, point, count;
    for (point = 0; point < BG_NET_PLACES; point++)
        memset(place + (point * BG_NET_COUNTS + 15) * size, 0, sizeof(float) * hidden);
    for (side = 0; side < 2; side++) {
        const int64_t step = side ? -size : size; /* from the row of a count to that of the next */
        const float *bar = weights + (BG_WEIGHTS_BAR + side) * size;
        float *to = place + ((side ? 0 : 25) * BG_NET_COUNTS + 15) * size;
        for (count = 1; count <= 15; count++, to += step) {
            bg_net_add_scaled_to(hidden, to + step, to, bar, 0.5f);
            /* A side never has checkers on the opponent's bar, but quantization reads all rows. */
            memset(place + bg_table_place_row(side ? 0 : 25, side ? count : -count) * size, 0, sizeof(float) * hidden);
        }
        for (point = 0; point < 24; point++) {
            const float *w = weights + (side * 24 + point) * BG_NET_POINT_INPUTS * size;
            to = place + ((side ? 24 - point : point + 1) * BG_NET_COUNTS + 15) * size;
            memcpy(to + step, w, sizeof(float) * hidden);
            memcpy(to + 2 * step, w + size, sizeof(float) * hidden);
            for (count = 3; count <= 15; count++)
                bg_net_add_scaled_to(hidden, to + count * step, to + (count - 1) * step,
                    w + (count <= 5 ? count - 1 : 5) * size, count <= 5 ? 1.0f : 0.5f);
        }
        to = off + side * BG_NET_OFF_COUNTS * size;
        memset(to, 0, sizeof(float) * hidden);
        for (count = 1; count < BG_NET_OFF_COUNTS; count++)
            bg_net_add_scaled_to(hidden, to + count * size, to + (count - 1) * size,
                weights + (BG_WEIGHTS_OFF + side * 15 + count - 1) * size, 1.0f);
    }
    for (side = 0; has_features && side < 2; side++)
        for (point = 0; point < BG_FEATURES; point++)
            for (count = 0; count < BG_FEATURE_VALUES; count++) {
                float share;
                const int64_t row = bg_feature_knot(point, count, &share);
                const float *w = weights + (BG_WEIGHTS_FEATURES + side * BG_FEATURE_ROWS + row) * size;
                float *to = feature + (int64_t)((side * BG_FEATURES + point) * BG_FEATURE_VALUES + count) * size;
                memset(to, 0, sizeof(float) * hidden);
                bg_net_add_scaled_to(hidden, to, to, w, 1.0f - share);
                bg_net_add_scaled_to(hidden, to, to, w + size, share);
            }
    memcpy(table + BG_TABLE_BIAS * size, weights + BG_WEIGHTS_BIAS * size, sizeof(float) * hidden);
}

/* Rounds to the nearest; 0 if out of range, infinite or NaN, which training with too long steps produces. */
static inline int16_t bg_net_round_to_int16(float x)
{
    x += (x < 0 ? -0.5f : 0.5f);
    return (int16_t)(x > -32768.0f && x < 32768.0f ? x : 0.0f);
}

/* Quantizes the float table. The scale of each hidden unit keeps accumulators within 16 bits: 15 checkers of a side add
 * at most 15 times the largest amount of one checker. */
static inline void bg_net_quantize_first_layer(const BgFirstLayer *layer, float *scale, int16_t *quantized)
{
    const int64_t hidden = layer->hidden;
    const float *row;
    float bound[BG_NET_MAX_HIDDEN], largest[BG_NET_MAX_HIDDEN];
    int64_t h, number;
    int side, place, count, value, k;
    const float *bias = layer->float_table + BG_TABLE_BIAS * hidden;
    for (h = 0; h < hidden; h++)
        bound[h] = bias[h] < 0 ? -bias[h] : bias[h];
    for (side = 0; side < 2; side++) {
        for (h = 0; h < hidden; h++)
            largest[h] = 0;
        for (place = 0; place <= BG_NET_PLACES; place++)
            for (count = 1; count <= 15; count++) {
                const float times = 15.0f / (float)count;
                number = place < BG_NET_PLACES ? bg_table_place_row(place, side ? -count : count)
                                               : bg_table_off_row(side, count);
                row = layer->float_table + number * hidden;
                for (h = 0; h < hidden; h++) {
                    const float x = (row[h] < 0 ? -row[h] : row[h]) * times;
                    largest[h] = largest[h] < x ? x : largest[h];
                }
            }
        for (h = 0; h < hidden; h++)
            bound[h] += largest[h];
    }
    for (k = 0; layer->has_features && k < 2 * BG_FEATURES; k++) {
        for (h = 0; h < hidden; h++)
            largest[h] = 0;
        for (value = 0; value < BG_FEATURE_VALUES; value++) {
            row = layer->float_table + bg_table_feature_row(k, value) * hidden;
            for (h = 0; h < hidden; h++) {
                const float x = row[h] < 0 ? -row[h] : row[h];
                largest[h] = largest[h] < x ? x : largest[h];
            }
        }
        for (h = 0; h < hidden; h++)
            bound[h] += largest[h];
    }
    /* Less than 32767, since each row may be rounded up. */
    for (h = 0; h < hidden; h++)
        scale[h] = 32000.0f / (bound[h] < 1.0f ? 1.0f : bound[h]);
    for (number = 0; number < BG_TABLE_ROWS; number++) {
        if (!layer->has_features && number >= BG_TABLE_FEATURES && number < BG_TABLE_BIAS)
            continue;
        for (h = 0; h < hidden; h++)
            quantized[number * hidden + h] = bg_net_round_to_int16(layer->float_table[number * hidden + h] * scale[h]);
    }
}

/* Makes the tables of a first layer in `memory`: `bg_first_layer_bytes` bytes, aligned for floats. */
static inline void bg_net_make_first_layer(
    BgFirstLayer *layer, int hidden, int has_features, const float *weights, void *memory)
{
    float *table = (float *)bg_on_cache_line(memory), *scale = table + (int64_t)BG_TABLE_ROWS * hidden;
    int16_t *quantized = (int16_t *)(scale + hidden);
    bg_net_make_float_table(hidden, has_features, weights, table);
    layer->hidden = hidden;
    layer->has_features = has_features;
    layer->float_table = table;
    layer->quantized_table = quantized;
    layer->scale = scale;
    bg_net_quantize_first_layer(layer, scale, quantized);
}

/* Weight of a quantized activation of 1 or, from input `hidden` on, of a quantized square of 1. */
BG_INLINE float bg_net_step(float weight, int input, const BgFirstLayer *layer)
{
    const int hidden = layer->hidden;
    const float scale = layer->scale[input < hidden ? input : input - hidden];
    return input < hidden ? weight * (1 << BG_NET_ACTIVATION_SHIFT) / scale : weight * 8192.0f / scale / scale;
}

/* Returns the factor that quantizes `inputs` weights `stride` apart, so that sums of their products with activations and
 * squares stay within 32 bits. Quantized activations are less than 2^15 >> BG_NET_ACTIVATION_SHIFT, squares less than 2^15. */
static inline float bg_net_fit(const BgFirstLayer *layer, int inputs, const float *weights, int stride)
{
    float total = 0, peak = 0, rounding = 0, fit;
    int h;
    for (h = 0; h < inputs; h++) {
        const float size = h < layer->hidden ? 1.0f : 1 << BG_NET_ACTIVATION_SHIFT;
        float x = bg_net_step(weights[(int64_t)h * stride], h, layer);
        x = x < 0 ? -x : x;
        total += size * x;
        rounding += 0.5f * size; /* half a unit of rounding error of each weight */
        peak = peak < x ? x : peak;
    }
    fit = total > 0 ? (2147483647.0f / (float)(32768 >> BG_NET_ACTIVATION_SHIFT) - rounding) / total : 1.0f;
    return fit * peak > 32000.0f ? 32000.0f / peak : fit;
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

/* Quantizes a hidden dense layer, in the order of `bg_dense_sums`. */
static inline void bg_net_quantize_dense(const BgNet *net, int16_t *quantized, float *dense_scale)
{
    const BgFirstLayer *layer = net->first_layer;
    const int inputs = net->inputs, units = net->units;
    const int hidden = layer->hidden, block = 2 * units, blocks = inputs / hidden; /* in a pair */
    int h, j;
    for (j = 0; j < units; j++) {
        const float *column = net->dense_weights + j, fit = bg_net_fit(layer, inputs, column, units);
        for (h = 0; h < inputs; h++)
            quantized[(int64_t)(h % hidden / 2 * blocks + h / hidden) * block + j * 2 + (h & 1)] =
                bg_net_round_to_int16(bg_net_step(column[(int64_t)h * units], h, layer) * fit);
        dense_scale[j] = 1.0f / fit;
    }
}

/* Makes the tables of a bucket's head in `memory`: `bg_head_bytes` bytes. `dense_weights` (`units` rows of `inputs`) and
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
        bg_net_quantize_dense(net, (int16_t *)(dense + (int64_t)inputs * units), scale);
    } else {
        net->quantized_output = (int16_t *)rest;
        bg_net_quantize_outputs(net, (int16_t *)rest);
    }
}

#endif
