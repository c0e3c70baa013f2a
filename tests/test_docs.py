"""What the documentation shows is what happens: docstrings, the README, and its two commands."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import bgfast

ROOT = Path(__file__).parent.parent
MODULES = [
    module.name
    for module in pkgutil.walk_packages(bgfast.__path__, "bgfast.")
    # An adapter imports the engine that it is for.
    if module.name != "bgfast.__main__" and not module.name.startswith("bgfast.engines.adapters.")
]


def documented() -> dict[str, str]:
    """Every docstring of the package by name; those of compiled classes are out of doctest's sight."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            if getattr(value, "__module__", name) != name or not (inspect.isclass(value) or callable(value)):
                continue
            found[f"{name}.{key}"] = inspect.getdoc(value) or ""
            if inspect.isclass(value):
                for member, inner in vars(value).items():
                    inner = getattr(inner, "__func__", inner)
                    if callable(inner) or isinstance(inner, property):
                        found[f"{name}.{key}.{member}"] = inspect.getdoc(inner) or ""
    return found


DOCSTRINGS = documented()
EXAMPLES = {name: text for name, text in DOCSTRINGS.items() if ">>>" in text}


def run_examples(text: str, name: str, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_a_docstring(name: str) -> None:
    module = next(module for module in sorted(MODULES, key=len, reverse=True) if name.startswith(module))
    run_examples(EXAMPLES[name], name, dict(vars(importlib.import_module(module))))


def test_every_public_function_and_class_has_an_example() -> None:
    public = [getattr(bgfast, name) for name in bgfast.__all__]
    public = [thing for thing in public if inspect.isclass(thing) or callable(thing)]
    public = [thing for thing in public if not (inspect.isclass(thing) and issubclass(thing, Exception))]
    members = [
        getattr(thing, name)
        for thing in (bgfast.Position, *bgfast.Game.__mro__[:2], bgfast.Match)
        for name, member in vars(thing).items()
        if not name.startswith("_") and callable(getattr(thing, name))
    ]
    without = [thing.__name__ for thing in public + members if ">>>" not in (thing.__doc__ or "")]
    # Plain tuples, shown in the examples of the functions that return them.
    assert set(without) == {"Move", "NextMoves", "Successors"}


def test_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    python = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert python.count(">>>") > 8
    run_examples(python, "README.md", {})


def test_readme_has_exactly_two_setup_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## Set-up")[1].split("\n## ")[0]
    commands = re.findall(r"```sh\n(.*?)\n```", section, re.DOTALL)
    assert len(commands) == 2
    assert all("\n" not in command for command in commands)


def test_no_room_hides_a_public_name() -> None:
    """An imported submodule of a package takes the place of what bears its name there."""
    rooms = {module.split(".")[1] for module in MODULES}
    assert rooms & set(bgfast.__all__) == {"reference"}


def test_the_version_is_the_same_everywhere() -> None:
    assert importlib.metadata.version("bgfast") == bgfast.__version__
    assert f"## {bgfast.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
