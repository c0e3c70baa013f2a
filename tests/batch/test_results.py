"""Results of finished games: the cases of docs/RULES.md under every scheme, from both sides."""

from __future__ import annotations

import numpy as np
import pytest

import bgfast
from bgfast import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, InvalidPositionError, RuleSet
from bgfast.batch.successors import WIN_SCHEMES
from bgfast.errors import InvalidRulesError
from tests.support.positions import START

SCHEMES = {
    "standard": STANDARD,
    "bar_home_beats_off": EXACT,
    "not_all_home": REAR_FIRST,
}
ON_THE_BAR = 25


def lost(checkers: dict[int, int]) -> list[int]:
    """Return a board won by the mover, by the loser's points from the loser's side."""
    board = [0] * 26
    for point, number in checkers.items():
        board[25 - point] = -number
    return board


def points(checkers: dict[int, int], scheme: str, per_side: int = 15) -> int:
    """Return the points of a win against these checkers, checked from both sides."""
    board = lost(checkers)
    both = bgfast.results([board, [-n for n in reversed(board)]], SCHEMES[scheme], per_side)
    assert both.dtype == np.int8
    assert both[0] == -both[1]
    return int(both[0])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_g02_one_off_and_the_rest_in_the_own_home(scheme: str) -> None:
    assert points({6: 5, 3: 9}, scheme) == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_g03_none_off_and_all_in_the_own_home(scheme: str) -> None:
    assert points({6: 10, 1: 5}, scheme) == 2


@pytest.mark.parametrize(("scheme", "expected"), list(zip(SCHEMES, (2, 2, 3), strict=True)))
def test_g04_none_off_and_one_on_his_10(scheme: str, expected: int) -> None:
    assert points({10: 1, 4: 14}, scheme) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("point", range(19, 25))
def test_g05_none_off_and_one_in_the_winners_home(scheme: str, point: int) -> None:
    assert points({point: 1, 4: 14}, scheme) == 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_g06_none_off_and_one_on_the_bar(scheme: str) -> None:
    assert points({ON_THE_BAR: 1, 4: 14}, scheme) == 3


@pytest.mark.parametrize(("scheme", "expected"), list(zip(SCHEMES, (1, 3, 3), strict=True)))
@pytest.mark.parametrize("point", [ON_THE_BAR, *range(19, 25)])
def test_g07_one_off_and_one_on_the_bar_or_in_the_winners_home(
    scheme: str, expected: int, point: int
) -> None:
    assert points({point: 1, 4: 13}, scheme) == expected


@pytest.mark.parametrize(("scheme", "expected"), list(zip(SCHEMES, (1, 1, 3), strict=True)))
def test_g08_one_off_and_one_on_his_10(scheme: str, expected: int) -> None:
    assert points({10: 1, 4: 13}, scheme) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("point", range(1, 26))
def test_where_home_ends_and_the_winners_begins(scheme: str, point: int) -> None:
    far_back = point > 6 if scheme == "not_all_home" else point >= 19
    assert points({point: 1, 1: 14} if point > 1 else {1: 15}, scheme) == (3 if far_back else 2)


@pytest.mark.parametrize(
    ("checkers", "expected"),
    [
        ({1: 3}, (2, 2, 2)),
        ({1: 2}, (1, 1, 1)),
        ({18: 3}, (2, 2, 3)),
        ({18: 1}, (1, 1, 3)),
        ({24: 3}, (3, 3, 3)),
        ({24: 1}, (1, 3, 3)),
    ],
)
def test_three_checkers_a_side(checkers: dict[int, int], expected: tuple[int, ...]) -> None:
    assert tuple(points(checkers, scheme, 3) for scheme in SCHEMES) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_unfinished_games_have_no_points(scheme: str) -> None:
    boards = bgfast.random_positions(2000, 11)
    assert not bgfast.results(boards, SCHEMES[scheme]).any()
    assert not bgfast.results([bgfast.Position.hypergammon().to_array()], SCHEMES[scheme], 3).any()


def test_each_row_has_its_own_result() -> None:
    boards = [START, lost({1: 14}), START, [-n for n in reversed(lost({24: 15}))], lost({7: 15})]
    assert bgfast.results(boards).tolist() == [0, 1, 0, -3, 2]
    assert bgfast.results(np.zeros((0, 26), np.int8)).shape == (0,)


def test_only_the_win_scheme_has_an_effect() -> None:
    boards = [lost({10: 1, 4: 13}), lost({10: 1, 4: 14}), lost({25: 1, 4: 13})]
    for rules in (RuleSet(jacoby=True, beavers=True, bearoff_die="exact"), FIVE_STACK):
        assert bgfast.results(boards, rules).tolist() == bgfast.results(boards).tolist()
    rules = RuleSet(win_scheme="not_all_home", jacoby=True)
    assert bgfast.results(boards, rules).tolist() == bgfast.results(boards, REAR_FIRST).tolist()


def test_every_scheme_of_the_rules_is_known() -> None:
    for scheme in WIN_SCHEMES:
        RuleSet(win_scheme=scheme)
    with pytest.raises(InvalidRulesError) as refusal:
        RuleSet(win_scheme="unknown")
    assert str(refusal.value).endswith(", ".join(repr(scheme) for scheme in WIN_SCHEMES))


def test_invalid_input() -> None:
    with pytest.raises(InvalidPositionError, match="row 1: the mover has 5 checkers; expected at most 3"):
        bgfast.results([lost({1: 1}), [0] * 6 + [5] + [0] * 17 + [-1, 0]], checkers=3)
    with pytest.raises(InvalidPositionError, match="row 1: the opponent has 4 checkers; expected at most 3"):
        bgfast.results([lost({1: 1}), lost({1: 4})], checkers=3)
    for checkers in (0, 16, True, 3.0, "3", None):
        with pytest.raises(InvalidPositionError, match="checkers is"):
            bgfast.results([START], checkers=checkers)
