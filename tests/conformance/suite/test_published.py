"""Published suite: built from its seed, confirmed by the slow reference, hashed as documented."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from bgfast import Position, RuleSet, perft, reference
from bgfast.common.validation import generator_switches
from bgfast.conformance.hard_positions import MASK, RandomNumbers, mix
from bgfast.conformance.suite.suite_building import NAMED_SECTIONS, PUBLISHED, PUBLISHED_SEED, build_suite
from bgfast.conformance.suite.suite_file import position_hash, read_suite, set_hash, suite_bytes
from tests.support.positions import board_of_id, json_data
from tests.support.published_suite import CONTENT, SUITE, first_difference
from tests.support.rule_cases import EXPECTATION_COUNT, RULE_SETS, START
from tests.tools.published_suite import published_suite

ROOT = Path(__file__).parents[3]
RANDOM_SECTIONS = ("contact", "race", "bearoff", "hard", "exact", "rear_first", "five_stack", "strict")


def numpy_set_hash(boards) -> str:
    """Return the hash of a set of boards as in docs/SUITE.md, with NumPy's 64-bit arithmetic."""
    rows = np.array(sorted(boards), np.int8).reshape(-1, 26).view(np.uint8).astype(np.uint64)
    value = np.full(len(rows), int("cbf29ce484222325", 16), np.uint64)
    for column in rows.T:
        value = np.bitwise_xor(value, column) * np.uint64(2**40 + 2**8 + 0xB3)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(31)
    return value.sum(dtype=np.uint64).item().to_bytes(8, "big").hex()


def test_export_is_the_published_file_byte_for_byte() -> None:
    fractions: list[float] = []
    content = suite_bytes(build_suite(PUBLISHED_SEED, fractions.append))
    assert first_difference(content) is None
    assert fractions == sorted(fractions)
    assert 0.9 < fractions[-1] <= 1


def test_the_published_file_is_made_from_its_sources() -> None:
    """Run ``python -m tests.tools.published_suite`` to write the file again."""
    assert first_difference(suite_bytes(published_suite())) is None
    assert sum(case.section == "named" for case in SUITE.cases) == EXPECTATION_COUNT
    assert all(len(case.reason) > 10 for case in SUITE.cases if case.section in NAMED_SECTIONS)


@pytest.mark.slow
def test_another_seed_gives_another_suite_with_the_same_named_cases() -> None:
    other_suite = build_suite(PUBLISHED_SEED + 1)
    assert other_suite.seed == PUBLISHED_SEED + 1
    assert read_suite(suite_bytes(other_suite), "other") == other_suite
    named_cases = [case for case in SUITE.cases if case.section in NAMED_SECTIONS]
    assert [case for case in other_suite.cases if case.section in NAMED_SECTIONS] == named_cases
    boards = {case.board for case in SUITE.cases[len(named_cases) :]}
    other_boards = {case.board for case in other_suite.cases[len(named_cases) :]}
    assert len(boards & other_boards) < len(boards) / 4


@pytest.mark.parametrize("step", [30, pytest.param(1, marks=pytest.mark.slow)])
def test_the_reference_agrees_with_every_case(step: int) -> None:
    for case in SUITE.cases[::step]:
        legal = reference.legal_positions(case.board, *case.roll, SUITE.rule_sets[case.rules])
        assert (len(legal), numpy_set_hash(legal)) == (case.count, case.digest), case


def test_ordered_rolls_are_uniform_and_positions_distinct() -> None:
    for section in RANDOM_SECTIONS:
        cases = [case for case in SUITE.cases if case.section == section]
        rolls_per_board, case_count = (4, 2736) if section in RANDOM_SECTIONS[:4] else (2, 576)
        assert set(Counter(case.roll for case in cases).values()) == {case_count / 36}
        assert set(Counter(case.board for case in cases).values()) == {rolls_per_board}
        assert len({(case.board, case.roll) for case in cases}) == len(cases) == case_count
        assert {case.rules for case in cases} == {"standard" if rolls_per_board == 4 else section}


def test_random_positions_fit_their_section() -> None:
    for section in ("contact", "race", "bearoff"):
        boards = {case.board for case in SUITE.cases if case.section == section}
        assert {Position.from_array(board).phase for board in boards} == {section}
    hard_cases = [case for case in SUITE.cases if case.section == "hard"]
    boards = {case.board for case in hard_cases}
    assert sum(board[25] > 1 for board in boards) > 80
    assert sum(board[0] < 0 for board in boards) > 20
    assert sum(any(max(board[point : point + 4]) < -1 for point in range(1, 22)) for board in boards) > 100
    assert sum(board.count(-1) > 6 for board in boards) > 80
    assert sum(max(board) > 5 for board in boards) > 60
    assert sum(sum(count for count in board if count > 0) < 5 for board in boards) > 80
    assert sum(case.count == 0 for case in hard_cases) > 80
    assert max(case.count for case in hard_cases) > 300


def test_cases_of_other_rules_distinguish_them_from_standard() -> None:
    for section, minimum in (("exact", 200), ("rear_first", 60), ("five_stack", 100), ("strict", 200)):
        cases = [case for case in SUITE.cases if case.section == section]
        plays = (Position.from_array(case.board).plays(case.roll).boards.tolist() for case in cases)
        differences = sum(set_hash(boards) != case.digest for boards, case in zip(plays, cases, strict=True))
        assert differences >= minimum


def test_rule_sets_are_the_presets_and_strict() -> None:
    assert list(SUITE.rule_sets) == list(RULE_SETS)
    for name, rules in SUITE.rule_sets.items():
        assert rules == RULE_SETS[name]
        assert name == "strict" or rules == RuleSet.named(name)
    assert generator_switches(SUITE.rule_sets["strict"]) == (1, True, True, 0)


def test_perft_lines_are_the_counts_that_other_engines_agree_on() -> None:
    expected = {
        (board_of_id(position_id), depth): tuple(row[f"d{depth}"])
        for position_id, row in json_data("perft.json")["positions"].items()
        for depth in (1, 2, 3)
    }
    leaves = {(line.board, line.depth): line.leaves for line in SUITE.perft if line.rules == "standard"}
    assert leaves == expected


def test_perft_lines_of_other_rules_are_correct() -> None:
    lines = [line for line in SUITE.perft if line.rules != "standard"]
    assert len(lines) == 4 * 5 * 2
    for line in lines:
        rules = SUITE.rule_sets[line.rules]
        if line.depth == 1:
            rolls = itertools.product(range(1, 7), repeat=2)
            counts = {roll: len(reference.legal_positions(line.board, *roll, rules)) or 1 for roll in rolls}
            leaves_21 = sum(count for (first, second), count in counts.items() if first >= second)
            assert line.leaves == (leaves_21, sum(counts.values()))
        else:
            position = Position.from_array(line.board)
            assert line.leaves[0] == perft(position, line.depth, rules=rules, bulk=False)
            assert line.leaves[1] == perft(position, line.depth, rules=rules, bulk=False, weighted=True)


# ---------------------------------------------------------------- hash and random numbers


def test_fnv_1a_gives_the_published_values() -> None:
    # These are test vectors of the reference implementation by Landon Curt Noll.
    assert position_hash(b"") == 0xCBF29CE484222325
    assert position_hash(b"a") == 0xAF63DC4C8601EC8C
    assert position_hash(b"foobar") == 0x85944171F73967E8


def test_without_mixing_a_missing_second_die_would_be_undetected() -> None:
    def apply_move(board, start, to):
        after = list(board)
        after[start] -= 1
        after[to] += 1
        return tuple(after)

    moves = [(24, 23), (24, 22), (13, 11), (13, 10), (8, 7), (8, 4), (6, 5), (6, 4), (8, 5), (13, 9)]
    moves += [(24, 21), (24, 20), (6, 3), (6, 2)]
    pairs = list(itertools.combinations(moves, 2))
    sum_collisions = hash_collisions = 0
    for first, second in pairs:
        legal_boards = [START, apply_move(apply_move(START, *first), *second)]
        one_die_boards = [apply_move(START, *first), apply_move(START, *second)]
        difference = sum(map(position_hash, legal_boards)) - sum(map(position_hash, one_die_boards))
        sum_collisions += difference & MASK == 0
        hash_collisions += set_hash(legal_boards) == set_hash(one_die_boards)
    assert (sum_collisions, len(pairs), hash_collisions) == (25, 91, 0)


def test_splitmix_gives_the_published_values() -> None:
    # These are the first outputs of the reference implementation for the seed 1234567.
    numbers = RandomNumbers(1234567)
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [numbers.next() for _ in range(3)] == published
    assert len({mix(value) for value in range(1000)}) == 1000


# ---------------------------------------------------------------- the page and the example


@pytest.fixture
def page() -> str:
    if not (ROOT / "docs").exists():
        pytest.skip("the documentation is not part of a wheel")
    return (ROOT / "docs" / "SUITE.md").read_text(encoding="utf-8")


def test_every_number_in_the_worked_example_is_correct(page: str) -> None:
    section = page.split("### Example")[1].split("\n## ")[0]
    line = re.search(r"^case P16-61-standard .*$", section, re.M)
    assert line[0] in CONTENT.decode().replace(" | ", "\n").splitlines()
    boards = [tuple(map(int, text.split(","))) for text in re.findall(r"^After .*: `(.*)`$", section, re.M)]
    case = next(case for case in SUITE.cases if case.id == "P16-61-standard")
    assert set(boards) == reference.legal_positions(case.board, *case.roll)
    tables = re.findall(
        r"\| FNV-1a \| `(.*)` \|\n.*first.* `(.*)` \|\n.*second.* `(.*)` \|\n\| mixed \| `(.*)` \|", section
    )
    results = []
    for board, table in zip(boards, tables, strict=True):
        value = position_hash(board)
        first = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        second = (first ^ first >> 27) * 0x94D049BB133111EB % 2**64
        results.append(second ^ second >> 31)
        assert table == tuple(f"{number:016x}" for number in (value, first, second, results[-1]))
    total = f"{sum(results) % 2**64:016x}"
    assert section.rstrip().endswith(f"`{results[0]:016x}` + `{results[1]:016x}` modulo 2^64 = `{total}`")
    assert total == case.digest


def test_the_counts_on_the_page_are_correct(page: str) -> None:
    assert f"{len(SUITE.cases):,} positions" in page
    assert f"{len(SUITE.perft)} perft counts" in page
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| ([\d,]+)(?: each)? \|", page, re.M)
    documented = {
        name: int(number.replace(",", "")) for names, number in rows for name in re.findall(r"\w+", names)
    }
    assert documented == Counter(line.section for line in SUITE.lines)


@pytest.mark.parametrize("all_cases", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_example_reads_the_published_suite(all_cases: bool) -> None:
    path = ROOT / "examples" / "suite_reader.py"
    if not path.exists():
        pytest.skip("the examples are not part of a wheel")
    assert "import bgfast" not in path.read_text()
    spec = importlib.util.spec_from_file_location("suite_reader", path)
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    suite_path = str(files("bgfast.conformance.suite") / "data" / PUBLISHED)
    question_count = 0

    def engine(board, roll, switches):
        nonlocal question_count
        question_count += 1
        rules = RuleSet(
            bearoff_die=switches["bearoff_die"],
            bearoff_compulsory=switches["bearoff_compulsory"] == "yes",
            forfeit=switches["forfeit"],
            stack_max=int(switches["stack_max"]),
        )
        return Position.from_array(board).plays(roll, rules).boards.tolist()

    if all_cases:
        assert list(reader.failures(suite_path, engine)) == []
        assert question_count == len(SUITE.cases)
    failures = reader.failures(suite_path, lambda board, roll, switches: engine(board, roll, switches)[1:])
    case_ids = [line.partition(":")[0] for line in itertools.islice(failures, 500)]
    assert case_ids == [case.id for case in SUITE.cases if case.count > 0][:500]
