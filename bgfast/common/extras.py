"""Optional packages, imported on first use, and plots drawn with matplotlib."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
from pathlib import Path
from typing import Any

from bgfast.common.files import check_regular_file, naming, replace_file, validate_path
from bgfast.errors import BgfastError, one_line, short_repr


def import_optional(module: str, requirement: str, feature: str) -> Any:
    """Import a module of an optional package; raise `BgfastError` if that fails.

    The message names the feature that needs the module, and the requirement for ``pip install``.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BgfastError(f"{feature}: {one_line(error)}; pip install {requirement}") from None


def location(module: str, requirement: str, feature: str) -> str:
    """Return the folder that contains a package, without importing it; see `import_optional`."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        raise BgfastError(f"{feature}: No module named {module!r}; pip install {requirement}")
    return os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))


def installed_version(package: str) -> str:
    """Return the version of an installed package."""
    from importlib.metadata import version  # slow to import

    return version(package)


# ---- plots: early checks, figures and files ----


FORMATS = (".svg", ".png")


def check_plot(path: str | os.PathLike[str]) -> None:
    """Raise `BgfastError`, before any other work, unless a plot can be drawn and written to a file."""
    if Path(validate_path(path, "plot")).suffix.lower() not in FORMATS:
        raise BgfastError(f"plot {short_repr(str(path))}: expected a name that ends in .svg or .png")
    _figure_class()
    with naming(f"plot {path}"):
        check_regular_file(path)
        if not Path(path).parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure with a size in inches; raise `BgfastError` if matplotlib is not installed."""
    return _figure_class()(figsize=(width, height), layout="constrained")


def save_figure(path: str | os.PathLike[str], figure: Any) -> None:
    """Write a figure to a file; raise `BgfastError` if it cannot be written."""
    with naming(f"plot {path}"), replace_file(path) as file:
        figure.savefig(file, format=Path(path).suffix.lower()[1:])


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BgfastError("a plot needs matplotlib; pip install 'bgfast[plot]'") from None
    return Figure
