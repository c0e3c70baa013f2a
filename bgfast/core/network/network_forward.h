/* Forward pass from an accumulator: activations, the hidden dense layer if there is one, five outputs and their sigmoids.
 *
 * The layer after the first one reads quantized activations of 13 bits with 16-bit weights.
 */
#ifndef BGFAST_NETWORK_FORWARD_H
#define BGFAST_NETWORK_FORWARD_H

#include "dense.h"
#include "network_accumulator.h"

/* ---- float ---- */

/* Computes outputs from the sums of `hidden` units before their ReLU, with `inputs` weights per output, see BgNet.
 * Writes BG_LANES numbers, before the sigmoid. */
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

/* Computes outputs from a float accumulator through a hidden dense layer. Inactive first-layer units, four in
 * five, are skipped. */
static inline void bg_net_dense_outputs_float(const BgNet *net, const float *accumulation, float *out)
{
    float hidden[BG_NET_MAX_UNITS];
    int32_t active[BG_NET_MAX_HIDDEN + BG_ACTIVE_STEP];
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

/* Loads a tile of the accumulator into the registers `a`. */
BG_INLINE void bg_net_load_tile(BgInt16s *a, const int16_t *accumulation, int h, int registers)
{
    int r;
    for (r = 0; r < registers; r++)
        a[r] = bg_int16s_load(accumulation + h + r * BG_INT16S);
}

BG_INLINE void bg_net_store_tile(const BgInt16s *a, int16_t *accumulation, int h, int registers)
{
    int r;
    for (r = 0; r < registers; r++)
        bg_int16s_store(accumulation + h + r * BG_INT16S, a[r]);
}

BG_INLINE void bg_net_change_tile(BgInt16s *a, int h, int registers, const BgChangedRows *rows)
{
    int i, r;
    for (i = 0; i < rows->n; i++) {
        const int16_t *plus = rows->added[i] + h, *minus = rows->removed[i] + h;
        for (r = 0; r < registers; r++)
            a[r] = bg_int16s_add(
                a[r], bg_int16s_sub(bg_int16s_load(plus + r * BG_INT16S), bg_int16s_load(minus + r * BG_INT16S)));
    }
}

/* Updates a tile of the accumulator and loads it into the registers. */
BG_INLINE void bg_net_update_tile(BgInt16s *a, int16_t *accumulation, int h, int registers, const BgChangedRows *rows)
{
    bg_net_load_tile(a, accumulation, h, registers);
    bg_net_change_tile(a, h, registers, rows);
    bg_net_store_tile(a, accumulation, h, registers);
}

/* Updates a tile of the accumulator and adds to `out` the products of the output weights with the
 * activations and with their squares. */
BG_INLINE void bg_net_forward_tile(
    const BgNet *net, int16_t *accumulation, int h, int registers, const BgChangedRows *rows, BgInt32s *out)
{
    const int hidden = net->first_layer->hidden, inputs = net->inputs;
    BgInt16s a[BG_INT16S_REGISTERS];
    int k, r;
    bg_net_update_tile(a, accumulation, h, registers, rows);
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

/* Updates a tile of the accumulator from board to board; writes each board's activations and, unless `squares` is
 * NULL, their squares. Boards are `stride` apart. */
BG_INLINE void bg_net_activate_tile(
    int16_t *accumulation, int h, int registers, const BgChangedRows *rows, int boards, int16_t *activations, int16_t *squares,
    int stride)
{
    BgInt16s a[BG_INT16S_REGISTERS];
    int n, r;
    bg_net_load_tile(a, accumulation, h, registers);
    for (n = 0; n < boards; n++) {
        const int first = n * stride + h;
        bg_net_change_tile(a, h, registers, rows + n);
        for (r = 0; r < registers; r++) {
            bg_int16s_store(activations + first + r * BG_INT16S, bg_int16s_relu(a[r], BG_NET_ACTIVATION_SHIFT));
            if (squares != NULL)
                bg_int16s_store(squares + first + r * BG_INT16S, bg_int16s_squares(bg_int16s_relu(a[r], 0)));
        }
    }
    bg_net_store_tile(a, accumulation, h, registers);
}

/* Updates the sums of an accumulator and writes the inputs of a hidden dense layer: for each board `net->inputs`
 * numbers, the activations and, if the layer reads them, their squares. */
BG_INLINE void bg_net_activate(
    const BgNet *net, int16_t *accumulation, const BgChangedRows *rows, int boards, int16_t *activations)
{
    const int hidden = net->first_layer->hidden;
    int16_t *squares = net->inputs > hidden ? activations + hidden : NULL;
    int h;
    for (h = 0; h + BG_INT16S_REGISTERS * BG_INT16S <= hidden; h += BG_INT16S_REGISTERS * BG_INT16S)
        bg_net_activate_tile(accumulation, h, BG_INT16S_REGISTERS, rows, boards, activations, squares, net->inputs);
    for (; h < hidden; h += 32)
        bg_net_activate_tile(accumulation, h, 32 / BG_INT16S, rows, boards, activations, squares, net->inputs);
}

/* Computes the outputs of boards through a hidden dense layer. `activations` has `net->inputs` numbers per board.
 * Output k of board n is written to `out[k * stride + n]`. */
BG_INLINE void bg_net_dense_outputs(const BgNet *net, const int16_t *activations, int boards, float *out, int stride)
{
    const int hidden = net->first_layer->hidden;
    int32_t sums[BG_BOARDS * BG_NET_MAX_UNITS];
    int j, k, n, done = 0;
#if defined(BG_INT16S_AVX512)
    if (boards == BG_BOARDS && net->inputs > hidden) {
        for (j = 0; j < net->units; j += BG_DENSE_UNITS)
            bg_dense_sums_of_boards(
                activations, hidden, net->quantized_dense + 2 * j, net->units, sums + j, BG_NET_MAX_UNITS);
        done = boards;
    }
#endif
    for (n = done; n < boards; n++) {
        const int16_t *input = activations + n * net->inputs, *squares = net->inputs > hidden ? input + hidden : NULL;
        for (j = 0; j < net->units; j += BG_DENSE_UNITS)
            bg_dense_sums(input, squares, hidden, net->quantized_dense + 2 * j, net->units, sums + n * BG_NET_MAX_UNITS + j);
    }
    for (n = 0; n < boards; n++) {
        float units[BG_NET_MAX_UNITS], outputs[BG_LANES];
        for (j = 0; j < net->units; j++)
            units[j] = (float)sums[n * BG_NET_MAX_UNITS + j] * net->dense_scale[j] + net->dense_bias[j];
        bg_net_outputs_float(net->units, net->units, net->output_weights, net->output_bias, units, outputs);
        for (k = 0; k < BG_NET_OUTPUTS; k++)
            out[k * stride + n] = outputs[k];
    }
}

/* Computes outputs without a hidden dense layer, `stride` apart, and updates the sums of the accumulator. */
BG_INLINE void bg_net_direct_outputs(const BgNet *net, int16_t *accumulation, const BgChangedRows *rows, float *out, int stride)
{
    const int hidden = net->first_layer->hidden;
    BgInt32s sums[BG_NET_OUTPUTS];
    int h, k;
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        sums[k] = bg_int32s_zero();
    for (h = 0; h + BG_INT16S_REGISTERS * BG_INT16S <= hidden; h += BG_INT16S_REGISTERS * BG_INT16S)
        bg_net_forward_tile(net, accumulation, h, BG_INT16S_REGISTERS, rows, sums);
    for (; h < hidden; h += 32)
        bg_net_forward_tile(net, accumulation, h, 32 / BG_INT16S, rows, sums);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        out[k * stride] = (float)bg_int32s_sum(sums[k]) * net->output_scale[k] + net->output_bias[k];
}

/* Changed rows of boards in one bucket that wait for their outputs; meanwhile the rows are prefetched. */
#define BG_NET_QUEUE_SIZE 4 /* a multiple of BG_BOARDS */
typedef struct {
    BgChangedRows rows[BG_NET_QUEUE_SIZE];
    int n;
} BgQueue;

BG_INLINE void bg_net_outputs_of_queue(
    const BgNet *net, BgNetAccumulators *accumulators, BgQueue *queue, float *out, int stride)
{
    int16_t activations[BG_NET_QUEUE_SIZE * BG_NET_MAX_INPUTS] BG_ON_CACHE_LINES;
    int16_t *accumulation = accumulators->layers[net->accumulator].accumulation;
    int i;
    if (net->units) {
        bg_net_activate(net, accumulation, queue->rows, queue->n, activations);
        for (i = 0; i < queue->n; i += BG_BOARDS) {
            const int boards = queue->n - i < BG_BOARDS ? queue->n - i : BG_BOARDS;
            bg_net_dense_outputs(net, activations + i * net->inputs, boards, out + i, stride);
        }
    } else
        for (i = 0; i < queue->n; i++)
            bg_net_direct_outputs(net, accumulation, queue->rows + i, out + i, stride);
    queue->n = 0;
}

/* Makes tables of a net; see network_tables.h. */
BG_NOINLINE void bg_net_make(const BgNet *net, int tables);

/* Makes tables of a net on their first use: most programs need only a few of the buckets. */
BG_INLINE void bg_net_ensure(const BgNet *net, int tables)
{
    if (BG_UNLIKELY(bg_load_acquire(&net->ready) < tables))
        bg_net_make(net, tables);
}

/* Computes outputs of `n` rows with quantized weights, before the sigmoid: output k of row i is written to
 * `out[k * stride + i]`. Writes the bucket of each row; outputs of finished games are 0. `accumulators` are updated. */
static inline void bg_net_outputs_of_rows(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int row_size, int n, float *out, int stride,
    int8_t *buckets)
{
    BgQueue queue;
    int i, k;
    queue.n = 0;
    for (i = 0; i < n; i++, rows += row_size) {
        const int bucket = bg_net_bucket(rows);
        buckets[i] = (int8_t)bucket;
        if (queue.n && (queue.n == BG_NET_QUEUE_SIZE || bucket != buckets[i - 1]))
            bg_net_outputs_of_queue(nets + buckets[i - 1], accumulators, &queue, out + i - queue.n, stride);
        if (bucket != BG_NET_FINISHED) {
            const BgNet *net = nets + bucket;
            bg_net_ensure(net, BG_ALL_READY);
            bg_net_next_board(
                net->first_layer, &accumulators->layers[net->accumulator], rows, queue.rows + queue.n);
            queue.n++;
        } else
            for (k = 0; k < BG_NET_OUTPUTS; k++)
                out[k * stride + i] = 0;
    }
    if (queue.n)
        bg_net_outputs_of_queue(nets + buckets[n - 1], accumulators, &queue, out + n - queue.n, stride);
}

/* Replaces outputs, padded to BG_LANES, by probabilities. A backgammon is at most as likely as a gammon,
 * and a gammon at most as likely as a win. */
static inline void bg_net_probabilities(float *out)
{
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    out[1] = out[1] > out[0] ? out[0] : out[1];
    out[2] = out[2] > out[1] ? out[1] : out[2];
    out[3] = out[3] > 1.0f - out[0] ? 1.0f - out[0] : out[3];
    out[4] = out[4] > out[3] ? out[3] : out[4];
}

/* Evaluates n unfinished boards, `row_size` bytes apart, with float weights; writes BG_LANES numbers for each. */
static inline void bg_net_evaluate(const BgNet *nets, const int8_t *boards, int row_size, int64_t n, float *out)
{
    BgFloatAccumulator accumulators[BG_FLOAT_BOARDS];
    while (n) {
        const int bucket = bg_net_bucket(boards);
        const BgNet *net = nets + bucket;
        int i, count = 1;
        while (count < BG_FLOAT_BOARDS && count < n && bg_net_bucket(boards + count * row_size) == bucket)
            count++;
        bg_net_ensure(net, BG_FLOATS_READY);
        bg_net_accumulate_boards(net->first_layer, boards, row_size, count, accumulators);
        for (i = 0; i < count; i++, out += BG_LANES) {
            const float *accumulation = accumulators[i].accumulation;
            if (net->units)
                bg_net_dense_outputs_float(net, accumulation, out);
            else
                bg_net_outputs_float(
                    net->first_layer->hidden, net->inputs, net->output_weights, net->output_bias, accumulation, out);
            bg_net_probabilities(out);
        }
        boards += count * row_size;
        n -= count;
    }
}

/* Evaluates an unfinished board similar to the previous one. Unlike `bg_net_evaluate`, updates a few rows of the
 * quantized accumulator instead of adding up all rows. Layers from a hidden dense layer on are not quantized, so
 * equities differ from `bg_net_evaluate` by about 0.0001 points. */
static inline void bg_net_evaluate_next(
    const BgNet *net, BgNetAccumulator *accumulator, const int8_t *board, float *out)
{
    const BgFirstLayer *layer = net->first_layer;
    BgChangedRows rows;
    BgInt16s a[BG_INT16S_REGISTERS];
    float accumulation[BG_NET_MAX_HIDDEN];
    int h;
    bg_net_ensure(net, BG_ALL_READY);
    bg_net_next_board(layer, accumulator, board, &rows);
    if (!net->units) { /* outputs of 13-bit activations are nearly as accurate */
        bg_net_direct_outputs(net, accumulator->accumulation, &rows, out, 1);
        out[5] = out[6] = out[7] = 0.0f;
        bg_net_probabilities(out);
        return;
    }
    for (h = 0; h + BG_INT16S_REGISTERS * BG_INT16S <= layer->hidden; h += BG_INT16S_REGISTERS * BG_INT16S)
        bg_net_update_tile(a, accumulator->accumulation, h, BG_INT16S_REGISTERS, &rows);
    for (; h < layer->hidden; h += 32)
        bg_net_update_tile(a, accumulator->accumulation, h, 32 / BG_INT16S, &rows);
    for (h = 0; h < layer->hidden; h++)
        accumulation[h] = (float)accumulator->accumulation[h] / layer->scale[h];
    bg_net_dense_outputs_float(net, accumulation, out);
    bg_net_probabilities(out);
}

/* Replaces the outputs of BG_LANES positions by probabilities, as `bg_net_probabilities` does, and returns their equities. */
BG_INLINE BgLanes bg_net_evaluations_in_place(float *out, int stride)
{
    const BgLanes one = bg_lanes_splat(1.0f);
    BgLanes p[BG_NET_OUTPUTS], equity;
    int k;
    p[0] = bg_lanes_sigmoid(bg_lanes_load(out));
    p[1] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + stride)), p[0]);
    p[2] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 2 * stride)), p[1]);
    p[3] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 3 * stride)), bg_lanes_sub(one, p[0]));
    p[4] = bg_lanes_min(bg_lanes_sigmoid(bg_lanes_load(out + 4 * stride)), p[3]);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        bg_lanes_store(out + k * stride, p[k]);
    equity = bg_lanes_sub(bg_lanes_add(p[0], p[0]), one);
    return bg_lanes_sub(bg_lanes_sub(bg_lanes_add(bg_lanes_add(equity, p[1]), p[2]), p[3]), p[4]);
}

#endif
