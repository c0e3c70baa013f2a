"""Environments without their optional packages, and their import on first use."""

from __future__ import annotations

import pytest

from tests.support.environments import environments
from tests.support.processes import run_python


def run(program: str) -> list[str]:
    return run_python(program).strip().splitlines()


def test_they_are_imported_on_first_use() -> None:
    environments()
    imported = "[name for name in ('gymnasium', 'pettingzoo', 'bgfast.environments') if name in sys.modules]"
    assert run(
        f"import sys, bgfast; from bgfast import *; print({imported})\n"
        "print(bgfast.environments.MAX_PLAYS, bgfast.evaluators.Random.__name__)"
    ) == ["[]", "3060 Random"]


@pytest.mark.parametrize("package", ["gymnasium", "pettingzoo"])
def test_a_missing_package(package: str) -> None:
    """Listing all attributes, as `help` does, works without it."""
    if package == "pettingzoo":
        pytest.importorskip(
            "gymnasium", reason="NOT INSTALLED: gymnasium, so the other was not missing alone"
        )
    found, *errors = run(
        f"import inspect, sys; sys.modules[{package!r}] = None\n"
        "import bgfast\n"
        "there = dict(inspect.getmembers(bgfast))\n"
        "print('environments' in dir(bgfast), 'environments' in there, 'evaluators' in there)\n"
        "try:\n    bgfast.environments\n"
        "except AttributeError as error:\n    print(error)\n"
        "try:\n    from bgfast import environments\n"
        "except bgfast.BgfastError as error:\n    print(error)"
    )
    assert found == "True False True"
    assert len(errors) == 2
    for error in errors:
        assert error.startswith("bgfast.environments: ")
        assert package in error
        assert error.endswith("; pip install 'bgfast[rl]'")


def test_without_matplotlib() -> None:
    """A render mode whose package is missing is not announced."""
    environments()
    *_, modes, error = run(
        "import sys; sys.modules['matplotlib'] = None\n"
        "import gymnasium, bgfast.environments as envs\n"
        "from gymnasium.utils.env_checker import check_env\n"
        "names = 'bgfast/Backgammon-v0', 'bgfast/BackgammonMatch-v0'\n"
        "made = [gymnasium.make(name, illegal='lose') for name in names]\n"
        "for env in made:\n    check_env(env.unwrapped)\n"
        "made += [envs.env(), envs.BackgammonVectorEnv(1)]\n"
        "print()\nprint([env.metadata['render_modes'] for env in made])\n"
        "try:\n    envs.BackgammonEnv(render_mode='rgb_array')\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    both = ["human", "ansi"]
    assert modes == str([both, both, both, ["ansi"]])
    assert error.startswith("BgfastError render_mode 'rgb_array': ")
    assert error.endswith("; pip install 'bgfast[plot]'")
