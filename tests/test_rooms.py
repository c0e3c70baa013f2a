"""The house: its rooms, what they may import, and what is seen from outside."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

import bgfast
from tests.tools.map import (
    BESIDE,
    PACKAGE,
    ROOMS,
    Module,
    cycle,
    floors,
    modules_table,
    read_package,
    room_of,
    rooms_of,
    rooms_table,
    upward,
)

ROOT = PACKAGE.parent
MODULES = read_package()
pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="beside a wheel there is no house: its sources are elsewhere"
)
MOST_ROOMS = 9


def imports(modules: Mapping[str, Module]) -> dict[str, frozenset[str]]:
    return {name: module.imports for name, module in modules.items()}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a made-up package named bgfast; every folder below it gets its docstring."""
    package = folder / "bgfast"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.parent != package:
            (path.parent / "__init__.py").touch()
    return package


# ---- imports ----


def test_no_import_runs_upwards() -> None:
    assert not upward(MODULES)


def test_no_import_runs_in_a_circle() -> None:
    assert cycle(imports(MODULES)) == []


UPWARD = {
    "a room above": (
        {"core/board.pyx": "from bgfast.common.rolls import ROLLS\n"},
        "core.board",
        "common.rolls",
    ),
    "the cross-check and the command line": (
        {"engines/crosscheck/files.py": "from bgfast.cli.options import STARTS\n"},
        "engines.crosscheck.files",
        "cli.options",
    ),
    "inside a function": (
        {"batch/encoders.py": "def f():\n    import bgfast.games.game\n"},
        "batch.encoders",
        "games.game",
    ),
    "a module taken from its room": (
        {"batch/encoders.py": "from bgfast.games import game as played\n"},
        "batch.encoders",
        "games.game",
    ),
    "relative": ({"batch/encoders.py": "from ..games.game import Game\n"}, "batch.encoders", "games.game"),
    "for types only": (
        {"batch/_fill.pyi": "from bgfast.games.game import Game\n"},
        "batch._fill",
        "games.game",
    ),
    "cimport": (
        {"core/board.pxd": "from bgfast.batch._fill cimport (\n    fill,   # rows\n    fill_more,\n)\n"},
        "core.board",
        "batch._fill",
    ),
    "cimport of a module taken from its room": (
        {"core/board.pxi": "from bgfast.batch cimport _fill as fill\n"},
        "core.board",
        "batch._fill",
    ),
    "cimport of the whole": ({"core/board.pyx": "cimport bgfast.batch._fill\n"}, "core.board", "batch._fill"),
    "include": ({"core/board.pyx": 'include "../batch/_fill.pxi"\n'}, "core.board", "batch._fill"),
    "the reference and a room": (
        {"reference.py": "import bgfast.common.rolls\n"},
        "reference",
        "common.rolls",
    ),
    "the core and the reference": (
        {"core/board.pyx": "from bgfast.reference import flip\n"},
        "core.board",
        "reference",
    ),
    "a room and the whole": ({"games/game.py": "from bgfast import Position\n"}, "games.game", ""),
    "the whole and an engine": (
        {"__init__.py": "from bgfast.engines.crosscheck.files import read\n"},
        "",
        "engines.crosscheck.files",
    ),
    "errors and a room": ({"errors.py": "from bgfast.common.rolls import ROLLS\n"}, "errors", "common.rolls"),
}
MADE_UP = {
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
}


def test_what_runs_down_is_left_alone(tmp_path: Path) -> None:
    modules = read_package(write(tmp_path, MADE_UP))
    assert upward(modules) == set()
    assert cycle(imports(modules)) == []
    assert modules["bgfast.engines.crosscheck.files"].imports == {"bgfast.reference"}
    assert modules["bgfast.core.board"].imports == {"bgfast.core.row"}
    assert modules["bgfast.core.row"].imports == {"bgfast.core.cpu"}


@pytest.mark.parametrize(("more", "importing", "imported"), UPWARD.values(), ids=UPWARD)
def test_what_runs_upwards_is_found(
    more: dict[str, str], importing: str, imported: str, tmp_path: Path
) -> None:
    found = upward(read_package(write(tmp_path, MADE_UP | more)))
    assert found == {(f"bgfast.{importing}".rstrip("."), f"bgfast.{imported}".rstrip("."))}


def test_a_circle_inside_a_room_is_found(tmp_path: Path) -> None:
    circle = {
        "games/game.py": "from bgfast.games.state import State\n",
        "games/state.py": "def f():\n    from bgfast.games.dice import roll\n",
        "games/dice.py": "import bgfast.games.game\n",
    }
    modules = read_package(write(tmp_path, MADE_UP | circle))
    assert upward(modules) == set()
    found = cycle(imports(modules))
    assert set(found) == {"bgfast.games.dice", "bgfast.games.game", "bgfast.games.state"}
    assert all(below in modules[name].imports for name, below in pairwise(found))


def test_a_room_without_a_floor_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'attic' is neither one of the rooms"):
        upward(read_package(write(tmp_path, MADE_UP | {"attic/box.py": "import bgfast.errors\n"})))


# ---- the map ----


def test_the_map_counts_files_lines_and_floors(tmp_path: Path) -> None:
    modules = read_package(write(tmp_path, MADE_UP))
    lines = {line.split()[0]: line.split()[1:] for line in rooms_table(modules)}
    assert lines["room"] == ["floor", "files", "lines", "imports"]
    assert lines["core"] == ["0", "4", "4", "-"]
    assert lines["batch"] == ["1", "3", "2", "core"]
    assert lines["engines"] == ["2", "2", "2", "reference"]
    assert lines["cli"] == ["3", "2", "1", "engines"]
    inside = [line.split() for line in modules_table(modules, "core")]
    assert inside[1:] == [
        ["board", "2", "1", "2", "row"],
        ["row", "1", "1", "2", "cpu"],
        ["cpu", "0", "1", "0", "-"],
    ]
    assert modules_table(modules, "games")[1].endswith(" (batch)")


def test_the_floor_is_the_longest_way_down() -> None:
    assert floors({"a": {"b", "c"}, "b": {"c"}}) == {"a": 2, "b": 1, "c": 0}


def test_the_map_of_the_house_has_every_room_and_all_that_stands_beside_them() -> None:
    lines = rooms_table(MODULES)
    assert [line.split()[0] for line in lines[1:]] == [*ROOMS, *BESIDE]
    assert sum(int(line.split()[2]) for line in lines[1:]) == sum(
        len(module.files) for module in MODULES.values()
    )


# ---- rooms ----


def not_named(rooms: Iterable[str], text: str) -> list[str]:
    """Return the rooms that a text does not name: as `room/`, or at the beginning of a line."""
    return [room for room in rooms if not re.search(rf"\b{room}/|^[\s|`]*{room}\b", text, re.MULTILINE)]


def more_than_a_docstring(package: Path) -> list[str]:
    """Return the rooms, and the packages inside them, whose `__init__` is not one docstring."""
    found = []
    for path in sorted(package.glob("*/**/__init__.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        if len(body) != 1 or not isinstance(body[0], ast.Expr) or not isinstance(body[0].value, ast.Constant):
            found.append(path.parent.relative_to(package).as_posix())
    return found


def test_there_are_at_most_nine_rooms_and_all_are_on_the_map() -> None:
    assert rooms_of() == set(ROOMS)
    assert len(ROOMS) <= MOST_ROOMS


def test_contributing_names_each_room() -> None:
    assert not_named(rooms_of(), (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) == []


def test_a_room_that_is_not_named_is_found(tmp_path: Path) -> None:
    assert rooms_of(write(tmp_path, {"attic/box.py": "", "errors.py": "", "include/row.h": ""})) >= {"attic"}
    text = "| rules of a game | `games/base.py` |\n  core    the generator\nIn the attic and its batch."
    assert not_named(["core", "games", "batch", "attic"], text) == ["batch", "attic"]


def test_a_room_begins_with_a_docstring_and_nothing_else() -> None:
    assert more_than_a_docstring(PACKAGE) == []


def test_more_than_a_docstring_is_found(tmp_path: Path) -> None:
    package = write(
        tmp_path, {"__init__.py": "from bgfast import errors\n", "games/x/y.py": "", "core/z.py": ""}
    )
    assert more_than_a_docstring(package) == ["core", "games/x"]
    (package / "core" / "__init__.py").write_text('"""The core."""\n', encoding="utf-8")
    (package / "games" / "x" / "__init__.py").write_text('"""Games."""\nimport os\n', encoding="utf-8")
    assert more_than_a_docstring(package) == ["games/x"]


def test_setup_builds_every_compiled_module() -> None:
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    (listed,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MODULES"
    )
    there = [path.relative_to(ROOT).with_suffix("").as_posix() for path in PACKAGE.rglob("*.pyx")]
    assert sorted(listed) == sorted(name.replace("/", ".") for name in there)


# ---- what is seen from outside ----


PUBLIC_MODULES = ["environments", "evaluators", "reference"]


def test_dir_shows_the_public_names_alone() -> None:
    public = (ROOT / "tests" / "data" / "public_names.txt").read_text(encoding="utf-8").split()
    assert sorted([*bgfast.__all__, *PUBLIC_MODULES]) == sorted(public)
    assert [name for name in dir(bgfast) if not name.startswith("__")] == sorted(public)
    assert {"__all__", "__doc__", "__file__", "__path__", "__version__"} <= set(dir(bgfast))
    assert "common" in vars(bgfast), "without __dir__ it would show"


def test_no_room_hides_a_public_name() -> None:
    """An imported submodule of a package takes the place of what bears its name there."""
    assert {room_of(name) for name in MODULES}.isdisjoint(bgfast.__all__)


# ---- the tests' own house ----


def importers_of_tests(tests: Path) -> list[str]:
    return [
        f"{name} imports {imported}"
        for name, module in read_package(tests).items()
        for imported in sorted(module.imports)
        if imported.rpartition(".")[2].startswith("test_")
    ]


def strayed(tests: Path, roots: Iterable[Path]) -> list[str]:
    """Return the files of tests in a folder that is none of what is tested: no room, no part of one."""
    folders = {path.parent.relative_to(tests) for path in tests.glob("*/**/test_*.py")}
    there = {path.parent.relative_to(root) for root in roots for path in root.rglob("__init__.py")}
    return sorted(folder.as_posix() for folder in folders - there)


def test_no_test_imports_a_test() -> None:
    assert importers_of_tests(ROOT / "tests") == []


def test_a_test_that_imports_a_test_is_found(tmp_path: Path) -> None:
    for name, text in {
        "core/test_a.py": "from tests.support.rolls import ROLLS\n",
        "core/test_b.py": "def f():\n    from tests.core.test_a import ROLLS\n",
        "support/rolls.py": "from tests.core import test_a\n",
    }.items():
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert importers_of_tests(tmp_path / "tests") == [
        "tests.core.test_b imports tests.core.test_a",
        "tests.support.rolls imports tests.core.test_a",
    ]


def test_folders_of_tests_mirror_the_rooms() -> None:
    # benchmarks/ stands beside bgfast/, and its tests beside those of the rooms; typing/ is for checkers.
    assert strayed(ROOT / "tests", [PACKAGE]) == ["benchmarks", "typing"]
    assert (ROOT / "benchmarks" / "__init__.py").exists()


def test_a_folder_of_tests_without_a_room_is_found(tmp_path: Path) -> None:
    package = write(tmp_path, {"engines/crosscheck/run.py": "", "core/board.pyx": ""})
    for name in (
        "core/test_board.py",
        "engines/crosscheck/test_run.py",
        "engines/suite/test_x.py",
        "attic/test_y.py",
    ):
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "tests" / "test_docs.py").touch()
    assert strayed(tmp_path / "tests", [package]) == ["attic", "engines/suite"]


# What tells a type checker something that the line before has made certain.
TELLS_A_TYPE = re.compile(r"assert (\S+ is not None|(not )?isinstance\([^()]+\))(  # .*)?")


def guards(package: Path) -> list[str]:
    """Return the lines of a package in which an assert guards something, which python -O leaves out."""
    return [
        f"{path.name}: {line.strip()}"
        for kind in ("py", "pyx", "pxi", "pxd")
        for path in sorted(package.rglob(f"*.{kind}"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*assert\b", line) and not TELLS_A_TYPE.fullmatch(line.strip())
    ]


def test_no_guard_is_an_assert(tmp_path: Path) -> None:
    assert guards(PACKAGE) == []
    package = write(tmp_path, {"core/board.pyx": "    assert hidden <= MOST\n    assert board is not None\n"})
    assert guards(package) == ["board.pyx: assert hidden <= MOST"]
