# ruff: noqa: E501, PT017
"""Refusals under every rule set: the sentence of each rule and switch."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from bgfast.errors import IllegalPlayError, NotationError
from bgfast.position.explain import refusal
from bgfast.position.play_text import read_play
from bgfast.position.turn import Turn
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet
from tests.position.test_play_text import START, board_of
from tests.support.hops import joined, plain, random_hops
from tests.support.legal_plays import arrays, forfeited, plays_of
from tests.support.positions import ORDERED_ROLLS, few_checkers
from tests.support.rule_cases import RULE_SETS
from tests.support.rule_sets import RULES

STRICT = RULE_SETS["strict"]
FORFEIT = RuleSet(forfeit="empty_point")
COMPULSORY = RuleSet(bearoff_compulsory=True)

REFUSALS = [
    # (points, roll, text, rules, reason)
    # ---- bearoff_die ----
    (
        {4: 1, 3: 1},
        (6, 1),
        "4/off 3/2",
        EXACT,
        "only the exact number bears a checker off, and no die or combination of 6-1 gives the 4 pips of 4/off",
    ),
    (
        {6: 1, 5: 2},
        (5, 1),
        "5/off(2)",
        EXACT,
        "each of the two numbers can be used only once, and this needs more",
    ),
    (
        {5: 2, 4: 1},
        (5, 4),
        "5/off(2)",
        EXACT,
        "each of the two numbers can be used only once, and this needs more",
    ),
    (
        {6: 1, 5: 1},
        (6, 5),
        "5/off 6/1 F6",
        EXACT,
        "each of the two numbers can be used only once, and this needs more",
    ),
    (
        {6: 1, 4: 1},
        (6, 4),
        "4/off 6/2",
        EXACT,
        "only the exact number bears a checker off, and 6-4 does not give it for 4/off 6/2",
    ),
    (
        {1: 2},
        (2, 1),
        "1/off(2)",
        EXACT,
        "only the exact number bears a checker off, and 2-1 does not give it for 1/off 1/off",
    ),
    ({1: 2}, (2, 2), "1/off(2)", EXACT, "no checker can move, so the turn passes"),
    (
        {6: 2, 3: 2, 1: 2},
        (3, 1),
        "3/off 1/off",
        REAR_FIRST,
        "only the rearmost checker may be borne off: not 1/off while one stands on 6",
    ),
    (
        {6: 2, 3: 1},
        (3, 3),
        "6/off 3/off",
        REAR_FIRST,
        "only the rearmost checker may be borne off: not 3/off while one stands on 6",
    ),
    (
        {6: 2, 3: 1},
        (3, 3),
        "6/off 6/3",
        REAR_FIRST,
        "all four 3s can be played, so 4 must be; this uses only 3",
    ),
    (
        {6: 2, 4: 2},
        (3, 3),
        "6/off 4/1",
        REAR_FIRST,
        "only the rearmost checker may be borne off: on its way 6/off steps below one on 6",
    ),
    ({6: 1, 2: 1, 4: -2}, (2, 2), "2/off", REAR_FIRST, "no checker can move, so the turn passes"),
    # The standard sentence stays with the standard die.
    (
        {6: 2, 4: 1},
        (5, 1),
        "4/off 6/5",
        FIVE_STACK,
        "a number above the point may not be used for 4/off while a checker stands higher, on 6",
    ),
    # ---- bearoff_compulsory ----
    (
        {6: 1, 5: 1},
        (6, 5),
        "6/1 5/off",
        FIVE_STACK,
        "the 5 can bear a checker off from 5, so it must: 6/1 may not be played with it",
    ),
    (
        {6: 2, 3: 1},
        (6, 3),
        "6/off 6/3",
        STRICT,
        "the 3 can bear a checker off from 3, so it must: 6/3 may not be played with it",
    ),
    (
        {4: 1},
        (4, 1),
        "4/3/off",
        COMPULSORY,
        None,  # "the other die may be played first"
    ),
    (
        {4: 2, 2: 2},
        (6, 2),
        "4/off 4/2",
        COMPULSORY,
        "the 2 can bear a checker off from 2, so it must: 4/2 may not be played with it",
    ),
    # ---- stack_max ----
    (
        {13: 1, 8: 5, 6: 2},
        (5, 1),
        "13/8 6/5",
        FIVE_STACK,
        "a point may not hold more than 5 checkers of one side, and the landing point 8 is full",
    ),
    (
        {13: 1, 12: -2, 8: 6, 6: 2},
        (5, 1),
        "13/7",
        FIVE_STACK,
        "a point may not hold more than 5 checkers of one side, and the checker would have to touch down on 8, full already",
    ),
    ({13: 1, 8: 5, 6: 2}, (5, 1), "13/8 8/7", FIVE_STACK, None),  # 8/7 first
    (
        {24: 5, 25: 1, 6: 2},
        (2, 1),
        "bar/24 6/4",
        FIVE_STACK,
        "a point may not hold more than 5 checkers of one side, and the entry point 24 is full",
    ),
    ({24: 5, 25: 1, 23: -2, 6: 2}, (2, 1), "bar/22", FIVE_STACK, "no checker can move, so the turn passes"),
    (
        {13: 2, 8: 4},
        (5, 5),
        "13/8(2) 8/3",
        FIVE_STACK,
        "all four 5s can be played, so 4 must be; this uses only 3",
    ),
    (
        {13: 1, 7: 1, 6: 1, 3: 2},
        (4, 3),
        "13/6",
        RuleSet(stack_max=1),
        "a point may not hold more than 1 checker of one side, and the landing point 6 is full",
    ),
    (
        {13: 1, 10: 2, 9: 2, 4: 1},
        (4, 3),
        "13/6",
        RuleSet(stack_max=1),
        "a point may not hold more than 1 checker of one side, and the checker would have to touch down on 10 or 9, full already",
    ),
    (
        {6: 2, 1: 5},
        (5, 4),
        "6/1 6/2",
        FIVE_STACK,
        "a point may not hold more than 5 checkers of one side, and the landing point 1 is full",
    ),
    ({6: 2, 1: 5}, (5, 4), "6/1 6/2", STANDARD, None),
    # ---- forfeit ----
    ({6: 2, 1: 5}, (5, 4), "6/2 F5", STANDARD, "a number cannot be forfeited under these rules"),
    ({6: 2, 1: 5}, (5, 4), "6/2 F3", EXACT, "5-4 has no 3 to forfeit"),
    ({6: 2, 1: 5}, (5, 4), "F5 F5", EXACT, "the 5 can be forfeited only once"),
    ({6: 2, 1: 5}, (5, 4), "6/2/1 F5", EXACT, "no die or combination of 5-4 gives the 1 pip of 2/1"),
    (
        {6: 2, 1: 5},
        (5, 4),
        "6/2 6/1 F5",
        EXACT,
        "each of the two numbers can be used only once, and this needs more",
    ),
    ({6: 2, 4: 1}, (5, 4), "6/1 F4", EXACT, "the 4 may not be forfeited while a checker stands on 4"),
    (
        {8: 1, 6: 2},
        (5, 2),
        "6/4 F5",
        EXACT,
        "a number may be forfeited only with all checkers home, and one stands on 8",
    ),
    (
        {8: 1, 6: 2},
        (5, 2),
        "F5 F2",
        EXACT,
        "a number may be forfeited only with all checkers home, and one stands on 8",
    ),
    (
        {25: 1, 6: 2},
        (5, 2),
        "F5 F2",
        EXACT,
        "a number may be forfeited only with all checkers home, and one stands on the bar",
    ),
    ({8: 1, 6: 2}, (5, 2), "8/6 F5", EXACT, None),  # "the right can begin in mid-turn"
    ({4: 1}, (4, 1), "F4 4/3", EXACT, None),
    ({1: 2}, (1, 1), "1/off(2) F1", EXACT, "the 1 may not be forfeited once the last checker is off"),
    ({4: 1}, (6, 5), "F6 F5", EXACT, "no checker can move, so the turn passes"),
    ({4: 2, 2: 2}, (6, 2), "4/2 F6", EXACT, None),
    (
        {4: 2, 2: 2},
        (6, 2),
        "2/off F2",
        EXACT,
        "only the exact number bears a checker off, and 6-2 does not give it for 2/off F2",
    ),
    # Off by the 6 with the 3 forfeited, or by both: not by both with one of them forfeited.
    ({6: 1}, (6, 3), "6/off F3", EXACT, None),
    (
        {6: 1},
        (6, 3),
        "6/3/off F3",
        EXACT,
        "each of the two numbers can be used only once, and this needs more",
    ),
    (
        {5: 1, 4: -1, 1: 1},
        (6, 1),
        "5/off F1",
        FORFEIT,
        "the 1 may not be forfeited while a checker stands on 1",
    ),
    # ---- which dice have to be used ----
    ({6: 1, 5: 1}, (6, 5), "6/1", EXACT, "this leaves the 6 unplayable, while 6/off 5/off uses both numbers"),
    ({6: 2, 1: 2}, (3, 2), "F3", EXACT, "both numbers can be played, so both must be; this uses only one"),
    ({6: 2, 1: 2}, (3, 2), "6/3", EXACT, "both numbers can be played, so both must be; this uses only one"),
    ({6: 2, 4: 1}, (5, 5), "6/1", EXACT, "2 of the four 5s can be played, so 2 must be; this uses only 1"),
    ({6: 2, 4: 1}, (5, 5), "6/1 F5(2)", EXACT, "a 5 is left that can still be played, as with 6/1"),
    ({6: 1, 3: 1}, (4, 4), "F4(3)", EXACT, "a 4 is left that can still be played, as with 6/2"),
    ({4: 2, 2: 2}, (6, 2), "F6", EXACT, "a 2 is left that can still be played, as with 4/2"),
    ({4: 2, 2: 2}, (6, 2), "F6", FORFEIT, "both numbers can be played, so both must be; this uses only one"),
    (
        {24: 1, 14: -2},
        (6, 4),
        "24/20",
        EXACT,
        "either number can be played but not both, so it must be the higher, the 6",
    ),
]


STANDARD_REFUSALS = [
    # (points, roll, text, reason)
    ({24: 1, 18: -2, 20: -2}, (6, 4), "24/18", "no checker can move, so the turn passes"),
    (START, (3, 1), "9/8 6/5", "no checker of the mover stands on 9"),
    (START, (6, 5), "12/6 13/8", "no checker of the mover stands on 12"),
    (START, (3, 1), "bar/22 6/5", "no checker of the mover stands on the bar"),
    (START, (6, 6), "24/18(3)", "3 checkers cannot leave 24, where this play has only 2"),
    ({25: 1, 6: 2}, (3, 1), "6/3 6/5", "a checker is on the bar and must enter first"),
    ({25: 2, 6: 2}, (3, 1), "bar/22 6/5", "2 checkers are on the bar and must enter first"),
    ({25: 2, 6: 2}, (3, 1), "bar/21", "2 checkers are on the bar and must enter first"),
    ({25: 1, 6: 2, 22: -2}, (3, 1), "bar/22 6/5", "the entry point 22 is held by 2 opposing checkers"),
    ({25: 1, 6: 2, 21: -3}, (3, 1), "bar/21", "the landing point 21 is held by 3 opposing checkers"),
    (START, (5, 2), "6/1 13/11", "the landing point 1 is held by 2 opposing checkers"),
    (START, (6, 4), "13/6", "no die or combination of 6-4 gives the 7 pips of 13/6"),
    (START, (2, 2), "13/10", "no die or combination of 2-2 gives the 3 pips of 13/10"),
    ({6: 2}, (2, 1), "6/off", "no die or combination of 2-1 is enough for 6/off"),
    (START, (3, 1), "13/10 8/5", "each of the two numbers can be used only once, and this needs more"),
    (START, (6, 4), "24/20 20/16", "each of the two numbers can be used only once, and this needs more"),
    (START, (3, 1), "13/9 8/5", "each of the two numbers can be used only once, and this needs more"),
    (START, (3, 1), "13/10 8/7 6/5", "each of the two numbers can be used only once, and this needs more"),
    (START, (1, 1), "8/6 6/3", "a double gives four moves of 1 pip, and this needs more"),
    (START, (2, 2), "13/7(2)", "a double gives four moves of 2 pips, and this needs more"),
    ({24: 1, 10: 1, 15: -3}, (5, 4), "24/15", "the landing point 15 is held by 3 opposing checkers"),
    # 24/15 is legal over 19, but not as it was written
    ({24: 1, 20: -2}, (5, 4), "24/20/15", "the landing point 20 is held by 2 opposing checkers"),
    (
        {24: 1, 13: 1, 20: -2, 19: -3},
        (5, 4),
        "24/15",
        "the checker would have to touch down on 20 (held by 2) or 19 (held by 3), points of the opponent",
    ),
    (
        {24: 1, 13: 1, 16: -2},
        (4, 4),
        "24/12",
        "the checker would have to touch down on 16 (held by 2), a point of the opponent",
    ),
    ({13: 1, 6: 2}, (6, 1), "6/off 6/5", "no checker may be borne off while one stands outside home, on 13"),
    (
        {25: 1, 6: 2},
        (6, 1),
        "bar/24 6/off",
        "no checker may be borne off while one stands outside home, on 24",
    ),
    ({25: 1, 6: 2, 24: -2}, (6, 1), "6/off", "a checker is on the bar and must enter first"),
    (
        {6: 2, 4: 1},
        (5, 1),
        "4/off 6/5",
        "a number above the point may not be used for 4/off while a checker stands higher, on 6",
    ),
    (
        {6: 1, 5: 1, 3: 1},
        (6, 3),
        "5/off 3/off",
        "a number above the point may not be used for 5/off while a checker stands higher, on 6",
    ),
    (
        {6: 1, 5: 1, 3: 1},
        (6, 3),
        "3/off 5/off",
        "a number above the point may not be used for 5/off while a checker stands higher, on 6",
    ),
    ({6: 2, 5: 1}, (6, 1), "6/off", "both numbers can be played, so both must be; this uses only one"),
    # the two checkers on 6 cannot use the 6 as long as 14 is outside home
    ({14: 1, 6: 2, 8: -2}, (6, 1), "6/5", "this leaves the 6 unplayable, while 14/13 13/7 uses both numbers"),
    (START, (6, 4), "13/7", "both numbers can be played, so both must be; this uses only one"),
    (START, (6, 4), "24/20", "both numbers can be played, so both must be; this uses only one"),
    (
        {24: 1, 9: 1, 15: -2, 6: -2},
        (6, 3),
        "24/18",
        "this leaves the 3 unplayable, while 24/21 9/3 uses both numbers",
    ),
    (
        {13: 1, 7: 1, 8: -2, 3: -1, 2: -2, 1: -2},
        (5, 4),
        "7/3*",
        "this leaves the 5 unplayable, while 13/9 9/4 uses both numbers",
    ),
    (
        {24: 1, 14: -2},
        (6, 4),
        "24/20",
        "either number can be played but not both, so it must be the higher, the 6",
    ),
    (START, (5, 5), "13/8(3)", "all four 5s can be played, so 4 must be; this uses only 3"),
    (
        {20: 1, 14: 1, 5: -2, 4: -2},
        (5, 5),
        "20/10",
        "3 of the four 5s can be played, so 3 must be; this uses only 2",
    ),
]


@pytest.mark.parametrize(
    ("points", "roll", "text", "rules", "reason"),
    [
        *REFUSALS,
        *((points, roll, text, STANDARD, reason) for points, roll, text, reason in STANDARD_REFUSALS),
    ],
)
def test_refusal_names_the_rule_and_the_switch(points, roll, text, rules, reason) -> None:
    board = board_of(points)
    boards, moves = arrays(plays_of(board, roll, rules, random.Random(text)))
    if reason is None:
        read_play(text, board, roll, boards, moves, rules)
        return
    with pytest.raises(IllegalPlayError) as error:
        read_play(text, board, roll, boards, moves, rules)
    head, _, tail = str(error.value).partition(": ")
    assert tail == reason
    assert re.fullmatch(rf"illegal play '[^']+' for {max(roll)}-{min(roll)}", head)


def test_suggested_plays_have_few_forfeits() -> None:
    board = tuple({6: 1, 5: 1}.get(point, 0) for point in range(26))
    plain_play, forfeiting = [(6, 0), (5, 0)], [(6, 1), (6, 6)]
    for moves in ([plain_play, forfeiting], [forfeiting, plain_play]):
        assert refusal(Turn(board, (6, 5), EXACT), [], [], moves).endswith(" 6/off 5/off can be played")
    assert refusal(Turn(board, (6, 5), EXACT), [], [], [forfeiting]).endswith(" 6/1 F6 can be played")


def random_claim(rng: random.Random, board, roll) -> tuple[list[tuple[int, int]], list[int]]:
    """Return hops that are often nearly right, some of them replaced by forfeits."""
    hops, forfeits = [], []
    for hop in random_hops(rng, board, roll):
        if rng.random() < 0.25:
            forfeits.append(rng.choice(roll) if rng.random() < 0.95 else rng.randint(1, 6))
        else:
            hops.append(hop)
    return hops, forfeits


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_random_claims_are_read_exactly_if_legal_and_otherwise_refused_with_a_rule(rules: RuleSet) -> None:
    rng = random.Random(repr(rules))
    reasons = set()
    read = 0
    for _ in range(150):
        board, roll = few_checkers(rng), rng.choice(ORDERED_ROLLS)
        plays = plays_of(board, roll, rules, rng)
        boards, moves = arrays(plays)
        expected_rows: dict[tuple, set[int]] = {}
        for row, lists in enumerate(plays.values()):
            for steps in lists:
                for hops in joined([step for step in steps if step[0] != step[1]]):
                    expected_rows.setdefault((hops, forfeited(steps)), set()).add(row)
        for _ in range(8):
            hops, forfeits = random_claim(rng, board, roll)
            rows = expected_rows.get((tuple(sorted(hops)), tuple(sorted(forfeits, reverse=True))), set())
            text = " ".join([plain(hops), *(f"F{die}" for die in forfeits)]).strip()
            try:
                row = read_play(text, board, roll, boards, moves, rules)
            except IllegalPlayError as error:
                assert not rows, (board, roll, text, str(error))
                reason = str(error).partition(": ")[2]
                assert reason
                assert "it is not one of" not in reason, (board, roll, text)
                assert len(str(error)) < 200
                reasons.add(re.sub(r"\d+|bar", "N", reason)[:30])
            except NotationError:
                assert len(rows) == 2
            else:
                read += 1
                assert not rows or row in rows
                # Otherwise a checker is borne off by one of two dice that must both be used.
                own = np.maximum(board, 0)
                for start, end in hops:
                    own[start] -= 1
                    own[end] += end > 0
                assert (np.maximum(boards[row], 0)[1:] == own[1:]).all()
    assert read > 20
    assert len(reasons) > 15
