"""Luck of rolls: the evaluation after the best play of a roll, less the mean over all rolls."""

from libc.stdint cimport int8_t

from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.core.board.board cimport Board
from bgfast.core.board.probabilities cimport Evaluation
from bgfast.core.board.result cimport GameRules
from bgfast.core.generator.rules cimport Rules

cdef enum:
    # Memory for the successors of all rolls: 6 * MAX_SUCCESSORS + 15 * MAX_SUCCESSORS_TWO_DICE + SLACK_ROWS.
    ALL_ROLLS_BYTES = (6 * 3060 + 15 * 240 + 8) * 26

# Writes the evaluations after the evaluator's plays of the 21 rolls, for the next player. `rows` is a buffer of
# ALL_ROLLS_BYTES.
cdef void roll_evaluations(
    NativeEvaluator evaluator, const Rules *rules, const Board *board, int8_t *rows, const GameRules *game,
    Evaluation *out) noexcept nogil

# Subtracts the mean over the 36 rolls from the evaluations of the 21.
cdef void subtract_mean(Evaluation *evaluations) noexcept nogil
