# ruff: noqa: PT017
"""Refusals of plays under every rule set; tests/refusals/position.txt covers the message of each rule."""

from __future__ import annotations

import random
import re

import numpy as np

from bgfast.errors import IllegalPlayError, NotationError
from bgfast.position.explain import refusal
from bgfast.position.play_text import read_play
from bgfast.position.turn import Turn
from bgfast.rules import EXACT, FIVE_STACK, STANDARD, RuleSet
from tests.position.test_play_text import reformat
from tests.support.legal_plays import arrays, forfeited_dice, hops_text, join, plays_of, random_hops
from tests.support.positions import ORDERED_ROLLS, few_checkers
from tests.support.rule_cases import RULES

ACCEPTED_PLAYS = [
    # Points, roll, text and rules of plays that resemble the refused plays in tests/refusals.
    ({4: 1}, (4, 1), "4/3/off", RuleSet(bearoff_compulsory=True)),  # "the other die may be played first"
    ({13: 1, 8: 5, 6: 2}, (5, 1), "13/8 8/7", FIVE_STACK),  # 8/7 is played first
    ({6: 2, 1: 5}, (5, 4), "6/1 6/2", STANDARD),
    ({8: 1, 6: 2}, (5, 2), "8/6 F5", EXACT),  # "the right can begin in mid-turn"
    ({4: 1}, (4, 1), "F4 4/3", EXACT),
    ({4: 2, 2: 2}, (6, 2), "4/2 F6", EXACT),
    # 6/off F3 uses the 6 and forfeits the 3; 6/off would use both dice.
    ({6: 1}, (6, 3), "6/off F3", EXACT),
]


def test_accepted_plays() -> None:
    for case in ACCEPTED_PLAYS:
        assert reformat(*case), case


def test_suggested_plays_avoid_forfeits() -> None:
    board = tuple({6: 1, 5: 1}.get(point, 0) for point in range(26))
    full_play, forfeiting_play = [(6, 0), (5, 0)], [(6, 1), (6, 6)]
    for moves in ([full_play, forfeiting_play], [forfeiting_play, full_play]):
        assert refusal(Turn(board, (6, 5), EXACT), [], [], moves).endswith(" 6/off 5/off can be played")
    assert refusal(Turn(board, (6, 5), EXACT), [], [], [forfeiting_play]).endswith(" 6/1 F6 can be played")


def random_attempt(rng: random.Random, board, roll) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the hops and the forfeits of a random, often nearly legal, attempt at a play."""
    hops, forfeits = [], []
    for hop in random_hops(rng, board, roll):
        if rng.random() < 0.25:
            forfeits.append(rng.choice(roll) if rng.random() < 0.95 else rng.randint(1, 6))
        else:
            hops.append(hop)
    return hops, forfeits


def check_attempts(rules: RuleSet, count: int) -> tuple[int, set[str]]:
    """Compare `read_play` with the reference; return the number of texts read and the reasons for refusal."""
    rng, read_count, reasons = random.Random(repr(rules)), 0, set()
    for _ in range(count):
        board, roll = few_checkers(rng), rng.choice(ORDERED_ROLLS)
        plays = plays_of(board, roll, rules, rng)
        boards, moves = arrays(plays)
        expected_rows: dict[tuple, set[int]] = {}
        for row, lists in enumerate(plays.values()):
            for steps in lists:
                for hops in join([step for step in steps if step[0] != step[1]]):
                    expected_rows.setdefault((hops, forfeited_dice(steps)), set()).add(row)
        for _ in range(8):
            hops, forfeits = random_attempt(rng, board, roll)
            rows = expected_rows.get((tuple(sorted(hops)), tuple(sorted(forfeits, reverse=True))), set())
            text = " ".join([hops_text(hops), *(f"F{die}" for die in forfeits)]).strip()
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
                read_count += 1
                assert not rows or row in rows
                # If no row is expected, the text bears off with one die where both must be used.
                checkers = np.maximum(board, 0)
                for start, end in hops:
                    checkers[start] -= 1
                    checkers[end] += end > 0
                assert (np.maximum(boards[row], 0)[1:] == checkers[1:]).all()
    return read_count, reasons


def test_random_attempts_are_read_or_refused_with_a_reason() -> None:
    for rules in RULES.values():
        read_count, reasons = check_attempts(rules, 40)
        assert read_count > 4
        assert len(reasons) > 8
