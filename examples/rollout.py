"""Roll out the plays of an opening roll and rank them: python rollout.py [trials]."""

import sys

import numpy as np

import bgfast
from bgfast.evaluators import Evaluator, GnubgNN, Pubeval


def evaluator() -> Evaluator:
    """Return GNU Backgammon's networks if gnubg-nn is installed, else what bgfast has itself."""
    try:
        return GnubgNN()
    except bgfast.BgfastError as error:
        print(f"{error}\nwithout it: Pubeval, which plays badly")
        return Pubeval()


def main(trials: int = 360) -> bgfast.RolloutResult:
    """Print the table."""
    plays = bgfast.Position.start().plays((3, 1))
    judge = evaluator()
    # What the evaluator thinks best is rolled out; the boards are those of the next player.
    boards = np.array([play.position.to_array() for play in plays])
    found = np.asarray(judge(boards), np.float64)
    worth = found if found.ndim == 1 else found[:, 0]  # equities, or the chances to win
    promising = [plays[int(row)] for row in np.argsort(worth, kind="stable")[:5]]
    result = bgfast.rollout(promising, judge, trials=trials, seed=1)
    print(result)
    return result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
