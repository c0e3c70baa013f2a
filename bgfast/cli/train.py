"""``bgfast train``: a network that learns by playing against itself."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from itertools import combinations
from pathlib import Path

from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.evaluators.network_file import check_name
from bgfast.analysis.evaluators.network_weights import LANES, MOST_HIDDEN
from bgfast.analysis.training.curve import Look, add_to_curve, begin_curve, look_at, plot_curve, read_curve
from bgfast.analysis.training.training import Schedule, Training
from bgfast.cli.options import add_json, add_quiet, seed, whole
from bgfast.cli.parser import Parser
from bgfast.common.plots import check_plot
from bgfast.common.progress import shown_progress
from bgfast.common.streams import complain
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError, shown

__all__ = ["add_options", "run"]

KEEP_EVERY = 60.0  # seconds between two times that the file is written
HIDDEN = 128
FIRST_LOOK = 10_000  # games before the strength is measured first; then each time after twice as many


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast train``."""
    parser.describe(
        "",
        "The file is written every minute and at the end, also after Ctrl-C; --resume goes on "
        "from there; all but the file may be left out then. A "
        "line tells the strength now and then: points a game against pubeval, and against the network as it "
        "was when the strength was measured before.",
        example="bgfast train --games 200000 --hidden 128 --out mine.bgnet",
    )
    add_json(parser)
    add_quiet(parser)
    parser.add_argument("--games", type=whole(1, 10**12), metavar="N", help="how many in all")
    parser.add_argument(
        "--hidden",
        type=whole(1, MOST_HIDDEN),
        metavar="H",
        help=f"hidden units, a multiple of {LANES} ({HIDDEN})",
    )
    parser.add_argument(
        "--no-features", action="store_true", help="let it know nothing but how many checkers stand where"
    )
    parser.add_argument("--seed", type=seed, metavar="S", help="of the dice and of the beginning (0)")
    parser.add_argument("--threads", type=whole(1, 999), metavar="N", help="workers (1)")
    parser.add_argument(
        "--begin", metavar="FILE", help="begin with this network, not with one that knows nothing"
    )
    parser.add_argument(
        "--steps",
        nargs=2,
        type=_step,
        metavar=("FIRST", "LAST"),
        help=f"how far the weights move at the beginning and at the end ({Schedule.first} {Schedule.last})",
    )
    parser.add_argument(
        "--trace",
        type=_share,
        metavar="L",
        help=f"lambda: how much the end of a game teaches, not only the next position ({Schedule.trace})",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="where the network goes")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the network in the file, as it was begun"
    )
    parser.add_argument("--curve", metavar="FILE", help="add a line of JSON for each look at the strength")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw the strength, as .svg or .png (pip install bgfast[plot])"
    )
    parser.add_argument(
        "--test-games",
        type=_even,
        default=2000,
        metavar="N",
        help="of each look, an even number (2000)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Train, and keep the network."""
    _check_files(arguments)
    training = _gone_on_with(arguments) if arguments.resume else _begun(arguments)
    looks = _looks_before(arguments)
    last = training.network
    begin, before = time.monotonic(), training.played
    kept, look = begin, FIRST_LOOK
    while look <= before:
        look *= 2
    testing = 0.0
    try:
        with shown_progress("train", training.games, "games", before, quiet=arguments.quiet) as progress:
            for played in training.play():
                progress(played)
                if played >= look or played >= training.games:
                    look *= 2
                    started = time.monotonic()
                    speed = (played - before) / (started - begin - testing)
                    network = training.network
                    looks.append(look_at(network, last, speed, arguments.test_games))
                    last = network
                    progress.clear()
                    _tell(arguments, looks)
                    testing += time.monotonic() - started
                if time.monotonic() - kept >= KEEP_EVERY:
                    training.save(arguments.out)
                    kept = time.monotonic()
    except KeyboardInterrupt:
        complain(f"bgfast: {training.played:,} games are in {arguments.out}; --resume goes on")
        raise
    finally:
        if training.played > before:
            training.save(arguments.out)


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written, or would be ruined, before anything is learnt."""
    check_name(arguments.out)
    if arguments.plot is not None:
        check_plot(arguments.plot)
    there = os.path.exists(arguments.out)
    if there and not arguments.resume:
        raise BgfastError(f"{arguments.out} is there already; expected another name, or --resume")
    if arguments.resume and not there:
        raise BgfastError(f"{arguments.out} is not there; expected a network to go on with")
    options = {name: getattr(arguments, name) for name in ("out", "curve", "plot")}
    files = {name: os.path.realpath(file) for name, file in options.items() if file is not None}
    for (name, file), (other, one) in combinations(files.items(), 2):
        if file == one:
            raise BgfastError(f"--{name} and --{other} are one file, {options[name]}; expected two")
    if arguments.curve is not None:
        begin_curve(arguments.curve)


def _begun(arguments: argparse.Namespace) -> Training:
    """Return the training at its beginning."""
    if arguments.games is None:
        raise BgfastError("--games is missing; expected how many are to be played in all")
    number = arguments.seed or 0
    if arguments.begin is not None:
        before = Network.load(arguments.begin)
        begin = Network(before.weights, {"before": before.about})
    else:
        hidden = HIDDEN if arguments.hidden is None else arguments.hidden
        begin = Network.random(hidden, number, features=not arguments.no_features)
    first, last = arguments.steps or (Schedule.first, Schedule.last)
    trace = Schedule.trace if arguments.trace is None else arguments.trace
    training = Training(
        arguments.games,
        begin,
        seed=number,
        threads=arguments.threads or 1,
        schedule=Schedule(first, last, trace),
    )
    training.save(arguments.out)  # so that nothing is learnt in vain
    return training


def _gone_on_with(arguments: argparse.Namespace) -> Training:
    """Return the training where it was left; what is typed nevertheless has to be what it began with."""
    network = Network.load(arguments.out)
    try:
        training = Training.resumed(network)
    except BgfastError:
        raise BgfastError(
            f"{arguments.out} is no network that a training has left; expected one, or --begin to take it as "
            "the beginning of another"
        ) from None
    schedule = training.schedule
    before = None if arguments.begin is None else Network.load(arguments.begin).about
    for option, typed, own in (
        ("--games", arguments.games, training.games),
        ("--hidden", arguments.hidden, network.hidden[0]),
        ("--no-features", arguments.no_features or None, not training.features),
        ("--seed", arguments.seed, training.seed),
        ("--threads", arguments.threads, training.threads),
        ("--begin", before, network.about.get("before")),
        ("--steps", arguments.steps and tuple(arguments.steps), (schedule.first, schedule.last)),
        ("--trace", arguments.trace, schedule.trace),
    ):
        if typed is not None and typed != own:
            raise BgfastError(
                f"{arguments.out} was trained otherwise: its {option} is {shown(own)}, here it is "
                f"{shown(typed)}; expected the same, or nothing"
            )
    return training


def _looks_before(arguments: argparse.Namespace) -> list[Look]:
    """Return the looks of a training that goes on, for its picture."""
    if arguments.plot is None or arguments.curve is None or not arguments.resume:
        return []
    return read_curve(arguments.curve) if Path(arguments.curve).exists() else []


def _tell(arguments: argparse.Namespace, looks: list[Look]) -> None:
    """Print the last look, add it to the curve, and draw the curve."""
    if arguments.curve is not None:
        add_to_curve(arguments.curve, looks[-1])
    if arguments.plot is not None:
        plot_curve(arguments.plot, looks)
    print(looks[-1].to_json() if arguments.json else folded(str(looks[-1]), sys.stdout), flush=True)


def _number(text: str, least: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= 1:
        raise argparse.ArgumentTypeError(f"is {shown(text)}; expected a number from {least:g} to 1")
    return number


def _step(text: str) -> float:
    """Return a number given to ``--steps``."""
    return _number(text, 1e-9)


def _share(text: str) -> float:
    """Return the number given to ``--trace``."""
    return _number(text, 0)


def _even(text: str) -> int:
    """Return the number given to ``--test-games``."""
    number = whole(4, 10**6)(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"is {shown(text)}; expected an even number, as both players begin")
    return number
