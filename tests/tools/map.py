"""The map of the house, measured from the code: ``python -m tests.tools.map``.

For each room its floor, its files and lines and which rooms it imports; with ``--modules`` the same for the
modules of each room. Python is parsed; of Cython and C the lines that import or include are read. Not seen is
what a name made at run time imports: an engine's adapter, the generator's build.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
from collections.abc import Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path
from typing import NamedTuple

__all__ = ["ROOMS", "Module", "allowed", "cycle", "floors", "read_package", "room_of", "rooms_of", "upward"]

PACKAGE = Path(__file__).parents[2] / "bgfast"
ROOMS = ("cli", "engines", "analysis", "formats", "games", "batch", "position", "common", "core")
"""The rooms; each imports only those after it."""
GROUND = ("reference", "rules", "errors")
BESIDE = {
    "__main__": {"cli"},
    "__init__": {*ROOMS, *GROUND, "evaluators", "environments"} - {"cli", "engines"},
    "capi": {"core", "include", "errors"},
    "environments": {"analysis", "common"},
    "evaluators": {"analysis"},
    "include": set(),
    "reference": {"rules", "errors"},
    "rules": {"errors"},
    "errors": set(),
}
"""What stands beside the rooms, each with all that it may import."""
SOURCES = (".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h")
CYTHON_IMPORT = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
CYTHON_WHOLE = re.compile(r"^[ \t]*c?import[ \t]+([^\n]*)", re.MULTILINE)
INCLUDED = re.compile(r'^[ \t]*(?:include|#include|cdef extern from)[ \t]+"([^"]+)"', re.MULTILINE)


class Module(NamedTuple):
    """A module: all files of a folder that differ only in their endings."""

    name: str
    files: tuple[Path, ...]
    lines: int
    imports: frozenset[str]


def module_name(path: Path, package: Path) -> str:
    """Return the dotted name of the module that a file belongs to."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources(package: Path) -> list[Path]:
    """Return the files of a package that people wrote."""
    return sorted(path for path in package.rglob("*") if path.suffix in SOURCES)


def named_imports(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each module that a file imports by name, with what it takes from it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".py", ".pyi"):
        for node in ast.walk(ast.parse(text, str(path))):
            if isinstance(node, ast.Import):
                yield from ((alias.name, ()) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = "." * node.level + (node.module or "")
                yield base, tuple(alias.name for alias in node.names)
    elif path.suffix != ".h":
        text = re.sub(r"#[^\n]*", "", text)
        for base, names in CYTHON_IMPORT.findall(text):
            yield base, tuple(name.split()[0] for name in names.strip("() ").split(",") if name.strip())
        for names in CYTHON_WHOLE.findall(text):
            yield from ((name.split()[0], ()) for name in names.split(",") if name.strip())


def imports_of(path: Path, name: str, package: Path, files: Mapping[Path, str]) -> Iterator[str]:
    """Yield the modules of the package that a file imports, cimports or includes."""
    modules = set(files.values())
    inside = name if path.stem == "__init__" else name.rpartition(".")[0]
    for imported, names in named_imports(path):
        base = resolve_name(imported, inside)
        for full in [f"{base}.{taken}" for taken in names] or [base]:
            # What is taken from a module is no module, as a rule.
            while full not in modules and "." in full:
                full = full.rpartition(".")[0]
            if full in modules:
                yield full
    if path.suffix not in (".py", ".pyi"):
        for included in INCLUDED.findall(path.read_text(encoding="utf-8")):
            beside = Path(os.path.normpath(path.parent / included))
            yield from (
                files[file]
                for file in files
                if file == beside or (beside not in files and file.name == included)
            )


def read_package(package: Path = PACKAGE) -> dict[str, Module]:
    """Return the modules of a package by name, each with what it imports of the same package."""
    files = {path: module_name(path, package) for path in sources(package)}
    found = {}
    for name in dict.fromkeys(files.values()):
        own = tuple(path for path, module in files.items() if module == name)
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in own)
        imports = {module for path in own for module in imports_of(path, name, package, files)}
        found[name] = Module(name, own, lines, frozenset(imports - {name}))
    return found


def room_of(name: str) -> str:
    """Return the room of a module; of one beside the rooms, its own name."""
    return name.split(".")[1] if "." in name else "__init__"


def rooms_of(package: Path = PACKAGE) -> set[str]:
    """Return the rooms that there are: the folders that can be imported."""
    return {path.parent.name for path in package.glob("*/__init__.py")}


def allowed(room: str) -> Set[str]:
    """Return what a room, or a module beside the rooms, may import."""
    if room in BESIDE:
        return BESIDE[room]
    if room not in ROOMS:
        raise ValueError(f"{room!r} is neither one of the rooms nor named beside them")
    # The reference is what the core is proven against.
    ground = GROUND if room != "core" else ("rules", "errors")
    return {*ROOMS[ROOMS.index(room) :], *ground}


def upward(modules: Mapping[str, Module]) -> set[tuple[str, str]]:
    """Return the imports that go where they may not, as (importing, imported) modules."""
    return {
        (module.name, imported)
        for module in modules.values()
        for imported in module.imports
        if room_of(imported) not in allowed(room_of(module.name))
    }


def cycle(imports: Mapping[str, Set[str]]) -> list[str]:
    """Return modules of which each imports the next, the last the first; nothing if there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1][:0:-1]
    return []


def floors(imports: Mapping[str, Set[str]]) -> dict[str, int]:
    """Return how many floors each module stands above those that import nothing; the highest first."""
    found: dict[str, int] = {}
    for name in TopologicalSorter(imports).static_order():
        found[name] = max((found[below] + 1 for below in imports.get(name, ())), default=0)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def room_imports(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """Return the rooms, and what stands beside them, that each of them imports."""
    found: dict[str, set[str]] = {}
    for module in modules.values():
        room = room_of(module.name)
        found.setdefault(room, set()).update({room_of(imported) for imported in module.imports} - {room})
    return found


def in_order(names: Set[str]) -> list[str]:
    """Return rooms from the highest down, then what stands beside them."""
    return [name for name in (*ROOMS, *BESIDE) if name in names]


def table(heads: tuple[str, ...], rows: list[tuple[str, int, int, int, str]]) -> list[str]:
    """Return lines of columns, numbers to the right."""
    texts = [heads, *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join([first.ljust(widths[0]), *map(str.rjust, numbers, widths[1:]), last])
        for first, *numbers, last in texts
    ]


def rooms_table(modules: Mapping[str, Module]) -> list[str]:
    """Return the map: a line for each room, then for what stands beside them."""
    imports = room_imports(modules)
    wrong = {(room_of(name), room_of(imported)) for name, imported in upward(modules)}
    heights = floors(
        {room: {to for to in below if (room, to) not in wrong} for room, below in imports.items()}
    )
    rows = []
    for room in in_order(imports.keys()):
        inside = [module for module in modules.values() if room_of(module.name) == room]
        files = sum(len(module.files) for module in inside)
        lines = sum(module.lines for module in inside)
        rows.append((room, heights[room], files, lines, " ".join(in_order(imports[room])) or "-"))
    return table(("room", "floor", "files", "lines", "imports"), rows)


def modules_table(modules: Mapping[str, Module], room: str) -> list[str]:
    """Return the modules of a room, the highest first, with what they import, of other rooms in brackets."""
    package = f"{next(iter(modules)).split('.')[0]}.{room}"
    inside = {
        name: module
        for name, module in modules.items()
        if name.startswith(f"{package}.") and module.files[0].stem != "__init__"
    }
    imports = {name: module.imports & inside.keys() for name, module in inside.items()}
    rows = []
    for name, height in floors(imports).items():
        module = inside[name]
        others = in_order({room_of(imported) for imported in module.imports} - {room})
        imported = [below.removeprefix(f"{package}.") for below in sorted(imports[name])]
        imported += [f"({other})" for other in others]
        short = name.removeprefix(f"{package}.")
        rows.append((short, height, len(module.files), module.lines, " ".join(imported) or "-"))
    return table((room, "floor", "files", "lines", "imports"), rows)


def main() -> int:
    """Print the map; return 1 if an import runs upwards or in a circle."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.map", description=__doc__)
    parser.add_argument("--modules", action="store_true", help="the modules of each room, too")
    asked = parser.parse_args()
    modules = read_package()
    wrong = [f"upwards: {name} imports {imported}" for name, imported in sorted(upward(modules))]
    round_trip = cycle({name: module.imports for name, module in modules.items()})
    if round_trip:
        wrong.append(f"in a circle: {' imports '.join(round_trip)}")
    print(*rooms_table(modules), *wrong, sep="\n")
    if asked.modules and not round_trip:
        for room in in_order(rooms_of()):
            print("", *modules_table(modules, room), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
