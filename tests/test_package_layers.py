"""Layers of the package: permitted imports, sizes of packages, public names."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import bgfast
from tests.tools.package_map import (
    FORBIDDEN_IMPORTS,
    LAZY_IMPORTERS,
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
    upward_imports,
)

ROOT = PACKAGE.parent
pytestmark = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="a wheel has no sources")
MAX_PACKAGES, MAX_MODULES = 13, 12
MAX_PART_1_LINES = 23_500
"""Maximum number of lines of part 1 with its commands; the target is 22,000."""
LARGE_PACKAGES = ("cli",)
"""Packages exempt from `MAX_MODULES`: each command of `cli` is a module."""
PUBLIC_PACKAGES = ("games", "records")
"""Packages that users import from: their `__init__` re-exports the public names."""
BASE_PACKAGE = "common"
"""Package whose `__init__` has the version and lazy imports; every use of bgfast loads it."""
MODULES = "cube environments errors evaluators games matches records reference rollouts training".split()
modules = cache(read_package)


def test_no_import_runs_upwards_or_in_a_cycle() -> None:
    assert not upward_imports(modules())
    TopologicalSorter(modules()).prepare()


FILES = {
    "games/game.py": "from bgfast.batch.encoders import encode\n",
    "batch/encoders.py": '"""Rolls.\n\nfrom bgfast.games.game import Game\n"""\n',
    "core/row.h": "",
}
UPWARD_IMPORTS = """
batch/encoders.py | def f():;    import bgfast.games.game            | games.game
batch/encoders.py | from bgfast.games import game as played          | games.game
batch/encoders.py | from ..games.game import Game                    | games.game
core/board.pxd    | from bgfast.batch cimport (;  # (rows);  encoders;) | batch.encoders
core/board.pyx    | include "../batch/encoders.py"                   | batch.encoders
batch/encoders.py | names = {"Game": "bgfast.games.game"}            | games.game
batch/encoders.py | import_module(f"bgfast.ga{'m'}es.{name}")        | games.game
core/board.pyx    | import_module(f"bgfast.bat{c}.encoders")         | batch.encoders
include/bgfast.h  | #include "row.h"                                 | core.row
""".strip().splitlines()


def test_all_forms_of_upward_imports_are_found(tmp_path: Path) -> None:
    for index, case in enumerate(["core/empty.py | | ", *UPWARD_IMPORTS]):
        file, text, imported = (part.strip() for part in case.split("|"))
        package = tmp_path / str(index) / "bgfast"
        for name, content in {**FILES, file: text.replace(";", "\n") + "\n"}.items():
            path = package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        expected = {(sources(package)[package / file], imported)} if imported else set()
        assert upward_imports(read_package(package)) == expected, case


def test_part_1_imports_nothing_from_part_2() -> None:
    modules_of_part_1, forbidden = part_1(modules())
    assert not forbidden
    lines = size_of(modules_of_part_1)
    print(f"part 1 has {lines:,} lines")
    assert lines <= MAX_PART_1_LINES


def test_computed_imports_are_literal_or_listed() -> None:
    call = re.compile(r"(?:import_module|__import__|resolve_name)\((?!f?[\"']\w)")
    names = {name for path, name in sources().items() if call.search(path.read_text(encoding="utf-8"))}
    # These modules import optional packages, names from tables, or modules that the command line names.
    assert names == {"cli.main", "cli.players", "common.extras", "common"}
    for module, name in LAZY_IMPORTERS:
        path = next(path for path, path_module in sources().items() if path_module == module)
        assert re.search(rf"^ *(def )?{name}\b", path.read_text(encoding="utf-8"), re.MULTILINE), name


def test_calls_use_few_files_and_modules() -> None:
    for path, limit in (("typed position to plays", 12), ("batch call to arrays", 8)):
        assert 4 <= len(files_entered(path)) <= limit, files_entered(path)
    for name, limit in (("Position.plays", 15), ("successors", 16)):
        loaded = modules_loaded(name)
        assert 10 <= len(loaded) <= limit, loaded
        text_modules = (f"bgfast.position.{name}" for name in ("picture", "explain", "turn", "play_text"))
        part_2 = {f"bgfast.{module}" for module in PART_2}
        assert not {*text_modules, *part_2} & {*loaded}
    assert not any(name.startswith("bgfast.position") for name in modules_loaded("successors"))


def test_the_architecture_page_lists_every_package() -> None:
    files = sources()
    existing = {files[path] for path in PACKAGE.glob("*/**/__init__.py")}
    listed_packages = [(line.split()[0], int(line.split()[2])) for line in list(rows(modules()))[1:]]
    assert existing <= {package for package, count in listed_packages if count} == set(packages())
    assert sum(count for _, count in listed_packages) == len(files)
    assert len([package for package in existing if "." not in package]) <= MAX_PACKAGES
    assert {name for names in FORBIDDEN_IMPORTS.values() for name in names} <= set(packages())


# These asserts narrow a type for the type checker.
NARROWS_A_TYPE = re.compile(r"assert (\S+ is not None|(not )?isinstance\([^()]+\))(  # .*)?")


def faults() -> Iterator[str]:
    """Yield packages with too many modules, `__init__` files with code, and asserts that narrow no type.

    python -O removes asserts, so they must not check arguments.
    """
    files = sources()
    for path in PACKAGE.glob("*/**/__init__.py"):
        if len(names_of(path.parent.iterdir())) > MAX_MODULES and files[path] not in LARGE_PACKAGES:
            yield f"{files[path]} has too many modules"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        code = tree.body[1:]
        if files[path] in PUBLIC_PACKAGES:
            code = [node for node in code if not isinstance(node, ast.ImportFrom | ast.Assign)]
        if (code and files[path] != BASE_PACKAGE) or ast.get_docstring(tree) is None:
            yield f"{files[path]} is more than a docstring"
    for path in files:
        for line in map(str.strip, path.read_text(encoding="utf-8").splitlines()):
            if re.match(r"assert\b", line) and not NARROWS_A_TYPE.fullmatch(line):
                yield f"{path.name}: {line}"


def test_packages_have_no_faults() -> None:
    assert list(faults()) == []


def test_dir_lists_the_public_names_and_no_package_hides_one() -> None:
    public = (ROOT / "tests" / "data" / "public_names.txt").read_text(encoding="utf-8").split()
    assert sorted([*bgfast.__all__, *MODULES]) == sorted(public)
    assert [name for name in dir(bgfast) if not name.startswith("__")] == sorted(public)
    assert {"__all__", "__doc__", "__file__", "__path__", "__version__"} <= set(dir(bgfast))
    for package in map(importlib.import_module, ("bgfast.games", "bgfast.records")):
        assert [name for name in dir(package) if not name.startswith("__")] == package.__all__
    assert "common" in vars(bgfast), "dir() would list it without __dir__"
    # An imported submodule replaces an attribute of the same name.
    assert {package_of(name).partition(".")[0] for name in modules()}.isdisjoint(bgfast.__all__)


def test_folders_of_tests_mirror_the_packages() -> None:
    tested = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("*/**/test_*.py")}
    existing = {path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py")}
    # The exceptions test benchmarks/, which is not a package of bgfast, and type checkers.
    assert tested - existing == {Path("benchmarks"), Path("typing")}
