# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Trials of a rollout played to their end one by one, without the GIL, by an evaluator of the core."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

from bgfast.analysis._evaluators cimport BuiltIn, decision_state
from bgfast.analysis._rollout_dice cimport Dice, dice_begin, dice_roll
from bgfast.common._threads cimport Task, range_length, run, worthwhile
from bgfast.core.board cimport BOARD_SIZE, Board, board_flip, board_read
from bgfast.core.generator cimport ROWS_BYTES, generate
from bgfast.core.outcome cimport WinScheme, board_outcome
from bgfast.core.rules cimport HeldRules, Rules

cdef enum:
    SMALLEST_SHARE = 16   # games worth waking a thread
    RANGE = 64


@cython.final
cdef class Trials(Task):
    """Games from each of some boards, the player on roll the mover, each with the same dice."""

    cdef const int8_t[:, ::1] boards
    cdef BuiltIn player
    cdef WinScheme scheme
    cdef int checkers
    cdef int64_t most_plies
    cdef Dice dice
    cdef list held
    cdef const Rules **rules   # of each slot
    cdef int8_t *rows          # memory of each slot, one behind the other
    cdef int threads
    cdef int64_t first_trial
    cdef int8_t[:, ::1] points
    cdef int32_t[:, ::1] plies

    def __init__(
        self, switches, const int8_t[:, ::1] boards not None, BuiltIn player not None, WinScheme scheme,
        int checkers, uint64_t seed, bint quasi_random, int64_t most_plies, int threads,
    ):
        self.boards = boards
        self.player = player
        self.scheme = scheme
        self.checkers = checkers
        self.most_plies = most_plies
        dice_begin(&self.dice, seed, quasi_random)
        self.threads = threads
        self.held = [HeldRules(switches) for _ in range(threads)]
        self.rules = <const Rules **> PyMem_Malloc(threads * sizeof(self.rules[0]))
        self.rows = <int8_t *> PyMem_Malloc(threads * ROWS_BYTES)
        if self.rules == NULL or self.rows == NULL:
            raise MemoryError
        for slot in range(threads):
            self.rules[slot] = (<HeldRules> self.held[slot]).get()

    def __dealloc__(self):
        PyMem_Free(self.rules)
        PyMem_Free(self.rows)

    def play(self, int64_t first_trial, int8_t[:, ::1] points not None, int32_t[:, ::1] plies not None):
        """Write what each game of each board is worth for its player on roll, and how many plies it took.

        Games that are not over after `most_plies` have 0 points.
        """
        cdef int64_t games = points.shape[0] * points.shape[1]
        cdef int threads = worthwhile(games, SMALLEST_SHARE, self.threads)
        self.first_trial = first_trial
        self.points = points
        self.plies = plies
        run(self, games, range_length(games, RANGE, threads), threads)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t trials = self.points.shape[1]
        cdef int64_t i
        for i in range(first, last):
            self._play(slot, i // trials, i % trials)
        return True

    cdef void _play(self, int slot, int64_t candidate, int64_t trial) noexcept nogil:
        cdef const Rules *rules = self.rules[slot]
        cdef int8_t *rows = self.rows + slot * ROWS_BYTES
        cdef Board board, flipped
        cdef int8_t roll[2]
        cdef int64_t ply, chosen
        cdef int64_t number = self.first_trial + trial
        cdef int n, outcome
        board_read(&board, &self.boards[candidate, 0])
        for ply in range(self.most_plies):
            dice_roll(&self.dice, number, ply, roll)
            n = generate(rules, &board, roll[0], roll[1], rows, NULL, True)
            if n == 0:
                board_flip(&board, &flipped)   # a pass
                board = flipped
                continue
            chosen = 0
            if n > 1:
                chosen = self.player.choose(
                    &board, rows, n, self.scheme, self.checkers, decision_state(self.dice.seed, number, ply))
            board_read(&board, rows + chosen * BOARD_SIZE)
            outcome = board_outcome(&board, self.scheme, self.checkers)
            if outcome:
                # The next player has lost: who has just played is the player on roll at the start in even plies.
                self.points[candidate, trial] = <int8_t> (outcome if ply % 2 else -outcome)
                self.plies[candidate, trial] = <int32_t> (ply + 1)
                return
        self.points[candidate, trial] = 0
        self.plies[candidate, trial] = <int32_t> self.most_plies
