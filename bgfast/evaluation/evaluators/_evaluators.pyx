"""Native evaluators: evaluation and choice of plays without Python."""

cimport cython
from libc.math cimport INFINITY, erf, sqrt
from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.evaluation._cubeful cimport EFFICIENCY_BGFAST, CubeStakes, EfficiencyModel, Stakes
from bgfast.batch._successors cimport BoardTask, read_board
from bgfast.common._foreign_names cimport set_attributes
from bgfast.common._threads cimport Task, run
from bgfast.core.board cimport (
    BAR, BOARD_SIZE, CHECKERS, PHASE_CONTACT, WIN_STANDARD, Board, GameRules, WinScheme, board_checkers_opponent,
    board_over, board_phase, board_pips, board_pips_opponent, board_read, board_result,
)
from bgfast.core.bounds cimport OPPONENT_SHIFT, bound_probabilities, bound_equity, possible_results
from bgfast.core.probabilities cimport (
    EVALUATION, PROBABILITIES, Evaluation, evaluation_of_equity, evaluation_of_points,
)
from bgfast.core.random_stream cimport ROLLOUT_PLAYS, stream_at, stream_below

import numpy as np

from bgfast.batch.successors import boards_array, unbatch
from bgfast.common.foreign_names import foreign_names

cdef enum:
    POINTS = 24
    INPUTS_PER_POINT = 5
    INPUTS = 122
    FINISHED_FACTOR = 1000   # makes finished games outweigh any evaluation
    RANGE = 64        # boards between two checks of signals; slow evaluators check more often


cdef class NativeEvaluator:
    """Base class of evaluators that run in the core, also in rollouts; see `bgfast.evaluators`."""

    returns_probabilities = False   # declared, so that no call is needed to find out

    cdef double equity(self, const Board *board, bint is_race) noexcept nogil:
        return 0

    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, const GameRules *game, uint64_t random,
    ) noexcept nogil:
        cdef Board board
        cdef bint is_race = board_phase(before) != PHASE_CONTACT
        cdef int64_t i, best = 0
        cdef double equity, lowest = INFINITY
        for i in range(n):
            board_read(&board, rows + i * BOARD_SIZE)
            if board_over(&board):
                equity = FINISHED_FACTOR * board_result(&board, game.scheme, game.checkers)
            else:
                equity = self.equity(&board, is_race)
            if equity < lowest:
                lowest = equity
                best = i
        return best

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        cdef double equity = self.equity(board, board_phase(board) != PHASE_CONTACT)
        if self.returns_points:
            equity = bound_equity(equity, possible_results(board.point, game))
        out[0] = evaluation_of_equity(equity)

    cdef void best_evaluations(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls,
        const GameRules *game, Evaluation *out,
    ) noexcept nogil:
        cdef Evaluation evaluation
        cdef Board board
        cdef int64_t roll, _i
        cdef double equity, lowest
        for roll in range(rolls):
            lowest = INFINITY
            for _i in range(sizes[roll]):
                board_read(&board, rows)
                rows += BOARD_SIZE
                equity = board_result(&board, game.scheme, game.checkers)
                if not equity:
                    self.evaluation(&board, game, &evaluation)
                    equity = evaluation.equity
                lowest = min(lowest, equity)
            out[roll] = evaluation_of_equity(lowest)

    cdef int64_t choose_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows, int64_t n,
        const GameRules *game, uint64_t random,
    ) noexcept nogil:
        return self.choose(before, rows, n, game, random)

    def __call__(self, boards):
        """Return the equities of boards (n, 26) for the player on roll, float64 (n,); a number for one board."""
        return unbatch(boards, self._values(boards_array(boards, CHECKERS), WIN_STANDARD, CHECKERS, True))

    def _values(self, boards, WinScheme scheme, int checkers, bint standard_plays):
        """Return the result of `__call__` for boards under these rules."""
        cdef _Evaluations task = _Evaluations()
        evaluations = np.empty((len(boards), EVALUATION), np.float64)
        task.evaluator = self
        task.game = GameRules(scheme, checkers, standard_plays)
        task.evaluations = evaluations
        task.take(boards, checkers, 1, 1)
        task.share(RANGE)
        if self.returns_probabilities:
            return evaluations[:, :PROBABILITIES]
        return evaluations[:, PROBABILITIES].copy()

    def _choices(
        self, const int8_t[:, ::1] before not None, const int8_t[:, ::1] rows not None,
        const int64_t[::1] offsets not None, WinScheme scheme, int checkers, bint standard_plays, uint64_t seed,
        const int64_t[::1] trials not None, const int64_t[::1] plies not None, CubeStakes stakes=None,
        EfficiencyModel model=EFFICIENCY_BGFAST,
    ):
        """Return the chosen row of each segment; segments are not empty.

        `stakes` are from the side of the player on roll in the rows; None for cubeless choices.
        """
        cdef _Choices task = _Choices()
        task.evaluator = self
        task.stakes, task.model = stakes, model
        task.before, task.rows, task.offsets, task.trials, task.plies = before, rows, offsets, trials, plies
        task.game, task.seed = GameRules(scheme, checkers, standard_plays), seed
        choices = np.empty(before.shape[0], np.int64)
        task.choices = choices
        run(task, before.shape[0], RANGE, 1)
        return choices

    @property
    def _native(self):
        return self

    def adapt_to_rules(self, switches):
        """Return the evaluator for rules with these switches (see `generator_switches`); the default is itself."""
        return self

    def __repr__(self):
        return f"{type(self).__name__}()"

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))

    def __reduce__(self):
        return type(self), ()


@cython.final
cdef class _Evaluations(BoardTask):
    cdef NativeEvaluator evaluator
    cdef GameRules game
    cdef double[:, ::1] evaluations

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Evaluation *out
        cdef Board board
        cdef int64_t i
        cdef int points
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            out = <Evaluation *> &self.evaluations[i, 0]
            points = board_result(&board, self.game.scheme, self.game.checkers)
            if points:
                out[0] = evaluation_of_points(points)
            else:
                self.evaluator.evaluation(&board, &self.game, out)
        return True


cdef int _possible_results(const int8_t *cells, const GameRules *game) noexcept:
    """Return the possible results of a board, which may be finished, as bits."""
    cdef Board board
    cdef int points
    board_read(&board, cells)
    if not board_over(&board):
        return possible_results(cells, game)
    points = board_result(&board, game.scheme, game.checkers)
    return 1 << (points - 1) if points > 0 else 1 << (OPPONENT_SHIFT - points - 1)


def bound_values(values not None, boards, WinScheme scheme, int checkers, bint standard_plays):
    """Bound equities (n,) or probabilities (n, 5) of boards to the results that the rules allow, in place."""
    cdef const int8_t[:, ::1] rows = boards
    cdef double[::1] equities
    cdef double[:, ::1] probabilities
    cdef GameRules game = GameRules(scheme, checkers, standard_plays)
    cdef int64_t i
    if values.ndim == 1:
        equities = values
        for i in range(rows.shape[0]):
            equities[i] = bound_equity(equities[i], _possible_results(&rows[i, 0], &game))
        return
    probabilities = values
    for i in range(rows.shape[0]):
        for k in range(PROBABILITIES):
            probabilities[i, k] = min(max(probabilities[i, k], 0), 1)
        bound_probabilities(&probabilities[i, 0], 1, _possible_results(&rows[i, 0], &game))


@cython.final
cdef class _Choices(Task):
    cdef NativeEvaluator evaluator
    cdef CubeStakes stakes   # or None
    cdef EfficiencyModel model
    cdef const int8_t[:, ::1] before
    cdef const int8_t[:, ::1] rows
    cdef const int64_t[::1] offsets
    cdef const int64_t[::1] trials
    cdef const int64_t[::1] plies
    cdef int64_t[::1] choices
    cdef GameRules game
    cdef uint64_t seed

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef const Stakes *stakes = NULL if self.stakes is None else &self.stakes.stakes
        cdef uint64_t random
        cdef int64_t i, begin, n
        for i in range(first, last):
            board_read(&board, &self.before[i, 0])
            begin, n = self.offsets[i], self.offsets[i + 1] - self.offsets[i]
            random = decision_state(self.seed, self.trials[i], self.plies[i])
            if stakes == NULL:
                self.choices[i] = begin + self.evaluator.choose(
                    &board, &self.rows[begin, 0], n, &self.game, random)
            else:
                self.choices[i] = begin + self.evaluator.choose_at(
                    stakes, self.model, &board, &self.rows[begin, 0], n, &self.game, random)
        return True


cdef uint64_t decision_state(uint64_t seed, int64_t trial, int64_t ply) noexcept nogil:
    return stream_at(seed, ROLLOUT_PLAYS, <uint64_t> trial, <uint64_t> ply)


@cython.final
cdef class Random(NativeEvaluator):
    """Random policy: all legal plays are equally likely; all equities are 0.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.evaluators.Random()(bgfast.Position())
    0.0
    """

    def __cinit__(self):
        self.returns_points = True
        self.uses_random = True

    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, const GameRules *game, uint64_t random,
    ) noexcept nogil:
        return <int64_t> stream_below(&random, n)


@cython.final
cdef class PipCount(NativeEvaluator):
    """Race evaluator: Kleinman's formula for the two pip counts.

    With D the lead of the player on roll in pips plus 4, and S the sum of both pip counts less 4, the winning
    chance is (1 + erf(D / (2 sqrt(S)))) / 2. Contact, gammons and wastage are ignored.

    References
    ----------
    Danny Kleinman, "Vision Laughs at Counting", 1980; this form is from GNU Backgammon's documentation.

    Examples
    --------
    >>> import bgfast
    >>> round(bgfast.evaluators.PipCount()(bgfast.Position()), 3)
    0.124
    """

    def __cinit__(self):
        self.returns_points = True

    cdef double equity(self, const Board *board, bint is_race) noexcept nogil:
        cdef int pips = board_pips(board)
        cdef int opponent_pips = board_pips_opponent(board)
        return erf((opponent_pips - pips + 4) / (2 * sqrt(max(pips + opponent_pips - 4, 1))))


# Weights by input, for contact and for races. For j = 1 .. 24 there are five inputs. With n the number of
# the mover's checkers on the mover's point 25 - j after the mover's play (negative: the opponent's), these are
# n == -1; n == 1; n >= 2; n == 3; (n - 3) / 2 if n >= 4. The last two inputs are half the opponent's checkers
# on the bar, and a fifteenth of the mover's checkers borne off.
PUBEVAL_WEIGHTS = (
    (0.25696, 0.0), (-0.66937, -0.17160), (-1.66135, 0.27010), (-2.02487, 0.29906), (-2.53398, -0.08471),
    (-0.16092, 0.0), (-1.11725, -1.40375), (-1.06654, -1.05121), (-0.92830, 0.07217), (-1.99558, -0.01351),
    (-1.10388, 0.0), (-0.80802, -1.29506), (0.09856, -2.16183), (-0.62086, 0.13246), (-1.27999, -1.03508),
    (-0.59220, 0.0), (-0.73667, -2.29847), (0.89032, -2.34631), (-0.38933, 0.17253), (-1.59847, 0.08302),
    (-1.50197, 0.0), (-0.60966, -1.27266), (1.56166, -2.87401), (-0.47389, -0.07456), (-1.80390, -0.34240),
    (-0.83425, 0.0), (-0.97741, -1.34640), (-1.41371, -2.46556), (0.24500, -0.13022), (0.10970, -0.01591),
    (-1.36476, 0.0), (-1.05572, 0.27448), (1.15420, 0.60015), (0.11069, 0.48302), (-0.38319, 0.25236),
    (-0.74816, 0.0), (-0.59244, 0.39521), (0.81116, 0.68178), (-0.39511, 0.05281), (0.11424, 0.09266),
    (-0.73169, 0.0), (-0.56074, 0.24855), (1.09792, -0.06844), (0.15977, -0.37646), (0.13786, 0.05685),
    (-1.18435, 0.0), (-0.43363, 0.17405), (1.06169, 0.00430), (-0.21329, 0.74427), (0.04798, 0.00576),
    (-0.94373, 0.0), (-0.22982, 0.12392), (1.22737, 0.31202), (-0.13099, -0.91035), (-0.06295, -0.16270),
    (-0.75882, 0.0), (-0.13658, 0.01418), (1.78389, -0.10839), (0.30416, -0.02781), (0.36797, -0.88035),
    (-0.69851, 0.0), (0.13003, 1.07274), (1.23070, 2.00366), (0.40868, 1.16242), (-0.21081, 0.22520),
    (-0.64073, 0.0), (0.31061, 0.85631), (1.59554, 1.06349), (0.65718, 1.49549), (0.25429, 0.18966),
    (-0.80789, 0.0), (0.08240, 0.37183), (1.78964, -0.50352), (0.54304, -0.14818), (0.41174, 0.12039),
    (-1.06161, 0.0), (0.07851, 0.13681), (2.01451, 0.13978), (0.49786, 1.11245), (0.91936, -0.12707),
    (-0.90750, 0.0), (0.05941, -0.22082), (1.83120, 0.20178), (0.58722, -0.06285), (1.28777, -0.52728),
    (-0.83711, 0.0), (-0.33248, -0.13597), (2.64983, -0.19412), (0.52698, -0.09308), (0.82132, -1.26062),
    (-0.58897, 0.0), (-1.18223, 3.05454), (3.35809, 5.16874), (0.62017, 1.50680), (0.57353, 5.35000),
    (-0.07276, 0.0), (-0.36214, 2.19605), (4.37655, 3.85390), (0.45481, 0.88296), (0.21746, 2.30052),
    (0.10504, 0.0), (-0.61977, 0.92321), (3.54001, 1.08744), (0.04612, -0.11696), (-0.18108, -0.78560),
    (0.63211, 0.0), (-0.87046, -0.09795), (2.47673, -0.83050), (-0.48016, -1.09167), (-1.27157, -4.94251),
    (0.86505, 0.0), (-1.11342, -1.00316), (1.24612, -3.66465), (-0.82385, -2.56906), (-2.77082, -9.67677),
    (1.23606, 0.0), (-1.59529, -2.77982), (0.10438, -7.26713), (-1.30206, -3.40177), (-4.11520, -12.32252),
    (5.62596, 0.0), (-2.75800, 3.42040),
)

cdef double[2][INPUTS] _pubeval   # contact, race
for _i in range(INPUTS):
    _pubeval[0][_i], _pubeval[1][_i] = PUBEVAL_WEIGHTS[_i]


@cython.final
cdef class Pubeval(NativeEvaluator):
    """Tesauro's published linear evaluator, a classic benchmark opponent.

    Its values only order plays and are not points: it can be the `policy` of a rollout, but cannot evaluate
    truncated games or luck. The position before the play selects contact or race weights, as in the author's
    program; in a call with boards, the boards themselves select the weights.

    References
    ----------
    Gerald Tesauro, rec.games.backgammon, 1993, public domain.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position().plays("31")
    >>> values = bgfast.evaluators.Pubeval()(bgfast.flip(plays.boards))
    >>> str(plays[int(values.argmin())])
    '8/5 6/5'
    """

    _only_orders = True

    cdef double equity(self, const Board *board, bint is_race) noexcept nogil:
        # The inputs are from the side of the player who has just moved: n checkers on point 25 - j are -n on
        # point j of `board`.
        cdef const double *w = _pubeval[is_race]
        cdef double total = 0
        cdef int j, n
        for j in range(1, POINTS + 1):
            n = -board.point[j]
            if n == -1:
                total += w[0]
            elif n == 1:
                total += w[1]
            elif n >= 2:
                total += w[2]
                if n == 3:
                    total += w[3]
                elif n >= 4:
                    total += w[4] * (n - 3) / 2
            w += INPUTS_PER_POINT
        total += w[0] * board.point[BAR] / 2
        total += w[1] * (CHECKERS - board_checkers_opponent(board)) / 15
        return -total


set_attributes(NativeEvaluator, foreign_names(NativeEvaluator))
