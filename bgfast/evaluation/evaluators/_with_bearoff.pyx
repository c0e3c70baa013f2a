"""Network with bear-off databases in the core.

The databases evaluate positions in which both sides bear off, the network all other positions. Successors of one
position may be of both kinds. In races, the network's errors are too large for a comparison with exact values: it
would lose about 0.040 points. Races with a checker outside home are therefore excluded if another successor has
all checkers at home, which loses about 0.002 points (docs/BEAROFF.md). Contact positions are compared.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t

from bgfast.evaluation.bearoff._bearoff cimport (
    BearoffDatabases, Sides, read_sides, sides_probabilities, two_sided_has,
)
from bgfast.evaluation._cubeful cimport EfficiencyModel, Stakes, gammon_weight
from bgfast.evaluation.evaluators._evaluators cimport equity_at, equity_of_points_at
from bgfast.evaluation.evaluators._network cimport CoreNetwork, NetworkEvaluator, best_by_network
from bgfast.core.board cimport (
    BOARD_SIZE, PHASE_BEAROFF, PHASE_CONTACT, PHASE_OVER, PHASE_RACE, Board, GameRules, board_phase, board_read,
    board_result,
)
from bgfast.core.network.network cimport (
    LANES, BgNet, BgNetAccumulators, network_equity, network_kernel,
)
from bgfast.core.probabilities cimport Evaluation, probabilities_equity, probabilities_of_floats
from bgfast.core.row cimport bg_greater, bg_load_board, bg_negate, bg_popcount

import numpy as np

from bgfast.errors import BgfastError

cdef enum:
    HOME = 6
    MAX_DICE = 4
    NOT_HOME = 0x7FFFF   # the opponent's bar and the points 1 to 18, outside the opponent's home


cdef inline bint _may_come_home(const Board *before) noexcept nogil:
    """Return whether all checkers of both sides may be at home after a play."""
    cdef uint32_t outside
    if bg_greater(bg_negate(bg_load_board(before.point)), 0) & NOT_HOME:
        return False
    outside = bg_greater(bg_load_board(before.point), 0) >> (HOME + 1)
    return outside == 0 or bg_popcount(outside) <= MAX_DICE


cdef Coverage database_evaluation(
    const BearoffDatabases *bearoff, const Board *board, const GameRules *game, Evaluation *out,
) noexcept nogil:
    cdef Sides sides
    if board_phase(board) != PHASE_BEAROFF or not read_sides(board.point, game.checkers, &sides):
        return NOT_COVERED
    if bearoff.rolls == NULL:   # `__new__` was called without `__init__`
        return NOT_COVERED
    sides_probabilities(bearoff, &sides, game.checkers, &out.probabilities)
    out.equity = probabilities_equity(&out.probabilities)
    # The table has no gammons, which are possible while a side has all its checkers.
    if two_sided_has(bearoff, &sides) and sides.count[0] < game.checkers and sides.count[1] < game.checkers:
        return EXACT
    return ONE_SIDED


cdef int64_t best_near_home(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, const BearoffDatabases *bearoff,
    const Board *before, const int8_t *rows, int64_t n, const GameRules *game, double *equity,
) noexcept nogil:
    cdef float[LANES] outputs
    cdef Evaluation evaluation
    cdef Board board
    cdef double row_equity, score, lowest = INFINITY, weight = 0 if stakes == NULL else gammon_weight(stakes)
    cdef bint is_covered = False
    cdef int phase, points
    cdef int64_t i, best = -1
    if not _may_come_home(before):
        return -1
    for i in range(n):
        board_read(&board, rows + i * BOARD_SIZE)
        if board_phase(&board) >= PHASE_BEAROFF:
            is_covered = True
            break
    if not is_covered:
        return -1
    equity[0] = INFINITY
    for i in range(n):
        board_read(&board, rows + i * BOARD_SIZE)
        phase = board_phase(&board)
        if phase == PHASE_OVER:
            points = board_result(&board, game.scheme, game.checkers)
            evaluation.equity = points
            row_equity = equity_of_points_at(stakes, points)
        else:
            if phase == PHASE_CONTACT:
                network_kernel().evaluate(nets, &board, 1, game, outputs)
                evaluation = Evaluation(probabilities_of_floats(outputs), network_equity(outputs))
            elif not database_evaluation(bearoff, &board, game, &evaluation):
                continue
            row_equity = evaluation.equity if stakes == NULL else equity_at(
                stakes, model, &board, &evaluation.probabilities)
        score = row_equity + weight * evaluation.equity
        if score < lowest:
            lowest = score
            equity[0] = row_equity
            best = i
    return best


cdef int64_t best_with_bearoff(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const BearoffDatabases *bearoff, const Board *before, const int8_t *rows, int64_t n, const GameRules *game,
    double *equity,
) noexcept nogil:
    cdef int64_t best = best_near_home(
        stakes, model, nets, bearoff, before, rows, n, game, equity)
    if best < 0:
        best = best_by_network(stakes, model, nets, accumulators, rows, n, game, equity)
    return best


cdef bint mark_excluded(const int8_t *rows, int64_t n, uint8_t *excluded) noexcept nogil:
    cdef Board board
    cdef bint any_home = False, any_outside = False
    cdef int phase
    cdef int64_t i
    for i in range(n):
        board_read(&board, rows + i * BOARD_SIZE)
        phase = board_phase(&board)
        excluded[i] = phase == PHASE_RACE
        any_outside |= phase == PHASE_RACE
        any_home |= phase >= PHASE_BEAROFF
    if any_home and any_outside:
        return True
    for i in range(n):
        excluded[i] = False
    return False


cdef class CoreWithBearoff(NetworkEvaluator):
    """Network with the arrays of the one-sided (`rolls`, `firsts`) and the two-sided database (`wins`)."""

    def __cinit__(self, *args, **options):
        self.returns_points = True
        self.network = CoreNetwork.__new__(CoreNetwork)   # empty until __init__

    def __init__(
        self, CoreNetwork network not None, const double[:, ::1] rolls, const double[:, ::1] firsts,
        const double[:, ::1] wins,
    ):
        if self.arrays is not None:   # another thread may be reading the arrays
            raise BgfastError("the evaluator has databases already; expected a new object for other databases")
        self.network = network
        self.arrays = rolls, firsts, wins
        self.bearoff = BearoffDatabases(&rolls[0, 0], &firsts[0, 0], &wins[0, 0], <int32_t> wins.shape[0])

    def adapt_to_rules(self, switches):
        return self if switches is None else self.network   # the databases are for the plays of `standard`

    def _default_policy(self):
        return self.network._default_policy()

    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, const GameRules *game,
    ) noexcept nogil:
        cdef double equity
        return best_with_bearoff(
            stakes, model, self.network.nets, accumulators, &self.bearoff, before, rows, n, game,
            &equity)

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        if not database_evaluation(&self.bearoff, board, game, out):
            self.network.evaluation(board, game, out)

    def _exclusion_mask(self, const int8_t[:, ::1] boards not None, const int64_t[::1] offsets not None):
        """Return the mask of successors that are excluded from the comparison in their segment, bool (n,)."""
        mask = np.zeros(boards.shape[0], np.uint8)
        cdef uint8_t[::1] out = mask
        cdef int64_t i
        with nogil:
            for i in range(offsets.shape[0] - 1):
                if offsets[i + 1] > offsets[i]:
                    mark_excluded(&boards[offsets[i], 0], offsets[i + 1] - offsets[i], &out[offsets[i]])
        return mask.view(np.bool_)
