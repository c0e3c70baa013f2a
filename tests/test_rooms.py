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
from tests.tools.map import PACKAGE, read_package, rooms, rows, sources, upward

ROOT = PACKAGE.parent
pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="beside a wheel there is no house: its sources are elsewhere"
)
MAX_ROOMS, MAX_NAMES = 11, 14
CROWDED = set("cli common batch games engines.crosscheck".split())
"""The folders that have more names: a command is a file, and so is what many rooms need."""
PUBLIC = ("games", "records")
"""Packages that users import from: their `__init__` re-exports the public names."""
MODULES = "cube environments errors evaluators games matches records reference rollouts training".split()
modules = cache(read_package)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a made-up package named bgfast; every folder has an `__init__`."""
    package = folder / "bgfast"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (path.parent / "__init__.py").touch()
    return package


def test_no_import_runs_upwards_or_in_a_circle() -> None:
    assert not upward(modules())
    TopologicalSorter(modules()).prepare()


HOUSE = {
    "__init__.py": "from bgfast.games.game import Game\n",
    "errors.py": "",
    "reference.py": "from bgfast.errors import BgfastError\n",
    "engines/crosscheck/files.py": "from bgfast import reference\nimport numpy as np\n",
    "games/game.py": "from bgfast.batch.encoders import encode\n",
    "batch/encoders.py": "from bgfast.core.board import flip\n",
    "batch/_fill.pxi": "from libc.stdint cimport int8_t\n",
    "common/rolls.py": '"""Rolls.\n\nfrom bgfast.games.game import Game\n"""\n',
    "core/board.pxd": 'cdef extern from "row.h" nogil:\n    int BAR\n',
    "core/row.h": '#include <stdint.h>\n#include "cpu.h"\n',
    "core/cpu.h": "",
    "core/network/network.py": "from bgfast.core.generator import rules\n",
    "core/generator/rules.py": "",
}
UPWARD = """
core/generator/rules.py     | from bgfast.core.network.network import a        | core.network.network
batch/encoders.py           | def f():;    import bgfast.games.game            | games.game
batch/encoders.py           | from bgfast.games import game as played          | games.game
batch/encoders.py           | from ..games.game import Game                    | games.game
batch/_fill.pyi             | from bgfast.games.game import Game               | games.game
core/board.pxd              | from bgfast.batch cimport (;  # (rows);  _fill;) | batch._fill
core/board.pxi              | from bgfast.batch cimport _fill as fill          | batch._fill
core/board.pyx              | cimport bgfast.batch._fill                       | batch._fill
core/board.pyx              | include "../batch/_fill.pxi"                     | batch._fill
core/board.pyx              | from bgfast.reference import a                   | reference
include/bgfast.h            | #include "row.h"                                 | core.row
games/game.py               | from bgfast import Position                      | __init__
__init__.py                 | from bgfast.engines.crosscheck.files import a    | engines.crosscheck.files
""".strip().splitlines()


def test_what_runs_down_is_left_alone(tmp_path: Path) -> None:
    found = read_package(write(tmp_path, HOUSE))
    assert upward(found) == set()
    assert found["engines.crosscheck.files"] == {"reference"}
    assert found["core.board"] == {"core.row"}
    assert found["core.row"] == {"core.cpu"}


@pytest.mark.parametrize("case", UPWARD)
def test_what_runs_upwards_is_found(case: str, tmp_path: Path) -> None:
    file, text, imported = (part.strip() for part in case.split("|"))
    package = write(tmp_path, {**HOUSE, file: text.replace(";", "\n") + "\n"})
    assert upward(read_package(package)) == {(sources(package)[package / file], imported)}


def test_circles_are_found(tmp_path: Path) -> None:
    inside = {"games/game.py": "import bgfast.games.state\n", "games/state.py": "import bgfast.games.game\n"}
    found = read_package(write(tmp_path / "in a room", {**HOUSE, **inside}))
    assert upward(found) == set()
    with pytest.raises(CycleError, match=r"games\.game.*games\.state"):
        TopologicalSorter(found).prepare()
    between = {"core/row.h": '#include "network/in.h"\n', "core/network/in.h": '#include "../cpu.h"\n'}
    found = read_package(write(tmp_path / "of rooms", {**HOUSE, **between}))
    assert upward(found) == {("core.row", "core.network.in"), ("core.network.in", "core.cpu")}
    TopologicalSorter(found).prepare()


def test_all_that_is_there_is_drawn_and_all_that_is_drawn_is_there(tmp_path: Path) -> None:
    files = sources()
    there = {files[path] for path in PACKAGE.glob("*/**/__init__.py")}
    shown = [(line.split()[0], int(line.split()[2])) for line in list(rows(modules()))[1:]]
    assert there - {"engines.adapters"} <= {room for room, count in shown if count} == set(rooms())
    assert sum(count for _, count in shown) == len(files)
    assert len([room for room in there if "." not in room]) <= MAX_ROOMS
    assert {name for names in house.NEVER.values() for name in names} <= set(rooms())
    with pytest.raises(ValueError, match=r"'attic\.box' is in none of the rooms"):
        upward(read_package(write(tmp_path, {**HOUSE, "attic/box.py": "import bgfast.errors\n"})))


# What tells a type checker something that the line before has made certain.
TELLS_A_TYPE = re.compile(r"assert (\S+ is not None|(not )?isinstance\([^()]+\))(  # .*)?")


def faults(package: Path) -> Iterator[str]:
    """Yield the folders in which one looks for long, an `__init__` that is not one docstring, guards.

    A guard is an assert that makes sure of something: python -O leaves it out.
    """
    files = sources(package)
    for path in package.glob("*/**/__init__.py"):
        if len(house.names_of(path.parent.iterdir())) > MAX_NAMES and files[path] not in CROWDED:
            yield f"{files[path]} is crowded"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        code = tree.body[1:]
        if files[path] in PUBLIC:
            code = [node for node in code if not isinstance(node, ast.ImportFrom | ast.Assign)]
        if code or ast.get_docstring(tree) is None:
            yield f"{files[path]} is no docstring alone"
    for path in files:
        for line in map(str.strip, path.read_text(encoding="utf-8").splitlines()):
            if re.match(r"assert\b", line) and not TELLS_A_TYPE.fullmatch(line):
                yield f"{path.name}: {line}"


def test_folders_and_lines_are_without_fault(tmp_path: Path) -> None:
    assert list(faults(PACKAGE)) == []
    house = {f"core/{kind}{name}.py": "" for name in range(MAX_NAMES) for kind in ("a", "_a")}
    house["core/__init__.py"] = '"""The core."""\n'
    assert list(faults(write(tmp_path, house))) == []
    (tmp_path / "bgfast" / "core" / "more.h").touch()
    house["batch/__init__.py"] = '"""Batches."""\nimport os\n'
    house["games/x/y.pyx"] = "    assert hidden <= MOST\n    assert board is not None\n"
    wrong = ["batch is no docstring alone", "core is crowded", "games.x is no docstring alone"]
    assert sorted(faults(write(tmp_path, house))) == [*wrong, "y.pyx: assert hidden <= MOST"]


def test_dir_shows_the_public_names_alone_and_no_room_hides_one() -> None:
    public = (ROOT / "tests" / "data" / "public_names.txt").read_text(encoding="utf-8").split()
    assert sorted([*bgfast.__all__, *MODULES]) == sorted(public)
    assert [name for name in dir(bgfast) if not name.startswith("__")] == sorted(public)
    assert {"__all__", "__doc__", "__file__", "__path__", "__version__"} <= set(dir(bgfast))
    assert "common" in vars(bgfast), "without __dir__ it would show"
    # An imported submodule of a package takes the place of what bears its name there.
    assert {house.room_of(name).partition(".")[0] for name in modules()}.isdisjoint(bgfast.__all__)


def test_folders_of_tests_mirror_the_rooms() -> None:
    tested = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("*/**/test_*.py")}
    there = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")}
    # benchmarks/ stands beside bgfast/, and its tests beside those of the rooms; typing/ is for checkers.
    assert tested - there == {Path("benchmarks"), Path("typing")}
