"""Packages that something here is made of and nothing else needs: imported when it is asked for."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from bgfast.errors import BgfastError, one_line

__all__ = ["imported", "installed_version", "location"]


def imported(module: str, requirement: str, needed_by: str) -> Any:
    """Return a module of a package that may not be installed.

    Parameters
    ----------
    module : str
    requirement : str
        What pip is asked for to have it.
    needed_by : str
        What cannot be had without it, for the message.

    Raises
    ------
    BgfastError
        If it cannot be imported.

    Examples
    --------
    >>> imported("no_such_engine", "no-such-engine", "NoSuchEngine")
    Traceback (most recent call last):
        ...
    bgfast.errors.BgfastError: NoSuchEngine: No module named 'no_such_engine'; pip install no-such-engine
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BgfastError(f"{needed_by}: {one_line(error)}; pip install {requirement}") from None


def location(module: str, requirement: str, needed_by: str) -> str:
    """Return the folder from which a package is imported, without importing it.

    Parameters, errors
        As `imported`.

    Examples
    --------
    >>> import numpy
    >>> numpy.__file__.startswith(location("numpy", "numpy", "arrays"))
    True
    """
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        raise BgfastError(f"{needed_by}: No module named {module!r}; pip install {requirement}")
    return os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))


def installed_version(package: str) -> str:
    """Return the version of a package that is installed.

    Examples
    --------
    >>> installed_version("numpy").count(".") >= 1
    True
    """
    from importlib.metadata import version  # as dear as a third of numpy, and seldom needed

    return version(package)
