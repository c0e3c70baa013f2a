"""Bear-off databases: against recursions from the rules and GNU Backgammon; their files, whatever happens."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, BgfastError, InvalidPositionError, Position
from bgfast.analysis.bearoff import databases
from bgfast.analysis.bearoff._bearoff import side_number
from bgfast.analysis.bearoff.bearoff import Bearoff
from bgfast.analysis.bearoff.databases import HEADER, one_sided, two_sided
from bgfast.common import files
from tests.support import gnubg_bearoff
from tests.support.bearing_off import EMPTY, all_sides, board_of, rolls_needed, winning_chance
from tests.support.patience import patient
from tests.support.processes import said_by

POSIX = pytest.mark.skipif(os.name == "nt", reason="no FIFOs and signals of this kind")
SIDES = comb(21, 6)
CHECKSUMS = [618885812, 2742726798, 1113547599]  # of the three arrays, as computed on x86-64
ONE_SIDED, TWO_SIDED = one_sided().name, two_sided(6).name


@pytest.fixture(scope="module")
def bearoff(tmp_path_factory: pytest.TempPathFactory) -> Bearoff:
    return Bearoff(folder=tmp_path_factory.mktemp("databases"))


def number_of(side: tuple[int, ...]) -> int:
    return side_number(np.array(board_of(side), np.int8))


def side_of(number: int) -> tuple[int, ...]:
    """The side with a number, by the combinatorial number system read backwards."""
    beyond = []
    for k in range(6, 0, -1):
        n = max(n for n in range(22) if comb(n, k) <= number)
        number -= comb(n, k)
        beyond.append(n - k + 1)
    assert number == 0
    return tuple(here - there for here, there in zip(beyond, [*beyond[1:], 0], strict=True))


# ---------------------------------------------------------------- numbers of sides


def test_each_side_has_its_number_and_each_play_a_smaller_one() -> None:
    assert [number_of(side_of(number)) for number in range(0, SIDES, 7)] == list(range(0, SIDES, 7))
    assert number_of((0, 0, 0, 0, 0, 15)) == SIDES - 1
    assert number_of(EMPTY) == 0
    assert sorted(map(number_of, all_sides(4))) == list(range(comb(10, 6)))


def test_a_number_is_that_of_position_bearoff() -> None:
    # PositionBearoff of GNU Backgammon: bits with as many zeros before each as checkers on its point.
    for number in range(1, SIDES, 501):
        at = 5 + sum(side_of(number))
        bits = [at]
        for checkers in side_of(number)[:5]:
            at -= checkers + 1
            bits.append(at)
        assert sum(comb(bit, k) for k, bit in enumerate(sorted(bits), 1)) == number


# ---------------------------------------------------------------- exact


def test_distributions_of_up_to_four_checkers_are_those_of_the_recursion(bearoff: Bearoff) -> None:
    for side in all_sides(4)[1:]:
        position = Position.from_array(board_of(side), max(1, sum(side)))
        for found, first_only in (
            (bearoff.distribution(position), False),
            (bearoff.gammon_distribution(position), True),
        ):
            expected = np.array(rolls_needed(side, first_only), float)
            assert len(found) == len(expected), (side, first_only)
            assert np.abs(found - expected).max() < 1e-12, (side, first_only)


def test_winning_chances_of_up_to_four_checkers_are_those_of_the_recursion(bearoff: Bearoff) -> None:
    sides = all_sides(4)
    pairs = [(own, other) for own in sides for other in sides if EMPTY not in (own, other)]
    boards = np.array([board_of(*pair) for pair in pairs], np.int8)
    assert bearoff.covers_exactly(boards).all()
    found = bearoff(boards)
    expected = np.array([winning_chance(*pair) for pair in pairs])
    assert np.abs(found[:, 0] - expected).max() < 1e-12
    assert not found[:, 1:].any()


def test_seven_checkers_have_what_six_have_and_more(bearoff: Bearoff, tmp_path: Path) -> None:
    seven = Bearoff(7, folder=tmp_path)
    wins, more = bearoff.databases[1].arrays[0], seven.databases[1].arrays[0]
    assert (wins.shape, more.shape) == ((924, 924), (1716, 1716))
    assert np.array_equal(wins, more[:924, :924])
    # One turn of each of some positions: what follows is in the database, too.
    for board in (
        board_of((1, 1, 1, 1, 1, 2), (7, 0, 0, 0, 0, 0)),
        board_of((0,) * 5 + (7,), (0,) * 5 + (7,)),
    ):
        assert seven.covers_exactly([board]).all()
        assert not bearoff.covers_exactly([board]).any()
        assert seven([board])[0, 0] == pytest.approx(best_chance(seven, board), abs=1e-12)


def best_chance(bearoff: Bearoff, board: tuple[int, ...]) -> float:
    """The winning probability by the best play of each roll."""
    found = bgfast.successors(np.array([board], np.int8), "all", flip=True)
    values = 1 - bearoff(found.boards)[:, 0]
    best = np.maximum.reduceat(values, found.offsets[:-1])
    return float(best @ np.array(ROLL_WEIGHTS) / 36)


def test_every_row_is_a_distribution_and_none_is_cut_off(bearoff: Bearoff) -> None:
    rolls, firsts = bearoff.databases[0].arrays
    for table in (rolls, firsts):
        assert table.shape[0] == SIDES
        assert np.abs(table.sum(axis=1) - 1).max() < 1e-14
        assert table.min() == 0
        assert not table[:, -1].any()


def test_sides_of_the_same_mean_have_the_same_distribution(bearoff: Bearoff) -> None:
    """So that it does not matter which of two equal plays is taken."""
    for table in bearoff.databases[0].arrays:
        mean = table @ np.arange(table.shape[1])
        order = np.argsort(mean, kind="stable")
        near = np.diff(mean[order]) < 1e-9
        assert near.any()
        assert np.abs(np.diff(table[order], axis=0))[near].max() < 1e-14


def test_the_tables_are_the_same_on_every_machine(bearoff: Bearoff) -> None:
    found = [
        zlib.crc32(array.astype("<f8").data) for database in bearoff.databases for array in database.arrays
    ]
    assert found == CHECKSUMS


# ---------------------------------------------------------------- GNU Backgammon


@pytest.fixture(scope="module")
def gnubg_one_sided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("gnubg") / "one_sided.bd"
    gnubg_bearoff.make(file, "-o", "6")
    return file


def test_distributions_are_those_of_gnu_backgammon(bearoff: Bearoff, gnubg_one_sided: Path) -> None:
    """All 54,264 of them. 16 bits decide otherwise than 53 between two plays in eight sides."""
    theirs, their_firsts = gnubg_bearoff.one_sided(gnubg_one_sided)
    rolls, firsts = bearoff.databases[0].arrays
    off_by = np.abs(theirs - rolls).max(axis=1)
    others = np.flatnonzero(off_by >= 5e-4)
    assert len(others) <= 8
    assert off_by.max() < 3e-3
    assert all(closest_plays(bearoff, side_of(int(number))) < 5e-5 for number in others)
    numbers = np.arange(rolls.shape[1])
    assert np.abs((theirs - rolls) @ numbers).max() < 2e-3
    # Only of all 15 checkers: with fewer it writes that no roll is needed.
    full = slice(comb(20, 6), None)
    width = firsts.shape[1]
    assert not their_firsts[full, width:].any()
    assert np.abs(their_firsts[full, :width] - firsts[full]).max() < 5e-4
    assert np.abs((their_firsts[full, :width] - firsts[full]) @ np.arange(width)).max() < 2e-3


def closest_plays(bearoff: Bearoff, side: tuple[int, ...]) -> float:
    """By how many rolls the best play of some roll is better than the next one."""
    found = bgfast.successors(np.array([board_of(side)], np.int8), "all")
    means = [
        np.unique([bearoff.mean_rolls(board) for board in found.boards[begin:end]]).tolist()
        for begin, end in zip(found.offsets, found.offsets[1:], strict=False)
    ]
    return min(pair[1] - pair[0] for pair in means if len(pair) > 1)


def test_bearoffdump_prints_the_distributions(bearoff: Bearoff, gnubg_one_sided: Path) -> None:
    for number in (1, 500, 20_001, 40_000, 54_263):
        said = gnubg_bearoff.dump(gnubg_one_sided, number)
        position = Position.from_array(board_of(side_of(number)))
        row = r"^ +(\d+)\t *([\d.]+)\t *([\d.]+)(?:\t\t *([\d.]+)\t *([\d.]+))?"
        rows = re.findall(row, said, re.MULTILINE)
        assert rows, said
        for column, found in (
            (2, bearoff.distribution(position)),
            (4, bearoff.gammon_distribution(position)),
        ):
            printed = np.zeros(40)
            for row in rows:
                printed[int(row[0])] = float(row[column] or 0) / 100
            assert np.abs(printed[: len(found)] - found).max() < 5e-4
        mean = re.search(r"^Mean\t *[\d.]+\t *([\d.]+)", said, re.MULTILINE)
        assert mean is not None
        assert bearoff.mean_rolls(position) == pytest.approx(float(mean[1]), abs=2e-3)
        epc, wastage = (
            re.search(rf"^{name}\t *[-\d.]+\t *([-\d.]+)", said, re.MULTILINE) for name in ("EPC", "Wastage")
        )
        assert epc is not None
        assert wastage is not None
        assert bearoff.epc(position) == pytest.approx(float(epc[1]), abs=2e-2)
        assert bearoff.wastage(position) == pytest.approx(float(wastage[1]), abs=2e-2)


@pytest.mark.parametrize("checkers", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_equities_are_those_of_gnu_backgammon(bearoff: Bearoff, checkers: int, tmp_path: Path) -> None:
    """All pairs of sides."""
    gnubg_bearoff.make(tmp_path / "two_sided.bd", "-t", f"6x{checkers}")
    theirs = gnubg_bearoff.two_sided(tmp_path / "two_sided.bd", checkers)
    sides = comb(checkers + 6, 6)
    ours = 2 * bearoff.databases[1].arrays[0][:sides, :sides].T - 1
    assert np.abs(theirs - ours)[1:, 1:].max() < 3e-4


# ---------------------------------------------------------------- probabilities


def test_the_product_is_what_one_turn_of_such_play_leads_to(bearoff: Bearoff) -> None:
    """A turn by the play with the fewest expected rolls; then the other side is on roll."""
    for own, other in (
        ((1, 2, 3, 1, 0, 0), (3, 3, 1, 1, 0, 0)),
        ((7, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 2)),
        ((3, 3, 3, 2, 2, 2), (2, 2, 2, 2, 2, 5)),
        ((2, 0, 0, 0, 1, 0), (9, 3, 2, 0, 0, 1)),
        ((0, 0, 0, 0, 0, 15), (0, 0, 0, 0, 0, 15)),
    ):
        board = board_of(own, other)
        assert not bearoff.covers_exactly([board]).any()
        expected = np.zeros(5)
        for weight, after in zip(ROLL_WEIGHTS, turns(bearoff, board, bearoff.mean_rolls), strict=True):
            if max(after[1:25]) <= 0:  # off: a gammon if the opponent, seen from the other side, has all 15
                value = np.array([1, sum(other) == 15, 0, 0, 0], float)
            else:
                win, gammon, _, lose_gammon, _ = bearoff([Position.from_array(after).flip().to_array()])[0]
                value = np.array([1 - win, lose_gammon, 0, 0, 0])
                assert gammon == 0 or sum(own) == 15
            expected += value * weight / 36
        found = bearoff([board])[0]
        # Where the rest is in the two-sided database, it is not the product any more.
        loose = 2e-3 if sum(own) <= 7 and sum(other) <= 7 else 1e-12
        assert found[0] == pytest.approx(expected[0], abs=loose)
        assert found[1] == pytest.approx(expected[1], abs=1e-12)


def test_a_gammon_is_saved_by_a_turn_towards_the_first_checker(bearoff: Bearoff) -> None:
    for own, other in (
        ((0, 0, 0, 0, 0, 15), (4, 0, 0, 0, 0, 0)),
        ((0, 0, 0, 2, 3, 10), (1, 0, 0, 0, 0, 0)),
        ((0, 0, 0, 0, 5, 10), (3, 3, 0, 0, 0, 0)),
    ):
        board = board_of(own, other)
        expected = 0.0
        for weight, after in zip(ROLL_WEIGHTS, turns(bearoff, board, rolls_to_save(bearoff)), strict=True):
            if sum(after[1:7]) == 15:
                expected += bearoff([Position.from_array(after).flip().to_array()])[0, 1] * weight / 36
        assert expected > 0
        assert bearoff([board])[0, 3] == pytest.approx(expected, abs=1e-12)


def rolls_to_save(bearoff: Bearoff) -> Callable[[Position], float]:
    def rolls(position: Position) -> float:
        chances = bearoff.gammon_distribution(position)
        return float(chances @ np.arange(len(chances)))

    return rolls


def turns(
    bearoff: Bearoff, board: tuple[int, ...], value: Callable[[Position], float]
) -> Iterator[tuple[int, ...]]:
    """The board after each of the 21 rolls, played so that the value of the mover's position is least."""
    found = bgfast.successors(np.array([board], np.int8), "all")
    for begin, end in zip(found.offsets[:-1], found.offsets[1:], strict=True):
        rows = found.boards[begin:end]
        yield tuple(min(rows, key=lambda row: value(Position.from_array(row))).tolist())


def test_by_the_distributions(bearoff: Bearoff) -> None:
    boards = bgfast.random_positions(300, 5, phase="bearoff")
    assert bearoff.covers(boards).all()
    found = bearoff.probabilities(boards)
    exact = bearoff.covers_exactly(boards)
    assert 0 < exact.sum() < len(boards)
    for row, board in zip(found[~exact], boards[~exact], strict=True):
        position = Position.from_array(board)
        own, other = (bearoff.distribution(side) for side in (position, position.flip()))
        win = sum(chance * other[rolls:].sum() for rolls, chance in enumerate(own))
        assert row[0] == pytest.approx(win, abs=1e-12)
        own_first, other_first = (bearoff.gammon_distribution(s) for s in (position, position.flip()))
        gammon = sum(chance * other_first[rolls:].sum() for rolls, chance in enumerate(own))
        lose = sum(chance * own_first[rolls + 1 :].sum() for rolls, chance in enumerate(other))
        assert row[1:].tolist() == pytest.approx([gammon, 0, lose, 0], abs=1e-12)


def test_gammons_with_three_checkers_a_side(bearoff: Bearoff) -> None:
    board = board_of((0, 0, 0, 0, 1, 2), (3, 0, 0, 0, 0, 0))
    fifteen, three = (bearoff.probabilities([board], checkers=number)[0] for number in (15, 3))
    assert fifteen[0] == three[0]
    assert fifteen[3] == 0
    # The opponent needs one roll, with doubles, or two: has the mover a checker off after one?
    first, other = (
        np.array(rolls_needed(side, only), float)
        for side, only in (((0, 0, 0, 0, 1, 2), True), ((3, 0, 0, 0, 0, 0), False))
    )
    lose = sum(chance * first[rolls + 1 :].sum() for rolls, chance in enumerate(other))
    assert lose > 0.01
    assert three[3] == pytest.approx(lose, abs=1e-12)


def test_which_boards_are_covered(bearoff: Bearoff) -> None:
    six, seven, fifteen = ((number, 0, 0, 0, 0, 0) for number in (6, 7, 15))
    start = tuple(Position.start().to_array().tolist())
    boards = [
        board_of(six, six), board_of(seven, six), board_of(six, seven), board_of(fifteen, fifteen), start,
        board_of(EMPTY, six), board_of(six, EMPTY),                       # finished
        (0, *six, 1, *[0] * 16, -1, 0), (0, *six, *[0] * 11, -1, -1, *[0] * 6),  # one on the 7 of each
        (0, *six, *[0] * 17, -1, 1), (-1, *six, *[0] * 17, -1, 0),        # on the bar
        (0, -1, 5, *[0] * 21, -1, 0),                                     # contact
    ]  # fmt: skip
    assert bearoff.covers(boards).tolist() == [True] * 4 + [False] * 8
    assert bearoff.covers_exactly(boards).tolist() == [True] + [False] * 11
    assert bearoff.covers(np.array(boards, float)).dtype == np.bool_
    assert bearoff.covers(np.empty((0, 26), np.int8)).shape == (0,)
    assert bearoff(np.empty((0, 26), np.int8)).shape == (0, 5)
    messages = []
    for at in range(4, len(boards)):
        with pytest.raises(InvalidPositionError) as error:
            bearoff([boards[0], boards[at]])
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


def test_impossible_boards_are_refused(bearoff: Bearoff) -> None:
    for refuse in (bearoff, bearoff.covers, bearoff.covers_exactly):
        with pytest.raises(InvalidPositionError, match="row 1: the mover has 16 checkers"):
            refuse([board_of((1,) * 6), board_of((16, 0, 0, 0, 0, 0))])
        with pytest.raises(InvalidPositionError, match=r"shape \(26,\); expected \(n, 26\)"):
            refuse(board_of((1,) * 6))
    with pytest.raises(InvalidPositionError, match="the mover has 4 checkers; expected at most 3"):
        bearoff.probabilities([board_of((4, 0, 0, 0, 0, 0))], checkers=3)
    with pytest.raises(InvalidPositionError, match="checkers is 16"):
        bearoff.covers([board_of((1,) * 6)], checkers=16)


def test_one_side_needs_a_position_without_contact(bearoff: Bearoff) -> None:
    racing = (0, 2, 0, 0, -1, 0, *[0] * 20)  # the opponent has passed, and is far from home
    assert bearoff.distribution(racing).tolist() == [0, 1]
    assert bearoff.distribution(Position.from_array(racing).to_array()).tolist() == [0, 1]
    assert bearoff.distribution((0,) * 24 + (-1, 0)).tolist() == [1]
    assert bearoff.mean_rolls((0,) * 24 + (-1, 0)) == 0
    assert bearoff.mean_rolls(racing) == 1
    assert bearoff.epc(racing) == 49 / 6
    assert bearoff.wastage(racing) == 49 / 6 - 2
    assert bearoff.gammon_distribution(racing).tolist() == [1]  # 13 are off
    for method in (
        bearoff.distribution,
        bearoff.gammon_distribution,
        bearoff.mean_rolls,
        bearoff.epc,
        bearoff.wastage,
    ):
        for board, message in (
            (Position.start(), "the mover has a checker on point 24; expected all on points 1 to 6 or off"),
            ((0, *[1] * 6, *[0] * 18, 1), "the mover has a checker on the bar"),
            (
                (0, 0, -1, 1, *[0] * 22),
                "the opponent has a checker on point 2, behind the mover's on point 3",
            ),
            ((-1, 1, *[0] * 24), "the opponent has a checker on the bar, behind the mover's on point 1"),
            ((0, 16, *[0] * 23, 0), "expected at most 15|shape"),
            ("33", "expected 26 whole numbers"),
        ):
            with pytest.raises(InvalidPositionError, match=message):
                method(board)


def test_wrong_arguments(tmp_path: Path) -> None:
    for checkers in (5, 8, 6.5, "6", True, None):
        with pytest.raises(BgfastError, match=r"checkers is .*; expected 6 or 7"):
            Bearoff(checkers, folder=tmp_path)  # type: ignore[arg-type]
    for folder in (3, b"x", "a\0b", ""):
        with pytest.raises(BgfastError, match=r"^folder is .*; expected a path$"):
            Bearoff(folder=folder)  # type: ignore[arg-type]
    with pytest.raises(BgfastError, match="progress is 5; expected None, or what can be called"):
        Bearoff(folder=tmp_path, progress=5)  # type: ignore[arg-type]


# ---------------------------------------------------------------- files


def assert_silent(folder: Path, built: bool) -> Bearoff:
    """Open the databases without any warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bearoff = Bearoff(folder=folder)
    assert [database.built for database in bearoff.databases] == [built] * 2
    assert [database.path for database in bearoff.databases] == [folder / ONE_SIDED, folder / TWO_SIDED]
    return bearoff


@pytest.fixture
def folder(bearoff: Bearoff, tmp_path: Path) -> Path:
    """A folder with sound files."""
    for database in bearoff.databases:
        assert database.path is not None
        (tmp_path / database.path.name).write_bytes(database.path.read_bytes())
    return tmp_path


def test_databases_are_built_once_and_read(tmp_path: Path) -> None:
    told: list[float] = []
    folder = tmp_path / "not" / "there"
    Bearoff(folder=str(folder), progress=told.append)
    assert told == sorted(told)
    assert 0 < told[0] < 0.1
    assert told[-1] == 1
    assert len(told) > 30
    found = assert_silent(folder, built=False)
    assert sorted(os.listdir(folder)) == [ONE_SIDED, TWO_SIDED]
    assert (folder / ONE_SIDED).stat().st_size == HEADER.size + 8 * SIDES * (32 + 12)
    assert (folder / TWO_SIDED).stat().st_size == HEADER.size + 8 * 924**2
    for database in found.databases:
        for array in database.arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 1
    assert repr(found) == f"Bearoff(6, folder={str(folder)!r})"
    assert found.checkers == 6


def test_the_header_is_as_documented(folder: Path) -> None:
    content = (folder / TWO_SIDED).read_bytes()
    assert content[:8] == b"bgfastBO"
    numbers = np.frombuffer(content, "<u4", 4, 8).tolist()
    assert numbers == [1, 2, 6, 6]  # version, kind, points, checkers
    assert np.frombuffer(content, "<u8", 2, 24).tolist() == [924**2, len(content) - 64]
    assert int.from_bytes(content[40:44], "little") == zlib.crc32(content[64:])
    assert content[44:64] == bytes(20)
    one = (folder / ONE_SIDED).read_bytes()
    assert np.frombuffer(one, "<u4", 4, 8).tolist() == [1, 1, 6, 15]
    assert np.frombuffer(one, "<u8", 2, 24).tolist() == [SIDES, len(one) - 64]


def flip_bit(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "truncated": (lambda content: content[:-1], "it has [0-9,]+ bytes, expected "),
    "within the header": (lambda content: content[:40], "it has 40 bytes, expected "),
    "empty": (lambda content: b"", "it has 0 bytes, expected "),
    "longer": (lambda content: content + b"x", "it has [0-9,]+ bytes, expected "),
    "the last bit": (lambda content: flip_bit(content, -2), "its checksum is [0-9a-f]{8}, expected "),
    "the first number": (lambda content: flip_bit(content, 64), "its checksum is "),
    "the checksum": (lambda content: flip_bit(content, 40), "its checksum is "),
    "another version": (
        lambda content: content[:8] + b"\x02" + content[9:],
        "it has version 2 of the format, expected 1",
    ),
    "another file": (lambda content: b"PNG" * len(content), "it is no bear-off database"),
    "another number of checkers": (lambda content: flip_bit(content, 20), "its header says "),
    "another kind": (lambda content: flip_bit(flip_bit(content, 12), 12 + 3), "its header says "),
}


@pytest.mark.parametrize("what", DAMAGE)
@pytest.mark.parametrize("name", [ONE_SIDED, TWO_SIDED])
def test_a_damaged_file_is_built_again(bearoff: Bearoff, folder: Path, name: str, what: str) -> None:
    sound = (folder / name).read_bytes()
    damage, message = DAMAGE[what]
    (folder / name).write_bytes(damage(sound))
    with pytest.warns(UserWarning, match=rf"{re.escape(name)}: {message}.*; it is built again") as said:
        found = Bearoff(folder=folder)
    assert len(said) == 1
    assert said[0].filename == __file__
    assert [database.built for database in found.databases] == [name == ONE_SIDED, name == TWO_SIDED]
    for database, known in zip(found.databases, bearoff.databases, strict=True):
        for array, expected in zip(database.arrays, known.arrays, strict=True):
            assert np.array_equal(array, expected)
    assert (folder / name).read_bytes() == sound
    assert_silent(folder, built=False)


def test_what_becomes_of_a_file_in_use_is_nothing_to_its_users(bearoff: Bearoff, folder: Path) -> None:
    """In a process of its own, which a look at a mapped page behind the end of its file would kill."""
    said = said_by(f"""
import os
from bgfast.evaluators import Bearoff
bearoff = Bearoff(folder={str(folder)!r})
for database in bearoff.databases:
    assert not database.built
    os.truncate(database.path, 64)
print(float(sum(array.sum() for database in bearoff.databases for array in database.arrays)))
""")
    expected = sum(array.sum() for database in bearoff.databases for array in database.arrays)
    assert float(said) == expected


@pytest.mark.parametrize("name", [ONE_SIDED, TWO_SIDED])
def test_an_end_cut_off_while_it_is_read_is_damage(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = (folder / name).read_bytes()
    size_of = databases.os.fstat

    def cut(descriptor: int) -> os.stat_result:
        found = size_of(descriptor)
        if found.st_size == len(sound):
            os.truncate(folder / name, len(sound) // 2)
        return found

    monkeypatch.setattr(databases.os, "fstat", cut)
    with pytest.warns(UserWarning, match="its end was cut off while it was read; it is built again"):
        Bearoff(folder=folder)
    assert (folder / name).read_bytes() == sound


@pytest.fixture
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "_said_of", set())


@pytest.mark.usefixtures("nothing_said")
def test_without_a_folder_to_write_to_they_are_in_memory_and_it_is_said_once(
    bearoff: Bearoff, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "below"
    with pytest.warns(UserWarning, match="below: .*; bear-off databases are kept in memory") as said:
        found = [Bearoff(folder=folder), Bearoff(folder=folder)]
    assert len(said) == 1
    assert said[0].filename == __file__
    for one in found:
        assert [(database.path, database.built) for database in one.databases] == [(None, True)] * 2
        assert np.array_equal(one.databases[0].arrays[0], bearoff.databases[0].arrays[0])
        with pytest.raises(ValueError, match="read-only"):
            one.databases[1].arrays[0][0, 0] = 1
    board = [board_of((1,) * 6)]
    assert np.array_equal(pickle.loads(pickle.dumps(found[0]))(board), bearoff(board))


@pytest.mark.usefixtures("nothing_said")
def test_a_full_disk_leaves_them_in_memory_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.warns(UserWarning, match="No space left on device; bear-off databases are kept in memory"):
        found = Bearoff(folder=tmp_path)
    assert found.databases[0].path is None
    assert os.listdir(tmp_path) == []


@POSIX
@pytest.mark.usefixtures("nothing_said")
@pytest.mark.parametrize("odd", ["folder", "fifo"])
def test_what_is_no_file_is_left_alone(folder: Path, odd: str) -> None:
    path = folder / ONE_SIDED
    path.unlink()
    path.mkdir() if odd == "folder" else os.mkfifo(path)
    with pytest.warns(UserWarning, match="bear-?off") as said:
        found = Bearoff(folder=folder)
    assert len(said) == 2
    assert "it is built again" in str(said[0].message)
    assert "kept in memory" in str(said[1].message)
    assert found.databases[0].path is None
    assert found.databases[1].path is not None
    assert not path.is_file()


@pytest.mark.usefixtures("nothing_said")
def test_a_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("BGFAST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.warns(UserWarning, match="no folder: the user has no home folder; bear-off") as said:
        found = Bearoff()
    assert [warning.filename for warning in said] == [__file__]
    assert repr(found) == "Bearoff(6, folder=None)"
    assert found.databases[0].path is None


@pytest.mark.parametrize("when", [0.2, 0.7])
def test_ctrl_c_while_building_leaves_whole_files_or_none(tmp_path: Path, when: float) -> None:
    def interrupt(done: float) -> None:
        if done > when:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        Bearoff(folder=tmp_path, progress=interrupt)
    assert os.listdir(tmp_path) == ([] if when < 0.5 else [ONE_SIDED])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Bearoff(folder=tmp_path)


def test_ctrl_c_while_writing_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.os, "fsync", lambda descriptor: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        Bearoff(folder=tmp_path)
    assert os.listdir(tmp_path) == []


def script(code: str, *words: str) -> subprocess.Popen[bytes]:
    """Run Python for which a warning is an error."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def test_two_processes_may_build_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from bgfast.analysis.bearoff.bearoff import Bearoff; print('ready', flush=True); "
        "sys.stdin.readline(); b = Bearoff(folder=sys.argv[1]); "
        "print([d.path is not None for d in b.databases])"
    )
    processes = [script(code, str(tmp_path)) for _ in range(2)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready" + os.linesep.encode()
    said = [None, None]

    def go(at: int) -> None:
        said[at] = processes[at].communicate(b"\n", timeout=patient(60))[0]  # type: ignore[call-overload]

    threads = [threading.Thread(target=go, args=(at,)) for at in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [text.split() for text in said] == [[b"[True,", b"True]"]] * 2  # type: ignore[attr-defined]
    assert sorted(os.listdir(tmp_path)) == [ONE_SIDED, TWO_SIDED]
    assert_silent(tmp_path, built=False)


def test_a_pickle_opens_the_files_again_in_another_process(bearoff: Bearoff) -> None:
    content = pickle.dumps(bearoff)
    assert len(content) < 1000
    code = (
        "import pickle, sys; b = pickle.load(sys.stdin.buffer); "
        f"print(b, b.databases[0].built, b([{board_of((1,) * 6, (2,) * 6)}]).tolist())"
    )
    said, _ = script(code).communicate(content, timeout=patient(60))
    assert said.decode().strip() == f"{bearoff} False {bearoff([board_of((1,) * 6, (2,) * 6)]).tolist()}"


def test_several_threads(bearoff: Bearoff) -> None:
    boards = bgfast.random_positions(5000, 3, phase="bearoff")
    expected = bearoff(boards)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(bearoff, [boards] * 16):
            assert np.array_equal(found, expected)


def test_building_and_evaluating_is_fast(tmp_path: Path) -> None:
    """The limits are many times what it takes, for busy machines."""
    tell: Callable[[float], None] = lambda done: None  # noqa: E731
    for kind in (one_sided(), two_sided(6)):
        assert min(seconds(lambda kind=kind: kind.build(tell)) for _ in range(3)) < patient(1)  # type: ignore[misc]
    bearoff = Bearoff(folder=tmp_path)
    boards: npt.NDArray[np.int8] = np.tile(np.array(board_of((2,) * 6, (2,) * 6), np.int8), (100_000, 1))
    assert min(seconds(lambda: bearoff(boards)) for _ in range(3)) < patient(0.1)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
