# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Trials of a rollout played one by one, without the GIL, by evaluators of the core."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport isnan
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.analysis._evaluators cimport VECTOR, BuiltIn, decision_state, vector_of_points, vector_turned
from bgfast.analysis._rollout_dice cimport Dice, dice_begin, dice_roll
from bgfast.common._threads cimport Task, range_length, run, worthwhile
from bgfast.core.board cimport BOARD_SIZE, Board, board_equal, board_flip, board_hash, board_read
from bgfast.core.generator cimport MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, ROWS_BYTES, SLACK_ROWS, generate
from bgfast.core.outcome cimport WinScheme, board_outcome
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.rules cimport HeldRules, Rules

cdef enum:
    SMALLEST_SHARE = 16   # games worth waking a thread
    RANGE = 8    # two threads are done at about the same time, even in blocks of 1,296 games
    LUCK_RANGE = 2   # games take some 25 times as long where luck is judged
    ORDERED_ROLLS = 36
    KEPT_PLIES = 3   # the first ones, of which many games have the same board
    KEPT = 1024      # such boards, a power of two


cdef struct Kept:
    Board board                      # zeros, which are none, at first
    bint judged
    double[ROLL_COUNT][VECTOR] luck  # of each roll, if `judged`
    uint64_t played                  # bit by bit: for which of the 36 rolls it is known what `after` is
    Board[ORDERED_ROLLS] after       # the next player's board


@cython.final
cdef class Trials(Task):
    """Games from each of some boards, the player on roll the mover, each with the same dice.

    After `most_plies` games end; with `judge` they count what it makes of them then. `luck_judge` says how lucky
    each roll was.
    """

    cdef const int8_t[:, ::1] boards
    cdef BuiltIn player
    cdef BuiltIn judge        # or None
    cdef BuiltIn luck_judge   # or None
    cdef WinScheme scheme
    cdef int checkers
    cdef int64_t most_plies
    cdef Dice dice
    cdef int64_t[7][7] roll_number   # by the two dice, in either order
    cdef list held
    cdef const Rules **rules   # of each slot
    cdef int8_t *rows          # memory of each slot, one behind the other
    cdef int64_t rows_bytes    # of a slot
    cdef Kept *kept            # of each slot: what it has met before, to be met again
    cdef int64_t kept_plies
    cdef int threads
    cdef int64_t first_trial
    cdef int8_t[:, ::1] points
    cdef int32_t[:, ::1] plies
    cdef double[:, :, ::1] adjusted   # or None

    def __init__(
        self, switches, const int8_t[:, ::1] boards not None, BuiltIn player not None, BuiltIn judge,
        BuiltIn luck_judge, WinScheme scheme, int checkers, uint64_t seed, bint quasi_random, int64_t most_plies,
        int threads,
    ):
        cdef int roll
        self.boards = boards
        self.player = player
        self.judge = judge
        self.luck_judge = luck_judge
        self.scheme = scheme
        self.checkers = checkers
        self.most_plies = most_plies
        dice_begin(&self.dice, seed, quasi_random)
        self.rows_bytes = ROWS_BYTES
        if luck_judge is not None:   # the rows of all rolls
            self.rows_bytes = (6 * MAX_SUCCESSORS + 15 * MAX_SUCCESSORS_TWO_DICE + SLACK_ROWS) * BOARD_SIZE
        for roll in range(ROLL_COUNT):
            self.roll_number[ROLLS[roll][0]][ROLLS[roll][1]] = roll
            self.roll_number[ROLLS[roll][1]][ROLLS[roll][0]] = roll
        self.threads = threads
        self.held = [HeldRules(switches) for _ in range(threads)]
        self.rules = <const Rules **> PyMem_Malloc(threads * sizeof(self.rules[0]))
        self.rows = <int8_t *> PyMem_Malloc(threads * self.rows_bytes)
        self.kept_plies = 0 if player.draws_lots and luck_judge is None else KEPT_PLIES
        self.kept = <Kept *> PyMem_Calloc(threads * KEPT, sizeof(Kept))
        if self.rules == NULL or self.rows == NULL or self.kept == NULL:
            raise MemoryError
        for slot in range(threads):
            self.rules[slot] = (<HeldRules> self.held[slot]).get()

    def __dealloc__(self):
        PyMem_Free(self.rules)
        PyMem_Free(self.rows)
        PyMem_Free(self.kept)

    def play(
        self, int64_t first_trial, int8_t[:, ::1] points not None, int32_t[:, ::1] plies not None,
        double[:, :, ::1] adjusted,
    ):
        """Write what each game of each board is worth for its player on roll, and how many plies it took.

        Games that are not over after `most_plies` have 0 points. `adjusted`, needed with judges, takes the five
        probabilities and the equity that a game counts for.
        """
        cdef int64_t games = points.shape[0] * points.shape[1]
        cdef int threads = worthwhile(games, SMALLEST_SHARE, self.threads)
        self.first_trial = first_trial
        self.points = points
        self.plies = plies
        self.adjusted = adjusted
        run(self, games, range_length(games, RANGE if self.luck_judge is None else LUCK_RANGE, threads), threads)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t trials = self.points.shape[1]
        cdef int64_t i
        for i in range(first, last):
            self._play(slot, i // trials, i % trials)
        return True

    cdef void _play(self, int slot, int64_t candidate, int64_t trial) noexcept nogil:
        cdef Board board
        cdef Kept *kept
        cdef int8_t roll[2]
        cdef double[VECTOR] luck
        cdef int64_t ply = 0
        cdef int64_t number = self.first_trial + trial
        cdef int i, outcome = 0
        for i in range(VECTOR):
            luck[i] = 0
        board_read(&board, &self.boards[candidate, 0])
        for ply in range(self.most_plies):
            dice_roll(&self.dice, number, ply, roll)
            kept = self._kept(slot, &board) if ply < self.kept_plies else NULL
            if self.luck_judge is not None:
                self._count_luck(slot, &board, kept, ply, self.roll_number[roll[0]][roll[1]], luck)
            self._turn(slot, &board, kept, roll[0], roll[1], number, ply)
            outcome = board_outcome(&board, self.scheme, self.checkers)
            if outcome:
                # The next player has lost: who has just played is the player on roll at the start in even plies.
                outcome = outcome if ply % 2 else -outcome
                break
        self.points[candidate, trial] = <int8_t> outcome
        self.plies[candidate, trial] = <int32_t> (ply + 1)
        if self.adjusted is not None:
            self._adjust(&board, outcome, luck, &self.adjusted[candidate, trial, 0])

    cdef Kept *_kept(self, int slot, const Board *board) noexcept nogil:
        """What is kept for a board; nothing yet if it is another one's place."""
        cdef Kept *kept = self.kept + slot * KEPT + board_hash(board) % KEPT
        if not board_equal(&kept.board, board):
            kept.board = board[0]
            kept.judged = False
            kept.played = 0
        return kept

    cdef void _turn(
        self, int slot, Board *board, Kept *kept, int die1, int die2, int64_t number, int64_t ply,
    ) noexcept nogil:
        """Play a roll: the board is the next player's then."""
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int roll = 6 * (die1 - 1) + die2 - 1
        cdef Board before
        cdef int64_t chosen = 0
        cdef int n
        if kept != NULL and (kept.played >> roll) & 1:
            board[0] = kept.after[roll]
            return
        n = generate(self.rules[slot], board, die1, die2, rows, NULL, True)
        if n == 0:
            before = board[0]
            board_flip(&before, board)   # a pass
        else:
            if n > 1:
                chosen = self.player.choose(
                    board, rows, n, self.scheme, self.checkers, decision_state(self.dice.seed, number, ply))
            board_read(board, rows + chosen * BOARD_SIZE)
        if kept != NULL and not self.player.draws_lots:
            kept.after[roll] = board[0]
            kept.played |= <uint64_t> 1 << roll

    cdef void _count_luck(
        self, int slot, const Board *board, Kept *kept, int64_t ply, int64_t drawn, double *luck,
    ) noexcept nogil:
        """Add how lucky the roll is for the player on roll at the start."""
        cdef double[ROLL_COUNT][VECTOR] found
        cdef double[VECTOR] turned
        cdef const double *more
        cdef int i
        if kept == NULL:
            self._judge_luck(slot, board, found)
            more = found[drawn]
        else:
            if not kept.judged:
                self._judge_luck(slot, board, kept.luck)
                kept.judged = True
            more = kept.luck[drawn]
        # It is for the next player, who is the player on roll at the start after odd plies.
        vector_turned(more, 0, turned)
        for i in range(VECTOR):
            luck[i] += more[i] if ply % 2 else turned[i]

    cdef void _judge_luck(self, int slot, const Board *board, double[VECTOR] *luck) noexcept nogil:
        """Write what each roll is worth more than the mean of all, each played best, for the next player."""
        cdef int64_t[ROLL_COUNT] sizes
        cdef double[VECTOR] mean
        cdef Board flipped
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int8_t *to = rows
        cdef int64_t roll
        cdef int weight, i
        for roll in range(ROLL_COUNT):
            sizes[roll] = generate(self.rules[slot], board, ROLLS[roll][0], ROLLS[roll][1], to, NULL, True)
            if sizes[roll] == 0:
                board_flip(board, &flipped)   # a pass
                memcpy(to, flipped.point, BOARD_SIZE)
                sizes[roll] = 1
            to += sizes[roll] * BOARD_SIZE
        self.luck_judge.least(board, rows, sizes, ROLL_COUNT, self.scheme, self.checkers, &luck[0][0])
        for i in range(VECTOR):
            mean[i] = 0
        for roll in range(ROLL_COUNT):
            weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2
            for i in range(VECTOR):
                mean[i] += weight * luck[roll][i] / ORDERED_ROLLS
        for roll in range(ROLL_COUNT):
            for i in range(VECTOR):
                luck[roll][i] -= mean[i]

    cdef void _adjust(self, const Board *board, int outcome, const double *luck, double *out) noexcept nogil:
        """Write what a game counts for that has ended with these points, or with this board."""
        cdef double[VECTOR] end
        cdef int i
        if outcome or self.judge is None:
            vector_of_points(outcome, end)
        else:
            self.judge.vector(board, self.checkers, end)
            if self.most_plies % 2:
                vector_turned(end, 1, out)
                memcpy(end, out, sizeof(end))
        for i in range(VECTOR):
            # A judge of equities says nothing of probabilities: these stay as they are.
            out[i] = end[i] if isnan(luck[i]) else end[i] - luck[i]
