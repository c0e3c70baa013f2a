"""Roll out the plays of an opening roll and rank them: python rollout.py [trials]."""

import sys

import numpy as np

import bgfast


def main(trials: int = 360) -> bgfast.rollouts.RolloutResult:
    """Print the table of the five best plays of a 3-1."""
    plays = bgfast.Position().plays((3, 1))
    network = bgfast.Network.builtin()
    # Roll out the five plays with the smallest equity for the next player.
    equities = network.evaluate(bgfast.flip(plays.boards)) @ [2, 1, 1, -1, -1] - 1
    candidates = [plays[int(row)] for row in np.argsort(equities, kind="stable")[:5]]
    result = bgfast.rollout(candidates, evaluator=network, trials=trials, seed=1)
    print(result)
    return result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
