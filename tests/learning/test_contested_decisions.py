"""Files of contested decisions: writing, reading, and malformed files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import bgfast
from benchmarks.families import family_of
from bgfast import BgfastError, Position
from bgfast.evaluation.evaluators.evaluators import TimedEvaluator
from bgfast.evaluators import Bearoff
from bgfast.learning.contested_decisions import BUILTIN, FAMILIES, SecondJudgement, read_decisions
from tests.support.contested import blot_equity, contested_decision, decisions_text

START = Position.start()
RACE = Position.from_array([0] * 4 + [1, 0, 2] + [0] * 11 + [-1, 0, -1] + [0] * 5)
DECISIONS = [contested_decision(START, (3, 1), blot_equity), contested_decision(RACE, (2, 1), blot_equity)]


def write_file(folder: Path, text: str) -> Path:
    path = folder / "contested"
    path.write_text(text, encoding="utf-8")
    return path


def test_round_trip(tmp_path: Path) -> None:
    best, second = DECISIONS[0].candidates[:2]
    judged_decision = DECISIONS[0]._replace(
        second=(
            SecondJudgement(best.position_id, 144, 0.012, 0.002),
            SecondJudgement(second.position_id, 144, -0.05, 0.002),
        )
    )
    text = decisions_text(["by hand", "seed 1"], [judged_decision, DECISIONS[1]])
    dataset = read_decisions(write_file(tmp_path, text))
    assert dataset.notes == ("by hand", "seed 1")
    assert dataset.decisions == (judged_decision, DECISIONS[1])
    assert decisions_text(dataset.notes, dataset.decisions) == text
    assert dataset.boards.tolist() == [START.to_array().tolist(), RACE.to_array().tolist()]
    assert np.diff(dataset.plays.offsets).tolist() == [len(START.plays((3, 1))), len(RACE.plays((2, 1)))]
    for board, loss, error in zip(dataset.plays.boards, dataset.losses, dataset.loss_errors, strict=True):
        rows = dataset.plays.boards[: dataset.plays.offsets[1]]
        if (rows == board).all(axis=1).any():
            best_equity = max(map(blot_equity, rows))
            assert loss == pytest.approx(best_equity - blot_equity(board))
            assert error == (0 if loss == 0 and board.tobytes() == board_bytes(best.position_id) else 0.002)


def board_bytes(position_id: str) -> bytes:
    return Position.from_gnubg_id(position_id).to_array().tobytes()


def test_plays_that_are_not_candidates_keep_an_estimate(tmp_path: Path) -> None:
    decision = contested_decision(START, (6, 4), blot_equity, window=0.01)
    assert decision.estimates
    dataset = read_decisions(write_file(tmp_path, decisions_text([], [decision])))
    assert np.isnan(dataset.loss_errors).sum() == len(decision.estimates)
    assert sorted(dataset.losses[np.isnan(dataset.loss_errors)]) == pytest.approx(
        sorted(loss for _, loss in decision.estimates)
    )


def test_no_minus_sign_before_zero() -> None:
    decision = DECISIONS[0]
    best = decision.candidates[0]._replace(equity=-0.00001, loss=-0.0)
    text = decisions_text([], [decision._replace(candidates=(best, *decision.candidates[1:]))])
    assert f"rolled {best.position_id} 0.0 1.0 0.0 0.0 " in text


@pytest.mark.parametrize(
    ("difference", "error", "first_error", "expected"),
    [
        (0.020, 0.001, 0.003, "judges-agree"),
        (0.029, 0.004 / 2**0.5, 0.003, "judges-agree"),  # 9 millipoints apart, less than 1.96 * 5
        (0.031, 0.004 / 2**0.5, 0.003, "judges-differ"),  # 11 millipoints apart, more than 1.96 * 5
        (0.009, 0.004 / 2**0.5, 0.003, "judges-differ"),
        (0.011, 0.004 / 2**0.5, 0.003, "judges-agree"),
        (-0.020, 0.010, 0.003, "judges-differ"),
        (-0.020, 0.020, 0.003, "judges-agree"),
        (0.0209, 0.0, 0.0, "judges-agree"),  # less than a millipoint apart
        (0.0211, 0.0, 0.0, "judges-differ"),
    ],
)
def test_judges_agree_or_differ(difference: float, error: float, first_error: float, expected: str) -> None:
    """The first judgement separates the two candidates by 20 millipoints."""
    best, second, *others = DECISIONS[0].candidates
    candidate = second._replace(loss=0.020, loss_se=first_error)
    decision = DECISIONS[0]._replace(candidates=(best, candidate, *others))
    assert decision.judges == "one-judge"
    judgements = [
        SecondJudgement(second.position_id, 36, 0.5 - difference, error),
        SecondJudgement(best.position_id, 36, 0.5, error),
    ]
    assert decision._replace(second=tuple(judgements)).judges == expected
    assert decision._replace(second=tuple(judgements[:1])).judges == "one-judge"


HEADER = "# bgfast contested decisions 1\n# by hand\n"
TEXT = decisions_text(["by hand"], [DECISIONS[1]])
DECISION_LINE, *PLAYS = TEXT.splitlines()[2:]
INVALID_TEXTS = [
    ("", " begins with ''; expected '# bgfast contested decisions 1'"),
    ("# bgfast contested decisions 2\n", " begins with '# bgfast contested decisions 2'; expected"),
    (HEADER, " has no decision; expected one or more"),
    (HEADER + "ä", " is not ASCII text"),
    (HEADER + "\nother 4HPwATDgc/ABMA 3\n", ", line 4: 'other 4HPwATDgc/ABMA 3'; expected a 'decision ID"),
    (TEXT + "decision 4HPwATDgc/ABMA 31\n", f", line {3 + len(PLAYS) + 1}: 'decision 4HPw"),
    (TEXT.replace(" 21 ", " 12 "), ", line 3: "),
    (TEXT.replace(" 21 ", " 71 "), ", line 3: "),
    (TEXT.replace(" 21 ", " 210 "), ", line 3: "),
    (TEXT.replace("bear-off", "race"), ", line 3: "),
    (TEXT.replace(" 36 ", " 1 "), ", line 3: "),
    (TEXT.replace(" 7 one-judge", " x one-judge"), ", line 3: "),
    (TEXT.replace("rolled", "roled", 1), ", line 4: 'roled "),
    (TEXT.replace(" 1.0 ", " nan ", 1), ", line 4: "),
    (TEXT.replace(" 1.0 ", " ", 1), ", line 4: "),
    (TEXT + "other x\n", f", line {4 + len(PLAYS)}: 'other x'; expected 'decision ID ROLL FAMILY "),
    (TEXT + "second x 36 1\n", f", line {4 + len(PLAYS)}: "),
    (TEXT + "second x 0 1 1\n", f", line {4 + len(PLAYS)}: "),
    (HEADER + DECISION_LINE + "\n", ", line 3: no best play; expected a first candidate with loss 0"),
    (TEXT.replace(" 0.0 0.0 ", " 5.0 0.0 "), ", line 3: no best play"),
    (
        "\n".join([*HEADER.splitlines(), DECISION_LINE, *PLAYS[:-1]]),
        f", line 3: the {len(PLAYS) - 1} plays are not the legal plays",
    ),
    (
        TEXT + PLAYS[-1],
        f", line 3: the {len(PLAYS) + 1} plays are not the legal plays; expected the {len(PLAYS)} plays",
    ),
    (
        TEXT.replace(PLAYS[-1].split()[1], "4HPwATDgc/ABMA"),
        f", line 3: the {len(PLAYS)} plays are not the legal plays; expected the {len(PLAYS)} plays",
    ),
    (TEXT.replace(DECISION_LINE.split()[1], "4HPwATDgc/ABMB"), ", decisions counted from 0: row 0: "),
]


def test_invalid_files_are_refused(tmp_path: Path) -> None:
    for text, message in INVALID_TEXTS:
        path = write_file(tmp_path, text)
        with pytest.raises(BgfastError) as caught:
            read_decisions(path)
        assert str(caught.value).startswith(f"positions {path}{message}")
    with pytest.raises(BgfastError, match=r"^positions .*: No such file"):
        read_decisions(tmp_path / "no")


# ---- the file shipped with the package ----


def test_the_shipped_file_is_valid() -> None:
    dataset = read_decisions()
    assert BUILTIN.read_text("ascii") == decisions_text(dataset.notes, dataset.decisions)
    keys = {(decision.position_id, decision.roll) for decision in dataset.decisions}
    assert len(keys) == len(dataset.decisions) >= 1000
    families = Counter(decision.family for decision in dataset.decisions)
    assert min(families.values()) >= 96
    assert set(families) == set(FAMILIES)
    for board, decision in zip(dataset.boards, dataset.decisions, strict=True):
        assert family_of(Position.from_array(board)) == decision.family
        assert 2 <= len(decision.candidates) <= 4
        assert decision.trials >= 216
        assert all(loss >= 0.1 for _, loss in decision.estimates)


def test_rollouts_agree_with_exact_bear_offs() -> None:
    """Losses of rolled-out bear-off plays are within 5 millipoints of the exact losses."""
    dataset, bearoff = read_decisions(), Bearoff()
    boards, offsets = dataset.plays.boards, dataset.plays.offsets
    is_exact = bearoff.covers(boards)
    indices = [
        index for index in range(len(offsets) - 1) if is_exact[offsets[index] : offsets[index + 1]].all()
    ]
    assert len(indices) > 20
    for index in indices:
        rows = slice(offsets[index], offsets[index + 1])
        equities = TimedEvaluator(bearoff).equities(boards[rows], bgfast.results(boards[rows]))
        is_rolled_out = ~np.isnan(dataset.loss_errors[rows])
        losses = (equities - equities.min())[is_rolled_out]
        assert dataset.losses[rows][is_rolled_out] == pytest.approx(losses, abs=0.005)
