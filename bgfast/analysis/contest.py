"""Two players against each other: games with the same dice for both sides, and what they come to."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis._rollout_dice import rollout_dice
from bgfast.analysis.evaluators import Evaluator, Policy
from bgfast.analysis.rollout_trials import MOST_PLIES
from bgfast.batch.random_dice import random_dice
from bgfast.batch.successors import results, successors
from bgfast.common.threads import each
from bgfast.common.validation import checked_progress, rule_set, seed_number, thread_count, whole_number
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

__all__ = ["Contest", "contest"]

AT_ONCE = 2048  # pairs of games side by side
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
        If an argument is wrong.

    Examples
    --------
    >>> from bgfast.evaluators import PipCount, Random
    >>> found = contest(PipCount(), Random(), games=200, seed=1)
    >>> found.points_per_game > 1
    True
    """
    number = whole_number(games)
    if number is None or number < 4 or number % 2:
        raise BgfastError(f"games is {shown(games)}; expected an even number, 4 or more")
    chosen_rules = rule_set(rules)
    number_of_seed = seed_number(seed)
    number_of_threads = thread_count(threads)
    tell = checked_progress(progress)
    for player in (first, second):
        if not callable(player):
            raise BgfastError(f"player is {shown(player)}; expected an evaluator: a callable on boards")
    players = [Policy(player, chosen_rules, seed=number_of_seed) for player in (first, second)]
    openings = random_dice(number // 2, number_of_seed, opening=True)
    parts = []
    for at in range(0, number // 2, AT_ONCE):
        parts.append(
            _pairs(players, at, openings[at : at + AT_ONCE], chosen_rules, number_of_seed, number_of_threads)
        )
        tell(min(at + AT_ONCE, number // 2) / (number // 2))
    points = np.concatenate(parts)
    means = points.mean(axis=1)
    error = float(means.std(ddof=1)) / math.sqrt(len(means))
    return Contest(number, float(means.mean()), error, float((points > 0).mean()))


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


def _pairs(
    players: list[Policy], begin: int, openings: Boards, rules: RuleSet, seed: int, threads: int
) -> npt.NDArray[np.float64]:
    """Return the points of the first player in the games that each of the two begins, (pairs, 2)."""
    number = len(openings)
    points = np.zeros((number, 2))
    # Row 2 * pair + k is the game of the pair that player k begins.
    games = np.arange(2 * number)
    boards = np.repeat(Position.start().to_array()[None], 2 * number, axis=0)
    for ply in range(MOST_PLIES):
        dice = np.repeat(openings, 2, axis=0)
        if ply:
            dice = np.empty((len(games), 2), np.int8)
            rollout_dice(seed, False, begin + games // 2, np.full(len(games), ply), dice)
        after = np.empty_like(boards)
        for which, player in enumerate(players):
            mine = (games + ply) % 2 == which
            rows = np.flatnonzero(mine)
            if not len(rows):
                continue
            parts = np.array_split(rows, min(threads, len(rows) // WORTH_A_THREAD or 1))
            turn = _Turn(player, rules, boards, dice, begin * 2 + games, ply)
            for part, played in zip(parts, each(turn.played, parts, len(parts)), strict=True):
                after[part] = played
        outcomes = results(after, rules)
        over = outcomes != 0
        ended = games[over]
        # The next player has lost; the mover is player (game + ply) % 2.
        sign = np.where((ended + ply) % 2 == 0, -1, 1)
        points[ended // 2, ended % 2] = sign * outcomes[over]
        games, boards = games[~over], after[~over]
        if not len(games):
            return points
    raise BgfastError(f"games are not over after {MOST_PLIES:,} plies; expected players that end them")
