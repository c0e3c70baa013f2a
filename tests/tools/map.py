"""The map of the house, measured from the code: ``python -m tests.tools.map``.

For each room its names, files and lines and which rooms it imports. Python is parsed; of Cython and C the
lines that import or include are read. Not seen is what a name made at run time imports: an engine's adapter,
the generator's build.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[2] / "bgfast"
ROOMS = """
    __init__ __main__ cli engines.suite engines.crosscheck engines environments evaluators
    analysis.matches.judging analysis.matches analysis.training analysis.strength analysis.decisions
    analysis.rollouts analysis.environments analysis.evaluators analysis.bearoff analysis.perft
    analysis.cube analysis
    formats games batch position position.text position.rule_book
    common capi core.network core.generator core.board core include reference rules errors
""".split()
"""Rooms, sub-rooms, and what stands beside them; each imports only from those after it."""
NEVER = {"__init__": ("cli", "engines"), "core": ("reference",)}
"""Nor these: the public face starts nothing, and the reference is what the core is proven against."""
SOURCES = (".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h")
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?c?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
INCLUDED = re.compile(r'^[ \t]*(?:include|#include|cdef extern from)[ \t]+"([^"]+)"', re.MULTILINE)


class Module(NamedTuple):
    """A module: all files of a folder that differ only in their endings."""

    files: tuple[Path, ...]
    imports: frozenset[str]


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of the module that a file belongs to, below the package."""
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def imports_of(path: Path, package: Path, files: Mapping[Path, str]) -> Iterator[str]:
    """Yield the modules of the package that a file imports, cimports or includes."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".py", ".pyi"):
        nodes = ast.walk(ast.parse(text, str(path)))
        text = "\n".join(ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    else:
        for included in INCLUDED.findall(text):
            beside = Path(os.path.normpath(path.parent / included))
            found = [beside] if beside in files else [file for file in files if file.name == included]
            yield from (files[file] for file in found)
        text = re.sub(r"#[^\n]*", "", text)
    inside = ".".join(path.parent.relative_to(package.parent).parts)
    known = {f"{package.name}.{name}": name for name in files.values()} | {package.name: "__init__"}
    for base, names in IMPORT.findall(text):
        for name, *_ in filter(None, map(str.split, names.strip("() ").split(","))):
            full = f"{resolve_name(base, inside)}.{name}" if base else name
            while full not in known and "." in full:  # what is taken from a module is no module, as a rule
                full = full.rpartition(".")[0]
            if full in known:
                yield known[full]


def read_package(package: Path = PACKAGE) -> dict[str, Module]:
    """Return the modules of a package by name, each with what it imports of the same package."""
    files = {
        path: module_name(path, package) for path in sorted(package.rglob("*")) if path.suffix in SOURCES
    }
    found = {}
    for name in dict.fromkeys(files.values()):
        own = tuple(path for path, module in files.items() if module == name)
        imports = {module for path in own for module in imports_of(path, package, files)}
        found[name] = Module(own, frozenset(imports - {name}))
    return found


def room_of(name: str) -> str:
    """Return the innermost room of a module; of one beside the rooms, its own name."""
    room = name
    while room not in ROOMS:
        if "." not in room:
            raise ValueError(f"{name!r} is in none of the rooms, nor named beside them")
        room = room.rpartition(".")[0]
    return room


def upward(modules: Mapping[str, Module]) -> set[tuple[str, str]]:
    """Return the imports that go where they may not, as (importing, imported) modules."""
    return {
        (name, imported)
        for name, module in modules.items()
        for imported in module.imports
        if ROOMS.index(room_of(imported)) < ROOMS.index(room_of(name))
        or imported.partition(".")[0] in NEVER.get(name.partition(".")[0], ())
    }


def names_of(files: Iterable[Path]) -> set[str]:
    """Return the names of files; the halves of one in Python, Cython and C are one."""
    stems = {path.stem for path in files if path.suffix in SOURCES}
    return {stem.removeprefix("_") for stem in stems - {"__init__"}}


def rows(modules: Mapping[str, Module]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of the map: a row for each room."""
    yield "room", "names", "files", "lines", "imports"
    for room in ROOMS:
        inside = {name: module for name, module in modules.items() if room_of(name) == room}
        files = [path for module in inside.values() for path in module.files]
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        imported = {room_of(name) for module in inside.values() for name in module.imports} - {room}
        below = " ".join(sorted(imported, key=ROOMS.index)) or "-"
        yield room, str(len(names_of(files))), str(len(files)), str(lines), below


if __name__ == "__main__":
    for room, *numbers, imported in rows(read_package()):
        print(room.ljust(max(map(len, ROOMS))), *(number.rjust(6) for number in numbers), f" {imported}")
