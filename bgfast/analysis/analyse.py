"""Analysis of any subject: a position, a roll, a cube decision or a match."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypedDict, overload

from bgfast.analysis.branches import as_search, roll_argument
from bgfast.common.files import is_missing_file
from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import RollLike, flag
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, short_repr
from bgfast.evaluation.cubeful import CUBELESS, EXACT, FORMULA, cubeful_conditions, cubeless_conditions
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, returns_points
from bgfast.evaluation.evaluators.exact_tables import exact_tables, table_for
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.names import display_name
from bgfast.evaluation.evaluators.ranked_plays import Evaluation, RankedPlays
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, subject_decision
from bgfast.position.decision import Decision, after_turn
from bgfast.position.objects import Position

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bgfast.analysis.cube_decision import CubeDecision
    from bgfast.analysis.matches.match_analysis import MatchAnalysis
    from bgfast.games.match import Match
    from bgfast.records.match_files import MatchSource

    class Options(TypedDict, total=False):
        """Options of `analyse`."""

        evaluator: EvaluatorLike | None
        ply: int | None
        cubeless: bool
        met: MatchEquityTable | None
        efficiency: str
        threads: int


PLAY_PLY = 1
"""Default search depth for plays and positions."""
RANKS_ONLY = "the values only rank plays, and are not points"


@overload
def analyse(
    subject: Match | os.PathLike[str] | bytes, dice: None = None, **options: Unpack[Options]
) -> MatchAnalysis: ...
@overload
def analyse(subject: DecisionLike, dice: RollLike, **options: Unpack[Options]) -> RankedPlays: ...
@overload
def analyse(subject: str, dice: None = None, **options: Unpack[Options]) -> Any: ...  # depends on the text
@overload
def analyse(
    subject: DecisionLike, dice: RollLike | None = None, **options: Unpack[Options]
) -> RankedPlays | CubeDecision | Evaluation | MatchAnalysis: ...
@names_arguments
def analyse(
    subject: DecisionLike | Match | MatchSource,
    dice: RollLike | None = None,
    *,
    evaluator: EvaluatorLike | None = None,
    ply: int | None = None,
    cubeless: bool = False,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    threads: int = 1,
) -> RankedPlays | CubeDecision | Evaluation | MatchAnalysis:
    """Analyse a position, a roll, a cube decision or a match, as the command ``bgfast analyse`` does.

    Parameters
    ----------
    subject : Position, Decision, Game, PlayList, Match, str, path, bytes, open file, or board of 26 numbers
        If there is a roll, its plays are ranked. A `Decision`, XGID or match ID without a roll is a cube
        decision; any other position is evaluated. All decisions of a match or its file are analysed. Text is
        read as by `Decision.read`: an XGID, ``"start 31"``, a GNU Backgammon ID.
    dice : (int, int) or str, optional
        The roll, as ``(3, 1)`` or ``"31"``, if the subject has none.
    evaluator : evaluator, name or file, optional
        As in `bgfast.evaluators`; the default is ``"builtin"``. An evaluator that returns no probabilities
        evaluates plays and positions without the cube. A `Lookahead` searches at its own depth.
    ply : {0, 1, 2}, optional
        Search depth; by default 1 for plays and positions, and 2 for cube decisions and matches.
    cubeless : bool
        Ignore cube and score. By default a position without cube and score is money play with a centred cube,
        without the Jacoby rule and beavers.
    met, efficiency, threads
        As for `cube_decision`.

    Returns
    -------
    RankedPlays, CubeDecision, Evaluation or MatchAnalysis

    Raises
    ------
    BgfastError
        If the subject is of another type or cannot be read, the evaluator returns no probabilities where they
        are needed, or an argument is invalid.

    See Also
    --------
    cube_decision, rollout : Cube decisions with more options, and rollouts.
    analyse_match : All decisions of a match.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.analyse("start 31", ply=0).best.play.text
    '8/5 6/5'
    >>> bgfast.analyse("XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10").proper_action
    'No double, take'
    """
    roll = roll_argument(dice)
    is_cubeless = flag("cubeless", cubeless)
    options: dict[str, Any] = {"met": met, "efficiency": efficiency}
    if _is_match(subject):
        from bgfast.analysis.matches.match_analysis import analyse_match

        if roll is not None:
            raise InvalidDiceError(
                f"dice are {short_repr(dice)} and the subject is a match; expected no dice"
            )
        if is_cubeless:
            raise BgfastError("cubeless is True and the subject is a match; expected a position")
        match: Any = subject
        return analyse_match(match, evaluator, ply=ply, threads=threads, **options)
    shape = getattr(subject, "shape", ())
    if len(shape) > 1:
        call = "evaluate(boards)" if roll is None else "best_successors(boards, dice)"
        raise InvalidPositionError(
            f"boards of shape {shape}; expected one position, or bgfast.Network.builtin().{call}"
        )
    position_or_decision = subject_decision(subject, roll)
    if isinstance(position_or_decision, Decision) and position_or_decision.dice is None and not is_cubeless:
        from bgfast.analysis.cube_decision import cube_decision

        return cube_decision(position_or_decision, evaluator, ply=ply, threads=threads, **options)
    search = as_search(evaluator, ply, PLAY_PLY)
    decision = as_decision(position_or_decision)
    name = display_name(search.evaluator)

    def describe_conditions(positions: Iterable[Position]) -> str:
        if is_cubeless or not search.returns_probabilities:
            has_context = cubeless_conditions(decision) != CUBELESS
            return conditions_without_cube(search, name, decision if has_context else None, is_cubeless)
        table, method = cubeful_source(search, after_turn(decision, decision.position), positions, met)
        return cubeful_conditions(decision, table.name, efficiency, method)

    if decision.dice is None:
        evaluation = search.evaluation(decision, cubeless=is_cubeless, **options)
        return evaluation._replace(
            position=decision.position,
            ply=search.ply,
            evaluator=name,
            conditions=describe_conditions([decision.position]),
        )
    plays = search.best_plays(decision, cubeless=is_cubeless, threads=threads, **options)
    plays.evaluator = name
    plays.conditions = describe_conditions(candidate.play.position for candidate in plays)
    return plays


def cubeful_source(
    search: Lookahead, decision: Decision, positions: Iterable[Position], met: MatchEquityTable | None
) -> tuple[MatchEquityTable, str]:
    """Return the match equity table, and the method that computes the positions' equities."""
    unfinished_positions = [position for position in positions if position.winner is None]
    table = table_for(search.evaluator, decision, met, search.rules)
    tables = exact_tables(search.evaluator, decision, unfinished_positions, table, search.rules)
    return table, FORMULA if tables is None else EXACT


def conditions_without_cube(
    search: Lookahead, name: str, decision: Decision | None, is_cubeless: bool
) -> str:
    """Describe cubeless equities of evaluator `name`; `decision` is None without cube and score."""
    if not returns_points(search.evaluator):
        return f"{name}: {RANKS_ONLY}"
    conditions = cubeless_conditions(decision)
    if decision is not None and not is_cubeless:
        conditions += f"; {name} returns no probabilities, which cube and score need"
    return conditions


def _is_match(subject: Any) -> bool:
    """Return whether the subject is a match, a match file's content or a path, existing or not."""
    if isinstance(subject, str):
        return os.path.isfile(subject) or is_missing_file(subject)
    if isinstance(subject, (os.PathLike, bytes)) or hasattr(subject, "readline"):
        return True
    if not hasattr(subject, "decision"):
        return False
    from bgfast.games.match import Match

    return isinstance(subject, Match)
