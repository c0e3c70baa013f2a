/* From an accumulator to what a board is worth: one dense layer of five outputs, and their sigmoids. */
#ifndef BGFAST_NETWORK_FORWARD_H
#define BGFAST_NETWORK_FORWARD_H

#include "network_accumulator.h"

/* ---- float ---- */

/* The five outputs of a float accumulator, before the sigmoid; `out` has room for all lanes. */
static inline void bg_net_outputs_float(
    int hidden, const float *weights, const float *bias, const float *accumulation, float *out)
{
    int h, k;
    for (k = 0; k < BG_NET_OUTPUTS; k++, weights += hidden) {
        BgLanes sums = bg_lanes_splat(0.0f);
        for (h = 0; h < hidden; h += BG_LANES) {
            const BgLanes activations = bg_lanes_relu(bg_lanes_load(accumulation + h));
            sums = bg_lanes_add(sums, bg_lanes_mul(activations, bg_lanes_load(weights + h)));
        }
        out[k] = bg_lanes_sum(sums) + bias[k];
    }
    out[5] = out[6] = out[7] = 0.0f;
}

/* ---- quantized ---- */

/* Bits that quantized activations lose before they are multiplied. */
#define BG_NET_ACTIVATION_SHIFT 2

/* Updates a tile of the accumulator, and adds the products of its activations and the output weights to `out`. */
BG_INLINE void bg_net_forward_tile(
    int16_t *accumulation, int h, int hidden, int registers, int n, const int16_t **added, const int16_t **removed,
    const int16_t *weights, BgInt32s *out)
{
    BgInt16s a[4];
    int i, k, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_int16s_load(accumulation + h + r * BG_INT16S);
    for (i = 0; i < n; i++) {
        const int16_t *plus = added[i] + h, *minus = removed[i] + h;
        for (r = 0; r < registers; r++)
            a[r] = bg_int16s_add(
                a[r], bg_int16s_sub(bg_int16s_load(plus + r * BG_INT16S), bg_int16s_load(minus + r * BG_INT16S)));
    }
    for (r = 0; r < registers; r++) {
        bg_int16s_store(accumulation + h + r * BG_INT16S, a[r]);
        a[r] = bg_int16s_relu(a[r], BG_NET_ACTIVATION_SHIFT);
        for (k = 0; k < BG_NET_OUTPUTS; k++)
            out[k] = bg_int32s_madd(out[k], a[r], bg_int16s_load(weights + (int64_t)k * hidden + h + r * BG_INT16S));
    }
}

/* The five outputs of a board, before the sigmoid, by quantized weights, each `stride` numbers behind the one before;
 * the accumulator is then that of the board. */
BG_INLINE void bg_net_outputs(
    const BgNet *net, BgNetAccumulator *accumulator, const int8_t *board, float *out, int stride)
{
    const int16_t *weights = net->quantized_table + BG_TABLE_OUTPUTS * net->hidden;
    const int16_t *added[BG_NET_MAX_CHANGED_ROWS], *removed[BG_NET_MAX_CHANGED_ROWS];
    BgInt32s sums[BG_NET_OUTPUTS];
    int h, k, n = 0;
    if (accumulator->computed)
        n = bg_net_changed_rows(net, accumulator, board, added, removed);
    else
        bg_net_refresh(net, accumulator, board);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        sums[k] = bg_int32s_zero();
    /* Tiles of four registers: each pointer is loaded once for them. */
    for (h = 0; h + 4 * BG_INT16S <= net->hidden; h += 4 * BG_INT16S)
        bg_net_forward_tile(accumulator->accumulation, h, net->hidden, 4, n, added, removed, weights, sums);
    if (h < net->hidden)
        bg_net_forward_tile(accumulator->accumulation, h, net->hidden, 2, n, added, removed, weights, sums);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        out[k * stride] = (float)bg_int32s_sum(sums[k]) * net->output_scale[k] + net->output_bias[k];
}

/* Makes probabilities of outputs, which have room for all lanes; who wins a backgammon wins a gammon, and who wins a
 * gammon wins. */
static inline void bg_net_probabilities(float *out)
{
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    out[1] = out[1] > out[0] ? out[0] : out[1];
    out[2] = out[2] > out[1] ? out[1] : out[2];
    out[3] = out[3] > 1.0f - out[0] ? 1.0f - out[0] : out[3];
    out[4] = out[4] > out[3] ? out[3] : out[4];
}

/* The five probabilities of an unfinished board, by float weights. */
static inline void bg_net_evaluate(const BgNet *net, const int8_t *board, float *out)
{
    const float *output_weights = net->float_table + (int64_t)BG_TABLE_OUTPUTS * net->hidden;
    float accumulation[BG_NET_MAX_HIDDEN];
    bg_net_accumulate_float(net, net->float_table + (int64_t)BG_TABLE_BIAS * net->hidden, board, accumulation);
    bg_net_outputs_float(net->hidden, output_weights, net->output_bias, accumulation, out);
    bg_net_probabilities(out);
}

/* The equities of as many positions as there are lanes, by their outputs: `bg_net_probabilities` and `bg_net_equity` of
 * each. */
static inline BgLanes bg_net_equities(const float *out, int stride)
{
    const BgLanes one = bg_lanes_splat(1.0f), win = bg_lanes_sigmoid(bg_lanes_load(out));
    const BgLanes gammon = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + stride)), win);
    const BgLanes backgammon = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 2 * stride)), gammon);
    const BgLanes lose_gammon = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 3 * stride)), bg_lanes_sub(one, win));
    const BgLanes lose_backgammon = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 4 * stride)), lose_gammon);
    const BgLanes plain = bg_lanes_sub(bg_lanes_add(win, win), one);
    return bg_lanes_sub(
        bg_lanes_sub(bg_lanes_add(bg_lanes_add(plain, gammon), backgammon), lose_gammon), lose_backgammon);
}

#endif
