"""Decisions of recorded matches rolled out by GNU Backgammon.

GNU Backgammon loads the match as SGF with one analysed decision, whose candidates are marked for a rollout,
and saves the results: 0 plies, cubeful, variance reduction, truncated after 11 plies, quasi-random dice.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.peers.matches.gnubg_matches import run_gnubg
from bgfast.analysis.matches.analysed import AnalysedDecision, Choice
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.position.objects import Position
from bgfast.records.formats.sgf_writer import letters

__all__ = ["TRUNCATE", "gnubg_rollout", "position_after"]

TRUNCATE = 11
_SETTINGS = f"""\
set threads 1
set confirm new off
set output matchpc off
set rollout trials {{trials}}
set rollout seed 1
set rollout cubeful on
set rollout varredn on
set rollout quasirandom on
set rollout initial off
set rollout truncation enable on
set rollout truncation plies {TRUNCATE}
set rollout chequerplay plies 0
set rollout cubedecision plies 0
set rollout later enable off
set rollout limit enable off
set rollout jsd stop off
load match {{source}}
analyse rollout match
save match {{result}}
"""


def position_after(analysed: AnalysedDecision, text: str) -> Position:
    """Return the position after a play."""
    decision = analysed.recorded.decision
    assert decision.dice is not None
    return decision.position.play(text, decision.dice)


def gnubg_rollout(
    analysis: MatchAnalysis, action: int, plays: Sequence[str], trials: int
) -> dict[str, float]:
    """Return the equities of candidate plays, or the winning chances of the branches of a cube decision.

    Parameters
    ----------
    analysis : MatchAnalysis
    action : int
        Number of the decision's action in the match.
    plays : sequence of str
        Candidates; empty for a double or its answer.
    trials : int

    Returns
    -------
    dict of str to float
        Equities of plays (EMG), or match winning chances of the player on roll after ``"no double"`` and
        ``"double, take"``.
    """
    decisions = {item.recorded.action: item for item in analysis.decisions if item.recorded.kind != "take"}
    decision = decisions[action if action in decisions else action - 1]  # an answer belongs to its double
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        source, result = Path(folder, "source.sgf"), Path(folder, "result.sgf")
        source.write_text(_mark_candidates(_single_decision(analysis, decision, plays)), encoding="utf-8")
        run_gnubg([], {}, _SETTINGS.format(trials=trials, source=source, result=result))
        text = result.read_text(encoding="utf-8")
    return _equities(decision, plays, text) if plays else _branches(text)


def _single_decision(analysis: MatchAnalysis, decision: AnalysedDecision, plays: Sequence[str]) -> str:
    """Return the match as SGF with the analysis of a single decision."""
    if plays:
        choices = [Choice(text, -rank / 1000, None, 0, (0.5, 0, 0, 0, 0)) for rank, text in enumerate(plays)]
        decision = replace(decision, choices=tuple(choices))
    return MatchAnalysis(analysis.match, [decision], [], analysis.settings, met=analysis.met).to_sgf()


def _mark_candidates(text: str) -> str:
    """Return the SGF with every analysed candidate marked for a rollout."""
    text = re.sub(r"DA\[[^\]]*\]", r"\g<0>CR[]", text, count=1)
    return re.sub(
        r"]A\[\d+\]((?:\[[^\]]*\])+)",
        lambda choices: f"{choices[0]}MR[{' '.join(map(str, range(1, 1 + choices[1].count('['))))}]",
        text,
    )


def _equities(analysed: AnalysedDecision, plays: Sequence[str], text: str) -> dict[str, float]:
    scores = dict(re.findall(r"\[([a-z]+) X ver 3 Score (\S+)", text))
    decision = analysed.recorded.decision
    assert decision.dice is not None
    return {
        str(play): float(scores[letters(analysed.recorded.player, play.moves)])
        for play in decision.position.plays(decision.dice)
        if str(play) in plays
    }


def _branches(text: str) -> dict[str, float]:
    branches = re.search(r"DA\[X ver 3 Eq .*?Output (.*?) StdDev .*? DoubleTake Output (.*?) StdDev", text)
    assert branches is not None
    no_double, double_take = (float(numbers.split()[6]) for numbers in branches.groups())
    return {"no double": no_double, "double, take": double_take}
