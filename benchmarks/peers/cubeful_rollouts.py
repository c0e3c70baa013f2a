"""Speed of cubeful rollouts, compared with GNU Backgammon, in games per second of processor time.

``python -m benchmarks.peers.cubeful_rollouts``, from a clone with gnubg installed, prints a Markdown table.
Both programs roll out one position to the end on one thread: 0 plies, no variance reduction, quasi-random
dice, cubeful; GNU Backgammon uses its pruning networks. Its time excludes startup, measured by a short
run. The programs alternate, and the fastest of several rounds counts.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from bgfast import rollout
from bgfast.cli.players import load_evaluator
from bgfast.conformance.adapters import program_command

MONEY_XGID = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10"
MATCH_XGID = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
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
SHORT_RUN_TRIALS = 36


def gnubg_seconds(xgid: str, trials: int) -> float:
    """Return the processor time of a GNU Backgammon rollout, including the program's startup."""
    start_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        commands = Path(folder, "commands")
        commands.write_text(COMMANDS.format(xgid=xgid, trials=trials), encoding="ascii")
        output = subprocess.run(
            program_command(folder, "--commands", commands),
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        ).stdout
    if "Rollout done" not in output:
        raise SystemExit(f"GNU Backgammon did not finish the rollout: {output[-500:]}")
    end_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end_usage.ru_utime + end_usage.ru_stime - start_usage.ru_utime - start_usage.ru_stime


def bgfast_seconds_per_game(xgid: str, name: str, trials: int) -> float:
    """Return bgfast's processor time per game; a trial plays one game in each branch."""
    evaluator = load_evaluator(name)
    rollout(xgid, evaluator=evaluator, trials=SHORT_RUN_TRIALS)
    start = time.process_time()
    result = rollout(xgid, evaluator=evaluator, trials=trials)
    return (time.process_time() - start) / (len(result.estimates) * trials)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=1296, metavar="N", help="gnubg's trials (1296)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="number of rounds (3)")
    options = parser.parse_args()
    print("| | gnubg | builtin | | builtin-fast | |\n|---|---|---|---|---|---|")
    for name, xgid in (("money", MONEY_XGID), ("match to 7, 5 away and 4 away", MATCH_XGID)):
        rounds = [_time_round(xgid, options.trials) for _ in range(options.rounds)]
        short_run, long_run, *network_seconds = (min(seconds) for seconds in zip(*rounds, strict=True))
        gnubg_rate = (options.trials - SHORT_RUN_TRIALS) / (long_run - short_run)
        cells = [f"{gnubg_rate:,.0f}"]
        for seconds in network_seconds:
            cells += [f"{1 / seconds:,.0f}", f"{1 / seconds / gnubg_rate:.1f} times"]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _time_round(xgid: str, trials: int) -> list[float]:
    """Return GNU Backgammon's times for few and for many games, and the networks' times per game."""
    network_times = (bgfast_seconds_per_game(xgid, name, 4 * trials) for name in ("builtin", "builtin-fast"))
    return [gnubg_seconds(xgid, SHORT_RUN_TRIALS), gnubg_seconds(xgid, trials), *network_times]


if __name__ == "__main__":
    main()
