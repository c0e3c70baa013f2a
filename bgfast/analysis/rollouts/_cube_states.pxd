"""The states that the cube of a game may come to, and what is done with it before a roll."""

from libc.stdint cimport int32_t

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


cdef struct CubeTables:
    # Of pairs of sides, the waiting one first, in points a unit of cube (`Bearoff.cube_database`): the cube
    # unavailable; owned, and centred, not doubled now.
    const double *unavailable
    const double *owned
    const double *centred
    int32_t sides    # 0: there are none
    int checkers     # a side has at the beginning


cdef class CubeStates:
    cdef CubeState *states
    cdef CubeTables tables
    cdef object held   # the arrays that they are in
    cdef readonly int number
    cdef EfficiencyModel model

    cdef int _turned(self, dict numbers, list doubled_to, int doubles, const Stakes *before, int side) except -1


# The state in which the player on roll rolls, or PASSED; `value` takes what that is worth for this player: by the
# tables, if there are any that have the board with such a cube, else by the formula.
cdef int cube_action(
    const CubeState *states, int state, const Board *board, const CubeTables *tables, EfficiencyModel model,
    const Probabilities *probabilities, double *value) noexcept nogil

# What a game is worth for the player on roll that has ended: with these points, or with a pass.
cdef double cube_value_of_points(const CubeState *states, int state, bint passed, int points) noexcept nogil

# The value for the player who was on roll in the state `start`.
cdef double starters_value(const CubeState *states, int state, int start, double value) noexcept nogil
