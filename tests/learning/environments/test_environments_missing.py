"""Environments without optional packages, which are imported on first use."""

from __future__ import annotations

from tests.support.environments import environments
from tests.support.processes import run_python


def test_missing_packages_are_reported_on_first_use() -> None:
    """`help` lists all attributes without the packages, which are imported on first use."""
    environments()
    *lines, modes, error = (
        run_python("""
import inspect, sys
import bgfast
from bgfast import *
print([name for name in ("gymnasium", "pettingzoo", "bgfast.environments") if name in sys.modules])
for package in ("gymnasium", "pettingzoo"):
    sys.modules[package] = None
    members = dict(inspect.getmembers(bgfast))
    print("environments" in dir(bgfast), "environments" in members, "evaluators" in members)
    try:
        bgfast.environments
    except AttributeError as error:
        print(error)
    try:
        from bgfast import environments
    except bgfast.BgfastError as error:
        print(error)
    del sys.modules[package]
sys.modules["matplotlib"] = None
import gymnasium
from gymnasium.utils.env_checker import check_env
names = [f"bgfast.environments:bgfast/{name}-v0" for name in ("Backgammon", "BackgammonMatch")]
instances = [gymnasium.make(name, illegal="lose") for name in names]
envs = bgfast.environments
print(envs.MAX_PLAYS)
for env in instances:
    check_env(env.unwrapped)
instances += [envs.env(), envs.BackgammonVectorEnv(1)]
print()
print([env.metadata["render_modes"] for env in instances])
try:
    envs.BackgammonEnv(render_mode="rgb_array")
except Exception as error:
    print(type(error).__name__, error)
""")
        .strip()
        .splitlines()
    )
    assert lines[0] == "[]"
    for package, (memberships, *messages) in (("gymnasium", lines[1:4]), ("pettingzoo", lines[4:7])):
        assert memberships == "True False True"
        for message in messages:
            assert message.startswith("bgfast.environments: ")
            assert package in message
            assert message.endswith("; pip install 'bgfast[rl]'")
    assert lines[7] == "3060"
    text_modes = ["human", "ansi"]  # a render mode whose package is missing is not listed
    assert modes == str([text_modes, text_modes, text_modes, ["ansi"]])
    assert error.startswith("BgfastError render_mode 'rgb_array': ")
    assert error.endswith("; pip install 'bgfast[plot]'")
