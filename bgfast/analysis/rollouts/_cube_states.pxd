"""States of the cube in a game, and cube decisions before a roll."""

from libc.stdint cimport int32_t

from bgfast.evaluation._efficiency cimport EfficiencyModel
from bgfast.evaluation._stakes cimport Stakes
from bgfast.core.board.board cimport Board
from bgfast.core.board.probabilities cimport Probabilities

cdef enum:
    DROPPED = -1   # result of `cube_action`: the double was dropped


cdef struct CubeState:
    # The deciding player is on roll in even states, the opponent in odd ones: `state ^ 1` is the same cube with
    # the other player on roll.
    Stakes stakes   # of the player on roll
    int doubled     # the state after double and take, the same player on roll; -1: doubling is impossible
    int beavered    # the state after a beaver; -1: beavers are impossible


cdef struct CubeTables:
    # Equities in points per unit of the cube by pair of sides, the waiting side first (`Bearoff.cube_database`),
    # with the cube unavailable, owned or centred; without a double in this turn.
    const double *unavailable
    const double *owned
    const double *centred
    int32_t sides    # 0: no tables
    int checkers     # of a side at the start of a game


cdef class CubeStates:
    cdef CubeState *states
    cdef CubeTables tables
    cdef object table_arrays   # keep the tables alive
    cdef readonly int number
    cdef EfficiencyModel model

    cdef int _state_after_turn(
        self, dict pairs, list doubles_of, int doubles, const Stakes *before, int side) except -1


# Returns the state after the cube action of the player on roll, or DROPPED, and writes its value for this player.
# Values come from the tables if these cover the board and the cube, else from the formula.
cdef int cube_action(
    const CubeState *states, int state, const Board *board, const CubeTables *tables, EfficiencyModel model,
    const Probabilities *probabilities, double *value) noexcept nogil

# Value of a finished game for the player on roll, from its points or after a drop.
cdef double cube_value_of_points(const CubeState *states, int state, bint dropped, int points) noexcept nogil

# Value for the player on roll in `start`, from the value for the player on roll in `state`.
cdef double value_at_start(const CubeState *states, int state, int start, double value) noexcept nogil
