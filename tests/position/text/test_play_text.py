# ruff: noqa: PT017
"""Play texts against a brute-force generator of standard plays: written canonically, read tolerantly."""

from __future__ import annotations

import random
import re
import time
from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast.errors import IllegalPlayError, NotationError
from bgfast.position.explain.hops import ways
from bgfast.position.explain.refusal import refusal
from bgfast.position.explain.turn import Turn
from bgfast.position.text.play_text import play_text, read_play
from bgfast.rules import STANDARD
from tests.support.hops import joined, plain, random_hops
from tests.support.patience import patient
from tests.support.rule_cases import OPENING_COUNTS

BAR, OFF = 25, 0
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
KINDS = ("contact", "blots", "bar", "bearoff")
CASES = 12
START = {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}


# A generator of standard plays, slow and plain, with several step lists for each result.


def steps_of_die(board, die):
    """Yield (from, to, board after) for each ordinary move of one checker."""
    for start in range(25, 0, -1):
        if board[start] <= 0 or (board[25] > 0 and start != 25):
            continue
        end = start - die
        after = list(board)
        after[start] -= 1
        if end >= 1:
            if board[end] < -1:
                continue
            if board[end] == -1:
                after[end] = 0
                after[0] -= 1
            after[end] += 1
        else:
            if any(board[point] > 0 for point in range(7, 26)):
                continue
            if end < 0 and any(board[point] > 0 for point in range(start + 1, 7)):
                continue
            end = 0
        yield start, end, tuple(after)


def played_out(board, dice, keep):
    """Return (dice used, board after) -> step lists, the dice being used in this order until one is stuck."""
    done = defaultdict(list)
    level = {board: [()]}
    for number, die in enumerate(dice):
        deeper = defaultdict(list)
        for current, lists in level.items():
            moved = False
            for start, end, after in steps_of_die(current, die):
                moved = True
                deeper[after] = (deeper[after] + [(*steps, (start, end)) for steps in lists])[:keep]
            if not moved:
                done[number, current] += lists
        level = deeper
    for current, lists in level.items():
        done[len(dice), current] += lists
    return done


@cache
def legal_plays(board, roll, keep=6):
    """Return {board after: step lists} of all legal plays."""
    high, low = max(roll), min(roll)
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    outcomes = [played_out(board, dice, keep) for dice in orders]
    most = max(used for outcome in outcomes for used, _ in outcome)
    if most == 1 and high != low and any(used == 1 for used, _ in outcomes[0]):
        outcomes = outcomes[:1]  # only one number can be played: the higher
    plays = defaultdict(list)
    for outcome in outcomes:
        for (used, after), lists in outcome.items():
            if used == most > 0:
                plays[after] += lists
    return dict(plays)


def as_arrays(plays):
    boards = np.array(list(plays), np.int8).reshape(-1, 26)
    moves = np.full((len(plays), 4, 2), -1, np.int8)
    for row, lists in zip(moves, plays.values(), strict=True):
        row[: len(lists[0])] = lists[0]
    return boards, moves


def board_of(points):
    board = [0] * 26
    for point, checkers in points.items():
        board[point] = checkers
    return tuple(board)


def random_board(rng, kind):
    board = [0] * 26
    if kind == "bearoff":
        own = rng.choices(range(1, 7), k=rng.randint(1, 9)) + rng.choices(range(1, 10), k=rng.randint(0, 1))
        spots, blots = [24, 23, 5, 4, 3, 2, 1, 0], rng.randint(0, 3)
    else:
        own = rng.choices(range(1, 25), k=rng.randint(1, 5) if kind == "blots" else rng.randint(8, 15))
        spots, blots = list(range(25)), rng.randint(2, 12)
    if kind == "bar" or (kind == "blots" and rng.random() < 0.2):
        own += [25] * rng.randint(1, 3)
    for point in own:
        board[point] += 1
    free = [point for point in spots if not board[point]]
    rng.shuffle(free)
    for number, point in enumerate(free[:12]):
        board[point] = -1 if number < blots else -rng.choice([0, 0, 2, 3])
    return tuple(board)


def positions(kind, count, seed=1):
    rng = random.Random(f"{kind}{seed}")
    return [random_board(rng, kind) for _ in range(count)]


def cases(kind, count):
    """Yield (board, roll, plays, boards, moves) for positions of a kind and all rolls.

    Doubles have by far the most plays, in contact hundreds each: there they come for one board only.
    """
    for number, board in enumerate(positions(kind, count // 3 if kind == "contact" else count)):
        for roll in ROLLS:
            if kind != "contact" or number < 1 or roll[0] != roll[1]:
                plays = legal_plays(board, roll)
                yield (board, roll, plays, *as_arrays(plays))


def play_texts(board, roll, moves):
    return [play_text(board, roll, steps) for steps in moves]


def test_brute_force_gives_the_known_counts_of_opening_plays():
    for roll, count in OPENING_COUNTS["standard"].items():
        assert len(legal_plays(board_of(START), roll)) == count


# Writing.


@pytest.mark.parametrize("kind", KINDS)
def test_text_is_the_same_for_all_step_lists_of_a_result(kind):
    rng = random.Random(2)
    for board, roll, plays, _, _ in cases(kind, CASES):
        for lists in plays.values():
            texts = set()
            for steps in lists:
                shuffled = rng.sample(steps, len(steps))
                texts |= {play_text(board, roll, steps), play_text(board, roll, shuffled)}
            assert len(texts) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_texts_of_a_roll_differ_and_read_back(kind):
    for board, roll, _, boards, moves in cases(kind, CASES):
        texts = play_texts(board, roll, moves)
        assert len(set(texts)) == len(texts)
        for row, text in enumerate(texts):
            assert read_play(text, board, roll, boards, moves) == row
            assert read_play(text, board, roll[::-1], boards, moves) == row


@pytest.mark.parametrize("kind", KINDS)
def test_texts_mark_each_hit_once_and_show_no_other_stop(kind):
    for board, roll, plays, _, moves in cases(kind, CASES):
        for after, text in zip(plays, play_texts(board, roll, moves), strict=True):
            hit = [point for point in range(1, 25) if board[point] == -1 and after[point] >= 0]
            assert sorted(map(int, re.findall(r"(\d+)\*", text))) == hit
            assert re.fullmatch(r"((^| )(bar|\d+)(/\d+\*)*(/\d+\*?|/off)?(\([234]\))?)+", text)
            for part in text.split():
                stops = part.split("(")[0].split("/")[1:-1]
                assert all(stop.endswith("*") for stop in stops)


LITERALS = [
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
    # several chains touch the hit point: marked in the first of the text, hidden in the others
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
    ({6: 1, 0: -1}, [(6, 0)], "6/off"),  # index 0 is the opponent's bar, nothing is hit by bearing off
    ({6: 1, 2: -1}, [(6, 2), (2, 0)], "6/2*/off"),
    ({6: 2}, [(6, 4), (6, 3)], "6/4 6/3"),
    ({6: 2}, [], ""),
]


@pytest.mark.parametrize(("points", "steps", "text"), LITERALS, ids=[text for *_, text in LITERALS])
def test_literal_texts(points, steps, text):
    board = board_of(points)
    roll = (6, 5)  # has no effect, as no die can be forfeited
    assert play_text(board, roll, steps) == text
    rows = np.full((4, 2), -1, np.int8)
    rows[: len(steps)] = np.array(steps, np.int8).reshape(-1, 2)
    assert play_text(np.array(board, np.int8), roll, rows) == text
    assert play_text(board, roll, list(rows)) == text


# Reading.


@pytest.mark.parametrize("kind", KINDS)
def test_steps_as_gnu_backgammon_writes_them_read_back(kind):
    for board, roll, plays, boards, moves in cases(kind, CASES):
        for row, lists in enumerate(plays.values()):
            for steps in lists:
                assert read_play(plain(steps), board, roll, boards, moves) == row


@pytest.mark.parametrize("kind", KINDS)
def test_joined_steps_read_back_or_are_truly_ambiguous(kind):
    for board, roll, plays, boards, moves in cases(kind, CASES // 2):
        expected_rows = defaultdict(set)  # hops -> rows
        for row, lists in enumerate(plays.values()):
            for steps in lists:
                for hops in joined(list(steps)):
                    expected_rows[hops].add(row)
        texts = play_texts(board, roll, moves)
        for hops, rows in expected_rows.items():
            unmarked = {row for row in rows if "*" not in texts[row]}
            if len(rows) == 1 or unmarked:  # no marks: the play without hits, if there is one
                assert {read_play(plain(hops), board, roll, boards, moves)} == (unmarked or rows)
            else:
                with pytest.raises(NotationError) as error:
                    read_play(plain(hops), board, roll, boards, moves)
                assert all(texts[row] in str(error.value) for row in rows)


def disguised(rng, text):
    """Return a variant of a canonical text: other order, words, case, signs and white space."""
    parts = text.split()
    rng.shuffle(parts)
    parts = [part.replace("(", rng.choice(["(", " (", " ( "])) for part in parts]
    variant = rng.choice([" ", ", ", "; ", "  ", ",", " , ", "\t"]).join(parts)
    variant = variant.replace("/", rng.choice(["/", "-", "–", " / ", " - "]))
    variant = variant.replace("bar", rng.choice(["bar", "BAR", "Bar", "25"]))
    variant = variant.replace("off", rng.choice(["off", "OFF", "Off", "0"]))
    return rng.choice(["", " ", "\n"]) + variant + rng.choice(["", " ", ",", ";\n"])


@pytest.mark.parametrize("kind", KINDS)
def test_variants_of_a_text_read_back(kind):
    rng = random.Random(3)
    for board, roll, _, boards, moves in cases(kind, CASES // 2):
        for row, text in enumerate(play_texts(board, roll, moves)):
            assert read_play(disguised(rng, text), board, roll, boards, moves) == row


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_missing_and_superfluous_marks_change_nothing_or_are_refused(kind):
    ambiguous = 0
    for board, roll, _, boards, moves in cases(kind, CASES):
        for row, text in enumerate(play_texts(board, roll, moves)):
            all_marked = " ".join(re.sub(r"\*?(\(\d\))?$", r"*\1", part, count=1) for part in text.split())
            for other in (text.replace("*", ""), all_marked):
                try:
                    assert read_play(other, board, roll, boards, moves) == row
                except NotationError as error:
                    ambiguous += 1
                    same = (np.maximum(boards[:, 1:], 0) == np.maximum(boards[row, 1:], 0)).all(axis=1)
                    assert same.sum() == 2
                    assert text in str(error)
    assert ambiguous > 10


def find(points, roll, text):
    """Return the canonical text of the play that a text is read as."""
    board = board_of(points)
    boards, moves = as_arrays(legal_plays(board, roll))
    return play_text(board, roll, moves[read_play(text, board, roll, boards, moves)])


TWO_WAYS = {24: 1, 20: -1, 19: -1}
ONE_WAY = {24: 1, 20: -1}


@pytest.mark.parametrize(
    ("points", "roll", "text", "canonical"),
    [
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
        ({8: 2, 5: -1}, (3, 3), "8/5(2)* 5/2(2)", "8/5*/2(2)"),
        ({8: 2, 5: -1}, (3, 3), "8/5* 5*/2 8/2", "8/5*/2(2)"),
        ({13: 2}, (5, 1), "13/8* 13/12", "13/12 13/8"),
        # the same way from 24 to 15, with hits on different points
        (TWO_WAYS, (5, 4), "24/20*/15", "24/20*/15"),
        (TWO_WAYS, (5, 4), "24/19*/15", "24/19*/15"),
        (TWO_WAYS, (5, 4), "24/20 20/15", "24/20*/15"),
        (TWO_WAYS, (5, 4), "24/19/15", "24/19*/15"),
        # only one path hits nothing: the short text is its canonical text
        (ONE_WAY, (5, 4), "24/15", "24/15"),
        (ONE_WAY, (5, 4), "24/20/15", "24/20*/15"),
        (ONE_WAY, (5, 4), "24/19/15", "24/15"),
        ({**ONE_WAY, 15: -1}, (5, 4), "24/15*", "24/15*"),
        # one stop is held, so the short text can only mean the other one
        ({**ONE_WAY, 19: -2}, (5, 4), "24/15", "24/20*/15"),
        # both numbers must be played, so the last checker goes off with a hit on the way
        ({6: 1, 2: -1}, (6, 4), "6/off", "6/2*/off"),
    ],
)
def test_tolerant_reading(points, roll, text, canonical):
    assert find(points, roll, text) == canonical


@pytest.mark.parametrize(
    ("points", "text", "listed"),
    [
        (TWO_WAYS, "24/15", ["24/20*/15", "24/19*/15"]),
        (TWO_WAYS, "24/15*", ["24/20*/15", "24/19*/15"]),
        ({**TWO_WAYS, 15: -1}, "24/15", ["24/20*/15*", "24/19*/15*"]),
        ({**ONE_WAY, 15: -1}, "24/15", ["24/20*/15*", "24/15*"]),
    ],
)
def test_ambiguous_text_lists_the_plays(points, text, listed):
    with pytest.raises(NotationError, match="fits several plays") as error:
        find(points, (5, 4), text)
    assert all(re.search(rf"(?<=\s){re.escape(play)}(?=\s|$)", str(error.value)) for play in listed)


POINT = "expected a point: 1 to 24, bar \\(25\\) or off \\(0\\)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text of the play is empty"),
        (" ,; \n", "the text of the play is empty"),
        ("8/5 6\\5", f"part 2 of the play: found '6\\\\\\\\5', {POINT}"),
        ("8", "part 1 of the play: found the end of the text, expected '/' after the point 8"),
        ("8/5 6", "part 2 of the play: found the end of the text, expected '/' after the point 6"),
        ("8 5", "part 1 of the play: found '5', expected '/' after the point 8"),
        ("8,5", "found ',', expected '/' after the point 8"),
        ("8//5", f"found '/', {POINT}"),
        ("/5", f"found '/', {POINT}"),
        ("8/", f"found the end of the text, {POINT}"),
        ("8/5**", f"part 2 of the play: found '\\*', {POINT}"),
        ("8/-5", f"found '-', {POINT}"),
        ("бар/22", f"part 1 of the play: found 'бар', {POINT}"),
        ("barre/22", f"part 1 of the play: found 'barre', {POINT}"),
        ("b/22", f"found 'b', {POINT}"),
        ("٨/٥", f"found '٨', {POINT}"),
        ("８/５", f"found '８', {POINT}"),
        ("8/5²", f"found '5²', {POINT}"),
        ("8−5", f"found '8−5', {POINT}"),  # a minus sign
        ("8/5\u200b", f"found '5\\\\u200b', {POINT}"),
        ("pass", f"found 'pass', {POINT}"),
        ("31: 8/5 6/5", f"found '31:', {POINT}"),
        ("26/20", f"found '26', {POINT}"),
        ("13/100", f"found '100', {POINT}"),
        ("8/5 5/8", "part 2 of the play: 5/8 does not go down to a lower point or off"),
        ("8/8", "8/8 does not go down"),
        ("0/5", "off/5 does not go down"),
        ("6/bar", "6/bar does not go down"),
        ("off/off", "off/off does not go down"),
        ("8/6/7", "6/7 does not go down"),
        ("8/5(0)", "part 1 of the play: found '0', expected a count of 1 to 4"),
        ("8/5(9)", "found '9', expected a count of 1 to 4"),
        ("8/5(two)", "found 'two', expected a count of 1 to 4"),
        ("8/5(22)", "found '22', expected a count of 1 to 4"),
        ("8/5(", "found the end of the text, expected a count"),
        ("8/5(2", "found the end of the text, expected '\\)' after the count"),
        ("8/5(2 6/5", "found '6', expected '\\)' after the count"),
        ("8/5)", f"found '\\)', {POINT}"),
        ("8/5(2)(2)", f"found '\\(', {POINT}"),
        ("13/8(4) 6/1", "part 2 of the play: with it the play has more than four moves"),
        ("13/8/3(3)", "part 1 of the play: with it the play has more than four moves"),
        ("8/7/6/5/4/3", "more than four moves"),
        ("8/7 " * 5, "part 5 of the play: with it the play has more than four moves"),
        ("8/5 " + "x" * 200, f"found '{'x' * 39}\\.\\.\\.', expected"),
        ("8/5 " + "\U000e0001" * 200, "part 2 of the play: found '(.{39})\\.\\.\\.', expected"),
        ("8/5 " * 100, "the text of a play has 400 characters; at most 256 are read"),
    ],
)
def test_unreadable_text(text, message):
    with pytest.raises(NotationError, match=f"{message}") as error:
        find(START, (3, 1), text)
    assert len(str(error.value)) < 150


@pytest.mark.parametrize("text", [None, 31, b"8/5 6/5", ["8/5", "6/5"], ((8, 5), (6, 5))])
def test_text_must_be_a_str(text):
    with pytest.raises(NotationError, match=f"must be a str such as '8/5 6/5', not {type(text).__name__}$"):
        find(START, (3, 1), text)


def test_ten_megabytes_are_refused_at_once():
    text = "8/5 " * 2_500_000
    board = board_of(START)
    boards, moves = as_arrays(legal_plays(board, (3, 1)))
    begin = time.perf_counter()
    with pytest.raises(NotationError, match="has 10000000 characters; at most 256"):
        read_play(text, board, (3, 1), boards, moves)
    assert time.perf_counter() - begin < patient(0.05)


ALPHABET = "0123456789/-–*(),; \tbarofBAROF25x٣\u200b\n"


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(ALPHABET, max_size=40), st.text(max_size=300)))
def test_any_text_is_a_play_or_one_of_two_errors(text):
    try:
        find(START, (3, 1), text)
    except (NotationError, IllegalPlayError) as error:
        assert len(str(error)) < 200
        assert "\n" not in str(error)


# Refusals.

REFUSALS = [
    # (points, roll, text, reason)
    ({24: 1, 18: -2, 20: -2}, (6, 4), "24/18", "no checker can move, so the turn passes"),
    (START, (3, 1), "9/8 6/5", "no checker of the mover stands on 9"),
    (START, (6, 5), "12/6 13/8", "no checker of the mover stands on 12"),
    (START, (3, 1), "bar/22 6/5", "no checker of the mover stands on the bar"),
    (START, (6, 6), "24/18(3)", "3 checkers cannot leave 24, where this play has only 2"),
    (START, (5, 5), "13/8 8/3(4) 13/8", None),  # more than four moves: unreadable
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
        "this leaves the 3 unplayable, while 9/3 24/21 uses both numbers",
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


@pytest.mark.parametrize(("points", "roll", "text", "reason"), REFUSALS)
def test_refusal_names_the_rule(points, roll, text, reason):
    if reason is None:
        with pytest.raises(NotationError, match="more than four moves"):
            find(points, roll, text)
        return
    with pytest.raises(IllegalPlayError) as error:
        find(points, roll, text)
    head, _, tail = str(error.value).partition(": ")
    assert tail == reason
    assert re.fullmatch(rf"illegal play '[^']+' for {max(roll)}-{min(roll)}", head)


def test_refusal_quotes_the_play():
    with pytest.raises(IllegalPlayError, match=r"^illegal play '13/7' for 6-4: both numbers"):
        find(START, (4, 6), "13-7*")
    with pytest.raises(IllegalPlayError, match=r"^illegal play 'bar/24 6/off' for 6-1: "):
        find({25: 1, 6: 2}, (6, 1), "25/24, 6/0")


def refused(points, roll, hops):
    board = board_of(points)
    moves = as_arrays(legal_plays(board, roll))[1]
    return refusal(Turn(board, roll, STANDARD), hops, (), moves).partition(": ")


def test_refusal_of_a_pass():
    head, _, reason = refused(START, (6, 4), ())
    assert head == "illegal play 'pass' for 6-4"
    assert re.fullmatch(
        r"the turn passes only when no checker can move, and \d+/\d+ \d+/\d+ can be played", reason
    )


@pytest.mark.parametrize("hop", [(5, 8), (5, 5), (0, 5), (26, 20), (5, -1), (6, 25)])
def test_refusal_of_hops_that_no_text_gives(hop):
    reason = refused(START, (6, 4), [hop])[2]
    rule = "a checker goes from the bar (25) or a point down to a lower point or off (0)"
    assert f"is not a move: {rule}" in reason


@pytest.mark.parametrize(
    ("points", "roll", "hops", "number"),
    [
        (START, (3, 1), [(8, 5), (6, 5)], 16),
        (START, (5, 5), [(13, 8)] * 4, 4),
        ({24: 1, 14: -2}, (6, 4), [(24, 18)], 1),
    ],
)
def test_refusal_of_a_legal_play_still_is_a_sentence(points, roll, hops, number):
    assert refused(points, roll, hops)[2] == f"it is not one of the {number} legal plays"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_hops_are_read_exactly_if_legal_and_otherwise_refused_with_a_rule(kind):
    rng = random.Random(5)
    reasons = Counter()
    for board, roll, plays, boards, moves in cases(kind, CASES):
        expected_rows = defaultdict(set)
        for row, lists in enumerate(plays.values()):
            for steps in lists:
                for hops in joined(list(steps)):
                    expected_rows[hops].add(row)
        for _ in range(8):
            hops = random_hops(rng, board, roll)
            rows = expected_rows.get(tuple(sorted(hops)), set())
            try:
                row = read_play(plain(hops), board, roll, boards, moves)
            except IllegalPlayError as error:
                assert not rows
                assert "it is not one of" not in str(error)
                reasons[re.sub(r"\d+", "N", str(error).partition(": ")[2])[:25]] += 1
            except NotationError:
                assert len(rows) == 2
            else:
                reasons["read"] += 1
                if rows:
                    assert row in rows
                else:
                    # Borne off by one of two dice that must both be used: the only play with that end.
                    own = np.maximum(board, 0)
                    for start, end in hops:
                        own[start] -= 1
                        own[end] += end > 0
                    assert (np.maximum(boards[row], 0)[1:] == own[1:]).all()
                    assert any(end == OFF for _, end in hops)
                    reasons["one die"] += 1
    assert reasons["read"] > 5
    assert len(reasons) > 6


# Dice that make hops.


@pytest.mark.parametrize(
    ("hops", "dice", "expected"),
    [
        ([(13, 8)], (6, 5), {(8,)}),
        ([(13, 2)], (6, 5), {(7, 2), (8, 2)}),
        ([(13, 8), (13, 8)], (6, 5), set()),
        ([(13, 8), (13, 8)], (5, 5, 5, 5), {(8, 8)}),
        ([(13, 3), (8, 3)], (5, 5, 5, 5), {(8, 3, 3)}),
        ([(6, 0)], (6, 4), {(0,), (2, 0)}),
        ([(6, 0)], (5, 4), {(1, 0), (2, 0)}),
        ([(4, 0), (3, 0)], (6, 5), {(0, 0)}),
        ([], (6, 5), {()}),
    ],
)
def test_ways(hops, dice, expected):
    assert set(ways(hops, dice)) == expected
