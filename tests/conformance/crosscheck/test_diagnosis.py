"""Diagnosis of single cases with hand-made positions, most of them from rule_positions.txt."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bgfast import Position, RuleSet
from bgfast.conformance.crosscheck.attribution import Attribution
from bgfast.conformance.crosscheck.crosscheck_report import Result, describe_results
from bgfast.conformance.crosscheck.disagreements import (
    ILLEGAL_RULES,
    MISSING_PLAYS,
    Comparison,
    Disagreement,
    Symptom,
    illegal_causes,
    missing_causes,
    missing_kind,
)
from bgfast.conformance.protocol import Case
from bgfast.position import turn
from bgfast.position.turn import Turn, may_lead
from tests.support.diagnosing import board_after
from tests.support.rule_cases import RULE_SETS, START, rule_cases

LAST_CHECKER = "must-play-both-last-checker"
VANISHING = "hit-not-taken:added-up, hit-not-taken:swallowed"
BOARDS = {case.id: case.board for case in rule_cases()}


def replace(board: tuple[int, ...], **points: int) -> tuple[int, ...]:
    """Return a board with other checkers on some points, such as p22=1; the opponent's bar is p0."""
    after = list(board)
    for name, count in points.items():
        after[int(name[1:])] = count
    return tuple(after)


def parse(points: str) -> tuple[int, ...]:
    """Parse a board such as "p6=2 p1=-1", by default with two opposing checkers on point 24."""
    counts = dict(point.split("=") for point in points.split())
    return replace((0,) * 26, **{"p24": -2} | {point: int(count) for point, count in counts.items()})


LAST_CHECKER_BOARD = replace((0,) * 26, p4=1, p3=-1)

ILLEGAL = [
    ("pass-though-a-play-exists", BOARDS["P19"], (5, 3), "standard", BOARDS["P19"]),
    ("pass-listed", BOARDS["P13"], (6, 4), "standard", BOARDS["P13"]),
    ("must-play-both", BOARDS["P09"], (6, 3), "standard", "24/18"),
    ("must-play-both", BOARDS["P14"], (5, 4), "exact", "7/3*"),
    ("must-play-both-last-checker", LAST_CHECKER_BOARD, (6, 1), "standard", "4/off"),
    ("higher-die", BOARDS["P10"], (6, 4), "standard", "24/20"),
    ("higher-die", BOARDS["P22"], (3, 6), "standard", "bar/22"),
    ("as-many-as-possible", BOARDS["P12"], (5, 5), "standard", "20/15 14/9"),
    ("bar-first", BOARDS["P18"], (5, 3), "standard", "bar/22 13/8"),
    ("bar-first", BOARDS["P21"], (3, 3), "standard", "bar/22 6/3 6/3 22/19"),
    ("blocked-point", BOARDS["P23"], (6, 5), "standard", replace(BOARDS["P23"], p13=0, p8=-1)),
    ("blocked-point", BOARDS["P23"], (6, 5), "standard", replace(BOARDS["P23"], p13=0, p8=1)),
    ("blocked-point", BOARDS["P23"], (6, 5), "standard", replace(BOARDS["P23"], p13=0, p8=1, p0=-2)),
    ("bear-off-before-all-home", BOARDS["P53"], (5, 1), "standard", "1/off"),
    ("bear-off-higher-point", BOARDS["P56"], (4, 1), "standard", "3/off 6/5"),
    ("bear-off-too-far", BOARDS["P56"], (4, 1), "standard", "6/2 3/off"),
    ("bear-off-exact-number", BOARDS["P34"], (6, 5), "exact", "4/off"),
    ("bear-off-rearmost-only", BOARDS["P42"], (2, 2), "rear_first", "2/off"),
    ("bear-off-compulsory", BOARDS["P43"], (6, 5), "five_stack", "6/1 5/off"),
    ("full-point", START, (6, 5), "five_stack", "24/18 18/13"),
    ("hit-not-taken", BOARDS["P20"], (5, 3), "standard", replace(BOARDS["P20"], p25=0, p17=1, p22=0)),
    ("hit-not-taken", BOARDS["P06"], (5, 4), "standard", replace(BOARDS["P06"], p24=0, p19=0, p15=-1)),
    ("hit-not-taken", BOARDS["P06"], (5, 4), "standard", replace(BOARDS["P06"], p24=0, p20=0, p15=0, p0=-1)),
    ("too-many-dice", START, (3, 1), "standard", "8/5 8/5 6/5"),
    ("too-many-dice", START, (2, 2), "standard", "13/11 13/11 13/11 13/11 13/11"),
    ("several-rules", parse("p25=1 p6=1"), (2, 1), "standard", parse("p25=1")),
    ("not-reachable", START, (3, 1), "standard", "13/3"),
    ("not-reachable", START, (3, 1), "standard", replace(START, p8=4)),
]
"""Broken rule, board, roll, rules, and the listed play or board."""


def describe_result(
    board: tuple[int, ...], roll: tuple[int, int], rules: RuleSet, result: tuple[int, ...]
) -> Result:
    """Return the description of the only wrong result of an engine."""
    symptom = Symptom("illegal", *illegal_causes(Turn(board, roll, rules), result))
    comparison = Comparison(0, Case(board, roll, rules), True, (Disagreement(symptom, (result,)),))
    return describe_results(comparison, [result], Attribution({frozenset({symptom}): 1}))[0]


def test_illegal_results_break_the_expected_rule() -> None:
    for rule, board, roll, rules, listed in ILLEGAL:
        result = board_after(board, listed) if isinstance(listed, str) else listed
        plays = Position.from_array(board).plays(roll, RULE_SETS[rules])
        assert result not in list(map(tuple, plays.boards.tolist()))
        description = describe_result(board, roll, RULE_SETS[rules], result)
        assert description.rules == (rule,)
        assert description.play is None or board_after(board, description.play) == result
    # A single result cannot prove a wrong forfeit.
    forfeits = {"forfeit-occupied-point", "forfeit-before-all-home"}
    assert {row[0] for row in ILLEGAL} == set(ILLEGAL_RULES) - forfeits


def variants(rules: str) -> str:
    """Return text that lists the rules with each variant of the last rule."""
    return ", ".join(f"{rules}:{way}" for way in ("one-hit", "all-hit", "vanishing", "added-up", "swallowed"))


def rows(table: str) -> Iterator[list[str]]:
    """Yield the cells of a table, one row per line."""
    return ([cell.strip() for cell in line.split("|")] for line in table.strip().splitlines())


def turn_of(board: str, roll: str, rules: str) -> Turn:
    high, low = map(int, roll)
    return Turn(parse(board), (high, low), RULE_SETS[rules])


EXPLANATIONS = f"""
p6=1            | 42 | standard   |       | pass-though-a-play-exists
p6=1 p5=1       | 63 | standard   | 6/off | must-play-both, bear-off-higher-point, too-many-dice
p4=1 p3=-1      | 61 | standard   | 4/off | {LAST_CHECKER}, must-play-both, {VANISHING}
p4=1            | 41 | exact      | F4 F1 | pass-though-a-play-exists, forfeit-occupied-point
p9=1            | 21 | exact      | 9/8   | must-play-both, forfeit-before-all-home
p25=1 p13=1     | 53 | standard   | 13/5  | bar-first
p25=1 p13=1     | 53 | standard   | 13/8  | must-play-both+bar-first
p13=1           | 55 | standard   | 13/3  | as-many-as-possible
p24=1 p14=-2    | 64 | standard   | 24/20 | higher-die, must-play-both+too-many-dice, {variants("must-play-both+blocked-point")}
p24=1 p20=-2 p18=-2 | 64 | standard | | pass-listed, {variants("pass-though-a-play-exists+blocked-point")}
p4=1 p3=-2 p2=-2 | 21 | exact     |       | pass-listed, bear-off-too-far, {variants("blocked-point")}
p6=1 p5=-1      | 11 | five_stack | 6/off | bear-off-too-far, hit-not-taken:swallowed
"""  # noqa: E501
"""Board, roll, rules, result, and all rules that may explain the result.

Row 2: 6/off alone is legal if the 6 may not bear off from 5 after 6/3. Row 3: 4/off is legal if checkers
vanish. If no point were blocked, both numbers could be played in row 9, either number in row 10, and both
could be forfeited in row 11. Row 12: 6/off is legal if the 1 may bear it off.
"""


def test_all_rules_that_may_explain_a_result_are_found() -> None:
    for board, roll, rules, listed, causes in rows(EXPLANATIONS):
        _, diagnosed = illegal_causes(turn_of(board, roll, rules), board_after(parse(board), listed))
        assert ", ".join(map("+".join, diagnosed)) == causes


REASONS = """
p25=2 p13=1      | 53 | standard   | bar/22 13/8  | 2 checkers are on the bar and must enter first
p25=1 p5=1       | 53 | standard   | bar/22 5/off | no checker may be borne off while one stands outside home, on 22
p5=1 p3=1        | 41 | standard   | 3/off 5/4    | the 4 may not bear a checker off from 3 while one stands higher, on 5
p5=1 p3=1        | 41 | standard   | 5/1 3/off    | the 1 does not bear a checker off from 3
p4=2             | 65 | exact      | 4/off 4/off  | the 6 bears a checker off from 6 only, not from 4
p5=1 p2=2        | 21 | rear_first | 2/off 2/1    | the 2 may not bear a checker off from 2 while one stands higher, on 5
p6=2 p5=1        | 65 | five_stack | 6/1 6/off    | the 5 can bear a checker off from 5, so it must
p13=1 p8=-2 p7=6 | 65 | five_stack | 13/7 7/2     | 7 holds 6 checkers already
"""  # noqa: E501


def test_illegal_plays_are_described_with_a_reason() -> None:
    for board, roll, rules, play, reason in rows(REASONS):
        turn = turn_of(board, roll, rules)
        description = describe_result(parse(board), turn.roll, turn.rules, board_after(parse(board), play))
        assert description.reason == reason
        assert board_after(parse(board), description.play) == board_after(parse(board), play)


def test_illegal_captures_are_described_without_notation() -> None:
    for opponents, final_count, hit_count, reason in (
        (1, 1, 0, "13/8 lands on 8, and the single opposing checker there vanishes"),
        (1, 0, 0, "13/8 lands on 8, and the single opposing checker there vanishes, and so does the mover's"),
        (1, -1, 0, "13/8 lands on 8, and the single opposing checker there stays, and the mover's vanishes"),
        (2, 1, 1, "13/8 lands on 8, held by 2 opposing checkers: one is hit, the other vanishes"),
        (3, 1, 1, "13/8 lands on 8, held by 3 opposing checkers: one is hit, the others vanish"),
        (3, 1, 3, "13/8 lands on 8, held by 3 opposing checkers: all are hit"),
        (3, 1, 0, "13/8 lands on 8, held by 3 opposing checkers: they vanish"),
        (3, -2, 0, "13/8 lands on 8, held by 3 opposing checkers: the numbers are added up"),
        (3, -3, 0, "13/8 lands on 8, held by 3 opposing checkers: the mover's checker vanishes"),
    ):
        before = parse(f"p13=1 p20=1 p8={-opponents}")
        after = replace(before, p13=0, p8=final_count, p0=-hit_count, p20=0, p19=1)
        description = describe_result(before, (5, 1), RULE_SETS["standard"], after)
        assert description.rules == ("hit-not-taken" if opponents == 1 else "blocked-point",)
        assert (description.play, description.reason) == (None, reason)


def test_unreachable_boards_are_diagnosed_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    # Engines that confuse sides or points list hundreds of such boards in one answer.
    board = (-5, 1, 2, -1, 1, -1, 0, 0, -1, 1, 1, 0, 1, 0, 1, 1, 2, 0, 0, 0, 0, 0, -1, 0, -2, 0)
    states = []
    monkeypatch.setattr(turn, "may_lead", lambda *state: states.append(state) or may_lead(*state))
    result = replace(board, **dict.fromkeys(("p16", "p15", "p14", "p12", "p10", "p9", "p4", "p2", "p1"), 0))
    assert illegal_causes(Turn(board, (3, 3), RULE_SETS["standard"]), result) == ("not-reachable", ())
    assert len(states) < 200


def test_every_illegal_sample_of_the_rule_file_breaks_some_rule() -> None:
    samples = [(case, board) for case in rule_cases() for board in case.illegal]
    assert len(samples) == 4
    for case, board in samples:
        assert illegal_causes(Turn(case.board, case.dice, case.rules), board)[1], str(case)


def test_symptoms_from_a_changed_resume_file_do_not_crash_the_report() -> None:
    symptom = Symptom("illegal", "several-rules", (("bar-first",),))
    comparison = Comparison(0, Case(START, (3, 1)), True, (Disagreement(symptom, (LAST_CHECKER_BOARD,)),))
    (result,) = describe_results(comparison, [LAST_CHECKER_BOARD], Attribution({frozenset({symptom}): 1}))
    assert (result.play, result.rules) == (None, ("bar-first",))


OMISSIONS = """
p6=2 p2=1 p1=-2 | 54 | standard   | 6/2          | | bear-off-higher-point, bear-off-too-far, blocked-point, too-many-dice
p24=1 p21=-1    | 31 | standard   | 24/21* 21/20 | | hit-not-taken, too-many-dice
p5=1 p3=1       | 42 | five_stack | 5/1 3/1      | | bear-off-higher-point, bear-off-too-far, too-many-dice
p24=1 p14=-2    | 64 | standard   | 24/18 | higher-die | blocked-point, higher-die, too-many-dice
p24=1           | 64 | standard   | 24/14 | must-play-both | too-many-dice
"""  # noqa: E501
"""Board, roll, rules, missing play, rule that a listed play breaks, and rules that cause the omission.

Row 1: both numbers can be played if the 5 bears a checker off from 2. Row 3: if the 4 may bear a checker off
from 3, it must.
"""


def test_missing_plays_are_caused_by_a_lifted_rule() -> None:
    for board, roll, rules, play, broken_rule, expected in rows(OMISSIONS):
        listed_causes = [((broken_rule,),)] if broken_rule else [()]
        after = board_after(parse(board), play)
        (causes,) = missing_causes(turn_of(board, roll, rules), [after], listed_causes)
        assert ", ".join(sorted({rule.partition(":")[0] for cause in causes for rule in cause})) == expected


KIND_CASES = [
    ("forfeits", BOARDS["P36"], (4, 1), "exact", "4/3 F4"),
    ("one-die-only", BOARDS["P10"], (6, 4), "standard", "24/18"),
    ("hits", BOARDS["P20"], (5, 3), "standard", "bar/22* 22/17"),
    ("enters-from-bar", parse("p25=1 p13=1 p1=-2"), (5, 3), "standard", "bar/20 13/10"),
    ("bears-off", BOARDS["P37"], (6, 5), "standard", "2/off 2/off"),
    ("hits", BOARDS["P06"], (5, 4), "standard", "24/19 19/15*"),
    ("double", START, (5, 5), "standard", "13/8 13/8 8/3 8/3"),
    ("runs-with-one-checker", START, (6, 5), "standard", "24/18 18/13"),
    ("plain", START, (3, 1), "standard", "8/5 6/5"),
]


def test_missing_plays_have_the_expected_kind() -> None:
    for kind, board, roll, rules, play in KIND_CASES:
        plays = Position.from_array(board).plays(roll, RULE_SETS[rules])
        row = list(map(tuple, plays.boards.tolist())).index(board_after(board, play))
        assert missing_kind(plays, row) == kind
    assert {row[0] for row in KIND_CASES} | {"pass"} == set(MISSING_PLAYS)
