/* The arithmetic of the built-in network: sums of table rows, and five sigmoids of what is above 0 in them.
 *
 * All of it is lane by lane, in one order: a build with wide registers and one without give the same bits.
 */
#ifndef BGFAST_NETWORK_H
#define BGFAST_NETWORK_H

#include <stdint.h>
#include <string.h>

#define BG_NET_PLACES 26
#define BG_NET_COUNTS 31 /* of a place: -15 to 15 */
#define BG_NET_OFF 16    /* 0 to 15 checkers borne off */
#define BG_NET_OUTPUTS 5
#define BG_NET_LANES 8
#define BG_NET_MOST_HIDDEN 1024

/* One network: `hidden` is a multiple of 32; rows of that length stand one behind the other. */
typedef struct {
    int32_t hidden;
    const float *bias;        /* 1 row */
    const float *place;       /* 26 x 31 rows; that of no checkers is 0 */
    const float *off;         /* 2 x 16 rows: the mover's, the opponent's */
    const float *output;      /* 5 rows */
    const float *output_bias; /* 5 numbers */
} BgNet;

#if defined(__GNUC__) && !defined(BGFAST_SCALAR)
typedef float BgLanes __attribute__((vector_size(4 * BG_NET_LANES)));
typedef int32_t BgInts __attribute__((vector_size(4 * BG_NET_LANES)));
static inline BgLanes bg_lanes_add(BgLanes a, BgLanes b) { return a + b; }
static inline BgLanes bg_lanes_sub(BgLanes a, BgLanes b) { return a - b; }
static inline BgLanes bg_lanes_mul(BgLanes a, BgLanes b) { return a * b; }
static inline BgLanes bg_lanes_ramp(BgLanes a) { return (BgLanes)((BgInts)a & (a > 0)); }
static inline float bg_lane(BgLanes a, int i) { return a[i]; }
static inline BgLanes bg_lanes_all(float x) { return (BgLanes){x, x, x, x, x, x, x, x}; }
static inline BgLanes bg_lanes_over(BgLanes a, BgLanes b) { return a / b; }
static inline BgLanes bg_lanes_between(BgLanes a, float least, float most)
{
    const BgLanes low = bg_lanes_all(least), high = bg_lanes_all(most);
    const BgInts below = a < low, above = a > high;
    return (BgLanes)(((BgInts)low & below) | ((BgInts)high & above) | ((BgInts)a & ~below & ~above));
}
/* a * 2**whole, for whole numbers that leave it a normal one */
static inline BgLanes bg_lanes_scaled(BgLanes a, BgLanes whole)
{
    return (BgLanes)((BgInts)a + (__builtin_convertvector(whole, BgInts) << 23));
}
#else
typedef struct {
    float x[BG_NET_LANES];
} BgLanes;
#define BG_EACH(expression)                 \
    BgLanes r;                              \
    int i;                                  \
    for (i = 0; i < BG_NET_LANES; i++)      \
        r.x[i] = (expression);              \
    return r;
static inline BgLanes bg_lanes_add(BgLanes a, BgLanes b) { BG_EACH(a.x[i] + b.x[i]) }
static inline BgLanes bg_lanes_sub(BgLanes a, BgLanes b) { BG_EACH(a.x[i] - b.x[i]) }
static inline BgLanes bg_lanes_mul(BgLanes a, BgLanes b) { BG_EACH(a.x[i] * b.x[i]) }
static inline BgLanes bg_lanes_ramp(BgLanes a) { BG_EACH(a.x[i] > 0 ? a.x[i] : 0) }
static inline float bg_lane(BgLanes a, int i) { return a.x[i]; }
static inline BgLanes bg_lanes_all(float x) { BG_EACH(x) }
static inline BgLanes bg_lanes_over(BgLanes a, BgLanes b) { BG_EACH(a.x[i] / b.x[i]) }
static inline BgLanes bg_lanes_between(BgLanes a, float least, float most)
{
    BG_EACH(a.x[i] < least ? least : a.x[i] > most ? most : a.x[i])
}
static inline BgLanes bg_lanes_scaled(BgLanes a, BgLanes whole)
{
    BgLanes r;
    int i;
    for (i = 0; i < BG_NET_LANES; i++) {
        int32_t bits;
        memcpy(&bits, &a.x[i], sizeof bits);
        bits += (int32_t)whole.x[i] * (1 << 23);
        memcpy(&r.x[i], &bits, sizeof bits);
    }
    return r;
}
#endif

static inline BgLanes bg_lanes_load(const float *from)
{
    BgLanes a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void bg_lanes_store(float *to, BgLanes a) { memcpy(to, &a, sizeof a); }

/* The lanes' sum, in a fixed order. */
static inline float bg_lanes_sum(BgLanes a)
{
    return ((bg_lane(a, 0) + bg_lane(a, 4)) + (bg_lane(a, 2) + bg_lane(a, 6)))
        + ((bg_lane(a, 1) + bg_lane(a, 5)) + (bg_lane(a, 3) + bg_lane(a, 7)));
}

/* The sigmoid of each lane, within some units in the last place: 1 / (1 + exp(-x)). */
static inline BgLanes bg_lanes_sigmoid(BgLanes x)
{
    /* exp(-x) = 2**whole * exp(part); adding 1.5 * 2**23 leaves no place for anything behind the point. */
    const BgLanes magic = bg_lanes_all(12582912.0f);
    BgLanes whole, part, power;
    x = bg_lanes_between(bg_lanes_sub(bg_lanes_all(0.0f), x), -87.0f, 87.0f);
    whole = bg_lanes_sub(bg_lanes_add(bg_lanes_mul(x, bg_lanes_all(1.44269504f)), magic), magic);
    part = bg_lanes_sub(x, bg_lanes_mul(whole, bg_lanes_all(0.693359375f)));
    part = bg_lanes_add(part, bg_lanes_mul(whole, bg_lanes_all(2.12194440e-4f)));
    power = bg_lanes_all(1.9875691500e-4f);
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(1.3981999507e-3f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(8.3334519073e-3f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(4.1665795894e-2f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(1.6666665459e-1f));
    power = bg_lanes_add(bg_lanes_mul(power, part), bg_lanes_all(5.0000001201e-1f));
    power = bg_lanes_add(bg_lanes_mul(bg_lanes_mul(power, part), part), bg_lanes_add(part, bg_lanes_all(1.0f)));
    return bg_lanes_over(bg_lanes_all(1.0f), bg_lanes_add(bg_lanes_all(1.0f), bg_lanes_scaled(power, whole)));
}

static inline const float *bg_net_place(const BgNet *net, int place, int count)
{
    return net->place + (int64_t)(place * BG_NET_COUNTS + count + 15) * net->hidden;
}

/* The rows of a board: those of its places, and of what has been borne off. Returns how many. */
static inline int bg_net_rows(const BgNet *net, const int8_t *board, int checkers, const float **rows)
{
    int place, n = 0, own = 0, other = 0;
    for (place = 0; place < BG_NET_PLACES; place++) {
        int count = board[place];
        if (count) {
            rows[n++] = bg_net_place(net, place, count);
            if (count > 0)
                own += count;
            else
                other -= count;
        }
    }
    if (own < checkers)
        rows[n++] = net->off + (int64_t)(checkers - own) * net->hidden;
    if (other < checkers)
        rows[n++] = net->off + (int64_t)(BG_NET_OFF + checkers - other) * net->hidden;
    return n;
}

/* What the hidden units of a board add up to. */
static inline void bg_net_sum(const BgNet *net, const int8_t *board, int checkers, float *sum)
{
    const float *rows[BG_NET_PLACES + 2];
    int h, i, n = bg_net_rows(net, board, checkers, rows);
    for (h = 0; h < net->hidden; h += BG_NET_LANES) {
        BgLanes a = bg_lanes_load(net->bias + h);
        for (i = 0; i < n; i++)
            a = bg_lanes_add(a, bg_lanes_load(rows[i] + h));
        bg_lanes_store(sum + h, a);
    }
}

static inline int bg_lowest_byte(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word) >> 3;
#else
    int byte = 0;
    while (!(word >> 8 * byte & 255))
        byte++;
    return byte;
#endif
}

static inline uint64_t bg_net_word(const int8_t *board, int at)
{
    /* The bytes of the two last words overlap, so that 26 of them are 4 words without another one. */
    uint64_t word;
    memcpy(&word, board + at, sizeof word);
    return word;
}

/* The rows by which a board differs from another one: `plus` to be added, `minus` to be taken away. */
static inline int bg_net_changes(
    const BgNet *net, const int8_t *from, const int8_t *to, int off_own, int off_other, int to_off_own,
    int to_off_other, const float **plus, const float **minus)
{
    static const int AT[4] = {0, 8, 16, 18};
    const int64_t hidden = net->hidden;
    int w, n = 0;
    for (w = 0; w < 4; w++) {
        uint64_t changed = bg_net_word(from, AT[w]) ^ bg_net_word(to, AT[w]);
        if (w == 3)
            changed &= ~(uint64_t)0 << 48; /* bytes 18 to 23 were in the word before */
        while (changed) {
            int byte = bg_lowest_byte(changed), place = AT[w] + byte;
            plus[n] = bg_net_place(net, place, to[place]);
            minus[n++] = bg_net_place(net, place, from[place]);
            changed &= ~((uint64_t)255 << 8 * byte);
        }
    }
    if (off_own != to_off_own) {
        plus[n] = net->off + to_off_own * hidden;
        minus[n++] = net->off + off_own * hidden;
    }
    if (off_other != to_off_other) {
        plus[n] = net->off + (BG_NET_OFF + to_off_other) * hidden;
        minus[n++] = net->off + (BG_NET_OFF + off_other) * hidden;
    }
    return n;
}

static inline BgLanes bg_net_product(
    BgLanes o, BgLanes a0, BgLanes a1, BgLanes a2, BgLanes a3, const float *weights)
{
    o = bg_lanes_add(o, bg_lanes_mul(a0, bg_lanes_load(weights)));
    o = bg_lanes_add(o, bg_lanes_mul(a1, bg_lanes_load(weights + 8)));
    o = bg_lanes_add(o, bg_lanes_mul(a2, bg_lanes_load(weights + 16)));
    return bg_lanes_add(o, bg_lanes_mul(a3, bg_lanes_load(weights + 24)));
}

/* The five outputs, before the sigmoid, of a sum with changes. */
static inline void bg_net_outputs(
    const BgNet *net, const float *sum, int n, const float **plus, const float **minus, float *out)
{
    const float *w0 = net->output, *w1 = w0 + net->hidden, *w2 = w1 + net->hidden, *w3 = w2 + net->hidden;
    const float *w4 = w3 + net->hidden;
    BgLanes o0 = {0}, o1 = {0}, o2 = {0}, o3 = {0}, o4 = {0};
    int h, i;
    /* Four registers at a time: each pointer is loaded once for them. */
    for (h = 0; h < net->hidden; h += 4 * BG_NET_LANES) {
        BgLanes a0 = bg_lanes_load(sum + h), a1 = bg_lanes_load(sum + h + 8);
        BgLanes a2 = bg_lanes_load(sum + h + 16), a3 = bg_lanes_load(sum + h + 24);
        for (i = 0; i < n; i++) {
            const float *p = plus[i] + h, *m = minus[i] + h;
            a0 = bg_lanes_add(a0, bg_lanes_sub(bg_lanes_load(p), bg_lanes_load(m)));
            a1 = bg_lanes_add(a1, bg_lanes_sub(bg_lanes_load(p + 8), bg_lanes_load(m + 8)));
            a2 = bg_lanes_add(a2, bg_lanes_sub(bg_lanes_load(p + 16), bg_lanes_load(m + 16)));
            a3 = bg_lanes_add(a3, bg_lanes_sub(bg_lanes_load(p + 24), bg_lanes_load(m + 24)));
        }
        a0 = bg_lanes_ramp(a0);
        a1 = bg_lanes_ramp(a1);
        a2 = bg_lanes_ramp(a2);
        a3 = bg_lanes_ramp(a3);
        o0 = bg_net_product(o0, a0, a1, a2, a3, w0 + h);
        o1 = bg_net_product(o1, a0, a1, a2, a3, w1 + h);
        o2 = bg_net_product(o2, a0, a1, a2, a3, w2 + h);
        o3 = bg_net_product(o3, a0, a1, a2, a3, w3 + h);
        o4 = bg_net_product(o4, a0, a1, a2, a3, w4 + h);
    }
    out[0] = bg_lanes_sum(o0) + net->output_bias[0];
    out[1] = bg_lanes_sum(o1) + net->output_bias[1];
    out[2] = bg_lanes_sum(o2) + net->output_bias[2];
    out[3] = bg_lanes_sum(o3) + net->output_bias[3];
    out[4] = bg_lanes_sum(o4) + net->output_bias[4];
    out[5] = out[6] = out[7] = 0.0f;
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

static inline float bg_net_equity(const float *out)
{
    return 2.0f * out[0] - 1.0f + out[1] + out[2] - out[3] - out[4];
}

enum { BG_NET_CONTACT, BG_NET_RACE, BG_NET_FINISHED };

/* Which network a board is for: whether a checker of the mover has one of the opponent still before it. */
static inline int bg_net_part(const int8_t *board)
{
    int rear = 25, front = 0;
    while (rear >= 0 && board[rear] <= 0)
        rear--;
    while (front < BG_NET_PLACES && board[front] >= 0)
        front++;
    if (rear < 0 || front == BG_NET_PLACES)
        return BG_NET_FINISHED;
    return rear > front ? BG_NET_CONTACT : BG_NET_RACE;
}

static inline int bg_net_total(const int8_t *board)
{
    int i, total = 0;
    for (i = 0; i < BG_NET_PLACES; i++)
        total += board[i];
    return total;
}

/* ---- Training. ----
 *
 * The weights of one network, row by row: 2 sides x 24 points x 6 inputs, 2 bars, 2 sides x 15 of off, 5 outputs;
 * then the bias of the hidden units, and that of the outputs with room for all lanes.
 */
enum {
    BG_NET_INPUTS = 6,
    BG_NET_BAR_ROW = 2 * 24 * BG_NET_INPUTS,
    BG_NET_OFF_ROW = BG_NET_BAR_ROW + 2,
    BG_NET_BIAS_ROW = BG_NET_OFF_ROW + 30,
    BG_NET_OUTPUT_ROW = BG_NET_BIAS_ROW + 1,
    BG_NET_ROWS = BG_NET_OUTPUT_ROW + BG_NET_OUTPUTS
};

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
    for (h = 0; h < hidden; h += 4 * BG_NET_LANES) {
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
static inline void bg_net_tables(int hidden, const float *weights, float *place, float *off)
{
    const int64_t size = hidden;
    int side, point, count;
    for (point = 0; point < BG_NET_PLACES; point++)
        memset(place + (point * BG_NET_COUNTS + 15) * size, 0, sizeof(float) * hidden);
    for (side = 0; side < 2; side++) {
        const int64_t step = side ? -size : size; /* from a count to the next */
        const float *bar = weights + (BG_NET_BAR_ROW + side) * size;
        float *to = place + ((side ? 0 : 25) * BG_NET_COUNTS + 15) * size;
        for (count = 1; count <= 15; count++, to += step)
            bg_net_add_to(hidden, to + step, to, bar, 0.5f);
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
}

/* One step down the slope of the cross-entropy between what a board is taken for, `out`, and `target`. */
static inline void bg_net_learn(
    const BgNet *net, float *weights, float *output_bias, const int8_t *board, int checkers, const float *target,
    float rate, float *out)
{
    float sum[BG_NET_MOST_HIDDEN], slope[BG_NET_MOST_HIDDEN], value[BG_NET_INPUTS];
    int h, k, i, n, side, point, input[BG_NET_INPUTS];
    const int hidden = net->hidden;
    bg_net_sum(net, board, checkers, sum);
    bg_net_outputs(net, sum, 0, 0, 0, out);
    bg_lanes_store(out, bg_lanes_sigmoid(bg_lanes_load(out)));
    memset(slope, 0, sizeof(float) * hidden);
    for (k = 0; k < BG_NET_OUTPUTS; k++) {
        const float step = -rate * (out[k] - target[k]);
        float *row = weights + (int64_t)(BG_NET_OUTPUT_ROW + k) * hidden;
        const BgLanes s = bg_lanes_all(step);
        for (h = 0; h < hidden; h += BG_NET_LANES) {
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
        for (k = 0; k < checkers - total; k++)
            bg_net_add(hidden, weights + (int64_t)(BG_NET_OFF_ROW + side * 15 + k) * hidden, slope, 1.0f);
    }
}

#endif
