"""Self-play positions and their targets.

Results are the same for any number of threads, since each game has its own random numbers.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.batch._successors cimport BoardTask, read_board
from bgfast.common._threads cimport Task, should_continue, run
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, STANDARD_GAME, WIN_STANDARD, Board, board_flip, board_read, board_result,
)
from bgfast.core.probabilities cimport (
    PROBABILITIES, Evaluation, Probabilities, probabilities_add, probabilities_divide, probabilities_flip,
    probabilities_to_floats,
)
from bgfast.core.random_stream cimport (
    TRAINING_DICE, stream_at, stream_below, stream_die, stream_uniform,
)
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.generator cimport ROWS_BYTES, generate

import numpy as np

cdef enum:
    GAMES_PER_TASK = 8
    # Random plays come at the start of each stretch; the rest has none, so that later errors can be observed.
    STRETCH = 96       # plies; only the first RANDOM_PLIES have random plays
    RANDOM_PLIES = 32
    STAGGER = 7        # plies by which the stretches of successive games are shifted
    ALL_ROLLS_BYTES = ROLL_COUNT * ROWS_BYTES


@cython.final
cdef class _Games(Task):
    """Self-play games, each continued by the same number of plies."""

    cdef NativeEvaluator policy
    cdef const int8_t[::1] start
    cdef int8_t[:, ::1] boards
    cdef int8_t[:, :, ::1] visited
    cdef int8_t[:, ::1] points
    cdef uint8_t[:, ::1] is_random
    cdef uint64_t seed
    cdef int64_t first_ply
    cdef double noise
    cdef int8_t *rows   # successors of one board, for each slot

    def __cinit__(self, int64_t threads):
        self.rows = <int8_t *> PyMem_Malloc(threads * ROWS_BYTES)
        if self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.rows)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t game, ply
        for game in range(first, last):
            for ply in range(self.visited.shape[0]):
                self._ply(slot, game, ply)
            if not should_continue():
                return False
        return True

    cdef void _ply(self, int slot, int64_t game, int64_t ply) noexcept nogil:
        cdef int8_t *rows = self.rows + slot * ROWS_BYTES
        cdef uint64_t state = stream_at(
            self.seed, TRAINING_DICE, <uint64_t> game, <uint64_t> (self.first_ply + ply))
        cdef int first = stream_die(&state), second = stream_die(&state)
        cdef bint is_random = (
            (self.first_ply + ply + STAGGER * game) % STRETCH < RANDOM_PLIES
            and stream_uniform(&state) < self.noise)
        cdef Board board, after
        cdef int64_t row = 0
        cdef int n, result
        memcpy(&self.visited[ply, game, 0], &self.boards[game, 0], BOARD_SIZE)
        self.is_random[ply, game] = is_random
        board_read(&board, &self.boards[game, 0])
        n = generate(NULL, &board, first, second, rows, NULL, True)
        if n == 0:
            board_flip(&board, &after)
        else:
            if is_random:
                row = <int64_t> stream_below(&state, n)
            elif n > 1:
                row = self.policy.choose(&board, rows, n, &STANDARD_GAME, 0)
            board_read(&after, rows + row * BOARD_SIZE)
        result = board_result(&after, WIN_STANDARD, CHECKERS)
        self.points[ply, game] = <int8_t> -result
        memcpy(&self.boards[game, 0], &self.start[0] if result else after.point, BOARD_SIZE)


def continue_games(
    NativeEvaluator policy not None, const int8_t[::1] start not None, boards, int64_t first_ply, int64_t plies,
    uint64_t seed, double noise, int64_t threads,
):
    """Play `plies` plies of self-play games after `first_ply` earlier plies.

    A share `noise` of the plays in the first 32 of every 96 plies is random. Finished games restart from `start`.

    Returns
    -------
    boards, visited, points : int8 arrays (games, 26), (plies, games, 26), (plies, games)
        Positions after the last ply; positions before each ply; points won by each ply, 0 if the game continues.
    is_random : bool array (plies, games)
        True if that ply's play was random.
    """
    cdef _Games task = _Games(threads)
    after = np.array(boards, np.int8, order="C")
    visited = np.empty((plies, len(after), BOARD_SIZE), np.int8)
    points, is_random = (np.empty((plies, len(after)), dtype) for dtype in (np.int8, np.bool_))
    task.policy, task.start, task.boards, task.visited, task.points = policy, start, after, visited, points
    task.is_random = is_random.view(np.uint8)
    task.seed, task.first_ply, task.noise = seed, first_ply, noise
    if plies:
        run(task, len(after), GAMES_PER_TASK, <int> threads)
    return after, visited, points, is_random


@cython.final
cdef class _Targets(BoardTask):
    """1-ply probabilities of unfinished boards."""

    cdef NativeEvaluator evaluator
    cdef float[:, ::1] out
    cdef int8_t *rows   # successors of one board with all rolls, for each slot

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
        cdef Evaluation[ROLL_COUNT] evaluations
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
        self.evaluator.best_evaluations(board, rows, sizes, ROLL_COUNT, &STANDARD_GAME, evaluations)
        for roll in range(ROLL_COUNT):
            flipped = probabilities_flip(&evaluations[roll].probabilities)
            probabilities_add(&mean, &flipped, 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2)
        probabilities_divide(&mean, 36)
        probabilities_to_floats(&mean, out)


def one_ply_targets(NativeEvaluator evaluator not None, boards, int64_t threads):
    """Return the 1-ply probabilities of unfinished boards for the player on roll, float32 (n, 5).

    The probabilities are means, over all rolls, of the evaluations after the best plays.
    """
    cdef _Targets task = _Targets()
    out = np.empty((len(boards), PROBABILITIES), np.float32)
    task.evaluator, task.out = evaluator, out
    task.take(boards, CHECKERS, 1, threads)
    task.rows = <int8_t *> PyMem_Malloc(task.threads * ALL_ROLLS_BYTES)
    if task.rows == NULL:
        raise MemoryError
    task.share(4)
    return out


def add_later_errors(
    float[:, ::1] targets not None, const float[:, ::1] evaluations not None, cut, double trace,
):
    """Add the evaluation errors of later positions to 1-ply targets.

    The result is the TD(lambda) return without the luck of the dice. Luck is the evaluation of the next position
    minus the 1-ply value of this one; its mean is 0. Without luck the return is the 1-ply value plus the errors
    (1-ply value minus evaluation) of the later positions, weighted by powers of lambda. The sum ends at a `cut`:
    a position that is not followed by the position after its best play.

    `targets` (n, 5) is changed in place; `evaluations` (n, 5) are at 0 plies; `trace` is lambda.
    """
    cdef const uint8_t[::1] ends = np.ascontiguousarray(cut, np.bool_).view(np.uint8)
    cdef int64_t i, n = targets.shape[0]
    cdef double[PROBABILITIES] later_errors = [0, 0, 0, 0, 0]
    cdef double error
    cdef int j
    for i in reversed(range(n)):
        if ends[i]:
            for j in range(PROBABILITIES):
                later_errors[j] = 0
        else:
            # Flip the errors to the other side.
            later_errors[0], later_errors[1], later_errors[2], later_errors[3], later_errors[4] = (
                -later_errors[0], later_errors[3], later_errors[4], later_errors[1], later_errors[2])
        for j in range(PROBABILITIES):
            error = targets[i, j] - evaluations[i, j]
            targets[i, j] += <float> (trace * later_errors[j])
            later_errors[j] = error + trace * later_errors[j]
