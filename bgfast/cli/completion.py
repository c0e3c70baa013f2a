"""Shell completion of values and positional arguments.

argcomplete takes commands and options from the parsers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any

from bgfast.cli.parser import Parser
from bgfast.common.extras import import_optional

# Modules and attributes with the names; imported on use, to keep completion fast.
EVALUATORS = "bgfast.cli.evaluator_names:EVALUATORS"
ENGINES = "bgfast.conformance.registry:NAMES"
OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "evaluator": EVALUATORS,
        "policy": EVALUATORS,
        "engine": ENGINES,
        "level": "bgfast.learning.opponents:OPPONENTS",
        "rules": "bgfast.rules:PRESETS",
    }
)
POSITIONS = "bgfast.position.position_text:STARTS"
WORDS: Mapping[str, str] = MappingProxyType(
    {"[POSITION]": POSITIONS, "A": EVALUATORS, "PLAYER": EVALUATORS, "ENGINE...": ENGINES}
)
"""Completions of positional arguments by the name of the first in the help."""


def complete(parser: Parser, hidden: Iterable[str]) -> None:
    """Answer the shell and end the process; hidden spellings are not offered."""
    argcomplete = import_optional("argcomplete", "'bgfast[completion]'", "completion")
    files = argcomplete.FilesCompleter()
    _set_completers(parser, files)
    argcomplete.autocomplete(parser, exclude=list(hidden), default_completer=argcomplete.SuppressCompleter())


def _set_completers(parser: argparse.ArgumentParser, files: Callable[..., Iterable[str]]) -> None:
    """Set the completers of all options and arguments of a parser and its subparsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for subparser in action.choices.values():
                _set_completers(subparser, files)
        elif action.choices is None and (action.nargs != 0):
            setattr(action, "completer", _completer(action, files))  # noqa: B010 - argparse has no such name


def _completer(action: argparse.Action, files: Callable[..., Iterable[str]]) -> Callable[..., list[str]]:
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    names = OPTIONS.get(action.dest) or WORDS.get((metavar.split() or [""])[0])
    with_files = metavar == "FILE" or names == EVALUATORS

    def completions(prefix: str, **more: Any) -> list[str]:
        offered = [] if names is None else [name for name in resolve_name(names) if name.startswith(prefix)]
        return offered + list(files(prefix=prefix, **more)) if with_files else offered

    return completions
