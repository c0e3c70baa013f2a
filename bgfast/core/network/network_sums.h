/* The built-in network: sums of table rows, and five sigmoids of what is above 0 in them.
 *
 * The tables stand twice: as floats, for what a board is worth, and rounded to whole numbers of 16 bits, for the choice
 * among successors, where twice as many fit in a register and in the cache.
 */
#ifndef BGFAST_NETWORK_SUMS_H
#define BGFAST_NETWORK_SUMS_H

#include "position_features.h"

static inline int bg_net_place_row(int place, int count) { return place * BG_NET_COUNTS + count + 15; }
static inline int bg_net_off_row(int side, int off) { return BG_NET_OFF_TABLE + side * BG_NET_OFF + off; }
static inline int bg_net_feature_row(int number, int value)
{
    return BG_NET_FEATURE_TABLE + number * BG_FEATURE_VALUES + value;
}

/* The rows of a board: those of its places, of what has been borne off, and of features. Returns how many. */
static inline int bg_net_rows(const BgNet *net, const int8_t *board, int *rows)
{
    int place, n = 0, own = 0, other = 0;
    for (place = 0; place < BG_NET_PLACES; place++) {
        int count = board[place];
        if (count) {
            rows[n++] = bg_net_place_row(place, count);
            if (count > 0)
                own += count;
            else
                other -= count;
        }
    }
    if (own < BG_NET_CHECKERS)
        rows[n++] = bg_net_off_row(0, BG_NET_CHECKERS - own);
    if (other < BG_NET_CHECKERS)
        rows[n++] = bg_net_off_row(1, BG_NET_CHECKERS - other);
    if (net->features) {
        uint8_t value[BG_FEATURE_BYTES];
        bg_store(value, bg_features(board));
        for (place = 0; place < 2 * BG_FEATURES; place++)
            rows[n++] = bg_net_feature_row(place, value[place]);
    }
    return n;
}

/* What the hidden units of a board add up to; `bias` is theirs. */
static inline void bg_net_sum(const BgNet *net, const float *bias, const int8_t *board, float *sum)
{
    const float *rows[BG_NET_MOST_ROWS];
    int found[BG_NET_MOST_ROWS], h, i, n = bg_net_rows(net, board, found);
    for (i = 0; i < n; i++)
        rows[i] = net->exact + (int64_t)found[i] * net->hidden;
    for (h = 0; h < net->hidden; h += 4 * BG_LANES) {
        BgLanes a = bg_lanes_load(bias + h), b = bg_lanes_load(bias + h + 8), c = bg_lanes_load(bias + h + 16);
        BgLanes d = bg_lanes_load(bias + h + 24);
        for (i = 0; i < n; i++) {
            const float *row = rows[i] + h;
            a = bg_lanes_add(a, bg_lanes_load(row));
            b = bg_lanes_add(b, bg_lanes_load(row + 8));
            c = bg_lanes_add(c, bg_lanes_load(row + 16));
            d = bg_lanes_add(d, bg_lanes_load(row + 24));
        }
        bg_lanes_store(sum + h, a);
        bg_lanes_store(sum + h + 8, b);
        bg_lanes_store(sum + h + 16, c);
        bg_lanes_store(sum + h + 24, d);
    }
}

/* The five outputs of a sum, before the sigmoid, with room for all lanes. */
static inline void bg_net_outputs(int hidden, const float *weights, const float *bias, const float *sum, float *out)
{
    int h, k;
    for (k = 0; k < BG_NET_OUTPUTS; k++, weights += hidden) {
        BgLanes o = bg_lanes_all(0.0f);
        for (h = 0; h < hidden; h += BG_LANES)
            o = bg_lanes_add(o, bg_lanes_mul(bg_lanes_ramp(bg_lanes_load(sum + h)), bg_lanes_load(weights + h)));
        out[k] = bg_lanes_sum(o) + bias[k];
    }
    out[5] = out[6] = out[7] = 0.0f;
}

/* ---- The same with rounded numbers: whole sums and those of differences are the same. ---- */

/* Bits that the hidden units lose before they are multiplied. */
#define BG_NET_SHIFT 2

BG_INLINE void bg_net_rounded_sum_part(
    const int16_t *bias, int h, int registers, int n, const int16_t **rows, int16_t *sum)
{
    BgShorts a[4];
    int i, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_shorts_load(bias + h + r * BG_SHORTS);
    for (i = 0; i < n; i++)
        for (r = 0; r < registers; r++)
            a[r] = bg_shorts_add(a[r], bg_shorts_load(rows[i] + h + r * BG_SHORTS));
    for (r = 0; r < registers; r++)
        bg_shorts_store(sum + h + r * BG_SHORTS, a[r]);
}

static inline void bg_net_rounded_sum(const BgNet *net, const int8_t *board, int16_t *sum)
{
    const int16_t *bias = net->rounded + BG_NET_BIAS * net->hidden, *rows[BG_NET_MOST_ROWS];
    int found[BG_NET_MOST_ROWS], h, i, n = bg_net_rows(net, board, found);
    for (i = 0; i < n; i++)
        rows[i] = net->rounded + found[i] * net->hidden;
    for (h = 0; h + 4 * BG_SHORTS <= net->hidden; h += 4 * BG_SHORTS)
        bg_net_rounded_sum_part(bias, h, 4, n, rows, sum);
    if (h < net->hidden)
        bg_net_rounded_sum_part(bias, h, 2, n, rows, sum);
}

/* The board that was asked for last and its sum: the next one in a list of successors differs from it in a few rows.
 * Bytes behind 26 places are 0, as are those behind all features. */
typedef struct {
    int known;
    int off_own, off_other;
    int8_t point[32];
    int8_t features[BG_FEATURE_BYTES];
    int16_t sum[BG_NET_MOST_HIDDEN];
} BgNetLast;

enum { BG_NET_MOST_CHANGES = 28 + 4 + 20 + 4 };

/* The rounded rows of places where two boards, or features where two positions, differ. Branches on how many there are
 * are guessed wrong too often, so there are always four or a multiple: the last ones are for the first byte behind,
 * which is 0 in both, and what is added there is taken away again. `first` is the row of the first byte's 0, `step` the
 * rows from a byte to the next. */
BG_INLINE int bg_net_differences(
    const BgNet *net, const int8_t *from, const int8_t *to, uint32_t changed, int bytes, int first, int step, int n,
    const int16_t **plus, const int16_t **minus)
{
    const int hidden = net->hidden;
    int k;
    do {
        for (k = 0; k < 4; k++) {
            const int byte = bg_lowest(changed | (uint32_t)1 << bytes);
            const int16_t *row = net->rounded + (first + byte * step) * hidden;
            plus[n] = row + to[byte] * hidden;
            minus[n++] = row + from[byte] * hidden;
            changed &= changed - 1;
        }
    } while (changed);
    return n;
}

/* The rounded rows by which a board differs from the last one: `plus` to be added, `minus` to be taken away. It is then
 * the last one, but for its sum. */
BG_INLINE int bg_net_changes(
    const BgNet *net, BgNetLast *last, const int8_t *board, const int16_t **plus, const int16_t **minus)
{
    const bg_row to = bg_load_board(board);
    const int places = BG_NET_PLACES;
    const uint32_t changed = bg_unequal(bg_load_row(last->point), to) & (((uint32_t)1 << places) - 1);
    const int off_own = BG_NET_CHECKERS - bg_total(to), off_other = BG_NET_CHECKERS - bg_total(bg_negated(to));
    const int hidden = net->hidden;
    int8_t point[32];
    int n;
    bg_store(point, to);
    n = bg_net_differences(
        net, last->point, point, changed, places, bg_net_place_row(0, 0), BG_NET_COUNTS, 0, plus, minus);
    if (off_own != last->off_own) {
        plus[n] = net->rounded + bg_net_off_row(0, off_own) * hidden;
        minus[n++] = net->rounded + bg_net_off_row(0, last->off_own) * hidden;
        last->off_own = off_own;
    }
    if (off_other != last->off_other) {
        plus[n] = net->rounded + bg_net_off_row(1, off_other) * hidden;
        minus[n++] = net->rounded + bg_net_off_row(1, last->off_other) * hidden;
        last->off_other = off_other;
    }
    bg_store(last->point, to);
    if (net->features) {
        const bg_row features = bg_features(board);
        int8_t value[BG_FEATURE_BYTES];
        bg_store(value, features);
        n = bg_net_differences(net, last->features, value, bg_unequal(bg_load_row(last->features), features),
            2 * BG_FEATURES, bg_net_feature_row(0, 0), BG_FEATURE_VALUES, n, plus, minus);
        bg_store(last->features, features);
    }
    return n;
}

/* Makes a board the first one; its sum is whole. */
static inline void bg_net_first(const BgNet *net, BgNetLast *last, const int8_t *board)
{
    const bg_row row = bg_load_board(board);
    bg_store(last->point, row);
    last->off_own = BG_NET_CHECKERS - bg_total(row);
    last->off_other = BG_NET_CHECKERS - bg_total(bg_negated(row));
    if (net->features)
        bg_store(last->features, bg_features(board));
    bg_net_rounded_sum(net, board, last->sum);
    last->known = 1;
}

/* Adds to the sums of the outputs what some registers of hidden units make of them. */
BG_INLINE void bg_net_rounded_part(
    int16_t *sum, int h, int hidden, int registers, int n, const int16_t **plus, const int16_t **minus,
    const int16_t *weights, BgSums *out)
{
    BgShorts a[4];
    int i, k, r;
    for (r = 0; r < registers; r++)
        a[r] = bg_shorts_load(sum + h + r * BG_SHORTS);
    for (i = 0; i < n; i++) {
        const int16_t *p = plus[i] + h, *m = minus[i] + h;
        for (r = 0; r < registers; r++)
            a[r] = bg_shorts_add(
                a[r], bg_shorts_sub(bg_shorts_load(p + r * BG_SHORTS), bg_shorts_load(m + r * BG_SHORTS)));
    }
    for (r = 0; r < registers; r++) {
        bg_shorts_store(sum + h + r * BG_SHORTS, a[r]);
        a[r] = bg_shorts_ramp(a[r], BG_NET_SHIFT);
        for (k = 0; k < BG_NET_OUTPUTS; k++)
            out[k] = bg_sums_add(out[k], a[r], bg_shorts_load(weights + (int64_t)k * hidden + h + r * BG_SHORTS));
    }
}

/* The five outputs of a board, before the sigmoid, by rounded weights; `apart` numbers from each other. */
BG_INLINE void bg_net_rounded_outputs(
    const BgNet *net, BgNetLast *last, const int8_t *board, float *out, int apart)
{
    const int16_t *weights = net->rounded + BG_NET_OUTPUT * net->hidden;
    const int16_t *plus[BG_NET_MOST_CHANGES], *minus[BG_NET_MOST_CHANGES];
    BgSums sums[BG_NET_OUTPUTS];
    int h, k, n = 0;
    if (last->known)
        n = bg_net_changes(net, last, board, plus, minus);
    else
        bg_net_first(net, last, board);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        sums[k] = bg_sums_zero();
    /* Four registers at a time: each pointer is loaded once for them. */
    for (h = 0; h + 4 * BG_SHORTS <= net->hidden; h += 4 * BG_SHORTS)
        bg_net_rounded_part(last->sum, h, net->hidden, 4, n, plus, minus, weights, sums);
    if (h < net->hidden)
        bg_net_rounded_part(last->sum, h, net->hidden, 2, n, plus, minus, weights, sums);
    for (k = 0; k < BG_NET_OUTPUTS; k++)
        out[k * apart] = (float)bg_sums_total(sums[k]) * net->output_scale[k] + net->output_bias[k];
}

/* Sigmoids of the outputs, which have room for all lanes; who wins a backgammon wins a gammon, and who wins a gammon wins. */
static inline void bg_net_probabilities(float *out)
{
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    out[1] = out[1] > out[0] ? out[0] : out[1];
    out[2] = out[2] > out[1] ? out[1] : out[2];
    out[3] = out[3] > 1.0f - out[0] ? 1.0f - out[0] : out[3];
    out[4] = out[4] > out[3] ? out[3] : out[4];
}

static inline void bg_net_evaluate(const BgNet *net, const int8_t *board, float *out)
{
    float sum[BG_NET_MOST_HIDDEN];
    bg_net_sum(net, net->exact + (int64_t)BG_NET_BIAS * net->hidden, board, sum);
    bg_net_outputs(net->hidden, net->exact + (int64_t)BG_NET_OUTPUT * net->hidden, net->output_bias, sum, out);
    bg_net_probabilities(out);
}

/* The equities of as many positions as there are lanes, by their outputs; `bg_net_probabilities` and `bg_net_equity`. */
static inline BgLanes bg_net_equities(const float *out, int apart)
{
    const BgLanes one = bg_lanes_all(1.0f), win = bg_lanes_sigmoid(bg_lanes_load(out));
    const BgLanes gammon = bg_lanes_least(bg_lanes_sigmoid(bg_lanes_load(out + apart)), win);
    const BgLanes backgammon = bg_lanes_least(bg_lanes_sigmoid(bg_lanes_load(out + 2 * apart)), gammon);
    const BgLanes lost = bg_lanes_least(bg_lanes_sigmoid(bg_lanes_load(out + 3 * apart)), bg_lanes_sub(one, win));
    const BgLanes worst = bg_lanes_least(bg_lanes_sigmoid(bg_lanes_load(out + 4 * apart)), lost);
    const BgLanes simple = bg_lanes_sub(bg_lanes_add(win, win), one);
    return bg_lanes_sub(bg_lanes_sub(bg_lanes_add(bg_lanes_add(simple, gammon), backgammon), lost), worst);
}

#endif
