# Functions of NetworkKernel, compiled once for each build.

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int64_t, uint8_t
from libc.string cimport memset

from bgfast.core.board cimport BOARD_SIZE, Board, GameRules, board_read, board_result
from bgfast.core.bounds cimport ANY_RESULT, bound_probabilities, possible_results
from bgfast.core.generator.kernels cimport MAX_SUCCESSORS
from bgfast.core.row cimport bg_load_board, bg_row, bg_store, bg_sum_absolute
from bgfast.core.network.network cimport (
    CHUNK, LANES, NETWORK_NAME, OUTPUTS, BgFirstLayer, BgLearner, BgNet, BgSample, BgStep, NetworkKernel,
)

cdef extern from "network_learning.h" nogil:
    enum:
        FINISHED "BG_NET_FINISHED"
        RACE "BG_NET_RACE"
    ctypedef struct BgNetAccumulator:
        pass
    ctypedef struct BgNetAccumulators:
        BgNetAccumulator *layers
    ctypedef struct BgLanes:
        pass
    void bg_features_init()
    bg_row bg_features(const int8_t *board)
    int bg_net_bucket(const int8_t *board)
    void bg_net_outputs_of_rows(
        const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int row_size, int n, float *out,
        int stride, int8_t *buckets)
    void bg_net_evaluate(const BgNet *nets, const int8_t *boards, int row_size, int64_t n, float *out)
    void bg_net_evaluate_next(
        const BgNet *net, BgNetAccumulator *accumulator, const int8_t *board, float *out)
    BgLanes bg_net_evaluations_in_place(float *out, int stride)
    void bg_lanes_store(float *to, BgLanes lanes)
    void bg_net_make_first_layer(
        BgFirstLayer *layer, int hidden, bint has_features, const void *const *weights, int bits,
        void *memory) noexcept
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


cdef inline void _bound(const int8_t *board, const GameRules *game, float *probabilities) noexcept nogil:
    cdef int results = possible_results(board, game)
    if results != ANY_RESULT:
        bound_probabilities(probabilities, 1, results)


cdef void _evaluate(
    const BgNet *nets, const Board *boards, int64_t n, const GameRules *game, float *out,
) noexcept nogil:
    cdef int64_t i
    bg_net_evaluate(nets, boards.point, sizeof(Board), n, out)
    for i in range(n):
        _bound(boards[i].point, game, out + i * LANES)


cdef void _evaluate_next(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *board, const GameRules *game, float *out,
) noexcept nogil:
    cdef int bucket = bg_net_bucket(board)
    bg_net_evaluate_next(nets + bucket, &accumulators.layers[nets[bucket].accumulator], board, out)
    _bound(board, game, out)


cdef inline void _chunk_evaluations(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int count, const GameRules *game,
    float *out, float *equities, int8_t *buckets,
) noexcept nogil:
    """Write the probabilities and the equities of up to CHUNK rows, invalid for finished games.

    The numbers of `out` after the last row must not be NaN.
    """
    cdef int k = 0, results, all_checkers = 2 * game.checkers if game.checkers > 1 else 0
    bg_net_outputs_of_rows(nets, accumulators, rows, BOARD_SIZE, count, out, CHUNK, buckets)
    while k < count:
        bg_lanes_store(equities + k, bg_net_evaluations_in_place(out + k, CHUNK))
        k += LANES
    for k in range(count):
        # Skip most rows early: `possible_results` would return ANY_RESULT for them, after computing masks.
        if buckets[k] < RACE and bg_sum_absolute(bg_load_board(rows + k * BOARD_SIZE)) == all_checkers:
            continue
        if buckets[k] != FINISHED:
            results = possible_results(rows + k * BOARD_SIZE, game)
            if results != ANY_RESULT:
                bound_probabilities(out + k, CHUNK, results)
                equities[k] = (
                    2 * out[k] - 1 + out[k + CHUNK] + out[k + 2 * CHUNK] - out[k + 3 * CHUNK] - out[k + 4 * CHUNK])


cdef void _successor_equities(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, const GameRules *game,
    float *equities,
) noexcept nogil:
    cdef float[OUTPUTS * CHUNK] out
    cdef int8_t[CHUNK] buckets
    cdef Board board
    cdef int k, count
    memset(out, 0, sizeof(out))   # lanes after the last row must not be NaN
    while n > 0:
        count = <int> min(n, CHUNK)
        _chunk_evaluations(nets, accumulators, rows, count, game, out, equities, buckets)
        for k in range(count):
            if buckets[k] == FINISHED:
                board_read(&board, rows + k * BOARD_SIZE)
                equities[k] = board_result(&board, game.scheme, game.checkers)
        n -= CHUNK
        rows += CHUNK * BOARD_SIZE
        equities += CHUNK


cdef int64_t _best_for_mover(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int64_t n, const GameRules *game,
    float *equity,
) noexcept nogil:
    cdef float[MAX_SUCCESSORS + LANES] equities
    cdef int64_t k, best = 0
    cdef float lowest = INFINITY
    _successor_equities(nets, accumulators, rows, n, game, equities)
    for k in range(n):
        if equities[k] < lowest:
            lowest = equities[k]
            best = k
    equity[0] = lowest
    return best


cdef void _evaluate_successors(
    const BgNet *nets, BgNetAccumulators *accumulators, const int8_t *rows, int n, const GameRules *game,
    float *out, int8_t *buckets,
) noexcept nogil:
    cdef float[CHUNK] equities
    memset(out, 0, OUTPUTS * CHUNK * sizeof(float))
    _chunk_evaluations(nets, accumulators, rows, n, game, out, equities, buckets)


cdef void _features(const int8_t *board, uint8_t *values) noexcept nogil:
    bg_store(values, bg_features(board))


cdef NetworkKernel _functions = [
    _evaluate, _evaluate_next, _best_for_mover, _successor_equities, _evaluate_successors, bg_net_make_first_layer,
    bg_net_make_head, bg_learner_forward, bg_learner_tile, bg_learner_tail, _features,
]
bg_features_init()
NETWORK = PyCapsule_New(&_functions, NETWORK_NAME, NULL)
