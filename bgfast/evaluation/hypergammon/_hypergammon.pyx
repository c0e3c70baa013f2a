"""Index of positions with few checkers, lists of their plays, and sweeps of value iteration, without the GIL.

A side is the checkers of one player: at most `checkers`, on the points 1 to 24 and the bar. Sides are numbered in
the combinatorial number system (D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.2.1.3): with
the checkers on the places c(1) >= c(2) >= .. >= c(n), where 0 is off and 25 the bar, the number is the sum over
k = 1 .. n of C(c(k) + n - k, n - k + 1). The index of a position is the first index of the side on roll, plus the
number of the waiting side among the places that the side on roll leaves free, less 1, since the waiting side is
not empty. There are no gaps.

Values are for the player on roll at the beginning of the turn. A play without a hit lowers the sum of both pip
counts. A sweep in the order of that sum thus reads its own new values, except after hits that raise the sum and
after turns without a legal play, where it reads values of the previous sweep.
"""

cimport cython
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from bgfast.core.board cimport (
    BAR, BOARD_SIZE, PHASE_CONTACT, WIN_STANDARD, Board, board_phase, board_read, board_result,
)
from bgfast.core.probabilities cimport (
    EVALUATION, Evaluation, evaluation_flip, evaluation_of_points, probabilities_add, probabilities_divide,
    probabilities_equity,
)
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.row cimport (
    bg_greater, bg_highest, bg_load_board, bg_load_flipped, bg_lowest, bg_negate, bg_row, bg_store,
)
from bgfast.core.generator.generator cimport ROWS_BYTES, count, generate

from math import comb

import numpy as np

from bgfast.errors import BgfastError

cdef enum:
    MAX_CHECKERS = 3
    PLACES = 25          # points 1 to 24 and the bar
    MAX_POINTS = 3
    MAX_STATES = 32      # maximum states of the cube in one solution


cdef struct Places:
    # Places that a side on roll leaves free; indices refer to that side's board.
    int8_t place[PLACES]         # 1 for the waiting side's lowest free point, ...; 0 for a blocked point
    int8_t index[PLACES + 1]     # index by place
    int8_t checkers[PLACES + 1]  # checkers of the side on roll, by place
    int32_t first                # index of the first position with this side on roll
    int32_t pips                 # pip count of the side on roll

cdef double WAYS = 36      # number of ordered rolls of two dice
cdef double EQUITY_TOLERANCE = 1e-12   # maximum difference between equities that count as equal

# PLACE[r][c]: contribution of a checker on place c to the number of a side if r checkers, including it, remain:
# C(c + r - 1, r). Constant after import.
cdef int32_t PLACE[MAX_CHECKERS + 1][PLACES + 1]


cdef _fill_place():
    cdef int r, c
    for r in range(MAX_CHECKERS + 1):
        for c in range(PLACES + 1):
            PLACE[r][c] = comb(c + r - 1, r) if c else 0


_fill_place()


# ---- positions ----


cdef inline int32_t _side_number(const int8_t *board, uint32_t points, int checkers) noexcept nogil:
    """Return the number of the side on roll; the bits of `points` are its points."""
    cdef int32_t number = 0
    cdef int p, _checker
    while points:
        p = bg_highest(points)
        points ^= 1U << p
        for _checker in range(board[p]):
            number += PLACE[checkers][p]
            checkers -= 1
    return number


cdef inline int32_t _flip(const Board *board, Board *flipped, int checkers) noexcept nogil:
    """Write the board from the other side; return the number of the side that was waiting."""
    bg_store(flipped.point, bg_load_flipped(board.point))
    return _side_number(flipped.point, bg_greater(bg_load_board(flipped.point), 0), checkers)


cdef inline int32_t _waiting_side_number(
    const int8_t *board, uint32_t points, const Places *places, int checkers,
) noexcept nogil:
    """Return the number of the waiting side among the free places; the bits of `points` are its points."""
    cdef int32_t number = 0
    cdef int p, _checker
    while points:
        p = bg_lowest(points)
        points &= points - 1
        for _checker in range(-board[p]):
            number += PLACE[checkers][places.place[p]]
            checkers -= 1
    return number


cdef inline void _side_at(int32_t number, int checkers, int *places) noexcept nogil:
    """Write the places of the checkers of a side, the highest first, 0 for checkers off."""
    cdef int r, c = PLACES, k = 0
    for r in range(checkers, 0, -1):
        while PLACE[r][c] > number:
            c -= 1
        number -= PLACE[r][c]
        places[k] = c
        k += 1


@cython.final
cdef class PositionIndex:
    """Index of all positions with 1 to `checkers` (at most 3) checkers per side on the board."""

    cdef readonly int checkers   # maximum checkers per side
    cdef readonly int sides      # number of sides, including the empty side (0)
    cdef readonly int size       # number of positions
    cdef Places *places          # free places, by number of the side on roll

    def __cinit__(self, int checkers):
        cdef int side, k, p, place
        cdef int[MAX_CHECKERS] checker_places
        cdef Places *places
        if not 1 <= checkers <= MAX_CHECKERS:
            raise BgfastError(f"checkers is {checkers}; expected 1 to {MAX_CHECKERS}")
        self.checkers = checkers
        self.sides = comb(PLACES + checkers, checkers)
        self.size = 0
        self.places = <Places *> calloc(self.sides, sizeof(Places))
        if self.places == NULL:
            raise MemoryError
        for side in range(1, self.sides):
            places = &self.places[side]
            places.first = self.size
            _side_at(side, checkers, checker_places)
            for k in range(checkers):
                if checker_places[k]:
                    places.checkers[checker_places[k]] += 1
                    places.pips += checker_places[k]
            place = 0
            for p in range(PLACES - 1, -1, -1):
                if not places.checkers[p]:   # index 0, the waiting side's bar, is always free
                    place += 1
                    places.place[p] = place
                    places.index[place] = p
            self.size += comb(place + checkers, checkers) - 1

    def __dealloc__(self):
        free(self.places)

    cdef int32_t index_of(self, const int8_t *board) noexcept nogil:
        """Return the index of a position with 1 to `checkers` checkers per side, from the mover's side."""
        cdef bg_row row = bg_load_board(board)
        cdef int32_t side = _side_number(board, bg_greater(row, 0), self.checkers)
        cdef const Places *places = &self.places[side]
        return places.first - 1 + _waiting_side_number(board, bg_greater(bg_negate(row), 0), places, self.checkers)

    cdef int32_t _side_of(self, int32_t position) noexcept nogil:
        """Return the side on roll in a position."""
        cdef int32_t low = 1, high = self.sides - 1, middle
        while low < high:
            middle = (low + high + 1) // 2
            if self.places[middle].first <= position:
                low = middle
            else:
                high = middle - 1
        return low

    cdef int32_t _board_at(self, int32_t position, Board *out) noexcept nogil:
        """Write the board of a position; return the side on roll."""
        cdef int32_t side = self._side_of(position)
        cdef const Places *places = &self.places[side]
        cdef int[MAX_CHECKERS] free_places
        cdef int k
        board_read(out, places.checkers)
        _side_at(position - places.first + 1, self.checkers, free_places)
        for k in range(self.checkers):
            if free_places[k]:
                out.point[places.index[free_places[k]]] -= 1
        return side

    def board(self, int32_t position):
        """Return the board of a position, a list of 26 numbers."""
        cdef Board board
        self._board_at(position, &board)
        return [board.point[p] for p in range(BOARD_SIZE)]

    def indices(self, const int8_t[:, ::1] boards):
        """Return the indices of boards, int32 (n,); -1 if a side has 0 or more than `checkers` checkers."""
        indices = np.empty(boards.shape[0], np.int32)
        cdef int32_t[::1] out = indices
        cdef Board board
        cdef int64_t i
        cdef int checkers, opponent_checkers, p
        with nogil:
            for i in range(boards.shape[0]):
                board_read(&board, &boards[i, 0])   # a copy: other threads may change the array
                checkers = opponent_checkers = 0
                for p in range(BOARD_SIZE):
                    checkers += max(board.point[p], 0)
                    opponent_checkers -= min(board.point[p], 0)
                if 0 < checkers <= self.checkers and 0 < opponent_checkers <= self.checkers:
                    out[i] = self.index_of(board.point)
                else:
                    out[i] = -1
        return indices

    def fill_levels(self, int32_t[::1] levels, int32_t[::1] keys, int8_t[::1] contact):
        """Write, by position, the sum of both pip counts, a sort key for equal sums, and 1 for contact.

        The key is the waiting side, which is on roll after a play without a hit, so a sweep reads values that are
        near each other in memory.
        """
        cdef Board board, flipped
        cdef int32_t i, side, waiting_side
        with nogil:
            for i in range(self.size):
                side = self._board_at(i, &board)
                waiting_side = _flip(&board, &flipped, self.checkers)
                levels[i] = self.places[side].pips + self.places[waiting_side].pips
                keys[i] = waiting_side
                contact[i] = board_phase(&board) == PHASE_CONTACT


# ---- plays ----


def count_plays(PositionIndex index not None, const int32_t[::1] order, uint8_t[:, ::1] counts):
    """Write the number of plays of every position with every roll; 1 if no play is legal."""
    cdef Board board
    cdef int64_t i
    cdef int r
    with nogil:
        for i in range(order.shape[0]):
            index._board_at(order[i], &board)
            for r in range(ROLL_COUNT):
                counts[i, r] = <uint8_t> max(count(NULL, &board, ROLLS[r][0], ROLLS[r][1]), 1)


cdef inline int32_t _index_after(
    PositionIndex index, const int8_t *row, const Board *before, int32_t next_side,
) noexcept nogil:
    """Return the index of a row of `generate`, from the next player's side; minus the points if that player lost.

    `before` is the position before the play from the next player's side; `next_side` is the number of that side.
    """
    cdef bg_row vector = bg_load_board(row)
    cdef uint32_t points = bg_greater(bg_negate(vector), 0)
    cdef int32_t side = next_side
    cdef const Places *places
    cdef Board successor
    if not points:
        board_read(&successor, row)
        return board_result(&successor, WIN_STANDARD, index.checkers)
    if row[BAR] != before.point[BAR]:
        side = _side_number(row, bg_greater(vector, 0), index.checkers)
    places = &index.places[side]
    return places.first - 1 + _waiting_side_number(row, points, places, index.checkers)


def list_plays(
    PositionIndex index not None, const int32_t[::1] order, const int64_t[::1] begins, int32_t[::1] successors,
):
    """Write the successors of all plays, next player on roll; minus the points, -1 to -3, for a finished game.

    The plays of position i of `order` begin at begins[i], roll by roll; `count_plays` counts them. A turn
    without a legal play leads to the same position with the other player on roll.
    """
    cdef Board board, flipped
    cdef int32_t next_side
    cdef int64_t i, cursor
    cdef int r, k, n
    cdef int8_t *rows = <int8_t *> malloc(ROWS_BYTES)
    if rows == NULL:
        raise MemoryError
    with nogil:
        for i in range(order.shape[0]):
            index._board_at(order[i], &board)
            next_side = _flip(&board, &flipped, index.checkers)
            cursor = begins[i]
            for r in range(ROLL_COUNT):
                n = generate(NULL, &board, ROLLS[r][0], ROLLS[r][1], rows, NULL, True)
                if n == 0:
                    successors[cursor] = index.index_of(flipped.point)
                    cursor += 1
                for k in range(n):
                    successors[cursor] = _index_after(index, rows + k * BOARD_SIZE, &flipped, next_side)
                    cursor += 1
    free(rows)


# ---- sweeps ----


cdef inline bint _is_better(const Evaluation *evaluation, const Evaluation *best) noexcept nogil:
    """Return whether an evaluation is worse for the next player than the best play so far."""
    # Rounding may separate equities that are exactly equal.
    if fabs(evaluation.equity - best.equity) <= EQUITY_TOLERANCE:
        return evaluation.probabilities.win < best.probabilities.win
    return evaluation.equity < best.equity


cdef inline int _weight(int roll) noexcept nogil:
    return 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2


def sweep_cubeless(
    const int32_t[::1] order, const uint8_t[:, ::1] counts, const int64_t[::1] begins,
    const int32_t[::1] successors, const double[:, ::1] values, double[:, ::1] out,
):
    """Write new cubeless evaluations of the positions in `order`; return the largest change.

    Rows hold the five probabilities and the equity. Both sides maximise equity, then the chance to win.
    """
    cdef Evaluation[MAX_POINTS] losses
    cdef Evaluation flipped
    cdef Evaluation *mean
    cdef const Evaluation *best
    cdef const Evaluation *value
    cdef const int32_t *play
    cdef double change = 0
    cdef int64_t i
    cdef int r, k
    with nogil:
        for k in range(MAX_POINTS):
            losses[k] = evaluation_of_points(-1 - k)
        for i in range(order.shape[0]):
            play = &successors[begins[i]]
            mean = <Evaluation *> &out[i, 0]
            memset(mean, 0, sizeof(Evaluation))
            for r in range(ROLL_COUNT):
                best = NULL
                for k in range(counts[i, r]):
                    value = <const Evaluation *> &values[play[k], 0] if play[k] >= 0 else &losses[-1 - play[k]]
                    if best == NULL or _is_better(value, best):
                        best = value
                play += counts[i, r]
                flipped = evaluation_flip(best)
                probabilities_add(&mean.probabilities, &flipped.probabilities, _weight(r))
            probabilities_divide(&mean.probabilities, WAYS)
            mean.equity = probabilities_equity(&mean.probabilities)
            for k in range(EVALUATION):
                change = max(change, fabs(out[i, k] - values[order[i], k]))
    return change


def sweep_cube(
    const int32_t[::1] order, const uint8_t[:, ::1] counts, const int64_t[::1] begins,
    const int32_t[::1] successors, double total, const int32_t[:, ::1] transitions, const double[:, ::1] points,
    const double[:, ::1] values, bint no_double, double[:, ::1] out,
):
    """Write new values of the positions in `order` with a cube; return the largest change.

    Columns are states of the cube, at most MAX_STATES. `values` are for the beginning of a turn; so is `out`
    unless `no_double` forbids a double in this turn. `total` is the sum of the values of both players.
    transitions[c]: the state after a play, with the opponent on roll, and the state after double and take,
    which has a smaller index, or -1 without a double. points[c]: the factor of the value after a double, and
    the values in state c of a dropped double and of games lost by 1, 2 and 3 points.
    """
    cdef double[MAX_POINTS][MAX_STATES] losses
    cdef double[MAX_STATES] minima, sums
    cdef const double *value
    cdef const int32_t *play
    cdef double change = 0
    cdef int64_t i
    cdef int states = <int> values.shape[1]
    cdef int r, k, c, double_state, weight
    with nogil:
        for k in range(MAX_POINTS):
            for c in range(states):
                losses[k][c] = points[c, 2 + k]
        for i in range(order.shape[0]):
            play = &successors[begins[i]]
            memset(sums, 0, sizeof(sums))
            for r in range(ROLL_COUNT):
                for c in range(states):
                    minima[c] = INFINITY
                for k in range(counts[i, r]):
                    value = &values[play[k], 0] if play[k] >= 0 else losses[-1 - play[k]]
                    for c in range(states):
                        minima[c] = value[c] if value[c] < minima[c] else minima[c]
                play += counts[i, r]
                weight = _weight(r)
                for c in range(states):
                    sums[c] += weight * minima[c]
            for c in range(states):
                out[i, c] = total - sums[transitions[c, 0]] / WAYS
                double_state = transitions[c, 1]
                if double_state >= 0 and not no_double:   # the opponent chooses the better of take and drop
                    out[i, c] = max(out[i, c], min(points[c, 0] * out[i, double_state], points[c, 1]))
                change = max(change, fabs(out[i, c] - values[order[i], c]))
    return change
