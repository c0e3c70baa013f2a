"""Evaluators that rollouts play with in the core: no Python between two plays."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board cimport Board
from bgfast.core.outcome cimport WinScheme


cdef class BuiltIn:
    # What a position is worth for the player on roll, in points at cube 1. `race` is whether contact had ended
    # before the play that led to it.
    cdef double value(self, const Board *board, bint race) noexcept nogil

    # The row, of n that the plays from `before` lead to, that is worst for the next player, who is on roll in
    # them; of equal ones the first; a finished game by its points. `random` is a stream's state for this decision.
    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
        uint64_t random) noexcept nogil


# Such a state: that of ply `ply` of a trial.
cdef uint64_t decision_state(uint64_t seed, int64_t trial, int64_t ply) noexcept nogil
