"""The learning curve of a training: how strong the network was now and then, as data and as a picture."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from bgfast.common.files import FileLock, append_whole, read_limited
from bgfast.common.plots import check_plot, new_figure, save_figure
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Pubeval
from bgfast.evaluation.evaluators.network import Network
from bgfast.learning.strength.contest import contest
from bgfast.learning.strength.error_per_play import error_per_play

__all__ = ["Look", "add_to_curve", "begin_curve", "look_at", "plot_curve", "read_curve"]

SEED = 1  # of the dice of all looks
BEGINNING = b'{"against": "pubeval", '
HALF = 1.96  # standard errors on either side of a 95 % interval


class Look(NamedTuple):
    """How strong a network was.

    Attributes
    ----------
    rounds : int
        That it had learnt from.
    games, positions : int
        Games of its own that had ended, positions that it had learnt from.
    seconds : float
        Since the training began, without the time between two runs.
    millipoints, standard_error_millipoints : float
        Error per play in the contested decisions.
    points_per_game, standard_error : float
        Against pubeval.
    rounds_before : int
        Of the network before, the one that was looked at last.
    points_before, standard_error_before : float
        Points a game against that one.
    test_games : int
        That were played against either.
    """

    rounds: int
    games: int
    positions: int
    seconds: float
    millipoints: float
    standard_error_millipoints: float
    points_per_game: float
    standard_error: float
    rounds_before: int
    points_before: float
    standard_error_before: float
    test_games: int

    def to_json(self) -> str:
        """Return a line of JSON."""
        return json.dumps({"against": "pubeval", **self._asdict()})

    def __str__(self) -> str:
        """Return the look in one line."""
        took = timedelta(seconds=round(self.seconds))
        return (
            f"round {self.rounds}, {self.positions:,} positions, {took}: {self.millipoints:.2f} ± "
            f"{HALF * self.standard_error_millipoints:.2f} millipoints a play; points a game against pubeval "
            f"{self.points_per_game:+.4f} ± {HALF * self.standard_error:.4f}, against itself after round "
            f"{self.rounds_before} {self.points_before:+.4f} ± {HALF * self.standard_error_before:.4f}"
        )


def look_at(network: Network, before: Network, test_games: int, threads: int = 1) -> Look:
    """Measure how strong a network is that a training has left."""
    yardstick, itself = (
        contest(network, opponent, games=test_games, seed=SEED, threads=threads)
        for opponent in (Pubeval(), before)
    )
    errors = error_per_play(network).overall
    about = network.about
    return Look(
        about["round"],
        about["games"],
        about["positions"],
        about["seconds"],
        round(errors.millipoints, 4),
        round(errors.standard_error, 4),
        round(yardstick.points_per_game, 5),
        round(yardstick.standard_error, 5),
        before.about["round"],
        round(itself.points_per_game, 5),
        round(itself.standard_error, 5),
        test_games,
    )


def begin_curve(path: str | os.PathLike[str]) -> None:
    """Make the file of a curve, unless it is there; then it has to be one.

    Raises
    ------
    BgfastError
        As `add_to_curve`.
    """
    _add(path, b"")


def add_to_curve(path: str | os.PathLike[str], look: Look) -> None:
    """Add a line to the file of a curve, whole or not at all.

    A last line without its end was being written when the work was interrupted: it goes, with a warning.

    Raises
    ------
    BgfastError
        If it cannot be written, or is no curve: it stays as it is.
    """
    _add(path, f"{look.to_json()}\n".encode("ascii"))


def read_curve(path: str | os.PathLike[str]) -> list[Look]:
    """Return the looks in the file of a curve.

    Raises
    ------
    BgfastError
        If it cannot be read, or a line is no look.
    """
    try:
        return _read(path, read_limited(path))[0]
    except OSError as error:
        raise BgfastError(f"{_named(path)}: {reason(error)}") from None


def _add(path: str | os.PathLike[str], line: bytes) -> None:
    try:
        lock = FileLock.on(path)
        try:
            content = read_limited(lock.descriptor)
            _, length = _read(path, content)
            if line or length < len(content):
                append_whole(lock.descriptor, length, line)
        finally:
            lock.release()
    except OSError as error:
        raise BgfastError(f"{_named(path)}: {reason(error)}") from None


def _read(path: str | os.PathLike[str], content: bytes) -> tuple[list[Look], int]:
    """Return the looks, and the bytes that they take; a torn line may stand behind them."""
    *lines, torn = content.split(b"\n")
    length = len(content) - len(torn)
    if torn and not (torn.startswith(BEGINNING) or BEGINNING.startswith(torn)):
        lines.append(torn)
    elif torn:
        warnings.warn(f"{_named(path)}: {len(torn)} damaged bytes at its end do not count", stacklevel=3)
    return [
        _look(f"{_named(path)}, line {number}", line.decode("utf-8", "replace"))
        for number, line in enumerate(lines, 1)
    ], length


def _named(path: str | os.PathLike[str]) -> str:
    return f"curve {os.fspath(path)}"


def plot_curve(path: str | os.PathLike[str], looks: Sequence[Look]) -> None:
    """Draw a curve, as .svg or .png.

    Raises
    ------
    BgfastError
        As `check_plot`.
    """
    check_plot(path)
    # What was killed and went on has looked at some rounds twice.
    looks = sorted({look.rounds: look for look in looks}.values())
    figure = new_figure(8, 9)
    # Against what has not learnt anything yet it wins so much that nothing else could be seen.
    later = [look for look in looks if look.rounds_before]
    curves = (
        ("millipoints a play\n(95 %)", looks, "millipoints", "standard_error_millipoints"),
        ("points a game\nagainst pubeval (95 %)", looks, "points_per_game", "standard_error"),
        ("points a game against\nthe network before (95 %)", later, "points_before", "standard_error_before"),
    )
    every = figure.subplots(3, 1, sharex=True)
    for axes, (label, some, value, error) in zip(every, curves, strict=True):
        axes.errorbar(
            [look.positions for look in some],
            [getattr(look, value) for look in some],
            yerr=[HALF * getattr(look, error) for look in some],
            fmt="o-",
            capsize=4,
        )
        axes.axhline(0, color="gray", linewidth=0.8)
        axes.grid(alpha=0.3)
        axes.set_ylabel(label)
    every[-1].set_xlabel("positions learnt from")
    save_figure(path, figure)


def _look(where: str, line: str) -> Look:
    try:
        content = json.loads(line)
        look = Look(*(content[field] for field in Look._fields))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BgfastError(f"{where}: {shown(line)}; expected what bgfast train has written") from None
    if not all(type(value) in (int, float) and math.isfinite(value) for value in look) or look.rounds < 1:
        raise BgfastError(f"{where}: {shown(line)}; expected what bgfast train has written")
    return look
