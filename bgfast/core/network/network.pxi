# Functions of NetworkKernel, compiled for each kind of processor.

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int64_t, uint8_t
from libc.string cimport memset

from bgfast.core.board.board cimport BOARD_SIZE, Board, board_read
from bgfast.core.network.network cimport (
    CHUNK, LANES, NETWORK_NAME, OUTPUTS, BgFirstLayer, BgLearner, BgNet, BgSample, BgStep, NetworkKernel,
)
from bgfast.core.board.result cimport WinScheme, board_result

cdef extern from "network_learning.h" nogil:
    enum:
        FINISHED "BG_NET_FINISHED"
    ctypedef struct BgNetAccumulator:
        pass
    ctypedef struct BgNetAccumulators:
        BgNetAccumulator *layers
    ctypedef struct BgLanes:
        pass
    void bg_features_init()
    ctypedef struct bg_row:
        pass
    bg_row bg_features(const int8_t *board)
    void bg_store(void *to, bg_row row)
    int bg_net_bucket(const int8_t *board)
    void bg_net_outputs_of_rows(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int row_size, int n, float *out,
        int stride, int8_t *buckets)
    void bg_net_evaluate(const BgNet *nets, const int8_t *boards, int row_size, int64_t n, float *out)
    void bg_net_evaluate_next(
        const BgNet *net, BgNetAccumulator *accumulator, const int8_t *board, float *out)
    BgLanes bg_net_equities(const float *out, int stride)
    void bg_net_probabilities_in_place(float *out, int stride)
    void bg_lanes_store(float *to, BgLanes lanes)
    void bg_net_make_first_layer(
        BgFirstLayer *layer, int hidden, bint has_features, const float *weights, void *memory) noexcept
    void bg_net_make_head(
        BgNet *net, const BgFirstLayer *layer, int accumulator, int inputs, int units,
        const float *dense_weights, const float *dense_bias, const float *output_weights,
        const float *output_bias, void *memory) noexcept
    float bg_learner_forward(
        const BgLearner *net, const int8_t *board, int head, const float *target, float share, BgSample *sample,
        float *activations, int64_t stride) noexcept
    void bg_learner_tile(
        const BgLearner *net, int tile, const BgSample *samples, int64_t n, const float *activations,
        const BgStep *step) noexcept
    void bg_learner_tail(const BgLearner *net, const BgSample *samples, int64_t n, const BgStep *step) noexcept


cdef void _evaluate(const BgNet *nets, const Board *boards, int64_t n, float *out) noexcept nogil:
    bg_net_evaluate(nets, boards.point, sizeof(Board), n, out)


cdef void _evaluate_next(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *board, float *out,
) noexcept nogil:
    cdef int bucket = bg_net_bucket(board)
    bg_net_evaluate_next(nets + bucket, &accumulators.layers[nets[bucket].accumulator], board, out)


cdef inline void _chunk_equities(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int number, WinScheme scheme,
    int checkers, float *out, float *equities,
) noexcept nogil:
    """Write the equities of up to CHUNK rows; `out` is working memory, not NaN after the last row."""
    cdef int8_t[CHUNK] buckets
    cdef Board board
    cdef int k = 0
    bg_net_outputs_of_rows(nets, accumulators, rows, BOARD_SIZE, number, out, CHUNK, buckets)
    while k < number:
        bg_lanes_store(equities + k, bg_net_equities(out + k, CHUNK))
        k += LANES
    for k in range(number):
        if buckets[k] == FINISHED:
            board_read(&board, rows + k * BOARD_SIZE)
            equities[k] = board_result(&board, scheme, checkers)


cdef int64_t _best_for_mover(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, WinScheme scheme,
    int checkers, float *equity,
) noexcept nogil:
    cdef float[OUTPUTS * CHUNK] out
    cdef float[CHUNK] equities
    cdef int64_t begin = 0, best = 0
    cdef int k, number
    cdef float lowest = INFINITY
    memset(out, 0, sizeof(out))   # lanes after the last row
    while begin < n:
        number = <int> min(n - begin, CHUNK)
        _chunk_equities(
            nets, accumulators, rows + begin * BOARD_SIZE, number, scheme, checkers, out, equities)
        for k in range(number):
            if equities[k] < lowest:
                lowest = equities[k]
                best = begin + k
        begin += CHUNK
    equity[0] = lowest
    return best


cdef void _successor_equities(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, WinScheme scheme,
    int checkers, float *equities,
) noexcept nogil:
    cdef float[OUTPUTS * CHUNK] out
    cdef int64_t begin = 0
    memset(out, 0, sizeof(out))
    while begin < n:
        _chunk_equities(
            nets, accumulators, rows + begin * BOARD_SIZE, <int> min(n - begin, CHUNK), scheme, checkers, out,
            equities + begin)
        begin += CHUNK


cdef void _evaluate_successors(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int n, float *out, int8_t *buckets,
) noexcept nogil:
    cdef int k = 0
    memset(out, 0, OUTPUTS * CHUNK * sizeof(float))
    bg_net_outputs_of_rows(nets, accumulators, rows, BOARD_SIZE, n, out, CHUNK, buckets)
    while k < n:
        bg_net_probabilities_in_place(out + k, CHUNK)
        k += LANES


cdef void _features(const int8_t *board, uint8_t *values) noexcept nogil:
    bg_store(values, bg_features(board))


cdef NetworkKernel _functions
bg_features_init()
_functions.evaluate = _evaluate
_functions.evaluate_next = _evaluate_next
_functions.best_for_mover = _best_for_mover
_functions.successor_equities = _successor_equities
_functions.evaluate_successors = _evaluate_successors
_functions.make_first_layer = bg_net_make_first_layer
_functions.make_head = bg_net_make_head
_functions.learn_forward = bg_learner_forward
_functions.learn_tile = bg_learner_tile
_functions.learn_tail = bg_learner_tail
_functions.features = _features
NETWORK = PyCapsule_New(&_functions, NETWORK_NAME, NULL)
