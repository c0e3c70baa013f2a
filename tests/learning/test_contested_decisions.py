"""Files of contested decisions: writing, reading, malformed files."""

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
    file = folder / "contested"
    file.write_text(text, encoding="utf-8")
    return file


def test_round_trip(tmp_path: Path) -> None:
    best, second = DECISIONS[0].candidates[:2]
    judged_decision = DECISIONS[0]._replace(
        second=(
            SecondJudgement(best.position_id, 144, 0.012, 0.002),
            SecondJudgement(second.position_id, 144, -0.05, 0.002),
        )
    )
    text = decisions_text(["by hand", "seed 1"], [judged_decision, DECISIONS[1]])
    contested = read_decisions(write_file(tmp_path, text))
    assert contested.notes == ("by hand", "seed 1")
    assert contested.decisions == (judged_decision, DECISIONS[1])
    assert decisions_text(contested.notes, contested.decisions) == text
    assert contested.boards.tolist() == [START.to_array().tolist(), RACE.to_array().tolist()]
    assert np.diff(contested.plays.offsets).tolist() == [len(START.plays((3, 1))), len(RACE.plays((2, 1)))]
    for board, loss, error in zip(
        contested.plays.boards, contested.losses, contested.loss_errors, strict=True
    ):
        rows = contested.plays.boards[: contested.plays.offsets[1]]
        if (rows == board).all(axis=1).any():
            best_equity = max(map(blot_equity, rows))
            assert loss == pytest.approx(best_equity - blot_equity(board))
            assert error == (0 if loss == 0 and board.tobytes() == board_bytes(best.position_id) else 0.002)


def board_bytes(position_id: str) -> bytes:
    return Position.from_gnubg_id(position_id).to_array().tobytes()


def test_plays_that_are_not_candidates_keep_an_estimate(tmp_path: Path) -> None:
    decision = contested_decision(START, (6, 4), blot_equity, window=0.01)
    assert decision.estimates
    contested = read_decisions(write_file(tmp_path, decisions_text([], [decision])))
    assert np.isnan(contested.loss_errors).sum() == len(decision.estimates)
    assert sorted(contested.losses[np.isnan(contested.loss_errors)]) == pytest.approx(
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
def test_agreement_of_judges(difference: float, error: float, first_error: float, expected: str) -> None:
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


HEAD = "# bgfast contested decisions 1\n# by hand\n"
VALID = decisions_text(["by hand"], [DECISIONS[1]])
DECISION_LINE, *PLAYS = VALID.splitlines()[2:]


REFUSED_TEXTS = [
    ("", " begins with ''; expected '# bgfast contested decisions 1'"),
    ("# bgfast contested decisions 2\n", " begins with '# bgfast contested decisions 2'; expected"),
    (HEAD, " has no decision; expected one or more"),
    (HEAD + "ä", " is not ASCII text"),
    (HEAD + "\nother 4HPwATDgc/ABMA 3\n", ", line 4: 'other 4HPwATDgc/ABMA 3'; expected a 'decision ID"),
    (VALID + "decision 4HPwATDgc/ABMA 31\n", f", line {3 + len(PLAYS) + 1}: 'decision 4HPw"),
    (VALID.replace(" 21 ", " 12 "), ", line 3: "),
    (VALID.replace(" 21 ", " 71 "), ", line 3: "),
    (VALID.replace(" 21 ", " 210 "), ", line 3: "),
    (VALID.replace("bear-off", "race"), ", line 3: "),
    (VALID.replace(" 36 ", " 1 "), ", line 3: "),
    (VALID.replace(" 7 one-judge", " x one-judge"), ", line 3: "),
    (VALID.replace("rolled", "roled", 1), ", line 4: 'roled "),
    (VALID.replace(" 1.0 ", " nan ", 1), ", line 4: "),
    (VALID.replace(" 1.0 ", " ", 1), ", line 4: "),
    (VALID + "other x\n", f", line {4 + len(PLAYS)}: 'other x'; expected 'decision ID ROLL FAMILY "),
    (VALID + "second x 36 1\n", f", line {4 + len(PLAYS)}: "),
    (VALID + "second x 0 1 1\n", f", line {4 + len(PLAYS)}: "),
    (HEAD + DECISION_LINE + "\n", ", line 3: no best play; expected a first candidate with loss 0"),
    (VALID.replace(" 0.0 0.0 ", " 5.0 0.0 "), ", line 3: no best play"),
    (
        "\n".join([*HEAD.splitlines(), DECISION_LINE, *PLAYS[:-1]]),
        f", line 3: the {len(PLAYS) - 1} plays are not the legal plays",
    ),
    (
        VALID + PLAYS[-1],
        f", line 3: the {len(PLAYS) + 1} plays are not the legal plays; expected the {len(PLAYS)} plays",
    ),
    (
        VALID.replace(PLAYS[-1].split()[1], "4HPwATDgc/ABMA"),
        f", line 3: the {len(PLAYS)} plays are not the legal plays; expected the {len(PLAYS)} plays",
    ),
    (VALID.replace(DECISION_LINE.split()[1], "4HPwATDgc/ABMB"), ", decisions counted from 0: row 0: "),
]


def test_refused_files(tmp_path: Path) -> None:
    for content, message in REFUSED_TEXTS:
        file = write_file(tmp_path, content)
        with pytest.raises(BgfastError) as error:
            read_decisions(file)
        assert str(error.value).startswith(f"positions {file}{message}")
    with pytest.raises(BgfastError, match=r"^positions .*: No such file"):
        read_decisions(tmp_path / "no")


# ---- the file shipped with the package ----


def test_shipped_file() -> None:
    contested = read_decisions()
    assert BUILTIN.read_text("ascii") == decisions_text(contested.notes, contested.decisions)
    keys = {(decision.position_id, decision.roll) for decision in contested.decisions}
    assert len(keys) == len(contested.decisions) >= 1000
    families = Counter(decision.family for decision in contested.decisions)
    assert min(families.values()) >= 96
    assert set(families) == set(FAMILIES)
    for board, decision in zip(contested.boards, contested.decisions, strict=True):
        assert family_of(Position.from_array(board)) == decision.family
        assert 2 <= len(decision.candidates) <= 4
        assert decision.trials >= 216
        assert all(loss >= 0.1 for _, loss in decision.estimates)


def test_rollouts_agree_with_exact_bear_offs() -> None:
    """Losses of rolled-out bear-off plays are within 5 millipoints of the exact losses."""
    contested, exact = read_decisions(), Bearoff()
    boards, offsets = contested.plays.boards, contested.plays.offsets
    is_exact = exact.covers(boards)
    decisions = [
        index for index in range(len(offsets) - 1) if is_exact[offsets[index] : offsets[index + 1]].all()
    ]
    assert len(decisions) > 20
    for index in decisions:
        rows = slice(offsets[index], offsets[index + 1])
        values = TimedEvaluator(exact).equities(boards[rows], bgfast.results(boards[rows]))
        is_rolled_out = ~np.isnan(contested.loss_errors[rows])
        losses = (values - values.min())[is_rolled_out]
        assert contested.losses[rows][is_rolled_out] == pytest.approx(losses, abs=0.005)
