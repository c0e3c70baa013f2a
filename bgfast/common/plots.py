"""Plots by matplotlib: early checks, figures and files."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from bgfast.common.files import check_plain, checked_path, reason, replacing
from bgfast.errors import BgfastError, shown

FORMATS = (".svg", ".png")


def check_plot(path: str | os.PathLike[str]) -> None:
    """Check, before any other work, that a plot can be written to a file.

    Raises `BgfastError` if matplotlib is not installed, or the file has another format or cannot be written.
    """
    if Path(checked_path(path, "plot")).suffix.lower() not in FORMATS:
        raise BgfastError(f"plot {shown(str(path))}: expected a name that ends in .svg or .png")
    _figure_class()
    try:
        check_plain(path)
        if not Path(path).parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    except OSError as error:
        raise BgfastError(f"plot {path}: {reason(error)}") from None


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure, in inches; raise `BgfastError` if matplotlib is not installed."""
    return _figure_class()(figsize=(width, height), layout="constrained")


def save_figure(path: str | os.PathLike[str], figure: Any) -> None:
    """Write a figure to a file; raise `BgfastError` if it cannot be written."""
    try:
        with replacing(path) as file:
            figure.savefig(file, format=Path(path).suffix.lower()[1:])
    except OSError as error:
        raise BgfastError(f"plot {path}: {reason(error)}") from None


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BgfastError("a plot needs matplotlib; pip install 'bgfast[plot]'") from None
    return Figure
