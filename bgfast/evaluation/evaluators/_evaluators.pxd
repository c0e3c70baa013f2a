"""Native evaluators: evaluation and choice of plays without Python."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.evaluation._cubeful cimport (
    EfficiencyModel, Stakes, cube_efficiency, stakes_double, stakes_double_drop, stakes_double_take, stakes_equity,
    stakes_may_double, stakes_of_points, stakes_value,
)
from bgfast.core.board cimport Board, GameRules
from bgfast.core.probabilities cimport Evaluation, Probabilities


cdef class NativeEvaluator:
    cdef bint uses_random             # True if `choose` uses `random`
    cdef readonly bint returns_points   # True if `evaluation` is in points and agrees with `__call__`

    # Returns the mover's equity in points at cube 1; `is_race` if there was no contact before the last play.
    cdef double equity(self, const Board *board, bint is_race) noexcept nogil

    # Returns the first of the n successors in `rows` (next player's side) with the lowest equity for the
    # next player; finished games count as their points. `random` is the state of the decision's random stream.
    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, const GameRules *game,
        uint64_t random) noexcept nogil

    # Evaluates an unfinished board for the player on roll. Evaluators with probabilities
    # override this method and `best_evaluations`.
    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil

    # Writes for each roll the evaluation of the first successor (next player's side) with the lowest
    # equity for the next player; finished games count as their points. `rows` has sizes[i] > 0 rows for roll i.
    cdef void best_evaluations(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls,
        const GameRules *game, Evaluation *out) noexcept nogil

    # Like `choose`, but by cubeful equities (EMG) with the efficiency of `model`. `stakes`, never NULL, are
    # the next player's. The default ignores the cube; evaluators with probabilities override it.
    cdef int64_t choose_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows, int64_t n,
        const GameRules *game, uint64_t random) noexcept nogil


cdef inline double equity_at(
    const Stakes *stakes, EfficiencyModel model, const Board *board, const Probabilities *probabilities,
) noexcept nogil:
    """Return the cubeful equity (EMG) of an unfinished board for the player on roll."""
    return stakes_equity(stakes, stakes_value(
        stakes, &probabilities.win, cube_efficiency(model, stakes, board, probabilities)))


cdef inline double equity_with_double_at(
    const Stakes *stakes, EfficiencyModel model, const Board *board, const Probabilities *probabilities,
    double equity,
) noexcept nogil:
    """Return the larger of `equity`, before a double, and the equity after a double, if one is allowed."""
    cdef Stakes doubled
    cdef double take
    if not stakes_may_double(stakes):
        return equity
    stakes_double(stakes, &doubled)
    take = stakes_double_take(stakes, &probabilities.win, cube_efficiency(model, &doubled, board, probabilities))
    return max(equity, stakes_equity(stakes, min(take, stakes_double_drop(stakes))))


cdef inline double equity_of_points_at(const Stakes *stakes, int points) noexcept nogil:
    """Return the equity of a finished game: its points if `stakes` is NULL."""
    return points if stakes == NULL else stakes_equity(stakes, stakes_of_points(stakes, points))


# Returns the state of the random stream for `choose` at ply `ply` of a trial.
cdef uint64_t decision_state(uint64_t seed, int64_t trial, int64_t ply) noexcept nogil
