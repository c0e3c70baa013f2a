"""The map of rolls: the best play of each roll, each reply, and which pairs lose the market."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, ROLLS, Decision
from bgfast.errors import InvalidDiceError, InvalidPositionError
from bgfast.evaluators import Lookahead

# Both bear off, and the mover is a little ahead.
VOLATILE = Decision(
    position=bgfast.Position.from_array([0, 2, 2, 3, 3, 3, 2, *[0] * 12, -2, -3, -3, -3, -2, -2, 0])
)
WEIGHTS = np.array(ROLL_WEIGHTS) / 36


@pytest.fixture(scope="module")
def player() -> Lookahead:
    return Lookahead(bgfast.Network.builtin(), ply=0)


def test_each_roll_is_its_best_play(player: Lookahead) -> None:
    match = replace(VOLATILE, match_length=5, score=(1, 2), turn=-1)
    found = bgfast.roll_map(match, player)
    for roll, best, equity in zip(ROLLS, found.plays, found.equities, strict=True):
        assert best == player.best_plays(replace(match, dice=roll))[0]
        assert equity == best.equity
    ahead = Lookahead(bgfast.Network.builtin(), ply=1).evaluation(match)
    assert found.mean == pytest.approx(ahead.equity, abs=2e-3)  # whose plays are chosen by rounded weights
    rows = found.rows()
    assert [row["roll"] for row in rows[:3]] == ["1-1", "2-1", "2-2"]
    assert rows[5]["difference"] == pytest.approx(found.equities[5] - found.mean)
    assert found.market_losers is None
    assert found.replies is None


def test_replies_and_lost_markets(player: Lookahead) -> None:
    found = bgfast.roll_map(VOLATILE, player, replies=True)
    assert found.replies is not None
    assert found.reply_plays is not None
    assert found.opponent_passes is not None
    own, reply = ROLLS.index((6, 5)), ROLLS.index((3, 3))
    after = replace(VOLATILE, position=found.plays[own].play.position, turn=-1, dice=(3, 3))
    answer = player.best_plays(after)[0].play
    assert found.reply_plays[own][reply] == answer
    last = bgfast.cube_decision(replace(VOLATILE, position=answer.position), player)
    assert found.replies[own, reply] == last.equities.no_double
    passes = [
        [
            bgfast.cube_decision(replace(VOLATILE, position=play.position), player).equities.answers == "pass"
            for play in row
            if play
        ]
        for row in found.reply_plays[own : own + 1]
    ]
    assert found.opponent_passes[own].tolist() == passes[0]
    assert found.market_losers is not None
    assert found.market_losers[own] == pytest.approx(found.opponent_passes[own] @ WEIGHTS)
    assert found.market_lost == pytest.approx(WEIGHTS @ found.opponent_passes @ WEIGHTS)
    assert 0 < found.market_lost < 1
    rows = found.rows()
    assert len(rows) == 441
    assert rows[21 * own + reply] == {
        "roll": "6-5",
        "play": str(found.plays[own].play),
        "equity": found.equities[own],
        "reply": "3-3",
        "reply_play": str(answer),
        "equity_after_reply": found.replies[own, reply],
        "opponent_passes": bool(found.opponent_passes[own, reply]),
    }


def test_games_that_end_on_the_way(player: Lookahead) -> None:
    """X is off with any double or 6-5; O with any roll, if X is not."""
    last = Decision(position=bgfast.Position.from_array([0, 3, *[0] * 22, -1, 0]))
    found = bgfast.roll_map(last, player, replies=True)
    assert found.replies is not None
    assert found.reply_plays is not None
    assert found.opponent_passes is not None
    doubles = [high == low for high, low in ROLLS]
    assert found.reply_plays[0] == (None,) * 21
    assert (found.replies == np.where(doubles, 1.0, -1.0)[:, None]).all()
    assert not found.opponent_passes.any()
    assert found.rows()[0]["reply_play"] is None


def test_no_market_where_no_double_is_possible(player: Lookahead) -> None:
    found = bgfast.roll_map(replace(VOLATILE, cube=2, cube_owner=-1), player, replies=True)
    assert found.opponent_passes is None
    assert found.market_losers is None
    assert found.market_lost is None
    assert found.rows()[0]["opponent_passes"] is None


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"dice": (3, 1)}, InvalidDiceError, "the roll is 3-1; expected a decision before the roll"),
        ({"offer": "double"}, InvalidDiceError, "X offers a double, which waits for an answer"),
        (
            {"position": bgfast.Position.from_array([0, 1, *[0] * 24])},
            InvalidPositionError,
            "the game is over; expected a position before the roll",
        ),
    ],
)
def test_what_is_refused(fields: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        bgfast.roll_map(replace(VOLATILE, **fields))  # type: ignore[arg-type]
