"""Evaluators that rollouts play with in the core: no Python between two plays."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.evaluation.cube._efficiency cimport EfficiencyModel, cube_efficiency
from bgfast.evaluation.cube._stakes cimport (
    Stakes, stakes_double_drop, stakes_double_take, stakes_doubled, stakes_may_double, stakes_normalized,
    stakes_of_points, stakes_value,
)
from bgfast.core.board.board cimport Board
from bgfast.core.board.result cimport WinScheme
from bgfast.core.board.probabilities cimport Evaluation, Probabilities


cdef class NativeEvaluator:
    cdef bint draws_lots        # whether `choose` looks at `random`
    cdef readonly bint tells_points   # whether `evaluation` says, in points, what a call of the evaluator returns

    # What a position is worth for the player on roll, in points at cube 1. `race` is whether contact had ended
    # before the play that led to it.
    cdef double equity(self, const Board *board, bint race) noexcept nogil

    # The row, of n that the plays from `before` lead to, that is worst for the next player, who is on roll in
    # them; of equal ones the first; a finished game by its points. `random` is a stream's state for this decision.
    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
        uint64_t random) noexcept nogil

    # What an unfinished board with so many checkers a side is worth for the player on roll. Who has probabilities
    # overrides it and `best_evaluations`.
    cdef void evaluation(self, const Board *board, int checkers, Evaluation *out) noexcept nogil

    # For each of some rolls the evaluation of the successor with the least equity for the next player, who is on
    # roll in them, the first of equal ones; finished games by their points. `rows` are those of one roll behind
    # those of the other, sizes[i] > 0 of them; evaluations go to `out`, one behind the other.
    cdef void best_evaluations(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls, WinScheme scheme,
        int checkers, Evaluation *out) noexcept nogil

    # The same three with cube and score. `stakes`, never NULL, are those of the player on roll: in rows the next
    # player. Equities are cubeful then, normalised (EMG), each board's with the efficiency that `model` finds.
    # Who tells probabilities overrides them; others choose, and say, what they do without a cube.
    cdef int64_t choose_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows, int64_t n,
        WinScheme scheme, int checkers, uint64_t random) noexcept nogil

    cdef void evaluation_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *board, int checkers,
        Evaluation *out) noexcept nogil

    cdef void best_evaluations_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows,
        const int64_t *sizes, int64_t rolls, WinScheme scheme, int checkers, Evaluation *out) noexcept nogil


cdef inline double equity_at(
    const Stakes *stakes, EfficiencyModel model, const Board *board, const Probabilities *probabilities,
) noexcept nogil:
    """The cubeful equity (EMG) of an unfinished board with these probabilities for the player on roll."""
    return stakes_normalized(stakes, stakes_value(
        stakes, probabilities, cube_efficiency(model, stakes, board, probabilities)))


cdef inline double equity_with_double_at(
    const Stakes *stakes, EfficiencyModel model, const Board *board, const Probabilities *probabilities,
    double equity,
) noexcept nogil:
    """The equity of a turn whose player may double first: that without a double, or with one if that is more."""
    cdef Stakes turned
    cdef double taken
    if not stakes_may_double(stakes):
        return equity
    stakes_doubled(stakes, &turned)
    taken = stakes_double_take(stakes, probabilities, cube_efficiency(model, &turned, board, probabilities))
    return max(equity, stakes_normalized(stakes, min(taken, stakes_double_drop(stakes))))


cdef inline double equity_of_points_at(const Stakes *stakes, int points) noexcept nogil:
    """That of a finished game: its points if `stakes` is NULL."""
    return points if stakes == NULL else stakes_normalized(stakes, stakes_of_points(stakes, points))


# A stream's state for `choose`: that of ply `ply` of a trial.
cdef uint64_t decision_state(uint64_t seed, int64_t trial, int64_t ply) noexcept nogil
