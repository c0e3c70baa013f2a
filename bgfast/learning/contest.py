"""Contests between two players: pairs of games with the same dice, and points per game minus luck."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._turns import luck_of_rolls, rollout_dice
from bgfast.analysis.rollouts.trials import MAX_PLIES
from bgfast.batch.random_positions import random_dice
from bgfast.batch.successors import BoardsLike, results, successors, validate_boards
from bgfast.common.pace import Pace
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.threads import parallel_map
from bgfast.common.validation import CHECKERS, Boards, rule_set, seed_number, thread_count, whole_number
from bgfast.errors import BgfastError, InvalidPositionError, short_repr
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, Policy
from bgfast.evaluation.evaluators.exact_tables import is_standard
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike

DEFAULT_GAMES = 2_400
FIRST_BATCH = 16  # pairs of games in lockstep before the players' speed is known
MAX_BATCH = 2048
MIN_GAMES = 4  # two pairs, the minimum for a standard error
MIN_GAMES_PER_THREAD = 32
LUCK_NOTE = "luck is not subtracted: the networks that evaluate it know only the rules of `standard`"

LuckEvaluators = tuple[WithBearoff, WithBearoff]
"""Network that chooses plays, and network that evaluates the positions after them."""


class Contest(NamedTuple):
    """Result of a contest. Points are cubeless, for the first player; standard errors are over pairs."""

    games: int  # each player began half of them, with the same dice
    points_per_game: float  # with luck subtracted, unless there is a `note`
    standard_error: float
    plain_points_per_game: float  # luck not subtracted
    plain_standard_error: float
    won: float  # fraction of games won by the first player
    note: str | None  # reason for not subtracting luck

    def __str__(self) -> str:
        points = f"{self.points_per_game:+.4f} ± {NORMAL_95 * self.standard_error:.4f} points a game"
        games = f"{self.won:.1%} won, {self.games:,} games"
        if self.note is not None:
            return f"{points}, {games}; {self.note}"
        plain_points = f"{self.plain_points_per_game:+.3f} ± {NORMAL_95 * self.plain_standard_error:.3f}"
        return f"{points} with luck subtracted (plain {plain_points}), {games}"


def contest(first: EvaluatorLike, second: EvaluatorLike, **options: Any) -> Contest:
    """Play two evaluators against each other, without a cube; `options` are arguments of `RunningContest`.

    Luck is subtracted from the points: for each roll, the equity after that roll minus the mean over all
    rolls. ``Network.builtin_fast()`` chooses the plays and ``Network.builtin()`` evaluates them, both with
    bear-off databases. Luck has mean 0 despite the networks' errors, so the result is unbiased; between
    strong players the standard deviation falls to a tenth. Luck is not subtracted under rules whose
    plays or points differ from `standard`.

    `BgfastError` is raised if an argument is invalid, or a game is not over after 100,000 plies.

    See Also
    --------
    bgfast.learning.error_per_play : Average loss of one player in contested decisions.
    """
    run = RunningContest(first, second, **options)
    deque(run.play(), 0)
    return run.result()


class RunningContest:
    """Contest whose intermediate result can be read.

    `games` is even, 4 or more. `positions`, shape (n, 26), are starting positions before the roll, used in
    turn; by default games begin from the standard position with an opening roll. The result does not depend
    on `threads`; with several threads, Python players must be thread-safe.
    """

    def __init__(
        self,
        first: EvaluatorLike,
        second: EvaluatorLike,
        *,
        games: int = DEFAULT_GAMES,
        positions: BoardsLike | None = None,
        seed: int = 0,
        rules: RuleSetLike = STANDARD,
        threads: int = 1,
    ) -> None:
        count = whole_number(games)
        if count is None or count < MIN_GAMES or count % 2:
            raise BgfastError(f"games is {short_repr(games)}; expected an even number, {MIN_GAMES} or more")
        self._rules = rule_set(rules)
        self._seed = seed_number(seed)
        self._threads = thread_count(threads)
        players = [evaluator_of(player, "player") for player in (first, second)]
        self._players = [Policy(player, self._rules, seed=self._seed) for player in players]
        # The networks that evaluate luck are valid only for the plays and points of `standard`.
        self._luck_evaluators = _luck_evaluators() if is_standard(self._rules) else None
        self._pair_count = count // 2
        self._starts = validate_boards([Position.start()] if positions is None else positions, CHECKERS)
        if not len(self._starts):
            raise InvalidPositionError("no positions; expected one or more")
        rows = np.flatnonzero(results(self._starts, self._rules))
        if len(rows):
            raise InvalidPositionError(f"row {rows[0]}: the game is over; expected a position to play from")
        self._openings = (
            random_dice(self._pair_count, self._seed, opening=True) if positions is None else None
        )
        self._points: list[npt.NDArray[np.float64]] = []  # points of finished pairs
        self._luck: list[npt.NDArray[np.float64]] = []
        self._pace = Pace(FIRST_BATCH, MAX_BATCH)

    @property
    def games(self) -> int:
        """Number of finished games in finished pairs."""
        return 2 * sum(map(len, self._points))

    def play(self) -> Iterator[float]:
        """Play the remaining games; yield the completed fraction after each ply of the current games."""
        count = self._pair_count
        while (begin := self.games // 2) < count:
            end = min(begin + self._pace.size, count)
            pairs = _Pairs(self, begin, end)
            for finished_count in pairs.play():
                yield (begin + finished_count / 2) / count
            self._pace.record(end - begin, pairs.longest_ply)
            # Whole batches only: short games end first and would bias the result.
            self._points.append(pairs.points)
            self._luck.append(pairs.luck)
            yield end / count

    def result(self) -> Contest:
        """Return the result of the finished games; raise `BgfastError` if there are fewer than four."""
        if self.games < MIN_GAMES:
            raise BgfastError(f"{self.games} games are over; expected {MIN_GAMES} or more")
        points, luck = np.concatenate(self._points), np.concatenate(self._luck)
        without_luck, with_luck = _mean_and_error(points - luck), _mean_and_error(points)
        note = LUCK_NOTE if self._luck_evaluators is None else None
        return Contest(self.games, *without_luck, *with_luck, float((points > 0).mean()), note)


def _luck_evaluators() -> LuckEvaluators:
    return WithBearoff(Network.builtin_fast()), WithBearoff(Network.builtin())


def _mean_and_error(points: npt.NDArray[np.float64]) -> tuple[float, float]:
    means = points.mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1)) / math.sqrt(len(means))


class _Pairs:
    """Pairs of games in lockstep.

    `points` and `luck` of the first player have the shape (pairs, 2); player k begins the game of column k.
    """

    def __init__(self, run: RunningContest, begin: int, end: int) -> None:
        starts = run._starts[np.arange(begin, end) % len(run._starts)]
        self.points = np.zeros((len(starts), 2))
        self.luck = np.zeros((len(starts), 2))
        self.longest_ply = 0.0  # seconds
        self._run = run
        self._begin = begin
        self._openings = None if run._openings is None else run._openings[begin:end]
        # Row 2 * pair + k is the pair's game that player k begins.
        self._games = np.arange(2 * len(starts))
        self._boards = np.repeat(starts, 2, axis=0)

    def play(self) -> Iterator[int]:
        """Play to the end; yield the number of finished games after each ply."""
        count = len(self._games)
        for ply in range(MAX_PLIES):
            start = time.monotonic()
            self._play_ply(ply)
            self.longest_ply = max(self.longest_ply, time.monotonic() - start)
            yield count - len(self._games)
            if not len(self._games):
                return
        raise BgfastError(f"games are not over after {MAX_PLIES:,} plies; expected players that end them")

    def _play_ply(self, ply: int) -> None:
        run, games, boards = self._run, self._games, self._boards
        if ply == 0 and self._openings is not None:
            dice = np.repeat(self._openings, 2, axis=0)
        else:
            dice = np.empty((len(games), 2), np.int8)
            rollout_dice(run._seed, False, self._begin + games // 2, np.full(len(games), ply), dice)
        if run._luck_evaluators is not None:
            self._add_luck(run._luck_evaluators, ply, dice)
        after = np.empty_like(boards)
        for index, player in enumerate(run._players):
            rows = np.flatnonzero((games + ply) % 2 == index)
            if not len(rows):
                continue
            parts = np.array_split(rows, min(run._threads, len(rows) // MIN_GAMES_PER_THREAD or 1))
            play = partial(self._boards_after, player, ply, dice)
            for part, boards_after in zip(parts, parallel_map(play, parts, len(parts)), strict=True):
                after[part] = boards_after
        result = results(after, run._rules)
        is_over = result != 0
        ended_games = games[is_over]
        # The result is from the side of the next player.
        self.points[ended_games // 2, ended_games % 2] = -_sign_of_mover(ended_games, ply) * result[is_over]
        self._games, self._boards = games[~is_over], after[~is_over]

    def _boards_after(self, player: Policy, ply: int, dice: Boards, rows: npt.NDArray[np.int64]) -> Boards:
        """Return the boards in `rows` after the player's plays, with the next player on roll."""
        boards, dice = self._boards[rows], dice[rows]
        plays = successors(boards, dice, rules=self._run._rules, flip=True, passes="keep")
        games, plies = 2 * self._begin + self._games[rows], np.full(len(rows), ply)
        return plays.boards[player.rows(boards, plays, games, plies, dice)]

    def _add_luck(self, luck_evaluators: LuckEvaluators, ply: int, dice: Boards) -> None:
        games, boards = self._games, self._boards
        # While both games of a pair have the same position, opposite players have the same luck. It cancels,
        # as does the luck of the opening roll.
        is_same = (games[1:] // 2 == games[:-1] // 2) & (boards[1:] == boards[:-1]).all(axis=1)
        rows = np.flatnonzero(~(np.append(is_same, False) | np.append(False, is_same)))
        luck = luck_of_rolls(*luck_evaluators, boards[rows], dice[rows], self._run._threads)
        self.luck[games[rows] // 2, games[rows] % 2] += _sign_of_mover(games[rows], ply) * luck


def _sign_of_mover(games: npt.NDArray[np.int64], ply: int) -> npt.NDArray[np.int64]:
    """Return 1 for games in which the first player is on roll, else -1."""
    return np.where((games + ply) % 2 == 0, 1, -1)
