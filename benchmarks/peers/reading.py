"""Speed of reading recorded matches, compared with GNU Backgammon's import.

``python -m benchmarks.peers.reading``, from a clone, on an idle machine with gnubg installed, prints
a Markdown table. Times are the best processor times of several rounds, which alternate between the programs.

The files are money sessions played by a network and written by bgfast. bgfast checks every play. The time of
a run without an import is subtracted from GNU Backgammon's time.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import bgfast
from bgfast import Match, Network
from bgfast.conformance.adapters import program_command
from bgfast.evaluators import Lookahead

GAMES = 700
LARGE_FACTOR = 4
IMPORT_COMMANDS = {"mat": "import mat", "sgf": "load match"}


def play_session(games: int) -> Match:
    """Return a money session that a network plays against itself."""
    player, match = Lookahead(Network.builtin_fast(), ply=0), Match(None, dice=5)
    while len(match.results) < games or match.result is None:
        legal = match.legal_actions()
        if "play" in legal:
            assert match.dice is not None
            match.play(player.best_plays(match.position, match.dice)[0].play)
        else:
            getattr(match, next(name for name in ("pass_turn", "next_game", "roll") if name in legal))()
    return match


def processor_time(work: Callable[[], object], who: int) -> float:
    """Return a call's processor time in seconds, in this process or in its children."""
    start_usage = resource.getrusage(who)
    work()
    end_usage = resource.getrusage(who)
    return end_usage.ru_utime + end_usage.ru_stime - start_usage.ru_utime - start_usage.ru_stime


def run_gnubg(command: str) -> None:
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        commands = Path(folder, "commands")
        commands.write_text(f"{command}\nset confirm new off\nset confirm save off\nquit\n", encoding="utf-8")
        subprocess.run(
            program_command(folder, "--commands", commands),
            input="y\n",
            capture_output=True,
            text=True,
            check=True,
        )


def count_games(path: Path) -> None:
    for _ in bgfast.records.load_games(path):
        pass


def read_states(path: Path) -> None:
    """Load all games with the states after each action."""
    for game in bgfast.records.load_games(path):
        len(game.states)


def table_row(name: str, path: Path, games: int, seconds: float) -> str:
    size = path.stat().st_size / 1e6
    return f"| {name} | {games:,} games, {size:.1f} MB | {size / seconds:.2f} | {games / seconds:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.reading", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the best is reported (3)")
    rounds = range(parser.parse_args().rounds)
    print(f"{time.strftime('%Y-%m-%d')}\n\n| | | MB/s | games/s |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for games in (GAMES, GAMES * LARGE_FACTOR):
            match = play_session(games)
            for suffix in IMPORT_COMMANDS:
                paths[suffix, games] = Path(folder, f"{games}.{suffix}")
                match.save(paths[suffix, games])
        best_seconds = dict.fromkeys(
            ((reader, *key) for reader in ("games", "states", "gnubg") for key in paths), float("inf")
        )
        for _ in rounds:
            startup_seconds = processor_time(partial(run_gnubg, ""), resource.RUSAGE_CHILDREN)
            for (suffix, games), path in paths.items():
                for reader, read in (("games", count_games), ("states", read_states)):
                    seconds = processor_time(partial(read, path), resource.RUSAGE_SELF)
                    best_seconds[reader, suffix, games] = min(best_seconds[reader, suffix, games], seconds)
                seconds = processor_time(
                    partial(run_gnubg, f"{IMPORT_COMMANDS[suffix]} {path}"), resource.RUSAGE_CHILDREN
                )
                seconds -= startup_seconds
                best_seconds["gnubg", suffix, games] = min(best_seconds["gnubg", suffix, games], seconds)
        for reader, name in (
            ("games", "`load_games`, `bgfast check`"),
            ("gnubg", "GNU Backgammon 1.07"),
            ("states", "`load_games` and the `states` of every game"),
        ):
            for (suffix, games), path in paths.items():
                print(table_row(f"{name}: .{suffix}", path, games, best_seconds[reader, suffix, games]))


if __name__ == "__main__":
    main()
