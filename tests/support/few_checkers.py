"""Slow evaluation of backgammon with few checkers per side, without the compiled core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

from bgfast import reference

Board = tuple[int, ...]
Row = tuple[float, ...]
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


class Successor(NamedTuple):
    """Position after a play, from the next player's side, and the points won by the mover, or 0."""

    board: Board
    points: int


Plays = list[tuple[int, list[Successor]]]
"""Weight of each roll, and the positions after its plays; a pass changes only the player on roll."""


def all_boards(checkers: int) -> Iterator[Board]:
    """Yield every position with 1 to `checkers` checkers in play on each side."""
    sides = list(combinations_with_replacement(range(26), checkers))[1:]  # the first side is empty
    for mover in sides:
        for opponent in sides:
            if not set(mover) & {25 - point for point in opponent} & set(range(1, 25)):
                board = [0] * 26
                for point in filter(None, mover):
                    board[point] += 1
                for point in filter(None, opponent):
                    board[25 - point] -= 1
                yield tuple(board)


def points_won(board: Board, checkers: int) -> int:
    """Return 1 to 3 points if the mover has no checker left, else 0."""
    if any(count > 0 for count in board):
        return 0
    if -sum(board) < checkers:
        return 1
    # A backgammon: a checker on the bar or in the winner's home board.
    return 3 if any(board[:7]) else 2


def plays_of(board: Board, checkers: int) -> Plays:
    """Return the plays of all rolls from the reference generator."""
    return [
        (
            1 if high == low else 2,
            [
                Successor(reference.flip(board_after), points_won(board_after, checkers))
                for board_after in sorted(reference.legal_positions(board, high, low)) or [board]
            ],
        )
        for high, low in ROLLS
    ]


def cubeless_row(plays: Plays, evaluate: Callable[[Board], Row]) -> Row:
    """Return probabilities and equity; both players maximise equity and break ties by winning chance."""
    sums = [0.0] * 6
    for weight, children in plays:
        choices = [_mover_row(child, evaluate) for child in children]
        equity = max(choice[5] for choice in choices)
        best_row = max(choice for choice in choices if choice[5] > equity - 1e-12)
        sums = [total + weight * value / 36 for total, value in zip(sums, best_row, strict=True)]
    return tuple(sums)


def _mover_row(child: Successor, evaluate: Callable[[Board], Row]) -> Row:
    points = child.points
    if points:
        return 1.0, float(points > 1), float(points > 2), 0.0, 0.0, float(points)
    win, gammon, backgammon, lost_gammon, lost_backgammon, equity = evaluate(child.board)
    return 1 - win, lost_gammon, lost_backgammon, gammon, backgammon, -equity


def cube_values(plays: Plays, evaluate: Callable[[Board], Row]) -> Row:
    """Return money equities with the cube unavailable, owned, centred, and centred with the Jacoby rule."""

    def mean_over_rolls(column: int, jacoby: bool) -> float:
        total = 0.0
        for weight, children in plays:
            total += weight * max(
                (1 if jacoby else child.points) if child.points else -evaluate(child.board)[column]
                for child in children
            )
        return total / 36

    unavailable, owned, centred, jacoby = (
        mean_over_rolls(1, False),
        mean_over_rolls(0, False),
        mean_over_rolls(2, False),
        mean_over_rolls(3, True),
    )
    double = min(2 * unavailable, 1)
    return unavailable, max(owned, double), max(centred, double), max(jacoby, double)


class Score(NamedTuple):
    """Score and cube for the player on roll; `owner` is 1 (this player), 0 (nobody) or -1 (the opponent)."""

    away: int
    opponent_away: int
    crawford: bool
    cube: int
    owner: int


def mwc(
    board: Board,
    plays: Plays,
    score: Score,
    evaluate: Callable[[Board, Score], float],
    equity: Callable[[int, int, bool], float],
) -> float:
    """Return the match-winning chance at the beginning of a turn.

    `equity(away, opponent_away, after_crawford)` returns the chance at the start of a game; points away may
    be negative.
    """
    away, opponent_away, crawford, cube, owner = score
    after_crawford = crawford or min(away, opponent_away) == 1

    def mean_over_rolls(score: Score) -> float:
        flipped_score = Score(score.opponent_away, score.away, score.crawford, score.cube, -score.owner)
        total = 0.0
        for weight, children in plays:
            total += weight * max(
                equity(away - score.cube * child.points, opponent_away, after_crawford)
                if child.points
                else 1 - evaluate(child.board, flipped_score)
                for child in children
            )
        return total / 36

    no_double = mean_over_rolls(score)
    if crawford or owner == -1 or cube >= away:
        return no_double
    double_take = mean_over_rolls(Score(away, opponent_away, False, 2 * cube, -1))
    return max(no_double, min(double_take, equity(away - cube, opponent_away, after_crawford)))
