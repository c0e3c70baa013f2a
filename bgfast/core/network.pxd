"""The built-in network: which of its builds runs here, and what it offers."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

from bgfast.core.board cimport Board
from bgfast.core.outcome cimport WinScheme
from bgfast.core.rules cimport Rules

cdef extern from "network.h" nogil:
    ctypedef struct BgNet:
        int32_t hidden
        const float *bias
        const float *place
        const float *off
        const float *output
        const float *output_bias
    enum:
        MOST_HIDDEN "BG_NET_MOST_HIDDEN"
        OUTPUTS "BG_NET_OUTPUTS"
        PLACES "BG_NET_PLACES"
        COUNTS "BG_NET_COUNTS"
        OFF_COUNTS "BG_NET_OFF"
        LANES "BG_NET_LANES"
        WEIGHT_ROWS "BG_NET_ROWS"
    # 0 for contact, 1 for a race, 2 for a finished game.
    int network_part "bg_net_part"(const int8_t *board)
    # Of five probabilities.
    float network_equity "bg_net_equity"(const float *out)

cdef extern from *:
    """
    #define BGFAST_NETWORK_NAME "bgfast.core.network"
    """
    const char *NETWORK_NAME "BGFAST_NETWORK_NAME"

cdef extern from *:
    """
    #define BGFAST_NETS_NAME "bgfast.core.network.nets"
    """
    const char *NETS_NAME "BGFAST_NETS_NAME"   # of the capsule in which a network hands over its `nets`

# `nets` are two: for contact, and for races.
cdef struct NetworkKernel:
    # The five probabilities of an unfinished board for the player on roll; `out` has room for LANES numbers.
    void (*evaluate)(const BgNet *nets, const int8_t *board, int checkers, float *out) noexcept nogil
    # The row, of n > 0 successors of `before` seen by the next player, that is worth least to that player, the
    # first of equal ones; finished games by their points. What it is worth goes into `worth`.
    int64_t (*least)(
        const BgNet *nets, const int8_t *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
        float *worth) noexcept nogil
    # Makes the tables `place` and `off` of weights, as network.h orders them.
    void (*tables)(int hidden, const float *weights, float *place, float *off) noexcept nogil
    # Changes weights by one step towards `target`; `out` is what the tables make of the board.
    void (*learn)(
        const BgNet *net, float *weights, float *output_bias, const int8_t *board, int checkers,
        const float *target, float rate, float *out) noexcept nogil

cdef const NetworkKernel *network_kernel() noexcept nogil

# The five probabilities of any valid board: of a finished game what it ended with under the `standard` scheme.
# `out` has room for LANES numbers.
cdef void network_evaluate(const BgNet *nets, const Board *board, int checkers, float *out) noexcept nogil

# The successor that is best for the mover, seen by the next player, its moves, and what it is worth for the mover;
# where the turn passes, and of a finished game, the board itself, flipped, and moves of -1. Returns the number of
# successors. `rows` and `steps` are for itself, with room for those of any roll.
cdef int network_best(
    const BgNet *nets, const Rules *rules, const Board *board, int die1, int die2, WinScheme scheme, int checkers,
    int8_t *rows, uint64_t *steps, Board *best, uint64_t *moves, float *worth) noexcept nogil
