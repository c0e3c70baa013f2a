"""Network with bear-off databases in the core."""

from libc.stdint cimport int8_t, int64_t, uint8_t

from bgfast.evaluation.bearoff._bearoff cimport BearoffDatabases
from bgfast.evaluation._cubeful cimport EfficiencyModel, Stakes
from bgfast.evaluation.evaluators._network cimport CoreNetwork, NetworkEvaluator
from bgfast.core.board cimport Board, GameRules
from bgfast.core.network.network cimport BgNet, BgNetAccumulators
from bgfast.core.probabilities cimport Evaluation


cdef enum Coverage:
    NOT_COVERED = 0
    ONE_SIDED = 1   # assumes that both sides minimise their own number of rolls
    EXACT = 2


cdef class CoreWithBearoff(NetworkEvaluator):
    cdef CoreNetwork network
    cdef BearoffDatabases bearoff
    cdef object arrays   # keeps the memory of `bearoff` alive


# Writes the databases' evaluation of an unfinished board, if they cover it.
cdef Coverage database_evaluation(
    const BearoffDatabases *bearoff, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil

# Like `best_by_network`, with the databases' evaluations of the successors that they cover.
cdef int64_t best_with_bearoff(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const BearoffDatabases *bearoff, const Board *before, const int8_t *rows, int64_t n, const GameRules *game,
    double *equity) noexcept nogil

# Returns the row that `best_with_bearoff` chooses, or -1 if the databases cover no row.
cdef int64_t best_near_home(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, const BearoffDatabases *bearoff,
    const Board *before, const int8_t *rows, int64_t n, const GameRules *game,
    double *equity) noexcept nogil

# Marks in `excluded` the races with a checker outside home if another of the n rows has all checkers at home.
# Returns whether any is marked.
cdef bint mark_excluded(const int8_t *rows, int64_t n, uint8_t *excluded) noexcept nogil
