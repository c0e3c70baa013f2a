"""The built-in network as an evaluator of the core, for other modules of the core."""

from libc.stdint cimport int8_t, int64_t

from bgfast.evaluation.cube._efficiency cimport EfficiencyModel
from bgfast.evaluation.cube._stakes cimport Stakes
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.core.board.board cimport Board
from bgfast.core.board.result cimport WinScheme
from bgfast.core.network.network cimport PARTS, BgFirstLayer, BgNet, BgNetAccumulators

# The hidden units of weights of this shape, or an error if there is no room for them.
cdef int64_t check_weights(int64_t rows, int64_t hidden) except -1


# As `best_for_mover` of a NetworkKernel; by cubeful equities if `stakes`, the next player's, are not NULL.
cdef int64_t best_by_network(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const int8_t *rows, int64_t n, WinScheme scheme, int checkers, double *equity) noexcept nogil


# A player with probabilities whose choice is that of a network's accumulators.
cdef class NetworkPlayer(NativeEvaluator):
    # As `choose` or, if `stakes` is not NULL, `choose_at` of a NativeEvaluator; accumulators of one list
    # serve the next.
    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, WinScheme scheme, int checkers) noexcept nogil


cdef class CoreNetwork(NetworkPlayer):
    cdef BgNet[PARTS] nets
    cdef BgFirstLayer[PARTS] first_layers
    cdef void *layer_memory[PARTS]
    cdef void *head_memory[PARTS]
    cdef int layers   # how many there are
    cdef int checkers

    cdef int _make_first_layer(
        self, const float[:, ::1] weights, const float[::1] ceiling, bint has_features) except -1
    cdef int _make_head(self, int part, int layer, dense) except -1
