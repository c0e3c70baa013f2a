"""Steps (moves or forfeits of one die), compared with the reference, and the rules that they break."""

from __future__ import annotations

import random

from bgfast import EXACT, RuleSet, reference
from bgfast.position.explain import RULES as SENTENCES
from bgfast.position.explain import reason_for
from bgfast.position.turn import STEP_RULES, Step, bear_off_from, step_rules, steps
from tests.support.positions import few_checkers, random_board
from tests.support.rule_cases import RULES

Board = tuple[int, ...]


def boards(rules: RuleSet) -> list[Board]:
    rng = random.Random(f"steps {rules}")
    return [tuple((few_checkers if index % 3 else random_board)(rng)) for index in range(30)]


def test_steps_are_the_moves_and_forfeits_of_the_reference() -> None:
    for rules in RULES.values():
        for board in boards(rules):
            for die in range(1, 7):
                all_steps = list(steps(board, die, rules))
                moves = [step for step in all_steps if not step.is_forfeit]
                assert {(step.start, step.end) for step in moves} == set(
                    reference._ordinary_moves(board, die, rules)
                )
                assert (len(all_steps) > len(moves)) == reference._may_forfeit(board, die, rules)
                bear_off_points = [step.start for step in moves if step.end == 0]
                assert bear_off_points == [point for point in [bear_off_from(board, die, rules)] if point]
                assert not any(step.broken or step.captured for step in all_steps)
                for step in all_steps:
                    assert step.hits == (not step.is_forfeit and step.after[0] < board[0])


def test_steps_break_only_the_lifted_rules() -> None:
    for rules in RULES.values():
        names = set(step_rules(rules))
        assert names <= STEP_RULES | {"too-many-dice"}
        for board in boards(rules)[:20]:
            for die in range(1, 7):
                all_steps = list(steps(board, die, rules, STEP_RULES))
                assert len(set(all_steps)) == len(all_steps)
                for lifted_rules in map(frozenset, [(), *({name} for name in names)]):
                    expected = [step for step in all_steps if step.broken <= lifted_rules]
                    assert expected == list(steps(board, die, rules, lifted_rules))
                for step in all_steps:
                    assert step.broken <= names
                    assert (reason_for(board, step, rules) is None) == (not step.broken)


def test_every_step_rule_has_a_sentence() -> None:
    assert {name.partition(":")[0] for name in STEP_RULES} <= set(SENTENCES)


def test_nothing_is_forfeited_once_the_last_checker_is_off() -> None:
    board = (0,) * 24 + (-1, 0)
    assert not list(steps(board, 6, EXACT, STEP_RULES))
    assert list(steps((0, 1, *board[2:]), 6, EXACT))[-1] == Step(6, 6, 6, (0, 1, *board[2:]))
