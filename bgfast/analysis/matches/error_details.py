"""Largest errors of an analysed match, their report data, and the reasons for the best choices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import isnan
from typing import Literal, NamedTuple

import numpy as np

from bgfast.analysis.maps import roll_map
from bgfast.analysis.matches.analysed import DROP_EQUITY, AnalysedDecision, RecordedJudgement
from bgfast.analysis.matches.match_statistics import MatchStatistics, PlayerNames, error_word
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.text import cut
from bgfast.common.validation import BOARD_SIZE, HOME, ROLLS, roll_weight, validate_number
from bgfast.errors import one_line
from bgfast.evaluation.actions import CubePoints, cube_points
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.position.picture import Diagram
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

MAX_BOARD_NAME = 15
"""Maximum length of a name next to a board, in characters."""
CHECKER_COLOURS = {"X": "white", "O": "black"}
"""Names of the checker colours on the boards of a page, by side."""


class ShownChoice(NamedTuple):
    """Choice of a decision, for display; equities are for the player who decides (EMG)."""

    text: str  # "8/5 6/5", "Double", "if taken"
    equity: float
    difference: float | None  # from the best choice; None for the best choice and for answers to a double
    level: str  # "2-ply", "1,296 trials"; empty if the rules determine the equity
    equity_se: float = 0.0  # 0 without a rollout
    mwc: float | None = None  # None in money play and for answers
    probabilities: tuple[float, ...] | None = None
    role: str = ""  # "best", "played" (recorded but not best) or empty
    is_answer: bool = False  # True: equity after an answer to the preceding double

    @property
    def equity_text(self) -> str:
        """Equity with half the width of its interval."""
        return f"{self.equity:+.3f}{half_width_text(self.equity_se, 3)}"

    @property
    def loss(self) -> str:
        """Equity less the best choice's equity; empty for the best choice and for answers."""
        return "" if self.difference is None else f"{self.difference:+.3f}"


class Reason(NamedTuple):
    """Fact about the best choice, compared with the recorded choice."""

    text: str  # predicate without a subject: "wins 57.3% instead of 54.1%"
    favourable: bool | None = True  # False: against the best choice; None: neither for nor against
    chip: str = ""  # short form, from the recorded to the best choice: "wins +3.2", "shots 25 -> 0"
    size: float = 0.0  # rough contribution to the equity difference; reasons are ordered by it


class CubeBar(NamedTuple):
    """Winning chance of the player with the cube decision, and the chances at which the action changes."""

    win: float
    points: tuple[tuple[str, float], ...]  # names and chances, the smallest chance first


class Explanation(NamedTuple):
    """Reasons for the best choice of an error."""

    why: str  # the two largest reasons as a sentence; may be empty
    others: tuple[Reason, ...]  # the other reasons, largest first
    cube_bar: CubeBar | None = None  # None for plays

    @property
    def more(self) -> str:
        """Short forms of the other reasons in one line; empty if there are none."""
        pro = ", ".join(item.chip for item in self.others if item.favourable is not False)
        contra = ", ".join(item.chip for item in self.others if item.favourable is False)
        parts = pro and f"Also {pro}", contra and f"{'against' if pro else 'Against'} it {contra}"
        return "; ".join(filter(None, parts)) + "." * any(parts)


@dataclass(frozen=True, kw_only=True)
class ErrorDetails:
    """Report data of an error. Texts are as recorded, not cleaned or escaped."""

    name: str  # player who decided
    opponent: str
    side: Literal["X", "O"]
    game: int
    move: int  # line of the score sheet
    situation: str  # "to play 6-4", "may double", "is doubled"
    context: str  # score and cube
    chosen: str
    best: str
    loss: str  # loss of equity with its interval, and of match winning chance, both signed
    word: str  # "error", "blunder" or empty
    status: str  # outcome of the rollout; empty if there is none
    proper_action: str  # proper cube action, such as "no double, take"; empty for plays
    explanation: Explanation
    candidates: tuple[ShownChoice, ...]  # highest equity first
    file_analysis: str  # analysis in the file; empty if there is none
    diagram: Diagram  # with arrows of the best play and, as `other_moves`, of the recorded play
    xgid: str
    board_text: str  # the printed board

    @property
    def headline(self) -> str:
        """Word and loss: ``"Blunder -0.208, -3.2% MWC"``."""
        return f"{self.word.capitalize()} {self.loss}".strip()


def half_width_text(standard_error: float | None, digits: int = 2) -> str:
    """Return half the width of the 95 % interval as text; empty without a standard error."""
    return f" ± {NORMAL_95 * standard_error:.{digits}f}" if standard_error else ""


def rollout_status(decision: AnalysedDecision) -> str:
    """Return the outcome of the rollout; empty if there is none."""
    return "" if decision.status == "not rolled out" else decision.status


def largest_errors(
    analysis: MatchStatistics, count: int, player: PlayerNames | None = None
) -> list[AnalysedDecision]:
    """Return the plays and cube decisions with the `count` largest errors, of one player or of both."""
    maximum = validate_number("worst", count)
    errors = analysis.worst(len(analysis.decisions), player)
    return [decision for decision in errors if decision.recorded.kind != "resignation"][:maximum]


def error_details(decision: AnalysedDecision, analysis: MatchStatistics) -> ErrorDetails:
    """Return the report data of a play or cube decision of an analysis."""
    recorded, names = decision.recorded, analysis.names
    board, status = recorded.decision, recorded.decision.status[2:]  # without the colour
    first, second = (cut(one_line(name), MAX_BOARD_NAME) for name in names)
    return ErrorDetails(
        name=names[recorded.player],
        opponent=names[1 - recorded.player],
        side=PLAYER_NAMES[recorded.player],
        game=recorded.game,
        move=recorded.move,
        situation=recorded.situation,
        context=_context(board, names),
        chosen=_choice_text(recorded.chosen, board),
        best=_choice_text(decision.best.text, board),
        loss=loss_text(decision),
        word=error_word(decision.error) or "",
        status=rollout_status(decision),
        proper_action="" if recorded.kind == "play" else proper_action(decision),
        explanation=explain(decision, analysis),
        candidates=rank_choices(decision),
        file_analysis=_file_analysis(analysis.recorded_judgement_of(decision)),
        diagram=replace(decision._diagram(), status=status, names=(first, second)),
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


def loss_text(decision: AnalysedDecision) -> str:
    """Return the loss of equity with its interval, and of match winning chance, both signed."""
    mwc = "" if decision.error_mwc is None else f", {-decision.error_mwc:+.1%} MWC"
    return f"{-decision.error:+.3f}{half_width_text(decision.error_se, 3)}{mwc}"


def _file_analysis(judgement: RecordedJudgement | None) -> str:
    """Return the analysis in the file as one line; empty if there is none."""
    if judgement is None:
        return ""
    played = f"; played {judgement.chosen}, loss {-judgement.error:+.3f}"
    return f"Analysis in the file: best {judgement.best}{played * (judgement.chosen != judgement.best)}"


# ---------------------------------------------------------------- candidates


def rank_choices(decision: AnalysedDecision) -> tuple[ShownChoice, ...]:
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


# ---------------------------------------------------------------- reasons for the best choice


def explain(decision: AnalysedDecision, analysis: MatchStatistics, market: bool = True) -> Explanation:
    """Return the reasons for the best choice of a play or cube decision.

    `market` adds market losers found by the built-in network at 0 plies; this takes a quarter of a second.
    """
    board, rules = decision.recorded.decision, analysis.match.rules
    best, action = decision.best, decision.best.text
    if decision.recorded.kind == "play":
        best_play, played = decision.plays_shown
        positions = best_play.start, best_play.position, played.position
        reasons = play_reasons(*positions, best.probabilities, decision.chosen.probabilities, rules)
        main, others = main_reasons(reasons)
        return Explanation(reason_line(main, action), tuple(others))
    losers = None
    if decision.recorded.kind == "take":
        answer = next(choice for choice in decision.choices if choice.probabilities is not None)
        probabilities = answer.of_opponent().probabilities
    else:
        probabilities = best.probabilities
        losers = _market_loser_share(board, analysis.met, rules) if market else None
        action = "too good" if decision.is_too_good else action
    assert probabilities is not None
    efficiency = str(analysis.settings.get("efficiency", "bgfast"))
    points = cube_points(probabilities, board, efficiency=efficiency, met=analysis.met)
    texts = [*cube_reasons(board, action, probabilities, points, losers)]
    facts = tuple(Reason(text, None, text) for text in texts[2:])
    name = one_line(analysis.names[decision.recorded.player])
    return Explanation(f"{name} {'; '.join(texts[:2])}.", facts, cube_bar(action, probabilities[0], points))


def proper_action(decision: AnalysedDecision) -> str:
    """Return the proper cube action; for a doubling decision, with the proper answer."""
    board, action = decision.recorded.decision, decision.best.text
    if decision.taken is None:
        return action
    answer = "drop" if decision.taken.equity > DROP_EQUITY else "take"
    if decision.is_too_good:
        return f"too good to {_doubling(board)}, {answer}"
    return f"{action.replace('double', _doubling(board))}, {answer}"


def cube_bar(action: str, win: float, points: CubePoints) -> CubeBar:
    """Return the bar of a cube action from the doubler's winning chance and cube points.

    The bar is for the deciding player; points that the rules or the score exclude are left out.
    """
    if action in ("take", "beaver", "drop"):
        win, limits = 1 - win, [("take point", 1 - points.cash)]
    else:
        limits = [("double", points.double), ("take up to", points.cash), ("too good", points.too_good)]
    return CubeBar(win, tuple((name, point) for name, point in limits if 0 < point < 1))


@lru_cache(maxsize=64)
def _market_loser_share(decision: Decision, met: MatchEquityTable | None, rules: RuleSet) -> float | None:
    """Return the probability that the market is lost, cached for several reports on the same error."""
    return roll_map(decision, replies=True, ply=0, met=met, rules=rules).market_lost


# ---- reasons as text ----


MIN_CHANGE = 0.005
"""Minimum difference in probability that counts as a reason."""


_CHANCES = (
    ("wins", "wins", 0, 2.0),
    ("wins a gammon in", "gammons", 1, 1.0),
    ("loses a gammon in", "gammons lost", 3, 1.0),
)
"""Text and short form of each chance, its index among the probabilities, and its weight in equity."""
SIZES = {
    "hit": 0.15,
    "shot": 0.4 / 36,
    "point": 0.12,
    "prime": 0.08,
    "back checker": 0.08,
    "checker off": 0.2,
    "checker outside": 0.1,
    "wasted pip": 0.04,
}
"""Rough equity of each fact (rule of thumb); for comparison, 1 % of wins is 0.02, and 1 % of gammons 0.01."""


def compare_chances(
    label: str, chip: str, best: float, chosen: float, weight: float = 1.0, *, more_is_better: bool = True
) -> list[Reason]:
    """Return a reason if two probabilities differ by `MIN_CHANGE` or more; `weight` is equity per unit."""
    change = best - chosen
    if abs(change) < MIN_CHANGE:
        return []
    text, chip = f"{label} {best:.1%} instead of {chosen:.1%}", f"{chip} {100 * change:+.1f}"
    return [Reason(text, (change > 0) == more_is_better, chip, weight * abs(change))]


def main_reasons(reasons: Iterable[Reason]) -> tuple[list[Reason], list[Reason]]:
    """Return the reasons for the sentence, and the other reasons, largest first.

    The sentence begins with the largest reason for the best choice; the next largest may be against it.
    """
    ordered = sorted(reasons, key=lambda reason: -reason.size)
    first = next((reason for reason in ordered if reason.favourable), None)
    if first is not None:
        ordered.remove(first)
        ordered.insert(0, first)
    return ordered[:2], ordered[2:]


def reason_line(reasons: Sequence[Reason], subject: str) -> str:
    """Return two reasons as one line, a reason against the best choice last; empty without reasons."""
    pro = " and ".join(reason.text for reason in reasons if reason.favourable)
    contra = " and ".join(reason.text for reason in reasons if not reason.favourable)
    if pro and contra:
        return f"{subject} {pro}, although it {contra}."
    if pro:
        return f"{subject} {pro}."
    return f"{subject} is best although it {contra}." if contra else ""


# ---- races ----


_OPPONENT = [0] * (BOARD_SIZE - HOME - 3) + [-1, 0]
"""A single opposing checker without contact: only the mover's wastage is computed."""


@cache
def _bearoff() -> Bearoff:
    return Bearoff()


def race_wastage(position: Position) -> float | None:
    """Return the mover's wastage in pips; None if a checker is not home, or none is left."""
    home = [max(0, count) for count in list(position)[: HOME + 1]]
    if sum(home) + position.off[0] < position.checkers or not sum(home):
        return None
    return _bearoff().wastage(Position.from_array([*home, *_OPPONENT], position.checkers))


def race_reason(position: Position) -> str:
    """Return the pip counts of a race, the mover's first, and both wastages if both sides are home."""
    mover, opponent = position.pip_counts
    text = f"the race is {mover} against {opponent} pips"
    wastages = race_wastage(position), race_wastage(position.flip())
    if wastages[0] is None or wastages[1] is None:
        return text
    return f"{text}, wastage {wastages[0]:.1f} and {wastages[1]:.1f}"


# ---- cube actions ----


def cube_reasons(
    decision: Decision,
    action: str,
    probabilities: Sequence[float],
    points: CubePoints,
    market_lost: float | None = None,
) -> Iterator[str]:
    """Yield the reasons for the proper action: "double", "no double", "too good", "take", "beaver" or "drop".

    All arguments are from the doubler's side. Reasons are the chances, with the deciding cube point unless
    the point contradicts the action (which may come from a search or rollout); the fraction of market losers
    in the next two rolls, if known; and in a race the pip counts, the deciding player's first.
    """
    win, gammon = probabilities[0], probabilities[1]
    is_answer = action in ("take", "beaver", "drop")
    if is_answer:
        yield _chance(1 - win, 1 - points.cash, "take point", is_above=action != "drop")
        if gammon >= MIN_CHANGE:
            yield f"loses a gammon in {gammon:.1%}"
    elif action == "too good":
        yield _chance(win, points.too_good, "too-good point", is_above=True)
        yield f"wins a gammon in {gammon:.1%}"
    else:
        yield _chance(win, points.double, "doubling point", is_above=action == "double")
        if market_lost is not None:
            yield f"{market_lost:.1%} of the next two rolls are market losers"
    if decision.position.phase != "contact":
        yield race_reason(decision.position.flip() if is_answer else decision.position)


def _chance(win: float, point: float, name: str, *, is_above: bool) -> str:
    """Return a winning chance, and its distance from a cube point that does not contradict the action."""
    if isnan(point) or (win >= point) != is_above:
        return f"wins {win:.1%}"
    side = "above" if is_above else "below"
    return f"wins {win:.1%}, {100 * abs(win - point):.1f} points {side} the {name} of {point:.1%}"


# ---- plays ----


BACK_POINT = 18
"""Checkers on this point and further back, the bar included, are back checkers."""
POINTS = 24
FIRST_ANCHOR = 19
MIN_SHOTS = 4
"""Minimum difference in shots that counts as a reason, in rolls of 36."""
MIN_PRIME = 4
"""Minimum length of a prime."""
MIN_WASTAGE = 0.05
"""Minimum difference in wastage that counts as a reason, in pips."""


def play_reasons(
    start: Position,
    best: Position,
    played: Position,
    best_probabilities: Sequence[float] | None = None,
    played_probabilities: Sequence[float] | None = None,
    rules: RuleSetLike = STANDARD,
) -> list[Reason]:
    """Return the differences between the best play and the recorded play.

    `start` is seen from the player's side, the positions after the plays from the side of the opponent, who
    is on roll; the probabilities are the player's. Differences in probability come first, then hits and
    shots; if both plays keep contact, points, primes and back checkers; in races, checkers borne off,
    checkers outside, and wastage.
    """
    reasons: list[Reason] = []
    safety = None  # equity from more wins and fewer gammons lost
    if best_probabilities is not None and played_probabilities is not None:
        for label, chip, index, weight in _CHANCES:
            pair = best_probabilities[index], played_probabilities[index]
            reasons += compare_chances(label, chip, *pair, weight, more_is_better=index < 3)
        safety = 2 * (best_probabilities[0] - played_probabilities[0])
        safety -= best_probabilities[3] - played_probabilities[3]
    phases = best.phase, played.phase
    if "contact" not in phases:
        return [*reasons, *_race_reasons(start, best, played)]
    structures = structure_of(best, rules), structure_of(played, rules)
    return [*reasons, *_contact_reasons(start, *structures, safety, phases[0] == phases[1])]


def _contact_reasons(
    start: Position, best: Structure, played: Structure, safety: float | None, both_in_contact: bool
) -> Iterator[Reason]:
    best_hits, hits = best.opponent_on_bar + start[0], played.opponent_on_bar + start[0]
    if best_hits != hits:
        text = f"hits {_count_text(best_hits, 'checker')} instead of {hits}"
        if 0 in (best_hits, hits):
            text = "does not hit" if not best_hits else "hits" if best_hits == 1 else "hits two checkers"
        yield Reason(text, best_hits > hits, text, SIZES["hit"] * abs(best_hits - hits))
    fewer_shots = played.shots - best.shots
    if abs(fewer_shots) >= MIN_SHOTS and (safety is None or fewer_shots * safety > 0):
        yield from _compare_counts("leaves", best.shots, played.shots, "shot")
    if not both_in_contact:  # points do not matter in a race
        return
    points = frozenset(point for point, count in enumerate(start) if count >= 2)
    for verb, difference, is_favourable in (
        ("makes", best.points - played.points - points, True),
        ("keeps", (best.points - played.points) & points, True),
        ("does not make", played.points - best.points - points, False),
        ("breaks", (played.points - best.points) & points, False),
    ):
        if difference:
            text = f"{verb} {' and '.join(map(point_name, sorted(difference)))}"
            yield Reason(text, is_favourable, text, SIZES["point"] * len(difference))
    if best.prime != played.prime and max(best.prime, played.prime) >= MIN_PRIME:
        text = f"has {_count_text(best.prime, 'point')} in a row instead of {played.prime}"
        size = SIZES["prime"] * abs(best.prime - played.prime)
        yield Reason(text, best.prime > played.prime, f"points in a row {played.prime} -> {best.prime}", size)
    yield from _compare_counts("leaves", best.back_checkers, played.back_checkers, "back checker")


def _race_reasons(start: Position, best: Position, played: Position) -> Iterator[Reason]:
    """Yield the reasons if there is no contact after either play."""
    best_count, played_count = (position.off[1] - start.off[0] for position in (best, played))
    if best_count != played_count:
        text = f"bears off {_count_text(best_count, 'checker')} instead of {played_count}"
        size = SIZES["checker off"] * abs(best_count - played_count)
        yield Reason(text, best_count > played_count, f"borne off {played_count} -> {best_count}", size)
    yield from _compare_counts("leaves", _count_outside(best), _count_outside(played), "checker", " outside")
    wastage, played_wastage = race_wastage(best.flip()), race_wastage(played.flip())
    if wastage is None or played_wastage is None or abs(wastage - played_wastage) < MIN_WASTAGE:
        return
    text = f"wastes {wastage:.1f} pips instead of {played_wastage:.1f}"
    size = SIZES["wasted pip"] * abs(wastage - played_wastage)
    yield Reason(text, wastage < played_wastage, f"wastage {played_wastage:.1f} -> {wastage:.1f}", size)


def _compare_counts(verb: str, best: int, played: int, noun: str, suffix: str = "") -> Iterator[Reason]:
    """Yield a reason if two counts differ; the smaller is better."""
    if best != played:
        text = f"{verb} {_count_text(best, noun)}{suffix} instead of {played}"
        size = SIZES[f"{noun}{suffix}"] * abs(best - played)
        yield Reason(text, best < played, f"{noun}s{suffix} {played} -> {best}", size)


def _count_text(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def _count_outside(position: Position) -> int:
    """Return the number of checkers outside the home board of the player who has moved."""
    return sum(count for count in list(position.flip())[HOME + 1 :] if count > 0)


# ---- structure of a position ----


class Structure(NamedTuple):
    """Structure of one side, with points as that side counts them."""

    points: frozenset[int]  # points with two or more checkers
    prime: int  # length of the longest block with an opposing checker behind it, or 0
    back_checkers: int  # checkers on `BACK_POINT` or further back
    opponent_on_bar: int
    shots: int  # rolls of 36 with which the opponent, on roll, hits


def structure_of(position: Position, rules: RuleSetLike = STANDARD) -> Structure:
    """Return the structure of the side that has just played; the opponent is on roll."""
    board = list(position.flip())
    points = frozenset(point for point in range(1, POINTS + 1) if board[point] >= 2)
    return Structure(
        points=points,
        prime=_prime(points, board),
        back_checkers=sum(count for count in board[BACK_POINT:] if count > 0),
        opponent_on_bar=-board[0],
        shots=hitting_rolls(position, rules),
    )


def _prime(points: frozenset[int], board: Sequence[int]) -> int:
    """Return the length of the longest block with an opposing checker behind it."""
    longest = length = 0
    is_held = board[0] < 0
    for point in range(1, POINTS + 1):
        length = length + 1 if point in points else 0
        longest = max(longest, length if is_held else 0)
        is_held = is_held or board[point] < 0
    return longest


def hitting_rolls(position: Position, rules: RuleSetLike = STANDARD) -> int:
    """Return the number of the 36 rolls with which the player on roll can hit."""
    if position.winner is not None:
        return 0
    hits = (roll for roll in ROLLS if np.any(position.plays(roll, rules).boards[:, 0] < position[0]))
    return sum(map(roll_weight, hits))


def point_name(point: int) -> str:
    """Return the usual name of a point, with its article."""
    if point >= FIRST_ANCHOR:
        return f"the anchor on {point}"
    return {7: "the bar-point", 13: "the midpoint"}.get(point, f"the {point}-point")
