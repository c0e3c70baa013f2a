/* What other modules know of a network that learns: how its weights lie in memory, and what a batch needs.
 *
 * The hidden units come in tiles of 32. A tile holds all weights that lead into its units and out of them, row by row
 * of 32: those of the inputs, the bias last, then of each head the units of the layer behind.
 */
#ifndef BGFAST_LEARNER_LAYOUT_H
#define BGFAST_LEARNER_LAYOUT_H

#include "network_layout.h"

enum {
    BG_TILE = 4 * BG_LANES, /* hidden units */
    /* Of a side one for each checker at most; two knots of a feature; the bias. */
    BG_MAX_INPUTS = 2 * BG_NET_CHECKERS + 4 * BG_FEATURES + 1,
    BG_INPUT_ROWS = BG_WEIGHTS_BIAS + 1
};

/* A first layer with its heads as it learns, and what Adam knows of each weight. Behind the tiles stands the tail: of
 * each head the bias of its hidden dense layer and the weights of the outputs, if it has one, and the bias of the
 * outputs, with room for all lanes. */
typedef struct {
    int32_t hidden;       /* a multiple of BG_TILE */
    int32_t heads;
    int32_t dense;        /* units of the hidden dense layer of each head, a multiple of BG_LANES; 0 without it */
    int32_t has_features;
    float *weights;
    float *gradient;      /* 0 between two steps; these three as the weights */
    float *mean;          /* of the gradients */
    float *square;        /* of the gradients, the mean of it */
} BgLearner;

/* What the way forward leaves of a position for the way back. */
typedef struct {
    int32_t head;
    int32_t inputs;
    uint16_t row[BG_MAX_INPUTS];
    float value[BG_MAX_INPUTS];
    float behind[BG_NET_MAX_UNITS]; /* what the loss grows with each unit of the layer behind the first */
    float dense[BG_NET_MAX_UNITS];  /* activations of the hidden dense layer */
    float output[BG_LANES];     /* what the loss grows with each output, before the sigmoid */
} BgSample;

/* The units of the layer behind the first, a head's. */
static inline int bg_learner_units(const BgLearner *net) { return net->dense ? net->dense : BG_NET_OUTPUTS; }

static inline int64_t bg_learner_tile_rows(const BgLearner *net)
{
    return BG_INPUT_ROWS + net->heads * bg_learner_units(net);
}

static inline int64_t bg_learner_tail_of_head(const BgLearner *net)
{
    return net->dense ? net->dense * (1 + BG_NET_OUTPUTS) + BG_LANES : BG_LANES;
}

static inline int64_t bg_learner_tiles_size(const BgLearner *net)
{
    return net->hidden * bg_learner_tile_rows(net);
}

static inline int64_t bg_learner_size(const BgLearner *net)
{
    return bg_learner_tiles_size(net) + net->heads * bg_learner_tail_of_head(net);
}

/* How Adam steps: `length` holds what corrects both means for having begun at 0. */
typedef struct {
    float length;
    float keep_mean, keep_square;
} BgStep;

#endif
