# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""What a network learns from, made in the core: positions of a player's own games, and what they are worth.

The same for any number of threads: each game has random numbers of its own.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from bgfast.evaluation.evaluators._evaluators cimport BuiltIn
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
    # Plays are by lot in stretches, so that games go on without any long enough to show where that has led to.
    STRETCH = 96       # plies of a game of which the first have plays by lot,
    BY_LOT_PLIES = 32  # so many
    STAGGER = 7        # plies: each game is so far behind the one before
    ALL_ROLLS_BYTES = ROLL_COUNT * ROWS_BYTES


@cython.final
cdef class _Games(Task):
    """Games of a player against itself, side by side."""

    cdef BuiltIn player
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
    BuiltIn player not None, const int8_t[::1] start not None, boards, int64_t first_ply, int64_t plies,
    uint64_t seed, double noise, int64_t threads,
):
    """Let a player go on with games against itself.

    For 32 plies a share `noise` of the plays is by lot among all legal ones; then come 64 plies
    without such plays.

    Parameters
    ----------
    start : int8 array (26,)
        Where a game begins when the one before has ended.
    boards : int8 array (games, 26)
        Where the games are.
    first_ply : int
        How many plies they have played, each with dice of its own.
    plies : int
        How many they play now.

    Returns
    -------
    boards, met, points : int8 arrays (games, 26), (plies, games, 26), (plies, games)
        Where the games are then; the positions before each ply; what that ply has won, 0 if the game goes on.
    by_lot : bool array (plies, games)
        Whether that ply's play was by lot.
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
    """Unfinished boards, and what they are worth a ply later."""

    cdef BuiltIn player
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


def exact_targets(BuiltIn player not None, boards, int64_t threads):
    """Return what unfinished boards are worth by a player with probabilities, looking one ply ahead.

    That is the mean over the 21 rolls of what the best reply is worth: float32 (n, 5), for the player on roll.
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
    """Add to what positions are worth a ply later by how much those after them were judged wrong.

    That is the return of TD(lambda) without the luck of the dice: of what happens on the way from a position
    to the next, luck is what that one is judged, less what the first is worth a ply later; its mean is 0.
    What is left of the game's course is how much each position behind is worth more a ply later than it is
    judged.

    Parameters
    ----------
    targets : float32 array (n, 5)
        What each is worth a ply later; changed.
    said : float32 array (n, 5)
        What it is judged at sight.
    cut : bool array (n,)
        Whether the next one is not what came of the best play.
    trace : float
        Lambda: by how much a position counts less than the one before it.
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
