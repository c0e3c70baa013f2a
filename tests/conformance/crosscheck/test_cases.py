"""Cases of a cross-check: generated from a seed or read from files of positions."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from bgfast import FIVE_STACK, Position, reference
from bgfast.conformance.crosscheck.cases import CaseList, read_positions
from bgfast.conformance.suite.suite_building import named_turns
from tests.support.rule_cases import suite_cases

START = Position.start().gnubg_id


def test_cases_depend_on_the_seed_and_longer_lists_extend_shorter_ones() -> None:
    counts = {"random": 30, "bearoff": 20, "games": 90}
    cases = list(CaseList(**counts, seed=5))
    assert cases == list(CaseList(**counts, seed=5))
    assert len(cases) == len(CaseList(**counts, seed=5)) == 140
    assert cases != list(CaseList(**counts, seed=6))
    assert list(islice(CaseList(random=60, seed=5), 30)) == cases[:30]


def test_all_rolls_are_the_36_ordered_rolls() -> None:
    case_list = CaseList(random=2, bearoff=1, games=3, all_rolls=True, seed=1)
    cases = list(case_list)
    assert len(cases) == len(case_list) == 6 * 36
    for begin in range(0, len(cases), 36):
        assert len({case.board for case in cases[begin : begin + 36]}) == 1
        assert {case.roll for case in cases[begin : begin + 36]} == {
            (a, b) for a in range(1, 7) for b in range(1, 7)
        }


def test_named_cases_always_come_first() -> None:
    turns = named_turns()
    assert len(set(turns)) == len(turns) > 100
    assert {(board, roll[::-1]) for board, roll in turns} == set(turns)
    standard_cases = [case for case in suite_cases() if case.rules == "standard"]
    assert {(case.board, case.roll) for case in standard_cases} <= set(turns)
    for options in ({}, {"seed": 4}, {"random": 3, "all_rolls": True}, {"games": 3, "rules": FIVE_STACK}):
        cases = CaseList(named=turns, **options)
        named_cases = list(islice(cases, len(turns)))
        assert [(case.board, case.roll) for case in named_cases] == list(turns)
        assert {case.rules for case in named_cases} == {cases.rules}
        assert list(islice(cases, len(turns), None)) == list(CaseList(**options))
        assert len(cases) == len(turns) + len(CaseList(**options)) == len(list(cases))


def test_positions_are_of_the_requested_kind() -> None:
    hard_cases = list(CaseList(random=400, seed=1))
    assert sum(case.board[25] > 0 for case in hard_cases) > 80
    bear_offs = list(CaseList(bearoff=200, seed=1))
    assert sum(max(case.board[7:]) <= 0 for case in bear_offs) > 100
    assert sum(case.board[0] < 0 for case in bear_offs) > 50
    for case in hard_cases + bear_offs:
        assert Position.from_array(case.board).phase != "over"


def test_a_game_leads_to_its_position() -> None:
    cases = list(CaseList(games=150, seed=3))
    assert sum(case.game == () for case in cases) >= 2
    for case in cases:
        board = tuple(Position.start().to_array().tolist())
        for turn in case.game:
            legal_boards = reference.legal_positions(board, *turn.roll)
            assert turn.after in legal_boards or (not legal_boards and turn.after == board)
            board = reference.flip(turn.after)
        assert board == case.board
        opening_roll = case.game[0].roll if case.game else case.roll
        assert opening_roll[0] != opening_roll[1]


def test_positions_are_read_from_files(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(
        f"# a comment\n\n{START}   # and one after it\n{START} 3-1\nstart 66\n"
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n"
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0 52\nhypergammon\n",
        encoding="utf-8",
    )
    cases = list(CaseList(file=read_positions(path), seed=2))
    assert [case.roll for case in cases][1:5] == [(3, 1), (6, 6), (3, 1), (5, 2)]
    assert [case.checkers for case in cases] == [15] * 5 + [3]
    assert {case.board for case in cases[:5]} == {tuple(Position.start().to_array().tolist())}
    # `all_rolls` overrides the rolls of the file.
    case_list = CaseList(file=read_positions(path), all_rolls=True)
    assert len(list(case_list)) == len(case_list) == 6 * 36
    assert all(len({case.roll for case in islice(case_list, i, i + 36)}) == 36 for i in range(0, 6 * 36, 36))
    path.write_text(START)
    assert next(iter(CaseList(file=read_positions(path, 15)))).checkers == 15
    path.write_text(f"start\n{Position.hypergammon().gnubg_id}\n")
    assert [case.checkers for case in CaseList(file=read_positions(path, 3))] == [15, 3]


def test_positions_are_read_as_gnu_backgammon_prints_them(tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text(
        f" GNU Backgammon  Position ID: {START}\n                 Match ID   : cAkAAAAAAAAA # aside\n"
        f"Position ID: {START} Match ID: cAkAAAAAAAAA 31\nGNU position ID: {START} 6-5\n"
    )
    positions = read_positions(path).positions
    assert [position.roll for position in positions] == [None, (3, 1), (6, 5)]
    assert {position.board for position in positions} == {tuple(Position.start().to_array().tolist())}
