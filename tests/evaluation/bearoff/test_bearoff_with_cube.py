"""Bear-offs with a cube, compared with a recursion, with GNU Backgammon and with known results."""

from __future__ import annotations

import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, Decision
from bgfast.evaluation.bearoff import cube_tables, databases
from bgfast.evaluation.bearoff.bearoff import Bearoff, default_bearoff
from bgfast.evaluation.bearoff.databases import HEADER, with_cube_spec
from tests.support import gnubg
from tests.support.bearing_off import (
    EMPTY,
    Game,
    Side,
    all_sides,
    board_of,
    double_equities,
    no_double,
    plays_of,
    turn_equity,
)

OWNERS = (1, 0, -1)  # the columns of `cubeful_equities` have this order
OWNED, CENTRED, UNAVAILABLE = range(3)
ACE: Side = (1, 0, 0, 0, 0, 0)
SAMPLE = Path(__file__).parents[2] / "data" / "gnubg_two_sided_sample.txt"
CHECKSUMS = [1481588942, 483512042, 3367525041]
MONEY_STAKES = [(2.0**level, -(2.0**level)) for level in range(21)]  # these stakes limit the cube

Array = npt.NDArray[np.float64]


def pairs_of(checkers: int) -> list[tuple[Side, Side]]:
    sides = all_sides(checkers)[1:]
    return [(mover, opponent) for mover in sides for opponent in sides]


def boards_of(pairs: list[tuple[Side, Side]]) -> npt.NDArray[np.int8]:
    return np.array([board_of(*pair) for pair in pairs], np.int8)


def stakes_of(game: Game) -> list[tuple[float, float]]:
    """Return the values of a win and a loss for each cube, up to a cube that ends the match."""
    cubes = [1] if game.crawford else [2**level for level in range(10) if 2**level < 2 * max(game.away or ())]
    return [(game.equity_after(cube), game.equity_after(-cube)) for cube in cubes]


def assert_agrees_with_recursion(
    bearoff: Bearoff, pairs: list[tuple[Side, Side]], game: Game, stakes: list[tuple[float, float]] | None
) -> None:
    owned_game, centred_game, _ = games = [game._replace(owner=owner) for owner in OWNERS]
    equities = bearoff.cubeful_equities(boards_of(pairs), stakes)
    expected = [[turn_equity(*pair, owner_game) for owner_game in games] for pair in pairs]
    assert np.abs(equities - expected).max() < 1e-12
    if stakes is None or len(stakes) > 1:
        expected = [
            [
                no_double(*pair, owned_game),
                no_double(*pair, centred_game),
                *double_equities(*pair, centred_game),
            ]
            for pair in pairs
        ]
        assert np.abs(bearoff.doubling_equities(boards_of(pairs), stakes) - expected).max() < 1e-12


# ---------------------------------------------------------------- slow recursion


def test_money_play_agrees_with_the_recursion(bearoff: Bearoff) -> None:
    assert_agrees_with_recursion(bearoff, pairs_of(2)[::3], Game(), None)


SCORES = [
    Game((2, 4)),
    Game((4, 2)),
    Game((3, 5), cube=2),
    Game((1, 3), crawford=True),
    Game((4, 1)),  # the trailer is on roll after the Crawford game
    Game((1, 4)),
    Game((1, 1)),
]


def test_matches_agree_with_the_recursion(bearoff: Bearoff) -> None:
    for game in SCORES:
        cubes = [game.cube * 2**level for level in range(4)]
        stakes = [
            (game.equity_after(cube), game.equity_after(-cube))
            for cube in cubes[: 1 if game.crawford else None]
        ]
        assert_agrees_with_recursion(bearoff, pairs_of(2)[::11], game, stakes)


@pytest.mark.parametrize(
    "away",
    [
        *(pytest.param(away, marks=pytest.mark.slow) for away in (None, (4, 2), (2, 4))),
        *(pytest.param(away, marks=pytest.mark.long) for away in ((2, 2), (7, 5), (3, 1))),
    ],
)
def test_up_to_three_checkers_agree_with_the_recursion(
    bearoff: Bearoff, away: tuple[int, int] | None
) -> None:
    game = Game(away)
    assert_agrees_with_recursion(bearoff, pairs_of(3), game, stakes_of(game) if away else None)


def test_equities_agree_with_equities_after_a_turn(bearoff: Bearoff) -> None:
    """Compare up to six checkers per side, with the best play of every roll for each cube owner."""
    sides = all_sides(6)[1:]
    indices = np.random.default_rng(3).integers(len(sides), size=(40, 2)).tolist()
    boards = boards_of([(sides[mover], sides[opponent]) for mover, opponent in indices])
    plays = bgfast.successors(boards, "all", flip=True)
    is_over = (plays.boards[:, 19:25] == 0).all(axis=1)  # the mover is now the opponent
    for stakes, win_equity in ((None, 1.0), ([(0.6, 0.2), (0.75, 0.1), (1, 0)], 0.6)):
        after = np.full((len(is_over), 3), win_equity)
        # The opponent's stakes are negated and exchanged.
        opponent_stakes = None if stakes is None else [(-loss, -win) for win, loss in stakes]
        after[~is_over] = -bearoff.cubeful_equities(plays.boards[~is_over], opponent_stakes)
        best = np.maximum.reduceat(after, plays.offsets[:-1]).reshape(len(boards), 21, 3)
        after_roll = np.einsum("brc,r->bc", best, np.array(ROLL_WEIGHTS) / 36)
        doubling = bearoff.doubling_equities(boards, stakes)
        equities = bearoff.cubeful_equities(boards, stakes)
        # After the turn the mover's cube is unavailable to the opponent, and vice versa.
        assert np.abs(doubling[:, 0] - after_roll[:, UNAVAILABLE]).max() < 1e-12
        assert np.abs(doubling[:, 1] - after_roll[:, CENTRED]).max() < 1e-12
        assert np.abs(equities[:, UNAVAILABLE] - after_roll[:, OWNED]).max() < 1e-12
        after_double = doubling[:, 2:].min(axis=1)
        assert np.array_equal(equities[:, OWNED], np.maximum(doubling[:, 0], after_double))
        assert np.array_equal(equities[:, CENTRED], np.maximum(doubling[:, 1], after_double))
        # Some positions are doubles; some doubles are passed, others are taken.
        assert (equities[:, CENTRED] > doubling[:, 1]).any()
        assert (doubling[:, 2] > doubling[:, 3]).any()
        assert ((doubling[:, 2] < doubling[:, 3]) & (doubling[:, 2] > doubling[:, 1])).any()


def test_money_play_is_the_limit_of_growing_cubes(bearoff: Bearoff) -> None:
    """These games end below the cube limit, and powers of two are exact: results are bit-identical."""
    pairs = [((0, 0, 1, 1, 1, 0), (0, 2, 0, 0, 1, 0)), ((0, 0, 0, 0, 0, 2), (1, 0, 0, 0, 0, 1)), (ACE, ACE)]
    for method in (bearoff.cubeful_equities, bearoff.doubling_equities):
        assert np.array_equal(method(boards_of(pairs)), method(boards_of(pairs), MONEY_STAKES))


# ---------------------------------------------------------------- GNU Backgammon


def test_a_sample_agrees_with_gnu_backgammon(bearoff: Bearoff) -> None:
    rows = [line.split() for line in SAMPLE.read_text().splitlines() if not line.startswith("#")]
    assert len(rows) == 300
    movers, opponents = ([tuple(map(int, row[side])) for row in rows] for side in (0, 1))
    expected = np.array([row[2:] for row in rows], float) / 32767.5 - 1
    boards = boards_of(list(zip(movers, opponents, strict=True)))
    owned, centred, *_ = bearoff.doubling_equities(boards).T
    actual = [2 * bearoff(boards)[:, 0] - 1, owned, centred, bearoff.cubeful_equities(boards)[:, UNAVAILABLE]]
    assert np.abs(expected - np.array(actual).T).max() < 2e-4


@pytest.mark.parametrize(
    "checkers", [3, pytest.param(5, marks=pytest.mark.slow), pytest.param(6, marks=pytest.mark.long)]
)
def test_all_pairs_agree_with_gnu_backgammon(bearoff: Bearoff, checkers: int, tmp_path: Path) -> None:
    gnubg.make_database(tmp_path / "two_sided.bd", "-t", f"6x{checkers}")
    expected = gnubg.read_two_sided(tmp_path / "two_sided.bd", checkers)
    size = comb(checkers + 6, 6)
    unavailable, owned, centred = (array[:size, :size].T[1:, 1:] for array in bearoff.cube_database.arrays)
    for column, actual in ((1, owned), (2, centred), (3, unavailable)):
        assert np.abs(expected[1:, 1:, column] - actual).max() < 2e-4
    cubeless = 2 * bearoff.databases[1].arrays[0][:size, :size].T[1:, 1:] - 1
    assert np.abs(expected[1:, 1:, 0] - cubeless).max() < 3e-4


# ---------------------------------------------------------------- known results


def test_doubles_at_three_rolls_are_passed_and_at_four_rolls_taken(bearoff: Bearoff) -> None:
    two_rolls, three_rolls, four_rolls = ((count, 0, 0, 0, 0, 0) for count in (4, 6, 7))
    doubling = bearoff.doubling_equities(boards_of([(two_rolls, two_rolls), (three_rolls, three_rolls)]))
    assert doubling[0] == pytest.approx([13 / 18, 13 / 18, 26 / 18, 1], abs=1e-12)  # 31 of 36 rolls win
    assert (doubling[:, 2] > 1).all()
    bearoff_7 = Bearoff.__new__(Bearoff)  # no file is needed with stakes
    bearoff_7._checkers = 7
    boards = boards_of([(four_rolls, four_rolls)])
    no_redouble, no_double, take, cash = bearoff_7.doubling_equities(boards, MONEY_STAKES)[0]
    assert no_double < no_redouble < take < cash


# ---------------------------------------------------------------- decisions


def decision_of(game: Game, length: int = 9, **options: Any) -> Decision:
    """Return a decision with the cube and score of a game; its position is irrelevant."""
    fields = {"cube": game.cube, "cube_owner": game.owner, "crawford": game.crawford, **options}
    if game.away is not None:
        fields |= {"match_length": length, "score": tuple(length - need for need in game.away)}
    return Decision(position=bgfast.Position.start(), **fields)


def test_money_decisions_agree_with_the_recursion(bearoff: Bearoff) -> None:
    pairs = pairs_of(2)
    boards = boards_of(pairs)
    for owner in (1, 0):
        game = Game(owner=owner, cube=2)
        actions = bearoff.cube_actions(boards, decision_of(game, jacoby=True, beaver=True))
        columns = actions.no_double, actions.double_take, actions.double_drop, actions.double_beaver
        for pair, *values in zip(pairs, *columns, strict=True):
            beaver_equity = max(no_double(*pair, Game(cube=8, owner=-1)), -4)  # the doubler may pass
            expected = [no_double(*pair, game), *double_equities(*pair, game), beaver_equity]
            assert values == pytest.approx(np.array(expected) / game.cube, abs=1e-12)
        assert (actions.answers == "beaver").any()
        assert not (actions.doubles & (actions.answers == "beaver") & (actions.cost_no_double > 0)).any()
    board = boards_of([((0, 0, 0, 0, 0, 1), ACE), ((1, 0, 0, 1, 0, 0), ACE), ((0, 0, 0, 0, 1, 1), ACE)])
    words = bearoff.cube_actions(board, decision_of(Game())).words.tolist()
    assert words[1:] == ["Double, drop", "No double, take"]
    assert words[0].startswith("Double, ")  # with 3 wins in 4 take and drop are equal
    words = bearoff.cube_actions(board, decision_of(Game(owner=1), beaver=True)).words.tolist()
    assert words[1:] == ["Redouble, drop", "No redouble, beaver"]
    assert set(bearoff.cube_actions(board, decision_of(Game(owner=-1))).words) == {"Cube not available"}


def test_decisions_at_a_score_follow_the_stakes(bearoff: Bearoff) -> None:
    boards = boards_of(pairs_of(2)[::7])
    table = bgfast.cube.MatchEquityTable.builtin()
    for game in (Game((4, 2)), Game((3, 5), cube=2, owner=1), Game((4, 1), owner=1), Game((2, 9), owner=-1)):
        decision = decision_of(game)
        cubes = [game.cube * 2**level for level in range(5)]
        stakes = table.after(decision, [[cube, -cube] for cube in cubes])
        equities = bearoff.doubling_equities(boards, stakes)
        unavailable = bearoff.cubeful_equities(boards, stakes)[:, UNAVAILABLE]
        no_double = {1: equities[:, 0], 0: equities[:, 1], -1: unavailable}[game.owner]
        actions = bearoff.cube_actions(boards, decision, mwc=True)
        assert np.abs(actions.no_double - no_double).max() < 1e-12
        assert actions.available == (game.owner >= 0)
        if actions.available:
            assert np.abs(actions.double_take - equities[:, 2]).max() < 1e-12
            assert (actions.double_drop == stakes[0, 0]).all()
        assert np.isnan(actions.double_beaver).all()
        normalized_actions = bearoff.cube_actions(boards, decision, met=table)
        mean, half_range = stakes[0].mean(), (stakes[0, 0] - stakes[0, 1]) / 2
        assert np.abs(normalized_actions.no_double - (no_double - mean) / half_range).max() < 1e-12
        assert (normalized_actions.normalized, actions.normalized) == (True, False)
    crawford_actions = bearoff.cube_actions(boards, decision_of(Game((1, 3), crawford=True)))
    assert not crawford_actions.available
    assert np.abs(crawford_actions.no_double - (2 * bearoff(boards)[:, 0] - 1)).max() < 1e-12
    # The taker of the last double has a dead cube.
    last_double_actions = bearoff.cube_actions(boards, decision_of(Game(), max_cube=2))
    assert np.abs(last_double_actions.double_take - 2 * (2 * bearoff(boards)[:, 0] - 1)).max() < 1e-12


# ---------------------------------------------------------------- arguments


def test_three_checkers_per_side_and_empty_arrays_are_accepted(bearoff: Bearoff) -> None:
    for method in (bearoff.cubeful_equities, bearoff.doubling_equities):
        assert method([board_of(ACE, ACE)], checkers=3).tolist() == method([board_of(ACE, ACE)]).tolist()
        assert len(method(np.empty((0, 26), np.int8))) == 0
        assert len(method(np.empty((0, 26), np.int8), [(1, 0), (1, 0)])) == 0


def test_results_do_not_depend_on_the_cache_of_tables(bearoff: Bearoff, tmp_path: Path) -> None:
    copy_files(bearoff, tmp_path)
    cached_bearoff = Bearoff(folder=tmp_path)
    first_board, other_board, larger_board = boards_of(
        [(ACE, (0, 1, 0, 0, 0, 1)), ((0, 0, 0, 0, 2, 0), ACE), ((1,) * 3 + (0,) * 3,) * 2]
    )
    levels = np.array([(0.7, 0.3), (0.9, 0.2), (1, 0)])
    boards = (first_board, larger_board, other_board, first_board)
    for board, stakes in [(board, stakes) for stakes in (levels, levels[1:], levels) for board in boards]:
        expected = Bearoff(folder=tmp_path).cubeful_equities([board], stakes)
        assert np.array_equal(cached_bearoff.cubeful_equities([board], stakes), expected)
    levels[:] = 0.5  # the caller may change the array
    assert (cached_bearoff.cubeful_equities([first_board], levels) == 0.5).all()
    with ThreadPoolExecutor(4) as pool:
        all_stakes = [MONEY_STAKES[:count] for count in (2, 3, 4)] * 4
        results = pool.map(lambda stakes: cached_bearoff.cubeful_equities([larger_board], stakes), all_stakes)
        for stakes, equities in zip(all_stakes, results, strict=True):
            assert np.array_equal(equities, cached_bearoff.cubeful_equities([larger_board], stakes))


def test_tables_of_all_sides_are_built_once(bearoff: Bearoff, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first table has the reachable sides; later tables have all sides up to a number of checkers."""
    sizes: list[int] = []
    build_tables = cube_tables.build_tables

    def record_and_build(stakes: Array, plays: databases.ListedPlays) -> cube_tables.CubeTables:
        sizes.append(len(plays.begins))
        return build_tables(stakes, plays)

    monkeypatch.setattr(cube_tables, "build_tables", record_and_build)
    stakes = [(0.8, 0.1), (1, 0)]
    for side in (
        (0, 1, 2, 0, 0, 0),
        (1, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 3),
        (0, 0, 0, 3, 0, 0),
        (4, 0, 0, 0, 0, 0),
    ):
        bearoff.cubeful_equities([board_of(side, ACE)], stakes)
    assert sizes == [len(reachable_sides((0, 1, 2, 0, 0, 0))), comb(9, 6), comb(10, 6)]


def reachable_sides(side: Side) -> set[Side]:
    """Return a side and all sides reachable from it."""
    after = {play for _, plays in plays_of(side) for play in plays} if side != EMPTY else set()
    return {side}.union(*map(reachable_sides, after))


# ---------------------------------------------------------------- the file


def copy_files(bearoff: Bearoff, folder: Path) -> None:
    """Copy the one-sided and the two-sided database."""
    for database in bearoff.databases:
        assert database.path is not None
        (folder / database.path.name).write_bytes(database.path.read_bytes())


def test_the_database_is_opened_on_demand(bearoff: Bearoff, tmp_path: Path) -> None:
    path = tmp_path / with_cube_spec(6).name
    copy_files(bearoff, tmp_path)
    new_bearoff = Bearoff(folder=tmp_path)
    new_bearoff([board_of(ACE)])
    new_bearoff.cubeful_equities([board_of(ACE)], [(1, 0)])
    assert not path.exists()
    database = new_bearoff.cube_database
    assert (database.path, database.built) == (path, True)
    content = path.read_bytes()
    path.unlink()
    assert new_bearoff.cube_database is database
    assert not path.exists()
    path.write_bytes(content)
    assert len(content) == HEADER.size + 3 * 8 * 924**2
    assert np.frombuffer(content, "<u4", 4, 8).tolist() == [1, 3, 6, 6]  # version, type, points, checkers
    assert np.frombuffer(content, "<u8", 2, 24).tolist() == [924**2, len(content) - 64]
    assert [zlib.crc32(array.astype("<f8").data) for array in database.arrays] == CHECKSUMS
    for array in database.arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reopened_bearoff = Bearoff(folder=tmp_path)
        assert np.array_equal(reopened_bearoff.cubeful_equities([board_of(ACE)]), [[1, 1, 1]])
    assert not reopened_bearoff.cube_database.built
    path.write_bytes(content[:-9] + b"x" + content[-8:])
    with pytest.warns(UserWarning, match=f"{path.name}: its checksum is .*; rebuilding it") as record:
        assert np.array_equal(Bearoff(folder=tmp_path).cubeful_equities([board_of(ACE)]), [[1, 1, 1]])
    assert [warning.filename for warning in record] == [__file__]
    assert path.read_bytes() == content


def test_default_databases_are_opened_without_warnings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bearoff: Bearoff
) -> None:
    copy_files(bearoff, tmp_path)
    monkeypatch.setenv("BGFAST_CACHE", str(tmp_path))
    lazy_bearoff = default_bearoff.__wrapped__()
    (tmp_path / with_cube_spec(6).name).write_bytes(b"")
    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("error")
        cube_databases = list(pool.map(lambda _: lazy_bearoff.cube_database, range(8)))
    assert cube_databases[0].built
    assert len({id(database) for database in cube_databases}) == 1  # the threads share it


@pytest.mark.slow
def test_seven_checkers_extend_the_six_checker_database(bearoff: Bearoff, tmp_path: Path) -> None:
    bearoff_7 = Bearoff(7, folder=tmp_path)
    for array_6, array_7 in zip(bearoff.cube_database.arrays, bearoff_7.cube_database.arrays, strict=True):
        assert (array_6.shape, array_7.shape) == ((924, 924), (1716, 1716))
        assert np.array_equal(array_6, array_7[:924, :924])
    board = board_of((0, 0, 0, 0, 0, 7), (7, 0, 0, 0, 0, 0))
    assert bearoff_7.cubeful_equities([board]).shape == (1, 3)
