# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""The states that the cube of a game may come to, and what is done with it before a roll.

A state is who owns the cube, how often it has been doubled, and who is on roll. What each is played for is found
once, before the first game. A double is right where it brings more than to go on, whether it is taken or passed:
by exact tables where there are some, else by the formula of `analysis/cube` from the probabilities of the
position, before the roll. `MOST_DOUBLES` doubles end it: from then on nobody doubles any more, so that no game can
be worth more than 64 times the cube that it began with.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from bgfast.analysis.bearoff._bearoff cimport Sides, read_sides
from bgfast.analysis.cube._efficiency cimport EfficiencyModel, cube_efficiency
from bgfast.analysis.cube._stakes cimport (
    HeldStakes, Stakes, stakes_double_pass, stakes_double_take, stakes_doubled, stakes_flipped, stakes_may_double,
    stakes_of_points, stakes_value,
)
from bgfast.core.board.board cimport CHECKERS, PHASE_BEAROFF, Board, board_phase, board_read
from bgfast.core.board.probabilities cimport Probabilities

import numpy as np

cdef enum:
    MOST = 6
    NONE = -1

MOST_DOUBLES = MOST


cdef bint _known(
    const CubeTables *tables, const Stakes *stakes, const Board *board, double *no_double, double *double_take,
) noexcept nogil:
    """Whether tables have the board with such a cube: money play without a limit, and no gammon any more."""
    cdef Sides sides
    cdef const double *undoubled
    cdef int64_t pair
    if tables == NULL or tables.sides == 0 or not stakes.endless or board_phase(board) != PHASE_BEAROFF:
        return False
    if not read_sides(board.point, tables.checkers - 1, &sides):
        return False
    if sides.number[0] >= tables.sides or sides.number[1] >= tables.sides:
        return False
    pair = <int64_t> sides.number[1] * tables.sides + sides.number[0]
    undoubled = (
        tables.owned if stakes.owner > 0 else tables.centred if stakes.owner == 0 else tables.unavailable)
    no_double[0] = stakes.level[0].win[0] * undoubled[pair]
    double_take[0] = stakes.level[1].win[0] * tables.unavailable[pair]
    return True


cdef int cube_action(
    const CubeState *states, int state, const Board *board, const CubeTables *tables, EfficiencyModel model,
    const Probabilities *probabilities, double *value,
) noexcept nogil:
    cdef const CubeState *now = &states[state]
    cdef double x, taken, passed
    cdef bint known = _known(tables, &now.stakes, board, value, &taken)
    if not known:
        x = cube_efficiency(model, &now.stakes, board, probabilities)
        value[0] = stakes_value(&now.stakes, probabilities, x)
    if now.doubled == NONE:
        return state
    if not known:
        x = cube_efficiency(model, &states[now.doubled].stakes, board, probabilities)
        taken = stakes_double_take(&now.stakes, probabilities, x)
    passed = stakes_double_pass(&now.stakes)
    if min(taken, passed) <= value[0]:
        return state
    if taken > passed:
        value[0] = passed
        return PASSED
    value[0] = taken
    # Where tables know better nobody doubles what would be beavered.
    if (
        not known and now.beavered != NONE
        and taken < stakes_value(&states[now.doubled].stakes, probabilities, x)
    ):
        return now.beavered
    return now.doubled


cdef double cube_value_of_points(const CubeState *states, int state, bint passed, int points) noexcept nogil:
    # A pass loses the cube as it is, whatever gammons count for.
    return stakes_double_pass(&states[state].stakes) if passed else stakes_of_points(&states[state].stakes, points)


cdef double starters_value(const CubeState *states, int state, int start, double value) noexcept nogil:
    return states[state].stakes.whole - value if (state ^ start) & 1 else value


@cython.final
cdef class CubeStates:
    """The states of games that begin with these stakes, numbered, the first two with the cube as it is.

    Parameters
    ----------
    stakes : HeldStakes
        From the side of the player whose decision it is: even states are those in which this player is on roll.
    model : int
        Of the efficiency of the cube.
    tables : tuple of 3 float64 arrays (n, n), optional
        Those of `Bearoff.cube_database`: by them the cube is used where they have the position, in money play.
    checkers : int
        A side has at the beginning of a game.
    """

    def __init__(self, HeldStakes stakes not None, EfficiencyModel model, tables=None, int checkers=CHECKERS):
        cdef const double[:, ::1] unavailable, owned, centred
        cdef CubeState *now
        cdef int state, side, doubles
        self.model = model
        self.tables.checkers = checkers
        if tables is not None:
            unavailable, owned, centred = self.held = tables
            self.tables.unavailable, self.tables.sides = &unavailable[0, 0], <int32_t> unavailable.shape[0]
            self.tables.owned, self.tables.centred = &owned[0, 0], &centred[0, 0]
        self.states = <CubeState *> PyMem_Calloc(2 * (1 + 2 * MOST), sizeof(CubeState))
        if self.states == NULL:
            raise MemoryError
        self.states[0].stakes = stakes.stakes
        stakes_flipped(&self.states[0].stakes, &self.states[1].stakes)
        self.number = 2
        numbers = {}        # by how often the cube was doubled, and which side owns it: the first of two states
        doubled_to = [0]    # by pair: how often the cube was doubled
        state = 0
        while state < self.number:
            now = &self.states[state]
            now.doubled = now.beavered = NONE
            doubles, side = doubled_to[state // 2], state & 1
            if doubles < MOST and stakes_may_double(&now.stakes):
                now.doubled = self._turned(numbers, doubled_to, doubles + 1, &now.stakes, side)
                if now.stakes.beavers and doubles + 1 < MOST and self.states[now.doubled].stakes.levels > 1:
                    # Who takes may double once more at once, and keeps the cube.
                    now.beavered = self._turned(
                        numbers, doubled_to, doubles + 2, &self.states[now.doubled].stakes, side)
            state += 1

    cdef int _turned(self, dict numbers, list doubled_to, int doubles, const Stakes *before, int side) except -1:
        """Return the state after another turn of the cube, this side on roll and the other its owner."""
        cdef int first
        if (doubles, side) not in numbers:
            first = numbers[doubles, side] = self.number
            doubled_to.append(doubles)
            stakes_doubled(before, &self.states[first + side].stakes)
            stakes_flipped(&self.states[first + side].stakes, &self.states[first + 1 - side].stakes)
            self.number += 2
        return numbers[doubles, side] + side

    def __dealloc__(self):
        PyMem_Free(self.states)

    def doubled(self, int state):
        """Return the state after double and take; -1 if there is no doubling."""
        return self.states[state].doubled

    def stakes(self, int state):
        """Return what is played for in a state, from the side of the player on roll."""
        cdef HeldStakes found = HeldStakes.__new__(HeldStakes)
        found.stakes = self.states[state].stakes
        return found

    def values(
        self, const int8_t[:, ::1] boards not None, const double[:, ::1] evaluations not None,
        const int32_t[::1] states not None,
    ):
        """Return what boards are worth for those on roll, float64 (n,), the cube where it is."""
        cdef const Stakes *stakes
        cdef const Probabilities *given
        cdef Board board
        cdef int64_t i
        found = np.empty(states.shape[0], np.float64)
        cdef double[::1] out = found
        for i in range(states.shape[0]):
            board_read(&board, &boards[i, 0])
            stakes, given = &self.states[states[i]].stakes, <const Probabilities *> &evaluations[i, 0]
            out[i] = stakes_value(stakes, given, cube_efficiency(self.model, stakes, &board, given))
        return found

    def actions(
        self, const int8_t[:, ::1] boards not None, const double[:, ::1] evaluations not None,
        const int32_t[::1] states not None, bint by_tables=True,
    ):
        """Let the players on roll double or not.

        Parameters
        ----------
        boards : int8 array (n, 26)
        evaluations : float64 array (n, 6)
            Theirs: the five probabilities first.
        states : int32 array (n,)
        by_tables : bool
            Whether evaluations are those of these very boards, of which tables may know more.

        Returns
        -------
        int32 array (n,), float64 array (n,)
            The states in which they roll, -1 where the double is passed; and what that is worth for them.
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
                self.states, states[i], &board, &self.tables if by_tables else NULL, self.model,
                <const Probabilities *> &evaluations[i, 0], &to_values[i])
        return after, values

    def values_of_points(
        self, const int32_t[::1] states not None, const int8_t[::1] points not None,
        const uint8_t[::1] passed not None,
    ):
        """Return what ended games are worth for those on roll, float64 (n,): by these points, or by a pass."""
        cdef int64_t i
        values = np.empty(states.shape[0], np.float64)
        cdef double[::1] out = values
        for i in range(states.shape[0]):
            out[i] = cube_value_of_points(self.states, states[i], passed[i], points[i])
        return values

    def starters_values(
        self, const int32_t[::1] states not None, const int32_t[::1] starts not None,
        const double[::1] values not None,
    ):
        """Return the values, of those on roll, for those who were on roll in the states `starts`: float64 (n,)."""
        cdef int64_t i
        found = np.empty(states.shape[0], np.float64)
        cdef double[::1] out = found
        for i in range(states.shape[0]):
            out[i] = starters_value(self.states, states[i], starts[i], values[i])
        return found
