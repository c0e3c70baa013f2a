"""Evaluators and players by name, and the cube options."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING, Any

from bgfast.cli.parser import error_text
from bgfast.common.foreign_names import nearest
from bgfast.conformance.registry import UBGI, command_line
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.evaluators.names import EVALUATORS, evaluator_of_text
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.rules import STANDARD, RuleSet

if TYPE_CHECKING:
    from bgfast.players.opponents import Opponent


def load_evaluator(name: str) -> Any:
    """Return the evaluator for a built-in name, a file (network, ONNX or tables), or MODULE:NAME."""
    evaluator = evaluator_of_text(name)
    if evaluator is not None:
        return evaluator
    quoted = short_repr(name)
    module, colon, attribute = name.partition(":")
    if module == "ubgi":
        raise BgfastError(f"{quoted} is an engine that chooses plays; expected an evaluator of positions")
    if not colon or not all(map(str.isidentifier, [*module.split("."), attribute])):
        names = nearest(name, EVALUATORS) or ", ".join(EVALUATORS)
        raise BgfastError(f"no evaluator {quoted}; expected {names}, the file of a network, or MODULE:NAME")
    sys.path.insert(0, "")  # as with `python -m`, modules may be in the current folder
    try:
        value = getattr(importlib.import_module(module), attribute, None)
        evaluator = value() if isinstance(value, type) else value
    except (Exception, SystemExit) as error:
        problem = one_line(error) if isinstance(error, ImportError) else error_text(error)
        raise BgfastError(f"evaluator {quoted}: {problem}") from None
    finally:
        sys.path.remove("")
    if not callable(evaluator):
        raise BgfastError(f"evaluator {quoted}: {attribute} is {short_repr(evaluator)}; expected a callable")
    return evaluator


# ---- players ----

UBGI_HELP = f"{UBGI}COMMAND, the command line of a UBGI engine"
PLAYERS_HELP = f"the file of a network, MODULE:NAME of a callable, or {UBGI_HELP}"


def load_player(name: str) -> Any:
    """Return a player for ``bgfast contest`` and ``bgfast errors``: a UBGI engine or an evaluator."""
    if not name.startswith(UBGI):
        return load_evaluator(name)
    from bgfast.players.ubgi_players import UbgiPlayer

    return UbgiPlayer(command_line(name, UBGI))


def load_opponent(name: str, rules: RuleSet = STANDARD) -> Opponent:
    """Return an opponent for games: a UBGI engine, or the built-in opponent of a level."""
    from bgfast.players.opponents import opponent
    from bgfast.players.ubgi_players import UbgiOpponent

    return UbgiOpponent(command_line(name, UBGI), rules) if name.startswith(UBGI) else opponent(name, rules)


# ---- cube options ----

CUBE_OPTIONS = f"""
--cubeless  ignore cube and score, as in cubeless money play
--met
--efficiency NAME  cube efficiency model: {" or ".join(EFFICIENCY_MODELS)} ({EFFICIENCY_MODELS[0]})
"""
"""Options of cubeful evaluations, in the form that `describe` reads."""


def match_equity_table(arguments: argparse.Namespace) -> MatchEquityTable:
    """Return the table of ``--met``, or the built-in table."""
    return MatchEquityTable.builtin() if arguments.met is None else MatchEquityTable.read(arguments.met)


def cube_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the chosen `met` and `efficiency`; refuse them with ``--cubeless``."""
    if arguments.cubeless and (arguments.met is not None or arguments.efficiency is not None):
        raise BgfastError("--met and --efficiency cannot be combined with --cubeless")
    efficiency = arguments.efficiency or EFFICIENCY_MODELS[0]
    return {"met": match_equity_table(arguments), "efficiency": efficiency}
