"""The built-in network: which of its builds runs here, and what it offers."""

from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint64_t

from bgfast.core.board.board cimport Board
from bgfast.core.board.result cimport WinScheme
from bgfast.core.generator.rules cimport Rules

cdef extern from "network_layout.h" nogil:
    ctypedef struct BgFirstLayer:
        int hidden
        bint has_features
        const float *scale
        const int16_t *activation_scale
    ctypedef struct BgNet:
        const BgFirstLayer *first_layer
        int accumulator
    # What a list of boards leaves for the next, of boards similar to them; any board may follow. Owned by the
    # caller, and nothing is known until `network_forget`.
    ctypedef struct BgNetAccumulators:
        pass
    void network_forget "bg_net_forget"(BgNetAccumulators *accumulators)
    enum:
        MAX_HIDDEN "BG_NET_MAX_HIDDEN"
        MAX_UNITS "BG_NET_MAX_UNITS"
        PARTS "BG_NET_PARTS"   # networks of one player: four for contact, the last for races
        PART_RACE "BG_NET_RACE"
        OUTPUTS "BG_NET_OUTPUTS"
        PLACES "BG_NET_PLACES"
        LANES "BG_LANES"
        WEIGHT_ROWS "BG_WEIGHTS_ROWS"
        ACTIVATION_ONE "BG_NET_ACTIVATION_ONE"   # of the fractions of `activation_scale`
        FEATURES "BG_FEATURES"
        FEATURE_BYTES "BG_FEATURE_BYTES"
    # The bytes that the tables of a first layer of so many units take, and those of a head.
    int64_t first_layer_bytes "bg_first_layer_bytes"(int hidden)
    int64_t head_bytes "bg_head_bytes"(int hidden, int units)
    # PARTS for a finished game.
    int network_part "bg_net_part"(const int8_t *board)
    # Of five probabilities.
    float network_equity "bg_net_equity"(const float *out)

cdef extern from "learner_layout.h" nogil:
    enum:
        TILE "BG_TILE"
        INPUT_ROWS "BG_INPUT_ROWS"
    ctypedef struct BgLearner:
        int hidden
        int heads
        int dense
        int has_features
        float *weights
        float *gradient
        float *mean
        float *square
    ctypedef struct BgSample:
        pass
    ctypedef struct BgStep:
        float length
        float keep_mean
        float keep_square
    int64_t learner_size "bg_learner_size"(const BgLearner *net)

cdef extern from *:
    """
    #define BGFAST_NETWORK_NAME "bgfast.core.network.network"
    """
    const char *NETWORK_NAME "BGFAST_NETWORK_NAME"

cdef extern from *:
    """
    #define BGFAST_NETS_NAME "bgfast.core.network.network.nets"
    """
    const char *NETS_NAME "BGFAST_NETS_NAME"   # of the capsule in which a network hands over its `nets`

cdef enum:
    CHUNK = 64   # rows whose outputs wait for their sigmoids; a multiple of LANES

# `nets` are one for each part.
cdef struct NetworkKernel:
    # The five probabilities of an unfinished board for the player on roll; `out` has room for LANES numbers.
    void (*evaluate)(const BgNet *nets, const int8_t *board, float *out) noexcept nogil
    # The same, faster, of a board much like those that the accumulators have been asked for; the rounding of 16
    # bits, about a ten thousandth of a point, may lie between that and `evaluate`.
    void (*evaluate_next)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *board, float *out) noexcept nogil
    # The row, of n > 0 successors seen by the next player, that is best for the mover, the first of
    # equal ones: that with the least equity for the next player, which goes into `equity`; finished games by their
    # points. All by quantized weights: some thousandths of a point may lie between that and `evaluate`.
    int64_t (*best_for_mover)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, WinScheme scheme,
        int checkers, float *equity) noexcept nogil
    # Five probabilities of n rows, up to CHUNK, for the next player, by which `best_for_mover` chooses. That of
    # row k to win is out[k], to win a gammon out[CHUNK + k], and so on; finished games have none. `parts` takes
    # the part of each row: PART_RACE in a race, PARTS of a finished game, less than both with contact.
    void (*evaluate_successors)(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int n, float *out,
        int8_t *parts) noexcept nogil
    # Makes the tables of a first layer of weights (WEIGHT_ROWS rows), in memory that has `first_layer_bytes` and
    # in which floats may stand. `ceiling` may be NULL if no head has a hidden dense layer.
    void (*make_first_layer)(
        BgFirstLayer *layer, int hidden, bint has_features, const float *weights, const float *ceiling,
        void *memory) noexcept nogil
    # Makes the head of a part; `units` are those of its hidden dense layer, 0 for none. Parts with the same first
    # layer have the same number of an accumulator, below PARTS.
    void (*make_head)(
        BgNet *net, const BgFirstLayer *layer, int accumulator, int units, const float *dense_weights,
        const float *dense_bias, const float *output_weights, const float *output_bias,
        void *memory) noexcept nogil
    # Learning, see network_learning.h: the way forward of a sample; the step of a tile, and that of the tail.
    float (*learn_forward)(
        const BgLearner *net, const int8_t *board, int head, const float *target, float share, BgSample *sample,
        float *activations, int64_t stride) noexcept nogil
    void (*learn_tile)(
        const BgLearner *net, int tile, const BgSample *samples, int64_t n, const float *activations,
        const BgStep *step) noexcept nogil
    void (*learn_tail)(
        const BgLearner *net, const BgSample *samples, int64_t n, const BgStep *step) noexcept nogil
    # The features of an unfinished board, 20 numbers and zeros up to FEATURE_BYTES.
    void (*features)(const int8_t *board, uint8_t *values) noexcept nogil

cdef const NetworkKernel *network_kernel() noexcept nogil

# The five probabilities of any valid board: of a finished game what it ended with under the `standard` scheme.
# `out` has room for LANES numbers.
cdef void network_evaluate(const BgNet *nets, const Board *board, int checkers, float *out) noexcept nogil

# The successor that is best for the mover, seen by the next player, its moves, and its equity for the mover; where
# the turn passes, and of a finished game, the board itself, flipped, and moves of -1. Returns the number of
# successors. `rows` and `row_moves` are for itself, with room for those of any roll.
cdef int network_best_successor(
    const BgNet *nets, const Rules *rules, const Board *board, int die1, int die2, WinScheme scheme, int checkers,
    int8_t *rows, uint64_t *row_moves, Board *best, uint64_t *moves, float *equity) noexcept nogil
