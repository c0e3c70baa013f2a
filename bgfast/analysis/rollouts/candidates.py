"""Candidates of a rollout: positions and plays, with their cube and score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from bgfast.analysis.rollouts.cube_use import Branch
from bgfast.batch.successors import results
from bgfast.errors import BgfastError, InvalidPositionError, shown
from bgfast.evaluation._stakes import CubeStakes
from bgfast.games.game import Game
from bgfast.position.decision import Decision, refuse_offer
from bgfast.position.objects import Play, PlayList, Position
from bgfast.position.position_text import PositionText, read_roll, read_whole_text
from bgfast.rules import RuleSet

RolloutInput = Position | Play | Decision | str
"""Position, as an object or as text, or play that can be rolled out."""


class Candidate(NamedTuple):
    """Position to roll out, and the player whose equity is estimated."""

    name: str
    position: Position
    sign: int  # 1: the player on roll, -1: the opponent, who has just made a play
    points: int = 0  # of the player on roll, if the game is over; 0: it is rolled out
    branch: Branch = "position"


def read_candidates(source: Any, rules: RuleSet) -> tuple[list[Candidate], list[Decision | None]]:
    """Return the candidates of a rollout and their contexts.

    Raises `InvalidPositionError`, `InvalidDiceError` or `NotationError` if there is no candidate, one is
    invalid, the game is over in all of them, or their numbers of checkers differ.
    """
    if isinstance(source, PlayList) and not len(source):
        source = source._pass()
    try:
        inputs = [source] if isinstance(source, RolloutInput) else list(source)
    except TypeError:
        inputs = []
    parsed = [(item, context) for entry in inputs for item, context in _parse(entry, rules)]
    result = [_candidate(item, rules) for item, _ in parsed]
    if not result:
        raise InvalidPositionError(
            f"{shown(source)} cannot be rolled out; expected a Position, a Play, text, or several of them"
        )
    if len({candidate.position.checkers for candidate in result}) > 1:
        raise InvalidPositionError(
            "the candidates have different numbers of checkers a side; expected the same number"
        )
    if all(candidate.points for candidate in result):
        raise InvalidPositionError(
            f"{result[0].name}: the game is over; expected a position or a play before its end"
        )
    return result, [context for _, context in parsed]


def _parse(source: Any, rules: RuleSet) -> Iterable[tuple[Any, Decision | None]]:
    """Return positions or plays with their contexts; text with a roll stands for all plays of the roll."""
    if not isinstance(source, (str, Decision)):
        return ((source, None),)
    text = read_whole_text(source) if isinstance(source, str) else PositionText(source.position, (), source)
    if text.rest or text.dice is not None:
        refuse_offer(text.context)
    text = text._replace(context=before_offer(text.context))
    if not text.rest and text.dice is None:
        return ((text.position, text.context),)
    plays = text.position.plays(read_roll(text), rules)
    return [(play, text.context) for play in (plays if len(plays) else (plays._pass(),))]


def before_offer(context: Decision | None) -> Decision | None:
    """Return a context as it was before the double on offer; raise `IllegalActionError` if it is illegal."""
    if context is None:
        return None
    if not isinstance(context, Decision):
        raise BgfastError(f"context is {shown(context)}; expected a Decision")
    if context.offer is None:
        return context
    Game.from_decision(context)
    return replace(context, offer=None)


def _candidate(item: Any, rules: RuleSet) -> Candidate:
    branch: Branch
    if isinstance(item, Play):
        name, position, sign, branch = str(item), item.position, -1, "play"
    elif isinstance(item, Position):
        name, position, sign, branch = item.gnubg_id, item, 1, "position"
    else:
        raise InvalidPositionError(
            f"{shown(item)} cannot be rolled out; expected a Position, a Play, or the text of a position"
        )
    points = 0
    if position.phase == "over":
        points = int(results([position.to_array()], rules, position.checkers)[0])
    return Candidate(name, position, sign, points, branch)


def common_context(contexts: Iterable[Decision | None]) -> Decision | None:
    """Return the cube and score that all candidates share, or None; raise `BgfastError` if they differ."""
    boardless = (
        None if context is None else replace(context, position=Position.start(), dice=None)
        for context in contexts
    )
    distinct = list(dict.fromkeys(boardless))
    if len(distinct) > 1:
        raise BgfastError(
            "the candidates have different cubes or scores, or some have none; expected the same for all, "
            "or cubeless=True"
        )
    return distinct[0]


def cube_branches(candidates: list[Candidate], decision: Decision, stakes: CubeStakes) -> list[Candidate]:
    """Return no double and double/take as candidates if a single position may be doubled.

    These two branches decide beavers and raccoons, too: without a maximum cube the games after them are
    those of double/take at two and four times the stakes. Raises as `check_beavers`.
    """
    candidate = candidates[0]
    if len(candidates) > 1 or candidate.sign < 0 or not stakes.may_double:
        return candidates
    check_beavers(decision, stakes)
    redouble = "redouble" if decision.cube_owner else "double"
    return [
        candidate._replace(name=f"no {redouble}", branch="no double"),
        candidate._replace(name=f"{redouble}, take", branch="double, take"),
    ]


def check_beavers(decision: Decision, stakes: CubeStakes) -> None:
    """Raise `BgfastError` if the two branches of `cube_branches` do not determine the value of a double."""
    if stakes.may_double and stakes.may_beaver_below_limit:
        raise BgfastError(
            f"a double may be beavered and the maximum cube is {decision.max_cube}; expected no beavers or "
            "no maximum: beavers are derived from rollouts of no double and double/take"
        )
