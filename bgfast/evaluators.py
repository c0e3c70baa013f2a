"""Evaluators of positions for rollouts and searches.

An evaluator is any callable that takes boards, an int8 array (n, 26) from the side of the player on roll, and
returns for that player either n equities, in points at cube 1, or an array (n, 5) of probabilities: win, win
a gammon or backgammon, win a backgammon, lose a gammon or backgammon, lose a backgammon. Finished games are
never passed. The evaluator may modify or store the boards; its result is copied before the next call.

Functions that take an evaluator also accept the file of a network, an ONNX model or tables, or a name:
``"builtin"`` (the default), ``"builtin-fast"``, ``"pip-count"``, ``"pubeval"``, ``"random"``, ``"gnubg-nn"``,
``"gnubg"``, ``"bgsage"``, ``"network"``, or one of the searches ``"builtin-1ply"``, ``"builtin-2ply"``,
``"builtin-fast-1ply"`` and ``"network-1ply"``. Functions return cubeless equities for a position and
cubeful equities for a decision.

Results are repeatable if an evaluator's value of a board does not depend on the rest of the batch. An
evaluator that several threads call must be thread-safe; one sent to other processes must be picklable.
"""

from typing import TYPE_CHECKING

from bgfast.common import lazy_names
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.evaluators.engines import Bgsage, GnubgNN
from bgfast.evaluation.evaluators.evaluators import Chain, Evaluator, PipCount, Pubeval, Random
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.onnx import Onnx
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay, RankedPlays
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.hypergammon.hypergammon import Hypergammon

__all__ = [
    "Bearoff",
    "Bgsage",
    "Chain",
    "Evaluator",
    "GnubgNN",
    "Hypergammon",
    "Lookahead",
    "Onnx",
    "PipCount",
    "Pubeval",
    "Random",
    "RankedPlay",
    "RankedPlays",
    "WithBearoff",
]

if not TYPE_CHECKING:
    __getattr__, _ = lazy_names(__name__, {})
