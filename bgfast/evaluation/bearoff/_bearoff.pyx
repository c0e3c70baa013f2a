"""Construction and lookup of bear-off databases, without the GIL; docs/BEAROFF.md has the formulas.

A side is the checkers of one player on points 1 to 6, at most 15. Sides are numbered by the combinatorial number
system (D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.2.1.3), as in PositionBearoff of GNU
Backgammon's positionid.c: with n(q) checkers on the points from q on, the number is the sum over q = 1 .. 6 of
C(n(q) + 6 - q, 7 - q). The empty side is 0, numbers rise with the number of checkers, and every move leads to a
smaller number, so a database is filled in ascending order, every entry from earlier ones.

Results are the same on every machine: a sum of float64 with the weights 1 and 2, divided by 36, does not depend on
whether a compiler fuses multiplication and addition.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t
from libc.string cimport memcpy, memset

from bgfast.core.board cimport BOARD_SIZE, CHECKERS, Board, board_read
from bgfast.core.probabilities cimport Probabilities
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS

from math import comb

import numpy as np

cdef enum:
    POINTS = 6
    DIE = 6
    MAX_DICE = 4            # dice played with doubles
    MAX_ROLLS = 32          # 15 checkers on point 6 are 90 pips, and a roll has at least 3: at most 30 rolls
    MAX_FIRST_ROLLS = 12    # rolls until the first checker is off: at most 10, found by computation
    MAX_PLAYS = 128         # 4 moves from 6 points, in any order: at most C(9, 4)
    GROUP = 4               # plays of a roll are padded to groups; most rolls fill a single group
    MAX_STATES = 84         # cube states: four for every level

COLUMNS = MAX_ROLLS, MAX_FIRST_ROLLS
"""Widths of the two arrays of the one-sided database."""
MAX_CUBE_STATES = MAX_STATES
MOVES_NUMBERS = sizeof(Moves) // sizeof(int32_t)
"""Scratch memory of `list_plays` per side, as a number of int32."""

cdef double WAYS = 36

# PLACE[q][n]: contribution of n checkers on the points from q on to the number of a side. Constant after import.
cdef int32_t PLACE[POINTS + 1][CHECKERS + 1]


cdef _fill_place():
    cdef int q, n
    for q in range(1, POINTS + 1):
        for n in range(CHECKERS + 1):
            PLACE[q][n] = comb(n + POINTS - q, POINTS + 1 - q)


_fill_place()


# ---- sides and their moves ----


cdef inline void _first_side(int *tail_counts, int checkers) noexcept nogil:
    """Write the first side with `checkers` checkers, all on point 1, as n(1) .. n(6) at 1 .. 6 and 0 at 7."""
    memset(tail_counts, 0, (POINTS + 2) * sizeof(int))
    tail_counts[1] = checkers


cdef inline bint _next_side(int *tail_counts) noexcept nogil:
    """Advance to the side with the next number; return False if it has more checkers."""
    cdef int q = POINTS
    # Sequences n(1) >= n(2) >= .. >= n(6) in lexicographic order.
    while q > 1 and tail_counts[q] == tail_counts[q - 1]:
        tail_counts[q] = 0
        q -= 1
    if q == 1:
        return False
    tail_counts[q] += 1
    return True


cdef struct Moves:
    # Indexed by die - 1: number of sides reachable by one move, and these sides.
    int32_t count[DIE]
    int32_t after[DIE][POINTS]


cdef inline void _list_moves(int32_t side, const int *tail_counts, bint first_only, Moves *moves) noexcept nogil:
    """List all moves of a side; with `first_only`, bearing off a checker leads to the empty side."""
    cdef int32_t decreases[POINTS + 1]   # decrease of the side number by bearing off from a point
    cdef int p, die, rear = 0
    cdef int32_t after
    decreases[0] = 0
    for p in range(1, POINTS + 1):
        decreases[p] = decreases[p - 1]
        if tail_counts[p]:
            decreases[p] += PLACE[p][tail_counts[p]] - PLACE[p][tail_counts[p] - 1]
            rear = p
    for die in range(1, DIE + 1):
        moves.count[die - 1] = 0
        for p in range(1, rear + 1):
            if tail_counts[p] == tail_counts[p + 1]:
                continue   # no checker on p
            if p > die:
                after = side - decreases[p] + decreases[p - die]
            # bearoff_die standard: "from point d, or from the highest occupied point r if r < d"
            elif p == die or p == rear:
                after = 0 if first_only else side - decreases[p]
            else:
                continue
            moves.after[die - 1][moves.count[die - 1]] = after
            moves.count[die - 1] += 1


# ---- one side ----


cdef struct Best:
    # Indexed by die - 1: the best side after playing the die 1, 2, 3 or 4 times.
    int32_t after[DIE][MAX_DICE]


cdef inline void _keep_better(int32_t *best, int32_t after, const double *mean) noexcept nogil:
    """Replace `best` by `after` if that has fewer expected rolls; the first side wins ties."""
    if best[0] < 0 or mean[after] < mean[best[0]]:
        best[0] = after


cdef void _fill_side(
    int32_t side, const Moves *moves, double[:, ::1] rolls, double *mean, Best *bests, int32_t *plays,
) noexcept nogil:
    """Fill a side's row. Without contact, both dice can be played in either order while a checker is left."""
    cdef Best *best = &bests[side]
    cdef int32_t pairs[DIE][DIE]   # best side after two dice, indexed by the larger and the smaller die - 1
    cdef int32_t *best_pair
    cdef double sums[MAX_ROLLS]
    cdef const double *row
    cdef int32_t after
    cdef int die, other_die, dice, i, r, weight
    cdef int last = <int> rolls.shape[1] - 1
    memset(best, 0xFF, sizeof(Best))   # -1: none yet
    memset(pairs, 0xFF, sizeof(pairs))
    for die in range(DIE):
        for i in range(moves.count[die]):
            after = moves.after[die][i]
            _keep_better(&best.after[die][0], after, mean)
            for dice in range(1, MAX_DICE):
                _keep_better(&best.after[die][dice], bests[after].after[die][dice - 1], mean)
            for other_die in range(DIE):
                best_pair = &pairs[max(die, other_die)][min(die, other_die)]
                _keep_better(best_pair, bests[after].after[other_die][0], mean)
    memset(sums, 0, sizeof(sums))
    mean[side] = 0
    for r in range(ROLL_COUNT):
        die = ROLLS[r][0] - 1
        other_die = ROLLS[r][1] - 1
        weight = 1 if die == other_die else 2
        after = best.after[die][MAX_DICE - 1] if die == other_die else pairs[die][other_die]
        plays[r] = after
        mean[side] += weight * mean[after]
        row = &rolls[after, 0]
        for i in range(last):
            sums[i] += weight * row[i]
    mean[side] = 1 + mean[side] / WAYS
    rolls[side, 0] = 0
    for i in range(last):
        rolls[side, i + 1] = sums[i] / WAYS


def fill_one_sided(
    int checkers, bint first_only, double[:, ::1] rolls, double[::1] mean, int32_t[:, ::1] plays,
    int32_t[:, :, ::1] bests,
):
    """Fill the rows of the sides with `checkers` checkers; rows of sides with fewer must be filled already.

    `rolls` gets the probabilities of 0, 1, .. rolls until all checkers are off or, with `first_only`, until the
    first is off; `mean` gets their mean, and `plays` the side after each of the 21 rolls. `bests`, shape
    (sides, 6, 4), is scratch memory: pass the same array to the next call.
    """
    cdef int tail_counts[POINTS + 2]
    cdef Moves moves
    cdef int32_t side = PLACE[1][checkers]
    with nogil:
        rolls[0, :] = 0
        rolls[0, 0] = 1
        mean[0] = 0
        plays[0, :] = 0
        bests[0, :, :] = 0
        _first_side(tail_counts, checkers)
        while checkers:
            _list_moves(side, tail_counts, first_only, &moves)
            _fill_side(side, &moves, rolls, &mean[0], <Best *> &bests[0, 0, 0], &plays[side, 0])
            side += 1
            if not _next_side(tail_counts):
                break


# ---- both sides ----


cdef int _play_die(
    const Moves *moves, const int16_t *sides, int side_count, int die, int16_t *out, int n,
) noexcept nogil:
    """Play a die from many sides; append new sides to the `n` sides of `out` and return their new count.

    The empty side stays empty: the die is not played.
    """
    cdef const Moves *side_moves
    cdef int16_t after
    cdef int i, j, k
    for i in range(side_count):
        side_moves = &moves[sides[i]]
        for j in range(side_moves.count[die] if sides[i] else 1):
            after = <int16_t> side_moves.after[die][j] if sides[i] else 0
            k = 0
            while k < n and out[k] != after:
                k += 1
            out[k] = after
            n = max(n, k + 1)
    return n


cdef int _list_plays(const Moves *moves, int16_t side, int die, int other_die, int16_t *out) noexcept nogil:
    """Write the distinct sides after a roll and return their number."""
    cdef int16_t before[MAX_PLAYS]
    cdef int _dice, side_count, n = 1
    if die != other_die:
        side_count = _play_die(moves, &side, 1, die, before, 0)
        n = _play_die(moves, before, side_count, other_die, out, 0)
        side_count = _play_die(moves, &side, 1, other_die, before, 0)
        return _play_die(moves, before, side_count, die, out, n)
    out[0] = side
    for _dice in range(MAX_DICE):
        memcpy(before, out, n * sizeof(int16_t))
        n = _play_die(moves, before, n, die, out, 0)
    return n


def list_plays(int checkers, int32_t[:, ::1] memory, int32_t[:, ::1] begins, int16_t[::1] plays):
    """List the sides reachable from every side of at most `checkers` checkers with every roll.

    Side i reaches plays[begins[i, r]:begins[i, r + 1]] with roll r; the last side is repeated to fill a group.
    `begins` has the shape (sides, 22), `memory` (sides, MOVES_NUMBERS), and `plays` 256 elements per side; sides
    of six checkers need 116 on average, of seven 127.
    """
    cdef Moves *moves = <Moves *> &memory[0, 0]
    cdef int tail_counts[POINTS + 2]
    cdef int32_t side = 0, offset = 0
    cdef int n, r
    with nogil:
        for n in range(checkers + 1):
            _first_side(tail_counts, n)
            while True:
                _list_moves(side, tail_counts, False, &moves[side])
                for r in range(ROLL_COUNT):
                    begins[side, r] = offset
                    if side:
                        offset += _list_plays(
                            moves, <int16_t> side, ROLLS[r][0] - 1, ROLLS[r][1] - 1, &plays[offset])
                    while (offset - begins[side, r]) % GROUP:
                        plays[offset] = plays[offset - 1]
                        offset += 1
                begins[side, ROLL_COUNT] = offset
                side += 1
                if not _next_side(tail_counts):
                    break


cdef struct CubeState:
    # Tables of equities of the player on roll, indexed by waiting side and side on roll.
    double *equity       # at the beginning of the turn, before a possible double
    double *no_double    # without a double in this turn; NULL if it is not needed
    int after            # the state after the play, with the opponent on roll
    int doubled          # the state after double and take, an earlier index; -1 if the cube cannot be doubled
    double unit          # value in this state of one point of `doubled`
    double win           # value of a won game, also after the opponent's drop


cdef inline double _with_double(double no_double, double double_take, double double_drop) noexcept nogil:
    """Return the equity at the beginning of a turn for a player who may double."""
    return max(no_double, min(double_take, double_drop))   # the opponent chooses the better of take and drop


cdef inline double _store_equities(
    const CubeState *states, const CubeState *state, int64_t index, double equity,
) noexcept nogil:
    """Store the equities without a double and at the beginning of the turn; return the latter."""
    if state.no_double != NULL:
        state.no_double[index] = equity
    if state.doubled >= 0:
        equity = _with_double(equity, state.unit * states[state.doubled].equity[index], state.win)
    state.equity[index] = equity
    return equity


def fill_two_sided(
    int first, int last, const int32_t[:, ::1] begins, const int16_t[::1] plays, double total,
    const int32_t[:, ::1] transitions, const double[:, ::1] values, double[:, :, ::1] equities,
    double[:, :, ::1] no_doubles, double[:, ::1] memory,
):
    """Fill rows and columns `first` to `last` - 1 of the tables, after the rows and columns before them.

    equities[c, j, i] is the equity of side i, on roll against side j in state c of the cube, if both play and
    double optimally; side j's equity is `total` minus it. `CubeStates` describes transitions and values; there are
    1 to MAX_STATES states. `memory` is scratch: a row per state and two more, each as long as a row of the tables.
    """
    cdef CubeState[MAX_STATES] states
    cdef CubeState *state
    cdef const int16_t *play
    cdef const int16_t *end
    cdef const double *column
    cdef const double *after
    cdef double *lowest = &memory[0, 0]
    cdef double *sums = &memory[1, 0]
    cdef double *row
    cdef double minimum, roll_sum
    cdef int64_t i, s, sides = equities.shape[1]
    cdef int count = <int> equities.shape[0]
    cdef int r, c, weight
    with nogil:
        for c in range(count):
            state = &states[c]
            state.equity = &equities[c, 0, 0]
            state.after = transitions[c, 0]
            state.doubled = transitions[c, 1]
            state.no_double = &no_doubles[transitions[c, 2], 0, 0] if transitions[c, 2] >= 0 else NULL
            state.unit = values[c, 0]
            state.win = values[c, 1]
        for s in range(first, last):
            if s == 0:
                # The side on roll has lost if the waiting side is off, and has won if it is off itself.
                for c in range(count):
                    equities[c, 0, :] = values[c, 2]
                    equities[c, 1:, 0] = values[c, 1]
                    if transitions[c, 2] >= 0:
                        no_doubles[transitions[c, 2], 0, :] = values[c, 2]
                        no_doubles[transitions[c, 2], 1:, 0] = values[c, 1]
                continue
            # Side s is on roll. After its play to s' < s, side i is on roll: [s', i] was filled in step s'.
            for c in range(count):
                state = &states[c]
                after = states[state.after].equity
                memset(sums, 0, sides * sizeof(double))
                for r in range(ROLL_COUNT):
                    weight = 1 if ROLLS[r][0] == ROLLS[r][1] else 2
                    play = &plays[begins[s, r]]
                    end = &plays[begins[s, r + 1]]
                    memcpy(&lowest[s], &after[play[0] * sides + s], (sides - s) * sizeof(double))
                    play += 1
                    while play < end:
                        column = &after[play[0] * sides]
                        for i in range(s, sides):
                            lowest[i] = column[i] if column[i] < lowest[i] else lowest[i]
                        play += 1
                    for i in range(s, sides):
                        sums[i] += weight * lowest[i]
                row = &memory[2 + c, 0]
                for i in range(s):
                    row[i] = state.equity[i * sides + s]
                for i in range(s, sides):
                    row[i] = _store_equities(states, state, i * sides + s, total - sums[i] / WAYS)
            # Side s waits. After the play of side i to i' < i, side s is on roll: [i', s] has just been filled.
            for c in range(count):
                state = &states[c]
                row = &memory[2 + state.after, 0]
                for i in range(s + 1, sides):
                    roll_sum = 0
                    for r in range(ROLL_COUNT):
                        weight = 1 if ROLLS[r][0] == ROLLS[r][1] else 2
                        play = &plays[begins[i, r]]
                        end = &plays[begins[i, r + 1]]
                        minimum = row[play[0]]
                        while play < end:
                            minimum = min(
                                minimum, min(min(row[play[0]], row[play[1]]), min(row[play[2]], row[play[3]])))
                            play += GROUP
                        roll_sum += weight * minimum
                    _store_equities(states, state, s * sides + i, total - roll_sum / WAYS)


# ---- races with fixed plays ----


cdef inline void _mean_after(
    const double *after, const int32_t *plays, const double *weights, int64_t first, int64_t sides, double *out,
) noexcept nogil:
    """Write the weighted mean of the rows after the 21 rolls, for the columns from `first` on."""
    cdef const double *a
    cdef const double *b
    cdef const double *c
    cdef int64_t j
    cdef int r
    memset(&out[first], 0, (sides - first) * sizeof(double))
    for r in range(0, ROLL_COUNT, 3):   # three rows per pass are faster than one
        a, b, c = &after[plays[r] * sides], &after[plays[r + 1] * sides], &after[plays[r + 2] * sides]
        for j in range(first, sides):
            out[j] += weights[r] * a[j] + weights[r + 1] * b[j] + weights[r + 2] * c[j]
    for j in range(first, sides):
        out[j] /= WAYS


def fill_race(
    const int32_t[:, ::1] plays, const int32_t[:, ::1] replies, const int32_t[::1] on_roll,
    const int32_t[::1] waiting, const int32_t[:, ::1] transitions, const double[:, ::1] values,
    const double[:, :, ::1] exact, double[:, ::1] rows, double[:, :, ::1] equities,
):
    """Fill the equities of a race in which each player has a single play with every roll.

    plays[i, r] is the side of the first player after his side i rolls r; `replies` is the same for the second
    player; sides ascend from the empty one. equities[c, i, j] is the equity of the second player's side j, on roll
    against side i in state c of the cube. It is filled for the states `waiting`; the first player is on roll in
    the states `on_roll`. Both list a state after a double before the states that lead to it; `CubeStates`
    describes transitions and values.

    For sides in the exact tables, `exact` has the equities with the first player on roll, and `equities` already
    has the equities with the second player on roll. `rows` is scratch, shape (states, sides of the second player).
    """
    cdef int64_t second_sides = replies.shape[0], first_sides = plays.shape[0]
    cdef int64_t i, j, begin
    cdef int k, c, r, doubled
    cdef double roll_sum
    cdef double[ROLL_COUNT] weights
    cdef double *row
    cdef const double *after
    with nogil:
        for r in range(ROLL_COUNT):
            weights[r] = 1 if ROLLS[r][0] == ROLLS[r][1] else 2
        for k in range(waiting.shape[0]):
            equities[waiting[k], 0, :] = values[waiting[k], 2]
        for i in range(1, first_sides):
            begin = exact.shape[2] if i < exact.shape[1] else 1
            for k in range(on_roll.shape[0]):
                c = on_roll[k]
                row = &rows[c, 0]
                for j in range(1, begin):
                    row[j] = exact[c, i, j]
                row[0] = values[c, 2]
                after = &equities[transitions[c, 0], 0, 0]
                _mean_after(after, &plays[i, 0], weights, begin, second_sides, row)
                doubled = transitions[c, 1]
                for j in range(begin, second_sides):
                    row[j] = -row[j]
                    if doubled >= 0:
                        row[j] = _with_double(row[j], values[c, 0] * rows[doubled, j], values[c, 1])
            for k in range(waiting.shape[0]):
                c = waiting[k]
                row = &equities[c, i, 0]
                after = &rows[transitions[c, 0], 0]
                doubled = transitions[c, 1]
                for j in range(begin, second_sides):
                    roll_sum = 0
                    for r in range(ROLL_COUNT):
                        roll_sum += weights[r] * after[replies[j, r]]
                    row[j] = -roll_sum / WAYS
                    if doubled >= 0:
                        row[j] = _with_double(row[j], values[c, 0] * equities[doubled, i, j], values[c, 1])


# ---- positions ----


cdef bint read_sides(const int8_t *board, int checkers, Sides *sides) noexcept nogil:
    cdef int i, q
    for i in range(2):
        sides.number[i] = sides.count[i] = 0
    for q in range(POINTS, 0, -1):
        if board[q] < 0 or board[BOARD_SIZE - 1 - q] > 0:
            return False
        sides.count[0] += board[q]
        sides.count[1] -= board[BOARD_SIZE - 1 - q]
        for i in range(2):
            if sides.count[i] > checkers:
                return False
            sides.number[i] += PLACE[q][sides.count[i]]
    for q in range(POINTS + 1, BOARD_SIZE - 1 - POINTS):
        if board[q]:
            return False
    return not board[0] and not board[BOARD_SIZE - 1] and sides.count[0] and sides.count[1]


def side_number(const int8_t[::1] board):
    """Return the number of the mover's side, whose checkers are all at home; ignore the opponent's checkers."""
    cdef int q, count = 0
    cdef int32_t number = 0
    for q in range(POINTS, 0, -1):
        count += max(board[q], 0)
        number += PLACE[q][count]
    return number


def side_numbers(const int8_t[:, ::1] boards, int checkers):
    """Return the side numbers of mover and opponent, int32 (n, 2); -1 for boards that are not covered."""
    numbers = np.empty((boards.shape[0], 2), np.int32)
    cdef int32_t[:, ::1] out = numbers
    cdef Sides sides
    cdef Board board
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])   # a copy: other threads may change the array
            if not read_sides(board.point, checkers, &sides):
                sides.number[0] = sides.number[1] = -1
            out[i, 0] = sides.number[0]
            out[i, 1] = sides.number[1]
    return numbers


cdef inline double _certain(double probability) noexcept nogil:
    """Return a probability, or 1 if it differs from 1 only by rounding."""
    return 1 if probability > 1 - 1e-12 else probability


cdef void sides_probabilities(
    const BearoffDatabases *databases, const Sides *sides, int checkers, Probabilities *out,
) noexcept nogil:
    cdef const double *mover_rolls = databases.rolls + <int64_t> sides.number[0] * MAX_ROLLS
    cdef const double *opponent_rolls = databases.rolls + <int64_t> sides.number[1] * MAX_ROLLS
    cdef const double *first_off
    cdef double win = 0, tail = 0
    cdef int t
    if two_sided_has(databases, sides):
        win = databases.wins[<int64_t> sides.number[1] * databases.sides + sides.number[0]]
    else:
        # The mover wins with t rolls if the opponent needs t or more, as the mover rolls first.
        for t in range(MAX_ROLLS - 1, -1, -1):
            tail += opponent_rolls[t]
            win += mover_rolls[t] * tail
        win = _certain(win)
    out.win = win
    # When the mover is off with roll t, the opponent has had t - 1 rolls: a gammon if his first checker needs t or
    # more.
    out.win_gammon = 0
    if sides.count[1] == checkers:
        first_off = databases.firsts + <int64_t> sides.number[1] * MAX_FIRST_ROLLS
        out.win_gammon = min(win, _gammon_probability(mover_rolls, first_off, 0))
    # When the opponent is off with roll t, the mover has had t rolls: a gammon if his first checker needs more.
    out.lose_gammon = 0
    if sides.count[0] == checkers:
        first_off = databases.firsts + <int64_t> sides.number[0] * MAX_FIRST_ROLLS
        out.lose_gammon = min(1 - win, _gammon_probability(opponent_rolls, first_off, 1))
    # The loser's checkers are all in the loser's own home board: no backgammon.
    out.win_backgammon = out.lose_backgammon = 0


def fill_probabilities(
    const int8_t[:, ::1] boards, int checkers, const double[:, ::1] rolls, const double[:, ::1] firsts,
    const double[:, ::1] wins, double[:, ::1] out,
):
    """Write the five probabilities of every board; return the first row not covered, or -1."""
    cdef BearoffDatabases databases = BearoffDatabases(
        &rolls[0, 0], &firsts[0, 0], &wins[0, 0], <int32_t> wins.shape[0])
    cdef Sides sides
    cdef Board board
    cdef int64_t i, uncovered = -1
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])   # a copy: other threads may change the array
            if not read_sides(board.point, checkers, &sides):
                uncovered = i
                break
            sides_probabilities(&databases, &sides, checkers, <Probabilities *> &out[i, 0])
    return uncovered


cdef inline double _gammon_probability(const double *rolls, const double *first_off, int margin) noexcept nogil:
    """Return the probability that X >= Y + `margin`, with X distributed as in `first_off` and Y as in `rolls`."""
    cdef double tail = 0, total = 0
    cdef int t
    for t in range(MAX_FIRST_ROLLS - 1, margin - 1, -1):
        tail += first_off[t]
        total += rolls[t - margin] * tail
    return _certain(total)
