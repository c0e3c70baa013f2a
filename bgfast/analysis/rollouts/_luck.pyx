# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Luck of rolls: the evaluation after the best play of a roll, less the mean over all rolls."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy

from bgfast.evaluation._efficiency cimport EfficiencyModel
from bgfast.evaluation._stakes cimport Stakes
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.evaluation.evaluators._network cimport NetworkEvaluator
from bgfast.batch._request cimport BoardTask, read_board
from bgfast.core.board.board cimport BOARD_SIZE, CHECKERS, Board, board_flip
from bgfast.core.board.probabilities cimport Evaluation, Probabilities, evaluation_add, evaluation_gain
from bgfast.core.board.result cimport STANDARD_GAME, GameRules
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.generator cimport generate
from bgfast.core.generator.rules cimport Rules
from bgfast.core.network.network cimport BgNetAccumulators

import numpy as np

cdef enum:
    ORDERED_ROLLS = 36
    MIN_SHARE = 8   # positions per thread that repay its start: half a millisecond
    RANGE = 8


cdef void roll_evaluations(
    NativeEvaluator evaluator, const Rules *rules, const Board *board, int8_t *rows, const GameRules *game,
    Evaluation *out,
) noexcept nogil:
    cdef int64_t[ROLL_COUNT] sizes
    cdef Board flipped
    cdef int8_t *row = rows
    cdef int roll
    for roll in range(ROLL_COUNT):
        sizes[roll] = generate(rules, board, ROLLS[roll][0], ROLLS[roll][1], row, NULL, True)
        if sizes[roll] == 0:
            board_flip(board, &flipped)   # a pass
            memcpy(row, flipped.point, BOARD_SIZE)
            sizes[roll] = 1
        row += sizes[roll] * BOARD_SIZE
    evaluator.best_evaluations(board, rows, sizes, ROLL_COUNT, game, out)


cdef void subtract_mean(Evaluation *evaluations) noexcept nogil:
    cdef Evaluation mean = Evaluation(Probabilities(0, 0, 0, 0, 0), 0)
    cdef int roll
    for roll in range(ROLL_COUNT):
        evaluation_add(&mean, &evaluations[roll], 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2, ORDERED_ROLLS)
    for roll in range(ROLL_COUNT):
        evaluations[roll] = evaluation_gain(&evaluations[roll], &mean)


@cython.final
cdef class _LuckEvaluator(NetworkEvaluator):
    """Evaluator that chooses plays with one evaluator and evaluates them with another; not for Python code."""

    cdef NetworkEvaluator policy
    cdef NativeEvaluator evaluator

    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, const GameRules *game,
    ) noexcept nogil:
        return self.policy.choose_next(stakes, model, accumulators, before, rows, n, game)

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        self.evaluator.evaluation(board, game, out)


@cython.final
cdef class _Luck(BoardTask):
    """Task that computes the luck of a roll in every position."""

    cdef _LuckEvaluator luck_evaluator
    cdef const int8_t[:, ::1] dice
    cdef double[::1] out
    cdef int8_t *rows   # ALL_ROLLS_BYTES per slot

    def __dealloc__(self):
        PyMem_Free(self.rows)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Evaluation[ROLL_COUNT] luck
        cdef Board board
        cdef int64_t i
        cdef int high, low
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            roll_evaluations(
                self.luck_evaluator, NULL, &board, self.rows + slot * ALL_ROLLS_BYTES, &STANDARD_GAME, luck)
            subtract_mean(luck)
            high, low = max(self.dice[i, 0], self.dice[i, 1]), min(self.dice[i, 0], self.dice[i, 1])
            # Evaluations are those of the next player.
            self.out[i] = -luck[high * (high - 1) // 2 + low - 1].equity
        return True


def luck_of_rolls(
    NetworkEvaluator policy not None, NativeEvaluator evaluator not None, boards,
    const int8_t[:, ::1] dice not None, int64_t threads,
):
    """Return the luck of a roll in each position, in points for the player on roll, float64 of shape (n,).

    Rules are `standard`; dice are not validated. After every roll `policy` chooses the play, and `evaluator`
    evaluates the position after it.
    """
    cdef _Luck task = _Luck()
    luck = np.empty(len(boards), np.float64)
    task.luck_evaluator = _LuckEvaluator()
    task.luck_evaluator.policy, task.luck_evaluator.evaluator = policy, evaluator
    task.dice, task.out = dice, luck
    task.take(boards, CHECKERS, MIN_SHARE, threads)
    task.rows = <int8_t *> PyMem_Malloc(task.threads * ALL_ROLLS_BYTES)
    if task.rows == NULL:
        raise MemoryError
    task.share(RANGE)
    return luck
