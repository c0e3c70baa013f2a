"""Cross-check runs with fake engines: classes, order, failures, shrinking, resuming."""

from __future__ import annotations

import _thread
import json
import re
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dis import opname
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any

import pytest

from bgfast import EXACT, BgfastError, reference
from bgfast.common.validation import Board
from bgfast.conformance.crosscheck import engine_run
from bgfast.conformance.crosscheck.cases import CaseList, FilePosition, PositionFile
from bgfast.conformance.crosscheck.disagreements import ClassKey, compare_case
from bgfast.conformance.crosscheck.engine_run import (
    MAX_FAILURES_IN_A_ROW,
    EngineRun,
    check,
    comparisons,
    find_examples,
    open_run,
    shrink,
)
from bgfast.conformance.crosscheck.resume_file import ResumeFile
from bgfast.conformance.protocol import (
    Case,
    CrashedError,
    HungError,
    MissingEngineError,
    RubbishError,
    UnreachableError,
)
from tests.support.faulty_engines import Change, Fake, ignores_bar
from tests.support.journals import journal_bytes, lines_of, rewrite
from tests.support.lifting_engines import LiftingEngine
from tests.support.patience import patient
from tests.support.rule_cases import START

CASES = CaseList(random=120, games=30, seed=1)
BEAR_OFFS = CaseList(bearoff=60, seed=1)


def interrupt_at(event_number: int) -> bool:
    """Interrupt a comparing thread at its n-th line, call or return; return whether it reached that event."""
    remaining, results, fake = event_number, [], Fake()

    def trace(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal remaining
        # An error raised here on entry, exit or `try` bypasses the handlers of a frame; a signal never does.
        passes_handlers = event != "line" or opname[frame.f_code.co_code[frame.f_lasti]] == "NOP"
        if frame.f_code.co_name != "comparisons" or not passes_handlers:
            remaining -= 1
            if remaining == 0:
                raise KeyboardInterrupt
        return trace

    def compare() -> None:
        with closing(comparisons(fake, Fake, cases, 0, 2)) as stream:
            sys.settrace(trace)
            try:
                results.extend(stream)
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(None)
        end_queue.put(None)

    cases, before = list(BEAR_OFFS)[:6], _thread._count()
    end_queue: SimpleQueue[None] = SimpleQueue()
    _thread.start_new_thread(compare, ())  # not `Thread`, whose locks may stay acquired as well
    end_queue.get(timeout=patient(20))  # raises `Empty` if a lock stays acquired
    deadline = time.monotonic() + patient(20)
    while _thread._count() > before and time.monotonic() < deadline:
        time.sleep(0.001)
    assert _thread._count() <= before
    assert [comparison.case_index for comparison in results] == list(range(len(results)))
    assert fake.closed or not fake.cases or len(results) == len(cases)
    return remaining <= 0


def test_ctrl_c_at_any_moment_ends_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_run, "MAX_AHEAD", 3)
    monkeypatch.setattr(engine_run, "JOIN_SECONDS", 0.1)
    assert next(event_number for event_number in count(1) if not interrupt_at(event_number)) > 60


def fail_with(error: Exception, fails_on: Callable[[Case], bool] = lambda case: True) -> Change:
    def change(case: Case, legal: list[Board]) -> list[Board]:
        if fails_on(case):
            raise error
        return legal

    return change


def check_with(change: Change, cases: CaseList = CASES, jobs: int = 1, **options: Any) -> EngineRun:
    engines: list[Fake] = []

    def opener() -> Fake:
        engines.append(Fake(change, **options))
        return engines[-1]

    run = open_run("fake", opener, "standard")
    check(run, opener, cases, jobs=jobs)
    assert len(engines) == jobs
    return run


def counts(run: EngineRun) -> dict[tuple[str, str], int]:
    return {tuple(key): summary.cases for key, summary in run.classes.items()}


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda case, legal: [*legal, case.board], ("illegal", "pass-though-a-play-exists")),
        (lambda case, legal: [], ("missing", "pass")),
        (lambda case, legal: legal + legal[:1], ("repeated", "each-once")),
        (lambda case, legal: list(map(reference.flip, legal)), ("flipped", "whole-board")),
        (fail_with(HungError("slow")), ("hang", "no-answer")),
        (fail_with(CrashedError("gone")), ("crash", "ended")),
        (fail_with(RubbishError("foo")), ("rubbish", "unreadable")),
    ],
)
def test_each_kind_of_disagreement_has_a_class(change: Change, key: tuple[str, str]) -> None:
    run = check_with(change, CaseList(random=25, games=10, seed=1))
    assert key in counts(run)
    find_examples(run, time_limit=1)
    example = run.examples[ClassKey(*key)]
    assert sum(map(abs, example.comparison.case.board)) == 2
    assert example.comparison.case.game is None
    assert example.note.startswith("A local minimum" if example.attempts else "Already minimal.")


def test_engines_may_repeat_boards_if_their_lists_are_not_distinct() -> None:
    assert check_with(lambda case, legal: legal * 2, distinct=False).classes == {}


def test_classes_have_counts_and_the_first_and_smallest_case() -> None:
    run = check_with(ignores_bar)
    (key,) = run.classes
    assert key == ("illegal", "bar-first")
    wrong_indices = [
        index
        for index, case in enumerate(CASES)
        if compare_case(Fake(ignores_bar), index, case).disagreements
    ]
    summary = run.classes[key]
    assert summary.cases == len(wrong_indices) > 5
    assert summary.first.case_index == wrong_indices[0]
    cases = list(CASES)
    min_checkers = min(sum(map(abs, cases[index].board)) for index in wrong_indices)
    assert sum(map(abs, summary.smallest.case.board)) == min_checkers


def test_the_outcome_does_not_depend_on_the_number_of_processes() -> None:
    def change(case: Case, legal: list[Board]) -> list[Board]:
        time.sleep(0.002 * (case.board[6] % 3))  # threads overtake each other
        return ignores_bar(case, legal)[1:]

    cases = CaseList(random=40, seed=1)
    single_run, parallel_run = check_with(change, cases), check_with(change, cases, jobs=3)
    assert single_run.done == parallel_run.done == len(cases)
    assert list(single_run.classes.items()) == list(parallel_run.classes.items())
    assert len(single_run.classes) > 3


def test_an_example_stays_clear_while_it_is_shrunk() -> None:
    def change(case: Case, legal: list[Board]) -> list[Board]:
        return LiftingEngine("bear-off-higher-point").successors(case)

    run = check_with(change, BEAR_OFFS)
    find_examples(run, time_limit=1)
    ((class_, example),) = run.examples.items()
    assert class_ == ("illegal", "bear-off-higher-point")
    assert run.attribution.is_clear(class_, example.comparison)
    assert sum(map(abs, example.comparison.case.board)) < sum(
        map(abs, run.classes[class_].smallest.case.board)
    )


def test_shrinking_removes_pairs() -> None:
    board = [0] * 26
    board[6], board[8], board[24] = 5, 5, -3

    def is_even(case: Case) -> bool:
        return sum(max(number, 0) for number in case.board) % 2 == 0

    result = shrink(Case(tuple(board), (3, 1)), is_even)
    assert sum(max(number, 0) for number in result.case.board) == 2
    assert result.complete
    assert min(result.case.board) < 0


def test_shrinking_keeps_a_checker_of_each_side() -> None:
    for case in list(CASES)[:20]:
        result = shrink(case, lambda smaller: max(smaller.board) > 0 > min(smaller.board))
        assert sorted(map(abs, result.case.board))[-2:] == [1, 1]
        for before, after in zip(case.board, result.case.board, strict=True):
            assert 0 <= after * (1 if before > 0 else -1) <= abs(before) or after == before == 0


def test_shrinking_of_failures_is_limited() -> None:
    question_count = 0

    def change(case: Case, legal: list[Board]) -> list[Board]:
        nonlocal question_count
        question_count += 1
        raise HungError("slow")

    run = check_with(change, CaseList(random=3, seed=1))
    question_count = 0
    find_examples(run, time_limit=30)
    (example,) = run.examples.values()
    assert question_count == example.attempts == 2
    assert "Perhaps not a minimum" in example.note


def test_shrinking_stops_where_all_smaller_positions_hang() -> None:
    question_count = 0

    def change(case: Case, legal: list[Board]) -> list[Board]:
        nonlocal question_count
        question_count += 1
        if case.board not in original:
            raise HungError("slow")
        return legal[1:]

    cases = CaseList(random=3, seed=1)
    original = {case.board for case in cases}
    run = check_with(change, cases)
    question_count = 0
    find_examples(run, time_limit=30)
    assert question_count == 3 * len(run.classes) > 0
    for example in run.examples.values():
        assert example.note == "Not shrunk further: too many smaller positions end in a hang."


def test_shrinking_with_a_short_time_limit_is_limited() -> None:
    board = (0, *10 * [1], *10 * [-1], *5 * [0])
    cases = CaseList(file=PositionFile((FilePosition(board, 15, (2, 1)),), ""))
    run = check_with(fail_with(HungError("slow"), lambda case: case.board == board), cases)
    find_examples(run, time_limit=0.001)
    (example,) = run.examples.values()
    assert example.attempts == 100
    assert "Perhaps not a minimum" in example.note


def test_the_example_of_an_engine_that_only_replays_games_is_the_shortest_game() -> None:
    def change(case: Case, legal: list[Board]) -> list[Board]:
        return legal[1:] if case.game and len(case.game) > 6 else legal

    run = check_with(change, CaseList(random=5, games=60, seed=1), positions=False)
    assert run.unreachable == 5
    assert run.compared_count == 60
    find_examples(run, time_limit=1)
    assert run.examples
    for key, example in run.examples.items():
        assert "Not shrunk" in example.note
        assert not example.shrunk
        assert example.comparison == run.classes[key].smallest
    assert min(len(example.comparison.case.game or ()) for example in run.examples.values()) == 7


def test_an_engine_that_keeps_failing_is_given_up() -> None:
    run = check_with(fail_with(CrashedError("gone")), jobs=2)
    assert run.done == MAX_FAILURES_IN_A_ROW
    assert run.stopped == "GIVEN UP after 20 of 150 cases: it failed on 20 cases in a row"
    unstable_run = check_with(fail_with(CrashedError("gone"), lambda case: case.board[25] > 0))
    assert (unstable_run.done, unstable_run.stopped) == (150, "")


def test_an_engine_that_cannot_be_started_again_is_given_up() -> None:
    question_count = 0

    def change(case: Case, legal: list[Board]) -> list[Board]:
        nonlocal question_count
        question_count += 1
        if question_count > 9:
            raise MissingEngineError("gone for good")
        return legal

    run = check_with(change)
    assert run.done == 9
    assert "GIVEN UP after 9 of 150 cases: it cannot be started again: gone for good" in run.stopped


def test_unreachable_cases_do_not_count_as_agreement() -> None:
    unreachable_run = check_with(fail_with(UnreachableError("no")))
    assert unreachable_run.unchecked.startswith("NOT CHECKED")
    assert (unreachable_run.done, unreachable_run.compared_count) == (150, 0)
    hypergammon_run = check_with(lambda case, legal: legal, checkers=(3,))
    assert hypergammon_run.unchecked.startswith("NOT CHECKED")


def test_missing_failing_and_unable_engines_are_not_checked() -> None:
    def opener(error: Exception) -> Callable[[], Fake]:
        def fail() -> Fake:
            raise error

        return fail

    missing_run = open_run("foo", opener(MissingEngineError("pip install foo")), "standard")
    assert missing_run.unchecked == "MISSING: pip install foo"
    failing_run = open_run("foo", opener(CrashedError("gone")), "standard")
    assert failing_run.unchecked == "DOES NOT START: gone"
    fake = Fake(rules=("standard",))
    unable_run = open_run("foo", lambda: fake, "exact")
    assert unable_run.unchecked == "SKIPPED: it plays standard only, not exact"
    check(unable_run, lambda: fake, CaseList(random=3, rules=EXACT))
    assert (fake.cases, unable_run.done) == ([], 0)


# ---- resuming from a file ----


def resume(path: Path, change: Change, cases: CaseList = CASES, stop_after: int | None = None) -> EngineRun:
    fake = Fake(change)
    run = open_run("fake", lambda: fake, "standard")
    resume_file = ResumeFile(path)
    resume_file.begin({**cases.job(), "engine": run.version})

    def progress(done: int) -> None:
        if done == stop_after:
            raise KeyboardInterrupt

    try:
        check(run, lambda: fake, cases, resume=resume_file, progress=progress)
    except KeyboardInterrupt:
        assert stop_after is not None
    return run


@pytest.mark.parametrize(
    ("change", "classes"),
    [
        (ignores_bar, [("illegal", "bar-first")]),
        (
            lambda case, legal: list(map(reference.flip, ignores_bar(case, legal))),
            [("flipped", "whole-board"), ("illegal", "bar-first")],
        ),
        (fail_with(UnreachableError("no"), lambda case: case.board[25] > 0), []),
    ],
)
def test_a_resumed_run_gives_the_same_result(
    change: Change, classes: list[tuple[str, str]], tmp_path: Path
) -> None:
    complete_run = resume(tmp_path / "whole", change)
    path = tmp_path / "parts"
    first_run = resume(path, change, stop_after=40)
    assert first_run.stopped == "INTERRUPTED after 40 of 150 cases"
    second_run = resume(path, change, stop_after=90)
    assert second_run.done == 90
    last_run = resume(path, change)
    assert len(last_run.engine.cases) == 60  # type: ignore[attr-defined]
    assert last_run.unreachable == complete_run.unreachable
    assert (complete_run.unreachable > 20) == (not classes)
    for run in (complete_run, last_run):
        find_examples(run, time_limit=1)
        run.seconds, run.engine = 0, None
        run.evidence.excluded.clear()  # not needed for cases from the file
    assert last_run == complete_run
    assert list(map(tuple, last_run.classes)) == classes
    repeated_run = resume(path, fail_with(AssertionError("question")))
    assert counts(repeated_run) == counts(complete_run)


def test_attribution_uses_all_resumed_cases(tmp_path: Path) -> None:
    def change(case: Case, legal: list[Board]) -> list[Board]:
        return LiftingEngine("bear-off-higher-point").successors(case)

    # The first case alone has another possible cause: a bear-off before all are home.
    indices = (24, 2, 3, 6, 7)
    sample = [list(BEAR_OFFS)[index] for index in indices]
    cases = CaseList(file=PositionFile(tuple(FilePosition(case.board, 15, case.roll) for case in sample), ""))
    complete_run = resume(tmp_path / "whole", change, cases)
    assert [tuple(class_) for class_ in complete_run.classes] == [("illegal", "bear-off-higher-point")]
    first_run = resume(tmp_path / "parts", change, cases, stop_after=1)
    assert [tuple(class_) for class_ in first_run.classes] == [("illegal", "bear-off-before-all-home")]
    last_run = resume(tmp_path / "parts", change, cases)
    assert last_run.classes == complete_run.classes
    assert last_run.evidence == complete_run.evidence


def test_a_given_up_engine_stays_given_up(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first_run = resume(path, fail_with(CrashedError("gone")))
    resumed_run = resume(path, fail_with(AssertionError("question")))
    assert resumed_run.stopped == first_run.stopped
    assert resumed_run.done == MAX_FAILURES_IN_A_ROW


CORRUPTIONS = {
    '"first":0': ['"first":1', '"first":false'],
    '"end":50': ['"end":0'],
    '"first":0,"end":50': ['"first":1,"end":51'],
    '"engine":"fake"': ['"engine":["fake"]'],
    '"rule":"several-rules"': ['"rule":"foo"', '"rule":{}'],
    r'\[\["bar-first"\]': ['[["foo"]', "[[{}]"],
    '"unreachable":0': ['"unreachable":99'],
    r'"wrong":\[': ['"wrong":[{},', '"wrong":7,"other":['],
    '"message":""': ['"message":[]'],
    r'"boards":\[\[.*?\]\]': [
        '"boards":[7]',
        *(f'"boards":[[{number}{25 * ",0"}]]' for number in ("1e999", "16", "1")),
    ],
}
"""Replacements by the pattern that they replace."""


def test_impossible_records_are_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "file"
    resume(path, ignores_bar, stop_after=50)
    header, record = lines_of(path)
    text = json.dumps(record, separators=(",", ":"))
    for pattern, replacements in CORRUPTIONS.items():
        for replacement in replacements:
            changed_text, replacement_count = re.subn(pattern, replacement, text)
            assert replacement_count
            path.write_bytes(journal_bytes([header, json.loads(changed_text)]))
            content = path.read_bytes()
            message = f"^resume file {path}: record 1: it is not a record of a cross-check; left as it is$"
            with pytest.raises(BgfastError, match=message) as refusal:
                ResumeFile(path)
            assert path.read_bytes() == content
            path.write_bytes(journal_bytes([header, record]))
            ResumeFile(path).close()  # not locked, although the error is still referenced
            assert refusal.tb


def test_a_file_of_another_job_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "file"
    resume(path, ignores_bar)
    rewrite(path, lambda lines: lines[0]["job"].update(generation=1, seed=0))
    content = path.read_bytes()
    for cases, difference in (
        (CASES, "its seed is 0, here it is 1"),
        (CaseList(named=((START, (3, 1)),), random=120, games=30), "its named is 0, here it is 1"),
        (CaseList(random=120, games=30), "its generation is 1, here it is 3"),
    ):
        with pytest.raises(BgfastError, match=f"belongs to another cross-check: {difference}"):
            resume(path, ignores_bar, cases)
        assert path.read_bytes() == content
