"""Results of finished games: the cases of docs/RULES.md under every scheme, from both sides."""

from __future__ import annotations

import numpy as np
import pytest

import bgfast
from bgfast import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet
from bgfast.batch.successors import WIN_SCHEMES
from bgfast.errors import InvalidRulesError
from tests.support.positions import START

SCHEMES = {"standard": STANDARD, "bar_home_beats_off": EXACT, "not_all_home": REAR_FIRST}
BAR = 25


def lost_board(checkers: dict[int, int]) -> list[int]:
    """Return a board won by the mover; `checkers` maps the loser's own points to counts."""
    board = [0] * 26
    for point, count in checkers.items():
        board[25 - point] = -count
    return board


def win_points(checkers: dict[int, int], per_side: int = 15) -> tuple[int, ...]:
    """Return the points of a win against these checkers under each scheme, checked from both sides."""
    board = lost_board(checkers)
    boards = [board, [-n for n in reversed(board)]]
    results = np.array([bgfast.results(boards, rules, per_side) for rules in SCHEMES.values()])
    assert results.dtype == np.int8
    assert (results[:, 0] == -results[:, 1]).all()
    return tuple(results[:, 0].tolist())


@pytest.mark.parametrize(
    ("checkers", "expected"),
    [
        ({6: 5, 3: 9}, (1, 1, 1)),  # G02: one off, the rest in the loser's home
        ({6: 10, 1: 5}, (2, 2, 2)),  # G03: none off, all in the loser's home
        ({10: 1, 4: 14}, (2, 2, 3)),  # G04: none off, one on the loser's 10 point
        *(({point: 1, 4: 14}, (3, 3, 3)) for point in range(19, 25)),  # G05: one in the winner's home
        ({BAR: 1, 4: 14}, (3, 3, 3)),  # G06: none off, one on the bar
        *(({point: 1, 4: 13}, (1, 3, 3)) for point in range(19, 26)),  # G07: one off, otherwise as G05 or G06
        ({10: 1, 4: 13}, (1, 1, 3)),  # G08: one off, one on the loser's 10 point
        # The boundaries of the loser's home and the winner's home.
        *(
            ({p: 1, 1: 14}, (3 if p >= 19 else 2, 3 if p >= 19 else 2, 3 if p > 6 else 2))
            for p in range(2, 26)
        ),
    ],
)
def test_points_of_wins(checkers: dict[int, int], expected: tuple[int, ...]) -> None:
    assert win_points(checkers) == expected


def test_points_of_wins_with_three_checkers_per_side() -> None:
    for point, borne_off, expected in (
        (1, 0, (2, 2, 2)),
        (1, 1, (1, 1, 1)),
        (18, 0, (2, 2, 3)),
        (18, 2, (1, 1, 3)),
        (24, 0, (3, 3, 3)),
        (24, 2, (1, 3, 3)),
    ):
        assert win_points({point: 3 - borne_off}, 3) == expected


def test_unfinished_games_have_no_points() -> None:
    boards = bgfast.random_positions(2000, 11)
    for rules in SCHEMES.values():
        assert not bgfast.results(boards, rules).any()
        assert not bgfast.results([bgfast.Position.hypergammon().to_array()], rules, 3).any()


def test_each_row_gets_the_result_of_its_board() -> None:
    opponent_win = [-n for n in reversed(lost_board({24: 15}))]
    boards = [START, lost_board({1: 14}), START, opponent_win, lost_board({7: 15})]
    assert bgfast.results(boards).tolist() == [0, 1, 0, -3, 2]
    assert bgfast.results(np.zeros((0, 26), np.int8)).shape == (0,)


def test_only_the_win_scheme_has_an_effect() -> None:
    boards = [lost_board({10: 1, 4: 13}), lost_board({10: 1, 4: 14}), lost_board({BAR: 1, 4: 13})]
    for rules in (RuleSet(jacoby=True, beavers=True, bearoff_die="exact"), FIVE_STACK):
        assert bgfast.results(boards, rules).tolist() == bgfast.results(boards).tolist()
    rules = RuleSet(win_scheme="not_all_home", jacoby=True)
    assert bgfast.results(boards, rules).tolist() == bgfast.results(boards, REAR_FIRST).tolist()


def test_every_win_scheme_is_accepted() -> None:
    for scheme in WIN_SCHEMES:
        RuleSet(win_scheme=scheme)
    with pytest.raises(InvalidRulesError) as refusal:
        RuleSet(win_scheme="unknown")
    assert str(refusal.value).endswith(", ".join(repr(scheme) for scheme in WIN_SCHEMES))
