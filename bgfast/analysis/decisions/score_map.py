"""What is right at every score: the cube action, or the best play, in a map of points to go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.decisions.best_plays import best_plays
from bgfast.analysis.decisions.cube_decision import CubeDecision, checked_decision, cube_decisions, three
from bgfast.analysis.decisions.players import player_of
from bgfast.analysis.evaluators.evaluators import Evaluator
from bgfast.analysis.evaluators.lookahead import RankedPlays
from bgfast.common.columns import Tabular
from bgfast.common.validation import whole_number
from bgfast.errors import BgfastError, shown
from bgfast.position.decision import Decision
from bgfast.rules import STANDARD, RuleSetLike

__all__ = ["AWAY", "MOST_AWAY", "ScoreMap", "Stage", "score_map"]

AWAY = 9
MOST_AWAY = 25
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Stage(NamedTuple):
    """How far a player is from winning the match.

    Attributes
    ----------
    away : int
        Points to go.
    crawford : bool
        Whether it is the Crawford game, this player being the one who needs a point.
    """

    away: int
    crawford: bool = False

    @property
    def label(self) -> str:
        """As it stands beside a map: ``"C"`` the Crawford game, ``"1"`` after it, ``"2"``, ``"3"``, ..."""
        return "C" if self.crawford else str(self.away)


Answer = CubeDecision | RankedPlays


@dataclass(frozen=True)
class ScoreMap(Tabular):
    """What is right at every score, as `score_map` finds it.

    Attributes
    ----------
    decision : Decision
        What the map is of.
    stages : tuple of Stage
        Of the mover from one row to the next, and of the opponent from one column to the next.
    answers : tuple of tuples
        By row and column a `CubeDecision`, or the `RankedPlays` if there are dice; None where there is no
        such score: in the Crawford game one player needs a point and the other more, and nobody has doubled.

    Examples
    --------
    >>> import bgfast
    >>> found = bgfast.score_map("XGID=-BBCCCB------------bcccbb-:0:0:1:64:0:0:0:0:10", away=2, ply=0)
    >>> found.texts()[2], found.legend()
    (['A', 'A', 'A'], ['A 6/off 4/off'])
    """

    decision: Decision
    stages: tuple[Stage, ...]
    answers: tuple[tuple[Answer | None, ...], ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What stands beside rows and columns."""
        return tuple(stage.label for stage in self.stages)

    def texts(self) -> list[list[str]]:
        """Return each answer in a word: a cube action (``"ND"``, ``"D/T"``, ...), or the letter of a play."""
        letters = {play: letter for letter, play in self._lettered()}
        return [
            [
                letters[str(answer[0].play)] if isinstance(answer, RankedPlays) else _short(answer)
                for answer in row
            ]
            for row in self.answers
        ]

    def legend(self) -> list[str]:
        """Return what the words of `texts` stand for, a line each."""
        if self.decision.dice is not None:
            return [f"{letter} {play}" for letter, play in self._lettered()]
        used = {word for row in self.texts() for word in row}
        return [f"{short} {words}" for short, words in _SHORT_ACTIONS.items() if short in used]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each score that there is."""
        return [
            {"away": own.away, "opponent_away": other.away, "crawford": own.crawford or other.crawford}
            | _row(answer)
            for own, other, answer in self._each()
        ]

    def _each(self) -> Iterator[tuple[Stage, Stage, Answer]]:
        for own, row in zip(self.stages, self.answers, strict=True):
            for other, answer in zip(self.stages, row, strict=True):
                if answer is not None:
                    yield own, other, answer

    def _lettered(self) -> list[tuple[str, str]]:
        """Return the plays that are best at some score, the most frequent first, with a letter each."""
        best = [str(answer[0].play) for _, _, answer in self._each() if isinstance(answer, RankedPlays)]
        plays = sorted(set(best), key=lambda play: (-best.count(play), play))
        return [(_letter(at), play) for at, play in enumerate(plays)]


def _letter(at: int) -> str:
    return _LETTERS[at % 26] + (str(at // 26) if at >= 26 else "")


_SHORT_ACTIONS = {
    "ND": "no double",
    "D/T": "double, take",
    "D/P": "double, pass",
    "D/B": "double, beaver",
    "TG": "too good to double",
    "O/T": "optional double, take",
    "O/P": "optional double, pass",
    "T": "take",
    "P": "pass",
    "--": "no double possible",
}
"""The words of a map, redoubles being doubles there."""


def _short(answer: Answer | None) -> str:
    """Return a cube decision in a word; nothing where there is none."""
    if answer is None or isinstance(answer, RankedPlays):
        return ""
    action = answer.proper_action.replace("redouble", "double").replace("Redouble", "Double")
    if answer.why_not is not None:
        return "--"
    if answer.decision.offer is not None or action.startswith(("Double", "Optional")):
        return "/".join(word[0].upper() for word in action.replace(" double", "").split(", "))
    return "TG" if action.startswith("Too good") else "ND"


def _row(answer: Answer) -> dict[str, Any]:
    """Return the columns of an answer, the same for plays and the cube."""
    plays = answer if isinstance(answer, RankedPlays) else None
    cube = answer if isinstance(answer, CubeDecision) else None
    best: Any = answer[0] if isinstance(answer, RankedPlays) else answer.actions[0]
    action = str(best.play) if cube is None else cube.proper_action
    second = None if plays is None or len(plays) < 2 else plays[1]
    return {
        "action": action,
        "equity": best.equity,
        "mwc": best.mwc,
        **three(None if cube is None else cube.equities),
        "second": None if second is None else str(second.play),
        "second_difference": None if second is None else second.difference,
    }


def score_map(
    decision: Decision | str,
    evaluator: Evaluator | None = None,
    *,
    away: int = AWAY,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> ScoreMap:
    """Return what is right at every score: the cube action, or the best play where there are dice.

    Parameters
    ----------
    decision : Decision, or the text of one
        Its position, dice or offer, and cube; what the score was does not matter, nor Jacoby rule and
        beavers, which matches do not have.
    evaluator, met, efficiency, rules
        As for `cube_decision`.
    away : int
        How many points a player may need, 2 to 25.
    ply : {2, 0, 1}, optional
        How far to look ahead; 1 for plays, unless said.
    threads : int
        How many share the work.

    Returns
    -------
    ScoreMap
        Rows and columns are the points that the mover and the opponent need: the Crawford game (``"C"``),
        one after it (``"1"``), 2 and so on.

    Raises
    ------
    BgfastError
        As `cube_decision`, or `away` is wrong.

    Examples
    --------
    >>> import bgfast
    >>> found = bgfast.score_map("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", away=3, ply=0)
    >>> found.labels
    ('C', '1', '2', '3')
    >>> found.texts()[3]
    ['--', 'D/T', 'ND', 'ND']
    """
    given = decision if isinstance(decision, Decision) else Decision.read(decision)
    if given.dice is None:
        checked_decision(given)
    number = whole_number(away)
    if number is None or not 2 <= number <= MOST_AWAY:
        raise BgfastError(f"away is {shown(away)}; expected 2 to {MOST_AWAY} points")
    stages = (Stage(1, crawford=True), *(Stage(points) for points in range(1, number + 1)))
    places = [(own, other) for own in stages for other in stages]
    scores = [_at_score(given, own, other, number) for own, other in places]
    there = [each for each in scores if each is not None]
    answers: list[Answer]
    if given.dice is None:
        answers = list(cube_decisions(there, evaluator, ply=ply, met=met, efficiency=efficiency, rules=rules))
    else:
        player = player_of(evaluator, ply, 1, rules)
        answers = [best_plays(player, each, met, efficiency, threads) for each in there]
    left = iter(answers)
    found = [None if each is None else next(left) for each in scores]
    side = len(stages)
    return ScoreMap(given, stages, tuple(tuple(found[at : at + side]) for at in range(0, side * side, side)))


def _at_score(decision: Decision, own: Stage, other: Stage, length: int) -> Decision | None:
    """Return the decision at a score; None where there is none, or the cube cannot be like that."""
    crawford = own.crawford or other.crawford
    if crawford and (own.away == other.away or decision.cube > 1 or decision.cube_owner):
        return None
    if decision.offer is not None and (crawford or decision.cube >= own.away):  # a double that is not allowed
        return None
    return replace(
        decision,
        score=(length - own.away, length - other.away),
        match_length=length,
        crawford=crawford,
        jacoby=False,
        beaver=False,
    )
