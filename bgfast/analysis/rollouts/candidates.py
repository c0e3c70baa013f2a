"""What is rolled out: positions and plays, as they were given, and the cube and score that they came with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.rollouts.cube_use import Branch
from bgfast.batch.successors import results
from bgfast.errors import BgfastError, InvalidPositionError, shown
from bgfast.games.game import Game
from bgfast.position.decision import Decision, refuse_offer
from bgfast.position.objects import Play, PlayList, Position
from bgfast.position.position_text import PositionText, read_roll, read_whole_text
from bgfast.rules import RuleSet

__all__ = [
    "Candidate",
    "Given",
    "before_offer",
    "candidates",
    "check_beavers",
    "common_context",
    "cube_branches",
]

Given = Position | Play | Decision | str
"""One that is to be rolled out: a position as an object or as text, or a play."""


class Candidate(NamedTuple):
    """A position to roll out, and whose result is asked for."""

    name: str
    position: Position
    sign: int  # 1: the player on roll, -1: the opponent, who has just made a play
    points: int = 0  # of the player on roll, if the play has ended the game: there is nothing to roll out
    branch: Branch = "position"


def candidates(given: Any, rules: RuleSet) -> tuple[list[Candidate], list[Decision | None]]:
    """Return the candidates, and the context that each came with.

    Raises
    ------
    InvalidPositionError, InvalidDiceError, NotationError
        If there is none, one is none, all are finished, or they have different numbers of checkers.
    """
    if isinstance(given, PlayList) and not len(given):
        given = given._pass()
    try:
        several = [given] if isinstance(given, Given) else list(given)
    except TypeError:
        several = []
    read = [(one, context) for each in several for one, context in _read(each, rules)]
    found = [_candidate(one, rules) for one, _ in read]
    if not found:
        raise InvalidPositionError(
            f"{shown(given)} is nothing to roll out; expected a Position, a Play, text, or some"
        )
    if len({candidate.position.checkers for candidate in found}) > 1:
        raise InvalidPositionError(
            "the candidates have different numbers of checkers a side; expected one and the same"
        )
    if all(candidate.points for candidate in found):
        raise InvalidPositionError(
            f"{found[0].name}: the game is finished; expected a position, or a play, to be played on from"
        )
    return found, [context for _, context in read]


def _read(given: Any, rules: RuleSet) -> Iterable[tuple[Any, Decision | None]]:
    """Return what a text stands for, a position or the plays of its roll, each with its context."""
    if not isinstance(given, (str, Decision)):
        return ((given, None),)
    text = read_whole_text(given) if isinstance(given, str) else PositionText(given.position, (), given)
    if text.rest or text.dice is not None:
        refuse_offer(text.context)
    text = text._replace(context=before_offer(text.context))
    if not text.rest and text.dice is None:
        return ((text.position, text.context),)
    plays = text.position.plays(read_roll(text), rules)
    return [(play, text.context) for play in (plays if len(plays) else (plays._pass(),))]


def before_offer(context: Decision | None) -> Decision | None:
    """Return the context of what waits for an answer as it was before the double.

    Raises
    ------
    IllegalActionError
        If the rules do not allow what is on offer.
    """
    if context is None or context.offer is None:
        return context
    Game.from_decision(context)
    return replace(context, offer=None)


def _candidate(given: Any, rules: RuleSet) -> Candidate:
    branch: Branch
    if isinstance(given, Play):
        name, position, sign, branch = str(given), given.position, -1, "play"
    elif isinstance(given, Position):
        name, position, sign, branch = given.gnubg_id, given, 1, "position"
    else:
        raise InvalidPositionError(
            f"{shown(given)} cannot be rolled out; expected a Position, a Play, or the text of a position"
        )
    points = 0
    if position.phase == "over":
        points = int(results([position.to_array()], rules, position.checkers)[0])
    return Candidate(name, position, sign, points, branch)


def common_context(contexts: Iterable[Decision | None]) -> Decision | None:
    """Return the cube and the score that all candidates are played for; None if none came with any.

    Raises
    ------
    BgfastError
        If they differ.
    """
    different = list(dict.fromkeys(map(_without_board, contexts)))
    if len(different) > 1:
        raise BgfastError(
            "the candidates come with different cubes or scores, or some with none; expected the same of "
            "all, or cubeless=True"
        )
    return different[0]


def _without_board(context: Decision | None) -> Decision | None:
    return None if context is None else replace(context, position=Position.start(), dice=None)


def cube_branches(found: list[Candidate], decision: Decision, stakes: HeldStakes) -> list[Candidate]:
    """Return the candidates of a decision: of one position before the roll not to double, and to double.

    To double or not, and to double and have it taken, tells how to answer beavers and raccoons, too: without
    a greatest cube the games are the same, for twice and four times as much.

    Raises
    ------
    BgfastError
        If there are beavers, and the cube has a greatest value.
    """
    only = found[0]
    if len(found) > 1 or only.sign < 0 or not stakes.may_double:
        return found
    check_beavers(decision, stakes)
    redouble = "redouble" if decision.cube_owner else "double"
    return [
        only._replace(name=f"no {redouble}", branch="no double"),
        only._replace(name=f"{redouble}, take", branch="double, take"),
    ]


def check_beavers(decision: Decision, stakes: HeldStakes) -> None:
    """Raise `BgfastError` if two branches do not tell what a double is worth: see `cube_branches`."""
    if stakes.may_double and stakes.may_beaver_below_limit:
        raise BgfastError(
            f"a double may be beavered, and the cube goes up to {decision.max_cube}; expected no beavers, or "
            "a cube without a greatest value: what is rolled out is to double or not, and to have it taken"
        )
