"""Roll out the plays of an opening roll and rank them: python rollout.py [trials]."""

import sys

import bgfast
from bgfast.evaluators import GnubgNN, Pubeval


def evaluator():
    """Return GNU Backgammon's networks if gnubg-nn is installed, else what bgfast has itself."""
    try:
        return GnubgNN()
    except bgfast.BgfastError as error:
        print(f"{error}\nwithout it: Pubeval, which plays badly")
        return Pubeval()


def main(trials=360):
    """Print the table."""
    plays = bgfast.Position.start().plays((3, 1))
    judge = evaluator()
    # What the evaluator thinks best is rolled out; the boards are those of the next player.
    promising = sorted(plays, key=lambda play: judge(play.position.to_array()[None]).ravel()[0])[:5]
    result = bgfast.rollout(promising, judge, trials=trials, seed=1)
    print(result)
    return result


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
