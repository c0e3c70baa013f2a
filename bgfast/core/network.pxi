# The functions of a NetworkKernel, compiled for several processors.

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int64_t

from bgfast.core.board cimport BOARD_SIZE, Board, board_flip, board_read
from bgfast.core.network cimport LANES, MOST_HIDDEN, NETWORK_NAME, PLACES, BgNet, NetworkKernel
from bgfast.core.outcome cimport WinScheme, board_outcome

cdef extern from "network.h" nogil:
    enum:
        FINISHED "BG_NET_FINISHED"
    int bg_net_part(const int8_t *board)
    int bg_net_total(const int8_t *board)
    void bg_net_sum(const BgNet *net, const int8_t *board, int checkers, float *sum)
    int bg_net_changes(
        const BgNet *net, const int8_t *before, const int8_t *after, int off_own, int off_other, int to_off_own,
        int to_off_other, const float **plus, const float **minus)
    void bg_net_outputs(
        const BgNet *net, const float *sum, int n, const float **plus, const float **minus, float *out)
    void bg_net_probabilities(float *out)
    float bg_net_equity(const float *out)
    void bg_net_tables(int hidden, const float *weights, float *place, float *off)
    void bg_net_learn(
        const BgNet *net, float *weights, float *output_bias, const int8_t *board, int checkers,
        const float *target, float rate, float *out)


cdef void _evaluate(const BgNet *nets, const int8_t *board, int checkers, float *out) noexcept nogil:
    cdef float[MOST_HIDDEN] sums
    cdef const BgNet *net = nets + bg_net_part(board)
    bg_net_sum(net, board, checkers, sums)
    bg_net_outputs(net, sums, 0, NULL, NULL, out)
    bg_net_probabilities(out)


cdef int64_t _least(
    const BgNet *nets, const int8_t *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
    float *worth,
) noexcept nogil:
    cdef float[2][MOST_HIDDEN] sums   # of the board before the play, in each of the two networks
    cdef bint[2] known
    cdef const float *plus[PLACES + 2]
    cdef const float *minus[PLACES + 2]
    cdef float[LANES] out
    cdef Board board, parent
    cdef const int8_t *row
    cdef int64_t i, best = 0
    cdef int part, changes, own, off_own, off_other
    cdef float value, least = INFINITY
    board_read(&board, before)
    board_flip(&board, &parent)
    known[0] = known[1] = False
    own = 0
    for part in range(PLACES):
        if parent.point[part] > 0:
            own += parent.point[part]
    off_own = checkers - own
    off_other = checkers - (own - bg_net_total(parent.point))
    for i in range(n):
        row = rows + i * BOARD_SIZE
        part = bg_net_part(row)
        if part == FINISHED:
            board_read(&board, row)
            value = board_outcome(&board, scheme, checkers)
        else:
            if not known[part]:
                bg_net_sum(nets + part, parent.point, checkers, sums[part])
                known[part] = True
            # A play bears off checkers of the player who makes it alone, who is the opponent here.
            changes = bg_net_changes(
                nets + part, parent.point, row, off_own, off_other, off_own,
                checkers - (own - bg_net_total(row)), plus, minus)
            bg_net_outputs(nets + part, sums[part], changes, plus, minus, out)
            bg_net_probabilities(out)
            value = bg_net_equity(out)
        if value < least:
            least = value
            best = i
    worth[0] = least
    return best


cdef void _tables(int hidden, const float *weights, float *place, float *off) noexcept nogil:
    bg_net_tables(hidden, weights, place, off)


cdef void _learn(
    const BgNet *net, float *weights, float *output_bias, const int8_t *board, int checkers, const float *target,
    float rate, float *out,
) noexcept nogil:
    bg_net_learn(net, weights, output_bias, board, checkers, target, rate, out)


cdef NetworkKernel _functions
_functions.evaluate = _evaluate
_functions.least = _least
_functions.tables = _tables
_functions.learn = _learn
NETWORK = PyCapsule_New(&_functions, NETWORK_NAME, NULL)
