"""Evaluators: what rollouts and searches ask for the worth of positions.

An evaluator is any callable that takes boards, an int8 array (n, 26) in which the player on roll is the
mover, and returns for that player either n equities, in points at cube 1, or an array (n, 5) of
probabilities: to win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to lose a
backgammon. Finished games are never passed. The boards are its own, to change or to keep; what it returns is
copied before it is asked again.

Give the same for a board whatever boards stand beside it: results are repeatable then. To be called by
several threads at once an evaluator has to be safe for threads, and to be sent to other processes, picklable.
"""

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
