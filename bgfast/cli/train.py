"""``bgfast train``: train a network by self-play."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from shlex import quote
from typing import Any

from bgfast.cli.options import check_target, option_type, whole_number
from bgfast.cli.players import load_evaluator
from bgfast.cli.progress import Progress
from bgfast.cli.streams import complain
from bgfast.common.extras import check_plot
from bgfast.common.files import FileLock, naming
from bgfast.common.text import fold_text
from bgfast.common.validation import number_in_text
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import LANES, MAX_HIDDEN, MAX_UNITS, check_name
from bgfast.learning import learning_curve
from bgfast.learning.learning_curve import Measurement
from bgfast.learning.targets import Lesson
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings
from bgfast.learning.training_state import load_lessons, load_training, save_training

SAVE_SECONDS = 120.0
FIRST_MEASUREMENT = 1_000_000  # positions of the opening; doubled after each measurement
MAX_COUNT = 10**9
BUILTIN = {"builtin": Network.builtin, "builtin-fast": Network.builtin_fast}

SETTINGS = Settings()
HELP = f"""
docs/NETWORK.md describes the stages, the opening, rounds and anneal.

--out FILE!    file of the network
--rounds N[0..{MAX_COUNT}]  rounds after the opening ({SETTINGS.rounds})
--time-limit S  stop after S seconds; rounds and steps are adapted
--threads
--seed S       seed of dice, plays and weights (0)
--resume       resume the run of --out FILE, with its settings
--hidden H[1..{MAX_HIDDEN}]  units of the first layers, multiple of {LANES} ({SETTINGS.hidden})
--race-hidden H[1..{MAX_HIDDEN}]  the same for races (as --hidden)
--dense D[0..{MAX_UNITS}]  units of dense layers, multiple of {LANES}; 0: none ({SETTINGS.dense})
--no-shared    a first layer for each contact bucket
--no-features  no inputs but the checker counts
--no-triples   no rows for three adjacent points
--no-squares   no squares of activations
--begin FILE   begin with a network, or {" or ".join(BUILTIN)}
--positions-of FILE+  with --begin: positions of further runs
--opening N[0..{MAX_COUNT}]    positions of the opening ({SETTINGS.opening:,})
--positions N[1..{MAX_COUNT}]  maximum number of new positions in a round ({SETTINGS.positions:,})
--keep N[1..{MAX_COUNT}]       newest positions that a round uses ({SETTINGS.keep:,})
--anneal N[0..{MAX_COUNT}]     passes of the anneal ({SETTINGS.anneal:,})
--trace LAMBDA  TD(lambda) of the rounds, 0 to 1 ({SETTINGS.trace:g})
--noise SHARE   share of random plays, 0 to 1 ({SETTINGS.noise:g})
--steps FIRST LAST END  learning rates ({" ".join(f"{step:g}" for step in SETTINGS.steps)})
--teachers NAME+  evaluators whose mean is the target of rounds
--curve FILE    append each measurement as a line of JSON
--plot FILE     plot the measurements, .svg or .png (bgfast[plot])
--test-games N=1000  games against each opponent, an even number (1000)
--json --quiet

example: bgfast train --hidden 128 --time-limit 1200 --out mine.bgnet
"""
_share_type = option_type(number_in_text, "a number from 0 to 1", lambda share: 0 <= share <= 1)
TYPES = {
    "trace": _share_type,
    "noise": _share_type,
    "steps": option_type(number_in_text, "a number from 1e-09 to 1", lambda step: 1e-9 <= step <= 1),
    "test_games": option_type(
        whole_number(4, 10**6), "an even number, as each player begins half of them", lambda n: n % 2 == 0
    ),
}


def run(arguments: argparse.Namespace) -> None:
    """Train a network and write it to a file."""
    _check_files(arguments)
    training = _resume_training(arguments) if arguments.resume else _new_training(arguments)
    folder = _folder(arguments.out)
    with naming(f"training {folder}"):
        lock = FileLock.on(folder / "lock")
    try:
        _train(arguments, training, folder)
    finally:
        lock.release()


def _train(arguments: argparse.Namespace, training: Training, folder: Path) -> None:
    measurements: list[Measurement] = []
    if arguments.plot is not None and arguments.curve is not None and arguments.resume:
        # The plot of a resumed run includes the earlier measurements.
        measurements = learning_curve.read_curve(arguments.curve) if Path(arguments.curve).exists() else []
    measured_network = training.network
    save_time, rounds, doublings = time.monotonic(), training.round, _doublings(training)
    try:
        with Progress("train", initial=training.share, quiet=arguments.quiet) as progress:
            for share in training.train():
                progress(
                    share, lambda: f", {training.kind} {training.round}, RMS error {training.rms_error:.4f}"
                )
                if training.round > rounds:
                    rounds = training.round
                    if training.kind != "opening" or _doublings(training) > doublings:
                        doublings = _doublings(training)
                        network, games = training.network, arguments.test_games
                        network.save(arguments.out)
                        measurements.append(
                            learning_curve.measure(network, measured_network, games, arguments.threads)
                        )
                        measured_network = network
                        progress.clear()
                        _report(arguments, measurements)
                if time.monotonic() - save_time >= SAVE_SECONDS and not training.done:
                    save_training(training, folder)
                    save_time = time.monotonic()
    except KeyboardInterrupt:
        complain(f"bgfast: {training.round} rounds are saved in {folder}; --resume continues")
        raise
    finally:
        save_training(training, folder)
        training.network.save(arguments.out)
    if not arguments.quiet:
        command = f"bgfast contest {quote(arguments.out)} builtin-fast"
        complain(f"bgfast: the network is in {arguments.out}; next: {command}")


def _doublings(training: Training) -> int:
    """Return the number of measurements due so far: at `FIRST_MEASUREMENT` positions and at each doubling."""
    return (training.positions // FIRST_MEASUREMENT).bit_length()


def _folder(network: str) -> Path:
    """Return the folder with the state of a network's training run."""
    return Path(f"{network}.training")


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse unusable file arguments before the training begins."""
    check_name(arguments.out)
    folder = _folder(arguments.out)
    for path in (arguments.out, folder):
        if os.path.exists(path) and not arguments.resume:
            raise BgfastError(f"{path} already exists; expected another name, or --resume")
    if arguments.resume and not folder.exists():
        raise BgfastError(f"{folder} does not exist; expected the state of a training run")
    files = [file for file in (arguments.out, arguments.curve, arguments.plot) if file is not None]
    for index, file in enumerate(files):
        check_target(file, [arguments.begin, *(arguments.teachers or ()), *files[:index]])
    if arguments.plot is not None:
        check_plot(arguments.plot)
    if arguments.curve is not None:
        learning_curve.begin_curve(arguments.curve)


def _collect_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    options: dict[str, Any] = {field.name: getattr(arguments, field.name, None) for field in fields(Settings)}
    for name in ("shared", "features", "triples", "squares"):
        options[name] = False if getattr(arguments, f"no_{name}") else None
    values = {name: value for name, value in options.items() if value is not None}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _new_training(arguments: argparse.Namespace) -> Training:
    if arguments.rounds is not None and arguments.time_limit is not None:
        raise BgfastError("--rounds and --time-limit cannot be combined")
    initial_network, lessons = None, list[Lesson]()
    if arguments.begin in BUILTIN:
        initial_network = BUILTIN[arguments.begin]()
    elif arguments.begin is not None:
        initial_network = Network.load(arguments.begin)
        folder = _folder(arguments.begin)
        lessons = load_lessons(folder) if folder.exists() else []
    if arguments.positions_of and initial_network is None:
        raise BgfastError("--positions-of needs --begin")
    for file in arguments.positions_of or ():
        lessons += load_lessons(_folder(file))
    settings = Settings(**_collect_settings(arguments))
    teachers = [load_evaluator(name) for name in settings.teachers]
    training = Training(settings, initial_network, lessons, teachers=teachers, threads=arguments.threads)
    save_training(training, _folder(arguments.out))  # an unusable folder fails now, not after training
    return training


def _resume_training(arguments: argparse.Namespace) -> Training:
    """Load the saved run and add rounds; refuse any other setting that differs from the saved run."""
    training = load_training(_folder(arguments.out), threads=arguments.threads, load_evaluator=load_evaluator)
    saved = training.settings
    for name, value in _collect_settings(arguments).items():
        if name == "rounds" and value > saved.rounds and saved.time_limit is None:
            training.add_rounds(value)
        elif value != getattr(saved, name):
            difference = (
                f"--{name.replace('_', '-')} is {short_repr(value)}, but {arguments.out} is trained with"
            )
            raise BgfastError(
                f"{difference} {short_repr(getattr(saved, name))}; expected the same value, or none"
            )
    return training


def _report(arguments: argparse.Namespace, measurements: list[Measurement]) -> None:
    measurement = measurements[-1]
    if arguments.curve is not None:
        learning_curve.add_to_curve(arguments.curve, measurement)
    if arguments.plot is not None:
        learning_curve.plot_curve(arguments.plot, measurements)
    print(measurement.to_json() if arguments.json else fold_text(str(measurement), sys.stdout), flush=True)
