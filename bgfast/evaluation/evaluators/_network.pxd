"""Core network evaluators, declared for other Cython modules."""

from libc.stdint cimport int8_t, int64_t

from bgfast.evaluation._cubeful cimport EfficiencyModel, Stakes
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.core.board cimport Board, GameRules
from bgfast.core.network.network cimport BUCKETS, BgFirstLayer, BgNet, BgNetAccumulators

# Like `best_for_mover` of NetworkKernel, but by cubeful equities unless `stakes` (next player's side) is NULL.
cdef int64_t best_by_network(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const int8_t *rows, int64_t n, const GameRules *game, double *equity) noexcept nogil

# Writes the scores that `best_by_network` compares, one per row.
cdef void scores_by_network(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const int8_t *rows, int64_t n, const GameRules *game, double *scores) noexcept nogil


cdef class NetworkEvaluator(NativeEvaluator):
    # Like `choose_at`, or `choose` if `stakes` is NULL, with accumulators that are reused for similar boards.
    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, const GameRules *game) noexcept nogil


cdef class CoreNetwork(NetworkEvaluator):
    cdef BgNet[BUCKETS] nets
    cdef BgFirstLayer[BUCKETS] first_layers
    cdef list weights   # weights of the first layers; the core reads them when it makes tables
    cdef void *layer_memory[BUCKETS]
    cdef void *head_memory[BUCKETS]
    cdef int layers   # number of first layers
