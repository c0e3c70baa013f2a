"""Roll maps: best plays, replies and market losers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, ROLLS, Decision
from bgfast.cube import roll_map
from bgfast.evaluators import Lookahead

# Both players bear off; the mover leads slightly.
DECISION = Decision(
    position=bgfast.Position.from_array([0, 2, 2, 3, 3, 3, 2, *[0] * 12, -2, -3, -3, -3, -2, -2, 0])
)
WEIGHTS = np.array(ROLL_WEIGHTS) / 36


@pytest.fixture(scope="module")
def player() -> Lookahead:
    return Lookahead(bgfast.Network.builtin(), ply=0)


def test_rolls_have_their_best_plays(player: Lookahead) -> None:
    decision = replace(DECISION, match_length=5, score=(1, 2), turn=-1)
    result = roll_map(decision, player)
    for roll, best, equity in zip(ROLLS, result.plays, result.equities, strict=True):
        assert best == player.best_plays(replace(decision, dice=roll))[0]
        assert equity == best.equity
    evaluation = Lookahead(bgfast.Network.builtin(), ply=1).evaluation(decision)
    # The search chooses plays with quantized weights.
    assert result.mean == pytest.approx(evaluation.equity, abs=2e-3)
    rows = result.rows()
    assert [row["roll"] for row in rows[:3]] == ["1-1", "2-1", "2-2"]
    assert rows[5]["difference"] == pytest.approx(result.equities[5] - result.mean)
    assert result.market_losers is result.replies is None


def test_replies_and_market_losers_agree_with_cube_decisions(player: Lookahead) -> None:
    result = roll_map(DECISION, player, replies=True)
    roll, reply = ROLLS.index((6, 5)), ROLLS.index((3, 3))
    reply_decision = replace(DECISION, position=result.plays[roll].play.position, turn=-1, dice=(3, 3))
    answer = player.best_plays(reply_decision)[0].play
    assert result.reply_plays[roll][reply] == answer
    decision = bgfast.cube_decision(replace(DECISION, position=answer.position), player)
    assert result.replies[roll, reply] == decision.equities.no_double
    drops = [
        bgfast.cube_decision(replace(DECISION, position=play.position), player).equities.answers == "drop"
        for play in result.reply_plays[roll]
        if play
    ]
    assert result.opponent_drops[roll].tolist() == drops
    assert result.market_losers[roll] == pytest.approx(result.opponent_drops[roll] @ WEIGHTS)
    assert result.market_lost == pytest.approx(WEIGHTS @ result.opponent_drops @ WEIGHTS)
    assert 0 < result.market_lost < 1
    rows = result.rows()
    assert len(rows) == 441
    names = "roll play equity reply reply_play equity_after_reply opponent_drops".split()
    roll_values = "6-5", str(result.plays[roll].play), result.equities[roll]
    reply_values = "3-3", str(answer), result.replies[roll, reply], bool(result.opponent_drops[roll, reply])
    assert rows[21 * roll + reply] == dict(zip(names, roll_values + reply_values, strict=True))


def test_games_that_end_before_the_reply_have_no_reply_plays(player: Lookahead) -> None:
    """X bears off with any double; otherwise O bears off with any roll."""
    decision = Decision(position=bgfast.Position.from_array([0, 3, *[0] * 22, -1, 0]))
    result = roll_map(decision, player, replies=True)
    doubles = [high == low for high, low in ROLLS]
    assert result.reply_plays[0] == (None,) * 21
    assert (result.replies == np.where(doubles, 1.0, -1.0)[:, None]).all()
    assert not result.opponent_drops.any()
    assert result.rows()[0]["reply_play"] is None


def test_market_losers_need_a_legal_double(player: Lookahead) -> None:
    result = roll_map(replace(DECISION, cube=2, cube_owner=-1), player, replies=True)
    assert result.opponent_drops is result.market_losers is result.market_lost is None
    assert result.rows()[0]["opponent_drops"] is None


def test_maps_are_equal_if_all_fields_are(player: Lookahead) -> None:
    result = roll_map(DECISION, player, replies=True)
    assert result == roll_map(DECISION, player, replies=True)
    for name in ("equities", "replies", "opponent_drops"):
        array = getattr(result, name).copy()
        array.flat[3] = array.flat[3] == 0
        assert result != replace(result, **{name: array})
        assert name == "equities" or result != replace(result, **{name: None})
    assert result != replace(result, reply_plays=None)
    assert result != replace(result, plays=result.plays[::-1])
    assert result != DECISION
