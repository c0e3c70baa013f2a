# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Bear-off databases, without the GIL; docs/BEAROFF.md has the formulas.

A side is its checkers on points 1 to 6, at most 15. Its number is that of the combinatorial number system (D. E.
Knuth, "The Art of Computer Programming", volume 4A, section 7.2.1.3), applied as in PositionBearoff of GNU
Backgammon's positionid.c: with n(q) checkers on the points from q on, the sum over q = 1 .. 6 of
C(n(q) + 6 - q, 7 - q). So 0 is the empty side, sides are in the order of their checkers, and every move leads to a
smaller number: a database is filled from its beginning, each entry from those before.

Results are the same on every machine: a sum of float64 with the weights 1 and 2, divided by 36, has one value
whether or not a compiler joins the product and the sum.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t
from libc.string cimport memcpy, memset

from bgfast.core.board.board cimport BOARD_SIZE, CHECKERS, Board, board_read
from bgfast.core.board.probabilities cimport Probabilities
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS

cdef enum:
    POINTS = 6
    DIE = 6
    MOST_DICE = 4        # of one roll
    ROLLS_ROOM = 32      # 15 checkers on point 6 are 90 pips, and no roll has less than 3: at most 30 rolls
    FIRST_ROOM = 12      # until a checker is off: at most 10 rolls, as the sums of the rows tell
    MOST_PLAYS = 128     # 4 moves from 6 points, in any order: at most C(9, 4)
    GROUP = 4            # plays of a roll, written in groups of so many: most loops over them end after one
    MOST_STATES = 84     # of the cube, for both players: four for each value that it may have

ROLLS_COLUMNS = ROLLS_ROOM
FIRST_COLUMNS = FIRST_ROOM
"""Of the two arrays of the one-sided database."""
MOST_CUBE_STATES = MOST_STATES
MOVES_NUMBERS = sizeof(Moves) // sizeof(int32_t)
"""Of int32 that `list_plays` needs for each side."""

cdef double WAYS = 36

# PLACE[q][n]: what n checkers on the points from q on add to the number of a side. Constant once imported.
cdef int32_t PLACE[POINTS + 1][CHECKERS + 1]


cdef void _fill_place() noexcept nogil:
    cdef int q, n, k
    cdef int64_t choose
    for q in range(1, POINTS + 1):
        for n in range(CHECKERS + 1):
            choose = n > 0
            for k in range(1, POINTS + 2 - q):   # C(n + 6 - q, 7 - q), one factor at a time
                choose = choose * (n - 1 + k) // k
            PLACE[q][n] = <int32_t> choose


_fill_place()


# ---- sides and their moves ----


cdef inline void _first_side(int *beyond, int checkers) noexcept nogil:
    """The first side with so many checkers, all on point 1: `beyond` has n(1) .. n(6) at 1 .. 6 and 0 at 7."""
    memset(beyond, 0, (POINTS + 2) * sizeof(int))
    beyond[1] = checkers


cdef inline bint _next_side(int *beyond) noexcept nogil:
    """Go on to the side with the next number; False if it has more checkers."""
    cdef int q = POINTS
    # n(1) >= n(2) >= .. >= n(6), in the order of their last parts
    while q > 1 and beyond[q] == beyond[q - 1]:
        beyond[q] = 0
        q -= 1
    if q == 1:
        return False
    beyond[q] += 1
    return True


cdef struct Moves:
    # By the die less 1: the sides after it, `count` of them.
    int32_t count[DIE]
    int32_t after[DIE][POINTS]


cdef inline void _list_moves(int32_t side, const int *beyond, bint first_only, Moves *moves) noexcept nogil:
    """List all moves of a side; with `first_only` a checker borne off ends it all, with the empty side."""
    cdef int32_t down[POINTS + 1]   # by how much a checker's way from a point off the board lowers the number
    cdef int p, die, rear = 0
    cdef int32_t after
    down[0] = 0
    for p in range(1, POINTS + 1):
        down[p] = down[p - 1]
        if beyond[p]:
            down[p] += PLACE[p][beyond[p]] - PLACE[p][beyond[p] - 1]
            rear = p
    for die in range(1, DIE + 1):
        moves.count[die - 1] = 0
        for p in range(1, rear + 1):
            if beyond[p] == beyond[p + 1]:
                continue   # nobody stands there
            if p > die:
                after = side - down[p] + down[p - die]
            # standard: "from point d, or from the highest occupied point r if r < d"
            elif p == die or p == rear:
                after = 0 if first_only else side - down[p]
            else:
                continue
            moves.after[die - 1][moves.count[die - 1]] = after
            moves.count[die - 1] += 1


# ---- one side ----


cdef struct Best:
    # By the die less 1: the best side after 1, 2, 3 or 4 dice of that number.
    int32_t after[DIE][MOST_DICE]


cdef inline void _take(int32_t *best, int32_t after, const double *mean) noexcept nogil:
    """Take a side if it is better than what there is: fewer expected rolls, of equal ones the first."""
    if best[0] < 0 or mean[after] < mean[best[0]]:
        best[0] = after


cdef void _fill_side(
    int32_t side, const Moves *moves, double[:, ::1] rolls, double *mean, Best *bests,
) noexcept nogil:
    """Fill a side's row; without contact a die can be played wherever a checker is left, in either order."""
    cdef Best *best = &bests[side]
    cdef int32_t mixed[DIE][DIE]   # by the greater and the smaller die
    cdef double sums[ROLLS_ROOM]
    cdef const double *row
    cdef int32_t after
    cdef int die, other, dice, i, r, weight
    cdef int last = <int> rolls.shape[1] - 1
    memset(best, 0xFF, sizeof(Best))   # -1: nothing yet
    memset(mixed, 0xFF, sizeof(mixed))
    for die in range(DIE):
        for i in range(moves.count[die]):
            after = moves.after[die][i]
            _take(&best.after[die][0], after, mean)
            for dice in range(1, MOST_DICE):
                _take(&best.after[die][dice], bests[after].after[die][dice - 1], mean)
            for other in range(DIE):
                _take(&mixed[max(die, other)][min(die, other)], bests[after].after[other][0], mean)
    memset(sums, 0, sizeof(sums))
    mean[side] = 0
    for r in range(ROLL_COUNT):
        die = ROLLS[r][0] - 1
        other = ROLLS[r][1] - 1
        weight = 1 if die == other else 2
        after = best.after[die][MOST_DICE - 1] if die == other else mixed[die][other]
        mean[side] += weight * mean[after]
        row = &rolls[after, 0]
        for i in range(last):
            sums[i] += weight * row[i]
    mean[side] = 1 + mean[side] / WAYS
    rolls[side, 0] = 0
    for i in range(last):
        rolls[side, i + 1] = sums[i] / WAYS


def fill_one_sided(
    int checkers, bint first_only, double[:, ::1] rolls, double[::1] mean, int32_t[:, :, ::1] bests,
):
    """Fill the rows of the sides with so many checkers; those with fewer have been filled by earlier calls.

    `rolls` gets the probabilities of needing 0, 1, .. rolls until all checkers are off or, with `first_only`, the
    next one is; `mean` gets their mean. `bests` is memory, shape (sides, 6, 4), that stays from call to call.
    """
    cdef int beyond[POINTS + 2]
    cdef Moves moves
    cdef int32_t side = PLACE[1][checkers]
    with nogil:
        rolls[0, :] = 0
        rolls[0, 0] = 1
        mean[0] = 0
        bests[0, :, :] = 0
        _first_side(beyond, checkers)
        while checkers:
            _list_moves(side, beyond, first_only, &moves)
            _fill_side(side, &moves, rolls, &mean[0], <Best *> &bests[0, 0, 0])
            side += 1
            if not _next_side(beyond):
                break


# ---- both sides ----


cdef int _spread(
    const Moves *moves, const int16_t *sides, int many, int die, int16_t *out, int n,
) noexcept nogil:
    """Move once from each of many sides; add to the `n` of `out` those it has not; return how many it has then.

    The empty side stays as it is: the die is not played.
    """
    cdef const Moves *of
    cdef int16_t after
    cdef int i, j, k
    for i in range(many):
        of = &moves[sides[i]]
        for j in range(of.count[die] if sides[i] else 1):
            after = <int16_t> of.after[die][j] if sides[i] else 0
            k = 0
            while k < n and out[k] != after:
                k += 1
            out[k] = after
            n = max(n, k + 1)
    return n


cdef int _list_plays(const Moves *moves, int16_t side, int die, int other, int16_t *out) noexcept nogil:
    """Write the sides after a roll, each once; return how many."""
    cdef int16_t before[MOST_PLAYS]
    cdef int _dice, many, n = 1
    if die != other:
        many = _spread(moves, &side, 1, die, before, 0)
        n = _spread(moves, before, many, other, out, 0)
        many = _spread(moves, &side, 1, other, before, 0)
        return _spread(moves, before, many, die, out, n)
    out[0] = side
    for _dice in range(MOST_DICE):
        memcpy(before, out, n * sizeof(int16_t))
        n = _spread(moves, before, n, die, out, 0)
    return n


def list_plays(int checkers, int32_t[:, ::1] memory, int32_t[:, ::1] begins, int16_t[::1] plays):
    """List where each side of at most so many checkers can get with each roll.

    Side i gets with roll r to plays[begins[i, r]:begins[i, r + 1]], the last of them repeated until they make up
    groups. `begins` has the shape (sides, 22), `memory` (sides, MOVES_NUMBERS), and `plays` room for 256 a side:
    of six checkers they need 116, of seven 127.
    """
    cdef Moves *moves = <Moves *> &memory[0, 0]
    cdef int beyond[POINTS + 2]
    cdef int32_t side = 0, at = 0
    cdef int n, r
    with nogil:
        for n in range(checkers + 1):
            _first_side(beyond, n)
            while True:
                _list_moves(side, beyond, False, &moves[side])
                for r in range(ROLL_COUNT):
                    begins[side, r] = at
                    if side:
                        at += _list_plays(moves, <int16_t> side, ROLLS[r][0] - 1, ROLLS[r][1] - 1, &plays[at])
                    while (at - begins[side, r]) % GROUP:
                        plays[at] = plays[at - 1]
                        at += 1
                begins[side, ROLL_COUNT] = at
                side += 1
                if not _next_side(beyond):
                    break


cdef struct CubeState:
    # Tables by the waiting side and the side on roll, of what the game is worth to the player on roll who ...
    double *equity       # ... may turn the cube before the roll, if that is allowed
    double *no_double    # ... does not turn it; NULL if nobody asks
    int after            # the state after the play, with the opponent on roll
    int doubled          # the state after double and take, an earlier one; -1 if the cube may not be turned
    double unit          # what a point of that state is worth in this one
    double won           # a game that is won, by a pass too, and one that is lost
    double lost


cdef inline double _keep(
    const CubeState *states, const CubeState *state, int64_t at, double no_double,
) noexcept nogil:
    """Keep what it is worth to roll, and what the turn is worth at its beginning, which is returned."""
    cdef double found = no_double
    if state.no_double != NULL:
        state.no_double[at] = no_double
    if state.doubled >= 0:
        # The opponent takes or passes, whichever leaves less.
        found = max(found, min(state.unit * states[state.doubled].equity[at], state.won))
    state.equity[at] = found
    return found


def fill_two_sided(
    int first, int last, const int32_t[:, ::1] begins, const int16_t[::1] plays, double total,
    const int32_t[:, ::1] turns, const double[:, ::1] worth, double[:, :, ::1] equities,
    double[:, :, ::1] no_doubles, double[:, ::1] memory,
):
    """Fill row and column `first` to `last` - 1 of tables, those before having been filled by earlier calls.

    equities[c, j, i] is what the game is worth to side i, on roll against side j in state c of the cube, if both
    play and double as is best for them; `total` less that is what it is worth to side j. turns[c] has the state
    after a play, the state after double and take or -1, and the table of `no_doubles` or -1; worth[c] the unit, a
    game won and a game lost: see `CubeState`. There are 1 to MOST_STATES states. `memory` has two rows more than
    there are states, as long as those of the tables.
    """
    cdef CubeState[MOST_STATES] states
    cdef CubeState *state
    cdef const int16_t *play
    cdef const int16_t *end
    cdef const double *column
    cdef const double *after
    cdef const double *own
    cdef double *least = &memory[0, 0]
    cdef double *sums = &memory[1, 0]
    cdef double *on_roll
    cdef double low, rolled
    cdef int64_t i, s, sides = equities.shape[1]
    cdef int count = <int> equities.shape[0]
    cdef int r, c, weight
    with nogil:
        for c in range(count):
            state = &states[c]
            state.equity = &equities[c, 0, 0]
            state.after = turns[c, 0]
            state.doubled = turns[c, 1]
            state.no_double = &no_doubles[turns[c, 2], 0, 0] if turns[c, 2] >= 0 else NULL
            state.unit = worth[c, 0]
            state.won = worth[c, 1]
            state.lost = worth[c, 2]
        for s in range(first, last):
            if s == 0:
                # A side on roll has lost when the other one is off, and has won when it is off itself.
                for c in range(count):
                    equities[c, 0, :] = worth[c, 2]
                    equities[c, 1:, 0] = worth[c, 1]
                    if turns[c, 2] >= 0:
                        no_doubles[turns[c, 2], 0, :] = worth[c, 2]
                        no_doubles[turns[c, 2], 1:, 0] = worth[c, 1]
                continue
            # Side s on roll. After its play to s' < s, side i is on roll: [s', i] was filled with s'.
            for c in range(count):
                state = &states[c]
                after = states[state.after].equity
                memset(sums, 0, sides * sizeof(double))
                for r in range(ROLL_COUNT):
                    weight = 1 if ROLLS[r][0] == ROLLS[r][1] else 2
                    play = &plays[begins[s, r]]
                    end = &plays[begins[s, r + 1]]
                    memcpy(&least[s], &after[play[0] * sides + s], (sides - s) * sizeof(double))
                    play += 1
                    while play < end:
                        column = &after[play[0] * sides]
                        for i in range(s, sides):
                            least[i] = column[i] if column[i] < least[i] else least[i]
                        play += 1
                    for i in range(s, sides):
                        sums[i] += weight * least[i]
                on_roll = &memory[2 + c, 0]
                for i in range(s):
                    on_roll[i] = state.equity[i * sides + s]
                for i in range(s, sides):
                    on_roll[i] = _keep(states, state, i * sides + s, total - sums[i] / WAYS)
            # Side s waits. After the play of side i to i' < i, side s is on roll: [i', s] has just been filled.
            for c in range(count):
                state = &states[c]
                own = &memory[2 + state.after, 0]
                for i in range(s + 1, sides):
                    rolled = 0
                    for r in range(ROLL_COUNT):
                        weight = 1 if ROLLS[r][0] == ROLLS[r][1] else 2
                        play = &plays[begins[i, r]]
                        end = &plays[begins[i, r + 1]]
                        low = own[play[0]]
                        while play < end:
                            low = min(
                                low, min(min(own[play[0]], own[play[1]]), min(own[play[2]], own[play[3]])))
                            play += GROUP
                        rolled += weight * low
                    _keep(states, state, s * sides + i, total - rolled / WAYS)


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
    """Return the number of the mover's side, whose checkers are all at home, wherever the opponent's are."""
    cdef int q, count = 0
    cdef int32_t number = 0
    for q in range(POINTS, 0, -1):
        count += max(board[q], 0)
        number += PLACE[q][count]
    return number


def fill_side_numbers(const int8_t[:, ::1] boards, int checkers, int32_t[:, ::1] out):
    """Write the numbers of the mover's side and of the opponent's; return the first row not covered, or -1."""
    cdef Sides sides
    cdef Board board
    cdef int64_t i, bad = -1
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])   # memory that may change at any time
            if not read_sides(board.point, checkers, &sides):
                bad = i
                break
            out[i, 0] = sides.number[0]
            out[i, 1] = sides.number[1]
    return bad


def fill_covered(const int8_t[:, ::1] boards, int checkers, int most, int8_t[::1] out):
    """Write 1 for the boards with both sides at home, 0 to `most` checkers left of `checkers`; 0 for others."""
    cdef Sides sides
    cdef Board board
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            out[i] = (
                read_sides(board.point, checkers, &sides) and sides.count[0] <= most and sides.count[1] <= most
            )


cdef void sides_probabilities(
    const BearoffDatabases *databases, const Sides *sides, int checkers, Probabilities *out,
) noexcept nogil:
    cdef const double *own = databases.rolls + <int64_t> sides.number[0] * ROLLS_ROOM
    cdef const double *other = databases.rolls + <int64_t> sides.number[1] * ROLLS_ROOM
    cdef double win = 0, tail = 0
    cdef int t
    if two_sided_has(databases, sides):
        win = databases.wins[<int64_t> sides.number[1] * databases.sides + sides.number[0]]
    else:
        # The mover needs t rolls, the opponent t or more, as the mover rolls first.
        for t in range(ROLLS_ROOM - 1, -1, -1):
            tail += other[t]
            win += own[t] * tail
    out.win = win
    # When the mover is off with roll t, the opponent has had t - 1 rolls: a gammon if the first checker needs t or
    # more.
    out.win_gammon = 0
    if sides.count[1] == checkers:
        out.win_gammon = min(win, _joint(own, databases.firsts + <int64_t> sides.number[1] * FIRST_ROOM, 0))
    # When the opponent is off with roll t, the mover has had t: a gammon if the first one needs more.
    out.lose_gammon = 0
    if sides.count[0] == checkers:
        out.lose_gammon = min(1 - win, _joint(other, databases.firsts + <int64_t> sides.number[0] * FIRST_ROOM, 1))
    # The loser's checkers are all at home: none is in the winner's.
    out.win_backgammon = out.lose_backgammon = 0


def fill_probabilities(
    const int8_t[:, ::1] boards, int checkers, const double[:, ::1] rolls, const double[:, ::1] firsts,
    const double[:, ::1] wins, double[:, ::1] out,
):
    """Write the five probabilities of each board; return the first row that is not covered, or -1."""
    cdef BearoffDatabases databases = BearoffDatabases(
        &rolls[0, 0], &firsts[0, 0], &wins[0, 0], <int32_t> wins.shape[0])
    cdef Sides sides
    cdef Board board
    cdef int64_t i, bad = -1
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])   # memory that may change at any time
            if not read_sides(board.point, checkers, &sides):
                bad = i
                break
            sides_probabilities(&databases, &sides, checkers, <Probabilities *> &out[i, 0])
    return bad


cdef inline double _joint(const double *rolls, const double *first, int more) noexcept nogil:
    """The probability that t rolls are needed, and the other side's first checker needs t + `more` or more."""
    cdef double tail = 0, total = 0
    cdef int t
    for t in range(FIRST_ROOM - 1, more - 1, -1):
        tail += first[t]
        total += rolls[t - more] * tail
    return total
