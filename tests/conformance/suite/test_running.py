"""Suite runs: correct engines pass, incorrect engines fail with reports of their errors."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bgfast import Position, perft
from bgfast.conformance.protocol import CrashedError, HungError, MissingEngineError, UnreachableError
from bgfast.conformance.suite.suite_file import PerftLine, Suite, SuiteCase, set_hash
from bgfast.conformance.suite.suite_run import (
    MAX_FAILURES,
    MAX_SHOWN,
    Outcome,
    Runner,
    report_content,
    report_text,
    select_lines,
)
from tests.support.faulty_engines import BOARD_FAULTS, Fake
from tests.support.lifting_engines import LiftingEngine
from tests.support.published_suite import SUITE
from tests.support.rule_cases import START

P10 = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,0,0,0,0,0,1,0"
LAST_CHECKER = "must-play-both-last-checker"


def run(engine: Fake, only: str | None = None, depth: int = 0, suite: Suite = SUITE) -> Outcome:
    fractions: list[float] = []
    runner = Runner(suite, select_lines(suite, only), engine, depth)
    runner.run(fractions.append)
    assert fractions == sorted(fractions)
    assert not fractions or fractions[-1] <= 1
    assert not runner.outcome.pending
    return runner.outcome


def counts(outcome: Outcome) -> tuple[int, int, int]:
    total = outcome.total
    return total.passed, total.failed, sum(total.not_run.values())


# ---------------------------------------------------------------- correct engines


def test_a_correct_engine_passes_every_case() -> None:
    suite = SUITE._replace(cases=SUITE.cases[::10])
    outcome = run(Fake(), suite=suite)
    assert counts(outcome) == (len(suite.cases), 0, len(SUITE.perft))
    assert outcome.is_success
    assert list(outcome.tallies) == list(dict.fromkeys(line.section for line in SUITE.lines))
    assert outcome.tallies["perft"].not_run == {"deeper than --perft 0": len(SUITE.perft)}


def test_the_engine_gets_board_roll_and_rules_of_the_file() -> None:
    engine = Fake()
    run(engine, "named")
    cases = [case for case in SUITE.cases if case.section == "named"]
    assert [(case.board, case.roll) for case in engine.cases] == [(case.board, case.roll) for case in cases]
    assert [case.rules for case in engine.cases] == [SUITE.rule_sets[case.rules] for case in cases]


def test_order_and_permitted_repetitions_do_not_matter() -> None:
    assert run(Fake(lambda case, legal: legal[::-1]), "named").is_success
    assert run(Fake(lambda case, legal: legal * 2, distinct=False), "named").is_success
    assert counts(run(Fake(lambda case, legal: legal * 2), "P06"))[:2] == (0, 4)


def three_checker_suite() -> tuple[Suite, list[tuple[int, int]]]:
    """Return a suite of perft lines for three checkers per side to depth 3, and the leaves to depth 2."""
    position = Position.hypergammon()
    leaves = [(perft(position, depth), perft(position, depth, weighted=True)) for depth in (1, 2)]
    board = tuple(position.to_array().tolist())
    lines = tuple(
        PerftLine(f"three-{depth}", "perft", "standard", board, depth, depth_leaves)
        for depth, depth_leaves in enumerate([*leaves, leaves[1]], 1)
    )
    return SUITE._replace(cases=(), perft=lines), leaves


def test_perft_is_exact_and_asks_once_about_equal_positions() -> None:
    engine, (suite, leaves) = Fake(), three_checker_suite()
    outcome = run(engine, "perft", 2, suite)
    assert counts(outcome) == (2, 0, 1)
    assert 21 < len(engine.cases) < 21 * (1 + leaves[0][0])
    assert len({(case.board, case.roll) for case in engine.cases}) == len(engine.cases)


def test_perft_counts_finished_games_and_distinct_boards() -> None:
    lines = [line for line in SUITE.perft if line.id.startswith("perft-bearoff") and line.depth < 3]
    last_board = (0, 1, *(0,) * 22, -1, 0)  # both sides bear off with any roll
    last_lines = [
        PerftLine(f"last{depth}", "perft", "standard", last_board, depth, leaves)
        for depth, leaves in ((1, (21, 36)), (2, (21, 36)), (4, (21, 36)))
    ]
    suite = SUITE._replace(perft=(*lines, *last_lines))
    assert counts(run(Fake(), "perft", 9, suite)) == (len(lines) + 3, 0, 0)
    assert counts(run(Fake(lambda case, legal: legal * 2, distinct=False), "perft", 1, suite))[1] == 0
    assert counts(run(Fake(lambda case, legal: legal * 2), "last1", 1, suite))[1] == 1


def test_perft_is_exact_when_games_end_at_several_depths() -> None:
    board = (0, 0, 0, 1, 0, 0, 1, *(0,) * 11, -1, -1, *(0,) * 5, 0)
    position = Position.from_array(board)
    lines = []
    for depth in (1, 2, 3, 4):
        leaves = (perft(position, depth, bulk=False), perft(position, depth, bulk=False, weighted=True))
        lines.append(PerftLine(f"end{depth}", "perft", "standard", board, depth, leaves))
    assert counts(run(Fake(), "perft", 4, SUITE._replace(cases=(), perft=tuple(lines)))) == (4, 0, 0)


# ---------------------------------------------------------------- lines that are not run


def test_rules_that_the_engine_does_not_play_are_not_run() -> None:
    suite = SUITE._replace(cases=SUITE.cases[::8])
    outcome = run(Fake(rules=("standard", "five_stack")), depth=1, suite=suite)
    not_run = outcome.total.not_run
    for name in ("exact", "rear_first", "strict"):
        lines = [line for line in suite.lines if line.rules == name]
        assert not_run[f"the engine does not play the rule set {name}"] == len(lines)
    five_stack = [case for case in suite.cases if case.section == "five_stack"]
    assert outcome.tallies["five_stack"].passed == len(five_stack) > 50
    assert outcome.tallies["exact"].passed == outcome.tallies["exact"].failed == 0
    assert outcome.is_success


def test_rule_sets_are_matched_by_switches_not_names() -> None:
    suite = SUITE._replace(
        rule_sets={"exact": SUITE.rule_sets["standard"]},
        cases=tuple(case for case in SUITE.cases if case.section == "exact"),
        perft=(),
    )
    assert counts(run(Fake(rules=("exact",)), suite=suite)) == (0, 0, 576)
    assert counts(run(Fake(rules=("standard",)), suite=suite))[2] == 0


def test_unsuitable_engines_run_no_case() -> None:
    for capabilities, reason in (
        ({"positions": False}, "the engine only replays games and cannot be set to a position"),
        ({"checkers": (3,)}, "the engine does not play with 15 checkers per side"),
    ):
        engine = Fake(**capabilities)
        outcome = run(engine, depth=2)
        assert outcome.total.not_run == {reason: len(SUITE.lines)}
        assert engine.cases == []
        assert not outcome.is_success
        text = report_text(report_content(outcome))
        assert text.endswith(f"nothing was run (0 passed, 0 failed, {len(SUITE.lines)} not run)")


def test_unreachable_positions_are_not_run() -> None:
    def refuse_bar(case, legal):
        if case.board[25]:
            raise UnreachableError("on the bar")
        return legal

    outcome = run(Fake(refuse_bar), "named")
    on_bar = sum(case.board[25] > 0 for case in SUITE.cases if case.section == "named")
    assert outcome.total.not_run == {"the engine cannot be set to the position": on_bar}
    assert outcome.total.failed == 0

    def refuse_other_boards(case, legal):
        if case.board != START:
            raise UnreachableError("not the start")
        return legal

    outcome = run(Fake(refuse_other_boards), "perft-start-standard", 2)
    assert outcome.total.passed == 1
    assert outcome.total.not_run["the engine cannot be set to a position that follows"] == 1


# ---------------------------------------------------------------- incorrect engines


def failure_of(change, name: str) -> dict[str, Any]:
    """Return the only failure of a changed engine, as in the JSON report."""
    (failure,) = report_content(run(Fake(change), name))["failures"]
    return failure


def plays_of(failure: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    return failure["missing"], failure["illegal"], failure["repeated"]


LOWER_DIE_BOARD = (*map(int, P10.split(",")[:20]), 1, 0, 0, 0, 0, 0)


def test_wrong_plays_are_reported() -> None:
    for name, change, *plays in (
        ("P34-65", lambda case, legal: legal[1:], ("4/off",), (), ()),
        ("P10-64", lambda case, legal: [*legal, LOWER_DIE_BOARD], (), ("24/20 (higher-die)",), ()),
        ("P10-64", lambda case, legal: legal[:1] + legal, (), (), ("24/18",)),
        ("P10-64", lambda case, legal: [case.board], ("24/18",), ("pass (pass-though-a-play-exists)",), ()),
    ):
        failure = failure_of(change, f"{name}-standard")
        assert plays_of(failure) == tuple(plays)
    # The last list has the correct number of plays.
    assert failure["got"]["count"] == failure["expected"]["count"] == 1
    assert failure["got"]["hash"] != failure["expected"]["hash"]


def test_a_wrong_suite_is_reported() -> None:
    case = next(case for case in SUITE.cases if case.id == "P10-64-standard")
    wrong_case = SuiteCase(**vars(case) | {"digest": set_hash([case.board])})
    content = report_content(run(Fake(), suite=SUITE._replace(cases=(wrong_case,), perft=())))
    (failure,) = content["failures"]
    assert "the suite's result differs" in failure["message"]
    assert plays_of(failure) == ((), (), ())
    assert [(group["kind"], group["ids"]) for group in content["groups"]] == [("suite", [wrong_case.id])]


def test_wrong_perft_totals_are_reported() -> None:
    suite, leaves = three_checker_suite()
    engine = Fake(lambda case, legal: legal[1:] if case.roll == (6, 5) else legal)
    outcome = run(engine, "perft", 2, suite)
    assert counts(outcome) == (0, 2, 1)
    depth_1, depth_2 = outcome.failures
    assert tuple(depth_1.got.values()) == (leaves[0][0] - 1, leaves[0][1] - 2)
    assert tuple(depth_2.line.expected_figures.values()) == leaves[1]
    expected_text = "expected {} leaves over 21 rolls, {} over 36".format(*leaves[0])
    assert f"{expected_text}; got {leaves[0][0] - 1} leaves" in report_text(report_content(outcome))
    (group,) = report_content(outcome)["groups"]
    assert (group["kind"], group["rule"], group["cases"]) == ("perft", "other-count", 2)


def test_perft_fails_with_impossible_boards_and_vanishing_checkers() -> None:
    # One engine changes the signs, the other does not put hit checkers on the bar.
    outcome = run(Fake(BOARD_FAULTS["flips-signs"]), "perft-bearoff-standard", 1)
    (failure,) = outcome.failures
    assert failure.message.startswith("it listed an impossible board, the mover has 15 checkers on it")
    board = (0, 0, 0, -1, 1, *[0] * 21)
    lines = tuple(
        PerftLine(f"vanishing{depth}", "perft", "standard", board, depth, (1, 1)) for depth in (1, 2)
    )
    engine = Fake(BOARD_FAULTS["forgets-hits"])
    assert counts(run(engine, "perft", 2, SUITE._replace(cases=(), perft=lines)))[1] == 2
    assert all(max(case.board) > 0 > min(case.board) for case in engine.cases)


def test_wrong_perspectives_form_a_group() -> None:
    outcome = run(Fake(BOARD_FAULTS["flips-points"]), "P20")
    content = report_content(outcome)
    assert [(group["kind"], group["rule"]) for group in content["groups"]] == [("flipped", "points-only")]
    assert content["failures"][0]["message"].startswith("the first was listed as 0 0 0 0 0 -2 ")


def test_an_engine_that_fails_every_other_time_is_not_given_up() -> None:
    def fail(case, legal):
        if len(engine.cases) % 2:
            raise CrashedError("again")
        return legal

    engine = Fake(fail)
    assert counts(run(engine, "named")) == (110, 110, 0)


def test_an_engine_that_always_fails_is_given_up() -> None:
    def fail(case, legal):
        raise CrashedError("again")

    outcome = run(Fake(fail), "P1")
    assert outcome.total.failed == MAX_FAILURES
    ((reason, not_run),) = outcome.total.not_run.items()
    assert "5 times in a row" in reason
    assert not_run + MAX_FAILURES == len(select_lines(SUITE, "P1"))


def test_an_engine_that_cannot_be_restarted_is_not_asked_again() -> None:
    def fail_to_start(case, legal):
        raise MissingEngineError("cannot start 'x'")

    engine = Fake(fail_to_start)
    outcome = run(engine, depth=1)
    assert len(engine.cases) == outcome.total.failed == 1
    assert outcome.failures[0].message == "cannot start 'x'"


def test_the_text_shows_the_first_failures_of_each_group_and_json_all() -> None:
    cases = tuple(case for case in SUITE.cases if case.section == "hard")[::24]
    outcome = run(Fake(lambda case, legal: legal[1:]), suite=SUITE._replace(cases=cases, perft=()))
    text = report_text(report_content(outcome))
    failed_count = len(outcome.failures)
    assert failed_count > 70
    total = f"({len(cases) - failed_count} passed, {failed_count} failed, 0 not run)"
    assert text.endswith(f"FAILED: {failed_count} cases {total}")
    assert max(map(len, text.splitlines())) < 700
    content = report_content(outcome)
    assert len(content["failures"]) == content["failed"] == failed_count
    counts_by_group = [group["cases"] for group in content["groups"]]
    assert counts_by_group == sorted(counts_by_group, reverse=True)
    assert sum(counts_by_group) == failed_count  # one play is missing in each case
    for group in content["groups"]:
        group_text = text.split(f"\n== missing, {group['rule']}\n")[1].split("\n==")[0].split("\nFAILED")[0]
        assert group_text.count("\n  board ") == min(MAX_SHOWN, group["cases"])
        hidden_count = group["cases"] - MAX_SHOWN
        note = f"... and {hidden_count} cases more; --json lists them all"
        assert (note in group_text) == (hidden_count > 1)


def test_the_text_shows_a_case_in_several_groups_once() -> None:
    def change(case, legal):
        return [
            board for board in LiftingEngine("bear-off-higher-point").successors(case) if board != legal[0]
        ]

    cases = tuple(case for case in SUITE.cases if case.section == "bearoff")[::40]
    outcome = run(Fake(change), suite=SUITE._replace(cases=cases, perft=()))
    content = report_content(outcome)
    group_counts = Counter(name for group in content["groups"] for name in group["ids"])
    lines = report_text(content).splitlines()
    shown_counts = Counter(line.partition(",")[0] for line in lines if ", rules " in line)
    assert any(group_counts[name] > 1 for name in shown_counts)
    assert set(shown_counts.values()) == {1}


def test_failures_are_grouped_by_rule_with_counts_first() -> None:
    def change(case, legal):
        boards = sorted(LiftingEngine("bear-off-higher-point").successors(case))
        return boards[1:] if case.board[25] else boards

    cases = tuple(case for case in SUITE.cases if case.section == "bearoff")[::24]
    outcome = run(Fake(change), suite=SUITE._replace(cases=cases, perft=()))
    content = report_content(outcome)
    top_group, *other_groups = content["groups"]
    assert (top_group["kind"], top_group["rule"]) == ("illegal", "bear-off-higher-point")
    assert top_group["sentence"] == "A number above the point bears a checker off only if none stands higher."
    assert top_group["cases"] == len(top_group["ids"]) > 8
    assert {group["kind"] for group in other_groups} <= {"missing"}
    failures = {failure["id"]: failure for failure in content["failures"]}
    assert {name for group in content["groups"] for name in group["ids"]} == set(failures)
    for name in top_group["ids"]:
        assert any("bear-off-higher-point" in play for play in failures[name]["illegal"])
    lines = report_text(report_content(outcome)).splitlines()
    count_index = lines.index(
        f"failed: {top_group['cases']}  illegal, bear-off-higher-point: "
        "A number above the point bears a checker off only if none stands higher."
    )
    assert lines[count_index - 1].startswith("total") or not lines[count_index - 1]
    assert count_index < lines.index("== illegal, bear-off-higher-point")


def test_rules_of_a_play_are_alternatives_or_broken_together() -> None:
    for checkers, roll, after, play in (
        ({4: 1, 3: -1}, (6, 1), {4: 0}, f"4/off ({LAST_CHECKER} or must-play-both or hit-not-taken)"),
        ({25: 1, 13: 1}, (5, 3), {13: 0, 8: 1}, "13/8 (must-play-both and bar-first)"),
    ):
        board = tuple(({24: -1} | checkers).get(point, 0) for point in range(26))
        listed = tuple(after.get(point, number) for point, number in enumerate(board))
        suite = SUITE._replace(
            cases=(SuiteCase("x", "named", "standard", board, roll, 0, "0" * 16),), perft=()
        )
        outcome = run(Fake(lambda case, legal, listed=listed: [*legal, listed]), suite=suite)
        (failure,) = report_content(outcome)["failures"]
        assert failure["illegal"] == (play,)


def test_failures_to_answer_are_grouped_by_kind() -> None:
    def fail(case, legal):
        if len(engine.cases) % 3 == 0:
            raise CrashedError("again")
        if len(engine.cases) % 3 == 1:
            raise HungError("slow")
        return legal

    engine = Fake(fail)
    content = report_content(run(engine, "named"))
    groups = {(group["kind"], group["rule"]): group["cases"] for group in content["groups"]}
    assert groups == {("hang", "no-answer"): 74, ("crash", "ended"): 73}
    engine.cases = [None, None]  # type: ignore[list-item]
    (group,) = report_content(run(engine, "perft-start-standard", 1))["groups"]
    assert (group["kind"], group["cases"]) == ("crash", 1)


def test_an_unreachable_board_is_shown_by_its_id() -> None:
    board = (0, 0, 1, *map(int, P10.split(",")[3:24]), 0, 0)
    failure = failure_of(lambda case, legal: [board], "P10-64-standard")
    assert failure["illegal"] == (f"{Position.from_array(board).gnubg_id} (not-reachable)",)


def test_lines_are_selected_by_section_or_id_prefix() -> None:
    assert {line.section for line in select_lines(SUITE, "hard")} == {"hard"}
    assert {line.id for line in select_lines(SUITE, "P44-62-s")} == {"P44-62-standard", "P44-62-strict"} & {
        line.id for line in SUITE.cases
    }
    assert select_lines(SUITE, None) == SUITE.lines
