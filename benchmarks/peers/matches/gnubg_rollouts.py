"""Decisions of recorded matches rolled out by GNU Backgammon.

It is given the match as SGF with a decision in it, the candidates marked for a rollout, and saves what it has
found: at 0 plies, cubeful, with variance reduction, truncated after 11 plies, with quasi-random dice.
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
from bgfast.records.formats.sgf import letters

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
load match {{given}}
analyse rollout match
save match {{found}}
"""


def position_after(each: AnalysedDecision, text: str) -> Position:
    """Return what a play leads to."""
    decision = each.recorded.decision
    assert decision.dice is not None
    return decision.position.play(text, decision.dice)


def gnubg_rollout(
    analysis: MatchAnalysis, action: int, plays: Sequence[str], trials: int
) -> dict[str, float]:
    """Return what each candidate of a decision in a match is worth, or each branch of one about the cube.

    Parameters
    ----------
    analysis : MatchAnalysis
    action : int
        The number of the action by which it was made.
    plays : sequence of str
        The candidates; none of a double or an answer.
    trials : int

    Returns
    -------
    dict of str to float
        Of plays their equities (EMG); else the chances of the player on roll to win the match:
        ``"no double"`` and ``"double, take"``.
    """
    asked = {each.recorded.action: each for each in analysis.decisions if each.recorded.kind != "take"}
    each = asked[action if action in asked else action - 1]  # the double that was answered
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        given, found = Path(folder, "given.sgf"), Path(folder, "found.sgf")
        given.write_text(_marked(_only(analysis, each, plays)), encoding="utf-8")
        run_gnubg([], {}, _SETTINGS.format(trials=trials, given=given, found=found))
        text = found.read_text(encoding="utf-8")
    return _equities(each, plays, text) if plays else _branches(text)


def _only(analysis: MatchAnalysis, each: AnalysedDecision, plays: Sequence[str]) -> str:
    """Return a match as SGF with one decision and its candidates."""
    if plays:
        choices = [Choice(text, -at / 1000, None, 0, (0.5, 0, 0, 0, 0)) for at, text in enumerate(plays)]
        each = replace(each, choices=tuple(choices))
    return MatchAnalysis(analysis.match, [each], [], analysis.settings, met=analysis.met).to_sgf()


def _marked(text: str) -> str:
    """Return the file with all that was looked at marked to be rolled out."""
    text = re.sub(r"DA\[[^\]]*\]", r"\g<0>CR[]", text, count=1)
    return re.sub(
        r"]A\[\d+\]((?:\[[^\]]*\])+)",
        lambda found: f"{found[0]}MR[{' '.join(str(at + 1) for at in range(found[1].count('[')))}]",
        text,
    )


def _equities(each: AnalysedDecision, plays: Sequence[str], text: str) -> dict[str, float]:
    rows = dict(re.findall(r"\[([a-z]+) X ver 3 Score (\S+)", text))
    decision = each.recorded.decision
    assert decision.dice is not None
    found = {}
    for play in decision.position.plays(decision.dice):
        if str(play) in plays:
            found[str(play)] = float(rows[letters(each.recorded.player, play.moves)])
    return found


def _branches(text: str) -> dict[str, float]:
    found = re.search(r"DA\[X ver 3 Eq .*?Output (.*?) StdDev .*? DoubleTake Output (.*?) StdDev", text)
    assert found is not None
    no_double, taken = (float(numbers.split()[6]) for numbers in found.groups())
    return {"no double": no_double, "double, take": taken}
