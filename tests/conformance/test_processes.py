"""Line protocol and adapters: reports of failures, restarts, and engines compared with bgfast."""

from __future__ import annotations

import doctest
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

import bgfast
from bgfast import RuleSet
from bgfast.conformance import line_protocol as messages
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.cases import CaseList
from bgfast.conformance.crosscheck.disagreements import Difference, difference
from bgfast.conformance.engine_process import EngineProcess
from bgfast.conformance.protocol import (
    Capabilities,
    Case,
    CrashedError,
    EngineError,
    HungError,
    MissingEngineError,
    RubbishError,
    TurnRecord,
    UnreachableError,
)
from bgfast.conformance.registry import ENGINES, open_engine
from tests.support.faulty_engines import arrangements, command, program, reply
from tests.support.patience import patient
from tests.support.positions import START, random_board
from tests.support.processes import MarkedProcesses
from tests.support.rule_cases import random_rules
from tests.tools.fuzz import switches

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "engines"
OPENING = Case(START, (3, 1))
HANG_LIMIT = 0.5
"""Time limit in seconds for answers of programs that hang."""
LIMIT = patient(60.0)
"""Time limit in seconds for other answers, long enough for the slowest machine."""
DANCE = Case((0,) * 19 + (-2,) * 6 + (1,), (3, 1))
EITHER_DIE = Case((-1, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, 0, 1, *[0] * 13), (3, 4))
"""Either die can be played from 12, but not both: the 4 must be played."""


def hard_cases(count: int, seed: int) -> Iterator[Case]:
    """Yield cases with checkers on the bar, bear-offs, blots, few checkers and doubles."""
    rng = random.Random(seed)
    for _ in range(count):
        board = random_board(rng)
        yield Case(board, (rng.randint(1, 6), rng.choice([rng.randint(1, 6), rng.randint(1, 6)])))


def diff_of(engine: EngineProcess, case: Case) -> Difference:
    return difference(engine.successors(case), legal_successors(case), distinct=engine.capabilities.distinct)


# ---------------------------------------------------------------- programs that misbehave

ExpectedErrors = dict[str, tuple[type[EngineError], str]]
WRONG_ANSWERS: ExpectedErrors = {
    "impossible": (RubbishError, "board, the opponent has 16 checkers on it instead of at most 15: [-1,"),
    "too-many-checkers": (RubbishError, "the mover has 31 checkers on it instead of at most 15: [0, -2"),
    "25-numbers": (RubbishError, "an impossible board, not 26 whole numbers: [0, -2,"),
    "fails": (CrashedError, "the engine failed: IndexError: no such point"),
    "rubbish": (RubbishError, "it wrote a line that is not JSON: '13/11 6/5"),
    "no-list": (RubbishError, "its answer has no list of 'successors': '{"),
    "other-id": (RubbishError, "it answered with id 3 instead of 2: '{"),
    "lists-20,001": (RubbishError, "it listed 20,001 boards; expected at most 20,000: '{"),
    "lists-5,001-different": (RubbishError, "it listed 5,001 different boards; expected at most 5,000: '{"),
}
"""Expected error for a single answer, by the kind of faulty engine."""
FAILURES: ExpectedErrors = {
    "hangs": (HungError, "no answer within 0.5 s; last on its standard error: thinking"),
    "hangs-with-a-child": (HungError, "no answer within 0.5 s"),
    "stubborn": (HungError, "no answer within 0.5 s; last on its standard error: spinning"),
    "crashes": (CrashedError, "exit status 3; last on its standard error: no more memory | abort"),
    "segfaults": (CrashedError, "it ended before it answered, killed by SIGSEGV"),
    "not-ascii": (RubbishError, "not JSON in ASCII: b'\\xff"),
    "endless": (RubbishError, "it wrote a line of more than 4,000,000 bytes: b'xxx"),
    "lists-200,000": (RubbishError, "it wrote a line of more than 4,000,000 bytes: b'{"),
    "drips": (HungError, "no answer within 0.5 s, but the beginning of a line: b'xxx"),
    "half-an-answer": (CrashedError, 'exit status 0; it had begun to write b\'{"id":2,"succ\''),
    "closes-output": (CrashedError, "it closed its standard output without an answer"),
    "fails": WRONG_ANSWERS["fails"],
    "rubbish": WRONG_ANSWERS["rubbish"],
}
QUICK_KINDS = ("hangs", "crashes")


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> MarkedProcesses:
    return MarkedProcesses(monkeypatch)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[] if kind in QUICK_KINDS else [pytest.mark.slow]) for kind in FAILURES]
)
def test_failures_are_reported_and_the_engine_restarts(kind: str, processes: MarkedProcesses) -> None:
    error, message = FAILURES[kind]
    with EngineProcess(command(kind, "--every", "2"), time_limit=LIMIT) as engine:
        assert not any(diff_of(engine, OPENING))
        engine._time_limit = HANG_LIMIT if error is HungError else LIMIT
        with pytest.raises(error) as error_info:
            engine.successors(OPENING)
        assert message in str(error_info.value)
        processes.assert_gone()
        assert engine.restarts == 0
        engine._time_limit = LIMIT
        assert not any(diff_of(engine, OPENING))
        assert engine.restarts == 1


def test_wrong_answers_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    for kind, (error, message) in WRONG_ANSWERS.items():
        reply(kind, 2, OPENING)
        with pytest.raises(error) as error_info:
            messages.read_answer(capsys.readouterr().out.rstrip(), 2, OPENING)
        assert message in str(error_info.value)


def test_failures_before_the_greeting_are_reported() -> None:
    prefix = r"^before its greeting in the line protocol \(docs/ENGINES.md\): "
    with pytest.raises(CrashedError, match=f"{prefix}it ended before it answered, exit status 3"):
        open_engine(program("dies-at-hello"))
    with pytest.raises(HungError, match=rf"{prefix}no answer within 0\.2 s$"):
        EngineProcess([sys.executable, "-c", "import time;time.sleep(60)"], time_limit=LIMIT, start_limit=0.2)


def test_the_longest_answers_are_accepted() -> None:
    points = (0, *15 * [1], *10 * [0])
    board = (-1, *points[1:24], -1, 0)
    for count in (1, 3876):
        boards = list(islice(arrangements(board), count))
        assert messages.read_answer(messages.answer(1, boards), 1, Case(board, (3, 3))) == boards
    boards = 20_000 * [board]
    assert len(messages.read_answer(messages.answer(1, boards), 1, Case(board, (3, 3)))) == 20_000


def test_a_second_answer_is_not_read_as_the_next_answer() -> None:
    with EngineProcess(command("answers-twice", "--every", "2"), time_limit=LIMIT) as engine:
        engine.successors(OPENING)
        engine.successors(OPENING)
        with pytest.raises(RubbishError, match="id 2 instead of 3"):
            engine.successors(OPENING)


def test_a_full_standard_error_and_an_unreachable_position_are_not_failures() -> None:
    with EngineProcess(command("chatters"), time_limit=LIMIT) as engine:
        assert not any(diff_of(engine, OPENING))
        assert engine.restarts == 0
    with EngineProcess(command("unreachable", "--every", "2"), time_limit=LIMIT) as engine:
        assert not any(diff_of(engine, OPENING))
        with pytest.raises(UnreachableError, match="too many checkers on the bar"):
            engine.successors(OPENING)
        assert not any(diff_of(engine, OPENING))
        assert engine.restarts == 0


def test_ctrl_c_discards_the_pending_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with EngineProcess(command("correct"), time_limit=LIMIT) as engine:
        assert os.getsid(engine._child._process.pid) != os.getsid(0)
        with monkeypatch.context() as patch:
            patch.setattr(messages.json, "loads", interrupt)
            with pytest.raises(KeyboardInterrupt):
                engine.successors(OPENING)
        assert not any(diff_of(engine, DANCE))
        assert engine.restarts == 1


def interrupt(text: str) -> None:
    raise KeyboardInterrupt


# ---------------------------------------------------------------- installed packages


def test_missing_packages_are_reported_with_instructions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bgsage.py").write_text("raise ImportError('libsage.so: no such file')", encoding="ascii")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingEngineError, match=r"^bgsage is not installed \(.*\): pip install bgsage$"):
        open_engine("bgsage")


def test_printed_text_does_not_disturb_the_protocol(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bgsage-1.dist-info").mkdir()
    (tmp_path / "bgsage-1.dist-info" / "METADATA").write_text("Name: bgsage\nVersion: 1\n", encoding="ascii")
    (tmp_path / "bgsage.py").write_text(
        "import os\n"
        "print('welcome'); os.write(1, b'from C\\n')\n"
        "def possible_moves(board, a, b):\n"
        "    print('thinking')\n"
        "    return {(3, 1): [board], (1, 1): None}[a, b]\n",
        encoding="ascii",
    )
    monkeypatch.syspath_prepend(tmp_path)
    with open_engine("bgsage") as engine:
        assert (engine.name, engine.version) == ("bgsage", "1")
        assert engine.successors(OPENING) == []  # bgsage's list for a pass
        with pytest.raises(CrashedError, match=r"the engine failed: KeyError: \(2, 1\)"):
            engine.successors(OPENING._replace(roll=(2, 1)))
        with pytest.raises(CrashedError, match="the engine failed: TypeError"):
            engine.successors(OPENING._replace(roll=(1, 1)))
        assert engine.restarts == 1


# ---------------------------------------------------------------- adapters

CASE_COUNTS = {"gnubg": 40, "pgx": 12}
INCORRECT_ENGINES = {"bgsage", "pgx"}
"""Engines that bear off the last checker with one die where both can be played."""


def open_or_skip(name: str) -> EngineProcess:
    try:
        return open_engine(name)
    except MissingEngineError as error:
        pytest.skip(f"NOT TESTED: {error}")


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "open_spiel"])
def test_registered_engines_agree_on_hard_positions(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # GNU Backgammon neither reads nor changes the user's settings.
    settings = "set player 1 gnubg\nset automatic move on\nset variation nackgammon\nset lang de\n"
    (tmp_path / ".gnubg").mkdir()
    files = [tmp_path / ".gnubg" / file for file in ("gnubgautorc", "gnubgrc")]
    for file in files:
        file.write_text(settings, encoding="ascii")
    monkeypatch.setenv("HOME", str(tmp_path))
    rng = random.Random(8)
    with open_or_skip(name) as engine:
        assert engine.name == name
        differences = [
            diff_of(engine, case) for case in (OPENING, DANCE, *hard_cases(CASE_COUNTS.get(name, 100), 4))
        ]
        if name in ("bgfast", "reference"):
            assert engine.capabilities == Capabilities(rules=("any",), checkers=tuple(range(1, 16)))
            for case in hard_cases(40, 9):
                checkers = max(sum(n for n in case.board if n > 0), -sum(n for n in case.board if n < 0))
                variant = case._replace(rules=random_rules(rng), checkers=checkers)
                assert not any(diff_of(engine, variant))
        assert engine.restarts == 0
    assert not any(diff.missing or diff.repeated for diff in differences)
    wrong_count = sum(any(diff) for diff in differences)
    assert wrong_count <= (len(differences) // 10 if name in INCORRECT_ENGINES else 0)
    if name == "gnubg":
        assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == files
        assert all(file.read_text(encoding="ascii") == settings for file in files)


def test_openspiel_replays_games() -> None:
    games, other_games = (list(CaseList(games=50, seed=seed)) for seed in (1, 2))
    rng = random.Random(3)
    sample = rng.sample([*games, *other_games], 20)
    with open_or_skip("open_spiel") as engine:
        assert not engine.capabilities.positions
        assert not engine.capabilities.distinct
        assert all(not any(diff_of(engine, case)) for case in (*games, *other_games[:30], *sample))
        for case, reason in (
            (OPENING, "the position has no game"),
            (OPENING._replace(roll=(1, 1), game=()), "cannot start with a double"),
            (games[5]._replace(board=games[7].board), "does not lead to this position"),
            (games[5]._replace(game=(TurnRecord((2, 1), START), *games[5].game[1:])), "it has no play to"),
        ):
            with pytest.raises(UnreachableError, match=reason):
                engine.successors(case)
        assert not any(diff_of(engine, games[5]))
        assert engine.restarts == 0


# ---------------------------------------------------------------- examples


@pytest.fixture(scope="module", params=["Python", "C"])
def tiny_engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EngineProcess]:
    argv = [sys.executable, str(EXAMPLES / "tiny_engine.py")]
    if request.param == "C":
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("NOT TESTED: there is no C compiler cc for examples/engines/tiny_engine.c")
        argv = [str(tmp_path_factory.mktemp("tiny") / "tiny_engine")]
        source = str(EXAMPLES / "tiny_engine.c")
        subprocess.run(
            [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o", *argv, source], check=True
        )
    with EngineProcess(argv, time_limit=LIMIT) as engine:
        yield engine


def test_the_example_engines_are_correct(tiny_engine: EngineProcess) -> None:
    assert tiny_engine.capabilities == Capabilities()
    for case in (OPENING, DANCE, EITHER_DIE, *hard_cases(150, 12), *CaseList(games=50, seed=5)):
        assert not any(diff_of(tiny_engine, case)), case
    boards = bgfast.random_positions(30, 6, "bearoff").tolist()
    for board in boards:
        assert not any(diff_of(tiny_engine, Case(tuple(board), (6, 6)))), board


# ---------------------------------------------------------------- the protocol


def test_questions_have_a_fixed_key_order_and_round_trip() -> None:
    assert messages.question(7, DANCE, with_game=True) == (
        '{"id":7,"board":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,-2,-2,-2,-2,-2,1],"roll":[3,1],'
        '"rules":{"bearoff_die":"standard","bearoff_compulsory":false,"forfeit":"never","stack_max":0},'
        '"checkers":15}\n'
    )
    rng = random.Random(1)
    for question_id, case in enumerate(CaseList(games=50, seed=7)):
        rules = RuleSet(**switches(random_rules(rng)))
        case = case._replace(rules=rules, checkers=rng.randint(1, 15))
        line = messages.question(question_id, case, with_game=True)
        assert line.endswith("\n")
        assert " " not in line
        assert messages.read_question(line) == (question_id, case)
        short_line = messages.question(question_id, case, with_game=False)
        assert messages.read_question(short_line) == (question_id, case._replace(game=None))


def test_engine_messages_are_shortened_for_reports() -> None:
    # A lone surrogate cannot be printed.
    message = "Traceback:\n```\n  \x1b[31mno such point \ud800 " + 10_000 * "x"
    for key, error in (("error", CrashedError), ("unreachable", UnreachableError)):
        with pytest.raises(error) as error_info:
            messages.read_answer(json.dumps({"id": 1, key: message}), 1, OPENING)
        assert "Traceback: ``` ?[31mno such point ? xxx" in str(error_info.value)
        assert len(str(error_info.value)) < 600


# ---------------------------------------------------------------- docs/ENGINES.md


PAGE = (ROOT / "docs" / "ENGINES.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_documented_transcript_is_correct() -> None:
    lines = blocks("text")[0].splitlines()
    questions = [line[2:] + "\n" for line in lines if line.startswith("> ")]
    answers = [line[2:] for line in lines if line.startswith("< ")]
    assert len(lines) == len(questions) + len(answers) == 2 * len(questions)
    engine = subprocess.run(
        [sys.executable, str(EXAMPLES / "tiny_engine.py")],
        input="".join(questions), capture_output=True, text=True, timeout=LIMIT, check=True,
    )  # fmt: skip
    assert engine.stdout.splitlines() == answers
    assert questions[0] == messages.HELLO
    for line, answer in zip(questions[1:], answers[1:], strict=True):
        question = messages.read_question(line)
        assert messages.question(*question, with_game=False) == line
        boards = messages.read_answer(answer, *question)
        assert not any(difference(boards, legal_successors(question[1]), distinct=True))


def test_the_documented_question_with_a_game_is_correct() -> None:
    (line,) = blocks("text")[1].splitlines()
    question_id, case = messages.read_question(line[2:])
    assert "> " + messages.question(question_id, case, with_game=True) == line + "\n"
    (turn,) = case.game or ()
    assert turn.after in legal_successors(Case(START, turn.roll))
    assert bgfast.flip([turn.after]).tolist() == [list(case.board)]


def test_the_introduction_shows_the_defaults() -> None:
    (introduction,) = blocks("json")
    name, version, capabilities = messages.read_introduction(introduction)
    assert capabilities == Capabilities()
    assert (
        messages.read_introduction(f'{{"name":"{name}","version":"{version}"}}').capabilities
        == Capabilities()
    )


def test_the_page_documents_the_installation_of_every_engine() -> None:
    rows = {
        row[0].strip("` "): row
        for row in (line.split("|")[1:-1] for line in PAGE.splitlines() if "|" in line)
    }
    for name, install in ENGINES.items():
        assert name in rows
        packages = [package for package in install.split() if "gnubg" in package or install.startswith("pip")]
        assert all(package in rows[name][2] for package in packages)


def test_the_example_on_the_page_is_correct() -> None:
    (example,) = (block for block in blocks("python") if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(example, {}, "ENGINES.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
