"""The states that the cube of a game may come to, and what is done with it before a roll."""

from bgfast.analysis.cube._efficiency cimport EfficiencyModel
from bgfast.analysis.cube._stakes cimport Stakes
from bgfast.core.board.board cimport Board
from bgfast.core.board.probabilities cimport Probabilities

cdef enum:
    PASSED = -1   # instead of a state: the double was passed


cdef struct CubeState:
    # Even numbers are states of the player whose decision it is, odd ones of the opponent: `state ^ 1` is the same
    # cube when the other is on roll.
    Stakes stakes   # of the player on roll
    int doubled     # the state after double and take, the same player on roll; -1: there is no doubling
    int beavered    # that after a beaver; -1: there is none


cdef class CubeStates:
    cdef CubeState *states
    cdef readonly int number
    cdef EfficiencyModel model

    cdef int _turned(self, dict numbers, list doubled_to, int doubles, const Stakes *before, int side) except -1


# The state in which the player on roll rolls, or PASSED; `value` takes what that is worth for this player.
cdef int cube_action(
    const CubeState *states, int state, const Board *board, EfficiencyModel model,
    const Probabilities *probabilities, double *value) noexcept nogil

# What a game is worth for the player on roll that has ended: with these points, or with a pass.
cdef double cube_value_of_points(const CubeState *states, int state, bint passed, int points) noexcept nogil

# The value for the player who was on roll in the state `start`.
cdef double starters_value(const CubeState *states, int state, int start, double value) noexcept nogil
