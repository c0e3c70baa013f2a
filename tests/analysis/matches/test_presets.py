"""Presets of match analysis."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import Match, analyse_match
from bgfast.analysis.matches import match_rollout
from bgfast.analysis.matches.decision_analyser import PRESETS, THRESHOLDS
from bgfast.evaluation.stakes import stakes_of
from bgfast.evaluators import Lookahead, PipCount, WithBearoff
from bgfast.matches import MatchAnalysis
from bgfast.position.decision import after_turn
from tests.support.command_line import Capture, run
from tests.support.matches import match_with_plays

FAST = bgfast.Network.builtin_fast()


@pytest.fixture(autouse=True, scope="module")
def short_rollouts() -> Iterator[None]:
    """End rollouts at an early interim analysis to keep tests quick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match_rollout, "INTERIM_TRIALS", (36,))
        patch.setattr(match_rollout, "has_enough_trials", lambda *_: True)
        yield


@pytest.fixture(scope="module")
def match() -> Match:
    return match_with_plays("13/9", "24/13")


@pytest.fixture(scope="module")
def analyses(match: Match, tmp_path_factory: pytest.TempPathFactory) -> dict[str, MatchAnalysis]:
    """Analyses by preset; the analysis with rollouts uses a checkpoint and two threads."""
    path = tmp_path_factory.mktemp("presets") / "rollouts"
    options = {"rollout": {"seed": 3, "checkpoint": path, "threads": 2}}
    return {name: analyse_match(match, FAST, preset=name, **options.get(name, {})) for name in PRESETS}


def test_normal_is_the_default(match: Match, analyses: dict[str, MatchAnalysis]) -> None:
    default_analysis = analyse_match(match, FAST)
    assert default_analysis.settings["preset"] == "normal@3"
    assert default_analysis.to_json() == analyses["normal"].to_json()
    two_ply_analysis = analyse_match(match, FAST, ply=2)
    assert two_ply_analysis.decisions == default_analysis.decisions
    assert "preset" not in two_ply_analysis.settings
    assert "preset" not in analyse_match(match, Lookahead(FAST, ply=0)).settings


def test_presets_have_their_search_options() -> None:
    builtin = bgfast.Network.builtin()
    quick, normal, deep = (PRESETS[name].search(None, "standard") for name in ("quick", "normal", "deep"))
    assert (quick.ply, quick.threshold) == (1, THRESHOLDS[:1])
    assert (normal.ply, normal.threshold, normal.candidates, normal.policy) == (2, THRESHOLDS, (8, 4), FAST)
    assert (deep.ply, deep.threshold, deep.candidates, deep.policy) == (2, (0.16, 0.08), (16, 8), FAST)
    assert isinstance(deep.evaluator, WithBearoff)
    assert PRESETS["deep"].search(builtin, "standard").policy == FAST
    assert PRESETS["deep"].search(PipCount(), "standard").policy is None


def test_every_output_names_the_preset(analyses: dict[str, MatchAnalysis]) -> None:
    assert [str(preset) for preset in PRESETS.values()] == ["quick@3", "normal@3", "deep@3", "rollout@6"]
    for name, analysis in analyses.items():
        version = str(PRESETS[name])
        assert f"preset {version}" in str(analysis)
        assert f"preset {version}" in analysis.to_html()
        assert analysis.to_dict()["settings"]["preset"] == version
        assert {row["preset"] for row in csv.DictReader(io.StringIO(analysis.to_csv()))} == {version}
        assert analysis.is_rolled_out == (name == "rollout")


def test_the_command_accepts_presets(
    match: Match, analyses: dict[str, MatchAnalysis], tmp_path: Path, capsys: Capture
) -> None:
    path = str(tmp_path / "match.mat")
    match.save(path)
    arguments = ["report", path, "--evaluator", "builtin-fast", "-q"]
    assert "preset quick@3, ply 1" in run(capsys, *arguments, "--preset", "quick")
    assert "preset normal@3, ply 2" in run(capsys, *arguments)
    assert "seed 5" in run(capsys, *arguments, "--preset", "rollout", "--seed", "5")
    # `rollout=True` selects the preset "rollout".
    assert analyses["rollout"].decisions == analyse_match(match, FAST, rollout=True, seed=3).decisions


def test_preset_deep_averages_two_searches_of_contested_plays(analyses: dict[str, MatchAnalysis]) -> None:
    analysis = analyses["deep"]
    search = PRESETS["deep"].search(FAST, "standard")
    deeper_search = PRESETS["deep"].deeper_search(search)
    plies = set()
    for analysed in analysis.decisions:
        if analysed.recorded.kind != "play":
            continue
        decision = analysed.recorded.decision
        legal_plays = decision.position.plays(decision.dice)
        for choice in analysed.choices:
            plies.add(choice.ply)
            if choice.ply < 3:
                continue
            reply = after_turn(decision, legal_plays[choice.text].position)
            evaluations = [search.evaluation(reply), deeper_search.evaluation(reply)]
            mean_equity = -np.mean([evaluation.equity for evaluation in evaluations])
            assert choice.equity <= mean_equity + 1e-12  # the opponent's double may lower the equity
            wins = [1 - evaluation.probabilities[0] for evaluation in evaluations]
            assert choice.probabilities[0] == pytest.approx(np.mean(wins))
            # The equity and the MWC are both means.
            assert choice.mwc == pytest.approx(stakes_of(decision).denormalize(choice.equity), abs=1e-9)
        # The recorded play is searched to the depth of the best play.
        assert analysed.chosen.ply == analysed.best.ply
        deep_equities = [choice.equity for choice in analysed.choices if choice.ply == 3]
        assert deep_equities == sorted(deep_equities, reverse=True)
    assert 3 in plies
