"""Two players against each other: games with the same dice for both sides, and what they come to."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.evaluators.evaluators import Evaluator, Policy
from bgfast.analysis.rollouts._dice import rollout_dice
from bgfast.analysis.rollouts.trials import MOST_PLIES
from bgfast.batch.random_dice import random_dice
from bgfast.batch.successors import results, successors
from bgfast.common.pace import Pace
from bgfast.common.threads import each
from bgfast.common.validation import checked_progress, rule_set, seed_number, thread_count, whole_number
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

__all__ = ["FEWEST", "Contest", "RunningContest", "contest"]

FIRST_AT_ONCE = 16  # pairs of games side by side, while nothing is known of the players' speed
AT_ONCE = 2048
FEWEST = 4  # games, two pairs: their means have a standard error
WORTH_A_THREAD = 32  # games in which a player is on roll


class Contest(NamedTuple):
    """What games between two players came to.

    Attributes
    ----------
    games : int
        Half of them begun by each player, with the same dice.
    points_per_game : float
        For the first player, cubeless.
    standard_error : float
        Of the points a game, from the sums of pairs.
    won : float
        The share of games that the first player has won.
    """

    games: int
    points_per_game: float
    standard_error: float
    won: float

    def __str__(self) -> str:
        """Return the result in one line."""
        return (
            f"{self.points_per_game:+.4f} ± {1.96 * self.standard_error:.4f} points a game, "
            f"{self.won:.1%} won, {self.games:,} games"
        )


def contest(
    first: Evaluator,
    second: Evaluator,
    *,
    games: int = 10_000,
    seed: int = 0,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> Contest:
    """Let two evaluators play games against each other, each with the play that it likes best.

    Each pair of games has the same dice, and each player begins one of them. There is no cube.

    Parameters
    ----------
    first, second : evaluator
    games : int
        An even number, 4 or more.
    seed : int
        Of the dice.
    rules : RuleSet, or the name of a preset
    threads : int
        How many share the games of a ply. The result is the same for any number; players in Python have to be
        safe for threads then.
    progress : callable, optional
        Given the share of the games that is done.

    Returns
    -------
    Contest

    Raises
    ------
    BgfastError
        If an argument is wrong, or a game is not over after 100,000 plies.

    Examples
    --------
    >>> from bgfast.evaluators import PipCount, Random
    >>> found = contest(PipCount(), Random(), games=200, seed=1)
    >>> found.points_per_game > 1
    True
    """
    run = RunningContest(first, second, games=games, seed=seed, rules=rules, threads=threads)
    tell = checked_progress(progress)
    for share in run.play():
        tell(share)
    return run.result()


class RunningContest:
    """A contest that can be looked at while it runs; its parameters are those of `contest`."""

    def __init__(
        self,
        first: Evaluator,
        second: Evaluator,
        *,
        games: int = 10_000,
        seed: int = 0,
        rules: RuleSetLike = STANDARD,
        threads: int = 1,
    ) -> None:
        number = whole_number(games)
        if number is None or number < FEWEST or number % 2:
            raise BgfastError(f"games is {shown(games)}; expected an even number, {FEWEST} or more")
        self._rules = rule_set(rules)
        self._seed = seed_number(seed)
        self._threads = thread_count(threads)
        for player in (first, second):
            if not callable(player):
                raise BgfastError(f"player is {shown(player)}; expected an evaluator: a callable on boards")
        self._players = [Policy(player, self._rules, seed=self._seed) for player in (first, second)]
        self._openings = random_dice(number // 2, self._seed, opening=True)
        self._points: list[npt.NDArray[np.float64]] = []  # of the pairs that are over
        self._pace = Pace(FIRST_AT_ONCE, AT_ONCE)

    @property
    def games(self) -> int:
        """How many games are over, of pairs that are."""
        return 2 * sum(map(len, self._points))

    def play(self) -> Iterator[float]:
        """Play what is left; after each ply of the games that are played now yield the share that is done.

        Raises
        ------
        BgfastError
            If games do not end.
        """
        number = len(self._openings)
        while (begin := self.games // 2) < number:
            end = min(begin + self._pace.size, number)
            pairs = _Pairs(self._players, begin, self._openings[begin:end], self._rules, self._seed)
            for over in pairs.play(self._threads, self._pace):
                yield (begin + over / 2) / number
            # Those of a part alone would be the short ones.
            self._points.append(pairs.points)
            yield end / number

    def result(self) -> Contest:
        """Return what the games that are over have come to.

        Raises
        ------
        BgfastError
            If fewer than four are.
        """
        if self.games < FEWEST:
            raise BgfastError(
                f"{self.games} games are over; expected a contest that has run until {FEWEST} are"
            )
        points = np.concatenate(self._points)
        means = points.mean(axis=1)
        error = float(means.std(ddof=1)) / math.sqrt(len(means))
        return Contest(self.games, float(means.mean()), error, float((points > 0).mean()))


class _Turn(NamedTuple):
    """A ply of one player in some games."""

    player: Policy
    rules: RuleSet
    boards: Boards
    dice: Boards
    games: npt.NDArray[np.int64]
    ply: int

    def played(self, rows: npt.NDArray[np.int64]) -> Boards:
        """Return the boards of some games after the player's plays, the next player on roll."""
        boards = self.boards[rows]
        found = successors(boards, self.dice[rows], rules=self.rules, flip=True, passes="keep")
        plies = np.full(len(rows), self.ply)
        return found.boards[self.player.rows(boards, found, self.games[rows], plies)]


class _Pairs:
    """Pairs of games side by side, all at the same ply."""

    def __init__(
        self, players: list[Policy], begin: int, openings: Boards, rules: RuleSet, seed: int
    ) -> None:
        self.points = np.zeros((len(openings), 2))  # of the first player, in the game that each begins
        self._players = players
        self._begin = begin
        self._openings = openings
        self._rules = rules
        self._seed = seed
        # Row 2 * pair + k is the game of the pair that player k begins.
        self._games = np.arange(2 * len(openings))
        self._boards = np.repeat(Position.start().to_array()[None], 2 * len(openings), axis=0)

    def play(self, threads: int, pace: Pace) -> Iterator[int]:
        """Play to the end; after each ply yield how many games are over."""
        number = len(self._games)
        for ply in range(MOST_PLIES):
            began = time.monotonic()
            self._ply(ply, threads)
            if ply == 0:  # in which all games are played: so many, that a ply takes a quarter of a second
                pace.took(number // 2, time.monotonic() - began)
            yield number - len(self._games)
            if not len(self._games):
                return
        raise BgfastError(f"games are not over after {MOST_PLIES:,} plies; expected players that end them")

    def _ply(self, ply: int, threads: int) -> None:
        games, boards = self._games, self._boards
        dice = np.repeat(self._openings, 2, axis=0)
        if ply:
            dice = np.empty((len(games), 2), np.int8)
            rollout_dice(self._seed, False, self._begin + games // 2, np.full(len(games), ply), dice)
        after = np.empty_like(boards)
        for which, player in enumerate(self._players):
            rows = np.flatnonzero((games + ply) % 2 == which)
            if not len(rows):
                continue
            parts = np.array_split(rows, min(threads, len(rows) // WORTH_A_THREAD or 1))
            turn = _Turn(player, self._rules, boards, dice, self._begin * 2 + games, ply)
            for part, played in zip(parts, each(turn.played, parts, len(parts)), strict=True):
                after[part] = played
        result = results(after, self._rules)
        over = result != 0
        ended = games[over]
        # The next player has lost; the mover is player (game + ply) % 2.
        sign = np.where((ended + ply) % 2 == 0, -1, 1)
        self.points[ended // 2, ended % 2] = sign * result[over]
        self._games, self._boards = games[~over], after[~over]
