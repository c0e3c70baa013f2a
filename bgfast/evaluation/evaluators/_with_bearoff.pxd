"""A network with bear-off databases, as a player of the core."""

from libc.stdint cimport int8_t, int64_t, uint8_t

from bgfast.evaluation.bearoff._bearoff cimport BearoffDatabases
from bgfast.evaluation.cube._efficiency cimport EfficiencyModel
from bgfast.evaluation.cube._stakes cimport Stakes
from bgfast.evaluation.evaluators._network cimport CoreNetwork, NetworkPlayer
from bgfast.core.board.board cimport Board
from bgfast.core.network.network cimport BgNet, BgNetAccumulators
from bgfast.core.board.result cimport WinScheme
from bgfast.core.board.probabilities cimport Evaluation


cdef enum Known:
    UNKNOWN = 0
    ONE_SIDED = 1   # as both sides play for their own fewest rolls, or, of gammons, as good as that
    EXACT = 2


cdef class CoreWithBearoff(NetworkPlayer):
    cdef CoreNetwork network
    cdef BearoffDatabases bearoff
    cdef object held   # the arrays whose memory `bearoff` borrows


# What databases know of an unfinished board; if anything, its evaluation goes to `out`.
cdef Known known_evaluation(
    const BearoffDatabases *bearoff, const Board *board, int checkers, Evaluation *out) noexcept nogil

# The same as `best_by_network`, where the databases know better by them.
cdef int64_t best_with_bearoff(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const BearoffDatabases *bearoff, const Board *before, const int8_t *rows, int64_t n, WinScheme scheme,
    int checkers, double *equity) noexcept nogil

# Marks in `left_out` which of n successors of one position are not to be compared with the others; True if any is.
cdef bint mark_left_out(const int8_t *rows, int64_t n, uint8_t *left_out) noexcept nogil
