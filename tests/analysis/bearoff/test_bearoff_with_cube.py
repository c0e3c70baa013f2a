"""Bear-offs with a cube: against a recursion from the rules, GNU Backgammon, and what is known anyway."""

from __future__ import annotations

import os
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
from bgfast import ROLL_WEIGHTS, BgfastError, Decision, InvalidPositionError
from bgfast.analysis.bearoff import cube_tables, databases
from bgfast.analysis.bearoff.bearoff import Bearoff, unasked_bearoff
from bgfast.analysis.bearoff.databases import HEADER, with_cube
from tests.support import gnubg_bearoff
from tests.support.bearing_off import (
    EMPTY,
    Game,
    Side,
    all_sides,
    before_the_roll,
    board_of,
    cube_left,
    doubled,
    match_equity,
    plays_of,
)

OWNERS = (1, 0, -1)  # as in the columns of `cubeful_equities`
OWNED, CENTRED, UNAVAILABLE = range(3)
ACE: Side = (1, 0, 0, 0, 0, 0)
SAMPLE = Path(__file__).parents[2] / "data" / "gnubg_two_sided_sample.txt"
CHECKSUMS = [1481588942, 483512042, 3367525041]
DOUBLINGS = [(2.0**level, -(2.0**level)) for level in range(21)]  # money play with a greatest cube

Array = npt.NDArray[np.float64]


def pairs_of(checkers: int) -> list[tuple[Side, Side]]:
    sides = all_sides(checkers)[1:]
    return [(own, other) for own in sides for other in sides]


def boards_of(pairs: list[tuple[Side, Side]]) -> npt.NDArray[np.int8]:
    return np.array([board_of(*pair) for pair in pairs], np.int8)


def stakes_of(game: Game) -> list[tuple[float, float]]:
    """What a game won and lost is worth, up to the cube that decides the match for both."""
    cubes = [1] if game.crawford else [2**level for level in range(10) if 2**level < 2 * max(game.away or ())]
    return [(game.ended(cube), game.ended(-cube)) for cube in cubes]


def assert_as_by_the_rules(
    bearoff: Bearoff, pairs: list[tuple[Side, Side]], game: Game, stakes: list[tuple[float, float]] | None
) -> None:
    games = [game._replace(owner=owner) for owner in OWNERS]
    found = bearoff.cubeful_equities(boards_of(pairs), stakes)
    expected = [[before_the_roll(*pair, each) for each in games] for pair in pairs]
    assert np.abs(found - expected).max() < 1e-12
    if stakes is None or len(stakes) > 1:
        decided = [
            [cube_left(*pair, games[0]), cube_left(*pair, games[1]), *doubled(*pair, games[1])]
            for pair in pairs
        ]
        assert np.abs(bearoff.doubling_equities(boards_of(pairs), stakes) - decided).max() < 1e-12


# ---------------------------------------------------------------- by the rules


def test_money_play_is_that_of_the_recursion(bearoff: Bearoff) -> None:
    assert_as_by_the_rules(bearoff, pairs_of(2), Game(), None)


SCORES = {
    "2-away, 4-away": Game((2, 4)),
    "4-away, 2-away": Game((4, 2)),
    "3-away, 5-away, a cube of 2": Game((3, 5), cube=2),
    "Crawford": Game((1, 3), crawford=True),
    "after Crawford, the trailer on roll": Game((4, 1)),
    "after Crawford, the leader on roll": Game((1, 4)),
    "one point to go for both": Game((1, 1)),
}


@pytest.mark.parametrize("score", SCORES)
def test_matches_are_those_of_the_recursion(bearoff: Bearoff, score: str) -> None:
    game = SCORES[score]
    cubes = [game.cube * 2**level for level in range(4)]
    stakes = [(game.ended(cube), game.ended(-cube)) for cube in cubes[: 1 if game.crawford else None]]
    assert_as_by_the_rules(bearoff, pairs_of(2)[::5], game, stakes)


@pytest.mark.parametrize(
    "away",
    [
        *(pytest.param(away, marks=pytest.mark.slow) for away in (None, (4, 2), (2, 4))),
        *(pytest.param(away, marks=pytest.mark.long) for away in ((2, 2), (7, 5), (3, 1))),
    ],
)
def test_up_to_three_checkers_are_those_of_the_recursion(
    bearoff: Bearoff, away: tuple[int, int] | None
) -> None:
    game = Game(away)
    assert_as_by_the_rules(bearoff, pairs_of(3), game, stakes_of(game) if away else None)


def test_a_turn_leads_to_what_follows(bearoff: Bearoff) -> None:
    """Up to six checkers a side: the best play of each roll, with each state of the cube its own."""
    sides = all_sides(6)[1:]
    numbers = np.random.default_rng(3).integers(len(sides), size=(150, 2)).tolist()
    boards = boards_of([(sides[own], sides[other]) for own, other in numbers])
    found = bgfast.successors(boards, "all", flip=True)
    over = (found.boards[:, 19:25] == 0).all(axis=1)  # the mover's checkers, now the opponent's
    for stakes, won in ((None, 1.0), ([(0.6, 0.2), (0.75, 0.1), (1, 0)], 0.6)):
        after = np.full((len(over), 3), won)
        # Of the other player: the same game from the other side.
        flipped = None if stakes is None else [(-lost, -winning) for winning, lost in stakes]
        after[~over] = -bearoff.cubeful_equities(found.boards[~over], flipped)
        best = np.maximum.reduceat(after, found.offsets[:-1]).reshape(len(boards), 21, 3)
        rolled = np.einsum("brc,r->bc", best, np.array(ROLL_WEIGHTS) / 36)
        decided = bearoff.doubling_equities(boards, stakes)
        equities = bearoff.cubeful_equities(boards, stakes)
        assert np.abs(decided[:, 0] - rolled[:, UNAVAILABLE]).max() < 1e-12  # whose cube is theirs now
        assert np.abs(decided[:, 1] - rolled[:, CENTRED]).max() < 1e-12
        assert np.abs(equities[:, UNAVAILABLE] - rolled[:, OWNED]).max() < 1e-12
        turned = decided[:, 2:].min(axis=1)
        assert np.array_equal(equities[:, OWNED], np.maximum(decided[:, 0], turned))
        assert np.array_equal(equities[:, CENTRED], np.maximum(decided[:, 1], turned))
        assert (equities[:, CENTRED] > decided[:, 1]).any()  # some double
        assert (decided[:, 2] > decided[:, 3]).any()  # some pass
        assert ((decided[:, 2] < decided[:, 3]) & (decided[:, 2] > decided[:, 1])).any()  # some take


def test_money_play_is_what_ever_greater_cubes_come_to(bearoff: Bearoff) -> None:
    """Game over before the greatest: not a bit is different, since all doubles."""
    pairs = [((0, 0, 1, 1, 1, 0), (0, 2, 0, 0, 1, 0)), ((0, 0, 0, 0, 0, 2), (1, 0, 0, 0, 0, 1)), (ACE, ACE)]
    for ask in (bearoff.cubeful_equities, bearoff.doubling_equities):
        assert np.array_equal(ask(boards_of(pairs)), ask(boards_of(pairs), DOUBLINGS))


# ---------------------------------------------------------------- GNU Backgammon


def test_a_sample_is_what_gnu_backgammon_has(bearoff: Bearoff) -> None:
    rows = [line.split() for line in SAMPLE.read_text().splitlines() if not line.startswith("#")]
    assert len(rows) == 300
    own, other = ([tuple(map(int, row[side])) for row in rows] for side in (0, 1))
    theirs = np.array([row[2:] for row in rows], float) / 32767.5 - 1
    boards = boards_of(list(zip(own, other, strict=True)))
    owned, centred, *_ = bearoff.doubling_equities(boards).T
    ours = [2 * bearoff(boards)[:, 0] - 1, owned, centred, bearoff.cubeful_equities(boards)[:, UNAVAILABLE]]
    assert np.abs(theirs - np.array(ours).T).max() < 2e-4


@pytest.mark.parametrize("checkers", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_all_pairs_are_what_gnu_backgammon_has(bearoff: Bearoff, checkers: int, tmp_path: Path) -> None:
    gnubg_bearoff.make(tmp_path / "two_sided.bd", "-t", f"6x{checkers}")
    theirs = gnubg_bearoff.two_sided(tmp_path / "two_sided.bd", checkers)
    sides = comb(checkers + 6, 6)
    unavailable, owned, centred = (array[:sides, :sides].T[1:, 1:] for array in bearoff.cube_database.arrays)
    for column, ours in ((1, owned), (2, centred), (3, unavailable)):
        assert np.abs(theirs[1:, 1:, column] - ours).max() < 2e-4
    cubeless = 2 * bearoff.databases[1].arrays[0][:sides, :sides].T[1:, 1:] - 1
    assert np.abs(theirs[1:, 1:, 0] - cubeless).max() < 3e-4


# ---------------------------------------------------------------- what is known


def certain_next(chance_of_36: int) -> list[float]:
    """Owned, centred, unavailable in the last roll: who fails has lost, since the other is off next."""
    even = 2 * chance_of_36 / 36 - 1
    turned = max(even, min(1, 2 * even))
    return [turned, turned, even]


@pytest.mark.parametrize(
    ("own", "ways"),
    [
        ((0, 0, 0, 0, 1, 1), 6),  # 5-5 and 6-6 and both ways of 6-5; with 3-3 and 4-4
        ((1, 0, 0, 0, 0, 1), 15),
        ((0, 0, 1, 1, 0, 0), 17),
        ((0, 1, 0, 0, 1, 0), 19),
        ((0, 0, 0, 0, 0, 1), 27),  # three in four: to take and to pass are the same
        ((1, 0, 0, 1, 0, 0), 29),
    ],
)
def test_the_last_roll(bearoff: Bearoff, own: Side, ways: int) -> None:
    board = boards_of([(own, ACE)])
    assert round(bearoff(board)[0, 0] * 36, 9) == ways
    assert bearoff.cubeful_equities(board)[0] == pytest.approx(certain_next(ways), abs=1e-12)
    no_redouble, no_double, take, cash = bearoff.doubling_equities(board)[0]
    assert no_redouble == pytest.approx(no_double, abs=1e-15)
    assert (cash, no_double * 2) == (1, pytest.approx(take, abs=1e-12))
    # At 2-away, 2-away two points win the match: a double decides it, and nothing is to be lost by it.
    match = [(0.7, 0.3), (1.0, 0.0)]
    p = ways / 36
    assert bearoff.cubeful_equities(board, match)[0] == pytest.approx(
        [max(0.3 + 0.4 * p, min(0.7, p))] * 2 + [0.3 + 0.4 * p], abs=1e-12
    )


def test_positions_of_so_many_rolls(bearoff: Bearoff) -> None:
    """All on point 1: with three rolls to go for both a double is passed, with four it is taken."""
    two, three, four = ((number, 0, 0, 0, 0, 0) for number in (4, 6, 7))
    decided = bearoff.doubling_equities(boards_of([(two, two), (three, three)]))
    assert decided[0] == pytest.approx([13 / 18, 13 / 18, 26 / 18, 1], abs=1e-12)  # 31 of 36 win
    assert (decided[:, 2] > 1).all()
    seven = Bearoff.__new__(Bearoff)  # asked for stakes only: needs no file
    seven._checkers = 7
    no_redouble, no_double, take, cash = seven.doubling_equities(boards_of([(four, four)]), DOUBLINGS)[0]
    assert no_double < no_redouble < take < cash


def test_the_cube_is_worth_something(bearoff: Bearoff) -> None:
    """Money and match: owned >= centred >= unavailable, and without a cube between the first and the last."""
    unavailable, owned, centred = (array[1:, 1:] for array in bearoff.cube_database.arrays)
    turned = np.minimum(1, 2 * unavailable)
    cubeless = 2 * bearoff.databases[1].arrays[0][1:, 1:] - 1
    slack = 1e-12
    for more, less in ((owned, centred), (np.maximum(centred, turned), unavailable)):
        assert (more >= less - slack).all()
        assert (more > less + 0.05).any()
    assert (owned >= cubeless - slack).all()
    assert (cubeless >= unavailable - slack).all()
    # Where a beaver is right, the doubled cube less than nothing for its doubler, no double is.
    assert (centred >= turned - slack)[unavailable < 0].all()
    boards = boards_of(pairs_of(2))
    for game in (Game((4, 2)), Game((2, 4))):
        of_match = bearoff.cubeful_equities(boards, stakes_of(game))
        assert (np.diff(of_match, axis=1) <= slack).all()
        assert (np.diff(of_match, axis=1) < -0.01).any()


def test_what_emerges_at_scores(bearoff: Bearoff) -> None:
    boards = boards_of(pairs_of(2))
    chances = bearoff(boards)[:, 0]
    # A cube that nobody doubles further: the chance to win, on the scale of the match.
    for stakes in ([(0.8, 0.3)], [(0.8, 0.3)] * 3):
        assert np.abs(bearoff.cubeful_equities(boards, stakes).T - (0.3 + 0.5 * chances)).max() < 1e-12
    # After Crawford who trails by an odd number of points loses nothing by doubling at once.
    decided = bearoff.doubling_equities(boards, stakes_of(Game((2, 1))))
    assert (decided[:, 2:].min(axis=1) >= decided[:, 1] - 1e-12).all()
    # Who needs one point only gains nothing by doubling, and at 2-away, 4-away the leader shies from it.
    decided = bearoff.doubling_equities(boards, stakes_of(Game((1, 2))))
    assert (decided[:, 2:].min(axis=1) <= decided[:, 1] + 1e-12).all()
    leading, level = (bearoff.doubling_equities(boards, stakes_of(Game((2, away)))) for away in (4, 2))
    doubles = [(each[:, 2:].min(axis=1) > each[:, 1] + 1e-9).sum() for each in (leading, level)]
    assert 0 < doubles[0] < doubles[1]
    # At 2-away, 2-away a double costs little: after it the match is decided by the chance to win.
    assert np.abs(level[:, 2] - chances).max() < 1e-12
    assert level[0, 3] == match_equity(1, 2)


# ---------------------------------------------------------------- decisions


def decision_of(game: Game, length: int = 9, **more: Any) -> Decision:
    """A decision with the cube and the score of a game, wherever its checkers stand."""
    score = (
        {}
        if game.away is None
        else {"match_length": length, "score": tuple(length - need for need in game.away)}
    )
    return Decision(
        position=bgfast.Position.start(),
        cube=game.cube,
        cube_owner=game.owner,
        crawford=game.crawford,
        **score,
        **more,
    )


def test_money_decisions(bearoff: Bearoff) -> None:
    pairs = pairs_of(2)
    boards = boards_of(pairs)
    for owner in (1, 0):
        game = Game(owner=owner, cube=2)
        found = bearoff.cube_actions(boards, decision_of(game, jacoby=True, beaver=True))
        for pair, *values in zip(
            pairs, found.no_double, found.double_take, found.double_pass, found.double_beaver, strict=True
        ):
            beavered = max(cube_left(*pair, Game(cube=8, owner=-1)), -4)  # or the doubled cube is given up
            expected = [cube_left(*pair, game), *doubled(*pair, game), beavered]
            assert values == pytest.approx(np.array(expected) / 2, abs=1e-12)  # a unit of cube
        assert (found.answers == "beaver").any()
        assert not (found.doubles & (found.answers == "beaver") & (found.cost_no_double > 0)).any()
    board = boards_of([((0, 0, 0, 0, 0, 1), ACE), ((1, 0, 0, 1, 0, 0), ACE), ((0, 0, 0, 0, 1, 1), ACE)])
    words = bearoff.cube_actions(board, decision_of(Game())).words.tolist()
    assert words[1:] == ["Double, pass", "No double, take"]
    assert words[0].startswith("Double, ")  # three in four: both are right
    words = bearoff.cube_actions(board, decision_of(Game(owner=1), beaver=True)).words.tolist()
    assert words[1:] == ["Redouble, pass", "No redouble, beaver"]
    assert set(bearoff.cube_actions(board, decision_of(Game(owner=-1))).words) == {"Cube not available"}


def test_decisions_at_a_score(bearoff: Bearoff) -> None:
    boards = boards_of(pairs_of(2)[::7])
    met = bgfast.MatchEquityTable.builtin()
    for game in (Game((4, 2)), Game((3, 5), cube=2, owner=1), Game((4, 1), owner=1), Game((2, 9), owner=-1)):
        decision = decision_of(game)
        stakes = met.after(decision, [[cube, -cube] for cube in (game.cube * 2**level for level in range(5))])
        equities = bearoff.doubling_equities(boards, stakes)
        unavailable = bearoff.cubeful_equities(boards, stakes)[:, UNAVAILABLE]
        no_double = {1: equities[:, 0], 0: equities[:, 1], -1: unavailable}[game.owner]
        found = bearoff.cube_actions(boards, decision, mwc=True)
        assert np.abs(found.no_double - no_double).max() < 1e-12
        assert found.available == (game.owner >= 0)
        if found.available:
            assert np.abs(found.double_take - equities[:, 2]).max() < 1e-12
            assert (found.double_pass == stakes[0, 0]).all()
        assert np.isnan(found.double_beaver).all()
        normalized = bearoff.cube_actions(boards, decision, met=met)
        middle, half = stakes[0].mean(), (stakes[0, 0] - stakes[0, 1]) / 2
        assert np.abs(normalized.no_double - (no_double - middle) / half).max() < 1e-12
        assert (normalized.normalized, found.normalized) == (True, False)
    crawford = bearoff.cube_actions(boards, decision_of(Game((1, 3), crawford=True)))
    assert not crawford.available
    assert np.abs(crawford.no_double - (2 * bearoff(boards)[:, 0] - 1)).max() < 1e-12
    # A cube that can be turned once more: its taker cannot.
    last = bearoff.cube_actions(boards, decision_of(Game(), max_cube=2))
    assert np.abs(last.double_take - 2 * (2 * bearoff(boards)[:, 0] - 1)).max() < 1e-12


def test_decisions_that_are_none(bearoff: Bearoff) -> None:
    board = [board_of(ACE)]
    with pytest.raises(BgfastError, match="mwc is True in money play; expected a decision of a match"):
        bearoff.cube_actions(board, decision_of(Game()), mwc=True)
    with pytest.raises(BgfastError, match="beavers are allowed and the maximum cube is 8; expected one or"):
        bearoff.cube_actions(board, decision_of(Game(), beaver=True, max_cube=8))
    with pytest.raises(BgfastError, match="decision is 'money'; expected a Decision"):
        bearoff.cube_actions(board, "money")  # type: ignore[arg-type]
    with pytest.raises(InvalidPositionError, match="row 0: the mover has a checker on point 24"):
        bearoff.cube_actions([bgfast.Position.start()], decision_of(Game()))


# ---------------------------------------------------------------- what is asked, and how


def test_what_has_no_table_is_refused(bearoff: Bearoff) -> None:
    six, seven, three = ((number, 0, 0, 0, 0, 0) for number in (6, 7, 3))
    start = bgfast.Position.start()
    for ask in (bearoff.cubeful_equities, bearoff.doubling_equities):
        for board, message in (
            (
                board_of(seven, six),
                "the mover has 7 checkers, and is not in the two-sided database; .* most 6",
            ),
            (board_of(six, seven), "the opponent has 7 checkers, and is not in the two-sided database"),
            (tuple(start), "the mover has a checker on point 24; expected all on points 1 to 6 or off"),
            (board_of(EMPTY, six), "the game is over"),
        ):
            for stakes in (None, [(1, 0), (1, 0)]):
                with pytest.raises(InvalidPositionError, match=f"^row 1: {message}"):
                    ask([board_of(six, six), board], stakes)
        with pytest.raises(
            InvalidPositionError, match="row 0: the opponent has 3 checkers, and could lose a"
        ):
            ask([board_of(ACE, three)], checkers=3)
        assert ask([board_of(ACE, ACE)], checkers=3).tolist() == ask([board_of(ACE, ACE)]).tolist()
        assert len(ask(np.empty((0, 26), np.int8))) == 0
        assert len(ask(np.empty((0, 26), np.int8), [(1, 0), (1, 0)])) == 0


@pytest.mark.parametrize(
    ("stakes", "message"),
    [
        ("money", "stakes of dtype <U5; expected real numbers"),
        ([1, -1], r"stakes has the shape \(2,\); expected \(n, 2\), n from 1 to 21: "),
        ([], r"stakes has the shape \(0,\); expected"),
        ([(1, 0)] * 22, r"stakes has the shape \(22, 2\); expected"),
        ([(1, 0, 0)], r"stakes has the shape \(1, 3\); expected"),
        (
            [(1, 0), (0.3, 0.4)],
            "stakes, row 1: 0.3 for a game won and 0.4 for a game lost; expected finite numbers",
        ),
        ([(1, float("nan"))], "stakes: index 0, 1 is nan"),
        ([(float("inf"), 0)], "stakes, row 0: inf for a game won"),
        ([(1, -float("inf"))], "stakes, row 0: 1.0 for a game won and -inf for a game lost"),
    ],
)
def test_stakes_that_are_none(bearoff: Bearoff, stakes: object, message: str) -> None:
    with pytest.raises(BgfastError, match=f"^{message}"):
        bearoff.cubeful_equities([board_of(ACE)], stakes)  # type: ignore[arg-type]


def test_without_a_doubled_cube_there_is_no_decision(bearoff: Bearoff) -> None:
    with pytest.raises(BgfastError, match="stakes has 1 row; expected 2 or more"):
        bearoff.doubling_equities([board_of(ACE)], [(1, 0)])


def test_stakes_may_be_given_in_any_order(tmp_path: Path) -> None:
    """Other boards, other stakes, the first again: what was kept is no matter."""
    bearoff = Bearoff(folder=tmp_path)
    one, other, greater = boards_of(
        [(ACE, (0, 1, 0, 0, 0, 1)), ((0, 0, 0, 0, 2, 0), ACE), ((1,) * 3 + (0,) * 3,) * 2]
    )
    given = np.array([(0.7, 0.3), (0.9, 0.2), (1, 0)])
    asked = [(board, stakes) for stakes in (given, given[1:], given) for board in (one, greater, other, one)]
    for board, stakes in asked:
        alone = Bearoff(folder=tmp_path).cubeful_equities([board], stakes)
        assert np.array_equal(bearoff.cubeful_equities([board], stakes), alone)
    given[:] = 0.5  # they are the caller's
    assert (bearoff.cubeful_equities([one], given) == 0.5).all()
    with ThreadPoolExecutor(4) as pool:
        all_given = [DOUBLINGS[:levels] for levels in (2, 3, 4)] * 4
        found = pool.map(lambda stakes: bearoff.cubeful_equities([greater], stakes), all_given)
        for stakes, equities in zip(all_given, found, strict=True):
            assert np.array_equal(equities, bearoff.cubeful_equities([greater], stakes))


def test_all_sides_are_made_once(bearoff: Bearoff, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes of the first ones asked for is little; who asks on gets all with as many checkers."""
    made: list[int] = []
    build_tables = cube_tables.build_tables

    def noted(stakes: Array, listed: databases.ListedPlays) -> cube_tables.CubeTables:
        made.append(len(listed.begins))
        return build_tables(stakes, listed)

    monkeypatch.setattr(cube_tables, "build_tables", noted)
    stakes = [(0.8, 0.1), (1, 0)]
    for side in (
        (0, 1, 2, 0, 0, 0),
        (1, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 3),
        (0, 0, 0, 3, 0, 0),
        (4, 0, 0, 0, 0, 0),
    ):
        bearoff.cubeful_equities([board_of(side, ACE)], stakes)
    assert made == [len(reachable_sides((0, 1, 2, 0, 0, 0))), comb(9, 6), comb(10, 6)]


def reachable_sides(side: Side) -> set[Side]:
    """A side and all that can follow."""
    after = {play for _, plays in plays_of(side) for play in plays} if side != EMPTY else set()
    return {side}.union(*map(reachable_sides, after))


# ---------------------------------------------------------------- the file


def test_the_database_is_made_when_it_is_asked_for(bearoff: Bearoff, tmp_path: Path) -> None:
    path = tmp_path / with_cube(6).name
    first = Bearoff(folder=tmp_path)
    first([board_of(ACE)])
    first.cubeful_equities([board_of(ACE)], [(1, 0)])
    assert not path.exists()
    opened = first.cube_database
    assert (opened.path, opened.built) == (path, True)
    content = path.read_bytes()
    path.unlink()
    assert first.cube_database is opened
    assert not path.exists()
    path.write_bytes(content)
    assert len(content) == HEADER.size + 3 * 8 * 924**2
    assert np.frombuffer(content, "<u4", 4, 8).tolist() == [1, 3, 6, 6]  # version, kind, points, checkers
    assert np.frombuffer(content, "<u8", 2, 24).tolist() == [924**2, len(content) - 64]
    assert [zlib.crc32(array.astype("<f8").data) for array in opened.arrays] == CHECKSUMS
    for array in opened.arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = Bearoff(folder=tmp_path)
        assert np.array_equal(again.cubeful_equities([board_of(ACE)]), [[1, 1, 1]])
    assert not again.cube_database.built
    path.write_bytes(content[:-9] + b"x" + content[-8:])
    with pytest.warns(UserWarning, match=f"{path.name}: its checksum is .*; it is built again") as said:
        assert np.array_equal(Bearoff(folder=tmp_path).cubeful_equities([board_of(ACE)]), [[1, 1, 1]])
    assert [warning.filename for warning in said] == [__file__]
    assert path.read_bytes() == content
    path.write_bytes(b"")
    with pytest.warns(UserWarning, match="it is built again") as said:
        assert Bearoff(folder=tmp_path).cube_database.path == path
    assert [warning.filename for warning in said] == [__file__]


def test_threads_share_it(bearoff: Bearoff, tmp_path: Path) -> None:
    name = with_cube(6).name
    database = bearoff.cube_database
    assert database.path is not None
    (tmp_path / name).write_bytes(database.path.read_bytes())
    shared = Bearoff(folder=tmp_path)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: shared.cube_database, range(8)))
    assert all(each is found[0] for each in found)


def test_who_has_not_asked_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bearoff: Bearoff
) -> None:
    assert bearoff.cube_database.path is not None
    for file in os.scandir(bearoff.cube_database.path.parent):
        (tmp_path / file.name).write_bytes(Path(file.path).read_bytes())
    monkeypatch.setenv("BGFAST_CACHE", str(tmp_path))
    quiet = unasked_bearoff.__wrapped__()
    (tmp_path / with_cube(6).name).write_bytes(b"")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert quiet.cube_database.built


@pytest.mark.slow
def test_seven_checkers_have_what_six_have_and_more(bearoff: Bearoff, tmp_path: Path) -> None:
    seven = Bearoff(7, folder=tmp_path)
    for six, more in zip(bearoff.cube_database.arrays, seven.cube_database.arrays, strict=True):
        assert (six.shape, more.shape) == ((924, 924), (1716, 1716))
        assert np.array_equal(six, more[:924, :924])
    board = board_of((0, 0, 0, 0, 0, 7), (7, 0, 0, 0, 0, 0))
    assert seven.cubeful_equities([board]).shape == (1, 3)
