"""Analysis of any subject: a position, a roll, a cube decision or a match."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypedDict, overload

from bgfast.analysis.branches import as_search, roll_argument
from bgfast.common.files import is_missing_file
from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import RollLike, flag
from bgfast.errors import BgfastError, InvalidDiceError, shown
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike
from bgfast.evaluation.evaluators.names import display_name
from bgfast.evaluation.evaluators.ranked_plays import Evaluation, RankedPlays
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, subject_decision
from bgfast.position.decision import Decision

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
"""Search depth for plays and positions."""


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
        decision; any other position is evaluated. In a match or its file all decisions are analysed. Text as
        for `Decision.read`: an XGID, ``"start 31"``, a GNU Backgammon ID.
    dice : (int, int) or str, optional
        The roll, as ``(3, 1)`` or ``"31"``, if the subject has none.
    evaluator : evaluator, name or file, optional
        As in `bgfast.evaluators`; the default is ``"builtin"``. An evaluator that returns no probabilities
        evaluates plays and positions without the cube. A `Lookahead` searches at its own depth.
    ply : {0, 1, 2}, optional
        Search depth: 1 for plays and positions, 2 for the cube and in matches by default.
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
        If the subject has another type or cannot be read, the evaluator returns no probabilities where they
        are needed, or an argument is invalid.

    See Also
    --------
    cube_decision, analyse_match, rollout : with more options.

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
            raise InvalidDiceError(f"dice are {shown(dice)} and the subject is a match; expected no dice")
        if is_cubeless:
            raise BgfastError("cubeless is True and the subject is a match; expected a position")
        match: Any = subject
        return analyse_match(match, evaluator, ply=ply, threads=threads, **options)
    parsed = subject_decision(subject, roll)
    if isinstance(parsed, Decision) and parsed.dice is None and not is_cubeless:
        from bgfast.analysis.cube_decision import cube_decision

        return cube_decision(parsed, evaluator, ply=ply, threads=threads, **options)
    search = as_search(evaluator, ply, PLAY_PLY)
    decision = as_decision(parsed)
    name = display_name(search.evaluator)
    if decision.dice is None:
        evaluation = search.evaluation(decision, cubeless=is_cubeless, **options)
        return evaluation._replace(position=decision.position, ply=search.ply, evaluator=name)
    plays = search.best_plays(decision, cubeless=is_cubeless, threads=threads, **options)
    plays.evaluator = name
    return plays


def _is_match(subject: Any) -> bool:
    """Return whether the subject is a match, its content or a path, even if the file does not exist."""
    if isinstance(subject, str):
        return os.path.isfile(subject) or is_missing_file(subject)
    if isinstance(subject, (os.PathLike, bytes)) or hasattr(subject, "readline"):
        return True
    if not hasattr(subject, "decision"):
        return False
    from bgfast.games.match import Match

    return isinstance(subject, Match)
