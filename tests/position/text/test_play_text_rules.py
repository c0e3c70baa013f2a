# ruff: noqa: PT017
"""Play texts and refusals under every rule set, against the sequences of the reference."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast.errors import IllegalPlayError, NotationError
from bgfast.position.text.play_text import play_text, read_play
from bgfast.rules import EXACT, RuleSet
from tests.support.legal_plays import Plays, arrays, forfeited, forfeited_in, plays_of
from tests.support.positions import ORDERED_ROLLS, few_checkers
from tests.support.rule_cases import RuleCase, rule_cases, rule_lines
from tests.support.rule_sets import RULES

Board = tuple[int, ...]
Case = tuple[Board, tuple[int, int], RuleSet, Plays]
FORFEIT = RuleSet(forfeit="empty_point")


def cases(rules: RuleSet, count: int) -> Iterator[Case]:
    rng = random.Random(repr(rules))
    for _ in range(count):
        board, roll = few_checkers(rng), rng.choice(ORDERED_ROLLS)
        yield board, roll, rules, plays_of(board, roll, rules, rng)


def disguised(rng: random.Random, text: str) -> str:
    """Return a variant of a text: order, case, separate forfeits."""
    parts = []
    for part in text.split():
        count = re.fullmatch(r"(F\d)\((\d)\)", part)
        parts += [count[1]] * int(count[2]) if count and rng.random() < 0.5 else [part]
    rng.shuffle(parts)
    return rng.choice([" ", ", "]).join(rng.choice([part, part.lower()]) for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_texts_depend_on_the_positions_differ_and_read_back(rules: RuleSet) -> None:
    rng = random.Random(5)
    shown = 0
    for board, roll, _, plays in cases(rules, 80):
        boards, moves = arrays(plays)
        texts = []
        for lists in plays.values():
            same = {play_text(board, roll[:: rng.choice([1, -1])], steps, rules) for steps in lists[:20]}
            same.add(play_text(board, roll, rng.sample(lists[-1], len(lists[-1])), rules))
            assert len(same) == 1, (board, roll, same)
            texts += same
        assert len(set(texts)) == len(texts)
        for row, text in enumerate(texts):
            for written in (text, disguised(rng, text)):
                assert read_play(written, board, roll, boards, moves, rules) == row, (board, roll, written)
            shown += "F" in text
    assert (shown > 20) == (rules.forfeit != "never")


@pytest.mark.parametrize("rules", [rules for rules in RULES.values() if rules.forfeit != "never"], ids=repr)
def test_a_text_forfeits_as_little_as_any_legal_play_and_reads_back_with_more(rules: RuleSet) -> None:
    more = 0
    for board, roll, _, plays in cases(rules, 80):
        boards, moves = arrays(plays)
        for row, lists in enumerate(plays.values()):
            choices = sorted({forfeited(steps) for steps in lists}, reverse=True)
            choices.sort(key=len)
            text = play_text(board, roll, lists[0], rules)
            assert forfeited_in(text) == choices[0]
            moved = [part for part in text.split() if part[0] != "F"]
            for dice in choices[1:]:
                with_more = " ".join([*moved, *(f"f{die}" for die in dice)])
                assert read_play(with_more, board, roll, boards, moves, rules) == row
                more += 1
    assert more > 0


def board_of(points: dict[int, int]) -> Board:
    return tuple(points.get(point, 0) for point in range(26))


def find(points: dict[int, int], roll: tuple[int, int], text: str, rules: RuleSet) -> str:
    """Return the canonical text of the play that a text is read as."""
    board = board_of({24: -2, **points})
    plays = plays_of(board, roll, rules, random.Random(text))
    boards, moves = arrays(plays)
    row = read_play(text, board, roll, boards, moves, rules)
    return play_text(board, roll, moves[row], rules)


@pytest.mark.parametrize(
    ("points", "roll", "text", "canonical", "rules"),
    [
        ({6: 2, 1: 5}, (5, 4), "6/2 F5", "6/2 F5", EXACT),
        ({6: 2, 1: 5}, (4, 5), "f5, 6-2", "6/2 F5", EXACT),
        ({6: 2, 1: 5}, (5, 4), "F4 F5", "F5 F4", EXACT),
        ({6: 2, 1: 5}, (5, 4), " f4,F5 ", "F5 F4", EXACT),
        # The 4 that brings 6/2 is all that can be played: nothing else has to be forfeited, but may be.
        ({6: 1, 3: 1}, (4, 4), "6/2", "6/2", EXACT),
        ({6: 1, 3: 1}, (4, 4), "6/2 F4", "6/2", EXACT),
        ({6: 1, 3: 1}, (4, 4), "F4(2) 6/2 F4", "6/2", EXACT),
        ({6: 1, 3: 1}, (4, 4), "F4 F4 F4 F4", "F4(4)", EXACT),
        ({6: 1, 3: 1}, (4, 4), "F4 (4)", "F4(4)", EXACT),
        # As the examples of the rules write it: one F5 for all.
        ({6: 1, 3: 1}, (4, 4), "F4", "F4(4)", EXACT),
        ({6: 2, 4: 1}, (5, 5), "6/1 F5", "6/1 F5(3)", EXACT),
        ({6: 2, 4: 1}, (5, 5), "6/1(2) F5(2)", "6/1(2)", EXACT),
        # Borne off by the 6 or by the 5: the other one is forfeited, and the higher number is written.
        ({4: 1, 2: 1}, (6, 5), "4/off F6", "4/off F6", FORFEIT),
        ({4: 1, 2: 1}, (6, 5), "4/off F5", "4/off F6", FORFEIT),
        # With the 6, or with 4 and 2: the second uses both numbers without a forfeit.
        ({6: 1, 1: 1}, (4, 2), "6/off", "6/off", FORFEIT),
        # If the 1 is forfeited, the checker does not stop on 4 and hits nothing.
        ({5: 1, 4: -1, 1: 1}, (6, 1), "5/off F1", None, FORFEIT),
        ({5: 1, 4: -1, 2: 1}, (6, 1), "5/off F1", "5/off F1", FORFEIT),
        ({5: 1, 4: -1, 2: 1}, (6, 1), "5/off", "5/4*/off", FORFEIT),
        ({5: 1, 4: -1, 2: 1}, (6, 1), "5/4/off", "5/4*/off", FORFEIT),
    ],
)
def test_reading_forfeits(points, roll, text, canonical, rules) -> None:
    if canonical is None:
        with pytest.raises(IllegalPlayError, match="the 1 may not be forfeited while a checker stands on 1"):
            find(points, roll, text, rules)
        return
    assert find(points, roll, text, rules) == canonical


def test_a_text_that_fits_several_plays_lists_them_under_other_rules_too() -> None:
    with pytest.raises(NotationError, match=r"write (24/20\*/15 or 24/19\*/15|24/19\*/15 or 24/20\*/15)$"):
        find({24: 1, 20: -1, 19: -1, 1: -2}, (5, 4), "24/15", EXACT)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("F", "found 'F', expected a point"),
        ("F7", "found 'F7', expected a point"),
        ("F0", "found 'F0', expected a point"),
        ("F55", "found 'F55', expected a point"),
        ("F٣", "found 'F٣', expected a point"),
        ("F5/1", "part 2 of the play: found '/', expected a point"),
        ("F5*", "found '\\*', expected a point"),
        ("6/F5", "found 'F5', expected a point"),
        ("F5(", "expected a count of 1 to 4"),
        ("F5(2", "expected '\\)' after the count"),
        ("F5(5)", "expected a count of 1 to 4"),
        ("F5 " * 5, "part 5 of the play: with it the play has more than four moves"),
        ("6/5/4 F5(3)", "part 2 of the play: with it the play has more than four moves"),
        ("F5(3) 6/5/4", "part 2 of the play: with it the play has more than four moves"),
    ],
)
def test_unreadable_forfeits(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        find({6: 2, 1: 5}, (5, 4), text, EXACT)


PARTS = st.sampled_from("F5 f4 F5(2) F6 6/2 6/1 6/2/1 6-1(2) 2/off 1/0 , 6/2* (3) F".split())


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, max_size=4).map(" ".join), st.sampled_from([(5, 4), (4, 4), (5, 5)]))
def test_any_parts_are_a_play_that_reads_back_or_one_of_two_errors(text: str, roll: tuple[int, int]) -> None:
    points = {6: 2, 1: 5}
    try:
        canonical = find(points, roll, text, EXACT)
    except (NotationError, IllegalPlayError) as error:
        assert 10 < len(str(error)) < 200
    else:
        assert find(points, roll, canonical, EXACT) == canonical


EXAMPLES = [
    (case, play.strip())
    for case in rule_cases()
    for line in rule_lines()
    if line.startswith(f"{case.id} |")
    for part in line.split(" | ")[2:]
    if part.partition(":")[0] == "ALL" or case.rule_set in part.partition(":")[0].split()
    for play in re.split(r" ; | \+", part.partition(":")[2].partition(" -")[0])
    if case.count and not play.strip().startswith("n=")
]


@pytest.mark.parametrize(("case", "text"), EXAMPLES, ids=lambda value: str(value).replace(" ", "_"))
def test_the_examples_of_the_rules_can_be_read(case: RuleCase, text: str) -> None:
    plays = plays_of(case.board, case.dice, case.rules, random.Random(text))
    boards, moves = arrays(plays)
    row = read_play(text, case.board, case.dice, boards, moves, case.rules)
    assert tuple(boards[row].tolist()) in case.legal
