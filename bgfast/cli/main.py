"""The command ``bgfast``: plays, show, perft, bench, game, play, crosscheck, suite.

Bad input gives one line on standard error and exit status 2, before anything is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NoReturn

from bgfast.analysis.perft import leaves_by_roll, total_leaves
from bgfast.cli.crosscheck_options import add_options as add_crosscheck_options
from bgfast.cli.game import run_game
from bgfast.cli.game_options import add_options
from bgfast.cli.options import nothing_more, read_depth, read_position, read_roll, read_threads
from bgfast.cli.play import run_play
from bgfast.common.progress import shown_progress
from bgfast.common.rolls import roll_weight
from bgfast.common.version import __version__
from bgfast.errors import BgfastError, WrongCountError, shown
from bgfast.rules import RuleSet

__all__ = ["main"]

POSITION_HELP = (
    "start (default), nackgammon, longgammon, hypergammon, an XGID, a GNU position ID, or 26 whole numbers: "
    "the opponent's bar (0 or less), points 1 to 24 from the mover's side (own > 0, opponent < 0), the "
    "mover's bar"
)
RULES_HELP = "standard (default), exact, rear_first or five_stack"


class _Parser(argparse.ArgumentParser):
    """argparse, but with one line for an error."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {' '.join(message.split())[:200]}\n")

    def arranged(self, argv: Sequence[str]) -> list[str]:
        """Options first, then `--` and the words in their order: a board may begin with a minus sign."""
        options: list[str] = []
        words: list[str] = []
        rest = iter(argv)
        for word in rest:
            if not word.startswith("--") and word != "-h":
                words.append(word)
                continue
            options.append(word)
            action = self._option_string_actions.get(word)
            if action is not None and action.nargs is None:
                options += islice(rest, 1)
        return [*options, "--", *words]


def _parser() -> tuple[_Parser, dict[str, _Parser]]:
    """Return the parser of the whole command line, and that of each command."""
    parser = _Parser(prog="bgfast", description="Every legal backgammon play, exactly and fast.")
    parser.add_argument("--version", action="version", version=f"bgfast {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)

    def command(
        name: str, words: str, summary: str, details: str, *, json: bool = True, position: bool = True
    ) -> _Parser:
        """Add a command; `position` is false where words name none, `json` where it is a dialogue."""
        sub = commands.add_parser(
            name,
            help=summary,
            description=summary,
            usage=f"bgfast {name} [options] {words}".rstrip(),
            epilog=details,
            allow_abbrev=False,
        )
        sub.add_argument("words", nargs="*", metavar=words, help=argparse.SUPPRESS)
        if json:
            sub.add_argument("--json", action="store_true", help="print one JSON object")
        if words and position:
            sub.add_argument("--checkers", metavar="N", help="checkers per side of an ID or board (15)")
        return sub

    roll = "ROLL: 31, 3-1 or 3 1; may be left out when an XGID carries the dice."
    plays = command(
        "plays", "[POSITION] ROLL", "list every legal play of a roll", f"POSITION: {POSITION_HELP}. {roll}"
    )
    command("show", "[POSITION]", "print a position and its IDs", f"POSITION: {POSITION_HELP}.")
    perft = command(
        "perft",
        "[POSITION] DEPTH",
        "count the positions that follow within DEPTH plays",
        f"POSITION: {POSITION_HELP}. A pass is one child; a finished game is one leaf.",
    )
    for sub in (plays, perft):
        sub.add_argument("--rules", default="standard", metavar="NAME", help=RULES_HELP)
    perft.add_argument("--weighted", action="store_true", help="sum over the 36 ordered rolls, not the 21")
    perft.add_argument("--threads", default="1", metavar="N", help="how many threads share the work (1)")
    perft.add_argument(
        "--checkpoint", metavar="FILE", help="keep what is done in FILE and go on from it (DEPTH 4 or more)"
    )
    bench = command(
        "bench",
        "",
        "measure the speed on this machine",
        "Every count is checked. Other work spoils the times.",
    )
    bench.add_argument("--threads", metavar="N", help="threads of the rows that name them (the usable cores)")
    seed = "Without --seed a seed is chosen, and shown."
    add_options(command("game", "", "play a random legal game and print its score sheet", seed))
    add_options(command("play", "", "play against a simple opponent", seed, json=False))
    crosscheck = command(
        "crosscheck",
        "ENGINE...",
        "compare the plays that other engines list with those of bgfast",
        "ENGINE: gnubg, gnubg-nn, bgsage, open_spiel, pgx, reference, bgfast, or 'program:' and the command "
        "line of a program that speaks the line protocol. Exit status: 0 all agree, 1 one disagrees, 2 one "
        "was not checked, 130 after Ctrl-C.",
    )
    add_crosscheck_options(crosscheck)
    suite = command(
        "suite",
        "run|export",
        "run the conformance suite against an engine, or write it",
        "run: ask an engine the published suite or of --file; export: write the suite of a seed",
        position=False,
    )
    for option, metavar, summary in (
        (
            "--engine",
            "NAME",
            "run: gnubg, gnubg-nn, bgsage, open_spiel, pgx, reference, bgfast or program:COMMAND",
        ),
        ("--perft", "DEPTH", "run: how deep perft is counted through the engine, 0 for not at all (2)"),
        ("--only", "NAME", "run: a section, or the beginning of IDs"),
        ("--time-limit", "S", "run: seconds for each answer (60)"),
        ("--seed", "N", "export: another seed than the published one"),
        (
            "--file",
            "FILE",
            "run: another suite than the published one; export: where it goes (standard output)",
        ),
    ):
        suite.add_argument(option, metavar=metavar, help=summary)
    return parser, commands.choices


def _plays(arguments: argparse.Namespace) -> None:
    typed = read_position(arguments.words, arguments.checkers)
    position = typed.position
    roll = read_roll(typed)
    plays = position.plays(roll, RuleSet.named(arguments.rules))
    if arguments.json:
        rows = [
            {"text": str(play), "moves": play.moves, "gnubg_id": play.position.gnubg_id} for play in plays
        ]
        _print_json({"position": position.gnubg_id, "roll": roll, "rules": arguments.rules, "plays": rows})
        return
    several = f"{len(plays)} legal plays"
    legal = {0: "no legal play, the turn passes", 1: "1 legal play"}.get(len(plays), several)
    lines = [str(position), "", f"{roll[0]}-{roll[1]}: {legal}"]
    lines += [f"{number:4}  {play}" for number, play in enumerate(plays, 1)]
    print("\n".join(lines))


def _show(arguments: argparse.Namespace) -> None:
    typed = read_position(arguments.words, arguments.checkers)
    nothing_more(typed)
    position = typed.position
    if arguments.json:
        _print_json(
            {
                "position": position.gnubg_id,
                "gnubg_id": position.gnubg_id,
                "xgid": position.xgid,
                "board": position.to_array().tolist(),
                "checkers": position.checkers,
                "pip_counts": position.pip_counts,
                "off": position.off,
                "phase": position.phase,
            }
        )
        return
    print(f"{position}\n\nGNU position ID: {position.gnubg_id}\n{position.xgid}\nphase: {position.phase}")


def _perft(arguments: argparse.Namespace) -> None:
    typed = read_position(arguments.words, arguments.checkers)
    depth = read_depth(typed)
    weighted = arguments.weighted
    threads = read_threads(arguments.threads)
    rules = RuleSet.named(arguments.rules)
    started = time.perf_counter()
    rows: list[dict[str, Any]] = []
    with shown_progress(f"perft {depth}") as progress:
        counted = leaves_by_roll(
            typed.position,
            depth,
            weighted=weighted,
            rules=rules,
            threads=threads,
            progress=progress,
            checkpoint=arguments.checkpoint,
        )
        for roll, leaves in _until_interrupted(counted, arguments.checkpoint):
            weight = roll_weight(roll) if weighted else 1
            rows.append({"roll": roll, "weight": weight, "leaves": leaves})
            if not arguments.json:
                print(f"{roll[0]}-{roll[1]}  {leaves:20}" + (f"  x {weight}" if weighted else ""), flush=True)
    total = total_leaves([(row["roll"], row["leaves"]) for row in rows], weighted=weighted)
    seconds = time.perf_counter() - started
    if arguments.json:
        _print_json(
            {
                "position": typed.position.gnubg_id,
                "depth": depth,
                "weighted": weighted,
                "rules": arguments.rules,
                "rolls": rows,
                "total": total,
                "seconds": seconds,
                "nodes_per_second": total / seconds,
            }
        )
        return
    print(f"total{total:20}\n{seconds:.3f} s, {total / seconds:,.0f} nodes/s")


def _until_interrupted(
    counted: Iterator[tuple[tuple[int, int], int]], checkpoint: str | None
) -> Iterator[tuple[tuple[int, int], int]]:
    try:
        yield from counted
    except KeyboardInterrupt:
        if checkpoint is not None:
            print(f"bgfast: what is done is in {checkpoint}; the same command goes on", file=sys.stderr)
        raise


def _bench(arguments: argparse.Namespace) -> None:
    from bgfast.cli import bench  # here, since no other command has to wait for what they import
    from bgfast.common import machine  # here, since no other command has to wait for what they import

    if arguments.words:
        raise BgfastError(f"{shown(' '.join(arguments.words))} behind bench; expected options only")
    threads = machine.usable_cores() if arguments.threads is None else read_threads(arguments.threads)
    about = machine.description()
    started = time.perf_counter()
    rows = bench.measure(threads, _tell)
    seconds = time.perf_counter() - started
    if arguments.json:
        found = [
            {
                "what": row.what,
                "unit": row.unit,
                "units_per_second": row.units_per_second,
                "ns_per_unit": row.ns_per_unit,
                "count": row.count,
            }
            for row in rows
        ]
        _print_json({"machine": about, "threads": threads, "rows": found, "seconds": seconds})
        return
    lines = [f"{name}: {value}" for name, value in about.items()]
    print("\n".join([*lines, "", bench.table(rows), "", f"every count checked, {seconds:.1f} s"]))


def _crosscheck(arguments: argparse.Namespace) -> int:
    from bgfast.cli.crosscheck import run_crosscheck  # here, like what `bench` needs

    return run_crosscheck(arguments)


def _suite(arguments: argparse.Namespace) -> int:
    from bgfast.cli.suite import run_suite  # here, since no other command has to wait for what it imports

    return run_suite(arguments)


def _tell(text: str) -> None:
    """Say what is being done, where a person is waiting for it."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def _print_json(content: dict[str, Any]) -> None:
    print(json.dumps(content))


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "plays": _plays,
    "show": _show,
    "perft": _perft,
    "bench": _bench,
    "game": run_game,
    "play": run_play,
    "crosscheck": _crosscheck,
    "suite": _suite,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments behind the command's name; those of the process by default.

    Returns
    -------
    int
        0 for success, 2 for bad input, 1 if the output could not be written, ``bench`` met wrong results or
        ``suite run`` a failure, 130 after Ctrl-C. Those of ``crosscheck`` stand in `run_crosscheck`.
    """
    parser, commands = _parser()
    words = list(sys.argv[1:] if argv is None else argv)
    name = words[0] if words else ""
    if name not in commands:
        parser.parse_args(words[:1])  # --help, --version, or the error that names the commands
    arguments = commands[name].parse_args(commands[name].arranged(words[1:]))
    if sys.stdout is None:
        print("bgfast: error: standard output is closed", file=sys.stderr)
        return 1
    try:
        status = _COMMANDS[name](arguments)
        sys.stdout.flush()
    except BgfastError as error:
        print(f"bgfast: error: {error}", file=sys.stderr)
        return 2
    except WrongCountError as error:
        print(f"bgfast: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bgfast: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; keep Python from complaining once more at exit.
        _discard_output()
        return 1
    except OSError as error:
        _discard_output()
        print(f"bgfast: error: standard output: {error.strerror}", file=sys.stderr)
        return 1
    return status or 0
