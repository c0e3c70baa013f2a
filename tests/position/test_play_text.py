# ruff: noqa: PT017
"""Canonical play texts and tolerant reading of other spellings, compared with the reference."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast.errors import IllegalPlayError, NotationError
from bgfast.position.play_text import play_text, read_play
from bgfast.rules import EXACT, STANDARD, RuleSet
from tests.support.legal_plays import Plays, arrays, forfeited_dice, hops_text, join, parse_forfeits, plays_of
from tests.support.positions import ORDERED_ROLLS, few_checkers
from tests.support.rule_cases import RULES, RuleCase, rule_cases, rule_lines

Board = tuple[int, ...]
Case = tuple[Board, tuple[int, int], RuleSet, Plays]
BOARD_KINDS = ("contact", "blots", "bar", "bearoff")
FORFEIT = RuleSet(forfeit="empty_point")
START = {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}


def board_of(points: dict[int, int]) -> Board:
    """Return the board of these points, by default with two opposing checkers on the bar."""
    return tuple(points.get(point, -2 * (point == 0)) for point in range(26))


def random_board(rng, kind):
    board = [0] * 26
    if kind == "bearoff":
        points = rng.choices(range(1, 7), k=rng.randint(1, 9))
        points += rng.choices(range(1, 10), k=rng.randint(0, 1))
        spots, blot_count = [24, 23, 5, 4, 3, 2, 1, 0], rng.randint(0, 3)
    else:
        points = rng.choices(range(1, 25), k=rng.randint(1, 5) if kind == "blots" else rng.randint(8, 15))
        spots, blot_count = list(range(25)), rng.randint(2, 12)
    if kind == "bar" or (kind == "blots" and rng.random() < 0.2):
        points += [25] * rng.randint(1, 3)
    for point in points:
        board[point] += 1
    free_points = [point for point in spots if not board[point]]
    rng.shuffle(free_points)
    for index, point in enumerate(free_points[:12]):
        board[point] = -1 if index < blot_count else -rng.choice([0, 0, 2, 3])
    return tuple(board)


def cases(name: str, count: int) -> Iterator[Case]:
    """Yield random cases: positions of a kind under `standard`, or few checkers under a named rule set."""
    rng = random.Random(name)
    rules = RULES.get(name, STANDARD)
    for _ in range(count):
        board = few_checkers(rng) if name in RULES else random_board(rng, name)
        roll = rng.choice(ORDERED_ROLLS)
        yield board, roll, rules, plays_of(board, roll, rules, rng)


def text_variant(rng: random.Random, text: str) -> str:
    """Return a variant of a canonical text: another order, spelling, case, separators and white space."""
    parts = []
    for part in text.split():
        forfeits = re.fullmatch(r"(F\d)\((\d)\)", part)
        parts += [forfeits[1]] * int(forfeits[2]) if forfeits and rng.random() < 0.5 else [part]
    rng.shuffle(parts)
    parts = [part.replace("(", rng.choice(["(", " (", " ( "])) for part in parts]
    parts = [part.lower() if rng.random() < 0.5 and part[0] == "F" else part for part in parts]
    variant = rng.choice([" ", ", ", "; ", "  ", ",", " , ", "\t"]).join(parts)
    variant = variant.replace("/", rng.choice(["/", "-", "–", " / ", " - "]))
    variant = variant.replace("bar", rng.choice(["bar", "BAR", "Bar", "25"]))
    variant = variant.replace("off", rng.choice(["off", "OFF", "Off", "0"]))
    return rng.choice(["", " ", "\n"]) + variant + rng.choice(["", " ", ",", ";\n"])


def assert_hits_are_marked(board: Board, end_board: Board, text: str) -> None:
    """Assert that a text marks each hit once, and shows no other intermediate point."""
    hit_points = [point for point in range(1, 25) if board[point] == -1 and end_board[point] >= 0]
    assert sorted(map(int, re.findall(r"(\d+)\*", text))) == hit_points
    for part in text.split():
        assert re.fullmatch(r"(bar|\d+)(/\d+\*)*(/\d+\*?|/off)?(\([234]\))?|F\d(\([234]\))?", part)
        assert all(stop.endswith("*") for stop in part.split("(")[0].split("/")[1:-1])


@pytest.mark.parametrize("name", [*BOARD_KINDS, *RULES])
def test_texts_are_unique_for_a_position_and_read_back(name: str) -> None:
    """A text has the fewest forfeits that lead to its position; texts with more forfeits are also read."""
    rng = random.Random(5)
    forfeit_count = variant_count = 0
    for board, roll, rules, plays in cases(name, 8 if name == "contact" else 30):
        boards, moves = arrays(plays)
        texts = []
        for end_board, lists in plays.items():
            spellings = {play_text(board, roll[:: rng.choice([1, -1])], steps, rules) for steps in lists[:5]}
            spellings.add(play_text(board, roll, rng.sample(lists[-1], len(lists[-1])), rules))
            assert len(spellings) == 1, (board, roll, spellings)
            texts += spellings
            assert_hits_are_marked(board, end_board, texts[-1])
        assert len(set(texts)) == len(texts)
        for row, (text, lists) in enumerate(zip(texts, plays.values(), strict=True)):
            choices = sorted({forfeited_dice(steps) for steps in lists}, reverse=True)
            choices.sort(key=len)
            assert parse_forfeits(text) == choices[0]
            move_parts = [part for part in text.split() if part[0] != "F"]
            longer_texts = [" ".join([*move_parts, *(f"f{die}" for die in dice)]) for dice in choices[1:]]
            # GNU Backgammon writes plays step by step.
            step_texts = [hops_text(moves) for moves in lists[:3]] if rules.forfeit == "never" else []
            for variant in (text, text_variant(rng, text), *step_texts, *longer_texts):
                assert read_play(variant, board, roll, boards, moves, rules) == row, (board, roll, variant)
            forfeit_count += "F" in text
            variant_count += len(longer_texts)
    assert (forfeit_count > 3) == (variant_count > 0) == (rules.forfeit != "never")


CANONICAL_TEXTS = [
    # (points, steps, text)
    (START, [(6, 5), (8, 5)], "8/5 6/5"),
    (START, [(24, 18), (18, 16)], "24/16"),
    (START, [(13, 8), (13, 8)], "13/8(2)"),
    (START, [(24, 23), (13, 11)], "24/23 13/11"),
    ({24: 1, 20: -1, 15: -1}, [(20, 15), (24, 20)], "24/20*/15*"),
    ({24: 1, 20: -1}, [(24, 20), (20, 15)], "24/20*/15"),
    ({24: 1, 15: -1}, [(24, 20), (20, 15)], "24/15*"),
    ({10: 1, 6: -1}, [(10, 6), (6, 4)], "10/6*/4"),
    ({8: 2, 6: 2, 5: -1}, [(6, 5), (8, 5)], "8/5* 6/5"),
    ({8: 2, 5: -1}, [(8, 5), (8, 5)], "8/5*(2)"),
    ({8: 2, 6: -1}, [(8, 6), (8, 6), (6, 4), (6, 4)], "8/6*/4(2)"),
    ({8: 2, 6: -1, 4: -1}, [(8, 6), (8, 6), (6, 4), (6, 4)], "8/6*/4*(2)"),
    # Several checkers touch the hit point; only the first chain in the text is marked.
    ({8: 2, 6: -1}, [(8, 6), (8, 6), (6, 4)], "8/6* 8/4"),
    ({11: 1, 8: 1, 5: -1}, [(11, 8), (8, 5), (8, 5)], "11/5* 8/5"),
    ({11: 1, 8: 1, 5: -1}, [(11, 8), (8, 5), (8, 5), (5, 2)], "11/5*/2 8/5"),
    ({12: 1, 10: 1, 8: -1}, [(12, 10), (10, 8), (10, 8), (8, 6)], "12/8*/6 10/8"),
    ({25: 1}, [(25, 22)], "bar/22"),
    ({25: 2, 22: -1}, [(25, 22), (25, 22), (22, 19), (6, 3)], "bar/22* bar/19 6/3"),
    ({25: 1, 22: -1}, [(25, 22), (22, 17)], "bar/22*/17"),
    ({6: 1}, [(6, 0)], "6/off"),
    ({6: 2, 4: 1}, [(6, 0), (6, 2), (4, 0)], "6/2 6/off 4/off"),
    ({3: 2}, [(3, 0), (3, 0)], "3/off(2)"),
    ({6: 1, 0: -1}, [(6, 0)], "6/off"),  # index 0 is the opponent's bar; bearing off hits nothing
    ({6: 1, 2: -1}, [(6, 2), (2, 0)], "6/2*/off"),
    ({6: 2}, [(6, 4), (6, 3)], "6/4 6/3"),
    ({6: 2}, [], ""),
]


def test_canonical_texts() -> None:
    for points, steps, text in CANONICAL_TEXTS:
        # The roll has no effect, as no die can be forfeited.
        assert play_text(board_of(points), (6, 5), steps) == text


# ---- reading ----


def test_joined_steps_are_read_or_ambiguous() -> None:
    for board, roll, _, plays in chain.from_iterable(cases(kind, 20) for kind in BOARD_KINDS):
        boards, moves = arrays(plays)
        expected_rows = defaultdict(set)  # hops -> rows
        for row, lists in enumerate(plays.values()):
            for steps in lists[:6]:
                for hops in join(list(steps)):
                    expected_rows[hops].add(row)
        texts = [play_text(board, roll, steps) for steps in moves.tolist()]
        for hops, rows in expected_rows.items():
            unmarked_rows = {row for row in rows if "*" not in texts[row]}
            if len(rows) == 1 or unmarked_rows:  # text without marks denotes the play without hits
                assert {read_play(hops_text(hops), board, roll, boards, moves)} == (unmarked_rows or rows)
            else:
                with pytest.raises(NotationError) as error:
                    read_play(hops_text(hops), board, roll, boards, moves)
                assert all(texts[row] in str(error.value) for row in rows)


def test_missing_and_superfluous_marks_change_nothing_or_are_refused() -> None:
    ambiguous_count = 0
    for board, roll, _, plays in chain.from_iterable(cases(kind, 40) for kind in BOARD_KINDS):
        boards, moves = arrays(plays)
        for row, text in enumerate([play_text(board, roll, steps) for steps in moves.tolist()]):
            marked_text = " ".join(re.sub(r"\*?(\(\d\))?$", r"*\1", part, count=1) for part in text.split())
            for variant in (text.replace("*", ""), marked_text):
                try:
                    assert read_play(variant, board, roll, boards, moves) == row
                except NotationError as error:
                    ambiguous_count += 1
                    is_same = (np.maximum(boards[:, 1:], 0) == np.maximum(boards[row, 1:], 0)).all(axis=1)
                    assert is_same.sum() == 2
                    assert text in str(error)
    assert ambiguous_count > 10


@cache
def play_arrays(board: Board, roll: tuple[int, int], rules: RuleSet) -> tuple[np.ndarray, np.ndarray]:
    return arrays(plays_of(board, roll, rules, random.Random(1)))


def reformat(points: dict[int, int], roll: tuple[int, int], text: str, rules: RuleSet = STANDARD) -> str:
    """Return the canonical text of the play that a text denotes."""
    board = board_of(points)
    boards, moves = play_arrays(board, roll, rules)
    return play_text(board, roll, moves[read_play(text, board, roll, boards, moves, rules)], rules)


TWO_BLOTS = {24: 1, 20: -1, 19: -1}
ONE_BLOT = {24: 1, 20: -1}


TEXTS = [
    # (points, roll, text, canonical text)
    (START, (3, 1), "8/5 6/5", "8/5 6/5"),
    (START, (1, 3), "6-5, 8-5", "8/5 6/5"),
    (START, (6, 2), "24/18 18/16", "24/16"),
    (START, (6, 2), "24/18/16", "24/16"),
    (START, (6, 2), "24/22/16", "24/16"),
    (START, (5, 5), "13/8 13/8 13/8 13/8", "13/8(4)"),
    (START, (5, 5), "13/8/3 (2)", "13/3(2)"),
    (START, (5, 5), "13/3(2)", "13/3(2)"),
    (START, (5, 5), "13/3 13/8 8/3", "13/3(2)"),
    (START, (5, 5), "13/8(2)8/3(2)", "13/3(2)"),
    (START, (5, 5), "08/03 13/8(3)", "13/8(2) 13/3"),
    ({25: 1, 6: 1}, (3, 2), "25/22 6/4", "bar/22 6/4"),
    ({25: 1, 6: 1}, (3, 2), "BAR/20", "bar/20"),
    ({4: 2, 3: 2}, (4, 4), "4/0 4/0 3/0 3/0", "4/off(2) 3/off(2)"),
    ({4: 1}, (4, 2), "4/off 0/0", "4/off"),
    ({4: 2, 3: 2}, (4, 4), "4/0(2) 0/0, 3/0 0/0;3/off", "4/off(2) 3/off(2)"),
    ({8: 2, 5: -1}, (3, 3), "8/5(2)* 5/2(2)", "8/5*/2(2)"),
    ({8: 2, 5: -1}, (3, 3), "8/5* 5*/2 8/2", "8/5*/2(2)"),
    ({13: 2}, (5, 1), "13/8* 13/12", "13/12 13/8"),
    # The two paths from 24 to 15 hit different points.
    (TWO_BLOTS, (5, 4), "24/20*/15", "24/20*/15"),
    (TWO_BLOTS, (5, 4), "24/19*/15", "24/19*/15"),
    (TWO_BLOTS, (5, 4), "24/20 20/15", "24/20*/15"),
    (TWO_BLOTS, (5, 4), "24/19/15", "24/19*/15"),
    # Only one path hits nothing; the short text denotes it.
    (ONE_BLOT, (5, 4), "24/15", "24/15"),
    (ONE_BLOT, (5, 4), "24/20/15", "24/20*/15"),
    (ONE_BLOT, (5, 4), "24/19/15", "24/15"),
    ({**ONE_BLOT, 15: -1}, (5, 4), "24/15*", "24/15*"),
    # The opponent holds 19, so the short text denotes the path over 20.
    ({**ONE_BLOT, 19: -2}, (5, 4), "24/15", "24/20*/15"),
    # Both dice must be played, so the last checker hits before it is borne off.
    ({6: 1, 2: -1}, (6, 4), "6/off", "6/2*/off"),
]


TEXTS_OF_OTHER_RULES = [
    ({6: 2, 1: 5}, (5, 4), "6/2 F5", "6/2 F5", EXACT),
    ({6: 2, 1: 5}, (4, 5), "f5, 6-2", "6/2 F5", EXACT),
    ({6: 2, 1: 5}, (5, 4), "F4 F5", "F5 F4", EXACT),
    ({6: 2, 1: 5}, (5, 4), " f4,F5 ", "F5 F4", EXACT),
    # Only 6/2 can be played: the other 4s need not be forfeited, but may be.
    ({6: 1, 3: 1}, (4, 4), "6/2", "6/2", EXACT),
    ({6: 1, 3: 1}, (4, 4), "6/2 F4", "6/2", EXACT),
    ({6: 1, 3: 1}, (4, 4), "F4(2) 6/2 F4", "6/2", EXACT),
    ({6: 1, 3: 1}, (4, 4), "F4 F4 F4 F4", "F4(4)", EXACT),
    ({6: 1, 3: 1}, (4, 4), "F4 (4)", "F4(4)", EXACT),
    # One F denotes all forfeits, as in the examples of the rules.
    ({6: 1, 3: 1}, (4, 4), "F4", "F4(4)", EXACT),
    ({6: 2, 4: 1}, (5, 5), "6/1 F5", "6/1 F5(3)", EXACT),
    ({6: 2, 4: 1}, (5, 5), "6/1(2) F5(2)", "6/1(2)", EXACT),
    # Either die bears off from 4 and the other is forfeited; the text names the higher die.
    ({4: 1, 2: 1}, (6, 5), "4/off F6", "4/off F6", FORFEIT),
    ({4: 1, 2: 1}, (6, 5), "4/off F5", "4/off F6", FORFEIT),
    # Both dice together bear off the checker from 6, so none is forfeited.
    ({6: 1, 1: 1}, (4, 2), "6/off", "6/off", FORFEIT),
    # If the 1 is forfeited, the checker does not stop on 4 and hits nothing.
    ({5: 1, 4: -1, 2: 1}, (6, 1), "5/off F1", "5/off F1", FORFEIT),
    ({5: 1, 4: -1, 2: 1}, (6, 1), "5/off", "5/4*/off", FORFEIT),
    ({5: 1, 4: -1, 2: 1}, (6, 1), "5/4/off", "5/4*/off", FORFEIT),
]


def test_other_spellings_are_read() -> None:
    for points, roll, text, expected, *rules in [*TEXTS, *TEXTS_OF_OTHER_RULES]:
        assert reformat(points, roll, text, *rules) == expected


ALPHABET = "0123456789/-–*(),; \tbarofBAROF25x٣\u200b\n"


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(ALPHABET, max_size=40), st.text(max_size=300)))
def test_any_text_is_read_or_refused(text):
    try:
        reformat(START, (3, 1), text)
    except (NotationError, IllegalPlayError) as error:
        assert len(str(error)) < 200
        assert "\n" not in str(error)


PARTS = st.sampled_from("F5 f4 F5(2) F6 6/2 6/1 6/2/1 6-1(2) 2/off 1/0 , 6/2* (3) F".split())


@settings(max_examples=100, deadline=None)
@given(st.lists(PARTS, max_size=4).map(" ".join), st.sampled_from([(5, 4), (4, 4), (5, 5)]))
def test_any_parts_are_read_back_or_refused(text: str, roll: tuple[int, int]) -> None:
    points = {6: 2, 1: 5}
    try:
        canonical_text = reformat(points, roll, text, EXACT)
    except (NotationError, IllegalPlayError) as error:
        assert 10 < len(str(error)) < 200
    else:
        assert reformat(points, roll, canonical_text, EXACT) == canonical_text


def examples(case: RuleCase) -> list[str]:
    """Return the plays that the rules list for a case."""
    lines = [line for line in rule_lines() if line.startswith(f"{case.id} |")]
    parts = [part.partition(":") for line in lines for part in line.split(" | ")[2:]]
    lists = [plays for names, _, plays in parts if names == "ALL" or case.rule_set in names.split()]
    plays = [play.strip() for text in lists for play in re.split(r" ; | \+", text.partition(" -")[0])]
    return [play for play in plays if case.count and not play.startswith("n=")]


def test_the_examples_of_the_rules_can_be_read() -> None:
    count = 0
    for case, text in chain.from_iterable(product([case], examples(case)) for case in rule_cases()):
        boards, moves = play_arrays(case.board, case.dice, case.rules)
        row = read_play(text, case.board, case.dice, boards, moves, case.rules)
        assert tuple(boards[row].tolist()) in case.legal, (case, text)
        count += 1
    assert count > 200
