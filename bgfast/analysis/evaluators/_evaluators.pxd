"""Evaluators that rollouts play with in the core: no Python between two plays."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board.board cimport Board
from bgfast.core.board.outcome cimport WinScheme

cdef enum:
    # A vector is the five probabilities, all of them NaN where the evaluator has none, and the equity.
    VECTOR = 6
    EQUITY = 5


cdef class BuiltIn:
    cdef bint draws_lots        # whether `choose` looks at `random`
    cdef readonly bint tells_points   # whether `vector` and `least` say, in points, what a call of the evaluator returns

    # What a position is worth for the player on roll, in points at cube 1. `race` is whether contact had ended
    # before the play that led to it.
    cdef double value(self, const Board *board, bint race) noexcept nogil

    # The row, of n that the plays from `before` lead to, that is worst for the next player, who is on roll in
    # them; of equal ones the first; a finished game by its points. `random` is a stream's state for this decision.
    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
        uint64_t random) noexcept nogil

    # The vector of an unfinished board with so many checkers a side, for the player on roll. Who has probabilities
    # overrides it and `least`.
    cdef void vector(self, const Board *board, int checkers, double *out) noexcept nogil

    # For each of some rolls the vector of the successor with the least equity, the first of equal ones, for the
    # next player, who is on roll in them; finished games by their points. `rows` are those of one roll behind
    # those of the other, sizes[i] > 0 of them; vectors go to `out`, one behind the other.
    cdef void least(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls, WinScheme scheme,
        int checkers, double *out) noexcept nogil


# The vector of a game with a known end, 1 to 3 points for a win, -1 to -3 for a loss.
cdef void vector_of_points(int points, double *out) noexcept nogil

# A vector, or the difference of two (`whole` is 0), for the other player; `whole` is what the chances of both
# players add up to.
cdef void vector_turned(const double *vector, double whole, double *out) noexcept nogil

# A stream's state for `choose`: that of ply `ply` of a trial.
cdef uint64_t decision_state(uint64_t seed, int64_t trial, int64_t ply) noexcept nogil
