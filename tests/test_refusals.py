"""Invalid calls and their messages: the corpus in tests/refusals, one file for each package.

A case is one line, CALL  -> CLASS: MESSAGE, in which three dots stand for any text. The message must say
what was expected; the arrow => marks messages that cannot, such as those for a missing file. Other lines are
setup for the cases of their paragraph; a first paragraph without a case is setup for the whole file. Cases
may use all public names, the public modules (`games`, `cube`, ...) and their names, `np`, an empty
`folder`, and `run`, which runs a command line.
"""

from __future__ import annotations

import importlib
import inspect
import io
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast.cli.main import main
from tests.support.command_line import MAX_ERROR_LENGTH

CORPUS = sorted((Path(__file__).parent / "refusals").glob("*.txt"))
CASE = re.compile(r"(?P<call>\S.*?) +(?P<arrow>->|=>) (?P<error>\w+): (?P<message>.+)")
PUBLIC_MODULES = "errors games records evaluators cube rollouts matches training".split()


class CommandError(Exception):
    """Failure of a command line with status 2; the message is the line on standard error."""


def run(line: str) -> None:
    """Run a command line; raise `CommandError` if it fails with one printable line and no output."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(shlex.split(line))
    message = err.getvalue()
    if status == 2 and out.getvalue() == "" and len(message) < MAX_ERROR_LENGTH:
        assert message.endswith("\n")
        assert message[:-1].isprintable()
        raise CommandError(message[:-1].removeprefix("bgfast: error: "))


def case_names(folder: Path) -> dict[str, Any]:
    """Return the names that every case may use."""
    modules = {module: importlib.import_module(f"bgfast.{module}") for module in PUBLIC_MODULES}
    public = [bgfast, *modules.values()]
    exported = {
        name: getattr(module, name)
        for module in reversed(public)
        for name in getattr(module, "__all__", dir(module))
        if name[0] != "_"
    }
    return {**modules, **exported, "bgfast": bgfast, "np": np, "folder": folder, "run": run}


def error_of(call: str, scope: dict[str, Any]) -> str:
    """Return the class and the message of the exception that a call raises."""
    try:
        exec(call, scope)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def faults(text: str, scope: Mapping[str, Any]) -> Iterator[str]:
    """Yield the failing cases with their line numbers and actual errors."""
    shared_names = dict(scope)
    line = 0
    for paragraph_index, paragraph in enumerate(text.split("\n\n")):
        lines = paragraph.split("\n")
        cases = {index: match for index, row in enumerate(lines) if (match := CASE.fullmatch(row))}
        namespace = shared_names if paragraph_index == 0 and not cases else dict(shared_names)
        setup = ["" if index in cases else row for index, row in enumerate(lines)]
        exec("\n".join(["\n" * line, *setup]), namespace)
        for index, case in cases.items():
            actual = error_of(case["call"], namespace)
            expected = re.escape(f"{case['error']}: {case['message']}").replace(r"\.\.\.", ".*")
            if not re.fullmatch(expected, actual, re.DOTALL):
                yield f"{line + index + 1}: {case['call']} -> {actual}"
            elif case["arrow"] == "->" and "expected" not in actual:
                yield f"{line + index + 1}: the message does not say what was expected: {actual}"
        line += len(lines) + 1


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_invalid_calls_are_refused(file: Path, tmp_path: Path) -> None:
    assert list(faults(file.read_text(encoding="utf-8"), case_names(tmp_path))) == []


def test_unexpected_errors_are_reported(tmp_path: Path) -> None:
    text = inspect.cleandoc("""
        # A paragraph without a case.
        start = Position.start()

        dice = (7, 1)
        start.plays(dice)  -> InvalidDiceError: the first die is 7; ...expected...
        start.plays(dice)  -> TypeError: the first die is 7; ...expected...
        start.plays((3, 1))  -> InvalidDiceError: the first die is 3

        {}[3]  -> KeyError: 3
        {}[3]  => KeyError: 3
    """)
    assert list(faults(text, case_names(tmp_path))) == [
        f"6: start.plays(dice) -> {error_of('bgfast.Position.start().plays((7, 1))', {'bgfast': bgfast})}",
        "7: start.plays((3, 1)) -> no error",
        "9: the message does not say what was expected: KeyError: 3",
    ]
