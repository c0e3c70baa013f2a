# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Native evaluators: evaluation and choice of plays without Python."""

cimport cython
from libc.math cimport INFINITY, erf, sqrt
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from bgfast.evaluation._efficiency cimport EFFICIENCY_BGFAST, EfficiencyModel
from bgfast.evaluation._stakes cimport CubeStakes, Stakes
from bgfast.batch._request cimport BoardTask, read_board
from bgfast.common._threads cimport Task, run
from bgfast.core.board.board cimport (
    BAR, BOARD_SIZE, CHECKERS, PHASE_CONTACT, Board, board_checkers_opponent, board_over, board_phase, board_pips,
    board_pips_opponent, board_read,
)
from bgfast.core.board.bounds cimport OPPONENT, bound_probabilities, bounded_equity, possible_results
from bgfast.core.board.result cimport WIN_STANDARD, GameRules, WinScheme, board_result
from bgfast.core.board.probabilities cimport (
    EVALUATION, PROBABILITIES, Evaluation, evaluation_of_equity, evaluation_of_points,
)
from bgfast.core.board.random_stream cimport ROLLOUT_PLAYS, stream_at, stream_below

import numpy as np

from bgfast.evaluation.evaluators import pubeval_weights
from bgfast.batch.validation import boards_array

cdef enum:
    POINTS = 24
    UNITS = 5
    INPUTS = 122
    FINISHED = 1000   # larger than any evaluation: results of finished games come first
    RANGE = 64        # boards between two checks of signals; slow evaluators check more often


cdef class NativeEvaluator:
    """Base class of evaluators that run in the core, also in rollouts; see `bgfast.evaluators`."""

    returns_probabilities = False   # known without a call

    cdef double equity(self, const Board *board, bint race) noexcept nogil:
        return 0

    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, const GameRules *game, uint64_t random,
    ) noexcept nogil:
        cdef Board board
        cdef bint race = board_phase(before) != PHASE_CONTACT
        cdef int64_t i, best = 0
        cdef double equity, lowest = INFINITY
        for i in range(n):
            board_read(&board, rows + i * BOARD_SIZE)
            if board_over(&board):
                equity = FINISHED * board_result(&board, game.scheme, game.checkers)
            else:
                equity = self.equity(&board, race)
            if equity < lowest:
                lowest = equity
                best = i
        return best

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        cdef double equity = self.equity(board, board_phase(board) != PHASE_CONTACT)
        if self.returns_points:
            equity = bounded_equity(equity, possible_results(board.point, game))
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

    cdef void evaluation_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *board, const GameRules *game,
        Evaluation *out,
    ) noexcept nogil:
        self.evaluation(board, game, out)

    cdef void best_evaluations_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows,
        const int64_t *sizes, int64_t rolls, const GameRules *game, Evaluation *out,
    ) noexcept nogil:
        self.best_evaluations(before, rows, sizes, rolls, game, out)

    def __call__(self, boards):
        """Return the equities of boards (n, 26) for the player on roll, float64 (n,)."""
        return self._values(boards_array(boards, CHECKERS), WIN_STANDARD, CHECKERS, True)

    def _values(self, boards, WinScheme scheme, int checkers, bint standard_plays):
        """Return the result of a call with boards of a game by these rules."""
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
        """Return the chosen row of each segment; none is empty.

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

    def under(self, switches):
        """Return the evaluator for rules with these switches (see `generated_switches`); by default itself."""
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


cdef int _possible_results(const int8_t *numbers, const GameRules *game) noexcept:
    """Return the possible results of a board, which may be finished, as bits."""
    cdef Board board
    cdef int points
    board_read(&board, numbers)
    if not board_over(&board):
        return possible_results(numbers, game)
    points = board_result(&board, game.scheme, game.checkers)
    return 1 << (points - 1) if points > 0 else 1 << (OPPONENT - points - 1)


def bound_values(values not None, boards, WinScheme scheme, int checkers, bint standard_plays):
    """Bound equities (n,) or probabilities (n, 5) of boards to what the rules allow, in place."""
    cdef const int8_t[:, ::1] rows = boards
    cdef double[::1] equities
    cdef double[:, ::1] probabilities
    cdef GameRules game = GameRules(scheme, checkers, standard_plays)
    cdef int64_t i
    if values.ndim == 1:
        equities = values
        for i in range(rows.shape[0]):
            equities[i] = bounded_equity(equities[i], _possible_results(&rows[i, 0], &game))
        return
    probabilities = values
    for i in range(rows.shape[0]):
        for k in range(PROBABILITIES):
            probabilities[i, k] = min(max(probabilities[i, k], 0), 1)
        bound_probabilities(&probabilities[i, 0], 1, _possible_results(&rows[i, 0], &game))


def results_possible(boards, WinScheme scheme, int checkers, bint standard_plays):
    """Return the results that the rules leave possible for boards, as bits, uint8 (n,).

    Bits 0, 1 and 2 are 1, 2 and 3 points for the player on roll, bits 3, 4 and 5 for the opponent.
    """
    cdef const int8_t[:, ::1] rows = boards
    cdef GameRules game = GameRules(scheme, checkers, standard_plays)
    possible = np.empty(rows.shape[0], np.uint8)
    cdef uint8_t[::1] out = possible
    cdef int64_t i
    for i in range(rows.shape[0]):
        out[i] = _possible_results(&rows[i, 0], &game)
    return possible


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
    >>> start = bgfast.Position.start()
    >>> bgfast.evaluators.Random()(start.to_array()[None])
    array([0.])
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
    """Race evaluator: Kleinman's formula of the two pip counts.

    With D the lead of the player on roll in pips plus 4, and S the sum of both pip counts less 4, the winning
    chance is (1 + erf(D / (2 sqrt(S)))) / 2. Contact, gammons and wastage are ignored.

    Source: Danny Kleinman, "Vision Laughs at Counting" (1980); in this form in GNU Backgammon's documentation.

    Examples
    --------
    >>> import bgfast
    >>> start = bgfast.Position.start()
    >>> bgfast.evaluators.PipCount()(start.to_array()[None]).round(3)
    array([0.124])
    """

    def __cinit__(self):
        self.returns_points = True

    cdef double equity(self, const Board *board, bint race) noexcept nogil:
        cdef int own = board_pips(board)
        cdef int opponent = board_pips_opponent(board)
        return erf((opponent - own + 4) / (2 * sqrt(max(own + opponent - 4, 1))))


cdef double[2][INPUTS] _pubeval   # contact, race
for _i in range(INPUTS):
    _pubeval[0][_i], _pubeval[1][_i] = pubeval_weights.PUBEVAL_WEIGHTS[_i]


@cython.final
cdef class Pubeval(NativeEvaluator):
    """Tesauro's published linear evaluator, a classic benchmark opponent.

    Its values only order plays and are not points: it can be the `policy` of a rollout, but cannot evaluate
    truncated games or luck. Contact or race is decided by the position before the play, as by its author; in
    calls with boards by the boards.

    Source: Gerald Tesauro, rec.games.backgammon, 1993, public domain.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position.start().plays((3, 1))
    >>> values = bgfast.evaluators.Pubeval()(bgfast.flip(plays.boards))
    >>> str(plays[int(values.argmin())])
    '8/5 6/5'
    """

    cdef double equity(self, const Board *board, bint race) noexcept nogil:
        # Its inputs are from the side of the player who has just moved: n checkers on point 25 - j are -n on
        # point j here.
        cdef const double *w = _pubeval[race]
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
            w += UNITS
        total += w[0] * board.point[BAR] / 2
        total += w[1] * (CHECKERS - board_checkers_opponent(board)) / 15
        return -total
