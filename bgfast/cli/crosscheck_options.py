"""What is typed for `bgfast crosscheck`."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from bgfast.cli.options import read_number, read_seed, read_time_limit
from bgfast.errors import BgfastError, shown
from bgfast.rules import RuleSet

__all__ = ["MIXTURE", "Typed", "add_options", "read_options"]

MIXTURE = {"random": 500, "bearoff": 250, "games": 250}
"""The positions that are compared if none are asked for."""


class Typed(NamedTuple):
    """What is to be compared, and how."""

    engines: tuple[str, ...]
    positions: str | None
    checkers: str | None
    random: int
    bearoff: int
    games: int
    all_rolls: bool
    seed: int
    rules_name: str
    rules: RuleSet
    jobs: int
    time_limit: float
    resume: str | None
    json: bool


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of the command."""
    mixture = " ".join(f"--{name} {number}" for name, number in MIXTURE.items())
    option = parser.add_argument
    option(
        "--positions", metavar="FILE", help="one a line: ID, XGID or 26 numbers, a roll behind it; # comments"
    )
    option("--random", metavar="N", help="N positions with bars, bear-offs, blots and walls")
    option("--bearoff", metavar="N", help="N positions with bear-offs, many with contact")
    option("--games", metavar="N", help="N positions of random games, the only ones that OpenSpiel can reach")
    option("--rolls", metavar="all", help="all 36 ordered rolls of each position, not a random one")
    option("--seed", default="1", metavar="N", help="of what is random (1); the same cases for the same seed")
    option("--rules", default="standard", metavar="NAME", help="standard, exact, rear_first or five_stack")
    option("--jobs", default="1", metavar="N", help="processes of each engine side by side (1)")
    option("--time-limit", default="60", metavar="SECONDS", help="for one answer, after which it hangs (60)")
    option("--resume", metavar="FILE", help="keep what is done in FILE and go on from it")
    parser.description = f"{parser.description} Without positions: {mixture}."


def read_options(arguments: argparse.Namespace) -> Typed:
    """Return what was typed.

    Raises
    ------
    BgfastError
        If an option cannot be read.
    """
    engines = tuple(arguments.words)
    for name in engines:
        if engines.count(name) > 1:
            raise BgfastError(f"the engine {shown(name)} is named twice")
    if arguments.rolls not in (None, "all"):
        raise BgfastError(
            f"--rolls is {shown(arguments.rolls)}; expected 'all', or nothing for one roll each"
        )
    if arguments.checkers is not None and arguments.positions is None:
        raise BgfastError("--checkers goes with --positions: random positions have 15 a side")
    typed = {name: getattr(arguments, name) for name in MIXTURE}
    if arguments.positions is None and all(text is None for text in typed.values()):
        numbers = MIXTURE
    else:
        numbers = {
            name: 0 if text is None else read_number(name, text, 1, 10**9) for name, text in typed.items()
        }
    return Typed(
        engines=engines,
        positions=arguments.positions,
        checkers=arguments.checkers,
        **numbers,
        all_rolls=arguments.rolls == "all",
        seed=read_seed(arguments.seed),
        rules_name=arguments.rules,
        rules=RuleSet.named(arguments.rules),
        jobs=read_number("jobs", arguments.jobs, 1, 999),
        time_limit=read_time_limit(arguments.time_limit),
        resume=arguments.resume,
        json=arguments.json,
    )
