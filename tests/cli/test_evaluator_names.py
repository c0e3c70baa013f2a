"""Names of evaluators; invalid names and failing modules give a single error line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bgfast import Network, Position
from bgfast.cli.main import main
from bgfast.cli.players import load_evaluator
from bgfast.errors import BgfastError
from bgfast.evaluators import Lookahead, PipCount, WithBearoff
from tests.support import command_line
from tests.support.command_line import Capture

PLAYERS_CODE = """
import os
def fail(boards): raise KeyError("x")
class Sized:
    def __init__(self, size): pass
class Boom:
    def __init__(self): raise ValueError("no\\nway")
number = 5
cwd = os.getcwd
from bgfast.evaluators import PipCount
def pips(boards): return PipCount()(boards)
class Pips:
    def __call__(self, boards): return PipCount()(boards)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Current folder with modules that are unloaded afterwards."""
    monkeypatch.chdir(tmp_path)
    modules = {
        "players": PLAYERS_CODE,
        "divides": "1/0",
        "garbled": "def (",
        "leaves": "import sys; sys.exit('bye')",
    }
    for name, code in modules.items():
        (tmp_path / f"our_{name}.py").write_text(code)
        monkeypatch.delitem(sys.modules, f"our_{name}", raising=False)
    return tmp_path


def get_error(capsys: Capture, *arguments: str, status: int = 2) -> str:
    message = command_line.get_error(capsys, *arguments, status=status)
    return message.removeprefix("bgfast: error: ")[:-1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "no evaluator ''; expected random,"),
        (":ev", "no evaluator ':ev'; expected random,"),
        (".mod:ev", "no evaluator '.mod:ev'; expected random,"),
        ("mod:", "no evaluator 'mod:'; expected random,"),
        ("mod:a.b.c!", "no evaluator 'mod:a.b.c!'; expected random,"),
        ("nobody", "no evaluator 'nobody'; expected random,"),
        ("x" * 5000, "no evaluator 'xxx"),
        ("nosuch.bgnet", "no such file: 'nosuch.bgnet'; expected the file of a network"),
        ("./nosuch:1.bgnet", "no such file: './nosuch:1.bgnet'; expected the file of a network"),
        ("../nosuch", "no such file: '../nosuch'; expected the file of a network"),
        ("/" + "y" * 300, "no such file: '/yyy"),
        (".", "network .: Is a directory"),
        ("our_players.py", "network our_players.py is not a bgfast network file; expected a file written by"),
        ("no_module:ev", "evaluator 'no_module:ev': No module named 'no_module'"),
        ("our_players:none", "evaluator 'our_players:none': none is None; expected a callable"),
        ("our_players:number", "evaluator 'our_players:number': number is 5; expected a callable"),
        ("our_players:Boom", "evaluator 'our_players:Boom': ValueError: no way (our_players.py, line 7)"),
        ("our_players:Sized", "evaluator 'our_players:Sized': TypeError: Sized.__init__() missing 1"),
        ("our_divides:ev", "evaluator 'our_divides:ev': ZeroDivisionError: division by zero (our_div"),
        ("our_garbled:ev", "evaluator 'our_garbled:ev': SyntaxError: "),
        ("our_leaves:ev", "evaluator 'our_leaves:ev': SystemExit: bye (our_leaves.py, line 1)"),
    ],
)
def test_invalid_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(BgfastError) as error_info:
        load_evaluator(name)
    assert str(error_info.value).startswith(message)


def test_functions_and_classes_of_modules_are_loaded() -> None:
    boards = Position.start().plays((3, 1)).boards
    for name in ("our_players:pips", "our_players:Pips"):
        assert (load_evaluator(name)(boards) == PipCount()(boards)).all()


def test_exceptions_in_evaluators_are_reported(capsys: Capture) -> None:
    command = ["contest", "our_players:fail", "random", "--games", "4"]
    assert get_error(capsys, *command, status=1) == (
        "KeyError: 'x' (our_players.py, line 3); python -X dev -m bgfast shows where"
    )
    command[1] = "our_players:cwd"
    assert "getcwd() takes no arguments" in get_error(capsys, *command, status=1)


def test_file_names_with_special_characters(capsys: Capture, folder: Path) -> None:
    Network.random(32, 1).save(folder / "a:b")
    assert main(["contest", "a:b", "random", "--games", "4"]) == 0
    assert capsys.readouterr().err == ""
    (folder / "a\n\x1b[31mb").write_text("")
    message = get_error(capsys, "errors", "a\n\x1b[31mb")
    expected = "expected a file written by Network.save"
    assert message == rf"network a\n\x1b[31mb is not a bgfast network file; {expected}"


def test_shipped_evaluators_are_loaded() -> None:
    network, fast = Network.builtin(), WithBearoff(Network.builtin_fast())
    builtin = WithBearoff(network)
    for name, evaluator in {
        "builtin": builtin,
        "builtin-1ply": Lookahead(builtin),
        "builtin-2ply": Lookahead(builtin, ply=2),
        "builtin-fast": fast,
        "builtin-fast-1ply": Lookahead(fast),
        "network": network,
        "network-1ply": Lookahead(network),
    }.items():
        assert load_evaluator(name) == evaluator
