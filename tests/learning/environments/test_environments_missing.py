"""Environments without their optional packages."""

from __future__ import annotations

import pytest

from tests.support.environments import environments
from tests.support.processes import run_python


def run(program: str) -> str:
    return run_python(program).strip()


def test_bgfast_does_not_import_them() -> None:
    imported = "[name for name in ('gymnasium', 'pettingzoo', 'bgfast.environments') if name in sys.modules]"
    assert run(f"import sys, bgfast; from bgfast import *; print({imported})") == "[]"


@pytest.mark.parametrize("package", ["gymnasium", "pettingzoo"])
def test_error_names_the_missing_package(package: str) -> None:
    for other in ("gymnasium", "pettingzoo"):
        if other == package:
            break
        pytest.importorskip(
            other, reason=f"NOT INSTALLED: {other}, so nothing was tried without {package} alone"
        )
    said = run(
        f"import sys; sys.modules[{package!r}] = None\n"
        "try:\n    import bgfast.environments\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    assert said.startswith("BgfastError bgfast.environments: ")
    assert package in said
    assert said.endswith("; pip install 'bgfast[rl]'")


def test_missing_attributes() -> None:
    """Listing all attributes, as `help` does, works without the packages."""
    said = run(
        "import inspect, sys; sys.modules['gymnasium'] = None\n"
        "import bgfast\n"
        "there = dict(inspect.getmembers(bgfast))\n"
        "print('environments' in dir(bgfast), 'environments' in there, 'evaluators' in there)\n"
        "try:\n    bgfast.environments\n"
        "except AttributeError as error:\n    print(error)\n"
        "try:\n    from bgfast import environments\n"
        "except bgfast.BgfastError as error:\n    print(error)"
    ).splitlines()
    assert said[0] == "True False True"
    assert said[1] == said[2]
    assert said[1].startswith("bgfast.environments: ")
    assert said[1].endswith("; pip install 'bgfast[rl]'")


def test_it_is_imported_on_first_use() -> None:
    environments()
    assert run("import bgfast; print(bgfast.environments.MAX_PLAYS, bgfast.evaluators.Random.__name__)") == (
        "3060 Random"
    )


def test_pixels_without_matplotlib() -> None:
    environments()
    said = run(
        "import sys; sys.modules['matplotlib'] = None\n"
        "import bgfast.environments\n"
        "print(bgfast.environments.BackgammonEnv(render_mode='ansi').render_mode)\n"
        "try:\n    bgfast.environments.BackgammonEnv(render_mode='rgb_array')\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    assert said.startswith("ansi\nBgfastError render_mode 'rgb_array': ")
    assert said.endswith("; pip install 'bgfast[plot]'")
