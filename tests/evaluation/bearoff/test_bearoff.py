"""Bear-off databases, compared with slow recursions and with GNU Backgammon."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from math import comb
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, InvalidPositionError, Position
from bgfast.evaluation.bearoff.bearoff import Bearoff
from tests.support import gnubg
from tests.support.bearing_off import EMPTY, all_sides, board_of, rolls_needed, winning_chance

CHECKSUMS = [618885812, 2742726798, 1113547599]  # CRC-32 of the three arrays, computed on x86-64


def side_of(index: int) -> tuple[int, ...]:
    """Return the side with this index, by inverting the combinatorial number system."""
    from_point = []
    for k in range(6, 0, -1):
        n = max(n for n in range(22) if comb(n, k) <= index)
        index -= comb(n, k)
        from_point.append(n - k + 1)
    assert index == 0
    return tuple(count - above for count, above in zip(from_point, [*from_point[1:], 0], strict=True))


# ---------------------------------------------------------------- exact results


def test_distributions_of_up_to_three_checkers_agree_with_the_recursion(bearoff: Bearoff) -> None:
    for side in all_sides(3)[1:]:
        position = Position.from_array(board_of(side), max(1, sum(side)))
        for actual, first_only in (
            (bearoff.distribution(position), False),
            (bearoff.gammon_distribution(position), True),
        ):
            expected = np.array(rolls_needed(side, first_only), float)
            assert len(actual) == len(expected), (side, first_only)
            assert np.abs(actual - expected).max() < 1e-12, (side, first_only)


def test_winning_chances_of_up_to_three_checkers_agree_with_the_recursion(bearoff: Bearoff) -> None:
    sides = all_sides(3)
    pairs = [(mover, opponent) for mover in sides for opponent in sides if EMPTY not in (mover, opponent)]
    boards = np.array([board_of(*pair) for pair in pairs], np.int8)
    assert bearoff.covers_exactly(boards).all()
    actual = bearoff(boards)
    expected = np.array([winning_chance(*pair) for pair in pairs])
    assert np.abs(actual[:, 0] - expected).max() < 1e-12
    assert not actual[:, 1:].any()


def test_seven_checkers_extend_the_six_checker_database(bearoff: Bearoff, tmp_path: Path) -> None:
    bearoff_7 = Bearoff(7, folder=tmp_path)
    wins_6, wins_7 = bearoff.databases[1].arrays[0], bearoff_7.databases[1].arrays[0]
    assert (wins_6.shape, wins_7.shape) == ((924, 924), (1716, 1716))
    assert np.array_equal(wins_6, wins_7[:924, :924])
    # The positions after a single turn are also in the database.
    for board in (
        board_of((1, 1, 1, 1, 1, 2), (7, 0, 0, 0, 0, 0)),
        board_of((0,) * 5 + (7,), (0,) * 5 + (7,)),
    ):
        assert bearoff_7.covers_exactly([board]).all()
        assert not bearoff.covers_exactly([board]).any()
        assert bearoff_7([board])[0, 0] == pytest.approx(best_chance(bearoff_7, board), abs=1e-12)


def best_chance(bearoff: Bearoff, board: tuple[int, ...]) -> float:
    """Return the winning probability with the best play of every roll."""
    successors = bgfast.successors(np.array([board], np.int8), "all", flip=True)
    chances = 1 - bearoff(successors.boards)[:, 0]
    best = np.maximum.reduceat(chances, successors.offsets[:-1])
    return float(best @ np.array(ROLL_WEIGHTS) / 36)


def test_the_tables_are_the_same_on_every_machine(bearoff: Bearoff) -> None:
    checksums = [
        zlib.crc32(array.astype("<f8").data) for database in bearoff.databases for array in database.arrays
    ]
    assert checksums == CHECKSUMS


# ---------------------------------------------------------------- GNU Backgammon


@pytest.fixture(scope="module")
def gnubg_one_sided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gnubg") / "one_sided.bd"
    gnubg.make_database(path, "-o", "6")
    return path


@pytest.mark.slow
def test_distributions_agree_with_gnu_backgammon(bearoff: Bearoff, gnubg_one_sided: Path) -> None:
    """Compare all 54,264 sides; for at most eight, rounding to 16 bits changes the best play."""
    gnubg_rolls, gnubg_firsts = gnubg.read_one_sided(gnubg_one_sided)
    rolls, firsts = bearoff.databases[0].arrays
    difference = np.abs(gnubg_rolls - rolls).max(axis=1)
    indices = np.flatnonzero(difference >= 5e-4)
    assert len(indices) <= 8
    assert difference.max() < 3e-3
    assert all(closest_plays(bearoff, side_of(int(index))) < 5e-5 for index in indices)
    counts = np.arange(rolls.shape[1])
    assert np.abs((gnubg_rolls - rolls) @ counts).max() < 2e-3
    # Compare only sides of 15 checkers: for fewer, GNU Backgammon stores that no roll is needed.
    full_sides = slice(comb(20, 6), None)
    width = firsts.shape[1]
    assert not gnubg_firsts[full_sides, width:].any()
    assert np.abs(gnubg_firsts[full_sides, :width] - firsts[full_sides]).max() < 5e-4
    assert np.abs((gnubg_firsts[full_sides, :width] - firsts[full_sides]) @ np.arange(width)).max() < 2e-3


def closest_plays(bearoff: Bearoff, side: tuple[int, ...]) -> float:
    """Return the smallest gap, over all rolls, between the mean rolls of the two best plays."""
    successors = bgfast.successors(np.array([board_of(side)], np.int8), "all")
    means = [
        np.unique([bearoff.mean_rolls(board) for board in successors.boards[begin:end]]).tolist()
        for begin, end in zip(successors.offsets, successors.offsets[1:], strict=False)
    ]
    return min(pair[1] - pair[0] for pair in means if len(pair) > 1)


@pytest.mark.slow
def test_bearoffdump_prints_the_distributions(bearoff: Bearoff, gnubg_one_sided: Path) -> None:
    for index in (1, 500, 20_001, 40_000, 54_263):
        output = gnubg.dump(gnubg_one_sided, index)
        position = Position.from_array(board_of(side_of(index)))
        pattern = r"^ +(\d+)\t *([\d.]+)\t *([\d.]+)(?:\t\t *([\d.]+)\t *([\d.]+))?"
        rows = re.findall(pattern, output, re.MULTILINE)
        assert rows, output
        for column, actual in (
            (2, bearoff.distribution(position)),
            (4, bearoff.gammon_distribution(position)),
        ):
            probabilities = np.zeros(40)
            for row in rows:
                probabilities[int(row[0])] = float(row[column] or 0) / 100
            assert np.abs(probabilities[: len(actual)] - actual).max() < 5e-4
        mean = re.search(r"^Mean\t *[\d.]+\t *([\d.]+)", output, re.MULTILINE)
        assert mean is not None
        assert bearoff.mean_rolls(position) == pytest.approx(float(mean[1]), abs=2e-3)
        epc, wastage = (
            re.search(rf"^{name}\t *[-\d.]+\t *([-\d.]+)", output, re.MULTILINE)
            for name in ("EPC", "Wastage")
        )
        assert epc is not None
        assert wastage is not None
        assert bearoff.epc(position) == pytest.approx(float(epc[1]), abs=2e-2)
        assert bearoff.wastage(position) == pytest.approx(float(wastage[1]), abs=2e-2)


# ---------------------------------------------------------------- probabilities


def test_probabilities_agree_with_probabilities_after_a_turn(bearoff: Bearoff) -> None:
    """The mover plays for the fewest expected rolls; then the other side is on roll."""
    for mover, opponent in (
        ((1, 2, 3, 1, 0, 0), (3, 3, 1, 1, 0, 0)),
        ((7, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 2)),
        ((3, 3, 3, 2, 2, 2), (2, 2, 2, 2, 2, 5)),
        ((2, 0, 0, 0, 1, 0), (9, 3, 2, 0, 0, 1)),
        ((0, 0, 0, 0, 0, 15), (0, 0, 0, 0, 0, 15)),
    ):
        board = board_of(mover, opponent)
        assert not bearoff.covers_exactly([board]).any()
        expected = np.zeros(5)
        for weight, after in zip(ROLL_WEIGHTS, turns(bearoff, board, bearoff.mean_rolls), strict=True):
            if max(after[1:25]) <= 0:  # the mover wins, a gammon if the opponent has all 15
                probabilities = np.array([1, sum(opponent) == 15, 0, 0, 0], float)
            else:
                win, gammon, _, lose_gammon, _ = bearoff([Position.from_array(after).flip().to_array()])[0]
                probabilities = np.array([1 - win, lose_gammon, 0, 0, 0])
                assert gammon == 0 or sum(mover) == 15
            expected += probabilities * weight / 36
        actual = bearoff([board])[0]
        # Positions after the turn may be in the two-sided database, which is exact.
        tolerance = 2e-3 if sum(mover) <= 7 and sum(opponent) <= 7 else 1e-12
        assert actual[0] == pytest.approx(expected[0], abs=tolerance)
        assert actual[1] == pytest.approx(expected[1], abs=1e-12)


def turns(
    bearoff: Bearoff, board: tuple[int, ...], cost: Callable[[Position], float]
) -> Iterator[tuple[int, ...]]:
    """Yield the board after each of the 21 rolls; the play minimises the `cost` of the mover's position."""
    successors = bgfast.successors(np.array([board], np.int8), "all")
    for begin, end in zip(successors.offsets[:-1], successors.offsets[1:], strict=True):
        rows = successors.boards[begin:end]
        yield tuple(min(rows, key=lambda row: cost(Position.from_array(row))).tolist())


def test_probabilities_agree_with_the_distributions(bearoff: Bearoff) -> None:
    boards = bgfast.random_positions(300, 5, phase="bearoff")
    assert bearoff.covers(boards).all()
    probabilities = bearoff.probabilities(boards)
    is_exact = bearoff.covers_exactly(boards)
    assert 0 < is_exact.sum() < len(boards)
    for row, board in zip(probabilities[~is_exact], boards[~is_exact], strict=True):
        position = Position.from_array(board)
        mover, opponent = (bearoff.distribution(side) for side in (position, position.flip()))
        win = sum(chance * opponent[rolls:].sum() for rolls, chance in enumerate(mover))
        assert row[0] == pytest.approx(win, abs=1e-12)
        firsts, opponent_firsts = (bearoff.gammon_distribution(s) for s in (position, position.flip()))
        gammon = sum(chance * opponent_firsts[rolls:].sum() for rolls, chance in enumerate(mover))
        lost_gammon = sum(chance * firsts[rolls + 1 :].sum() for rolls, chance in enumerate(opponent))
        assert row[1:].tolist() == pytest.approx([gammon, 0, lost_gammon, 0], abs=1e-12)


def test_gammons_depend_on_the_checkers_per_side(bearoff: Bearoff) -> None:
    board = board_of((0, 0, 0, 0, 1, 2), (3, 0, 0, 0, 0, 0))
    row_15, row_3 = (bearoff.probabilities([board], checkers=count)[0] for count in (15, 3))
    assert row_15[0] == row_3[0]
    assert row_15[3] == 0
    # The mover loses a gammon unless a checker is off when the opponent finishes, in one or two rolls.
    firsts, opponent = (
        np.array(rolls_needed(side, first_only), float)
        for side, first_only in (((0, 0, 0, 0, 1, 2), True), ((3, 0, 0, 0, 0, 0), False))
    )
    lost_gammon = sum(chance * firsts[rolls + 1 :].sum() for rolls, chance in enumerate(opponent))
    assert lost_gammon > 0.01
    assert row_3[3] == pytest.approx(lost_gammon, abs=1e-12)


def test_only_bear_offs_without_contact_are_covered(bearoff: Bearoff) -> None:
    side_6, side_7, side_15 = ((count, 0, 0, 0, 0, 0) for count in (6, 7, 15))
    start = tuple(Position.start().to_array().tolist())
    boards = [
        board_of(side_6, side_6), board_of(side_7, side_6), board_of(side_6, side_7),
        board_of(side_15, side_15), start,
        board_of(EMPTY, side_6), board_of(side_6, EMPTY),                      # finished games
        (0, *side_6, 1, *[0] * 16, -1, 0), (0, *side_6, *[0] * 11, -1, -1, *[0] * 6),  # a checker on point 7
        (0, *side_6, *[0] * 17, -1, 1), (-1, *side_6, *[0] * 17, -1, 0),       # checkers on the bar
        (0, -1, 5, *[0] * 21, -1, 0),                                          # contact
    ]  # fmt: skip
    assert bearoff.covers(boards).tolist() == [True] * 4 + [False] * 8
    assert bearoff.covers_exactly(boards).tolist() == [True] + [False] * 11
    assert bearoff.covers(np.array(boards, float)).dtype == np.bool_
    assert bearoff.covers(np.empty((0, 26), np.int8)).shape == (0,)
    assert bearoff(np.empty((0, 26), np.int8)).shape == (0, 5)
    messages = []
    for index in range(4, len(boards)):
        with pytest.raises(InvalidPositionError) as error:
            bearoff([boards[0], boards[index]])
        messages.append(str(error.value))
    assert [message.partition("; ")[0] for message in messages] == [
        "row 1: the mover has a checker on point 24",
        "row 1: the game is over",
        "row 1: the game is over",
        "row 1: the mover has a checker on point 7",
        "row 1: the opponent has a checker on point 18",
        "row 1: the mover has a checker on the bar",
        "row 1: the opponent has a checker on the bar",
        "row 1: the opponent has a checker on point 1",
    ]
    assert messages[0].endswith("expected all on points 1 to 6 or off")
    assert messages[4].endswith("expected all on points 19 to 24 or off")


def test_one_sided_methods_allow_an_opponent_outside_home(bearoff: Bearoff) -> None:
    race = (0, 2, 0, 0, -1, 0, *[0] * 20)  # no contact, and the opponent is not home
    assert bearoff.distribution(race).tolist() == [0, 1]
    assert bearoff.distribution(Position.from_array(race).to_array()).tolist() == [0, 1]
    assert bearoff.distribution((0,) * 24 + (-1, 0)).tolist() == [1]
    assert bearoff.mean_rolls((0,) * 24 + (-1, 0)) == 0
    assert bearoff.mean_rolls(race) == 1
    assert bearoff.epc(race) == 49 / 6
    assert bearoff.wastage(race) == 49 / 6 - 2
    assert bearoff.gammon_distribution(race).tolist() == [1]  # 13 checkers are off
