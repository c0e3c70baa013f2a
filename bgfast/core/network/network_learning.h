/* Learning: one step of a network's weights towards what a board should have been taken for. */
#ifndef BGFAST_NETWORK_LEARNING_H
#define BGFAST_NETWORK_LEARNING_H

#include "network_tables.h"

/* One step down the slope of the cross-entropy between what a board is taken for, `out`, and `target`. */
static inline void bg_net_learn(
    const BgNet *net, float *weights, float *output_bias, const int8_t *board, const float *target,
    float rate, float *out)
{
    float sum[BG_NET_MOST_HIDDEN], slope[BG_NET_MOST_HIDDEN], value[BG_NET_INPUTS];
    int h, k, i, n, side, point, input[BG_NET_INPUTS];
    const int hidden = net->hidden;
    /* Biases and outputs are those of now: what all boards share must feel each step at once. */
    bg_net_sum(net, weights + (int64_t)BG_NET_BIAS_ROW * hidden, board, sum);
    bg_net_outputs(hidden, weights + (int64_t)BG_NET_OUTPUT_ROW * hidden, output_bias, sum, out);
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    memset(slope, 0, sizeof(float) * hidden);
    for (k = 0; k < BG_NET_OUTPUTS; k++) {
        const float step = -rate * (out[k] - target[k]);
        float *row = weights + (int64_t)(BG_NET_OUTPUT_ROW + k) * hidden;
        const BgLanes s = bg_lanes_all(step);
        for (h = 0; h < hidden; h += BG_LANES) {
            const BgLanes w = bg_lanes_load(row + h);
            bg_lanes_store(slope + h, bg_lanes_add(bg_lanes_load(slope + h), bg_lanes_mul(s, w)));
            bg_lanes_store(row + h, bg_lanes_add(w, bg_lanes_mul(s, bg_lanes_ramp(bg_lanes_load(sum + h)))));
        }
        output_bias[k] += step;
    }
    for (h = 0; h < hidden; h++)
        slope[h] = sum[h] > 0.0f ? slope[h] : 0.0f;
    bg_net_add(hidden, weights + (int64_t)BG_NET_BIAS_ROW * hidden, slope, 1.0f);
    for (side = 0; side < 2; side++) {
        int total = 0, sign = side ? -1 : 1;
        for (point = 0; point < 24; point++) {
            const int count = sign * board[side ? 24 - point : point + 1];
            if (count <= 0)
                continue;
            total += count;
            n = bg_net_point_inputs(count, input, value);
            for (i = 0; i < n; i++)
                bg_net_add(hidden,
                    weights + ((int64_t)(side * 24 + point) * BG_NET_INPUTS + input[i]) * hidden, slope, value[i]);
        }
        k = sign * board[side ? 0 : 25];
        if (k > 0) {
            total += k;
            bg_net_add(hidden, weights + (int64_t)(BG_NET_BAR_ROW + side) * hidden, slope, 0.5f * (float)k);
        }
        for (k = 0; k < BG_NET_CHECKERS - total; k++)
            bg_net_add(hidden, weights + (int64_t)(BG_NET_OFF_ROW + side * 15 + k) * hidden, slope, 1.0f);
    }
    if (net->features) {
        uint8_t features[BG_FEATURE_BYTES];
        bg_store(features, bg_features(board));
        for (k = 0; k < 2 * BG_FEATURES; k++) {
            float share;
            const int row = bg_feature_input(k % BG_FEATURES, features[k], &share);
            float *w = weights + (int64_t)(BG_NET_FEATURE_ROW + k / BG_FEATURES * BG_FEATURE_ROWS + row) * hidden;
            if (share < 1.0f)
                bg_net_add(hidden, w, slope, 1.0f - share);
            if (share > 0.0f)
                bg_net_add(hidden, w + hidden, slope, share);
        }
    }
}

#endif
