"""Example engines in C++ and Rust: they pass the conformance suite and work without Python."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import bgfast
from bgfast import Position
from bgfast.learning.contested_decisions import BUILTIN, read_decisions
from tests.support.command_line import run
from tests.support.patience import patient

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "engines"
SUITE = Path(bgfast.__file__).parent / "conformance" / "suite" / "data" / "bgfast-suite-1.txt"
COMPILERS = {
    "cpp": ("c++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"),
    "rs": ("rustc", "--edition", "2021", "-O", "-D", "warnings"),
}
MAX_LINES = 150
pytestmark = [
    pytest.mark.slow,  # compiling takes seconds
    pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not part of a wheel"),
]


def compile_example(language: str, folder: Path) -> str:
    """Compile an example and return its path; skip the test if there is no compiler."""
    source, program = EXAMPLES / f"tiny_engine.{language}", folder / f"tiny_{language}"
    compiler, *options = COMPILERS[language]
    if shutil.which(compiler) is None:
        pytest.skip(f"NOT TESTED: there is no compiler {compiler} for examples/engines/{source.name}")
    subprocess.run([compiler, *options, "-o", str(program), str(source)], check=True)
    return str(program)


@pytest.fixture(scope="module", params=COMPILERS)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return compile_example(request.param, tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("language", COMPILERS)
def test_every_example_is_short(language: str) -> None:
    assert len((EXAMPLES / f"tiny_engine.{language}").read_text(encoding="utf-8").splitlines()) < MAX_LINES


@pytest.mark.parametrize(
    ("options", "expected"),
    [(("--only", "named"), (56, 164)), (("--only", "bearoff"), (2736, 0)), ((), (11048, 2513))],
)
def test_the_examples_pass_the_suite(
    example: str, options: tuple[str, ...], expected: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(capsys, "suite", "run", "--engine", f"program:{example}", *options)
    passed, not_run = expected
    assert f"({passed} passed, 0 failed, {not_run} not run)" in text


def test_the_suite_runs_without_python(tmp_path: Path) -> None:
    program = compile_example("cpp", tmp_path)
    completed = subprocess.run([program, str(SUITE)], capture_output=True, text=True, timeout=patient(120))
    assert (completed.returncode, completed.stdout) == (0, "11038 passed, 0 failed, 2468 of other rules\n")
    suite = tmp_path / "wrong.txt"
    text = SUITE.read_text(encoding="ascii")
    case = re.search(r"^case (\S+) standard .*$", text, re.MULTILINE)
    line = case[0].partition(" | ")[0]
    wrong_digit = "1" if line.endswith("0") else "0"
    suite.write_text(text.replace(line, line[:-1] + wrong_digit, 1), encoding="ascii")
    completed = subprocess.run([program, str(suite)], capture_output=True, text=True, timeout=patient(120))
    assert completed.returncode == 1
    assert completed.stdout == f"{case[1]}\n11037 passed, 1 failed, 2468 of other rules\n"
    empty_file = tmp_path / "empty.txt"
    empty_file.touch()
    completed = subprocess.run([program, str(empty_file)], capture_output=True, timeout=patient(60))
    assert completed.returncode == 1


def test_contested_decisions_are_scored_without_python(tmp_path: Path) -> None:
    program = compile_example("rs", tmp_path)
    completed = subprocess.run([program, str(BUILTIN)], capture_output=True, text=True, timeout=patient(120))
    assert (completed.returncode, completed.stderr) == (0, "")
    scores = {
        family: (int(count), float(loss))
        for family, count, loss in map(str.split, completed.stdout.splitlines())
    }
    expected: dict[str, list[float]] = {}
    for decision in read_decisions().decisions:
        plays = Position.from_gnubg_id(decision.position_id).plays(decision.roll)
        # The example prefers the fewest blots; ties go to the lexicographically smallest board.
        board = min(plays.boards.tolist(), key=lambda board: (board[1:25].count(1), board))
        successor_id = Position.from_array([-checkers for checkers in board[::-1]]).gnubg_id
        losses = {play.position_id: play.loss for play in decision.candidates} | dict(decision.estimates)
        expected.setdefault(decision.family.replace(" ", "-"), []).append(1000 * losses[successor_id])
    assert set(scores) == set(expected)
    for family, losses in expected.items():
        assert scores[family] == (len(losses), pytest.approx(sum(losses) / len(losses), abs=0.006))
