"""The house: its rooms, what they may import, and what is seen from outside."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import bgfast
from tests.tools import map as house
from tests.tools.map import PACKAGE, ROOMS, module_name, read_package, rows, upward

ROOT = PACKAGE.parent
pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="beside a wheel there is no house: its sources are elsewhere"
)
MOST_ROOMS, MOST_NAMES = 9, 14
CROWDED = set("cli common batch games engines.crosscheck".split())
"""The folders that have more names: a command is a file, and so is what many rooms need."""
modules = cache(read_package)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a made-up package named bgfast; every folder below it gets an empty `__init__`."""
    package = folder / "bgfast"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.parent != package:
            (path.parent / "__init__.py").touch()
    return package


def folders(package: Path) -> dict[str, Path]:
    """Return the folders that can be imported, by their names below the package."""
    paths = [path.parent for path in package.glob("*/**/__init__.py")]
    return {".".join(path.relative_to(package).parts): path for path in paths}


# ---- imports ----


def order(found: Mapping[str, house.Module]) -> None:
    """Fail with the modules of a circle if there is one."""
    TopologicalSorter({name: module.imports for name, module in found.items()}).prepare()


def test_no_import_runs_upwards_or_in_a_circle() -> None:
    assert not upward(modules())
    order(modules())


HOUSE = {
    "__init__.py": "from bgfast.games.game import Game\n",
    "errors.py": "",
    "reference.py": "from bgfast.errors import BgfastError\n",
    "cli/options.py": "from bgfast.engines.crosscheck.files import read\n",
    "engines/crosscheck/files.py": "from bgfast import reference\nimport numpy as np\n",
    "games/game.py": "from bgfast.batch.encoders import encode\n",
    "batch/encoders.py": "from bgfast.core.board import flip\n",
    "batch/_fill.pxi": "from libc.stdint cimport int8_t\n",
    "common/rolls.py": '"""Rolls.\n\n>>> from bgfast.games.game import Game\n"""\n',
    "core/board.pxd": 'cdef extern from "row.h" nogil:\n    int BAR\n',
    "core/row.h": '#include <stdint.h>\n#include "cpu.h"\n',
    "core/cpu.h": "",
    "core/network/network.py": "from bgfast.core.generator import rules\n",
    "core/generator/rules.py": "",
}
UPWARD = """
core/generator/rules.py     | from bgfast.core.network.network import a        | core.network.network
engines/crosscheck/files.py | from bgfast.cli.options import a                 | cli.options
batch/encoders.py           | def f():;    import bgfast.games.game            | games.game
batch/encoders.py           | from bgfast.games import game as played          | games.game
batch/encoders.py           | from ..games.game import Game                    | games.game
batch/_fill.pyi             | from bgfast.games.game import Game               | games.game
core/board.pxd              | from bgfast.batch._fill cimport (;  a,  # rows;) | batch._fill
core/board.pxi              | from bgfast.batch cimport _fill as fill          | batch._fill
core/board.pyx              | cimport bgfast.batch._fill                       | batch._fill
core/board.pyx              | include "../batch/_fill.pxi"                     | batch._fill
core/board.pyx              | from bgfast.reference import a                   | reference
games/game.py               | from bgfast import Position                      | __init__
__init__.py                 | from bgfast.engines.crosscheck.files import a    | engines.crosscheck.files
errors.py                   | from bgfast.common.rolls import a                | common.rolls
""".strip().splitlines()


def test_what_runs_down_is_left_alone(tmp_path: Path) -> None:
    found = read_package(write(tmp_path, HOUSE))
    assert upward(found) == set()
    assert found["engines.crosscheck.files"].imports == {"reference"}
    assert found["core.board"].imports == {"core.row"}
    assert found["core.row"].imports == {"core.cpu"}


@pytest.mark.parametrize("case", UPWARD)
def test_what_runs_upwards_is_found(case: str, tmp_path: Path) -> None:
    file, text, imported = (part.strip() for part in case.split("|"))
    package = write(tmp_path, {**HOUSE, file: text.replace(";", "\n") + "\n"})
    assert upward(read_package(package)) == {(module_name(package / file, package), imported)}


def test_a_circle_inside_a_room_is_found(tmp_path: Path) -> None:
    circle = {
        "games/game.py": "from bgfast.games.state import State\n",
        "games/state.py": "def f():\n    import bgfast.games.game\n",
    }
    found = read_package(write(tmp_path, {**HOUSE, **circle}))
    assert upward(found) == set()
    with pytest.raises(CycleError, match=r"games\.game.*games\.state"):
        order(found)


# ---- rooms ----


def test_every_folder_is_a_room_or_in_one(tmp_path: Path) -> None:
    rooms = folders(PACKAGE)
    assert {room for room in ROOMS if room in rooms or "." in room} == set(rooms) - {"engines.adapters"}
    assert len([room for room in rooms if "." not in room]) <= MOST_ROOMS
    assert {name for names in house.NEVER.values() for name in names} <= set(ROOMS)
    with pytest.raises(ValueError, match=r"'attic\.box' is in none of the rooms"):
        upward(read_package(write(tmp_path, {**HOUSE, "attic/box.py": "import bgfast.errors\n"})))


def test_the_map_shows_all_there_is() -> None:
    shown = list(rows(modules()))[1:]
    assert [row[0] for row in shown] == ROOMS
    assert sum(int(row[2]) for row in shown) == sum(len(module.files) for module in modules().values())


def test_contributing_names_each_room() -> None:
    house = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## The house\n")[1]
    named, rooms = set(), list[str]()
    for spaces, room in re.findall(r"^( *)(\w+) {2,}\S", house.split("```")[1], re.MULTILINE):
        rooms = [*rooms[: len(spaces) // 2], room]
        named.add(".".join(rooms))
    assert named == set(folders(PACKAGE))


# What tells a type checker something that the line before has made certain.
TELLS_A_TYPE = re.compile(r"assert (\S+ is not None|(not )?isinstance\([^()]+\))(  # .*)?")


def faults(package: Path) -> Iterator[str]:
    """Yield the folders in which one looks for long, an `__init__` that is not one docstring, guards.

    A guard is an assert that makes sure of something: python -O leaves it out.
    """
    for name, path in folders(package).items():
        if len(house.names_of(path.iterdir())) > MOST_NAMES and name not in CROWDED:
            yield f"{name} is crowded"
        tree = ast.parse((path / "__init__.py").read_text(encoding="utf-8"))
        if len(tree.body) != 1 or ast.get_docstring(tree) is None:
            yield f"{name} does not begin with a docstring and nothing else"
    for path in sorted(path for path in package.rglob("*") if path.suffix in house.SOURCES):
        for line in map(str.strip, path.read_text(encoding="utf-8").splitlines()):
            if re.match(r"assert\b", line) and not TELLS_A_TYPE.fullmatch(line):
                yield f"{path.name}: {line}"


def test_folders_and_lines_are_without_fault(tmp_path: Path) -> None:
    assert list(faults(PACKAGE)) == []
    house = {f"core/{kind}{name}.py": "" for name in range(MOST_NAMES) for kind in ("a", "_a")}
    house["core/__init__.py"] = '"""The core."""\n'
    assert list(faults(write(tmp_path, house))) == []
    (tmp_path / "bgfast" / "core" / "more.h").touch()
    house["batch/__init__.py"] = '"""Batches."""\nimport os\n'
    house["games/x/y.pyx"] = "    assert hidden <= MOST\n    assert board is not None\n"
    assert sorted(faults(write(tmp_path, house))) == [
        "batch does not begin with a docstring and nothing else",
        "core is crowded",
        "games.x does not begin with a docstring and nothing else",
        "y.pyx: assert hidden <= MOST",
    ]


def test_setup_builds_every_compiled_module() -> None:
    listed = (ROOT / "setup.py").read_text(encoding="utf-8").split("\nMODULES = ")[1].split("\n]")[0] + "]"
    there = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in PACKAGE.rglob("*.pyx")]
    assert sorted(ast.literal_eval(listed)) == sorted(there)


# ---- what is seen from outside ----


def test_dir_shows_the_public_names_alone() -> None:
    public = (ROOT / "tests" / "data" / "public_names.txt").read_text(encoding="utf-8").split()
    assert sorted([*bgfast.__all__, "environments", "evaluators", "reference"]) == sorted(public)
    assert [name for name in dir(bgfast) if not name.startswith("__")] == sorted(public)
    assert {"__all__", "__doc__", "__file__", "__path__", "__version__"} <= set(dir(bgfast))
    assert "common" in vars(bgfast), "without __dir__ it would show"


def test_no_room_hides_a_public_name() -> None:
    """An imported submodule of a package takes the place of what bears its name there."""
    assert {house.room_of(name).partition(".")[0] for name in modules()}.isdisjoint(bgfast.__all__)


def test_folders_of_tests_mirror_the_rooms() -> None:
    tested = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("*/**/test_*.py")}
    there = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")}
    # benchmarks/ stands beside bgfast/, and its tests beside those of the rooms; typing/ is for checkers.
    assert tested - there == {Path("benchmarks"), Path("typing")}
