"""Maps of a decision: the cube action or the best play at every match score, and the equity of every roll."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.branches import as_search, boards_of
from bgfast.analysis.cube_decision import (
    CubeDecision,
    cube_decisions,
    decide_all,
    main_values,
    validate_decision,
)
from bgfast.batch.successors import results
from bgfast.common.probabilities import Numbers, percent
from bgfast.common.validation import ROLL_WEIGHTS, ROLLS, flag, thread_count, whole_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.exact_tables import table_for
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay, RankedPlays
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, stakes_of, validate_table
from bgfast.evaluation.tables import Tabular
from bgfast.position.decision import Decision, after_turn
from bgfast.position.objects import Play
from bgfast.position.position_text import refuse_offer
from bgfast.rules import STANDARD, RuleSetLike

PLY = 1
"""Default search depth of plays."""

# ---- scores ----


AWAY = 9
"""Default maximum number of points that a player needs."""
MAX_AWAY = 25


class Stage(NamedTuple):
    """Points that a player needs to win the match."""

    away: int
    crawford: bool = False  # True in the Crawford game for the player who needs one point

    @property
    def label(self) -> str:
        """Row or column label: ``"C"`` (Crawford), ``"1"`` (post-Crawford), ``"2"``, ``"3"``, ..."""
        return "C" if self.crawford else str(self.away)


Answer = CubeDecision | RankedPlays


@dataclass(frozen=True, repr=False)
class ScoreMap(Tabular):
    """Result of `bgfast.cube.score_map`: the analysis of a decision at every score.

    Attributes
    ----------
    decision : Decision
        Decision that was analysed.
    stages : tuple of Stage
        The mover's stages by row, and the opponent's by column.
    answers : tuple of tuples
        By row and column, a `CubeDecision`, or `RankedPlays` if there are dice; None at an impossible
        score, such as a Crawford game where both players need one point or the cube has been turned.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.cube.score_map("XGID=-BBCCCB------------bcccbb-:0:0:1:64:0:0:0:0:10", away=2, ply=0)
    >>> result.texts()[2], result.legend()
    (['A', 'A', 'A'], ['A 6/off 4/off'])
    """

    decision: Decision
    stages: tuple[Stage, ...]
    answers: tuple[tuple[Answer | None, ...], ...]

    def __repr__(self) -> str:
        dice = self.decision.dice
        content = "cube actions" if dice is None else "best plays of {}-{}".format(*dice)
        count = sum(1 for _ in self._answers_by_score())
        return f"<ScoreMap: {content} at {count} scores, up to {self.stages[-1].away}-away>"

    def _repr_html_(self) -> str:
        """Return the board and a coloured table of actions or plays, for notebooks."""
        from bgfast.analysis.map_pictures import scores_html  # loaded only by notebooks

        return scores_html(self)

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of rows and columns."""
        return tuple(stage.label for stage in self.stages)

    def texts(self) -> list[list[str]]:
        """Return the answers abbreviated: cube actions as ``"ND"``, ``"D/T"``, ..., plays as letters."""
        letters = {play: letter for letter, play in self._assign_letters()}
        return [[_abbreviation(answer, letters) for answer in row] for row in self.answers]

    def legend(self) -> list[str]:
        """Return the meanings of the abbreviations in `texts`, one per line."""
        if self.decision.dice is not None:
            return [f"{letter} {play}" for letter, play in self._assign_letters()]
        used = {text for row in self.texts() for text in row}
        return [f"{text} {action}" for text, action in _ABBREVIATIONS.items() if text in used]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each possible score."""
        return [
            {
                "away": mover.away,
                "opponent_away": opponent.away,
                "crawford": mover.crawford or opponent.crawford,
                **_row(answer),
            }
            for mover, opponent, answer in self._answers_by_score()
        ]

    def _answers_by_score(self) -> Iterator[tuple[Stage, Stage, Answer]]:
        for mover, row in zip(self.stages, self.answers, strict=True):
            for opponent, answer in zip(self.stages, row, strict=True):
                if answer is not None:
                    yield mover, opponent, answer

    def _assign_letters(self) -> list[tuple[str, str]]:
        """Return letters and texts of the plays that are best at some score, most frequent first."""
        answers = (answer for _, _, answer in self._answers_by_score())
        best = [str(answer[0].play) for answer in answers if isinstance(answer, RankedPlays)]
        plays = sorted(set(best), key=lambda play: (-best.count(play), play))
        # A to Z, A1 to Z1, and so on.
        return [
            (f"{ascii_uppercase[index % 26]}{index // 26 or ''}", play) for index, play in enumerate(plays)
        ]


_ABBREVIATIONS = {
    "ND": "no double",
    "D/T": "double, take",
    "D/P": "double, drop",
    "D/B": "double, beaver",
    "TG": "too good to double",
    "O/T": "optional double, take",
    "O/P": "optional double, drop",
    "T": "take",
    "P": "drop",
    "--": "no double possible",
}
"""Abbreviations of cube actions, as players write them; redoubles count as doubles."""
_ABBREVIATION_BY_ACTION = {action: text for text, action in _ABBREVIATIONS.items()}


def _abbreviation(answer: Answer | None, letters: Mapping[str, str]) -> str:
    """Return an answer's abbreviation, "" for an impossible score; `letters` maps plays to letters."""
    if answer is None:
        return ""
    if isinstance(answer, RankedPlays):
        return letters[str(answer[0].play)]
    if answer.why_not is not None:
        return "--"
    action = answer.proper_action.lower().replace("redouble", "double")
    if answer.decision.offer is not None or action.startswith(("double", "optional")):
        return _ABBREVIATION_BY_ACTION[action]
    return "TG" if action.startswith("too good") else "ND"


def _row(answer: Answer) -> dict[str, Any]:
    """Return the columns of an answer, the same for plays and cube decisions."""
    best: Any
    second = equities = None
    if isinstance(answer, RankedPlays):
        best, second = answer[0], answer[1] if len(answer) > 1 else None
        action = str(best.play)
    else:
        best, action, equities = answer.actions[0], answer.proper_action, answer.equities
    return {
        "action": action,
        "equity": best.equity,
        "mwc": best.mwc,
        **main_values(equities),
        "second": None if second is None else str(second.play),
        "second_difference": None if second is None else second.difference,
    }


def score_map(
    decision: DecisionLike,
    evaluator: Evaluator | None = None,
    *,
    away: int = AWAY,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> ScoreMap:
    """Analyse a decision at every score: the cube action, or the best play if there are dice.

    Parameters
    ----------
    decision : Decision, or position or text as for `bgfast.analyse`
        Provides position, dice or offer, and cube. Its score is ignored; so are the Jacoby rule and beavers,
        which matches do not have.
    evaluator, met, efficiency, rules, threads
        As for `cube_decision`.
    away : int
        Maximum number of points that a player needs, 2 to 25.
    ply : {2, 0, 1}, optional
        Search depth; by default 2 for cube actions and 1 for plays.

    Returns
    -------
    ScoreMap
        Rows are by the mover's points to go, columns by the opponent's; the labels are ``"C"`` for the
        Crawford game, ``"1"`` after it, ``"2"`` and so on.

    Raises
    ------
    BgfastError
        As for `cube_decision`, or if `away` is out of range.

    See Also
    --------
    roll_map : One decision with every roll.
    bgfast.cube_decision, bgfast.analyse : The decision at its own score.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.cube.score_map("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", away=3, ply=0)
    >>> result.labels, result.texts()[3]
    (('C', '1', '2', '3'), ['--', 'D/T', 'ND', 'ND'])
    """
    root = as_decision(decision)
    if root.dice is None:
        validate_decision(root)
    length = whole_number(away)
    if length is None or not 2 <= length <= MAX_AWAY:
        raise BgfastError(f"away is {short_repr(away)}; expected 2 to {MAX_AWAY} points")
    stages = (Stage(1, crawford=True), *(Stage(points) for points in range(1, length + 1)))
    pairs = [(mover, opponent) for mover in stages for opponent in stages]
    decisions = [_at_score(root, mover, opponent, length) for mover, opponent in pairs]
    possible_decisions = [item for item in decisions if item is not None]
    # All scores use the same table.
    options: dict[str, Any] = {
        "met": validate_table(met),
        "efficiency": efficiency,
        "threads": thread_count(threads),
    }
    answers: Iterator[Answer]
    if root.dice is None:
        answers = iter(cube_decisions(possible_decisions, evaluator, ply=ply, rules=rules, **options))
    else:
        search = as_search(evaluator, ply, PLY, rules)
        answers = (search.best_plays(item, **options) for item in possible_decisions)
    cells = iter([None if item is None else next(answers) for item in decisions])
    return ScoreMap(root, stages, tuple(tuple(islice(cells, len(stages))) for _ in stages))


def _at_score(decision: Decision, mover: Stage, opponent: Stage, length: int) -> Decision | None:
    """Return the decision at a score; None if the score or the cube is impossible there."""
    crawford = mover.crawford or opponent.crawford
    if crawford and (mover.away == opponent.away or decision.cube > 1 or decision.cube_owner):
        return None
    if decision.offer is not None and (crawford or decision.cube >= mover.away):  # the double is illegal
        return None
    return replace(
        decision,
        score=(length - mover.away, length - opponent.away),
        match_length=length,
        crawford=crawford,
        jacoby=False,
        beaver=False,
    )


# ---- rolls ----


_COMPARED_FIELDS = ("decision", "plays", "reply_plays")
_ARRAYS = ("equities", "replies", "opponent_drops")
_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64) / sum(ROLL_WEIGHTS)


@dataclass(frozen=True, eq=False, repr=False)
class RollMap(Tabular):
    """Result of `bgfast.cube.roll_map`: the best play and equity of every roll. Equities are the mover's.

    Attributes
    ----------
    decision : Decision
        Decision before the roll.
    plays : tuple of RankedPlay
        The best play of each roll, in the order of `bgfast.ROLLS`.
    equities : ndarray of float64, shape (21,)
        Equity after that play.
    replies : ndarray of float64, shape (21, 21), or None
        Equity after the mover's roll (row) and the opponent's reply to it (column), with the mover
        on roll again. None without ``replies=True``.
    reply_plays : tuple of 21 tuples of Play or None, or None
        Best replies; None after a play that ends the game.
    opponent_drops : ndarray of bool, shape (21, 21), or None
        True if the opponent would then drop a double: market lost. None without replies or a legal double.

    Examples
    --------
    >>> import bgfast
    >>> race = "XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10"
    >>> result = bgfast.cube.roll_map(race, ply=0, replies=True)
    >>> bgfast.ROLLS[result.market_losers.argmax()], round(result.market_lost, 2)
    ((6, 6), 0.11)
    """

    decision: Decision
    plays: tuple[RankedPlay, ...]
    equities: Numbers
    replies: Numbers | None = None
    reply_plays: tuple[tuple[Play | None, ...], ...] | None = None
    opponent_drops: npt.NDArray[np.bool_] | None = None

    def __eq__(self, other: object) -> bool:
        """Return whether all decisions, plays and numbers are the same."""
        if not isinstance(other, RollMap):
            return NotImplemented
        same_plays = all(getattr(self, name) == getattr(other, name) for name in _COMPARED_FIELDS)
        return same_plays and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS
        )

    def __repr__(self) -> str:
        extremes = {"best": self.equities.argmax(), "worst": self.equities.argmin()}
        rolls = [f"{name} {_text(ROLLS[row])} {self.equities[row]:+.3f}" for name, row in extremes.items()]
        lost = [] if self.market_lost is None else [f"market lost {percent(self.market_lost, 1)}"]
        return f"<RollMap: {', '.join([f'mean {self.mean:+.3f}', *rolls, *lost])}>"

    def _repr_html_(self) -> str:
        """Return the board and a coloured table of equities, for notebooks."""
        from bgfast.analysis.map_pictures import rolls_html

        return rolls_html(self)

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashable

    @property
    def mean(self) -> float:
        """Mean equity over the 36 rolls."""
        return float(_WEIGHTS @ self.equities)

    @property
    def market_losers(self) -> Numbers | None:
        """Probability of a market-losing reply, by the mover's roll: ndarray of shape (21,), or None."""
        return None if self.opponent_drops is None else self.opponent_drops @ _WEIGHTS

    @property
    def market_lost(self) -> float | None:
        """Probability that the next two rolls lose the market; None if `opponent_drops` is None."""
        losers = self.market_losers
        return None if losers is None else float(_WEIGHTS @ losers)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each roll, or for each roll and reply."""
        rows, drops = [], self.opponent_drops
        for index, (roll, candidate) in enumerate(zip(ROLLS, self.plays, strict=True)):
            row = {"roll": _text(roll), "play": str(candidate.play), "equity": float(self.equities[index])}
            if self.replies is None or self.reply_plays is None:
                rows.append(row | {"difference": float(self.equities[index]) - self.mean})
                continue
            for reply, play in enumerate(self.reply_plays[index]):
                columns = {
                    "reply": _text(ROLLS[reply]),
                    "reply_play": None if play is None else str(play),
                    "equity_after_reply": float(self.replies[index, reply]),
                    "opponent_drops": None if drops is None else bool(drops[index, reply]),
                }
                rows.append(row | columns)
        return rows


def _text(roll: tuple[int, int]) -> str:
    return "{}-{}".format(*roll)


def roll_map(
    decision: DecisionLike,
    evaluator: Evaluator | None = None,
    *,
    replies: bool = False,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> RollMap:
    """Evaluate all 21 rolls, or all pairs of a roll and a reply.

    Parameters
    ----------
    decision : Decision, or position or text as for `bgfast.analyse`
        The decision before the roll; the rolls are evaluated with its cube, without a double.
    evaluator, met, efficiency, rules, threads
        As for `cube_decision`.
    replies : bool
        Also evaluate the opponent's 21 replies to each roll, and find those that lose the market.
    ply : {1, 0, 2}, optional
        Search depth for plays and for the positions after replies.

    Returns
    -------
    RollMap
        Equities are the mover's, cubeful and normalised (EMG).

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If the game is over, the decision has dice, or a double is on offer.
    BgfastError
        As for `cube_decision`.

    See Also
    --------
    score_map : One decision at every score.
    bgfast.evaluators.Lookahead.roll_equities : The equities of the rolls alone.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.cube.roll_map("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", ply=0)
    >>> str(result.plays[bgfast.ROLLS.index((6, 6))].play), result.equities.shape
    ('24/18(2) 13/7(2)', (21,))
    >>> result.to_csv().splitlines()[0]
    'roll,play,equity,difference'
    """
    root = validate_decision(decision)
    refuse_offer(root)
    with_replies, threads = flag("replies", replies), thread_count(threads)
    search = as_search(evaluator, ply, PLY, rules)
    met = table_for(search.evaluator, after_turn(root, root.position), met, search.rules)

    def find_best_plays(decision: Decision) -> list[RankedPlay]:
        options: dict[str, Any] = {"met": met, "efficiency": efficiency, "threads": threads}
        return [search.best_plays(replace(decision, dice=roll), **options)[0] for roll in ROLLS]

    best_plays = find_best_plays(root)
    equities = np.array([candidate.equity for candidate in best_plays])
    if not with_replies:
        return RollMap(root, tuple(best_plays), equities)
    reply_plays: tuple[tuple[Play | None, ...], ...] = tuple(
        (None,) * len(ROLLS)
        if position.winner is not None
        else tuple(reply.play for reply in find_best_plays(after_turn(root, position)))
        for position in (candidate.play.position for candidate in best_plays)
    )
    # From the mover's side: a reply passes the turn back; after a play that ends the game, flip the board.
    positions = [
        candidate.play.position.flip() if play is None else play.position
        for candidate, replies_to_play in zip(best_plays, reply_plays, strict=True)
        for play in replies_to_play
    ]
    points = results(boards_of(positions), search.rules, root.position.checkers)
    stakes = stakes_of(root, met)
    after_replies = np.array([stakes.normalize(stakes.of_points(int(won))) if won else 0.0 for won in points])
    (open_rows,) = np.nonzero(points == 0)
    cube_results = decide_all(
        (replace(root, position=positions[row]) for row in open_rows.tolist()),
        search,
        met,
        efficiency,
        threads,
        races=False,  # race recursions of hundreds of positions would take too long
    )
    after_replies[open_rows] = [result.equities.no_double for result in cube_results]
    shape, drops = (len(ROLLS), len(ROLLS)), None
    if all(result.why_not is None for result in cube_results):
        drops = np.zeros(shape, bool)
        drops.flat[open_rows] = [result.equities.answers == "drop" for result in cube_results]
    return RollMap(root, tuple(best_plays), equities, after_replies.reshape(shape), reply_plays, drops)
