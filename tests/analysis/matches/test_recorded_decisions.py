"""Decisions and rolls extracted from recorded matches; actions that are left out."""

from __future__ import annotations

import bgfast
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, extract_decisions, unknown_moves
from tests.support.site_records import CASES, HIDDEN_PLAY

CLOSED_OUT = bgfast.Position.from_array([0] * 19 + [-2] * 6 + [1])


def summaries(match: bgfast.Match) -> list[tuple[object, ...]]:
    """Return the move, player, kind and choice of every record; rolls have the kind "roll"."""
    return [
        (record.move, record.player, record.kind, record.chosen)
        if isinstance(record, RecordedDecision)
        else (record.move, record.player, "roll", "{}{}".format(*record.roll))
        for record in extract_decisions(match)
    ]


def new_match(dice: list[tuple[int, int]]) -> bgfast.Match:
    match = bgfast.Match(5, dice=[*dice, (6, 5), (6, 5)])
    match.roll()
    return match


def test_decisions_belong_to_the_acting_player() -> None:
    match = new_match([(3, 1)])
    match.play("8/5 6/5")
    match.double()
    match.take()
    match.roll()
    match.play("24/13")
    match.roll()
    assert summaries(match) == [
        (1, 0, "roll", "31"),
        (1, 0, "play", "8/5 6/5"),
        (1, 1, "double", "double"),
        (2, 0, "take", "take"),
        (2, 1, "roll", "65"),
        (2, 1, "play", "24/13"),
        # The taker may redouble.
        (3, 0, "double", "no double"),
        (3, 0, "roll", "65"),
    ]


def test_an_answer_has_the_position_of_its_double_and_a_drop_ends_the_game() -> None:
    match = new_match([(3, 1)])
    match.play("8/5 6/5")
    match.double()
    match.drop()
    match.next_game()
    match.roll()
    *_, double, drop, roll = extract_decisions(match)
    assert (drop.kind, drop.chosen, drop.player) == ("take", "drop", 0)
    assert (drop.decision.turn, drop.decision.offer) == (-1, "double")
    assert drop.decision.position == double.decision.position
    assert (double.game, roll.game, roll.move, roll.opening) == (1, 2, 1, True)


def test_a_double_with_a_dead_cube_and_its_answer_are_left_out() -> None:
    for answer in (bgfast.Match.take, bgfast.Match.drop):
        match = bgfast.Match(3, score=(2, 0), crawford_played=True, dice=[(3, 1), (6, 4)])
        match.roll()
        match.play("8/5 6/5")
        match.roll()
        match.play("24/14")
        match.double(unchecked=True)
        answer(match)
        assert [kind for _, _, kind, _ in summaries(match)] == ["roll", "play", "double", "roll", "play"]
        bgfast.matches.analyse_match(match, ply=0)


def test_undone_and_illegal_actions_and_passes_are_left_out() -> None:
    match = new_match([(3, 1)])
    match.play("8/3", unchecked=True)
    match.challenge()
    match.play("24/20", end_turn=False)
    match.play("8/5 6/5")
    match.roll()
    match.roll_again()
    match.play(match.plays()[0], end_turn=False)
    match.end_turn()
    plays_and_rolls = [summary for summary in summaries(match) if summary[2] != "double"]
    players = [(player, kind) for _, player, kind, _ in plays_and_rolls]
    assert players == [(0, "roll"), (0, "play"), (1, "roll"), (1, "play")]
    assert plays_and_rolls[1][3] == "8/5 6/5"
    match = new_match([(3, 1)])
    match.play("8/3", unchecked=True)
    match.roll()
    assert summaries(match)[1:] == [(1, 1, "double", "no double"), (1, 1, "roll", "65")]
    match = bgfast.Match.from_decision(bgfast.Decision(position=CLOSED_OUT, dice=(6, 5)), dice=[(2, 1)])
    match.pass_turn()
    match.roll()
    assert summaries(match) == [(1, 1, "double", "no double"), (1, 1, "roll", "21")]
    match = new_match([(3, 1)])
    match.play("?", unknown=True)  # adds no record
    match.roll()
    match.roll_again()
    assert summaries(match) == [(1, 0, "roll", "31")]


def test_resignations_and_their_answers_are_decisions() -> None:
    match = new_match([(3, 1)])
    match.resign(2)
    match.refuse_resignation()
    match.resign(3)
    match.accept_resignation()
    _, *records = extract_decisions(match)
    assert [(record.player, record.kind, record.chosen, record.level) for record in records] == [
        (0, "resignation", "resign", 2),
        (1, "resignation", "refuse", 2),
        (0, "resignation", "resign", 3),
        (1, "resignation", "accept", 3),
    ]


def test_moves_on_an_unknown_board_are_left_out() -> None:
    match = bgfast.records.read_match(HIDDEN_PLAY)
    prefix_match = bgfast.records.read_match(HIDDEN_PLAY.partition("  3)")[0])
    assert summaries(match) == [*summaries(prefix_match), (3, 0, "double", "no double"), (3, 0, "roll", "21")]
    resigned_match = bgfast.records.read_match(HIDDEN_PLAY.partition("Doubles")[0] + "\n      Resigns\n")
    resigned_match.resign()
    resigned_match.refuse_resignation()
    assert summaries(resigned_match) == summaries(match)


def test_decisions_resume_at_a_stated_board() -> None:
    match = bgfast.records.read_match(CASES["mat: a position after a hidden play"].text)
    assert summaries(match)[-4:] == [
        (3, 0, "roll", "21"),
        (4, 0, "double", "no double"),
        (4, 0, "roll", "21"),
        (4, 0, "play", "2/off 1/off"),
    ]


def test_unknown_moves_are_listed_by_game() -> None:
    for name, expected in (
        ("mat: a hidden play in the middle of a game", {1: ["board unknown from move 3"]}),
        ("mat: a position after a hidden play", {1: ["board unknown from move 3 to 3"]}),
        ("mat: a missing turn in the middle of a game", {1: ["board unknown from move 3"]}),
        ("mat: the board after an illegal play that no moves lead to", {}),
        ("mat: a game from a position", {}),
    ):
        spans = unknown_moves(bgfast.records.read_match(CASES[name].text))
        assert {game: list(map(str, game_spans)) for game, game_spans in spans.items()} == expected, name
