# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""States of the cube in a game, and cube decisions before a roll.

A state is the owner of the cube, the number of doubles, and the player on roll. Its stakes are computed once,
before the first game. A double is correct if it gains equity after a take and after a drop. Equities come from
exact tables if these cover the position, else from the formula of `evaluation/cubeful.py` and the probabilities before
the roll. After `MAX_DOUBLES` doubles nobody doubles any more: a game is worth at most 64 times the initial cube.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from bgfast.evaluation.bearoff._bearoff cimport Sides, read_sides
from bgfast.evaluation._efficiency cimport EfficiencyModel, cube_efficiency
from bgfast.evaluation._stakes cimport (
    CubeStakes, Stakes, stakes_double, stakes_double_drop, stakes_double_take, stakes_flip, stakes_may_double,
    stakes_of_points, stakes_value,
)
from bgfast.core.board.board cimport CHECKERS, PHASE_BEAROFF, Board, board_phase, board_read
from bgfast.core.board.probabilities cimport Probabilities

import numpy as np

cdef enum:
    LIMIT = 6
    NONE = -1

MAX_DOUBLES = LIMIT


cdef bint _exact_values(
    const CubeTables *tables, const Stakes *stakes, const Board *board, double *no_double, double *double_take,
) noexcept nogil:
    """Return whether the tables cover the board: money play, no cube limit, no gammons possible any more."""
    cdef Sides sides
    cdef const double *no_double_table
    cdef int64_t index
    if tables == NULL or tables.sides == 0 or not stakes.endless or board_phase(board) != PHASE_BEAROFF:
        return False
    if not read_sides(board.point, tables.checkers - 1, &sides):
        return False
    if sides.number[0] >= tables.sides or sides.number[1] >= tables.sides:
        return False
    index = <int64_t> sides.number[1] * tables.sides + sides.number[0]
    no_double_table = (
        tables.owned if stakes.owner > 0 else tables.centred if stakes.owner == 0 else tables.unavailable)
    no_double[0] = stakes.level[0].win[0] * no_double_table[index]
    double_take[0] = stakes.level[1].win[0] * tables.unavailable[index]
    return True


cdef int cube_action(
    const CubeState *states, int state, const Board *board, const CubeTables *tables, EfficiencyModel model,
    const Probabilities *probabilities, double *value,
) noexcept nogil:
    cdef const CubeState *current = &states[state]
    cdef double efficiency, take_value, drop_value
    cdef bint exact = _exact_values(tables, &current.stakes, board, value, &take_value)
    if not exact:
        efficiency = cube_efficiency(model, &current.stakes, board, probabilities)
        value[0] = stakes_value(&current.stakes, probabilities, efficiency)
    if current.doubled == NONE:
        return state
    if not exact:
        efficiency = cube_efficiency(model, &states[current.doubled].stakes, board, probabilities)
        take_value = stakes_double_take(&current.stakes, probabilities, efficiency)
    drop_value = stakes_double_drop(&current.stakes)
    if min(take_value, drop_value) <= value[0]:
        return state
    if take_value > drop_value:
        value[0] = drop_value
        return DROPPED
    value[0] = take_value
    # Exact values never lead to doubles that would be beavered.
    if (
        not exact and current.beavered != NONE
        and take_value < stakes_value(&states[current.doubled].stakes, probabilities, efficiency)
    ):
        return current.beavered
    return current.doubled


cdef double cube_value_of_points(const CubeState *states, int state, bint dropped, int points) noexcept nogil:
    # A drop loses the present cube, whatever the gammon values.
    if dropped:
        return stakes_double_drop(&states[state].stakes)
    return stakes_of_points(&states[state].stakes, points)


cdef double value_at_start(const CubeState *states, int state, int start, double value) noexcept nogil:
    return states[state].stakes.whole - value if (state ^ start) & 1 else value


@cython.final
cdef class CubeStates:
    """Numbered cube states of games; the first two have the initial cube.

    `stakes` are those of the player whose decision it is, who is on roll in even states. `tables` are the three
    arrays of `Bearoff.cube_database`, float64 of shape (n, n), which decide in money play if they cover the
    position. `checkers` are those of a side at the start of a game.
    """

    def __init__(self, CubeStakes stakes not None, EfficiencyModel model, tables=None, int checkers=CHECKERS):
        cdef const double[:, ::1] unavailable, owned, centred
        cdef CubeState *current
        cdef int state, side, doubles
        self.model = model
        self.tables.checkers = checkers
        if tables is not None:
            unavailable, owned, centred = self.table_arrays = tables
            self.tables.unavailable, self.tables.sides = &unavailable[0, 0], <int32_t> unavailable.shape[0]
            self.tables.owned, self.tables.centred = &owned[0, 0], &centred[0, 0]
        self.states = <CubeState *> PyMem_Calloc(2 * (1 + 2 * LIMIT), sizeof(CubeState))
        if self.states == NULL:
            raise MemoryError
        self.states[0].stakes = stakes.stakes
        stakes_flip(&self.states[0].stakes, &self.states[1].stakes)
        self.number = 2
        pairs = {}        # (number of doubles, side that cannot double) -> first state of a pair
        doubles_of = [0]  # number of doubles, by pair
        state = 0
        while state < self.number:
            current = &self.states[state]
            current.doubled = current.beavered = NONE
            doubles, side = doubles_of[state // 2], state & 1
            if doubles < LIMIT and stakes_may_double(&current.stakes):
                current.doubled = self._state_after_turn(pairs, doubles_of, doubles + 1, &current.stakes, side)
                if (
                    current.stakes.beavers and doubles + 1 < LIMIT
                    and self.states[current.doubled].stakes.levels > 1
                ):
                    # The taker may redouble at once and keeps the cube.
                    current.beavered = self._state_after_turn(
                        pairs, doubles_of, doubles + 2, &self.states[current.doubled].stakes, side)
            state += 1

    cdef int _state_after_turn(
        self, dict pairs, list doubles_of, int doubles, const Stakes *before, int side,
    ) except -1:
        """Return the state after the cube is turned to the opponent, `side` on roll; add new states."""
        cdef int first
        if (doubles, side) not in pairs:
            first = pairs[doubles, side] = self.number
            doubles_of.append(doubles)
            stakes_double(before, &self.states[first + side].stakes)
            stakes_flip(&self.states[first + side].stakes, &self.states[first + 1 - side].stakes)
            self.number += 2
        return pairs[doubles, side] + side

    def __dealloc__(self):
        PyMem_Free(self.states)

    def doubled(self, int state):
        """Return the state after double and take; -1 if doubling is impossible."""
        return self.states[state].doubled

    def stakes(self, int state):
        """Return the stakes of a state for the player on roll."""
        cdef CubeStakes result = CubeStakes.__new__(CubeStakes)
        result.stakes = self.states[state].stakes
        return result

    def values(
        self, const int8_t[:, ::1] boards not None, const double[:, ::1] evaluations not None,
        const int32_t[::1] states not None,
    ):
        """Return values of boards for the players on roll without a cube action, float64 of shape (n,)."""
        cdef const Stakes *stakes
        cdef const Probabilities *probabilities
        cdef Board board
        cdef double x
        cdef int64_t i
        values = np.empty(states.shape[0], np.float64)
        cdef double[::1] out = values
        for i in range(states.shape[0]):
            board_read(&board, &boards[i, 0])
            stakes = &self.states[states[i]].stakes
            probabilities = <const Probabilities *> &evaluations[i, 0]
            x = cube_efficiency(self.model, stakes, &board, probabilities)
            out[i] = stakes_value(stakes, probabilities, x)
        return values

    def actions(
        self, const int8_t[:, ::1] boards not None, const double[:, ::1] evaluations not None,
        const int32_t[::1] states not None, bint use_tables=True,
    ):
        """Return the states after the cube actions of the players on roll, and their values for these players.

        Boards have shape (n, 26), evaluations (n, 6), the rest (n,). A state is -1 if the double is dropped.
        Tables must not be used if `evaluations` belong to other boards.
        """
        cdef Board board
        cdef int64_t i
        after = np.empty(states.shape[0], np.int32)
        values = np.empty(states.shape[0], np.float64)
        cdef int32_t[::1] to_states = after
        cdef double[::1] to_values = values
        for i in range(states.shape[0]):
            board_read(&board, &boards[i, 0])
            to_states[i] = cube_action(
                self.states, states[i], &board, &self.tables if use_tables else NULL, self.model,
                <const Probabilities *> &evaluations[i, 0], &to_values[i])
        return after, values

    def values_of_points(
        self, const int32_t[::1] states not None, const int8_t[::1] points not None,
        const uint8_t[::1] dropped not None,
    ):
        """Return values of finished games for the players on roll, float64 (n,), by points or after a drop."""
        cdef int64_t i
        values = np.empty(states.shape[0], np.float64)
        cdef double[::1] out = values
        for i in range(states.shape[0]):
            out[i] = cube_value_of_points(self.states, states[i], dropped[i], points[i])
        return values

    def values_at_start(
        self, const int32_t[::1] states not None, const int32_t[::1] starts not None,
        const double[::1] values not None,
    ):
        """Return values for the players on roll in `starts` from those in `states`, float64 of shape (n,)."""
        cdef int64_t i
        results = np.empty(states.shape[0], np.float64)
        cdef double[::1] out = results
        for i in range(states.shape[0]):
            out[i] = value_at_start(self.states, states[i], starts[i], values[i])
        return results
