"""Learning curve of a training run: measurements of strength, their file and plot."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from bgfast.common.extras import check_plot, new_figure, save_figure
from bgfast.common.files import FileLock, append_all, naming, read_limited
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.validation import number_from_file
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import Pubeval
from bgfast.evaluation.evaluators.network import Network
from bgfast.learning.contest import contest
from bgfast.learning.error_per_play import error_per_play

PREVIOUS_LABEL = "points a game against\nthe previous network (95 %)"
SEED = 1  # for the dice of all contests
LINE_START = b'{"against": "pubeval", '


class Measurement(NamedTuple):
    """Strength of a network in training."""

    rounds: int
    games: int  # finished self-play games
    positions: int  # training positions
    seconds: float
    millipoints: float  # average error per play in the contested decisions
    standard_error_millipoints: float
    points_per_game: float  # against pubeval
    standard_error: float
    rounds_before: int  # rounds of the previously measured network
    points_before: float  # per game against the previously measured network
    standard_error_before: float
    test_games: int  # against each opponent

    def to_json(self) -> str:
        """Return a line of JSON."""
        return json.dumps({"against": "pubeval", **self._asdict()})

    def __str__(self) -> str:
        duration = timedelta(seconds=round(self.seconds))
        return (
            f"round {self.rounds}, {self.positions:,} positions, {duration}: {self.millipoints:.2f} ± "
            f"{NORMAL_95 * self.standard_error_millipoints:.2f} millipoints a play; points a game against "
            f"pubeval {self.points_per_game:+.4f} ± {NORMAL_95 * self.standard_error:.4f}, against itself "
            f"after round {self.rounds_before} {self.points_before:+.4f} ± "
            f"{NORMAL_95 * self.standard_error_before:.4f}"
        )


def measure(network: Network, previous: Network, test_games: int, threads: int = 1) -> Measurement:
    """Measure the error per play, and the points against pubeval and the previously measured network."""
    against_pubeval, against_previous = (
        contest(network, opponent, games=test_games, seed=SEED, threads=threads)
        for opponent in (Pubeval(), previous)
    )
    errors = error_per_play(network).overall
    about = network.about
    return Measurement(
        about["round"],
        about["games"],
        about["positions"],
        about["seconds"],
        round(errors.millipoints, 4),
        round(errors.standard_error, 4),
        round(against_pubeval.points_per_game, 5),
        round(against_pubeval.standard_error, 5),
        previous.about["round"],
        round(against_previous.points_per_game, 5),
        round(against_previous.standard_error, 5),
        test_games,
    )


def begin_curve(path: str | os.PathLike[str]) -> None:
    """Create a curve file unless it exists; raise `BgfastError` if the file is not a curve."""
    _add(path, b"")


def add_to_curve(path: str | os.PathLike[str], measurement: Measurement) -> None:
    """Append a measurement to a curve file atomically; raise `BgfastError` if the file is not a curve.

    An incomplete last line, left by an interruption, is removed with a warning.
    """
    _add(path, f"{measurement.to_json()}\n".encode("ascii"))


def read_curve(path: str | os.PathLike[str]) -> list[Measurement]:
    """Return the measurements in a curve file; raise `BgfastError` if a line is invalid."""
    with naming(_label(path)):
        return _read(path, read_limited(path))[0]


def _add(path: str | os.PathLike[str], line: bytes) -> None:
    with naming(_label(path)):
        lock = FileLock.on(path)
        try:
            content = read_limited(lock.descriptor)
            _, length = _read(path, content)
            if line or length < len(content):
                append_all(lock.descriptor, length, line)
        finally:
            lock.release()


def _read(path: str | os.PathLike[str], content: bytes) -> tuple[list[Measurement], int]:
    """Return the measurements and their size in bytes, without an incomplete last line."""
    *lines, tail = content.split(b"\n")
    length = len(content) - len(tail)
    if tail and not (tail.startswith(LINE_START) or LINE_START.startswith(tail)):
        lines.append(tail)
    elif tail:
        warnings.warn(f"{_label(path)}: {len(tail)} damaged bytes at the end are ignored", stacklevel=3)
    return [
        _parse_line(f"{_label(path)}, line {index}", line.decode("utf-8", "replace"))
        for index, line in enumerate(lines, 1)
    ], length


def _label(path: str | os.PathLike[str]) -> str:
    return f"curve {os.fspath(path)}"


def plot_curve(path: str | os.PathLike[str], measurements: Sequence[Measurement]) -> None:
    """Draw a curve as .svg or .png."""
    check_plot(path)
    # A killed and resumed run may have measured a round twice.
    measurements = sorted({measurement.rounds: measurement for measurement in measurements}.values())
    figure = new_figure(8, 9)
    # The margin over the untrained network would dwarf the other margins.
    later_measurements = [measurement for measurement in measurements if measurement.rounds_before]
    curves = (
        (measurements, "millipoints", "standard_error_millipoints", "millipoints a play\n(95 %)"),
        (measurements, "points_per_game", "standard_error", "points a game\nagainst pubeval (95 %)"),
        (later_measurements, "points_before", "standard_error_before", PREVIOUS_LABEL),
    )
    subplots = figure.subplots(3, 1, sharex=True)
    for axes, (curve, value, error, label) in zip(subplots, curves, strict=True):
        axes.errorbar(
            [measurement.positions for measurement in curve],
            [getattr(measurement, value) for measurement in curve],
            yerr=[NORMAL_95 * getattr(measurement, error) for measurement in curve],
            fmt="o-",
            capsize=4,
        )
        axes.axhline(0, color="gray", linewidth=0.8)
        axes.grid(alpha=0.3)
        axes.set_ylabel(label)
    subplots[-1].set_xlabel("training positions")
    save_figure(path, figure)


def _parse_line(place: str, line: str) -> Measurement:
    try:
        content = json.loads(line)
        measurement = Measurement(*(content[field] for field in Measurement._fields))
        if any(number_from_file(value) is None for value in measurement) or measurement.rounds < 1:
            raise ValueError(measurement)
    except (ValueError, TypeError, KeyError, RecursionError):
        message = f"{place}: {short_repr(line)}; expected a line written by bgfast train --curve"
        raise BgfastError(message) from None
    return measurement
