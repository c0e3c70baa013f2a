"""Packages with their sizes and imports: ``python -m tests.tools.package_map``.

Python files are parsed; in Cython and C files, import and include lines are read. A string naming a module
counts as an import of this module, since `importlib`, a table of lazy names or another process may import
it. All modules of other packages whose names an f-string can form also count as imports.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "bgfast"
FORBIDDEN_IMPORTS = {"__init__": ("cli", "conformance", "engines"), "core": ("reference",)}
"""Packages that must not be imported: the top level starts no programs, and the reference tests the core."""
LAZY_IMPORTERS = {
    ("__init__", "_SOURCES"),
    ("__init__", "__getattr__"),
    ("analysis.analyse", "analyse"),
    ("cli.main", "_load_command"),
    ("evaluation.evaluators.names", "_SOURCES"),
    ("games.match", "save"),
    ("games.match", "to_mat"),
    ("games.match", "to_sgf"),
}
"""Functions and tables that may import modules of higher layers when used."""
PART_2 = set(
    "games records evaluation analysis players learning"
    " cube environments evaluators matches rollouts training".split()
)
"""Packages and modules built on the generator; part 1 imports none of them."""
PART_1_COMMANDS = {"cli.plays", "cli.perft", "cli.crosscheck", "cli.suite"}
SOURCES = (".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h")
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?c?import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
MODULE_NAME = re.compile(r"(?:^|\b(?:from|import) )(?=bgfast\.)([\w.*]+)")
QUOTED_NAME = re.compile(r"""["'](bgfast\.[^"'\s]+)["']""")
INCLUDE = re.compile(r'^[ \t]*(?:include|#include|cdef extern from)[ \t]+"([^"]+)"', re.MULTILINE)


def sources(package: Path = PACKAGE) -> dict[Path, str]:
    """Return the module of each file of a package; files that differ only in their suffix are one module."""
    paths = sorted(path for path in package.rglob("*") if path.suffix in SOURCES)
    names = (".".join(path.relative_to(package).with_suffix("").parts) for path in paths)
    return {path: name.removesuffix(".__init__") for path, name in zip(paths, names, strict=True)}


def imports_of(path: Path, package: Path, files: Mapping[Path, str]) -> Iterator[str]:
    """Yield the modules of the package that a file imports, cimports or includes."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".py", ".pyi"):
        nodes = list(_nodes(ast.parse(text, str(path)), files[path]))
        text = "\n".join(ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
        named_modules = [name for node in nodes for name in MODULE_NAME.findall(_text(node))]
    else:
        for included in INCLUDE.findall(text):
            target = Path(os.path.normpath(path.parent / included))
            included_files = (
                [target] if target in files else [file for file in files if file.name == included]
            )
            yield from (files[file] for file in included_files)
        text = re.sub(r"#[^\n]*", "", text)
        named_modules = [re.sub(r"\{[^}]*\}", "*", name) for name in QUOTED_NAME.findall(text)]
    parent = ".".join(path.parent.relative_to(package.parent).parts)
    modules = {f"{package.name}.{name}": name for name in files.values()} | {package.name: "__init__"}
    for name in named_modules:
        pattern = re.compile(re.escape(name).replace(r"\*", r"\w*"))
        package_prefix = f"{package.name}.{package_of(files[path])}."
        matches = [full for full in modules if pattern.fullmatch(full)]
        yield from (modules[full] for full in matches if full == name or not full.startswith(package_prefix))
    for base, names in IMPORT.findall(text):
        for name, *_ in filter(None, map(str.split, names.strip("() ").split(","))):
            full = f"{resolve_name(base, parent)}.{name}" if base else name
            while full not in modules and "." in full:  # names imported from a module are rarely modules
                full = full.rpartition(".")[0]
            if full in modules:
                yield modules[full]


def _nodes(tree: ast.AST, module: str) -> Iterator[ast.AST]:
    """Yield the nodes of a module except docstrings, `LAZY_IMPORTERS`, and imports for type checkers."""
    for node in ast.iter_child_nodes(tree):
        targets = [node, *getattr(node, "targets", ())]
        names = {getattr(target, "id", getattr(target, "name", None)) for target in targets}
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        is_lazy_importer = any((module, name) in LAZY_IMPORTERS for name in names)
        if not (is_text or is_for_types or is_lazy_importer):
            yield node
            yield from () if isinstance(node, ast.JoinedStr) else _nodes(node, module)


def _text(node: ast.AST) -> str:
    """Return the text of a string, with a star for each expression in an f-string; else an empty text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "*" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def part_1(modules: Mapping[str, set[str]]) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the modules of part 1 with all that they import, and their imports from part 2."""
    seen = PART_1_COMMANDS & set(modules)
    seen |= {
        name for name in modules if name.partition(".")[0] not in {*PART_2, "cli", "__init__", "__main__"}
    }
    pending, forbidden = list(seen), set[tuple[str, str]]()
    while pending:
        name = pending.pop()
        part_2_imports = {imported for imported in modules[name] if imported.partition(".")[0] in PART_2}
        forbidden |= {(name, imported) for imported in part_2_imports}
        pending += modules[name] - part_2_imports - seen
        seen |= modules[name] - part_2_imports
    return seen, forbidden


def read_package(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Return the modules of a package by name, each with the modules of the package that it imports."""
    files = sources(package)
    modules = {name: set[str]() for name in files.values()}
    for path, name in files.items():
        modules[name].update({*imports_of(path, package, files)} - {name})
    return modules


@cache
def packages() -> list[str]:
    """Return packages and top-level modules in the order of docs/development/architecture.md."""
    text = (PACKAGE.parent / "docs" / "development" / "architecture.md").read_text(encoding="utf-8")
    diagram = text.partition("\n## Layers\n")[2].split("```")[1]
    names, parents = list[str](), list[str]()
    for spaces, name in re.findall(r"^( *)(\w+) {2,}\S", diagram, re.MULTILINE):
        parents = [*parents[: len(spaces) // 2], name]
        names.append(".".join(parents))
    return names


def package_of(name: str) -> str:
    """Return the innermost package of a module; a top-level module is its own package."""
    parents = [package for package in packages() if f"{name}.".startswith(f"{package}.")]
    if not parents:
        raise ValueError(f"{name!r} is in no package of docs/development/architecture.md")
    return max(parents, key=len)


def upward_imports(modules: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """Return forbidden imports as (importing, imported) modules."""
    imports = {(name, imported) for name in modules for imported in modules[name]}
    package_imports = {(package_of(name), package_of(imported)) for name, imported in imports}

    def is_forbidden(package: str, imported: str) -> bool:
        if imported.startswith(f"{package}.") or package.startswith(f"{imported}."):
            return (imported, package) in package_imports
        forbidden_packages = FORBIDDEN_IMPORTS.get(package.partition(".")[0], ())
        is_upward = packages().index(imported) < packages().index(package)
        return is_upward or imported.partition(".")[0] in forbidden_packages

    return {pair for pair in imports if is_forbidden(*map(package_of, pair))}


def names_of(files: Iterable[Path]) -> set[str]:
    """Return the names of modules; the Python, Cython and C files of a module share a name."""
    stems = {path.stem for path in files if path.suffix in SOURCES}
    return {stem.removeprefix("_") for stem in stems - {"__init__"}}


def rows(modules: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the lines of a table with one row per package."""
    yield f"{'package':<24}{'names':>6}{'files':>6}{'lines':>7}  imports"
    for package in packages():
        files = {path: name for path, name in sources().items() if package_of(name) == package}
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        imported = {package_of(module) for name in files.values() for module in modules[name]} - {package}
        names = " ".join(sorted(imported, key=packages().index)) or "-"
        yield f"{package:<24}{len(names_of(files)):6}{len(files):6}{lines:7}  {names}"


def size_of(names: set[str]) -> int:
    """Return the number of lines of modules."""
    files = [path for path, name in sources().items() if name in names]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
BATCH = (
    f"import bgfast, numpy; boards = numpy.array([{START}], numpy.int8)",
    "bgfast.successors(boards, [(3, 1)])",
)
COMPILED_FILES = ("batch/_successors", "common/_threads", "core/generator/generator", "core/generator/x86_v3")
PATHS = {
    "typed position to plays": (
        ("from bgfast.cli.main import main", "main(['plays', '4HPwATDgc/ABMA', '31'])"),
        (),
    ),
    "batch call to arrays": (BATCH, [f"{name}.pyx" for name in COMPILED_FILES]),
}
"""Preparation and call of each path, and its compiled sources, which a profile does not show."""
IMPORT_PROGRAMS = {
    "Position.plays": "from bgfast import Position; Position.start().plays((3, 1))",
    "successors": "; ".join(BATCH),
}
PROFILER = """
import contextlib, io, sys
{prepare}
entered = {{}}
def enter(frame, event, argument):
    name = frame.f_code.co_filename
    if event == "call" and name.startswith({package!r}):
        outer = frame
        while outer.f_code.co_name != "<module>":
            outer = outer.f_back
        if outer.f_globals["__name__"] == "__main__":
            entered[name[len({package!r}) :].replace(chr(92), "/")] = None
with contextlib.redirect_stdout(io.StringIO()):
    sys.setprofile(enter)
    {call}
    sys.setprofile(None)
print(*entered)
"""


def _output(code: str) -> list[str]:
    """Return the words that a new process prints."""
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return run.stdout.split()


def files_entered(path: str) -> list[str]:
    """Return the bgfast files whose functions run in one of `PATHS`, in the order of their first calls."""
    (prepare, call), compiled = PATHS[path]
    return [*_output(PROFILER.format(prepare=prepare, call=call, package=f"{PACKAGE}{os.sep}")), *compiled]


def modules_loaded(name: str) -> list[str]:
    """Return the modules of bgfast that one of `IMPORT_PROGRAMS` imports in a new process."""
    names = "name for name in sys.modules if name.partition('.')[0] == 'bgfast'"
    return _output(f"import sys; {IMPORT_PROGRAMS[name]}; print(*sorted({names}))")


if __name__ == "__main__":
    modules_of_part_1 = part_1(read_package())[0]
    print(f"part 1, with its commands: {size_of(modules_of_part_1):,} lines")
    print(f"part 2: {size_of(set(sources().values()) - modules_of_part_1):,} lines\n")
    print(*rows(read_package()), sep="\n")
    for path in PATHS:
        print(f"\n{path}: {len(files_entered(path))} files\n  " + " ".join(files_entered(path)))
    for name in IMPORT_PROGRAMS:
        print(f"\n{name}: {len(modules_loaded(name))} modules\n  " + " ".join(modules_loaded(name)))
