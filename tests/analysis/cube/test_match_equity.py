"""Match equity tables: what they say at a score and after a game."""

from __future__ import annotations

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Decision, MatchEquityTable, MatchScore, Position

MET = MatchEquityTable.builtin()


def decision(length: int, score: tuple[int, int] = (0, 0), **fields: object) -> Decision:
    return Decision(position=Position.start(), match_length=length, score=score, **fields)  # type: ignore[arg-type]


def test_chances_of_both_players_add_up_at_every_score() -> None:
    away = np.arange(1, 26)
    rows, columns = away[:, None], away[None]
    np.testing.assert_allclose(MET(rows, columns) + MET(columns, rows), 1, atol=1e-12)
    np.testing.assert_allclose(MET(away, away), 0.5)
    for player in (0, 1):
        trailing = MET(away, 1, post_crawford=True, player=player)
        np.testing.assert_allclose(trailing + MET(1, away, True, player=1 - player), 1, atol=1e-12)
        assert (np.diff(trailing) <= 0).all()


def test_who_has_won_has_won_and_points_beyond_are_worth_nothing() -> None:
    assert MET(0, 5) == MET(-3, 1) == MET(-3, 1, post_crawford=True) == 1
    assert MET(5, 0) == MET(1, -2, post_crawford=True) == 0
    with pytest.raises(BgfastError, match="both players have won"):
        MET(0, 0)


def test_after_a_game_the_crawford_game_comes_once() -> None:
    trailer, leader = decision(5, (1, 4)), decision(5, (4, 1))
    crawford = decision(5, (1, 4), crawford=True)
    # The game after one in which a player needs a point is past Crawford, whichever of them it was.
    for score in (trailer, crawford, MatchScore(5, (1, 4)), MatchScore(5, (1, 4), crawford=True)):
        assert MET.after(score, 1) == MET(3, 1, post_crawford=True)
    assert MET.after(leader, -2) == MET(1, 2, post_crawford=True) != MET(1, 2)
    assert MET.after(decision(5, (3, 1)), 1) == MET(1, 4)
    assert MET.after(decision(5, (1, 3)), -1) == MET(4, 1)
    assert MET.after(trailer, 4) == 1
    assert MET.after(trailer, -1) == 0


def test_a_table_for_unequal_players_knows_them_apart() -> None:
    met = MatchEquityTable("unequal", [[0.6, 0.8], [0.3, 0.6]], [[0.6, 0.5], [0.4, 0.2]])
    assert met(1, 2) == 0.8
    assert met(2, 1, player=1) == pytest.approx(0.2)
    assert met(2, 1, True) == 0.5
    assert met(1, 2, True) == 0.8
    assert met(2, 1, True, player=1) == 0.2
    assert met(1, 2, True, player=1) == 0.5
    assert met.after(decision(2, (0, 0), turn=-1), 1) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MET(2.5, 3), "away is 2.5; expected whole numbers"),
        (lambda: MET(1, 1, player=2), "player is 2"),
        (lambda: MET.after(decision(0), 1), "money play"),
        (lambda: MET.after((5, 3), 1), "expected a Decision or a MatchScore"),
        (lambda: MET.after(decision(5), 0), "points are 0"),
        (lambda: MatchEquityTable("", [[0.5, 0.2]], [0.5]), r"shape \(1, 2\)"),
        (lambda: MatchEquityTable("", [[1.5]], [0.5]), "no chances"),
        (lambda: MatchEquityTable("", [["a"]], [0.5]), "expected an array of chances"),
    ],
)
def test_what_cannot_be_asked_is_refused(call: object, message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        call()  # type: ignore[operator]


def test_its_name_is_public() -> None:
    assert bgfast.MatchEquityTable is MatchEquityTable
