"""Supervised learning on rollouts: what is rolled out, what is learnt."""

import sys

import numpy as np
import pytest

from benchmarks import learn_from_rollouts
from benchmarks.learn_from_rollouts import Study, positions, rolled_out
from bgfast import Network, results
from bgfast.analysis.training.training import Schedule
from bgfast.evaluators import Lookahead

NETWORK = Network.random(hidden=32, seed=3)


def test_positions_go_on_and_are_met_once():
    boards = positions(NETWORK, 3000, seed=1, share=0.1, temperature=0.05)
    assert boards.shape[0] > 2000
    assert boards.shape[1] == 26
    assert not results(boards).any()
    assert len(np.unique(boards, axis=0)) == len(boards)
    assert not np.array_equal(boards[:9], positions(NETWORK, 3000, seed=2, share=0.1, temperature=0.05)[:9])


def test_all_first_rolls_and_no_more_are_looking_a_ply_ahead():
    boards = positions(NETWORK, 600, seed=1, share=0.1, temperature=0.05)
    found = np.concatenate(list(rolled_out(NETWORK, boards, 36, 1, seed=1)))
    assert found == pytest.approx(Lookahead(NETWORK, ply=1)(boards), abs=1e-5)


def test_learning_goes_where_it_is_told(tmp_path, capsys, monkeypatch):
    boards = positions(NETWORK, 20_000, seed=1, share=0.1, temperature=0.05)
    teacher = Network.random(hidden=32, seed=4)
    work = Study(NETWORK, boards, teacher.evaluate(boards))
    before = np.square(NETWORK.equities(boards) - teacher.equities(boards)).mean()
    assert list(work.learn(3, Schedule(0.02, 0.002), seed=1)) == [1, 2, 3]
    after = np.square(work.network.equities(boards) - teacher.equities(boards)).mean()
    assert after < before / 10

    file, out = tmp_path / "rolled.npz", tmp_path / "mine.bgnet"
    command = ["", "roll", str(file), "--positions", "2000", "--truncate", "1"]
    monkeypatch.setattr(sys, "argv", command)
    assert learn_from_rollouts.main() == 0
    monkeypatch.setattr(sys, "argv", ["", "learn", str(file), "--out", str(out), "--passes", "2"])
    assert learn_from_rollouts.main() == 0
    said = capsys.readouterr().out
    assert "before: contact 0." in said
    assert "pass 2: contact 0." in said
    assert Network.load(out).about["before"] == Network.builtin().about
