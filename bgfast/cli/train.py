"""``bgfast train``: a network that learns from its own games."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Any

from bgfast.cli.evaluator_names import named_evaluator
from bgfast.cli.options import add_json, add_quiet, add_threads, check_target, seconds, seed, whole
from bgfast.cli.parser import Parser
from bgfast.common.files import FileLock
from bgfast.common.plots import check_plot
from bgfast.common.progress import shown_progress
from bgfast.common.resumable import reason
from bgfast.common.streams import complain
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import check_name
from bgfast.evaluation.evaluators.network_weights import LANES, MAX_HIDDEN, MAX_UNITS
from bgfast.learning.training.curve import (
    Measurement,
    add_to_curve,
    begin_curve,
    measure,
    plot_curve,
    read_curve,
)
from bgfast.learning.training.settings import Settings
from bgfast.learning.training.state import kept_lessons, load_training, save_training
from bgfast.learning.training.targets import Lesson
from bgfast.learning.training.training import Training

__all__ = ["add_options", "run"]

KEEP_EVERY = 120.0  # seconds between two times that the state is written
FIRST_LOOK = 1_000_000  # positions before the strength is measured first in the opening; then each time twice
MAX_COUNT = 10**9
BUILTIN = {"builtin": Network.builtin, "builtin-fast": Network.builtin_fast}


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast train``."""
    defaults = Settings()
    parser.describe(
        "",
        "First it plays against itself and learns from what comes after, the opening. Then come rounds: new "
        "positions of its games are worth what they are a ply later, the mean over all rolls; and it learns "
        "from the newest of all. The network is written after each round, and what is needed to go on, every "
        "two minutes and at the end, also after Ctrl-C, into the folder FILE.training; --resume goes on from "
        "there, and all but the file may be left out then; more --rounds are added, even to a training that "
        "was done. A line tells the strength now and then: the error per play in the contested decisions, "
        "points a game against pubeval, and against the network as it was when the strength was measured "
        "before.",
        example="bgfast train --hidden 128 --time-limit 1200 --threads 2 --out mine.bgnet",
    )
    add_json(parser)
    add_quiet(parser)
    for option, read, metavar, text in (
        ("rounds", whole(0, MAX_COUNT), "N", f"rounds behind the opening ({defaults.rounds})"),
        ("time-limit", seconds, "S", "end after S seconds, with rounds and steps to fit"),
        (
            "hidden",
            whole(1, MAX_HIDDEN),
            "H",
            f"units of first layers, a multiple of {LANES} ({defaults.hidden})",
        ),
        ("race-hidden", whole(1, MAX_HIDDEN), "H", "of that for races (as many as the others)"),
        (
            "dense",
            whole(0, MAX_UNITS),
            "D",
            f"units of a second layer, a multiple of {LANES}, behind a first one that the four parts for "
            f"contact share; 0 for none, and a first one each ({defaults.dense})",
        ),
    ):
        parser.add_argument(f"--{option}", type=read, metavar=metavar, help=text)
    parser.add_argument(
        "--no-shared", action="store_true", help="before a second layer, too, let each part have a first one"
    )
    parser.add_argument(
        "--no-features", action="store_true", help="let it know nothing but how many checkers stand where"
    )
    parser.add_argument("--seed", type=seed, metavar="S", help="of dice, plays and the beginning (0)")
    add_threads(parser)
    parser.add_argument(
        "--begin",
        metavar="FILE",
        help="instead of the opening learn from the games and judgement of this network, or of "
        f"{' or '.join(BUILTIN)}, until it is caught up with; and from the positions in FILE.training, if it "
        "was trained here",
    )
    for option, default, text in (
        ("opening", defaults.opening, "positions of the opening"),
        ("positions", defaults.positions, "new ones of a round, at most"),
        ("keep", defaults.keep, "the newest that a round learns from"),
        ("anneal", defaults.anneal, "times that it goes through these at the very end"),
    ):
        parser.add_argument(
            f"--{option}",
            type=whole(0 if option in ("opening", "anneal") else 1, MAX_COUNT),
            metavar="N",
            help=f"{text} ({default:,})",
        )
    parser.add_argument(
        "--trace",
        type=_number(0),
        metavar="LAMBDA",
        help="from 0 to 1: how much less each later ply of a game tells what a position is worth "
        f"({defaults.trace:g})",
    )
    parser.add_argument(
        "--noise",
        type=_number(0),
        metavar="SHARE",
        help="from 0 to 1: how many plays are by lot among all legal ones, in the plies that have such "
        f"({defaults.noise:g})",
    )
    parser.add_argument(
        "--steps",
        nargs=3,
        type=_number(1e-9),
        metavar=("FIRST", "LAST", "END"),
        help="how far the weights move, as Adam has it: at the beginning and at the end of a round, and at "
        f"the very end ({' '.join(f'{step:g}' for step in defaults.steps)})",
    )
    parser.add_argument(
        "--teachers",
        nargs="+",
        metavar="NAME",
        help="targets of the rounds are the mean of the probabilities of these evaluators, instead of the "
        "network's own a ply later; names as of bgfast rollout --evaluator",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="where the network goes")
    parser.add_argument("--resume", action="store_true", help="go on with a training, as it was begun")
    parser.add_argument("--curve", metavar="FILE", help="add a line of JSON for each look at the strength")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw the strength, as .svg or .png (pip install bgfast[plot])"
    )
    parser.add_argument(
        "--test-games",
        type=_even,
        default=1000,
        metavar="N",
        help="of each look, an even number (1000)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Train, and keep the network."""
    _check_files(arguments)
    folder = _folder(arguments)
    training = _gone_on_with(arguments) if arguments.resume else _begun(arguments)
    try:
        lock = FileLock.on(folder / "lock")
    except OSError as error:
        raise BgfastError(f"training {folder}: {reason(error)}") from None
    try:
        _train(arguments, training, folder)
    finally:
        lock.release()


def _train(arguments: argparse.Namespace, training: Training, folder: Path) -> None:
    measurements = _earlier_measurements(arguments)
    last = training.network
    kept, rounds, look = time.monotonic(), training.round, FIRST_LOOK
    while look <= training.positions:
        look *= 2
    begun = training.share
    try:
        with shown_progress("train", initial=begun, quiet=arguments.quiet) as progress:
            for share in training.train():
                progress(share, lambda: f", {training.kind} {training.round}, {training.off:.4f} points off")
                if training.round > rounds:
                    rounds = training.round
                    if training.kind != "opening" or training.positions >= look:
                        while look <= training.positions:
                            look *= 2
                        network = training.network
                        network.save(arguments.out)
                        measurements.append(measure(network, last, arguments.test_games, arguments.threads))
                        last = network
                        progress.clear()
                        _tell(arguments, measurements)
                if time.monotonic() - kept >= KEEP_EVERY and not training.done:
                    save_training(training, folder)
                    kept = time.monotonic()
    except KeyboardInterrupt:
        complain(f"bgfast: {training.round} rounds are in {folder}; --resume goes on")
        raise
    finally:
        save_training(training, folder)
        training.network.save(arguments.out)


def _folder(arguments: argparse.Namespace) -> Path:
    """Return where the state of the training lies."""
    return Path(f"{arguments.out}.training")


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written, or would be ruined, before anything is learnt."""
    check_name(arguments.out)
    folder = _folder(arguments)
    for there in (arguments.out, folder):
        if os.path.exists(there) and not arguments.resume:
            raise BgfastError(f"{there} is there already; expected another name, or --resume")
    if arguments.resume and not folder.exists():
        raise BgfastError(f"{folder} is not there; expected a training to go on with")
    options = {name: getattr(arguments, name) for name in ("out", "curve", "plot")}
    files = {name: os.path.realpath(file) for name, file in options.items() if file is not None}
    for (name, file), (other, one) in combinations(files.items(), 2):
        if file == one:
            raise BgfastError(f"--{name} and --{other} are one file, {options[name]}; expected two")
    for file in files.values():
        check_target(file, [arguments.begin, *(arguments.teachers or ())])
    if arguments.plot is not None:
        check_plot(arguments.plot)
    if arguments.curve is not None:
        begin_curve(arguments.curve)


def _typed(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that were typed."""
    typed = {
        field.name: getattr(arguments, field.name)
        for field in fields(Settings)
        if getattr(arguments, field.name, None) is not None
    }
    for name in ("shared", "features"):
        if getattr(arguments, f"no_{name}"):
            typed[name] = False
    for name in ("steps", "teachers"):
        if name in typed:
            typed[name] = tuple(typed[name])
    return typed


def _begun(arguments: argparse.Namespace) -> Training:
    """Return the training at its beginning."""
    if arguments.rounds is not None and arguments.time_limit is not None:
        raise BgfastError("--rounds and --time-limit; expected one of them")
    begin, lessons = None, list[Lesson]()
    if arguments.begin is not None:
        named = BUILTIN.get(arguments.begin)
        begin = Network.load(arguments.begin) if named is None else named()
        before = Path(f"{arguments.begin}.training")
        lessons = kept_lessons(before) if named is None and before.exists() else []
    settings = Settings(**_typed(arguments))
    teachers = [named_evaluator(name) for name in settings.teachers]
    training = Training(settings, begin, lessons, teachers=teachers, threads=arguments.threads)
    save_training(training, _folder(arguments))  # so that nothing is learnt in vain
    return training


def _gone_on_with(arguments: argparse.Namespace) -> Training:
    """Return the training where it was left; what is typed, more rounds aside, is what it began with."""
    training = load_training(_folder(arguments), threads=arguments.threads, named_evaluator=named_evaluator)
    own = training.settings
    for name, typed in _typed(arguments).items():
        if name == "rounds" and typed > own.rounds and own.time_limit is None:
            training.add_rounds(typed)
        elif typed != getattr(own, name):
            option = name.replace("_", "-")
            raise BgfastError(
                f"{arguments.out} was trained otherwise: its --{option} is {shown(getattr(own, name))}, here "
                f"it is {shown(typed)}; expected the same, or nothing"
            )
    return training


def _earlier_measurements(arguments: argparse.Namespace) -> list[Measurement]:
    """Return the earlier measurements of a resumed run, for its plot."""
    if arguments.plot is None or arguments.curve is None or not arguments.resume:
        return []
    return read_curve(arguments.curve) if Path(arguments.curve).exists() else []


def _tell(arguments: argparse.Namespace, measurements: list[Measurement]) -> None:
    """Print the last measurement, add it to the curve, and plot the curve."""
    if arguments.curve is not None:
        add_to_curve(arguments.curve, measurements[-1])
    if arguments.plot is not None:
        plot_curve(arguments.plot, measurements)
    print(
        measurements[-1].to_json() if arguments.json else folded(str(measurements[-1]), sys.stdout),
        flush=True,
    )


def _number(least: float) -> Callable[[str], float]:
    """Return what reads a number from this to 1."""

    def read(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not least <= found <= 1:
            raise argparse.ArgumentTypeError(f"is {shown(text)}; expected a number from {least:g} to 1")
        return found

    return read


def _even(text: str) -> int:
    """Return the number given to ``--test-games``."""
    number = whole(4, 10**6)(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"is {shown(text)}; expected an even number, as both players begin")
    return number
