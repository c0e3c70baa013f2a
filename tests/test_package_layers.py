"""Layers of the package: permitted imports, sizes of packages, public names."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import bgfast
from tests.tools.package_map import (
    DOORS,
    NEVER,
    PACKAGE,
    PART_2,
    files_entered,
    modules_loaded,
    names_of,
    package_of,
    packages,
    part_1,
    read_package,
    rows,
    size_of,
    sources,
    upward,
)

ROOT = PACKAGE.parent
pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="only the wheel is here; expected a source tree"
)
MAX_PACKAGES, MAX_MODULES = 13, 14
MAX_PART_1 = 24_900
"""Maximum number of lines of part 1 with its commands; 22,000 are wanted."""
LARGE = set("cli common batch games".split())
"""Packages with more modules: each command is a module, and so is each common tool."""
PUBLIC = ("games", "records")
"""Packages that users import from: their `__init__` re-exports the public names."""
BASE = "common"
"""Package whose `__init__` has the version and lazy imports, which every use of bgfast loads."""
MODULES = "cube environments errors evaluators games matches records reference rollouts training".split()
modules = cache(read_package)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write an invented package named bgfast; every folder has an `__init__`."""
    package = folder / "bgfast"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (path.parent / "__init__.py").touch()
    return package


def test_no_import_runs_upwards_or_in_a_cycle() -> None:
    assert not upward(modules())
    TopologicalSorter(modules()).prepare()


FILES = {
    "__init__.py": "from bgfast.games.game import Game\n",
    "errors.py": "",
    "reference.py": "from bgfast.errors import BgfastError\n",
    "conformance/crosscheck/files.py": "from bgfast import reference\nimport numpy as np\n",
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
batch/encoders.py           | import_module("bgfast.games.game")               | games.game
batch/encoders.py           | names = {"Game": "bgfast.games.game"}            | games.game
batch/encoders.py           | run("from bgfast.games.game import main")        | games.game
batch/encoders.py           | import_module(f"bgfast.ga{'m'}es.{name}")        | games.game
core/board.pyx              | import_module(f"bgfast.bat{c}.encoders")         | batch.encoders
include/bgfast.h            | #include "row.h"                                 | core.row
games/game.py               | from bgfast import Position                      | __init__
__init__.py                 | from bgfast.conformance.crosscheck.files import a | conformance.crosscheck.files
""".strip().splitlines()


def test_downward_imports_are_accepted(tmp_path: Path) -> None:
    read = read_package(write(tmp_path, FILES))
    assert upward(read) == set()
    assert read["conformance.crosscheck.files"] == {"reference"}
    assert read["core.board"] == {"core.row"}
    assert read["core.row"] == {"core.cpu"}


@pytest.mark.parametrize("case", UPWARD)
def test_upward_imports_are_found(case: str, tmp_path: Path) -> None:
    file, text, imported = (part.strip() for part in case.split("|"))
    package = write(tmp_path, {**FILES, file: text.replace(";", "\n") + "\n"})
    assert upward(read_package(package)) == {(sources(package)[package / file], imported)}


def test_part_1_imports_nothing_of_part_2(tmp_path: Path) -> None:
    inside, wrong = part_1(modules())
    assert not wrong
    lines = size_of(inside)
    print(f"part 1 has {lines:,} lines")
    assert lines <= MAX_PART_1
    files = {"cli/plays.py": "import bgfast.cli.options", "cli/options.py": "import bgfast.games.game"}
    inside, wrong = part_1(read_package(write(tmp_path, {**FILES, **files})))
    assert wrong == {("cli.options", "games.game")}
    assert inside >= {"cli.plays", "cli.options", "reference"}


def test_computed_imports_are_literal_names_or_doors() -> None:
    call = re.compile(r"(?:import_module|__import__|resolve_name)\((?!f?[\"']\w)")
    found = {name for path, name in sources().items() if call.search(path.read_text(encoding="utf-8"))}
    # Optional packages, names in tables, and evaluators and completions by the user's choice.
    assert found == {"cli.main", "cli.players", "common.extras", "common"}
    for module, name in DOORS:
        path = next(path for path, known in sources().items() if known == module)
        assert re.search(rf"^ *(def )?{name}\b", path.read_text(encoding="utf-8"), re.MULTILINE), name


def test_cycles_are_found(tmp_path: Path) -> None:
    inside = {"games/game.py": "import bgfast.games.state\n", "games/state.py": "import bgfast.games.game\n"}
    read = read_package(write(tmp_path / "within a package", {**FILES, **inside}))
    assert upward(read) == set()
    with pytest.raises(CycleError, match=r"games\.game.*games\.state"):
        TopologicalSorter(read).prepare()
    between = {"core/row.h": '#include "network/in.h"\n', "core/network/in.h": '#include "../cpu.h"\n'}
    read = read_package(write(tmp_path / "between packages", {**FILES, **between}))
    assert upward(read) == {("core.row", "core.network.in"), ("core.network.in", "core.cpu")}
    TopologicalSorter(read).prepare()


def test_paths_are_short() -> None:
    limits = {"typed position to plays": 12, "batch call to arrays": 8}
    for path, limit in limits.items():
        assert 4 <= len(files_entered(path)) <= limit, files_entered(path)
    limits = {"Position.plays": 16, "successors": 18}  # 16 are wanted of successors
    for name, limit in limits.items():
        loaded = modules_loaded(name)
        assert 10 <= len(loaded) <= limit, loaded
        texts = (
            "bgfast.position.picture bgfast.position.explain bgfast.position.turn bgfast.position.play_text"
        )
        above = {f"bgfast.{module}" for module in PART_2}
        assert not {*texts.split(), *above} & {*loaded}
    assert not any(name.startswith("bgfast.position") for name in modules_loaded("successors"))


def test_the_architecture_page_lists_every_package(tmp_path: Path) -> None:
    files = sources()
    existing = {files[path] for path in PACKAGE.glob("*/**/__init__.py")}
    shown = [(line.split()[0], int(line.split()[2])) for line in list(rows(modules()))[1:]]
    assert existing <= {package for package, count in shown if count} == set(packages())
    assert sum(count for _, count in shown) == len(files)
    assert len([package for package in existing if "." not in package]) <= MAX_PACKAGES
    assert {name for names in NEVER.values() for name in names} <= set(packages())
    with pytest.raises(ValueError, match=r"'attic\.box' is in no package"):
        upward(read_package(write(tmp_path, {**FILES, "attic/box.py": "import bgfast.errors\n"})))


# Asserts that narrow a type for the type checker.
NARROWS_A_TYPE = re.compile(r"assert (\S+ is not None|(not )?isinstance\([^()]+\))(  # .*)?")


def faults(package: Path) -> Iterator[str]:
    """Yield packages with too many modules, `__init__` files with code, and asserts that guard.

    python -O leaves asserts out, so that they must not check anything.
    """
    files = sources(package)
    for path in package.glob("*/**/__init__.py"):
        if len(names_of(path.parent.iterdir())) > MAX_MODULES and files[path] not in LARGE:
            yield f"{files[path]} has too many modules"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        code = tree.body[1:]
        if files[path] in PUBLIC:
            code = [node for node in code if not isinstance(node, ast.ImportFrom | ast.Assign)]
        if (code and files[path] != BASE) or ast.get_docstring(tree) is None:
            yield f"{files[path]} is more than a docstring"
    for path in files:
        for line in map(str.strip, path.read_text(encoding="utf-8").splitlines()):
            if re.match(r"assert\b", line) and not NARROWS_A_TYPE.fullmatch(line):
                yield f"{path.name}: {line}"


def test_packages_have_no_faults(tmp_path: Path) -> None:
    assert list(faults(PACKAGE)) == []
    files = {f"core/{kind}{name}.py": "" for name in range(MAX_MODULES) for kind in ("a", "_a")}
    files["core/__init__.py"] = '"""The core."""\n'
    assert list(faults(write(tmp_path, files))) == []
    (tmp_path / "bgfast" / "core" / "more.h").touch()
    files["batch/__init__.py"] = '"""Batches."""\nimport os\n'
    files["games/x/y.pyx"] = "    assert hidden <= MOST\n    assert board is not None\n"
    wrong = [
        "batch is more than a docstring",
        "core has too many modules",
        "games.x is more than a docstring",
    ]
    assert sorted(faults(write(tmp_path, files))) == [*wrong, "y.pyx: assert hidden <= MOST"]


def test_dir_shows_public_names_and_no_package_hides_one() -> None:
    public = (ROOT / "tests" / "data" / "public_names.txt").read_text(encoding="utf-8").split()
    assert sorted([*bgfast.__all__, *MODULES]) == sorted(public)
    assert [name for name in dir(bgfast) if not name.startswith("__")] == sorted(public)
    assert {"__all__", "__doc__", "__file__", "__path__", "__version__"} <= set(dir(bgfast))
    for package in map(importlib.import_module, ("bgfast.games", "bgfast.records")):
        assert [name for name in dir(package) if not name.startswith("__")] == package.__all__
    assert "common" in vars(bgfast), "without __dir__ it would show"
    # An imported submodule replaces an attribute of the same name.
    assert {package_of(name).partition(".")[0] for name in modules()}.isdisjoint(bgfast.__all__)


def test_folders_of_tests_mirror_the_packages() -> None:
    tested = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("*/**/test_*.py")}
    existing = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")}
    # Tests of benchmarks/, which is no package of bgfast, and of type checkers.
    assert tested - existing == {Path("benchmarks"), Path("typing")}
