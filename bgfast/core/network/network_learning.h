/* Training: one step of gradient descent for a board with the probabilities that the network should have given it. */
#ifndef BGFAST_NETWORK_LEARNING_H
#define BGFAST_NETWORK_LEARNING_H

#include "network_tables.h"

/* Changes weights, those of the outputs behind those of the first layer, by one step of gradient descent on the cross-entropy between `target` and `out`, which becomes the
 * board's probabilities before the step. */
static inline void bg_net_learn(
    const BgNet *net, float *weights, float *output_bias, const int8_t *board, const float *target,
    float learning_rate, float *out)
{
    float accumulation[BG_NET_MAX_HIDDEN], hidden_step[BG_NET_MAX_HIDDEN], value[BG_NET_POINT_INPUTS];
    int h, k, i, n, side, point, input[BG_NET_POINT_INPUTS];
    const BgFirstLayer *layer = net->first_layer;
    const int hidden = layer->hidden;
    /* Tables are made anew every few games only. Biases and output weights come from `weights` instead: every board
     * changes them, and each would push old ones the same way until the next tables are made. */
    bg_net_accumulate_float(layer, weights + (int64_t)BG_WEIGHTS_BIAS * hidden, board, accumulation);
    bg_net_outputs_float(hidden, weights + (int64_t)BG_WEIGHTS_ROWS * hidden, output_bias, accumulation, out);
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    memset(hidden_step, 0, sizeof(float) * hidden);
    for (k = 0; k < BG_NET_OUTPUTS; k++) {
        const float step = -learning_rate * (out[k] - target[k]);
        float *row = weights + (int64_t)(BG_WEIGHTS_ROWS + k) * hidden;
        const BgLanes s = bg_lanes_splat(step);
        for (h = 0; h < hidden; h += BG_LANES) {
            const BgLanes w = bg_lanes_load(row + h);
            const BgLanes activations = bg_lanes_relu(bg_lanes_load(accumulation + h));
            bg_lanes_store(hidden_step + h, bg_lanes_add(bg_lanes_load(hidden_step + h), bg_lanes_mul(s, w)));
            bg_lanes_store(row + h, bg_lanes_add(w, bg_lanes_mul(s, activations)));
        }
        output_bias[k] += step;
    }
    for (h = 0; h < hidden; h++)
        hidden_step[h] = accumulation[h] > 0.0f ? hidden_step[h] : 0.0f;
    bg_net_add_scaled(hidden, weights + (int64_t)BG_WEIGHTS_BIAS * hidden, hidden_step, 1.0f);
    for (side = 0; side < 2; side++) {
        int total = 0, sign = side ? -1 : 1;
        for (point = 0; point < 24; point++) {
            const int count = sign * board[side ? 24 - point : point + 1];
            if (count <= 0)
                continue;
            total += count;
            n = bg_net_point_inputs(count, input, value);
            for (i = 0; i < n; i++)
                bg_net_add_scaled(
                    hidden, weights + ((int64_t)(side * 24 + point) * BG_NET_POINT_INPUTS + input[i]) * hidden,
                    hidden_step, value[i]);
        }
        k = sign * board[side ? 0 : 25];
        if (k > 0) {
            total += k;
            bg_net_add_scaled(
                hidden, weights + (int64_t)(BG_WEIGHTS_BAR + side) * hidden, hidden_step, 0.5f * (float)k);
        }
        for (k = 0; k < BG_NET_CHECKERS - total; k++)
            bg_net_add_scaled(hidden, weights + (int64_t)(BG_WEIGHTS_OFF + side * 15 + k) * hidden, hidden_step, 1.0f);
    }
    if (layer->has_features) {
        uint8_t features[BG_FEATURE_BYTES];
        bg_store(features, bg_features(board));
        for (k = 0; k < 2 * BG_FEATURES; k++) {
            float share;
            const int row = bg_feature_knot(k % BG_FEATURES, features[k], &share);
            float *w = weights + (int64_t)(BG_WEIGHTS_FEATURES + k / BG_FEATURES * BG_FEATURE_ROWS + row) * hidden;
            if (share < 1.0f)
                bg_net_add_scaled(hidden, w, hidden_step, 1.0f - share);
            if (share > 0.0f)
                bg_net_add_scaled(hidden, w + hidden, hidden_step, share);
        }
    }
}

#endif
