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
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "bgfast"
NEVER = {"__init__": ("cli", "engines"), "core": ("reference",)}
"""Nor these: the public face starts nothing, and the reference is what the core is proven against."""
SOURCES = (".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h")
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?c?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
INCLUDED = re.compile(r'^[ \t]*(?:include|#include|cdef extern from)[ \t]+"([^"]+)"', re.MULTILINE)


def sources(package: Path = PACKAGE) -> dict[Path, str]:
    """Return the files of a package, each with its module: what differs only in endings is one."""
    paths = sorted(path for path in package.rglob("*") if path.suffix in SOURCES)
    names = (".".join(path.relative_to(package).with_suffix("").parts) for path in paths)
    return {path: name.removesuffix(".__init__") for path, name in zip(paths, names, strict=True)}


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


def read_package(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the modules of a package by name, each with those that it imports of the same package."""
    files = sources(package)
    modules = {name: set[str]() for name in files.values()}
    for path, name in files.items():
        modules[name].update({*imports_of(path, package, files)} - {name})
    return modules


@cache
def rooms() -> list[str]:
    """Return the packages, and the modules beside them, in the order of docs/development/architecture.md."""
    text = (PACKAGE.parent / "docs" / "development" / "architecture.md").read_text(encoding="utf-8")
    drawn = text.partition("\n## Layers\n")[2].split("```")[1]
    found, around = list[str](), list[str]()
    for spaces, name in re.findall(r"^( *)(\w+) {2,}\S", drawn, re.MULTILINE):
        around = [*around[: len(spaces) // 2], name]
        found.append(".".join(around))
    return found


def room_of(name: str) -> str:
    """Return the innermost room of a module; of one beside the rooms, its own name."""
    around = [room for room in rooms() if f"{name}.".startswith(f"{room}.")]
    if not around:
        raise ValueError(f"{name!r} is in none of the rooms, nor named beside them")
    return max(around, key=len)


def upward(modules: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """Return the imports that go where they may not, as (importing, imported) modules."""
    imports = {(name, imported) for name in modules for imported in modules[name]}
    between = {(room_of(name), room_of(imported)) for name, imported in imports}

    def wrong(room: str, below: str) -> bool:
        if below.startswith(f"{room}.") or room.startswith(f"{below}."):
            return (below, room) in between
        never = NEVER.get(room.partition(".")[0], ())
        return rooms().index(below) < rooms().index(room) or below.partition(".")[0] in never

    return {pair for pair in imports if wrong(*map(room_of, pair))}


def names_of(files: Iterable[Path]) -> set[str]:
    """Return the names of files; the halves of one in Python, Cython and C are one."""
    stems = {path.stem for path in files if path.suffix in SOURCES}
    return {stem.removeprefix("_") for stem in stems - {"__init__"}}


def rows(modules: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the lines of the map: one for each room."""
    yield f"{'room':<24}{'names':>6}{'files':>6}{'lines':>7}  imports"
    for room in rooms():
        files = {path: name for path, name in sources().items() if room_of(name) == room}
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        imported = {room_of(below) for name in files.values() for below in modules[name]} - {room}
        below = " ".join(sorted(imported, key=rooms().index)) or "-"
        yield f"{room:<24}{len(names_of(files)):6}{len(files):6}{lines:7}  {below}"


if __name__ == "__main__":
    print(*rows(read_package()), sep="\n")
