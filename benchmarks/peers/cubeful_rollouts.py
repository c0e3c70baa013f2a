"""Rollouts with the cube a second: bgfast beside GNU Backgammon, one thread each, by processor time.

``python -m benchmarks.peers.cubeful_rollouts``, from a clone, where gnubg is installed. Both play whole
games of one position at 0 plies, plain, with quasi-random dice, the cube in use; GNU Backgammon with its
pruning networks. The time that a program takes to start is left out: it is that of few games less that of
many. They take turns, and of each the fastest of several rounds counts: what else runs on a machine slows
them down.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from bgfast import rollout
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.engines.adapters.gnubg import program_words

MONEY = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10"
MATCH = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
COMMANDS = """\
set threads 1
set automatic game off
set automatic roll off
set player 0 human
set player 1 human
new session
y
set xgid {xgid}
set rollout trials {trials}
set rollout cubeful on
set rollout varredn off
set rollout quasirandom on
set rollout truncation enable off
set rollout bearofftruncation exact off
set rollout bearofftruncation onesided off
set rollout initial off
set rollout limit enable off
set rollout jsd stop off
set rollout later enable off
set rollout chequerplay plies 0
set rollout chequerplay cubeful on
set rollout cubedecision plies 0
set rollout cubedecision cubeful on
rollout
"""
FEW = 36


def gnubg_seconds(xgid: str, trials: int) -> float:
    """Return what GNU Backgammon takes for so many games, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        commands = Path(folder, "commands")
        commands.write_text(COMMANDS.format(xgid=xgid, trials=trials), encoding="ascii")
        said = subprocess.run(
            program_words(folder, "--commands", commands),
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        ).stdout
    if "Rollout done" not in said:
        raise SystemExit(f"GNU Backgammon has not rolled out; it said: {said[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_seconds(xgid: str, name: str, trials: int) -> float:
    """Return what bgfast takes for a game, of both branches."""
    evaluator = named_evaluator(name)
    rollout(xgid, evaluator, trials=FEW)
    began = time.process_time()
    found = rollout(xgid, evaluator, trials=trials)
    return (time.process_time() - began) / (len(found.estimates) * trials)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=1296, metavar="N", help="games of gnubg (1296)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    chosen = parser.parse_args()
    print("| | gnubg | builtin | | builtin-fast | |\n|---|---|---|---|---|---|")
    for words, xgid in (("money", MONEY), ("match to 7, 5 away and 4 away", MATCH)):
        rounds = [_round(xgid, chosen.trials) for _ in range(chosen.rounds)]
        few, many, *own = (min(seconds) for seconds in zip(*rounds, strict=True))
        theirs = (chosen.trials - FEW) / (many - few)
        cells = [f"{theirs:,.0f}"]
        for seconds in own:
            cells += [f"{1 / seconds:,.0f}", f"{1 / seconds / theirs:.1f} times"]
        print(f"| {words} | {' | '.join(cells)} |", flush=True)


def _round(xgid: str, trials: int) -> list[float]:
    """Return the seconds of GNU Backgammon for few games and for many, and of bgfast's networks for one."""
    networks = (own_seconds(xgid, name, 4 * trials) for name in ("builtin", "builtin-fast"))
    return [gnubg_seconds(xgid, FEW), gnubg_seconds(xgid, trials), *networks]


if __name__ == "__main__":
    main()
