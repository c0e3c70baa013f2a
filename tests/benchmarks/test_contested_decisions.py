"""Generator of contested decisions: selection, rollouts and resumption."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from bgfast import Position, rollout
from bgfast.learning.contested_decisions import FAMILIES, ContestedDecision, Family, read_decisions
from tests.support.contested import blot_equity, contested_decision
from tests.support.gnubg import program
from tests.support.patience import patient

pytest.importorskip("gnubg_nn", reason="NOT INSTALLED: gnubg-nn, whose games supply the decisions")
from benchmarks.families import family_of
from benchmarks.make_contested_decisions import DecisionFile, Selector, is_settled, main

FAST_FAMILIES: tuple[Family, ...] = ("bear-off", "long race")


def quotas(count: int) -> dict[Family, int]:
    return {family: count if family in FAST_FAMILIES else 0 for family in FAMILIES}


def make_complete_file(file: Path, count: int, trials: int, max_trials: int) -> bytes:
    """Make a file of decisions in one uninterrupted run; return the content."""
    decision_file = DecisionFile(file, 1)
    for _ in decision_file.roll_out(quotas(count), trials, max_trials):
        pass
    decision_file.save()
    return file.read_bytes()


def test_selected_decisions_fill_the_quotas() -> None:
    decisions = Selector(1).select(quotas(2))
    assert Counter(decision.family for decision in decisions) == dict.fromkeys(FAST_FAMILIES, 2)
    assert tuple(decision.family for decision in decisions) in (FAST_FAMILIES * 2, FAST_FAMILIES[::-1] * 2)
    assert len({decision.key for decision in decisions}) == 4
    for decision in decisions:
        assert family_of(decision.position) == decision.family
        assert 2 <= len(decision.candidates) <= 4
        count = len(decision.position.plays(decision.roll))
        assert len(decision.candidates) + len(decision.estimates) == count
        assert all(loss > 0.1 for _, loss in decision.estimates)
    openings = Selector(1).select({family: 3 if family == "opening" else 0 for family in FAMILIES})
    assert len({decision.key for decision in openings}) == 3
    shorter_selection = Selector(1).select(quotas(1))
    assert shorter_selection == decisions[:2]
    assert Selector(2).select(quotas(1)) != shorter_selection


def is_even(decision: ContestedDecision) -> bool:
    """Return whether the seed is even: a replacement for `is_settled` that ignores the trials."""
    return decision.seed % 2 == 0


@pytest.mark.slow
def test_interrupted_runs_make_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.make_contested_decisions.is_settled", is_even)
    expected = make_complete_file(tmp_path / "complete", 3, 36, 144)
    file = tmp_path / "interrupted"
    run_count = 0
    while not file.exists() or file.read_bytes() != expected:
        decision_file = DecisionFile(file, 1)
        next(decision_file.roll_out(quotas(3), 36, 144))
        decision_file.save()
        run_count += 1
        assert run_count <= 12
    assert run_count > 6
    assert list(DecisionFile(file, 1).roll_out(quotas(3), 36, 144)) == []


def test_decisions_are_settled_if_the_loss_exceeds_its_interval() -> None:
    decision = contested_decision(Position.start(), (3, 1), blot_equity)
    best, second, *other_candidates = decision.candidates
    for loss_se, expected in ((0.0050, True), (0.0052, False)):
        candidates = (best, second._replace(loss=0.01, loss_se=loss_se), *other_candidates)
        assert is_settled(decision._replace(candidates=candidates)) is expected


def test_rollouts_are_reproducible_from_the_file(tmp_path: Path) -> None:
    from bgfast.cli.players import load_evaluator

    make_complete_file(tmp_path / "file", 1, 36, 36)
    decision = read_decisions(tmp_path / "file").decisions[0]
    position = Position.from_gnubg_id(decision.position_id)
    plays = {str(play): play for play in position.plays(decision.roll)}
    result = rollout(
        [plays[candidate.play] for candidate in decision.candidates],
        evaluator=load_evaluator("builtin-fast"),
        policy=load_evaluator("builtin"),
        trials=decision.trials,
        seed=decision.seed,
        variance_reduction=True,
        cubeless=True,
    )
    estimates = {estimate.gnubg_id: estimate for estimate in result.estimates}
    for candidate in decision.candidates:
        estimate = estimates[candidate.position_id]
        expected = (estimate.equity, estimate.equity_se, -estimate.difference, estimate.difference_se)
        assert candidate[1:5] == pytest.approx(expected, abs=0.00006)


@pytest.mark.slow
def test_gnubg_rollouts_are_added_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program("gnubg")
    file = tmp_path / "file"
    make_complete_file(file, 2, 36, 36)
    start_time = time.monotonic()
    monkeypatch.setattr(sys, "argv", ["make", str(file), "--gnubg-trials", "36", "--seconds", "0"])
    assert main() == 0
    assert capsys.readouterr().out == "3 decisions left\n"
    monkeypatch.setattr(sys, "argv", ["make", str(file), "--gnubg-trials", "36"])
    assert main() == 0
    assert time.monotonic() - start_time < patient(60)
    decision_file = read_decisions(file)
    assert decision_file.notes[2].startswith("second judge: GNU Backgammon ")
    for decision in decision_file.decisions:
        assert [judgement.position_id for judgement in decision.second] == [
            candidate.position_id for candidate in decision.candidates[:2]
        ]
        for candidate, judgement in zip(decision.candidates, decision.second, strict=False):
            assert judgement.trials == 36
            assert judgement.equity == pytest.approx(candidate.equity, abs=0.1)
    make_complete_file(file, 2, 144, 144)
    assert [decision.second for decision in read_decisions(file).decisions] == [
        decision.second for decision in decision_file.decisions
    ]
