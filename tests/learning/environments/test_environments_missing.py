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
    output = run(
        f"import sys; sys.modules[{package!r}] = None\n"
        "try:\n    import bgfast.environments\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    assert output.startswith("BgfastError bgfast.environments: ")
    assert package in output
    assert output.endswith("; pip install 'bgfast[rl]'")


def test_missing_attributes() -> None:
    """Listing all attributes, as `help` does, works without the packages."""
    output = run(
        "import inspect, sys; sys.modules['gymnasium'] = None\n"
        "import bgfast\n"
        "there = dict(inspect.getmembers(bgfast))\n"
        "print('environments' in dir(bgfast), 'environments' in there, 'evaluators' in there)\n"
        "try:\n    bgfast.environments\n"
        "except AttributeError as error:\n    print(error)\n"
        "try:\n    from bgfast import environments\n"
        "except bgfast.BgfastError as error:\n    print(error)"
    ).splitlines()
    assert output[0] == "True False True"
    assert output[1] == output[2]
    assert output[1].startswith("bgfast.environments: ")
    assert output[1].endswith("; pip install 'bgfast[rl]'")


def test_it_is_imported_on_first_use() -> None:
    environments()
    assert run("import bgfast; print(bgfast.environments.MAX_PLAYS, bgfast.evaluators.Random.__name__)") == (
        "3060 Random"
    )


def test_gymnasium_checker_without_matplotlib() -> None:
    """A render mode whose package is missing is not announced."""
    environments()
    output = run(
        "import sys; sys.modules['matplotlib'] = None\n"
        "import gymnasium, bgfast.environments as envs\n"
        "from gymnasium.utils.env_checker import check_env\n"
        "names = 'bgfast/Backgammon-v0', 'bgfast/BackgammonMatch-v0'\n"
        "made = [gymnasium.make(name, illegal='lose') for name in names]\n"
        "for env in made:\n    check_env(env.unwrapped)\n"
        "made += [envs.env(), envs.BackgammonVectorEnv(1)]\n"
        "print()\nprint([env.metadata['render_modes'] for env in made])"
    )
    modes = ["human", "ansi"]
    assert output.splitlines()[-1] == str([modes, modes, modes, ["ansi"]])


def test_pixels_without_matplotlib() -> None:
    environments()
    output = run(
        "import sys; sys.modules['matplotlib'] = None\n"
        "import bgfast.environments\n"
        "print(bgfast.environments.BackgammonEnv(render_mode='ansi').render_mode)\n"
        "try:\n    bgfast.environments.BackgammonEnv(render_mode='rgb_array')\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    assert output.startswith("ansi\nBgfastError render_mode 'rgb_array': ")
    assert output.endswith("; pip install 'bgfast[plot]'")
