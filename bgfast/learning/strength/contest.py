"""Contests of two players: pairs of games with the same dice, and points a game with luck subtracted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._dice import rollout_dice
from bgfast.analysis.rollouts._luck import luck_of_rolls
from bgfast.analysis.rollouts.trials import MAX_PLIES
from bgfast.batch.random_dice import random_dice
from bgfast.batch.successors import results, successors
from bgfast.batch.validation import BoardsLike, checked_boards
from bgfast.common.pace import Pace
from bgfast.common.threads import parallel_map
from bgfast.common.validation import (
    checked_progress,
    generated_switches,
    rule_set,
    seed_number,
    thread_count,
    whole_number,
)
from bgfast.common.vocabulary import CHECKERS, Boards
from bgfast.errors import BgfastError, InvalidPositionError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, Policy
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

__all__ = ["DEFAULT_GAMES", "MIN_GAMES", "Contest", "RunningContest", "contest"]

DEFAULT_GAMES = 2_400
FIRST_AT_ONCE = 16  # pairs of games in lockstep, while the players' speed is unknown
AT_ONCE = 2048
MIN_GAMES = 4  # games, two pairs: their means have a standard error
WORTH_A_THREAD = 32  # games in which a player is on roll
OTHER_RULES = "luck is not subtracted: its judge knows the rules of `standard` alone"

Judge = tuple[WithBearoff, WithBearoff]
"""Network that chooses the play after a roll, and network that evaluates it."""


class Contest(NamedTuple):
    """Result of a contest.

    Attributes
    ----------
    games : int
        Half of them begun by each player, with the same dice.
    points_per_game : float
        For the first player, cubeless, with luck subtracted; equal to `plain_points_per_game` if `note` says
        that it is not.
    standard_error : float
        Of `points_per_game`, from the means of pairs.
    plain_points_per_game, plain_standard_error : float
        The same from the points of the games alone.
    won : float
        Share of games that the first player has won.
    note : str or None
        Why luck is not subtracted, in one sentence; None if it is.
    """

    games: int
    points_per_game: float
    standard_error: float
    plain_points_per_game: float
    plain_standard_error: float
    won: float
    note: str | None

    def __str__(self) -> str:
        """Return the result in one line."""
        points = f"{self.points_per_game:+.4f} ± {1.96 * self.standard_error:.4f} points a game"
        games = f"{self.won:.1%} won, {self.games:,} games"
        if self.note is not None:
            return f"{points}, {games}; {self.note}"
        plain = f"{self.plain_points_per_game:+.3f} ± {1.96 * self.plain_standard_error:.3f}"
        return f"{points} with luck subtracted (plain {plain}), {games}"


def contest(
    first: Evaluator,
    second: Evaluator,
    *,
    games: int = DEFAULT_GAMES,
    positions: BoardsLike | None = None,
    seed: int = 0,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    progress: Callable[[float], object] | None = None,
) -> Contest:
    """Let two evaluators play games against each other, each with its best play.

    Each pair of games has the same dice, and each player begins one of them. There is no cube.

    The luck of each roll is subtracted from the points: the equity after the roll less its mean over the 21
    rolls, as ``Network.builtin()`` evaluates the plays that ``Network.builtin_fast()`` chooses, both with
    bear-off databases. Luck has mean 0 whatever the networks' errors, so that the result is unbiased; between
    strong players a tenth of the standard deviation is left. Under rules whose plays or points are not those
    of `standard` luck is not subtracted, and `Contest.note` says so.

    Parameters
    ----------
    first, second : evaluator
    games : int
        An even number, 4 or more.
    positions : array of whole numbers, shape (n, 26), or list of Position, optional
        Positions to begin with in turn, both games of a pair with the same, the beginner on roll and any roll
        to come. By default games begin at the start, with an opening roll.
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
    >>> from bgfast import Network
    >>> result = contest(Network.builtin(), Network.builtin_fast(), games=40, seed=1)
    >>> result.games, result.standard_error < result.plain_standard_error / 4
    (40, True)
    """
    run = RunningContest(
        first, second, games=games, positions=positions, seed=seed, rules=rules, threads=threads
    )
    tell = checked_progress(progress)
    for share in run.play():
        tell(share)
    return run.result()


class RunningContest:
    """Contest whose intermediate result can be read; its parameters are those of `contest`."""

    def __init__(
        self,
        first: Evaluator,
        second: Evaluator,
        *,
        games: int = DEFAULT_GAMES,
        positions: BoardsLike | None = None,
        seed: int = 0,
        rules: RuleSetLike = STANDARD,
        threads: int = 1,
    ) -> None:
        number = whole_number(games)
        if number is None or number < MIN_GAMES or number % 2:
            raise BgfastError(f"games is {shown(games)}; expected an even number, {MIN_GAMES} or more")
        self._rules = rule_set(rules)
        self._seed = seed_number(seed)
        self._threads = thread_count(threads)
        for player in (first, second):
            if not callable(player):
                raise BgfastError(f"player is {shown(player)}; expected an evaluator: a callable on boards")
        self._players = [Policy(player, self._rules, seed=self._seed) for player in (first, second)]
        self._judge = _judge() if _plays_by_standard(self._rules) else None
        self._number = number // 2
        self._starts = _starts(positions, self._rules)
        self._openings = random_dice(self._number, self._seed, opening=True) if positions is None else None
        self._points: list[npt.NDArray[np.float64]] = []  # of the pairs that are over
        self._luck: list[npt.NDArray[np.float64]] = []
        self._pace = Pace(FIRST_AT_ONCE, AT_ONCE)

    @property
    def games(self) -> int:
        """Number of finished games in finished pairs."""
        return 2 * sum(map(len, self._points))

    def play(self) -> Iterator[float]:
        """Play the remaining games; yield the share done after each ply of the current games.

        Raises
        ------
        BgfastError
            If games do not end.
        """
        number = self._number
        while (begin := self.games // 2) < number:
            end = min(begin + self._pace.size, number)
            pairs = _Pairs(
                self._players,
                self._judge,
                begin,
                self._starts[np.arange(begin, end) % len(self._starts)],
                None if self._openings is None else self._openings[begin:end],
                self._rules,
                self._seed,
            )
            for over in pairs.play(self._threads):
                yield (begin + over / 2) / number
            self._pace.took(end - begin, pairs.longest_ply)
            # Those of a part alone would be the short ones.
            self._points.append(pairs.points)
            self._luck.append(pairs.luck)
            yield end / number

    def result(self) -> Contest:
        """Return the result of the finished games.

        Raises
        ------
        BgfastError
            If fewer than four are.
        """
        if self.games < MIN_GAMES:
            raise BgfastError(
                f"{self.games} games are over; expected a contest that has run until {MIN_GAMES} are"
            )
        points = np.concatenate(self._points)
        plain = _mean_of_pairs(points)
        adjusted = plain if self._judge is None else _mean_of_pairs(points - np.concatenate(self._luck))
        won = float((points > 0).mean())
        note = OTHER_RULES if self._judge is None else None
        return Contest(self.games, *adjusted, *plain, won, note)


def _starts(positions: BoardsLike | None, rules: RuleSet) -> Boards:
    """Return the boards that pairs of games begin with, in turn."""
    boards = checked_boards([Position.start()] if positions is None else positions, CHECKERS)
    if not len(boards):
        raise InvalidPositionError("no positions; expected one or more")
    over = np.flatnonzero(results(boards, rules))
    if len(over):
        raise InvalidPositionError(f"row {over[0]}: the game is over; expected a position to play from")
    return boards


def _judge() -> Judge:
    return WithBearoff(Network.builtin_fast()), WithBearoff(Network.builtin())


def _plays_by_standard(rules: RuleSet) -> bool:
    """Return whether plays and points are those of `standard`."""
    return generated_switches(rules) is None and rules.win_scheme == STANDARD.win_scheme


def _mean_of_pairs(points: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean of pairs of games, and its standard error."""
    means = points.mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1)) / math.sqrt(len(means))


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
        dice = self.dice[rows]
        found = successors(boards, dice, rules=self.rules, flip=True, passes="keep")
        plies = np.full(len(rows), self.ply)
        return found.boards[self.player.rows(boards, found, self.games[rows], plies, dice)]


class _Pairs:
    """Pairs of games in lockstep.

    Attributes
    ----------
    points, luck : ndarray of float64, shape (pairs, 2)
        Of the first player, in the game that each player begins. Luck that cancels in a pair is left out.
    longest_ply : float
        Seconds of the slowest ply.
    """

    def __init__(
        self,
        players: list[Policy],
        judge: Judge | None,
        begin: int,
        starts: Boards,
        openings: Boards | None,
        rules: RuleSet,
        seed: int,
    ) -> None:
        self.points = np.zeros((len(starts), 2))
        self.luck = np.zeros((len(starts), 2))
        self.longest_ply = 0.0
        self._players = players
        self._judge = judge
        self._begin = begin
        self._openings = openings
        self._rules = rules
        self._seed = seed
        # Row 2 * pair + k is the game of the pair that player k begins.
        self._games = np.arange(2 * len(starts))
        self._boards = np.repeat(starts, 2, axis=0)

    def play(self, threads: int) -> Iterator[int]:
        """Play to the end; yield the number of finished games after each ply."""
        number = len(self._games)
        for ply in range(MAX_PLIES):
            began = time.monotonic()
            self._ply(ply, threads)
            self.longest_ply = max(self.longest_ply, time.monotonic() - began)
            yield number - len(self._games)
            if not len(self._games):
                return
        raise BgfastError(f"games are not over after {MAX_PLIES:,} plies; expected players that end them")

    def _ply(self, ply: int, threads: int) -> None:
        games, boards = self._games, self._boards
        if ply == 0 and self._openings is not None:
            dice = np.repeat(self._openings, 2, axis=0)
        else:
            dice = np.empty((len(games), 2), np.int8)
            rollout_dice(self._seed, False, self._begin + games // 2, np.full(len(games), ply), dice)
        if self._judge is not None:
            self._add_luck(self._judge, ply, dice, threads)
        after = np.empty_like(boards)
        for which, player in enumerate(self._players):
            rows = np.flatnonzero((games + ply) % 2 == which)
            if not len(rows):
                continue
            parts = np.array_split(rows, min(threads, len(rows) // WORTH_A_THREAD or 1))
            turn = _Turn(player, self._rules, boards, dice, self._begin * 2 + games, ply)
            for part, played in zip(parts, parallel_map(turn.played, parts, len(parts)), strict=True):
                after[part] = played
        result = results(after, self._rules)
        over = result != 0
        ended = games[over]
        # The result is the next player's.
        self.points[ended // 2, ended % 2] = -_sign_of_mover(ended, ply) * result[over]
        self._games, self._boards = games[~over], after[~over]

    def _add_luck(self, judge: Judge, ply: int, dice: Boards, threads: int) -> None:
        games, boards = self._games, self._boards
        # While both games of a pair are at the same position, the luck of one is that of the other with the
        # players changed: it cancels, that of the opening included.
        is_same = (games[1:] // 2 == games[:-1] // 2) & (boards[1:] == boards[:-1]).all(axis=1)
        rows = np.flatnonzero(~(np.append(is_same, False) | np.append(False, is_same)))
        luck = luck_of_rolls(*judge, boards[rows], dice[rows], threads)
        self.luck[games[rows] // 2, games[rows] % 2] += _sign_of_mover(games[rows], ply) * luck


def _sign_of_mover(games: npt.NDArray[np.int64], ply: int) -> npt.NDArray[np.int64]:
    """Return 1 for games in which the first player is on roll, else -1."""
    return np.where((games + ply) % 2 == 0, 1, -1)
