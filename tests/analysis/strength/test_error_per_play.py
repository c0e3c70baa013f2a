"""What a player gives away with a play: positions in which every play has been judged."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.analysis.evaluators.evaluators import TimedEvaluator
from bgfast.analysis.strength.error_per_play import RunningErrors, error_per_play
from bgfast.analysis.strength.judged_positions import BUILTIN, judged_line, judged_order, read_judged
from bgfast.evaluators import Bearoff, PipCount, Pubeval, Random

HEAD = "# bgfast judged positions 1\n# judged by a coin\n"
START = Position.start()
RACE = Position.from_array([0] * 4 + [1, 0, 2] + [0] * 11 + [-1, 0, -1] + [0] * 5)
CLOSED = Position.from_array([0] * 19 + [-2] * 6 + [1])


def after(position: Position, roll: tuple[int, int]) -> bgfast.Successors:
    return bgfast.successors(position.to_array()[None], roll, flip=True)


def line(position: Position, roll: tuple[int, int], worth: Any) -> str:
    """The line of a position in which each play is worth what a function of the board after it says."""
    plays = after(position, roll)
    equities = [worth(board) for board in plays.boards[judged_order(plays)]]
    return judged_line(position.gnubg_id, roll, equities)


def pips(board: np.ndarray) -> float:
    """The mover's lead after a play: the board is seen by the next player."""
    own, other = bgfast.pip_counts(board[None])[0]
    return float(own - other) / 1000


def blots(board: np.ndarray) -> float:
    return -int((board == -1).sum()) / 100


def in_words(boards: np.ndarray) -> np.ndarray:
    """An evaluator that likes few blots of the player who has just played."""
    return np.array([-blots(board) for board in boards])


def written(tmp_path: Path, *lines: str) -> Path:
    file = tmp_path / "judged"
    file.write_text(HEAD + "".join(f"{each}\n" for each in lines), encoding="ascii")
    return file


def test_a_player_that_thinks_as_the_judge(tmp_path: Path) -> None:
    file = written(
        tmp_path, line(START, (3, 1), blots), line(START, (6, 6), blots), line(RACE, (2, 1), blots)
    )
    found = error_per_play(in_words, read_judged(file), worst=9)
    assert found.overall == (3, 0, 0, 1)
    assert (found.contact.decisions, found.race.decisions) == (2, 1)
    assert found.mistakes == ()
    assert found.judge == "a coin"
    assert str(found).startswith("0.00 ± 0.00 millipoints a play, 100.0% agreed, 3 decisions (contact 0.00, ")


def test_a_player_that_thinks_otherwise(tmp_path: Path) -> None:
    cases = [(START, (3, 1)), (START, (6, 2)), (RACE, (2, 1)), (START, (5, 4))]
    judged = read_judged(written(tmp_path, *(line(position, roll, blots) for position, roll in cases)))
    # It likes what leaves the most blots: what that costs is known without any of the functions above.
    losses = []
    for position, roll in cases:
        left = (position.plays(roll).boards == 1).sum(axis=1)
        losses.append(10.0 * (left.max() - left.min()))
    found = error_per_play(lambda boards: -in_words(boards), judged, worst=2)
    assert found.millipoints == pytest.approx(np.mean(losses))
    assert found.overall.standard_error == pytest.approx(np.std(losses, ddof=1) / 2)
    assert found.overall.agreed == np.mean(np.array(losses) == 0)
    assert found.contact.millipoints == pytest.approx(np.mean([losses[0], losses[1], losses[3]]))
    assert found.race.millipoints == losses[2]
    assert math.isnan(found.race.standard_error)
    worst = found.mistakes[0]
    assert len(found.mistakes) == 2
    assert worst.millipoints == max(losses)
    assert (worst.position, worst.roll) in cases
    plays = worst.position.plays(worst.roll)
    blotted = dict(zip([play.text for play in plays], (plays.boards == 1).sum(axis=1), strict=True))
    assert blotted[worst.played] == max(blotted.values())
    assert blotted[worst.best] == min(blotted.values())


def test_no_races(tmp_path: Path) -> None:
    judged = read_judged(written(tmp_path, line(START, (3, 1), pips), "", "# and no more"))
    found = error_per_play(Random(), judged)
    assert found.race.decisions == 0
    assert math.isnan(found.race.millipoints)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "begins otherwise; expected '# bgfast judged positions 1' and '# judged by' in two lines"),
        ("# bgfast judged positions 2\n# judged by a coin\n", "begins otherwise"),
        ("# bgfast judged positions 1\n", "begins otherwise"),
        ("# bgfast judged positions 1\n\n", "begins otherwise"),
        (HEAD, "holds no position"),
        (HEAD + "ä", "no text in ASCII"),
        (HEAD + "\n4HPwATDgc/ABMA 31 5\n", "line 4: '4HPwATDgc/ABMA 31 5'; expected an ID, a roll"),
        (HEAD + "4HPwATDgc/ABMA 31 5 0 x\n", "line 3"),
        (HEAD + "4HPwATDgc/ABMA 31 5 1 2\n", "line 3"),
        (HEAD + "4HPwATDgc/ABMA 31 5 0 -2\n", "line 3"),
        (HEAD + "4HPwATDgc/ABMA 31 5 0 60001\n", "line 3"),
        (HEAD + "4HPwATDgc/ABMA 31 5 0 1\n", "line 3: 2 plays judged; expected 16"),
        (HEAD + "4HPwATDgc/ABMA 70 5 0 1\n", "line 3: no roll; expected two dice as 31"),
        (HEAD + "4HPwATDgc/ABMA 3 5 0 1\n", "line 3: no roll"),
        (HEAD + "4HPwATDgc/ABMB 31 5 0 1\n", "of its positions, counted from 0, row 0: "),
        (HEAD + f"{CLOSED.gnubg_id} 31 5 0\n", "line 3: 1 plays judged; expected 0"),
    ],
)
def test_files_that_are_refused(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "judged"
    file.write_bytes(content.encode("utf-8"))
    with pytest.raises(BgfastError, match=r"positions .*judged") as error:
        read_judged(file)
    assert message in str(error.value)


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BgfastError, match="No such file"):
        read_judged(tmp_path / "no")
    with pytest.raises(BgfastError, match="player is 'pubeval'; expected an evaluator"):
        error_per_play("pubeval")  # type: ignore[arg-type]


# ---- the positions that come with bgfast ----


def test_positions_that_come_with_bgfast() -> None:
    judged = read_judged()
    assert len(judged.boards) == 2000
    assert np.diff(judged.plays.offsets).min() >= 2
    assert (
        len(
            {
                (board.tobytes(), *dice)
                for board, dice in zip(judged.boards, judged.dice.tolist(), strict=True)
            }
        )
        == 2000
    )
    assert judged.judge.startswith("gnubg-nn 1.1.0a11, 2 plies, cubeless")
    players = [bgfast.Network.builtin(), Pubeval(), PipCount(), Random()]
    builtin, pubeval, pips, lots = [error_per_play(player, judged).millipoints for player in players]
    assert 1 < builtin < 15
    assert 30 < pubeval < 50
    assert min(pips, lots) > 200


def test_a_judge_that_is_right_where_the_truth_is_known() -> None:
    """In the bear-off a play costs what the exact database says, but for what one-sided databases round."""
    judged, exact = read_judged(), Bearoff()
    boards, offsets = judged.plays.boards, judged.plays.offsets
    known = exact.covers(boards)
    decisions = [at for at in range(len(offsets) - 1) if known[offsets[at] : offsets[at + 1]].all()]
    assert len(decisions) > 50
    for at in decisions:
        rows = slice(offsets[at], offsets[at + 1])
        values = TimedEvaluator(exact).equities(boards[rows], bgfast.results(boards[rows]))
        assert judged.losses[rows] == pytest.approx(values - values.min(), abs=0.003)


def test_how_the_positions_were_made() -> None:
    pytest.importorskip("gnubg_nn", reason="NOT INSTALLED: gnubg-nn, which has judged the positions")
    from benchmarks.make_judged_positions import decisions, judged

    lines = [line for line in BUILTIN.read_text("ascii").splitlines() if not line.startswith("#")]
    made = [*islice(decisions(1), 20)]
    assert [line.split()[:2] for line in lines[:20]] == [[gnubg_id, f"{x}{y}"] for gnubg_id, (x, y) in made]
    # Numbers may differ in their last digit on another processor.
    place = min(range(20), key=lambda at: len(lines[at]))
    expected, found = (
        [int(word) for word in text.split()[2:]] for text in (lines[place], judged(made[place], 2))
    )
    assert found == pytest.approx(expected, abs=2)


def test_ctrl_c_leaves_what_is_known() -> None:
    calls = 0

    def player(boards: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return PipCount()(boards)

    run = RunningErrors(player)
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    known = run.done
    assert 8 < known < 100
    assert run.result().overall.decisions == known
    shares = list(run.play())
    assert shares == sorted(shares)
    assert shares[-1] == 1
    told: list[float] = []
    assert run.result(3) == error_per_play(PipCount(), worst=3, progress=told.append)
    assert told[0] < 0.01
    assert told[-1] == 1
    assert RunningErrors(player).result().overall.decisions == 0
