/* Layout of weights and samples in training, for all modules.
 *
 * Hidden units are stored in tiles of 32. A tile holds all weights into and out of its units in rows of 32: the inputs,
 * the bias, perhaps the triples, then for each head the units of the next layer, for the activations and then perhaps for
 * their squares.
 */
#ifndef BGFAST_LEARNER_LAYOUT_H
#define BGFAST_LEARNER_LAYOUT_H

#include "network_layout.h"

enum {
    BG_TILE = 4 * BG_LANES, /* hidden units */
    /* At most one for each checker; two knots for each feature; the bias; the triples. */
    BG_MAX_INPUTS = 2 * BG_NET_CHECKERS + 4 * BG_FEATURES + 1 + BG_NET_TRIPLES
};

/* First layer and its heads in training, with Adam's moments of each weight. The tiles are followed by the tail: for each
 * head the biases of its hidden dense layer and the output weights, if it has such a layer, and the output biases, padded
 * to BG_LANES. */
typedef struct {
    int32_t hidden;       /* a multiple of BG_TILE */
    int32_t heads;
    int32_t dense;        /* units of the hidden dense layer of each head, a multiple of BG_LANES; 0 without it */
    int32_t has_features;
    int32_t has_triples;
    int32_t squares;      /* 1 if the next layer reads the squares of the activations, too */
    float *weights;
    float *gradient;      /* in the order of the weights, as the next two; 0 between steps */
    float *mean;          /* mean of the gradients */
    float *square;        /* mean of their squares */
} BgLearner;

/* Result of the forward pass of a position, for the backward pass. */
typedef struct {
    int32_t head;
    int32_t inputs;
    uint16_t row[BG_MAX_INPUTS];
    float value[BG_MAX_INPUTS];
    float next_gradient[BG_NET_MAX_UNITS]; /* of the loss by each unit after the first layer */
    float dense[BG_NET_MAX_UNITS];         /* activations of the hidden dense layer */
    float output_gradient[BG_LANES];       /* of the loss by each output, before the sigmoid */
} BgSample;

/* Units after the first layer for each head: those of the hidden dense layer, or the outputs. */
static inline int bg_learner_units(const BgLearner *net) { return net->dense ? net->dense : BG_NET_OUTPUTS; }

/* Rows of a head in a tile. */
static inline int bg_learner_head_rows(const BgLearner *net) { return bg_learner_units(net) * (1 + net->squares); }

/* Rows of a tile before those of the heads. */
static inline int64_t bg_learner_input_rows(const BgLearner *net)
{
    return net->has_triples ? BG_WEIGHTS_ROWS : BG_WEIGHTS_TRIPLES;
}

static inline int64_t bg_learner_tile_rows(const BgLearner *net)
{
    return bg_learner_input_rows(net) + net->heads * bg_learner_head_rows(net);
}

static inline int64_t bg_learner_tail_size(const BgLearner *net)
{
    return net->dense ? net->dense * (1 + BG_NET_OUTPUTS) + BG_LANES : BG_LANES;
}

static inline int64_t bg_learner_tiles_size(const BgLearner *net)
{
    return net->hidden * bg_learner_tile_rows(net);
}

static inline int64_t bg_learner_size(const BgLearner *net)
{
    return bg_learner_tiles_size(net) + net->heads * bg_learner_tail_size(net);
}

/* Parameters of a step of Adam: `length` is the learning rate with the bias correction of both means. */
typedef struct {
    float length;
    float keep_mean, keep_square;
} BgStep;

#endif
