"""Command line conventions: colour, quiet, version, completion; lazy imports."""

from __future__ import annotations

import io
import os
import sys
from functools import partial
from pathlib import Path

import pytest

import bgfast
from bgfast import Position
from bgfast.cli import progress
from bgfast.cli.main import COMMANDS, main
from bgfast.cli.parser import colour_board, wants_colour
from tests.support.command_line import Capture, run
from tests.support.processes import run_python

ROOT = Path(bgfast.__file__).parent.parent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


# ---- colour ----


def test_only_terminals_get_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    assert not wants_colour(None)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert wants_colour(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())


def test_both_sides_of_a_board_are_coloured() -> None:
    text = str(Position.start())
    coloured_board = colour_board(text, Terminal())
    assert coloured_board.count("\x1b[36mX\x1b[0m") == 15
    assert coloured_board.count("\x1b[33mO\x1b[0m") == 15
    assert coloured_board.splitlines()[6].endswith("   X on roll")
    assert colour_board(text, io.StringIO()) == text


def test_commands_colour_boards_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ("show", "plays 31"):
        for stream, colour in ((Terminal(), True), (io.StringIO(), False)):
            monkeypatch.setattr(sys, "stdout", stream)
            assert main(arguments.split()) == 0
            assert ("\x1b[" in stream.getvalue()) is colour


def test_errors_are_coloured_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in ("plays 7-1", "plays --nonsense", "perft --threads x"):
        for stream, head in (
            (Terminal(), "bgfast: \x1b[31merror\x1b[0m: "),
            (io.StringIO(), "bgfast: error: "),
        ):
            monkeypatch.setattr(sys, "stderr", stream)
            assert main(arguments.split()) == 2
            assert stream.getvalue().startswith(head)
            assert stream.getvalue().count("\n") == 1


# ---- quiet ----


@pytest.mark.parametrize("quiet_option", ["", " -q", " --quiet"])
def test_quiet_hides_progress(quiet_option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    for arguments in ("perft start 2", "rollout --trials 36 --truncate 3 --json"):
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert main(f"{arguments}{quiet_option}".split()) == 0
        assert bool(sys.stderr.getvalue()) is not bool(quiet_option)


def test_long_commands_have_the_quiet_option(capsys: Capture) -> None:
    for command in ("perft", "rollout", "bearoff", "crosscheck", "suite run", "suite export"):
        assert main([*command.split(), "--help"]) == 0
        assert "-q, --quiet" in capsys.readouterr().out


# ---- version, status, completion ----


def test_version_names_the_build(capsys: Capture) -> None:
    first, second, third = run(capsys, "--version").splitlines()
    assert first == f"bgfast {bgfast.__version__}"
    assert "compiled with" in second
    assert "Cython" in second
    assert f"NumPy {__import__('numpy').__version__}" in third


def test_help_lists_exit_statuses(capsys: Capture) -> None:
    out = run(capsys, "--help")
    for status in ("0 success", "1 a check has failed", "2 bad input", "130 after Ctrl-C"):
        assert status in out


COMPLETIONS = {
    "bgfast ": " ".join(COMMANDS),
    "bgfast pl": "plays play",
    "bgfast perft --we": "--weighted",
    "bgfast suite ": "run export",
    "bgfast an": "analyse",
    "bgfast analyze --pl": "--ply --plot",
    "bgfast analyse ": "start nackgammon longgammon hypergammon",
    "bgfast plays st": "start",
    "bgfast show --theme ": "light dark print",
    "bgfast show --svg ": "mine.bgnet folder/",
    "bgfast play --level ": "beginner casual intermediate advanced",
    "bgfast perft --rules ": "standard exact rear_first five_stack",
    "bgfast rollout --evaluator p": "pubeval pip-count",
    "bgfast rollout start --policy bu": "builtin builtin-1ply builtin-2ply builtin-fast builtin-fast-1ply",
    "bgfast rollout --evaluator mi": "mine.bgnet",
    "bgfast rollout --seed ": "",
    "bgfast contest random pu": "pubeval",
    "bgfast errors m": "mine.bgnet",
    "bgfast report mi": "mine.bgnet",
    "bgfast analyse mi": "mine.bgnet",
    "bgfast convert fo": "folder/",
    "bgfast report --ht": "--html",
    "bgfast errors random --positions fo": "folder/",
    "bgfast crosscheck ": "gnubg gnubg-nn reference program:",
    "bgfast crosscheck gnubg re": "reference",
    "bgfast suite run --engine re": "reference",
}


def test_command_lines_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argcomplete = pytest.importorskip("argcomplete", reason="NOT INSTALLED: argcomplete")
    (tmp_path / "mine.bgnet").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    # argcomplete would use descriptor 9, which belongs to pytest.
    monkeypatch.setattr(argcomplete.CompletionFinder, "_init_debug_stream", lambda self: None)
    monkeypatch.setattr(argcomplete, "autocomplete", partial(argcomplete.autocomplete, exit_method=sys.exit))
    for line, names in COMPLETIONS.items():
        # The shell passes the line and the cursor, and reads the completions from a file.
        environment = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "IFS": "\n"}
        for name, value in (environment | {"_ARGCOMPLETE_STDOUT_FILENAME": "../names"}).items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            main([])
        completions = {word.rstrip() for word in Path("../names").read_text().split("\x0b")} - {""}
        expected = set(names.split())
        assert completions >= expected, line
        if not line.endswith(" ") or not expected:  # a prefix, or an argument without known names
            assert completions == expected, line


def test_missing_argcomplete_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    with pytest.raises(bgfast.BgfastError, match=r"pip install 'bgfast\[completion\]'"):
        main(["--help"])


# ---- imports ----


def test_numpy_is_imported_on_use() -> None:
    code = "import sys, bgfast; print(*sorted(sys.modules)); bgfast.Position; print('numpy' in sys.modules)"
    modules, has_numpy = run_python(code).splitlines()
    assert "numpy" not in modules.split()
    assert {name for name in modules.split() if name.startswith("bgfast.")} == {"bgfast.common"}
    assert has_numpy == "True"


def test_an_evaluation_imports_neither_search_nor_formats() -> None:
    code = "import sys, bgfast; bgfast.Network.builtin().evaluate(bgfast.Position()); print(*sys.modules)"
    excluded_names = {"evaluation.evaluators.lookahead", "position.decision", "position.formats"}
    assert not {f"bgfast.{name}" for name in excluded_names} & {*run_python(code).split()}


def test_unknown_names_raise_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="module 'bgfast' has no attribute 'positions'"):
        bgfast.positions  # noqa: B018
    for name in bgfast.__all__:
        assert getattr(bgfast, name) is getattr(bgfast, name)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forks_wait_for_imports() -> None:
    """An import may need the logging lock, which is held during a fork."""
    code = """
import os, sys, threading, time, bgfast, logging
import_event = threading.Event()
class SlowFinder:
    def find_spec(self, name, path, target=None):
        if name == "bgfast.batch.perft":
            import_event.set()
            time.sleep(0.3)
            logging.getLogger("bgfast")
sys.meta_path.insert(0, SlowFinder())
thread = threading.Thread(target=lambda: [getattr(bgfast, name) for name in ("perft", *bgfast.__all__)])
thread.start()
import_event.wait()
for _ in range(5):
    if not (child := os.fork()):
        bgfast.perft, bgfast.rollout, bgfast.Game, bgfast.successors
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
thread.join()
print("done")
"""
    assert run_python(code, seconds=30) == "done\n"


def test_threads_may_import_concurrently() -> None:
    code = """
import threading, bgfast
plays = []
list_plays = lambda: plays.append(bgfast.Position.start().plays((3, 1)))
threads = [threading.Thread(target=list_plays) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(plays))
"""
    assert run_python(code) == "8\n"


# ---- progress lines ----


def test_progress_has_rate_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: seconds)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.Progress("crosscheck", 1000, "cases", 200) as report:
        seconds = 5.0
        report(200)
        report(300)
        report(400)
        seconds = 20.0
        report(600)
    last_line = "crosscheck: 60.0%, 20 cases/s, 0:00:20 left"
    assert capsys.readouterr().err == (
        f"\rcrosscheck: 30.0%, 20 cases/s, 0:00:35 left\r{last_line}\r{' ' * len(last_line)}\r"
    )
