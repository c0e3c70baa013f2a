"""Disagreements of a case: grouping by symptom, samples of long lists, wrong perspectives."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bgfast import reference
from bgfast.common.validation import Board
from bgfast.conformance import line_protocol as messages
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.disagreements import (
    MAX_EXAMINED,
    SENTENCES,
    UNEXAMINED,
    ClassKey,
    Disagreement,
    Symptom,
    compare_case,
    diagnose_list,
    difference,
    disagreements,
)
from bgfast.conformance.protocol import Case
from bgfast.conformance.suite.suite_building import named_turns
from tests.support.faulty_engines import BOARD_FAULTS, Fake
from tests.support.lifting_engines import LiftingEngine
from tests.support.rule_cases import START

DOUBLE = Case(START, (2, 2))


def test_results_are_grouped_by_symptom() -> None:
    comparison = compare_case(
        LiftingEngine("bear-off-higher-point"), 7, Case((0, 0, 1, 1, 0, 1, *18 * (0,), -2, 0), (4, 2))
    )
    assert (comparison.case_index, comparison.reached, comparison.failed) == (7, True, False)
    symptoms = [disagreement.symptom for disagreement in comparison.disagreements]
    assert len(set(symptoms)) == len(symptoms) > 1
    assert {symptom.kind for symptom in symptoms} == {"illegal"}
    assert all(("bear-off-higher-point",) in symptom.causes for symptom in symptoms)
    assert sum(len(disagreement.boards) for disagreement in comparison.disagreements) == len(
        comparison.difference.illegal
    )


def test_an_empty_list_has_a_separate_symptom() -> None:
    (disagreement,) = compare_case(Fake(lambda case, legal: []), 0, Case(START, (3, 1))).disagreements
    assert disagreement.symptom[:2] == ("missing", "pass")
    assert len(disagreement.boards) == MAX_EXAMINED


@pytest.mark.parametrize("kind", ["illegal", "missing"])
def test_an_evenly_spaced_sample_of_a_long_list_is_examined(kind: str) -> None:
    legal = legal_successors(DOUBLE)
    opening = Case(START, (6, 5))
    if kind == "missing":
        case, diff = DOUBLE, difference([], legal, distinct=True)
    else:
        opening_boards = legal_successors(opening)
        case, diff = opening, difference([*opening_boards, *legal], opening_boards, distinct=True)
    boards = sorted(getattr(diff, kind))
    assert len(boards) > 3 * MAX_EXAMINED
    groups = disagreements(case, diff)
    rest = [group for group in groups if group.symptom.rule == UNEXAMINED]
    assert [group.symptom.kind for group in rest] == [kind]
    assert sorted(board for group in groups for board in group.boards) == boards
    examined_indices = [
        boards.index(board) for group in groups if group not in rest for board in group.boards
    ]
    assert len(examined_indices) == MAX_EXAMINED
    assert sorted(examined_indices) == [i * len(boards) // MAX_EXAMINED for i in range(MAX_EXAMINED)]
    assert ClassKey(kind, UNEXAMINED) not in SENTENCES


# ---- lists from a perspective other than the mover's ----


PERSPECTIVES = {"flips": "whole-board", "flips-points": "points-only", "flips-signs": "signs-only"}


def diagnose(case: Case, listed: list[Board]) -> tuple[Disagreement, ...]:
    """Return the disagreements of a list sent through the line protocol."""
    return diagnose_list(case, messages.read_answer(messages.answer(1, listed), 1, case), distinct=True)


def test_a_wrong_perspective_is_the_only_disagreement() -> None:
    for kind, name in PERSPECTIVES.items():
        bar_count = 0
        for case in (Case(board, roll) for board, roll in named_turns()):
            listed = BOARD_FAULTS[kind](case, legal_successors(case))
            symptoms = [disagreement.symptom for disagreement in diagnose(case, listed)]
            assert symptoms == ([Symptom("flipped", name)] if listed else [])
            bar_count += bool(listed) and any(board[0] or board[25] for board in listed)
        assert bar_count > 20
        assert ClassKey("flipped", name) in SENTENCES


@pytest.mark.parametrize("order_bars", [lambda bars: bars, lambda bars: bars[::-1]])
def test_flipped_lists_are_detected_with_bars_exchanged_or_not(order_bars: Callable[[Board], Board]) -> None:
    case = Case((-1, -1, *START[2:24], 1, 1), (3, 1))
    for flip_points in (lambda numbers: numbers[::-1], lambda numbers: tuple(-number for number in numbers)):
        bars = [order_bars((board[0], board[25])) for board in legal_successors(case)]
        boards = [flip_points(board[1:25]) for board in legal_successors(case)]
        listed = [(first, *board, last) for (first, last), board in zip(bars, boards, strict=True)]
        (disagreement,) = diagnose(case, listed)
        assert disagreement.symptom.kind == "flipped"
        assert disagreement.symptom.rule != "whole-board"


def test_broken_rules_of_a_flipped_list_are_diagnosed() -> None:
    case = Case((-1, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 1, *[0] * 13), (3, 4))
    listed = list(map(reference.flip, LiftingEngine("higher-die").successors(case)))
    perspective, illegal_play = diagnose(case, listed)
    assert (perspective.symptom, perspective.boards) == (Symptom("flipped", "whole-board"), ())
    listed_board, mover_board = (
        " ".join(map(str, board)) for board in (listed[0], reference.flip(listed[0]))
    )
    assert perspective.message == f"the first was listed as {listed_board}; the mover sees {mover_board}"
    assert illegal_play.symptom.kind == "illegal"
    assert ("higher-die",) in illegal_play.symptom.causes
    assert set(illegal_play.boards) < set(map(reference.flip, listed))


def test_impossible_lists_without_a_recognized_perspective_are_rubbish() -> None:
    case = Case((0,) * 19 + (-2,) * 6 + (1,), (3, 1))
    (disagreement,) = diagnose(case, [(*case.board[:24], 0, 0)])
    assert (disagreement.symptom.kind, disagreement.boards) == ("illegal", ((*case.board[:24], 0, 0),))
    (disagreement,) = diagnose(case, [(0, 12, *[0] * 24)])
    assert disagreement.symptom == Symptom("rubbish", "unreadable")
    assert disagreement.message.startswith("it listed an impossible board, the mover has 12 checkers on it")


def test_a_vanishing_hit_checker_is_a_hit_not_taken() -> None:
    case = Case((0, -2, *[0] * 18, -1, 0, 0, 0, 1, 0), (4, 4))
    illegal_play, missing_play = diagnose(case, BOARD_FAULTS["forgets-hits"](case, []))
    assert illegal_play.symptom == Symptom("illegal", "several-rules", (("hit-not-taken:vanishing",),))
    assert ("hit-not-taken:vanishing",) in missing_play.symptom.causes
