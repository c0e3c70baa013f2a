# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Self-play positions and their targets.

Results are the same for any number of threads: each game has random numbers of its own.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.batch._request cimport BoardTask, read_board
from bgfast.common._threads cimport Task, goes_on, run
from bgfast.core.board.board cimport BOARD_SIZE, CHECKERS, Board, board_flip, board_read
from bgfast.core.board.probabilities cimport (
    PROBABILITIES, Evaluation, Probabilities, probabilities_add, probabilities_divide, probabilities_flipped,
    probabilities_to_floats,
)
from bgfast.core.board.random_stream cimport (
    TRAINING_DICE, stream_at, stream_below, stream_die, stream_uniform,
)
from bgfast.core.board.result cimport WIN_STANDARD, board_result
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.generator cimport ROWS_BYTES, generate

import numpy as np

from bgfast.errors import BgfastError

cdef enum:
    GAMES_AT_ONCE = 8
    # Random plays come in stretches, so that enough plies without them show where they have led.
    STRETCH = 96       # plies, of which the first BY_LOT_PLIES may have random plays
    BY_LOT_PLIES = 32
    STAGGER = 7        # plies between the stretches of successive games
    ALL_ROLLS_BYTES = ROLL_COUNT * ROWS_BYTES


@cython.final
cdef class _Games(Task):
    """Games of a player against itself, in lockstep."""

    cdef NativeEvaluator player
    cdef const int8_t[::1] start
    cdef int8_t[:, ::1] boards
    cdef int8_t[:, :, ::1] met
    cdef int8_t[:, ::1] points
    cdef uint8_t[:, ::1] by_lot
    cdef uint64_t seed
    cdef int64_t first_ply
    cdef double noise
    cdef int8_t *rows   # of each slot

    def __cinit__(self, int64_t threads):
        self.rows = <int8_t *> PyMem_Malloc(threads * ROWS_BYTES)
        if self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.rows)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t game, ply
        for game in range(first, last):
            for ply in range(self.met.shape[0]):
                self._ply(slot, game, ply)
            if not goes_on():
                return False
        return True

    cdef void _ply(self, int slot, int64_t game, int64_t ply) noexcept nogil:
        cdef int8_t *rows = self.rows + slot * ROWS_BYTES
        cdef uint64_t state = stream_at(
            self.seed, TRAINING_DICE, <uint64_t> game, <uint64_t> (self.first_ply + ply))
        cdef int first = stream_die(&state), second = stream_die(&state)
        cdef bint by_lot = (
            (self.first_ply + ply + STAGGER * game) % STRETCH < BY_LOT_PLIES
            and stream_uniform(&state) < self.noise)
        cdef Board board, after
        cdef int64_t chosen = 0
        cdef int n, result
        memcpy(&self.met[ply, game, 0], &self.boards[game, 0], BOARD_SIZE)
        self.by_lot[ply, game] = by_lot
        board_read(&board, &self.boards[game, 0])
        n = generate(NULL, &board, first, second, rows, NULL, True)
        if n == 0:
            board_flip(&board, &after)
        else:
            if by_lot:
                chosen = <int64_t> stream_below(&state, n)
            elif n > 1:
                chosen = self.player.choose(&board, rows, n, WIN_STANDARD, CHECKERS, 0)
            board_read(&after, rows + chosen * BOARD_SIZE)
        result = board_result(&after, WIN_STANDARD, CHECKERS)
        self.points[ply, game] = <int8_t> -result
        memcpy(&self.boards[game, 0], &self.start[0] if result else after.point, BOARD_SIZE)


def play_on(
    NativeEvaluator player not None, const int8_t[::1] start not None, boards, int64_t first_ply, int64_t plies,
    uint64_t seed, double noise, int64_t threads,
):
    """Continue games of a player against itself.

    For 32 plies a share `noise` of the plays is random among the legal ones; then come 64 plies without
    random plays.

    Parameters
    ----------
    start : int8 array (26,)
        Starting position of games.
    boards : int8 array (games, 26)
        Current positions.
    first_ply : int
        Number of plies played before.
    plies : int
        Number of plies to play.

    Returns
    -------
    boards, met, points : int8 arrays (games, 26), (plies, games, 26), (plies, games)
        Positions after the last ply; positions before each ply; points won by each ply, 0 if the game continues.
    by_lot : bool array (plies, games)
        True if that ply's play was random.
    """
    cdef _Games work = _Games(threads)
    after = np.array(boards, np.int8, order="C")
    if start.shape[0] != BOARD_SIZE or after.ndim != 2 or after.shape[1] != BOARD_SIZE or plies < 0:
        raise BgfastError(
            f"a start and boards of shapes {np.shape(start)} and {after.shape}; expected ({BOARD_SIZE},) and "
            f"(n, {BOARD_SIZE})")
    met = np.empty((plies, len(after), BOARD_SIZE), np.int8)
    points, by_lot = (np.empty((plies, len(after)), dtype) for dtype in (np.int8, np.bool_))
    work.player, work.start, work.boards, work.met, work.points = player, start, after, met, points
    work.by_lot = by_lot.view(np.uint8)
    work.seed, work.first_ply, work.noise = seed, first_ply, noise
    if plies:
        run(work, len(after), GAMES_AT_ONCE, <int> threads)
    return after, met, points, by_lot


@cython.final
cdef class _Targets(BoardTask):
    """Unfinished boards and their 1-ply probabilities."""

    cdef NativeEvaluator player
    cdef float[:, ::1] out
    cdef int8_t *rows   # of each slot: those of all rolls

    def __dealloc__(self):
        PyMem_Free(self.rows)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef int64_t i
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            self._target(&board, self.rows + slot * ALL_ROLLS_BYTES, &self.out[i, 0])
        return True

    cdef void _target(self, const Board *board, int8_t *rows, float *out) noexcept nogil:
        cdef Evaluation[ROLL_COUNT] later
        cdef int64_t[ROLL_COUNT] sizes
        cdef Probabilities mean = Probabilities(0, 0, 0, 0, 0), flipped
        cdef Board after
        cdef int64_t size = 0
        cdef int roll
        for roll in range(ROLL_COUNT):
            sizes[roll] = generate(
                NULL, board, ROLLS[roll][0], ROLLS[roll][1], rows + size * BOARD_SIZE, NULL, True)
            if sizes[roll] == 0:   # a pass
                board_flip(board, &after)
                memcpy(rows + size * BOARD_SIZE, after.point, BOARD_SIZE)
                sizes[roll] = 1
            size += sizes[roll]
        self.player.best_evaluations(board, rows, sizes, ROLL_COUNT, WIN_STANDARD, CHECKERS, later)
        for roll in range(ROLL_COUNT):
            flipped = probabilities_flipped(&later[roll].probabilities)
            probabilities_add(&mean, &flipped, 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2)
        probabilities_divide(&mean, 36)
        probabilities_to_floats(&mean, out)


def exact_targets(NativeEvaluator player not None, boards, int64_t threads):
    """Return the 1-ply probabilities of unfinished boards, float32 (n, 5), for the player on roll.

    They are the mean over the 21 rolls of the evaluation of the best reply.
    """
    cdef _Targets work = _Targets()
    out = np.empty((len(boards), PROBABILITIES), np.float32)
    work.player, work.out = player, out
    work.take(boards, CHECKERS, 1, threads)
    work.rows = <int8_t *> PyMem_Malloc(work.threads * ALL_ROLLS_BYTES)
    if work.rows == NULL:
        raise MemoryError
    work.share(4)
    return out


def add_later_errors(
    float[:, ::1] targets not None, const float[:, ::1] said not None, cut, double trace,
):
    """Add the evaluation errors of later positions to 1-ply targets.

    That is the return of TD(lambda) without the luck of the dice. Luck is the evaluation of the next position
    less the 1-ply value of this one; its mean is 0. What remains is the sum of the differences between 1-ply
    value and evaluation of the later positions.

    Parameters
    ----------
    targets : float32 array (n, 5)
        1-ply values; changed in place.
    said : float32 array (n, 5)
        Evaluations at 0 plies.
    cut : bool array (n,)
        True if the next position does not follow from the best play.
    trace : float
        Lambda: the weight of a position relative to the one before it.
    """
    cdef const uint8_t[::1] ends = np.ascontiguousarray(cut, np.bool_).view(np.uint8)
    cdef int64_t i, n = targets.shape[0]
    cdef double[PROBABILITIES] later = [0, 0, 0, 0, 0]
    cdef double error
    cdef int j
    if said.shape[0] != n or ends.shape[0] != n or targets.shape[1] != PROBABILITIES or (
            said.shape[1] != PROBABILITIES):
        raise BgfastError(
            f"targets, what was said and cuts of shapes {np.shape(targets)}, {np.shape(said)} and "
            f"{np.shape(ends)}; expected (n, {PROBABILITIES}) twice and (n,)")
    for i in reversed(range(n)):
        if ends[i]:
            for j in range(PROBABILITIES):
                later[j] = 0
        else:
            # What the opponent wins more is won less; gammons change sides.
            later[0], later[1], later[2], later[3], later[4] = (
                -later[0], later[3], later[4], later[1], later[2])
        for j in range(PROBABILITIES):
            error = targets[i, j] - said[i, j]
            targets[i, j] += <float> (trace * later[j])
            later[j] = error + trace * later[j]
