"""Networks of other engines as evaluators at 0 plies."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from bgfast.batch.successors import flip
from bgfast.common.extras import import_optional, installed_version
from bgfast.common.probabilities import PROBABILITIES, Numbers, flipped_probabilities
from bgfast.common.vocabulary import Boards
from bgfast.evaluation.evaluators.evaluators import ForeignEvaluator

GNUBG_NN = "gnubg-nn==1.1.0a11"
BGSAGE = "bgsage"


class GnubgNN(ForeignEvaluator):
    """GNU Backgammon's networks at 0 plies in the package gnubg-nn; returns probabilities.

    Positions with few checkers left come from the bear-off databases of the package. It assumes 15 checkers a
    side: those not on the board are off.

    Source: gnubg-nn 1.1.0a11, ``gnubg_nn.probabilities``; GPL.

    Raises
    ------
    BgfastError
        If gnubg-nn is not installed.

    Notes
    -----
    Picklable. Thread-safe, but calls are serialized. `gnubg_nn.net_use` and `gnubg_nn.set` change its results
    in the process.

    Examples
    --------
    Probabilities of the player on roll at the start::

        evaluator = bgfast.evaluators.GnubgNN()
        win, win_gammon, *_ = evaluator(bgfast.Position.start().to_array()[None])[0]
    """

    def __init__(self) -> None:
        self._probabilities = import_optional("gnubg_nn", GNUBG_NN, "GnubgNN").probabilities
        self.name = f"gnubg-nn {installed_version('gnubg-nn')}"

    def _evaluate(self, boards: Boards) -> Numbers:
        # The opponent's checkers, then the mover's, each from that player's own side: points 1 to 24, bar.
        sides = np.stack((np.maximum(-boards[:, 24::-1], 0), np.maximum(boards[:, 1:], 0)), axis=1)
        probabilities = [self._probabilities(board, 0) for board in sides.tolist()]
        return np.array(probabilities, np.float64).reshape(-1, PROBABILITIES)

    def __reduce__(self) -> tuple[type[GnubgNN], tuple[()]]:
        return GnubgNN, ()

    def __repr__(self) -> str:
        return "GnubgNN()"


class Bgsage(ForeignEvaluator):
    """Networks of Open Sage at 0 plies, which it calls 1 ply; returns probabilities.

    Its bear-off database is not used: chain `Bearoff` before it. It assumes 15 checkers a side: those not on
    the board are off.

    Source: bgsage, its production model; MPL 2.0.

    Raises
    ------
    BgfastError
        If bgsage is not installed.

    Notes
    -----
    Picklable and thread-safe. A process loads its networks once.

    Examples
    --------
    Probabilities of the player on roll at the start::

        evaluator = bgfast.evaluators.Bgsage()
        win, win_gammon, *_ = evaluator(bgfast.Position.start().to_array()[None])[0]
    """

    def __init__(self) -> None:
        self._engine, self._networks = _bgsage()
        self.name = f"bgsage {installed_version('bgsage')}"

    def _evaluate(self, boards: Boards) -> Numbers:
        # bgsage evaluates for the player who has just moved.
        rows = flip(boards)
        rows[:, 0] *= -1  # bgsage counts the opponent's checkers on the bar as positive
        centered = self._engine.CubeOwner.CENTERED
        evaluations = self._engine.batch_evaluate_post_move(
            [(row, centered) for row in rows.tolist()], self._networks, 1
        )
        probabilities = np.array([item["probs"] for item in evaluations], np.float64)
        return flipped_probabilities(probabilities.reshape(-1, PROBABILITIES))

    def __reduce__(self) -> tuple[type[Bgsage], tuple[()]]:
        return Bgsage, ()

    def __repr__(self) -> str:
        return "Bgsage()"


@cache
def _bgsage() -> tuple[Any, Any]:
    """Return bgsage's compiled module and its networks; loading takes 34 ms."""
    weights = import_optional("bgsage", BGSAGE, "Bgsage").default_weights()
    engine = import_optional("bgbot_cpp", BGSAGE, "Bgsage")
    networks = engine.create_strategy(
        weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
    )
    return engine, networks
