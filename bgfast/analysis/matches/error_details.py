"""Largest errors of an analysed match, and their report data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from bgfast.analysis.matches.analysed import DROP_EQUITY, AnalysedDecision, RecordedJudgement
from bgfast.analysis.matches.match_statistics import MatchStatistics, error_mark
from bgfast.analysis.matches.reasons import cube_reasons, play_reasons, reason_line
from bgfast.analysis.roll_map import roll_map
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.text import cut
from bgfast.common.validation import bounded_number
from bgfast.errors import one_line
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.position.decision import Decision
from bgfast.position.objects import Play
from bgfast.position.picture import Diagram
from bgfast.rules import RuleSet

MAX_BOARD_NAME = 18
"""Maximum length of a name beside a board, in characters."""
CHECKER_COLOURS = {"X": "white", "O": "black"}
"""Colours of both sides on the boards of a page, in words."""


class ShownChoice(NamedTuple):
    """Choice of a decision, for display; equities are those of the player who decides (EMG)."""

    text: str  # "8/5 6/5", "Double", "if taken"
    equity: float
    difference: float | None  # from the best choice; None for that one and for answers to a double
    level: str  # "2-ply", "1,296 trials"; empty if the rules determine the equity
    equity_se: float = 0.0  # 0 without a rollout
    mwc: float | None = None  # None in money play
    probabilities: tuple[float, ...] | None = None
    role: str = ""  # "best", or "played" for another recorded choice
    is_answer: bool = False  # equity after an answer to the preceding double

    @property
    def equity_text(self) -> str:
        """Equity with half the width of its interval."""
        return f"{self.equity:+.3f}{half_width_text(self.equity_se, 3)}"

    @property
    def loss(self) -> str:
        """Equity loss against the best choice; empty for that one and for answers."""
        return "" if self.difference is None else f"{-self.difference:+.3f}"


@dataclass(frozen=True, kw_only=True)
class ErrorDetails:
    """Report data of an error. Texts are as recorded, not cleaned or escaped."""

    name: str  # of the player who decided
    opponent: str
    side: Literal["X", "O"]
    game: int
    move: int  # line of the score sheet
    situation: str  # "to play 6-4", "may double", "is doubled"
    context: str  # score and cube
    chosen: str
    best: str
    cost: str  # equity loss, with its interval, and the loss of match winning chance
    mark: str | None  # "very bad" and so on
    status: str  # of a rollout; empty without one
    why: str  # reasons in one line; may be empty
    candidates: tuple[ShownChoice, ...]  # highest equity first
    by_file: str  # analysis of the file; empty without one
    diagram: Diagram  # arrows of the best play and, as its other moves, of the recorded one
    xgid: str
    board_text: str  # the printed board

    @property
    def colour(self) -> str:
        """Colour of the player's checkers: ``"white"`` for X, ``"black"`` for O."""
        return CHECKER_COLOURS[self.side]


def half_width_text(error: float | None, digits: int = 2) -> str:
    """Return half the width of the 95 % interval; empty without a standard error."""
    return f" ± {NORMAL_95 * error:.{digits}f}" if error else ""


def rollout_status(decision: AnalysedDecision) -> str:
    """Return the outcome of the rollout; empty without one."""
    return "" if decision.status == "not rolled out" else decision.status


def largest_errors(analysis: MatchStatistics, number: int) -> list[AnalysedDecision]:
    """Return the plays and cube decisions with the largest errors, up to `number`; no resignations."""
    maximum = bounded_number("worst", number)
    errors = analysis.worst(len(analysis.decisions))
    return [decision for decision in errors if decision.recorded.kind != "resignation"][:maximum]


def error_details(decision: AnalysedDecision, analysis: MatchStatistics) -> ErrorDetails:
    """Return the report data of a play or cube decision of an analysis.

    Market losers come from the built-in network at 0 plies, which takes a quarter of a second.
    """
    recorded, names = decision.recorded, analysis.names
    board, status = recorded.decision, recorded.decision.status[2:]  # without the colour
    legal = None if board.dice is None else board.position.plays(board.dice, analysis.match.rules)
    plays = None if legal is None else (legal[decision.best.text], legal[recorded.chosen])
    first, second = (cut(one_line(name), MAX_BOARD_NAME) for name in names)
    offer = "is doubled" if recorded.kind == "take" else f"may {_doubling(board)}"
    return ErrorDetails(
        name=names[recorded.player],
        opponent=names[1 - recorded.player],
        side=PLAYER_NAMES[recorded.player],
        game=recorded.game,
        move=recorded.move,
        situation=offer if plays is None else status,
        context=_context(board, names),
        chosen=_choice_text(recorded.chosen, board),
        best=_choice_text(decision.best.text, board),
        cost=_cost(decision),
        mark=error_mark(decision.error),
        status=rollout_status(decision),
        why=_reasons(decision, analysis, plays),
        candidates=_candidates(decision),
        by_file=_file_analysis(analysis.recorded_judgement_of(decision)),
        diagram=replace(
            board._diagram(),
            status=status,
            names=(first, second),
            moves=plays[0].moves if plays else (),
            other_moves=plays[1].moves if plays else (),
        ),
        xgid=board.xgid,
        board_text=str(board),
    )


def _choice_text(choice: str, decision: Decision) -> str:
    """Return a choice as shown: a play in notation, or a capitalized cube action."""
    return choice if "/" in choice else choice.replace("double", _doubling(decision)).capitalize()


def _doubling(decision: Decision) -> str:
    return "redouble" if decision.cube_owner == 1 else "double"


def _context(decision: Decision, names: tuple[str, str]) -> str:
    """Return the score of players 0 and 1, and the cube."""
    first, second = decision.score[:: decision.turn]
    length = decision.match_length
    score = f"Score {first}-{second} of {length}" if length else "Money game"
    if decision.crawford:
        return f"{score}, Crawford game."
    owner = decision.cube_owner * decision.turn
    owned = f" ({names[0 if owner > 0 else 1]})" if owner else ""
    jacoby = ", Jacoby rule" if decision.jacoby else ""
    return f"{score}, cube {decision.cube}{owned}{jacoby}."


def _cost(decision: AnalysedDecision) -> str:
    mwc = "" if decision.error_mwc is None else f", {decision.error_mwc:.2%} of the match"
    return f"{decision.error:.3f}{half_width_text(decision.error_se, 3)}{mwc}"


def _file_analysis(judgement: RecordedJudgement | None) -> str:
    """Return the analysis of the file in one line; empty without one."""
    if judgement is None:
        return ""
    best, chosen = judgement.best, judgement.chosen
    text = f"Analysis in the file: {best.text} {best.equity:+.3f} ({best.level})"
    if chosen != best:
        text += f"; {chosen.text} {chosen.equity:+.3f} ({chosen.level}), error {judgement.error:.3f}"
    return text


# ---------------------------------------------------------------- candidates


def _candidates(decision: AnalysedDecision) -> tuple[ShownChoice, ...]:
    """Return the choices, highest equity first; a double is followed by its equities after both answers."""
    board, best = decision.recorded.decision, decision.best
    candidates: list[ShownChoice] = []
    for choice in sorted(decision.choices, key=lambda choice: -choice.equity):
        text, difference = _choice_text(choice.text, board), choice.equity - best.equity
        values = choice.level, choice.equity_se, choice.mwc, choice.probabilities
        if choice is best:
            candidates.append(ShownChoice(text, choice.equity, None, *values, "best"))
        else:
            role = "played" if choice.text == decision.recorded.chosen else ""
            candidates.append(ShownChoice(text, choice.equity, difference, *values, role))
        if choice.text == "double" and decision.taken is not None:
            taken = decision.taken
            candidates += [
                ShownChoice("if taken", taken.equity, None, taken.level, is_answer=True),
                ShownChoice("if dropped", DROP_EQUITY, None, "", is_answer=True),
            ]
    return tuple(candidates)


# ---------------------------------------------------------------- reasons


def _reasons(decision: AnalysedDecision, analysis: MatchStatistics, plays: tuple[Play, Play] | None) -> str:
    if plays is None:
        reasons = "; ".join(_cube_reasons(decision, analysis))
        return f"{one_line(analysis.names[decision.recorded.player])} {reasons}."
    best, played = plays
    positions = best.start, best.position, played.position
    probabilities = decision.best.probabilities, decision.chosen.probabilities
    reasons_of_play = play_reasons(*positions, *probabilities, analysis.match.rules)
    return reason_line(reasons_of_play, decision.best.text)


def _cube_reasons(decision: AnalysedDecision, analysis: MatchStatistics) -> Iterator[str]:
    board, action, losers = decision.recorded.decision, decision.best.text, None
    if decision.recorded.kind == "take":
        own = next(item.probabilities for item in decision.choices if item.probabilities)
        probabilities = (1 - own[0], *own[3:], *own[1:3])  # of the doubler
    else:
        assert decision.taken is not None
        assert decision.best.probabilities is not None
        probabilities = decision.best.probabilities
        losers = _market_lost(board, analysis.met, analysis.match.rules)
        if action != "double" and min(decision.no_double, decision.taken.equity) > DROP_EQUITY:
            action = "too good"
    efficiency = str(analysis.settings.get("efficiency", "bgfast"))
    return cube_reasons(board, action, probabilities, losers, analysis.met, efficiency)


@lru_cache(maxsize=64)
def _market_lost(board: Decision, met: MatchEquityTable | None, rules: RuleSet) -> float | None:
    """Return the share of market losers, cached for several reports on the same error."""
    return roll_map(board, replies=True, ply=0, met=met, rules=rules).market_lost
