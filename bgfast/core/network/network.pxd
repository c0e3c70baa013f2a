"""The built-in network: which of its builds runs here, and what it offers."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from bgfast.core.board.board cimport Board
from bgfast.core.board.result cimport WinScheme
from bgfast.core.generator.rules cimport Rules

cdef extern from "network_layout.h" nogil:
    ctypedef struct BgNet:
        int hidden
        bint has_features
    enum:
        MAX_HIDDEN "BG_NET_MAX_HIDDEN"
        PARTS "BG_NET_PARTS"   # networks of one player: four for contact, the last for races
        OUTPUTS "BG_NET_OUTPUTS"
        PLACES "BG_NET_PLACES"
        LANES "BG_LANES"
        WEIGHT_ROWS "BG_WEIGHTS_ROWS"
        FEATURES "BG_FEATURES"
        FEATURE_BYTES "BG_FEATURE_BYTES"
    # The bytes that the tables of so many hidden units take.
    int64_t network_table_bytes "bg_net_table_bytes"(int hidden)
    # PARTS for a finished game.
    int network_part "bg_net_part"(const int8_t *board)
    # Of five probabilities.
    float network_equity "bg_net_equity"(const float *out)

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

# `nets` are one for each part.
cdef struct NetworkKernel:
    # The five probabilities of an unfinished board for the player on roll; `out` has room for LANES numbers.
    void (*evaluate)(const BgNet *nets, const int8_t *board, float *out) noexcept nogil
    # The row, of n > 0 successors of `before` seen by the next player, that is best for the mover, the first of
    # equal ones: that with the least equity for the next player, which goes into `equity`; finished games by their
    # points. All by quantized weights: some ten thousandths of a point may lie between that and `evaluate`.
    int64_t (*best_for_mover)(
        const BgNet *nets, const int8_t *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
        float *equity) noexcept nogil
    # Makes the tables of weights (WEIGHT_ROWS rows) and of the biases of the outputs, in memory that has
    # `network_table_bytes` and in which floats may stand.
    void (*make_tables)(
        BgNet *net, int hidden, bint has_features, const float *weights, const float *output_bias,
        void *memory) noexcept nogil
    # Changes weights by one step of gradient descent towards `target`; `out` becomes the board's probabilities
    # before it, with room for LANES numbers.
    void (*learn)(
        const BgNet *net, float *weights, float *output_bias, const int8_t *board, const float *target,
        float learning_rate, float *out) noexcept nogil
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
