"""The built-in network: which of its builds runs here, and what it offers."""

from libc.stdint cimport int8_t, int32_t, int64_t

from bgfast.core.outcome cimport WinScheme

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
