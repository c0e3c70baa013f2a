# The functions of a NetworkKernel, compiled for several processors.

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int64_t, uint8_t
from libc.string cimport memset

from bgfast.core.board.board cimport BOARD_SIZE, Board, board_read
from bgfast.core.network.network cimport LANES, NETWORK_NAME, OUTPUTS, PARTS, BgNet, NetworkKernel
from bgfast.core.board.outcome cimport WinScheme, board_outcome

cdef extern from "network_learning.h" nogil:
    enum:
        FINISHED "BG_NET_FINISHED"
    ctypedef struct BgNetLast:
        bint known
    ctypedef struct BgLanes:
        pass
    void bg_features_begin()
    ctypedef struct bg_row:
        pass
    bg_row bg_features(const int8_t *board)
    void bg_store(void *to, bg_row row)
    int bg_net_part(const int8_t *board)
    void bg_net_rounded_outputs(
        const BgNet *net, BgNetLast *last, const int8_t *board, float *out, int apart)
    void bg_net_evaluate(const BgNet *net, const int8_t *board, float *out)
    BgLanes bg_net_equities(const float *out, int apart)
    void bg_lanes_store(float *to, BgLanes lanes)
    void bg_net_probabilities(float *out)
    void bg_net_tables(
        BgNet *net, int hidden, bint features, const float *weights, const float *output_bias, void *memory)
    void bg_net_learn(
        const BgNet *net, float *weights, float *output_bias, const int8_t *board, const float *target,
        float rate, float *out)


cdef void _evaluate(const BgNet *nets, const int8_t *board, float *out) noexcept nogil:
    bg_net_evaluate(nets + bg_net_part(board), board, out)


cdef enum:
    AT_ONCE = 64   # rows whose outputs wait for their sigmoids; a multiple of LANES


cdef int64_t _least(
    const BgNet *nets, const int8_t *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
    float *worth,
) noexcept nogil:
    cdef BgNetLast[PARTS] last
    cdef float[OUTPUTS * AT_ONCE] out   # of one output after the other
    cdef float[AT_ONCE] equities
    cdef int[AT_ONCE] outcomes
    cdef Board board
    cdef const int8_t *row
    cdef int64_t begin = 0, best = 0
    cdef int part, i, k, number, finished
    cdef float least = INFINITY
    for i in range(PARTS):
        last[i].known = False
    memset(out, 0, sizeof(out))   # the last lanes may be nobody's
    while begin < n:
        number = <int> min(n - begin, AT_ONCE)
        finished = 0
        for k in range(number):
            row = rows + (begin + k) * BOARD_SIZE
            part = bg_net_part(row)
            if part == FINISHED:
                board_read(&board, row)
                finished = 1
                outcomes[k] = board_outcome(&board, scheme, checkers)
                for i in range(OUTPUTS):
                    out[i * AT_ONCE + k] = 0
                continue
            outcomes[k] = 0
            bg_net_rounded_outputs(nets + part, &last[part], row, out + k, AT_ONCE)
        k = 0
        while k < number:
            bg_lanes_store(equities + k, bg_net_equities(out + k, AT_ONCE))
            k += LANES
        if finished:
            for k in range(number):
                if outcomes[k]:
                    equities[k] = outcomes[k]
        for k in range(number):
            if equities[k] < least:
                least = equities[k]
                best = begin + k
        begin += AT_ONCE
    worth[0] = least
    return best


cdef void _tables(
    BgNet *net, int hidden, bint features, const float *weights, const float *output_bias, void *memory,
) noexcept nogil:
    bg_net_tables(net, hidden, features, weights, output_bias, memory)


cdef void _learn(
    const BgNet *net, float *weights, float *output_bias, const int8_t *board, const float *target,
    float rate, float *out,
) noexcept nogil:
    bg_net_learn(net, weights, output_bias, board, target, rate, out)


cdef void _features(const int8_t *board, uint8_t *values) noexcept nogil:
    bg_store(values, bg_features(board))


cdef NetworkKernel _functions
bg_features_begin()
_functions.evaluate = _evaluate
_functions.least = _least
_functions.tables = _tables
_functions.learn = _learn
_functions.features = _features
NETWORK = PyCapsule_New(&_functions, NETWORK_NAME, NULL)
