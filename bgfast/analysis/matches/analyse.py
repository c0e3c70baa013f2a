"""Analysis of any subject, as by ``bgfast analyse``: positions, rolls, cube decisions, matches."""

from __future__ import annotations

import os
from dataclasses import replace

from bgfast.analysis.branches import search_of
from bgfast.analysis.cube_decision import CubeDecision, cube_decision
from bgfast.analysis.matches.match_analysis import MatchAnalysis, analyse_match
from bgfast.common.files import is_missing_file
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.lookahead import Evaluation
from bgfast.evaluation.evaluators.ranked_plays import RankedPlays
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.games.match import Match
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.position.position_text import read_roll, read_whole_text
from bgfast.records.match_files import load_match

PLY = 1
"""Search depth for plays and positions."""


def analyse(
    subject: Decision | Position | Match | str | os.PathLike[str],
    evaluator: Evaluator | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    threads: int = 1,
) -> RankedPlays | CubeDecision | Evaluation | MatchAnalysis:
    """Analyse a position, a roll, a cube decision or a match, as the command ``bgfast analyse`` does.

    Parameters
    ----------
    subject : Decision, Position, Match, str or path
        A decision with dice: its plays are ranked. A decision without dice: the cube. A position: its
        evaluation. A match or its file: all of its decisions. Other text is a position with or without a
        roll, as for the command: an XGID, ``"start 31"``, a GNU Backgammon ID. Without a roll an XGID or a
        match ID is a cube decision, any other text a position.
    evaluator : evaluator, optional
        The built-in network with bear-off databases by default. A `Lookahead` keeps its own search depth.
    ply : {0, 1, 2}, optional
        Search depth: 1 for plays and positions, 2 for the cube and in matches by default.
    met : MatchEquityTable, optional
        For matches; by default that of the evaluator's exact tables, else the built-in table.
    efficiency : {"bgfast", "gnubg"}
        Cube efficiency model.
    threads : int
        Number of threads.

    Returns
    -------
    RankedPlays, CubeDecision, Evaluation or MatchAnalysis

    Raises
    ------
    BgfastError
        If the subject is none of these or cannot be read, the evaluator does not fit, or an argument is
        invalid.

    See Also
    --------
    cube_decision, analyse_match, rollout : with more options.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.analyse("start 31", ply=0)[0].play.text
    '8/5 6/5'
    >>> bgfast.analyse("XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10").proper_action
    'No double, take'
    """
    if isinstance(subject, Match) or _is_file(subject):
        match = subject if isinstance(subject, Match) else load_match(subject)  # type: ignore[arg-type]
        return analyse_match(match, evaluator, ply=ply, met=met, efficiency=efficiency, threads=threads)
    parsed = _read(subject) if isinstance(subject, str) else subject
    if isinstance(parsed, Decision) and parsed.dice is None:
        return cube_decision(parsed, evaluator, ply=ply, met=met, efficiency=efficiency, threads=threads)
    search = search_of(evaluator, ply, PLY)
    if isinstance(parsed, Decision):
        return search.best_plays(parsed, met=met, efficiency=efficiency, threads=threads)
    if isinstance(parsed, Position):
        return search.evaluation(parsed)
    if isinstance(parsed, tuple):
        position, roll = parsed
        return search.best_plays(position, roll, threads=threads)
    expected = "a Decision, Position or Match, a position as text, or a file"
    raise BgfastError(f"{shown(subject)}; expected {expected}")


def _is_file(subject: object) -> bool:
    """Return whether the subject is a path, even if the file does not exist."""
    if isinstance(subject, str):
        return os.path.isfile(subject) or is_missing_file(subject)
    return isinstance(subject, os.PathLike)


def _read(text: str) -> Decision | Position | tuple[Position, tuple[int, int]]:
    """Parse text: a decision, or without cube and score a position, with its roll if it has one."""
    parsed = read_whole_text(text)
    roll = read_roll(parsed) if parsed.rest or parsed.dice is not None else None
    if parsed.context is not None:
        return parsed.context if roll is None else replace(parsed.context, dice=roll)
    return parsed.position if roll is None else (parsed.position, roll)
