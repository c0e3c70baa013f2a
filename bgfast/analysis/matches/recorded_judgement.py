"""Analyses of decisions in a match file."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

from bgfast.analysis.matches.analysed import AnalysedDecision
from bgfast.analysis.matches.counting import answer_counts, no_double_counts, play_counts
from bgfast.errors import BgfastError
from bgfast.evaluation.stakes import stakes_of
from bgfast.games.match import Match
from bgfast.games.state import Action
from bgfast.position.decision import Decision
from bgfast.records.recorded_analysis import CubeChances, CubeEquities, DecisionAnalysis


class RecordedChoice(NamedTuple):
    """Option of a decision with its equity in the file (EMG), for the player who decides."""

    text: str  # as `Choice.text`
    equity: float
    level: str  # evaluation method, in the words of the program that wrote the file


class RecordedJudgement(NamedTuple):
    """Analysis of a decision in the file."""

    choices: tuple[RecordedChoice, ...]  # in the order of the file, best first
    chosen: RecordedChoice
    counted: bool  # True: the decision counts for PR by the equities of the file

    @property
    def best(self) -> RecordedChoice:
        """Best choice."""
        return self.choices[0]

    @property
    def error(self) -> float:
        """Equity loss of the recorded choice, 0 or more."""
        return max(0.0, self.best.equity - self.chosen.equity)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data for JSON."""
        return {**recorded_content(self), "recorded_choices": [choice._asdict() for choice in self.choices]}

    def loss_of(self, text: str) -> float | None:
        """Return the equity loss of a choice; None if the file does not list it."""
        equity = next((choice.equity for choice in self.choices if choice.text == text), None)
        return None if equity is None else max(0.0, self.best.equity - equity)


def recorded_judgements(
    match: Match, decisions: Sequence[AnalysedDecision]
) -> tuple[RecordedJudgement | None, ...]:
    """Return the file's analysis of each decision; None if it is missing or damaged."""
    if not match.recorded_analysis:
        return (None,) * len(decisions)
    history = match.history
    return tuple(_judgement(match, history, analysed) for analysed in decisions)


def _judgement(
    match: Match, history: Sequence[Action], analysed: AnalysedDecision
) -> RecordedJudgement | None:
    recorded = analysed.recorded
    action = recorded.action if recorded.chosen != "no double" else _turn_after(history, recorded.action)
    analysis = match.recorded_analysis.get(action)
    if not isinstance(analysis, DecisionAnalysis):
        return None
    if recorded.kind == "play":
        choices = _plays(match, analysed, analysis)
        counted = bool(choices) and play_counts([choice.equity for choice in choices], analysed.legal)
    elif recorded.kind == "resignation" or analysis.cube is None:
        return None
    else:
        cube = cube_equities(analysis.cube, recorded.decision)
        choices = _cube_choices(recorded.kind == "double", cube)
        counted = _cube_counts(recorded.chosen, cube)
    by_text = {choice.text: choice for choice in choices}
    if recorded.chosen not in by_text or not all(isfinite(choice.equity) for choice in choices):
        return None
    return RecordedJudgement(choices, by_text[recorded.chosen], counted)


def recorded_content(recorded: RecordedJudgement | None) -> dict[str, Any]:
    """Return the columns of the file's analysis; all None without one."""
    return {
        "recorded_best": None if recorded is None else recorded.best.text,
        "recorded_equity": None if recorded is None else recorded.chosen.equity,
        "recorded_best_equity": None if recorded is None else recorded.best.equity,
        "recorded_error": None if recorded is None else recorded.error,
        "recorded_counted": None if recorded is None else recorded.counted,
        "recorded_level": None if recorded is None else recorded.chosen.level,
        "recorded_best_level": None if recorded is None else recorded.best.level,
    }


def _turn_after(history: Sequence[Action], action: int) -> int:
    """Return the index of the action that ends the turn of a roll."""
    following = range(action + 1, len(history))
    return next((index for index in following if history[index].name in ("play", "pass_turn")), action)


def _plays(
    match: Match, analysed: AnalysedDecision, analysis: DecisionAnalysis
) -> tuple[RecordedChoice, ...]:
    """Return the plays of the file in canonical notation; none if any is illegal: it may be the best."""
    decision = analysed.recorded.decision
    assert decision.dice is not None
    legal = decision.position.plays(decision.dice, match.rules)
    choices: dict[str, RecordedChoice] = {}
    for play in analysis.plays:
        try:
            text = str(legal[play.text])
        except BgfastError:
            return ()
        choices.setdefault(text, RecordedChoice(text, play.equity, play.level))
    return tuple(choices.values())


def cube_equities(cube: CubeEquities | CubeChances, decision: Decision) -> CubeEquities:
    """Return the equities of a cube decision; match-winning chances are those of the table of bgfast."""
    if isinstance(cube, CubeEquities):
        return cube
    stakes = stakes_of(decision)
    no_double, double_take = (
        float(stakes.normalized(chance)) for chance in (cube.no_double, cube.double_take)
    )
    return CubeEquities(no_double, double_take, 1.0, cube.probabilities, cube.level)


def _cube_choices(is_doubling: bool, cube: CubeEquities) -> tuple[RecordedChoice, ...]:
    """Return the choices of a cube decision, best first, for the player who decides."""
    if is_doubling:
        equities = {"no double": cube.no_double, "double": min(cube.double_take, cube.double_drop)}
    else:
        equities = {"take": -cube.double_take, "drop": -cube.double_drop}
    choices = [RecordedChoice(text, equity, cube.level) for text, equity in equities.items()]
    return tuple(sorted(choices, key=lambda choice: -choice.equity))


def _cube_counts(chosen: str, cube: CubeEquities) -> bool:
    if chosen == "no double":
        return no_double_counts(cube.no_double, cube.double_take, cube.double_drop)
    return chosen == "double" or answer_counts(cube.double_take, cube.double_drop)
