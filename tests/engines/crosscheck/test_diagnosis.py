"""Which rule decides: positions by hand, most of them from rule_positions.txt."""

from __future__ import annotations

import pytest

from bgfast import Position
from bgfast.engines.crosscheck import diagnosis
from bgfast.engines.crosscheck.diagnosis import ILLEGAL_RULES, MISSING_PLAYS, broken_rule, missed_play
from bgfast.position import moves
from tests.support.rule_cases import RULE_SETS, START, final_board, rule_cases

BOARDS = {case.id: case.board for case in rule_cases()}


def changed(board: tuple[int, ...], **points: int) -> tuple[int, ...]:
    """The board with other numbers on some points: p22=1 and the like; the opponent's bar is p0."""
    after = list(board)
    for name, number in points.items():
        after[int(name[1:])] = number
    return tuple(after)


LAST = changed((0,) * 26, p4=1, p3=-1)

# rule, board, roll, rules, what the engine lists: a play, or the board
ILLEGAL = [
    ("pass-though-a-play-exists", BOARDS["P19"], (5, 3), "standard", BOARDS["P19"]),
    ("pass-listed", BOARDS["P13"], (6, 4), "standard", BOARDS["P13"]),
    ("must-play-both", BOARDS["P09"], (6, 3), "standard", "24/18"),
    ("must-play-both", BOARDS["P14"], (5, 4), "exact", "7/3*"),
    ("must-play-both-last-checker", LAST, (6, 1), "standard", "4/off"),
    ("higher-die", BOARDS["P10"], (6, 4), "standard", "24/20"),
    ("higher-die", BOARDS["P22"], (3, 6), "standard", "bar/22"),
    ("as-many-as-possible", BOARDS["P12"], (5, 5), "standard", "20/15 14/9"),
    ("bar-first", BOARDS["P18"], (5, 3), "standard", "bar/22 13/8"),
    ("bar-first", BOARDS["P21"], (3, 3), "standard", "bar/22 6/3 6/3"),
    ("blocked-point", BOARDS["P23"], (6, 5), "standard", changed(BOARDS["P23"], p13=0, p8=-1)),
    ("blocked-point", BOARDS["P23"], (6, 5), "standard", changed(BOARDS["P23"], p13=0, p8=1)),
    ("blocked-point", BOARDS["P23"], (6, 5), "standard", changed(BOARDS["P23"], p13=0, p8=1, p0=-2)),
    ("bear-off-before-all-home", BOARDS["P53"], (5, 1), "standard", "1/off"),
    ("bear-off-higher-point", BOARDS["P56"], (4, 1), "standard", "3/off 6/5"),
    ("bear-off-too-far", BOARDS["P56"], (4, 1), "standard", "6/2 3/off"),
    ("bear-off-exact-number", BOARDS["P34"], (6, 5), "exact", "4/off"),
    ("bear-off-rearmost-only", BOARDS["P42"], (2, 2), "rear_first", "2/off"),
    ("bear-off-compulsory", BOARDS["P43"], (6, 5), "five_stack", "6/1 5/off"),
    ("full-point", START, (6, 5), "five_stack", "24/18 18/13"),
    ("hit-not-taken", BOARDS["P20"], (5, 3), "standard", changed(BOARDS["P20"], p25=0, p17=1, p22=0)),
    ("hit-not-taken", BOARDS["P06"], (5, 4), "standard", changed(BOARDS["P06"], p24=0, p19=0, p15=-1)),
    ("hit-not-taken", BOARDS["P06"], (5, 4), "standard", changed(BOARDS["P06"], p24=0, p20=0, p15=0, p0=-1)),
    ("too-many-dice", START, (3, 1), "standard", "8/5 8/5 6/5"),
    ("too-many-dice", START, (2, 2), "standard", "13/11 13/11 13/11 13/11 13/11"),
    ("several-rules", BOARDS["P18"], (5, 3), "standard", changed(BOARDS["P18"], p25=1, p20=1, p13=1, p10=1)),
    ("not-reachable", START, (3, 1), "standard", "13/3"),
    ("not-reachable", START, (3, 1), "standard", changed(START, p8=4)),
]


@pytest.mark.parametrize(("rule", "board", "roll", "rules", "listed"), ILLEGAL)
def test_the_rule_that_an_illegal_result_breaks(
    rule: str, board: tuple[int, ...], roll: tuple[int, int], rules: str, listed: str | tuple[int, ...]
) -> None:
    result = final_board(board, listed) if isinstance(listed, str) else listed
    plays = Position.from_array(board).plays(roll, RULE_SETS[rules])
    assert result not in list(map(tuple, plays.boards.tolist()))
    found = broken_rule(plays, RULE_SETS[rules], result)
    assert found.rule == rule
    assert (found.play is None) == (rule == "not-reachable")


def test_every_rule_has_a_position() -> None:
    assert {row[0] for row in ILLEGAL} == set(ILLEGAL_RULES)


def test_an_illegal_play_is_written_and_explained() -> None:
    plays = Position.from_array(BOARDS["P18"]).plays((5, 3))
    found = broken_rule(plays, RULE_SETS["standard"], final_board(BOARDS["P18"], "bar/22 13/8"))
    assert found.play == "bar/22 13/8"
    assert found.reason == "2 checkers are on the bar and must enter first"


def test_what_is_far_from_every_play_takes_no_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    # An engine that mixes up the sides or the points lists nothing else, hundreds of times in one answer.
    board = (-5, 1, 2, -1, 1, -1, 0, 0, -1, 1, 1, 0, 1, 0, 1, 1, 2, 0, 0, 0, 0, 0, -1, 0, -2, 0)
    steps = []
    monkeypatch.setattr(
        diagnosis, "ordinary_moves", lambda *case: steps.append(case) or moves.ordinary_moves(*case)
    )
    result = changed(board, p16=0, p15=0, p14=0, p12=0, p10=0, p9=0, p4=0)
    plays = Position.from_array(board).plays((3, 3))
    assert broken_rule(plays, RULE_SETS["standard"], result).rule == "not-reachable"
    assert len(steps) < 100


def test_every_illegal_sample_of_the_rule_file_breaks_some_rule() -> None:
    samples = [(case, board) for case in rule_cases() for board in case.illegal]
    assert len(samples) == 4
    for case, board in samples:
        plays = Position.from_array(case.board).plays(case.dice, case.rules)
        assert broken_rule(plays, case.rules, board).rule != "not-reachable", str(case)


MISSING = [
    ("forfeits", BOARDS["P36"], (4, 1), "exact", "4/3 F4"),
    ("one-die-only", BOARDS["P10"], (6, 4), "standard", "24/18"),
    ("enters-from-bar", BOARDS["P20"], (5, 3), "standard", "bar/22* 22/17"),
    ("bears-off", BOARDS["P37"], (6, 5), "standard", "2/off 2/off"),
    ("hits", BOARDS["P06"], (5, 4), "standard", "24/19 19/15*"),
    ("double", START, (5, 5), "standard", "13/8 13/8 8/3 8/3"),
    ("runs-with-one-checker", START, (6, 5), "standard", "24/18 18/13"),
    ("plain", START, (3, 1), "standard", "8/5 6/5"),
]


@pytest.mark.parametrize(("kind", "board", "roll", "rules", "play"), MISSING)
def test_the_kind_of_a_missing_play(
    kind: str, board: tuple[int, ...], roll: tuple[int, int], rules: str, play: str
) -> None:
    plays = Position.from_array(board).plays(roll, RULE_SETS[rules])
    row = list(map(tuple, plays.boards.tolist())).index(final_board(board, play))
    assert missed_play(plays, row) == kind


def test_every_kind_of_missing_play_has_a_position() -> None:
    assert {row[0] for row in MISSING} | {"pass"} == set(MISSING_PLAYS)
