"""Optional packages, imported on first use."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from bgfast.errors import BgfastError, one_line


def import_optional(module: str, requirement: str, needed_by: str) -> Any:
    """Import a module of an optional package; raise `BgfastError` if that fails.

    The message names the feature that needs it and the requirement for ``pip install``.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise BgfastError(f"{needed_by}: {one_line(error)}; pip install {requirement}") from None


def location(module: str, requirement: str, needed_by: str) -> str:
    """Return the folder that contains a package, without importing it; see `import_optional`."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        raise BgfastError(f"{needed_by}: No module named {module!r}; pip install {requirement}")
    return os.path.dirname(os.path.dirname(os.path.abspath(spec.origin)))


def installed_version(package: str) -> str:
    """Return the version of an installed package."""
    from importlib.metadata import version  # takes a third of the time of importing numpy

    return version(package)
