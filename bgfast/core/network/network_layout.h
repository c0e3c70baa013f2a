/* What other modules know of a network: how its weights and tables are laid out, and which part of it a board is for.
 *
 * What is made of positions, and of the tables, stands in the headers behind this one. They have a table of their own
 * that has to be filled (`bg_features_init`), so that network.pxi alone includes them.
 */
#ifndef BGFAST_NETWORK_LAYOUT_H
#define BGFAST_NETWORK_LAYOUT_H

#include "lanes.h"

/* Tables and accumulators begin where a cache line does: a register of 64 bytes that lies across two of them takes two
 * accesses, and there are a hundred a board. */
#define BG_CACHE_LINE 64
#if defined(__GNUC__)
#define BG_ON_CACHE_LINES __attribute__((aligned(BG_CACHE_LINE)))
#else
#define BG_ON_CACHE_LINES
#endif

/* The first cache line that begins in memory, which has room for one more. */
static inline void *bg_on_cache_line(void *memory)
{
    return (void *)(((uintptr_t)memory + BG_CACHE_LINE - 1) & ~(uintptr_t)(BG_CACHE_LINE - 1));
}

/* ---- features of a side, as position_features.h finds them ---- */

enum {
    BG_SHOTS,        /* rolls, of 36, that hit a blot */
    BG_SHOT_PIPS,    /* pips that the opponent loses by the farthest hit, on the average of all rolls, times 1.5 */
    BG_DOUBLE_SHOTS, /* rolls that hit two blots, as far as one can see without playing them */
    BG_REAR_FREEDOM, /* rolls that the rearmost checker can play alone */
    BG_LEAST_FREEDOM, /* the least of these of all checkers in the far half */
    BG_HELD,         /* rolls that the checkers in the far half cannot play, a quarter of their sum */
    BG_BLOCKADE,     /* rolls that a checker of the opponent could not play, where it would be held most */
    BG_REAR,         /* the point of the rearmost checker */
    BG_ENTERING,     /* points closed against entering, 0 to 6; 7 more with a checker on the bar, 14 with several */
    BG_ANCHOR,       /* the farthest point made in the far half, less 12; 0 for none */
    BG_FEATURES
};

#define BG_FEATURE_VALUES 37
#define BG_FEATURE_BYTES 32 /* of both sides, the mover's first: 20, and zeros */
enum { BG_FEATURE_ROWS = 7 * 8 + 26 + 21 + 13 }; /* of a side */

/* ---- parts and outputs ---- */

/* A network is one for each kind of position: contact, by who has checkers in the opponent's home board or on the bar,
 * and races. */
enum { BG_NET_BOTH_BACK, BG_NET_MOVER_BACK, BG_NET_OPPONENT_BACK, BG_NET_NONE_BACK, BG_NET_RACE, BG_NET_PARTS };
#define BG_NET_FINISHED BG_NET_PARTS

/* ---- tables ---- */

#define BG_NET_PLACES 26
#define BG_NET_COUNTS 31 /* of a place: -15 to 15 */
#define BG_NET_OFF_COUNTS 16 /* 0 to 15 checkers borne off */
#define BG_NET_OUTPUTS 5
#define BG_NET_CHECKERS 15 /* of a side; what is not on the board is off */
#define BG_NET_MAX_HIDDEN 1024
#define BG_NET_MAX_UNITS 128 /* of a hidden dense layer */

/* A table: rows of `hidden` numbers, one behind the other, some of them active for a board. Where each kind begins: */
enum {
    BG_TABLE_PLACES = 0,                                                     /* 26 x 31 counts; 0 for no checkers */
    BG_TABLE_OFF = BG_TABLE_PLACES + BG_NET_PLACES * BG_NET_COUNTS,          /* 2 sides x 16 counts */
    BG_TABLE_FEATURES = BG_TABLE_OFF + 2 * BG_NET_OFF_COUNTS,                /* 2 sides x features x values */
    BG_TABLE_BIAS = BG_TABLE_FEATURES + 2 * BG_FEATURES * BG_FEATURE_VALUES, /* of the hidden units */
    BG_TABLE_ROWS = BG_TABLE_BIAS + 1,
    BG_NET_MAX_ACTIVE_ROWS = BG_NET_PLACES + 2 + 2 * BG_FEATURES
};

/* A first layer; `hidden` is a multiple of 32. */
#define BG_NET_ACTIVATION_ONE 32768

typedef struct {
    int32_t hidden;
    int32_t has_features;
    const float *float_table;       /* BG_TABLE_ROWS rows */
    const int16_t *quantized_table; /* the same, quantized */
    const float *scale;             /* of each unit: what an accumulator's 1 is when quantized */
    /* Of each unit: what makes an activation of 7 bits of a quantized accumulator, a fraction of
     * BG_NET_ACTIVATION_ONE. Made where a hidden dense layer reads it. */
    const int16_t *activation_scale;
} BgFirstLayer;

/* The network of one part: a first layer, which others may share, and a head of its own. */
typedef struct {
    const BgFirstLayer *first_layer;
    int32_t accumulator;            /* parts that share a first layer share an accumulator */
    int32_t units;                  /* of the hidden dense layer, a multiple of 32; 0: there is none */
    const float *dense_weights;     /* `hidden` rows of `units` */
    const int8_t *quantized_dense;  /* the same in blocks of 4 inputs x `units`, 4 weights of a unit side by side */
    const float *dense_scale;       /* of each unit: what a quantized sum's 1 counts, before the bias */
    const float *dense_bias;
    const float *output_weights;    /* 5 rows of `units`, or of `hidden` */
    const int16_t *quantized_output; /* the same where there is no hidden dense layer */
    float output_bias[BG_LANES];
    float output_scale[BG_LANES];   /* what a unit of a quantized output counts, before the bias */
} BgNet;

/* The sums of the hidden units, and the board and features that they belong to. Bytes behind 26 places are 0, as are
 * those behind all features. */
typedef struct {
    int16_t accumulation[BG_NET_MAX_HIDDEN] BG_ON_CACHE_LINES;
    int computed; /* else nothing else is set */
    int off_own, off_opponent;
    int8_t point[32];
    int8_t features[BG_FEATURE_BYTES];
} BgNetAccumulator;

/* Those of the first layers of a network, from one list of similar boards to the next. */
typedef struct {
    BgNetAccumulator of_layer[BG_NET_PARTS];
} BgNetAccumulators;

static inline void bg_net_forget(BgNetAccumulators *accumulators)
{
    int i;
    for (i = 0; i < BG_NET_PARTS; i++)
        accumulators->of_layer[i].computed = 0;
}

/* The bytes that the tables of a first layer take, and those of a head. */
static inline int64_t bg_first_layer_bytes(int hidden)
{
    return BG_CACHE_LINE
        + hidden * (BG_TABLE_ROWS * (int64_t)(sizeof(float) + sizeof(int16_t)) + (int64_t)sizeof(float)
                    + (int64_t)sizeof(int16_t));
}
static inline int64_t bg_head_bytes(int hidden, int units)
{
    if (units == 0)
        return BG_CACHE_LINE + (int64_t)BG_NET_OUTPUTS * hidden * (int64_t)(sizeof(float) + sizeof(int16_t));
    return BG_CACHE_LINE
        + units * (hidden * (int64_t)(sizeof(float) + sizeof(int8_t)) + (2 + BG_NET_OUTPUTS) * (int64_t)sizeof(float));
}

/* ---- weights: network_tables.h says what they are, and makes tables of them ---- */

/* Rows of `hidden` numbers, too. Where each kind begins: */
enum {
    BG_NET_POINT_INPUTS = 6,
    BG_WEIGHTS_BAR = 2 * 24 * BG_NET_POINT_INPUTS,
    BG_WEIGHTS_OFF = BG_WEIGHTS_BAR + 2,
    BG_WEIGHTS_FEATURES = BG_WEIGHTS_OFF + 30,
    BG_WEIGHTS_BIAS = BG_WEIGHTS_FEATURES + 2 * BG_FEATURE_ROWS,
    BG_WEIGHTS_ROWS = BG_WEIGHTS_BIAS + 1
};

/* Which part a board is for. In a race no checker of the mover has one of the opponent still before it. */
static inline int bg_net_part(const int8_t *board)
{
    const bg_row row = bg_load_board(board);
    const uint32_t own = bg_greater(row, 0), other = bg_greater(bg_negated(row), 0);
    if (!own || !other)
        return BG_NET_FINISHED;
    if (bg_highest(own) < bg_lowest(other))
        return BG_NET_RACE;
    if (own >> 19)
        return other & 0x7f ? BG_NET_BOTH_BACK : BG_NET_MOVER_BACK;
    return other & 0x7f ? BG_NET_OPPONENT_BACK : BG_NET_NONE_BACK;
}

static inline float bg_net_equity(const float *out)
{
    return 2.0f * out[0] - 1.0f + out[1] + out[2] - out[3] - out[4];
}

#endif
