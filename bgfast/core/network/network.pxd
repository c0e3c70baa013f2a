"""Network arithmetic of the build for this processor."""

from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint64_t

from bgfast.core.board cimport Board, GameRules
from bgfast.core.generator.generator cimport Rules

cdef extern from "network_layout.h" nogil:
    ctypedef struct BgFirstLayer:
        int hidden
        bint has_features
        const float *scale
        int ready
    ctypedef struct BgNet:
        const BgFirstLayer *first_layer
        int ready
        int accumulator
    # Accumulators that are updated from board to board, fast if boards are similar. Call `network_forget`
    # before the first use.
    ctypedef struct BgNetAccumulators:
        pass
    void network_forget "bg_net_forget"(BgNetAccumulators *accumulators)
    enum:
        MAX_HIDDEN "BG_NET_MAX_HIDDEN"
        MAX_UNITS "BG_NET_MAX_UNITS"
        BUCKETS "BG_NET_BUCKETS"   # four buckets for contact, then one for races
        BUCKET_RACE "BG_NET_RACE"
        OUTPUTS "BG_NET_OUTPUTS"
        LANES "BG_LANES"
        WEIGHT_ROWS "BG_WEIGHTS_ROWS"
        WEIGHT_PARTS "BG_WEIGHTS_PARTS"
        ALL_READY "BG_ALL_READY"
        FEATURES "BG_FEATURES"
        FEATURE_BYTES "BG_FEATURE_BYTES"
        TILE "BG_TILE"
    # Returns memory, to be released by `free`, or NULL.
    void *allocate_tables "bg_allocate_tables"(int64_t bytes)
    # Sizes in bytes of the tables of a first layer and of a head.
    int64_t first_layer_bytes "bg_first_layer_bytes"(int hidden)
    int64_t head_bytes "bg_head_bytes"(int inputs, int units)
    # Returns the bucket of a board; BUCKETS for a finished game.
    int network_bucket "bg_net_bucket"(const int8_t *board)
    float network_equity "bg_net_equity"(const float *probabilities)

    ctypedef struct BgLearner:
        int hidden
        int heads
        int dense
        int has_features
        int has_triples
        int squares
        float *weights
        float *gradient
        float *mean
        float *square
    ctypedef struct BgSample:
        pass
    ctypedef struct BgStep:
        float length
        float mean_decay
        float square_decay
    int64_t learner_size "bg_learner_size"(const BgLearner *net)

cdef extern from *:
    """
    #define BGFAST_NETWORK_NAME "bgfast.core.network.network"
    #define BGFAST_NETS_NAME "bgfast.core.network.network.nets"
    """
    const char *NETWORK_NAME "BGFAST_NETWORK_NAME"
    const char *NETS_NAME "BGFAST_NETS_NAME"   # capsule of a network's `nets`

cdef enum:
    CHUNK = 64   # rows evaluated together; a multiple of LANES

# Functions of a build. `nets` has a BgNet for each bucket.
cdef struct NetworkKernel:
    # Writes the five probabilities of n unfinished boards for the player on roll; `out` has LANES numbers for
    # each. Adjacent boards of a bucket are evaluated together. All probabilities are within the rules' bounds.
    void (*evaluate)(
        const BgNet *nets, const Board *boards, int64_t n, const GameRules *game, float *out) noexcept nogil
    # Writes the probabilities of a board, faster if it is similar to the previous board. Differs from `evaluate`
    # by the rounding to 16 bits, about 0.0001 points.
    void (*evaluate_next)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *board, const GameRules *game,
        float *out) noexcept nogil
    # Returns the index of the row with the lowest equity for the next player (the first in a tie), and writes
    # that equity. `rows` has the n > 0 successors of a roll from the next player's side; the equity of a finished
    # game is its points. Weights are quantized: equities differ from `evaluate` by a few thousandths of a point.
    int64_t (*best_for_mover)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, const GameRules *game,
        float *equity) noexcept nogil
    # Writes the equities that `best_for_mover` compares; `equities` has room for n + LANES numbers.
    void (*successor_equities)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, const GameRules *game,
        float *equities) noexcept nogil
    # Writes the probabilities of up to CHUNK rows as `best_for_mover` computes them: out[k] for a win of row k,
    # out[CHUNK + k] for a gammon, and so on; invalid for finished games. Also writes the bucket of each row.
    void (*evaluate_successors)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int n, const GameRules *game,
        float *out, int8_t *buckets) noexcept nogil
    # Lays out the tables of a first layer in `first_layer_bytes` bytes of memory aligned for floats. Tables are
    # made when a board first needs them, from WEIGHT_PARTS arrays of 16- or 32-bit weights (NULL for zeros),
    # which must stay valid until then.
    void (*make_first_layer)(
        BgFirstLayer *layer, int hidden, bint has_features, const void *const *weights, int bits,
        void *memory) noexcept nogil
    # Makes the head of a bucket. `inputs` is the number of hidden units of the first layer, or twice as many with
    # the squares of their activations; `units` is the size of the hidden dense layer, 0 for none.
    # `accumulator` is an index below BUCKETS, the same for buckets that share a first layer.
    void (*make_head)(
        BgNet *net, const BgFirstLayer *layer, int accumulator, int inputs, int units,
        const float *dense_weights, const float *dense_bias, const float *output_weights,
        const float *output_bias, void *memory) noexcept nogil
    # Training (see network_learning.h): the forward pass of a sample, the step of a tile, the step of the tail.
    float (*learn_forward)(
        const BgLearner *net, const int8_t *board, int head, const float *target, float share, BgSample *sample,
        float *activations, int64_t stride) noexcept nogil
    void (*learn_tile)(
        const BgLearner *net, int tile, const BgSample *samples, int64_t n, const float *activations,
        const BgStep *step) noexcept nogil
    void (*learn_tail)(
        const BgLearner *net, const BgSample *samples, int64_t n, const BgStep *step) noexcept nogil
    # Writes the features of an unfinished board: 20 numbers, then zeros up to FEATURE_BYTES.
    void (*features)(const int8_t *board, uint8_t *values) noexcept nogil

cdef const NetworkKernel *network_kernel() noexcept nogil

# Writes the OUTPUTS probabilities of each of n rows of 26 numbers. Returns n, or the index of the first invalid
# row: evaluation stops there, and its board is written to `invalid`.
cdef int64_t network_evaluate(
    const BgNet *nets, const int8_t *rows, int64_t n, const GameRules *game, float *out,
    Board *invalid) noexcept nogil

# Writes the best successor from the next player's side, its moves, and its equity for the mover. For a pass
# or a finished game, writes the flipped board and moves of -1. Returns the number of successors. `rows` and
# `row_moves` are working memory for the successors of any roll.
cdef int network_best_successor(
    const BgNet *nets, const Rules *rules, const Board *board, int die1, int die2, const GameRules *game,
    int8_t *rows, uint64_t *row_moves, Board *best, uint64_t *moves, float *equity) noexcept nogil
