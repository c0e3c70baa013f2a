"""Evaluators by name: those of bgfast, network files, callables of a module."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bgfast.cli.status import raised
from bgfast.common.files import is_missing_file
from bgfast.errors import BgfastError, one_line, shown
from bgfast.evaluation.evaluators.engines import Bgsage, Gnubg, GnubgNN
from bgfast.evaluation.evaluators.evaluators import PipCount, Pubeval, Random
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.onnx import Onnx
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.hypergammon.hypergammon import Hypergammon
from bgfast.evaluation.hypergammon.tables_file import is_tables_file

EVALUATORS: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "random": Random,
        "pip-count": PipCount,
        "builtin": lambda: WithBearoff(Network.builtin()),
        "builtin-fast": lambda: WithBearoff(Network.builtin_fast()),
        "pubeval": Pubeval,
        "gnubg-nn": GnubgNN,
        "gnubg": Gnubg,
        "bgsage": Bgsage,
        "builtin-1ply": lambda: Lookahead(WithBearoff(Network.builtin())),
        "builtin-2ply": lambda: Lookahead(WithBearoff(Network.builtin()), ply=2),
        "builtin-fast-1ply": lambda: Lookahead(WithBearoff(Network.builtin_fast())),
        "network": Network.builtin,
        "network-1ply": lambda: Lookahead(Network.builtin()),
    }
)


ONNX = ".onnx"
"""File name ending of ONNX models."""


def named_evaluator(name: str) -> Any:
    """Return the evaluator of a name, of a network, ONNX or tables file, or of MODULE:NAME."""
    if name in EVALUATORS:
        return EVALUATORS[name]()
    if os.path.exists(name):
        if name.lower().endswith(ONNX):
            return Onnx(name)
        return Hypergammon(name) if is_tables_file(name) else Network.load(name)
    if is_missing_file(name):
        raise BgfastError(f"no such file: {shown(name)}; expected the file of a network")
    module, colon, attribute = name.partition(":")
    if module == "ubgi":
        raise BgfastError(
            f"{shown(name)} is an engine that chooses plays; expected an evaluator of positions"
        )
    if not colon or not all(map(str.isidentifier, [*module.split("."), attribute])):
        names = ", ".join(EVALUATORS)
        raise BgfastError(
            f"no evaluator {shown(name)}; expected {names}, the file of a network, or MODULE:NAME"
        )
    return _of_module(name, module, attribute)


def _of_module(name: str, module: str, attribute: str) -> Any:
    sys.path.insert(0, "")  # as in `python -m`: modules in the current folder
    try:
        value = getattr(importlib.import_module(module), attribute, None)
        evaluator = value() if isinstance(value, type) else value
    except ImportError as error:
        raise BgfastError(f"evaluator {shown(name)}: {one_line(error)}") from None
    except (Exception, SystemExit) as error:
        raise BgfastError(f"evaluator {shown(name)}: {raised(error)}") from None
    finally:
        sys.path.remove("")
    if not callable(evaluator):
        raise BgfastError(f"evaluator {shown(name)}: {attribute} is {shown(evaluator)}; expected a callable")
    return evaluator
