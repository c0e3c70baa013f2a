"""Evaluators by name, and conversion of arguments (names, files or callables) to evaluators."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bgfast.common import lazy_names
from bgfast.common.files import is_missing_file
from bgfast.common.foreign_names import nearest
from bgfast.errors import BgfastError, MissingFileError, short_repr

if TYPE_CHECKING:
    from bgfast.evaluation.evaluators.evaluators import Evaluator

# Imported on first use, since most evaluators need packages or tables that other evaluators do not.
_SOURCES = {
    "Bgsage": "bgfast.evaluation.evaluators.engines",
    "Gnubg": "bgfast.evaluation.evaluators.engines",
    "GnubgNN": "bgfast.evaluation.evaluators.engines",
    "Hypergammon": "bgfast.evaluation.hypergammon.hypergammon",
    "Lookahead": "bgfast.evaluation.evaluators.lookahead",
    "Network": "bgfast.evaluation.evaluators.network",
    "Onnx": "bgfast.evaluation.evaluators.onnx",
    "PipCount": "bgfast.evaluation.evaluators.evaluators",
    "Pubeval": "bgfast.evaluation.evaluators.evaluators",
    "Random": "bgfast.evaluation.evaluators.evaluators",
    "WithBearoff": "bgfast.evaluation.evaluators.with_bearoff",
    "evaluator_name": "bgfast.evaluation.evaluators.evaluators",
    "is_tables_file": "bgfast.evaluation.hypergammon.tables",
}
_get, _ = lazy_names(__name__, _SOURCES)


def _builtin() -> Any:
    return _get("WithBearoff")(_get("Network").builtin())


def _builtin_fast() -> Any:
    return _get("WithBearoff")(_get("Network").builtin_fast())


EVALUATORS: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "random": lambda: _get("Random")(),
        "pip-count": lambda: _get("PipCount")(),
        "builtin": _builtin,
        "builtin-fast": _builtin_fast,
        "pubeval": lambda: _get("Pubeval")(),
        "gnubg-nn": lambda: _get("GnubgNN")(),
        "gnubg": lambda: _get("Gnubg")(),
        "bgsage": lambda: _get("Bgsage")(),
        "builtin-1ply": lambda: _get("Lookahead")(_builtin()),
        "builtin-2ply": lambda: _get("Lookahead")(_builtin(), ply=2),
        "builtin-fast-1ply": lambda: _get("Lookahead")(_builtin_fast()),
        "network": lambda: _get("Network").builtin(),
        "network-1ply": lambda: _get("Lookahead")(_get("Network").builtin()),
    }
)


def evaluator_of_text(text: str) -> Any:
    """Return the evaluator for a name or a file (network, ONNX model or tables); None for other text."""
    if text in EVALUATORS:
        return EVALUATORS[text]()
    if os.path.exists(text):
        if text.lower().endswith(".onnx"):
            return _get("Onnx")(text)
        return _get("Hypergammon")(text) if _get("is_tables_file")(text) else _get("Network").load(text)
    if is_missing_file(text):
        raise MissingFileError(f"no such file: {short_repr(text)}; expected the file of a network")
    return None


def evaluator_of(evaluator: Any, name: str = "evaluator") -> Evaluator:
    """Return a callable unchanged, or the evaluator for a name or file; None means ``"builtin"``.

    Raises `BgfastError` for anything else; the message calls the argument `name`.
    """
    result = evaluator
    if evaluator is None:
        result = _builtin()
    elif isinstance(evaluator, (str, os.PathLike)):
        result = evaluator_of_text(str(evaluator))
    if callable(result) and not isinstance(result, type):
        return result  # pyright: ignore[reportReturnType]
    names = (nearest(evaluator, EVALUATORS) if isinstance(evaluator, str) else None) or ", ".join(EVALUATORS)
    expected = f"a callable on boards, the file of a network, or a name: {names}"
    if isinstance(result, type):
        expected = f"an instance of the class, {result.__name__}()"
    raise BgfastError(f"{name} is {short_repr(evaluator)}; expected {expected}")


def display_name(evaluator: Any) -> str:
    """Return an evaluator's name in results: a key of `EVALUATORS`, a fingerprint, or its own name."""
    if isinstance(evaluator, _get("Lookahead")):
        return display_name(evaluator.evaluator)
    has_bearoff = isinstance(evaluator, _get("WithBearoff"))
    network = evaluator.network if has_bearoff else evaluator
    if isinstance(network, _get("Network")):
        if network._shipped_as == "builtin_fast.bgnet":
            return "builtin-fast"
        if network._shipped_as is not None:
            return "builtin" if has_bearoff else "network"
        return repr(network).strip("<>").partition(":")[0].lower()
    name: str = _get("evaluator_name")(evaluator)
    return {"Random()": "random", "PipCount()": "pip-count", "Pubeval()": "pubeval"}.get(name, name)
