"""Roll out the plays of an opening roll and rank them: python rollout.py [trials]."""

import sys

import bgfast


def main(trials: int = 360) -> bgfast.rollouts.RolloutResult:
    """Roll out the five best plays of an opening 3-1 and print their table."""
    ranking = bgfast.Network.builtin().best_plays(bgfast.Decision.read("start 31"))
    result = bgfast.rollout([candidate.play for candidate in ranking[:5]], trials=trials, seed=1)
    print(result)
    return result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
