"""The decisions of a recorded match: what was decided, by whom, and what is left out."""

from __future__ import annotations

import bgfast
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll, recorded_decisions

CLOSED_OUT = bgfast.Position.from_array([0] * 19 + [-2] * 6 + [1])


def told(match: bgfast.Match) -> list[tuple[object, ...]]:
    """Return line, player and what was decided or rolled."""
    return [
        (each.move, each.player, each.kind, each.chosen)
        if isinstance(each, RecordedDecision)
        else (each.move, each.player, "roll", "{}{}".format(*each.roll))
        for each in recorded_decisions(match)
    ]


def begun(dice: list[tuple[int, int]]) -> bgfast.Match:
    match = bgfast.Match(5, dice=[*dice, (6, 5), (6, 5)])
    match.roll()
    return match


def test_each_action_is_the_decision_of_its_player() -> None:
    match = begun([(3, 1)])
    match.play("8/5 6/5")
    match.double()
    match.take()
    match.roll()
    match.play("24/13")
    match.roll()
    assert told(match) == [
        (1, 0, "roll", "31"),
        (1, 0, "play", "8/5 6/5"),
        (1, 1, "double", "double"),
        (2, 0, "take", "take"),
        (2, 1, "roll", "65"),
        (2, 1, "play", "24/13"),
        # Who took may redouble.
        (3, 0, "double", "no double"),
        (3, 0, "roll", "65"),
    ]


def test_who_may_not_double_does_not_decide_about_it() -> None:
    match = bgfast.Match(3, score=(2, 0), dice=[(3, 1), (6, 5)])  # the Crawford game
    match.roll()
    match.play("8/5 6/5")
    match.roll()
    assert [kind for _, _, kind, _ in told(match)] == ["roll", "play", "roll"]


def test_a_take_is_seen_by_the_doubler_and_a_pass_ends_the_game() -> None:
    match = begun([(3, 1)])
    match.play("8/5 6/5")
    match.double()
    match.drop()
    match.next_game()
    match.roll()
    *_, double, drop, roll = recorded_decisions(match)
    assert isinstance(double, RecordedDecision)
    assert isinstance(drop, RecordedDecision)
    assert isinstance(roll, RecordedRoll)
    assert (drop.kind, drop.chosen, drop.player) == ("take", "pass", 0)
    assert (drop.decision.turn, drop.decision.offer) == (-1, "double")
    assert drop.decision.position == double.decision.position
    assert (double.game, roll.game, roll.move, roll.opening) == (1, 2, 1, True)


def test_what_did_not_stand_is_left_out() -> None:
    match = begun([(3, 1)])
    match.play("8/3", unchecked=True)
    match.challenge()
    match.play("24/20", end_turn=False)
    match.play("8/5 6/5")
    match.roll()
    match.roll_again()
    match.play(match.plays()[0], end_turn=False)
    match.end_turn()
    decisions = [each for each in told(match) if each[2] != "double"]
    assert [(player, kind) for _, player, kind, _ in decisions] == [
        (0, "roll"),
        (0, "play"),
        (1, "roll"),
        (1, "play"),
    ]
    assert decisions[1][3] == "8/5 6/5"


def test_a_play_that_the_record_calls_illegal_is_none_that_is_judged() -> None:
    match = begun([(3, 1)])
    match.play("8/3", unchecked=True)
    match.roll()
    assert told(match)[1:] == [(1, 1, "double", "no double"), (1, 1, "roll", "65")]


def test_a_pass_decides_nothing_and_fills_its_line() -> None:
    match = bgfast.Match.from_decision(bgfast.Decision(position=CLOSED_OUT, dice=(6, 5)), dice=[(2, 1)])
    match.pass_turn()
    match.roll()
    assert told(match) == [(1, 1, "double", "no double"), (1, 1, "roll", "21")]


def test_resignations_are_decisions_of_both() -> None:
    match = begun([(3, 1)])
    match.resign(2)
    match.refuse_resignation()
    match.resign(3)
    match.accept_resignation()
    assert told(match)[1:] == [
        (1, 0, "resignation", "resign"),
        (1, 1, "resignation", "refuse"),
        (1, 0, "resignation", "resign"),
        (1, 1, "resignation", "accept"),
    ]
    levels = [each.level for each in recorded_decisions(match) if isinstance(each, RecordedDecision)]
    assert levels == [2, 2, 3, 3]
