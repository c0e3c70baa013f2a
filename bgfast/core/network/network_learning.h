/* Training: gradient of a batch for a first layer with its heads, and Adam.
 *
 * A batch takes two passes: a forward pass sample by sample, then a backward pass tile by tile, in which each tile adds
 * up its gradient in the order of the samples and takes its step. So the order of all sums does not depend on the number
 * of threads that share samples and tiles.
 *
 * Source: Kingma, Ba, "Adam: a method for stochastic optimization" (2015).
 */
#ifndef BGFAST_NETWORK_LEARNING_H
#define BGFAST_NETWORK_LEARNING_H

#include <math.h>
#include "network_tables.h"

/* ---- inputs ---- */

/* Writes the nonzero inputs of a board: rows of weights, and input values. Returns their number. */
static inline int bg_net_inputs(int has_features, int has_triples, const int8_t *board, uint16_t *row, float *value)
{
    int side, point, k, i, n = 0, input[BG_NET_POINT_INPUTS];
    float input_values[BG_NET_POINT_INPUTS];
    for (side = 0; side < 2; side++) {
        const int sign = side ? -1 : 1;
        int total = 0, inputs;
        for (point = 0; point < 24; point++) {
            const int count = sign * board[side ? 24 - point : point + 1];
            if (count <= 0)
                continue;
            total += count;
            inputs = bg_net_point_inputs(count, input, input_values);
            for (i = 0; i < inputs; i++) {
                row[n] = (uint16_t)((side * 24 + point) * BG_NET_POINT_INPUTS + input[i]);
                value[n++] = input_values[i];
            }
        }
        k = sign * board[side ? 0 : 25];
        if (k > 0) {
            total += k;
            row[n] = (uint16_t)(BG_WEIGHTS_BAR + side);
            value[n++] = 0.5f * (float)k;
        }
        for (k = 0; k < BG_NET_CHECKERS - total; k++) {
            row[n] = (uint16_t)(BG_WEIGHTS_OFF + side * 15 + k);
            value[n++] = 1.0f;
        }
    }
    if (has_features) {
        uint8_t features[BG_FEATURE_BYTES];
        bg_store(features, bg_features(board));
        for (k = 0; k < 2 * BG_FEATURES; k++) {
            float share;
            const int knot = bg_feature_knot(k % BG_FEATURES, features[k], &share);
            const int first = BG_WEIGHTS_FEATURES + k / BG_FEATURES * BG_FEATURE_ROWS + knot;
            if (share < 1.0f) {
                row[n] = (uint16_t)first;
                value[n++] = 1.0f - share;
            }
            if (share > 0.0f) {
                row[n] = (uint16_t)(first + 1);
                value[n++] = share;
            }
        }
    }
    row[n] = BG_WEIGHTS_BIAS;
    value[n++] = 1.0f;
    for (k = 0; has_triples && k < BG_NET_TRIPLES; k++) {
        row[n] = (uint16_t)(BG_WEIGHTS_TRIPLES + k * BG_TRIPLE_CLASSES + bg_triple_class(board, k));
        value[n++] = 1.0f;
    }
    return n;
}

/* ---- tiles of one sample ---- */

BG_INLINE BgTile bg_tile_zero(void)
{
    static const float zeros[BG_TILE];
    return bg_tile_load(zeros);
}

/* row += scale * t */
BG_INLINE void bg_tile_add_to(float *row, BgTile t, BgLanes scale)
{
    int r;
    for (r = 0; r < BG_TILE_LANES; r++, row += BG_LANES)
        bg_lanes_store(row, bg_lanes_add(bg_lanes_load(row), bg_lanes_mul(scale, t.lanes[r])));
}

BG_INLINE BgTile bg_tile_product(BgTile t, BgTile u)
{
    int r;
    for (r = 0; r < BG_TILE_LANES; r++)
        t.lanes[r] = bg_lanes_mul(t.lanes[r], u.lanes[r]);
    return t;
}

/* Sum of the products of a tile and a row, lane by lane. */
BG_INLINE BgLanes bg_tile_products(BgTile t, const float *row)
{
    t = bg_tile_product(t, bg_tile_load(row));
    return bg_lanes_add(bg_lanes_add(t.lanes[0], t.lanes[1]), bg_lanes_add(t.lanes[2], t.lanes[3]));
}

/* ---- forward ---- */

/* Weight of half the squared equity error in the loss. Plays are chosen by equity: its error matters more
 * than each probability's error, and as much near 0 and 1 as in between. */
#define BG_EQUITY_SHARE 10.0f

/* Forward pass of a board, and the gradients of its outputs and of the layer after the first. The loss is `share`
 * times the sum of the cross-entropy to `target` and the weighted squared equity error. The activations of
 * tile i are written to `activations + i * stride`. Returns the equity error. */
static inline float bg_learner_forward(
    const BgLearner *net, const int8_t *board, int head, const float *target, float share, BgSample *sample,
    float *activations, int64_t stride)
{
    const int units = bg_learner_units(net);
    const int64_t tile_rows = bg_learner_tile_rows(net);
    const float *tail = net->weights + bg_learner_tiles_size(net) + head * bg_learner_tail_size(net);
    const float *output_bias = net->dense ? tail + net->dense * (1 + BG_NET_OUTPUTS) : tail;
    static const float equity_weights[BG_NET_OUTPUTS] = {2.0f, 1.0f, 1.0f, -1.0f, -1.0f}; /* `bg_net_equity` */
    BgLanes sums[BG_NET_MAX_UNITS];
    float out[BG_LANES] = {0}, equity_error;
    int tile, i, j, k;
    sample->head = head;
    sample->inputs = bg_net_inputs(net->has_features, net->has_triples, board, sample->row, sample->value);
    for (j = 0; j < units; j++)
        sums[j] = bg_lanes_splat(0.0f);
    for (tile = 0; tile < net->hidden / BG_TILE; tile++) {
        const float *rows = net->weights + tile * tile_rows * BG_TILE;
        BgTile t = bg_tile_zero();
        for (i = 0; i < sample->inputs; i++)
            t = bg_tile_add_scaled(t, rows + sample->row[i] * BG_TILE, bg_lanes_splat(sample->value[i]));
        for (i = 0; i < BG_TILE_LANES; i++)
            t.lanes[i] = bg_lanes_relu(t.lanes[i]);
        bg_tile_store(activations + tile * stride, t);
        rows += (bg_learner_input_rows(net) + head * bg_learner_head_rows(net)) * BG_TILE;
        for (j = 0; j < units; j++)
            sums[j] = bg_lanes_add(sums[j], bg_tile_products(t, rows + j * BG_TILE));
        if (net->squares) {
            t = bg_tile_product(t, t);
            for (j = 0; j < units; j++)
                sums[j] = bg_lanes_add(sums[j], bg_tile_products(t, rows + (units + j) * BG_TILE));
        }
    }
    if (net->dense) {
        const float *weights = tail + net->dense;
        for (j = 0; j < units; j++) {
            const float x = bg_lanes_sum(sums[j]) + tail[j];
            sample->dense[j] = x > 0.0f ? x : 0.0f;
        }
        for (k = 0; k < BG_NET_OUTPUTS; k++, weights += units) {
            BgLanes sum = bg_lanes_splat(0.0f);
            for (j = 0; j < units; j += BG_LANES)
                sum = bg_lanes_add(
                    sum, bg_lanes_mul(bg_lanes_load(sample->dense + j), bg_lanes_load(weights + j)));
            out[k] = bg_lanes_sum(sum) + output_bias[k];
        }
    } else
        for (k = 0; k < BG_NET_OUTPUTS; k++)
            out[k] = bg_lanes_sum(sums[k]) + output_bias[k];
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    equity_error = bg_net_equity(out) - bg_net_equity(target);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        sample->output_gradient[k] =
            share * (out[k] - target[k] + BG_EQUITY_SHARE * equity_error * equity_weights[k] * out[k] * (1.0f - out[k]));
    for (; k < BG_LANES; k++)
        sample->output_gradient[k] = 0.0f;
    if (net->dense) {
        const float *weights = tail + net->dense;
        for (j = 0; j < units; j += BG_LANES) {
            BgLanes sum = bg_lanes_splat(0.0f);
            for (k = 0; k < BG_NET_OUTPUTS; k++)
                sum = bg_lanes_add(
                    sum, bg_lanes_mul(bg_lanes_splat(sample->output_gradient[k]), bg_lanes_load(weights + k * units + j)));
            bg_lanes_store(sample->next_gradient + j, sum);
        }
        for (j = 0; j < units; j++)
            sample->next_gradient[j] = sample->dense[j] > 0.0f ? sample->next_gradient[j] : 0.0f;
    } else
        memcpy(sample->next_gradient, sample->output_gradient, sizeof sample->output_gradient);
    return equity_error;
}

/* ---- Adam ---- */

BG_INLINE BgLanes bg_lanes_sqrt(BgLanes a)
{
#if defined(BG_ROW_AVX2) && defined(__GNUC__)
    return (BgLanes)_mm256_sqrt_ps((__m256)a);
#else
    float x[BG_LANES];
    int i;
    bg_lanes_store(x, a);
    for (i = 0; i < BG_LANES; i++)
        x[i] = sqrtf(x[i]);
    return bg_lanes_load(x);
#endif
}

/* Sets lanes with an absolute value of at most `threshold` to 0. Means of gradients that do not recur would decay
 * to subnormal numbers, which slow processors down a hundredfold. */
BG_INLINE BgLanes bg_lanes_cut(BgLanes a, float threshold)
{
#if defined(__GNUC__) && !defined(BGFAST_SCALAR)
    return (BgLanes)((BgLaneInts)a & ((a > threshold) | (a < -threshold)));
#else
    BG_LANEWISE(BgLanes, a.x[i] > threshold || a.x[i] < -threshold ? a.x[i] : 0)
#endif
}

/* Smaller gradients have no effect on a step: 1e-8 is added to the square root of the mean square. */
#define BG_MIN_GRADIENT 1e-15f

/* Updates `size` weights, a multiple of BG_LANES, from `first` on, and sets their gradient to 0. */
static inline void bg_learner_adam(const BgLearner *net, int64_t first, int64_t size, const BgStep *step)
{
    const BgLanes length = bg_lanes_splat(step->length), epsilon = bg_lanes_splat(1e-8f);
    const BgLanes mean_decay = bg_lanes_splat(step->mean_decay), add_mean = bg_lanes_splat(1.0f - step->mean_decay);
    const BgLanes square_decay = bg_lanes_splat(step->square_decay);
    const BgLanes add_square = bg_lanes_splat(1.0f - step->square_decay), zero = bg_lanes_splat(0.0f);
    int64_t i;
    for (i = first; i < first + size; i += BG_LANES) {
        const BgLanes g = bg_lanes_cut(bg_lanes_load(net->gradient + i), BG_MIN_GRADIENT);
        const BgLanes mean = bg_lanes_cut(
            bg_lanes_add(bg_lanes_mul(mean_decay, bg_lanes_load(net->mean + i)), bg_lanes_mul(add_mean, g)),
            BG_MIN_GRADIENT);
        const BgLanes square = bg_lanes_cut(
            bg_lanes_add(
                bg_lanes_mul(square_decay, bg_lanes_load(net->square + i)),
                bg_lanes_mul(add_square, bg_lanes_mul(g, g))),
            BG_MIN_GRADIENT * BG_MIN_GRADIENT);
        const BgLanes update = bg_lanes_div(mean, bg_lanes_add(bg_lanes_sqrt(square), epsilon));
        bg_lanes_store(net->mean + i, mean);
        bg_lanes_store(net->square + i, square);
        bg_lanes_store(
            net->weights + i, bg_lanes_sub(bg_lanes_load(net->weights + i), bg_lanes_mul(length, update)));
        bg_lanes_store(net->gradient + i, zero);
    }
}

/* ---- backward ---- */

BG_INLINE BgLanes bg_lanes_where_positive(BgLanes a, BgLanes b)
{
#if defined(__GNUC__) && !defined(BGFAST_SCALAR)
    return (BgLanes)((BgLaneInts)a & (b > 0));
#else
    BG_LANEWISE(BgLanes, b.x[i] > 0 ? a.x[i] : 0)
#endif
}

/* Backward pass and step of one tile for a batch; `activations` has the tile's activations for each sample. */
static inline void bg_learner_tile(
    const BgLearner *net, int tile, const BgSample *samples, int64_t n, const float *activations, const BgStep *step)
{
    const int units = bg_learner_units(net);
    const int64_t first = tile * bg_learner_tile_rows(net) * BG_TILE;
    const float *weights = net->weights + first;
    float *gradient = net->gradient + first;
    int64_t s;
    int i, j;
    for (s = 0; s < n; s++, activations += BG_TILE) {
        const BgSample *sample = samples + s;
        const int64_t first_row = (bg_learner_input_rows(net) + sample->head * bg_learner_head_rows(net)) * BG_TILE;
        const int64_t squares_row = first_row + units * BG_TILE;
        const BgTile activation = bg_tile_load(activations), square = bg_tile_product(activation, activation);
        BgTile t = bg_tile_zero(), square_sum = t;
        for (j = 0; j < units; j++) {
            const BgLanes scale = bg_lanes_splat(sample->next_gradient[j]);
            if (sample->next_gradient[j] == 0.0f)
                continue;
            t = bg_tile_add_scaled(t, weights + first_row + j * BG_TILE, scale);
            bg_tile_add_to(gradient + first_row + j * BG_TILE, activation, scale);
            if (net->squares) {
                square_sum = bg_tile_add_scaled(square_sum, weights + squares_row + j * BG_TILE, scale);
                bg_tile_add_to(gradient + squares_row + j * BG_TILE, square, scale);
            }
        }
        if (net->squares) {
            square_sum = bg_tile_product(square_sum, activation);
            for (i = 0; i < BG_TILE_LANES; i++)
                t.lanes[i] = bg_lanes_add(t.lanes[i], bg_lanes_add(square_sum.lanes[i], square_sum.lanes[i]));
        }
        for (i = 0; i < BG_TILE_LANES; i++)
            t.lanes[i] = bg_lanes_where_positive(t.lanes[i], activation.lanes[i]);
        for (i = 0; i < sample->inputs; i++)
            bg_tile_add_to(gradient + sample->row[i] * BG_TILE, t, bg_lanes_splat(sample->value[i]));
    }
    if (net->has_features)
        bg_learner_adam(net, first, bg_learner_tile_rows(net) * BG_TILE, step);
    else { /* the rows of features have no gradient */
        bg_learner_adam(net, first, BG_WEIGHTS_FEATURES * BG_TILE, step);
        bg_learner_adam(
            net, first + BG_WEIGHTS_BIAS * BG_TILE, (bg_learner_tile_rows(net) - BG_WEIGHTS_BIAS) * BG_TILE, step);
    }
}

/* Backward pass and step of the tail. */
static inline void bg_learner_tail(const BgLearner *net, const BgSample *samples, int64_t n, const BgStep *step)
{
    const int64_t first = bg_learner_tiles_size(net), tail_size = bg_learner_tail_size(net);
    int64_t s;
    int j, k;
    for (s = 0; s < n; s++) {
        const BgSample *sample = samples + s;
        float *gradient = net->gradient + first + sample->head * tail_size;
        if (net->dense) {
            for (j = 0; j < net->dense; j += BG_LANES) {
                const BgLanes dense = bg_lanes_load(sample->dense + j);
                float *to = gradient + j;
                bg_lanes_store(to, bg_lanes_add(bg_lanes_load(to), bg_lanes_load(sample->next_gradient + j)));
                for (k = 0; k < BG_NET_OUTPUTS; k++) {
                    to += net->dense;
                    bg_lanes_store(
                        to,
                        bg_lanes_add(bg_lanes_load(to), bg_lanes_mul(bg_lanes_splat(sample->output_gradient[k]), dense)));
                }
            }
            gradient += net->dense * (1 + BG_NET_OUTPUTS);
        }
        bg_lanes_store(gradient, bg_lanes_add(bg_lanes_load(gradient), bg_lanes_load(sample->output_gradient)));
    }
    bg_learner_adam(net, first, net->heads * tail_size, step);
}

#endif
