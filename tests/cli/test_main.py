"""Command line: output, and one error line with status 2 for bad input."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bgfast import Position
from bgfast.cli.main import COMMANDS, _main_parser, main
from bgfast.cli.parser import Parser
from tests.support.command_line import Capture, get_error, run, start_command
from tests.support.matches import finished_match
from tests.support.patience import patient
from tests.support.processes import run_python

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
NUMBERS = "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0"


SPELLINGS = [
    *(["31"], ["3-1"], ["3", "1"], ["3,1"], ["13"], ["31:"], ["3-1:"], ["start", "31"], ["START", "3 1"]),
    *([XGID], [XGID, "31"], [XGID, "1-3"], [XGID[5:]], [XGID.replace("XGID", "xgid")]),
    ["4HPwATDgc/ABMA", "31"],
    *([*NUMBERS.split(), "31"], [*NUMBERS.split(), "3", "1"], [NUMBERS, "31"]),
    [NUMBERS.replace(" ", ","), "3-1"],
    ["--checkers", "15", "4HPwATDgc/ABMA", "31"],
    ["4HPwATDgc/ABMA", "--checkers=15", "31"],
    *(["4HPwATDgc/ABMA:cAkAAAAAAAAA", "31"], ["4HPwATDgc/ABMA:cIkFAAAAAAAE"]),
    *(["Position ID: 4HPwATDgc/ABMA", "31"], ["Position", "ID:", "4HPwATDgc/ABMA", "3", "1"]),
    ["Position ID: 4HPwATDgc/ABMA 31"],
    ["GNU position ID: 4HPwATDgc/ABMA", "--checkers", "15", "3-1"],
    [" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cAkAAAAAAAAA", "31"],
]


def test_all_spellings_of_a_position_and_roll_are_read(capsys: Capture) -> None:
    for arguments in SPELLINGS:
        lines = run(capsys, "plays", *arguments).splitlines()
        index = next(i for i, line in enumerate(lines) if line.endswith(": 16 legal plays"))
        assert len(lines[index + 1 :]) == 16
        assert "8/5 6/5" in [line.split(maxsplit=1)[1] for line in lines[index + 1 :]]
        assert "\n".join(lines).startswith(str(Position.start()))


def test_passes_and_forced_plays_are_listed(capsys: Capture) -> None:
    closed_out = Position.from_array([0] * 19 + [-2] * 6 + [1])
    assert "6-5: no legal play, the turn passes" in run(capsys, "plays", closed_out.gnubg_id, "65")
    assert json.loads(run(capsys, "plays", closed_out.gnubg_id, "65", "--json"))["plays"] == []
    assert "6-4: 1 legal play\n   1  24/18" in run(
        capsys, "plays", *"0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 0 0 0 0 0 0 0 0 0 1 0".split(), "64"
    )


def test_a_board_may_begin_with_a_minus_sign(capsys: Capture) -> None:
    numbers = "-1 -1 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0"
    out = run(capsys, "show", *numbers.split())
    assert run(capsys, "show", numbers) == run(capsys, "show", numbers.replace(" ", ",")) == out
    assert json.loads(run(capsys, "show", numbers.replace(" ", ","), "--json"))["board"][:2] == [-1, -1]


@pytest.mark.parametrize("position", [XGID, "--b---E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"])
def test_arguments_after_two_dashes_are_operands(capsys: Capture, position: str) -> None:
    output = run(capsys, "show", "--", position)
    assert position.removeprefix("XGID=").partition(":")[0] in output
    assert run(capsys, "show", "--checkers", "15", "--", position) == output
    assert json.loads(run(capsys, "show", "--json", "--", position))["xgid"] in output
    plays = run(capsys, "plays", "--", position, "31")
    assert "3-1: " in plays
    if not position.startswith("--"):
        assert run(capsys, "plays", position, "31") == plays
    assert "total" in run(capsys, "perft", "--threads", "1", "--", position, "1")
    for word in ("--json", "--", "-h"):
        assert "after the position; expected nothing more" in get_error(capsys, "show", "--", position, word)


def test_show_as_text_and_json(capsys: Capture) -> None:
    assert run(capsys, "show") == run(capsys, "show", "start")
    position_id = Position.hypergammon().gnubg_id
    assert run(capsys, "show", "--checkers", "3", position_id) == run(capsys, "show", "hypergammon")
    assert "pips 69, off 12" in run(capsys, "show", position_id)
    content = json.loads(run(capsys, "show", "--json"))
    assert content["position"] == content["gnubg_id"] == "4HPwATDgc/ABMA"
    assert content["board"] == Position.start().to_array().tolist()
    assert (content["pip_counts"], content["off"], content["phase"]) == ([167, 167], [0, 0], "contact")


def test_perft_as_text_and_json(capsys: Capture) -> None:
    lines = run(capsys, "perft", "2").splitlines()[:22]
    assert run(capsys, "perft", "start", "2").splitlines()[:22] == lines
    content = json.loads(run(capsys, "perft", "2", "--json"))
    assert content["total"] == sum(row["leaves"] for row in content["rolls"]) == 202782
    assert (content["depth"], content["weighted"], len(content["rolls"])) == (2, False, 21)
    lines = run(capsys, "perft", "nackgammon", "1", "--weighted").splitlines()
    assert lines[21].split() == ["total", "775"]
    assert lines[1].split()[2:] == ["x", "2"]
    for arguments in (["0"], [*["0"] * 24, "-1", "0", "3"]):  # depth 0, or a finished game
        assert run(capsys, "perft", *arguments).splitlines()[0].split() == ["total", "1"]


def test_plays_and_perft_obey_the_rules_option(capsys: Capture) -> None:
    assert "2-1: 13 legal plays" in run(capsys, "plays", "21", "--rules", "five_stack")
    content = json.loads(run(capsys, "plays", "--rules", "five_stack", "21", "--json"))
    assert (content["rules"], len(content["plays"])) == ("five_stack", 13)
    assert "total                 405" in run(capsys, "perft", "1", "--rules", "five_stack")
    content = json.loads(run(capsys, "perft", "1", "--rules", "five_stack", "--json"))
    assert (content["rules"], content["total"]) == ("five_stack", 405)


def test_help_fits_a_screen(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    commands = [[name, "--help"] for name in COMMANDS]
    suite = [["suite", "run", "--help"], ["suite", "export", "--help"]]
    for arguments in (["--help"], *commands, *suite, ["--version"], []):
        assert main(arguments) == 0
        out = capsys.readouterr().out
        assert "bgfast" in out
        if arguments[:1] in (["plays"], ["perft"]):
            assert "26 whole numbers" in " ".join(out.split())
        if arguments != ["--version"]:
            assert "\nexample: bgfast " in out
            assert len(out.splitlines()) <= 40
            assert max(map(len, out.splitlines())) <= 80


def test_analyze_is_another_name_for_analyse(capsys: Capture) -> None:
    assert run(capsys, "analyze", "21", "--ply", "0") == run(capsys, "analyse", "21", "--ply", "0")
    assert run(capsys, "--help").count("analyze") == 1
    assert "analyse (analyze)" in run(capsys, "--help")


EQUIVALENT_LINES = {
    "31": "analyse 31",
    "start 3-1 --ply 0": "analyse start 31 --ply 0",
    "--ply 0 31": "analyse 31 --ply 0",
    f"31 {XGID}": f"analyse {XGID}",
    f"plays 3 1 {XGID}": f"plays {XGID}",
    f"plays 31 {NUMBERS}": f"plays {NUMBERS} 31",
    "perft 1 nackgammon --json": "perft nackgammon 1 --json",
    "help": "--help",
    "help plays": "plays --help",
    "play help": "play --help",
    "--help play": "play --help",
    "?": "--help",
    "-h": "--help",
    "version": "--version",
    "-V": "--version",
    "analyse 31 --csv -": "analyse 31 --csv",
    "analyse --csv start 31": "analyse start 31 --csv",
}


@pytest.mark.parametrize("line", EQUIVALENT_LINES)
def test_equivalent_command_lines_have_the_same_output(line: str, capsys: Capture) -> None:
    outputs = [run(capsys, *arguments.split()) for arguments in (line, EQUIVALENT_LINES[line])]
    if line == "start 3-1 --ply 0":
        assert run(capsys, "start 31", "--ply", "0") == outputs[0]
    texts = [re.sub(r'"(seconds|nodes_per_second)": [^,}]+', "", output) for output in outputs]
    assert texts[0] == texts[1]


def test_a_file_without_a_command_is_analysed(tmp_path: Path, capsys: Capture) -> None:
    finished_match(3).save(tmp_path / "m.mat")
    report = run(capsys, "report", str(tmp_path / "m.mat"), "--ply", "0")
    for arguments in ([], ["analyse"]):
        assert main([*arguments, str(tmp_path / "m.mat"), "--ply", "0"]) == 0
        out, err = capsys.readouterr()
        assert out == report
        assert (
            err == "bgfast: bgfast report FILE has more options: --html, --player, --worst, --anki, --sgf\n"
        )


def test_a_table_is_written_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    path = str(tmp_path / "plays.csv")
    arguments = ["analyse", "31", "--ply", "0", "--csv"]
    assert main([*arguments, path]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"bgfast: the table is in {path}\n")
    assert Path(path).read_text() == run(capsys, *arguments)
    assert "plays.csv' exists already; expected a new name, or --force" in get_error(capsys, *arguments, path)
    assert main([*arguments, path, "--force"]) == 0


ALL_COMMANDS = [*(name for name in COMMANDS if name != "suite"), "suite run", "suite export"]


def test_options_mean_the_same_in_every_command() -> None:
    """The table in COMMAND_LINE.md names exactly the commands that have each option."""
    page = (Path(__file__).parents[2] / "docs" / "COMMAND_LINE.md").read_text(encoding="utf-8")
    table = page.split("Common options:")[1].split("\n\n")[1]
    options: dict[str, set[str]] = {name: set() for name in ALL_COMMANDS}
    help_texts: dict[str, set[str | None]] = {}
    for name, parser in _parsers(_main_parser(COMMANDS)):
        for action in parser._actions:
            options[name].update(action.option_strings)
            for option in action.option_strings:
                help_texts.setdefault(option, set()).add(action.help)
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]
    assert len(rows) > 8
    for names, _, commands in rows:
        first, *aliases = re.findall(r"`(-[\w-]+)", names)
        text, _, exceptions = commands.partition("; ")
        named_commands = set(re.findall(r"`([^`]+)`", text))
        expected = set(ALL_COMMANDS) - named_commands if text.startswith("all but") else named_commands
        assert {name for name in ALL_COMMANDS if first in options[name]} - set(
            re.findall(r"`([a-z]+)`", exceptions)
        ) == expected
        for alias in aliases:
            assert {name for name in ALL_COMMANDS if alias in options[name]} == expected, alias
    for option in ("--json", "--csv", "--quiet", "-q", "--rules", "--met", "--force"):
        assert len(help_texts[option]) == 1, option


def _parsers(parser: Parser, name: str = "") -> Iterator[tuple[str, Parser]]:
    """Yield the commands without subcommands, with their parsers."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not actions:
        yield name, parser
    for action in actions:
        for command, subparser in action.choices.items():
            if command != "analyze":
                yield from _parsers(subparser, f"{name} {command}".strip())


def test_commands_are_imported_on_use() -> None:
    code = (
        "import sys, bgfast.cli.main as m; m.main(['show']); print([n for n in sys.modules if '.cli.' in n])"
    )
    output = run_python(code)
    modules = {name.rpartition(".")[2] for name in eval(output.splitlines()[-1])}
    assert modules == {"main", "parser", "streams", "options", "recorded_matches", "show"}


def test_a_closed_pipe_is_not_an_error() -> None:
    with start_command("perft", "2") as process:
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send")
def test_ctrl_c_stops_counting() -> None:
    """`perft` stops immediately; `test_interrupted.py` tests the other commands."""
    program = (
        "import sys, bgfast.cli.perft as perft; from bgfast.cli.main import main\n"
        "count = perft.leaves_by_roll\n"
        "perft.leaves_by_roll = lambda *a, **b: [print('counting', flush=True), count(*a, **b)][1]\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    with start_command("perft", "6", program=program) as process:
        assert process.stdout.readline() == "counting\n"
        time.sleep(patient(0.5))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=patient(30))
    assert process.returncode == 130
    assert err == "bgfast: no total yet: 0 of 21 first rolls are counted\nbgfast: interrupted\n"
    assert "total" not in out
