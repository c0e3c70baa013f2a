/* Forward pass from an accumulator: activations, the hidden dense layer if there is one, five outputs and their sigmoids.
 *
 * The layer after the first one reads quantized activations of 13 bits with 16-bit weights.
 */
#ifndef BGFAST_NETWORK_FORWARD_H
#define BGFAST_NETWORK_FORWARD_H

#include "dense.h"
#include "network_accumulator.h"

/* ---- float ---- */

/* Outputs of `hidden` units, before the ReLU, with `inputs` weights for each output as in BgNet; `out`, before the sigmoid,
 * has BG_LANES numbers. */
static inline void bg_net_outputs_float(
    int hidden, int inputs, const float *weights, const float *bias, const float *accumulation, float *out)
{
    int h, k;
    for (k = 0; k < BG_NET_OUTPUTS; k++, weights += inputs) {
        BgLanes sums = bg_lanes_splat(0.0f);
        for (h = 0; h < hidden; h += BG_LANES) {
            const BgLanes activations = bg_lanes_relu(bg_lanes_load(accumulation + h));
            sums = bg_lanes_add(sums, bg_lanes_mul(activations, bg_lanes_load(weights + h)));
            if (inputs > hidden)
                sums = bg_lanes_add(
                    sums, bg_lanes_mul(bg_lanes_mul(activations, activations), bg_lanes_load(weights + hidden + h)));
        }
        out[k] = bg_lanes_sum(sums) + bias[k];
    }
    out[5] = out[6] = out[7] = 0.0f;
}

/* Outputs of a float accumulator through a hidden dense layer. Inactive units of the first layer, four in five, are
 * skipped. */
static inline void bg_net_dense_outputs_float(const BgNet *net, const float *accumulation, float *out)
{
    float hidden[BG_NET_MAX_UNITS];
    int32_t active[BG_NET_MAX_HIDDEN + BG_ACTIVE_AT_ONCE];
    const int n = bg_floats_above_0(accumulation, net->first_layer->hidden, active);
    const float *squares = net->dense_weights + (int64_t)net->first_layer->hidden * net->units;
    int i, j;
    for (j = 0; j < net->units; j += 4 * BG_LANES) {
        BgTile t = bg_tile_load(net->dense_bias + j);
        for (i = 0; i < n; i++) {
            const float activation = accumulation[active[i]];
            const int64_t row = (int64_t)active[i] * net->units + j;
            t = bg_tile_add_scaled(t, net->dense_weights + row, bg_lanes_splat(activation));
            if (net->inputs > net->first_layer->hidden)
                t = bg_tile_add_scaled(t, squares + row, bg_lanes_splat(activation * activation));
        }
        bg_tile_store(hidden + j, t);
    }
    bg_net_outputs_float(net->units, net->units, net->output_weights, net->output_bias, hidden, out);
}

/* ---- quantized ---- */

/* Bits dropped from quantized activations before the next layer reads them. */
#define BG_NET_ACTIVATION_SHIFT 2

/* Updates a tile of the accumulator and loads it into the registers `a`. */
BG_INLINE void bg_net_update_tile(
    BgInt16s *a, int16_t *accumulation, int h, int registers, int n, const int16_t **added, const int16_t **removed)
{
    int i, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_int16s_load(accumulation + h + r * BG_INT16S);
    for (i = 0; i < n; i++) {
        const int16_t *plus = added[i] + h, *minus = removed[i] + h;
        for (r = 0; r < registers; r++)
            a[r] = bg_int16s_add(
                a[r], bg_int16s_sub(bg_int16s_load(plus + r * BG_INT16S), bg_int16s_load(minus + r * BG_INT16S)));
    }
    for (r = 0; r < registers; r++)
        bg_int16s_store(accumulation + h + r * BG_INT16S, a[r]);
}

/* Updates a tile of the accumulator and adds the products of its activations, and of their squares, and the output weights
 * to `out`. */
BG_INLINE void bg_net_forward_tile(
    const BgNet *net, int16_t *accumulation, int h, int registers, int n, const int16_t **added, const int16_t **removed,
    BgInt32s *out)
{
    const int hidden = net->first_layer->hidden, inputs = net->inputs;
    BgInt16s a[4];
    int k, r;
    bg_net_update_tile(a, accumulation, h, registers, n, added, removed);
    for (r = 0; r < registers; r++) {
        const int16_t *weights = net->quantized_output + h + r * BG_INT16S;
        const BgInt16s activations = bg_int16s_relu(a[r], BG_NET_ACTIVATION_SHIFT);
        for (k = 0; k < BG_NET_OUTPUTS; k++)
            out[k] = bg_int32s_madd(out[k], activations, bg_int16s_load(weights + (int64_t)k * inputs));
        if (inputs > hidden) {
            const BgInt16s squares = bg_int16s_squares(bg_int16s_relu(a[r], 0));
            for (k = 0; k < BG_NET_OUTPUTS; k++)
                out[k] = bg_int32s_madd(out[k], squares, bg_int16s_load(weights + (int64_t)k * inputs + hidden));
        }
    }
}

/* Updates a tile of the accumulator and writes its activations, and their squares unless `squares` is NULL. */
BG_INLINE void bg_net_activate_tile(
    int16_t *accumulation, int h, int registers, int n, const int16_t **added, const int16_t **removed,
    int16_t *activations, int16_t *squares)
{
    BgInt16s a[4];
    int r;
    bg_net_update_tile(a, accumulation, h, registers, n, added, removed);
    for (r = 0; r < registers; r++) {
        bg_int16s_store(activations + h + r * BG_INT16S, bg_int16s_relu(a[r], BG_NET_ACTIVATION_SHIFT));
        if (squares != NULL)
            bg_int16s_store(squares + h + r * BG_INT16S, bg_int16s_squares(bg_int16s_relu(a[r], 0)));
    }
}

/* Outputs through a hidden dense layer; updates the accumulator to the board. */
BG_INLINE void bg_net_dense_outputs(
    const BgNet *net, int16_t *accumulation, int n, const int16_t **added, const int16_t **removed, float *out)
{
    const BgFirstLayer *layer = net->first_layer;
    int16_t activations[BG_NET_MAX_INPUTS] BG_ON_CACHE_LINES;
    int16_t *squares = net->inputs > layer->hidden ? activations + layer->hidden : NULL;
    int32_t sums[BG_NET_MAX_UNITS];
    float hidden[BG_NET_MAX_UNITS];
    int h, j;
    for (h = 0; h + 4 * BG_INT16S <= layer->hidden; h += 4 * BG_INT16S)
        bg_net_activate_tile(accumulation, h, 4, n, added, removed, activations, squares);
    for (; h < layer->hidden; h += 32)
        bg_net_activate_tile(accumulation, h, 32 / BG_INT16S, n, added, removed, activations, squares);
    for (j = 0; j < net->units; j += BG_DENSE_UNITS)
        bg_dense_sums(activations, squares, layer->hidden, net->quantized_dense + 2 * j, net->units, sums + j);
    for (j = 0; j < net->units; j++)
        hidden[j] = (float)sums[j] * net->dense_scale[j] + net->dense_bias[j];
    bg_net_outputs_float(net->units, net->units, net->output_weights, net->output_bias, hidden, out);
}

/* Outputs of a board with quantized weights, before the sigmoid, `stride` apart; updates the accumulator to the board. */
BG_INLINE void bg_net_outputs(
    const BgNet *net, BgNetAccumulator *accumulator, const int8_t *board, float *out, int stride)
{
    const BgFirstLayer *layer = net->first_layer;
    const int16_t *added[BG_NET_MAX_CHANGED_ROWS], *removed[BG_NET_MAX_CHANGED_ROWS];
    BgInt32s sums[BG_NET_OUTPUTS];
    int h, k, n = 0;
    if (accumulator->computed)
        n = bg_net_changed_rows(layer, accumulator, board, added, removed);
    else
        bg_net_refresh(layer, accumulator, board);
    if (net->units) {
        float outputs[BG_LANES];
        bg_net_dense_outputs(net, accumulator->accumulation, n, added, removed, outputs);
        for (k = 0; k < BG_NET_OUTPUTS; k++)
            out[k * stride] = outputs[k];
        return;
    }
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        sums[k] = bg_int32s_zero();
    /* Tiles of four registers: each pointer is loaded once for all four. */
    for (h = 0; h + 4 * BG_INT16S <= layer->hidden; h += 4 * BG_INT16S)
        bg_net_forward_tile(net, accumulator->accumulation, h, 4, n, added, removed, sums);
    for (; h < layer->hidden; h += 32)
        bg_net_forward_tile(net, accumulator->accumulation, h, 32 / BG_INT16S, n, added, removed, sums);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        out[k * stride] = (float)bg_int32s_sum(sums[k]) * net->output_scale[k] + net->output_bias[k];
}

/* Replaces outputs, padded to BG_LANES, by probabilities, each at most that of the event that includes it. */
static inline void bg_net_probabilities(float *out)
{
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    out[1] = out[1] > out[0] ? out[0] : out[1];
    out[2] = out[2] > out[1] ? out[1] : out[2];
    out[3] = out[3] > 1.0f - out[0] ? 1.0f - out[0] : out[3];
    out[4] = out[4] > out[3] ? out[3] : out[4];
}

/* Probabilities of an unfinished board with float weights. */
static inline void bg_net_evaluate(const BgNet *net, const int8_t *board, float *out)
{
    const BgFirstLayer *layer = net->first_layer;
    float accumulation[BG_NET_MAX_HIDDEN];
    bg_net_accumulate_float(layer, board, accumulation);
    if (net->units)
        bg_net_dense_outputs_float(net, accumulation, out);
    else
        bg_net_outputs_float(layer->hidden, net->inputs, net->output_weights, net->output_bias, accumulation, out);
    bg_net_probabilities(out);
}

/* Probabilities of an unfinished board similar to the previous one. Unlike `bg_net_evaluate` it updates the quantized
 * accumulator, a few rows instead of all. Later layers are not quantized if there is a hidden dense layer: equities then
 * differ from those of `bg_net_evaluate` by about a ten thousandth of a point. */
static inline void bg_net_evaluate_next(
    const BgNet *net, BgNetAccumulator *accumulator, const int8_t *board, float *out)
{
    const BgFirstLayer *layer = net->first_layer;
    const int16_t *added[BG_NET_MAX_CHANGED_ROWS], *removed[BG_NET_MAX_CHANGED_ROWS];
    float accumulation[BG_NET_MAX_HIDDEN];
    int h, n;
    if (!net->units) { /* 14 bits of activations are nearly as good */
        bg_net_outputs(net, accumulator, board, out, 1);
        out[5] = out[6] = out[7] = 0.0f;
        bg_net_probabilities(out);
        return;
    }
    if (accumulator->computed) {
        BgInt16s a[4];
        n = bg_net_changed_rows(layer, accumulator, board, added, removed);
        for (h = 0; h + 4 * BG_INT16S <= layer->hidden; h += 4 * BG_INT16S)
            bg_net_update_tile(a, accumulator->accumulation, h, 4, n, added, removed);
        for (; h < layer->hidden; h += 32)
            bg_net_update_tile(a, accumulator->accumulation, h, 32 / BG_INT16S, n, added, removed);
    } else
        bg_net_refresh(layer, accumulator, board);
    for (h = 0; h < layer->hidden; h++)
        accumulation[h] = (float)accumulator->accumulation[h] / layer->scale[h];
    bg_net_dense_outputs_float(net, accumulation, out);
    bg_net_probabilities(out);
}

/* `bg_net_probabilities` for BG_LANES positions at once. */
BG_INLINE void bg_net_probabilities_of_lanes(const float *out, int stride, BgLanes *p)
{
    const BgLanes one = bg_lanes_splat(1.0f);
    p[0] = bg_lanes_sigmoid(bg_lanes_load(out));
    p[1] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + stride)), p[0]);
    p[2] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 2 * stride)), p[1]);
    p[3] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 3 * stride)), bg_lanes_sub(one, p[0]));
    p[4] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 4 * stride)), p[3]);
}

/* Equities of BG_LANES positions from their outputs. */
static inline BgLanes bg_net_equities(const float *out, int stride)
{
    BgLanes p[BG_NET_OUTPUTS], plain;
    bg_net_probabilities_of_lanes(out, stride, p);
    plain = bg_lanes_sub(bg_lanes_add(p[0], p[0]), bg_lanes_splat(1.0f));
    return bg_lanes_sub(bg_lanes_sub(bg_lanes_add(bg_lanes_add(plain, p[1]), p[2]), p[3]), p[4]);
}

/* Replaces the outputs of BG_LANES positions by probabilities. */
static inline void bg_net_probabilities_in_place(float *out, int stride)
{
    BgLanes p[BG_NET_OUTPUTS];
    int k;
    bg_net_probabilities_of_lanes(out, stride, p);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        bg_lanes_store(out + k * stride, p[k]);
}

#endif
