"""Examples in docstrings and on pages, and the commands, files and links that the pages name."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import io
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bgfast
from bgfast.cli.main import COMMANDS, main
from bgfast.cli.players import load_evaluator
from bgfast.common.foreign_names import ForeignName
from bgfast.evaluation.evaluators.lookahead import Lookahead
from tests.support.environments import environments
from tests.support.pages import (
    DEV_PAGES,
    GUIDES,
    PAGES,
    README,
    ROOT,
    SITE_PAGES,
    all_blocks,
    blocks,
    output_matches,
    page_text,
    run_examples,
    text_without_blocks,
    transcript,
)

ENVIRONMENTS = ("bgfast.environments", "bgfast.learning.environments.")
"""Prefixes of the modules that import optional packages."""
EXCLUDED_PREFIXES = () if all(map(importlib.util.find_spec, ("gymnasium", "pettingzoo"))) else ENVIRONMENTS
MODULES = [
    module.name
    for module in pkgutil.walk_packages(bgfast.__path__, "bgfast.")
    # `gnubg_inside` runs only in GNU Backgammon, which has the module `gnubg`.
    if module.name not in ("bgfast.__main__", "bgfast.conformance.gnubg_inside")
    and not module.name.startswith(EXCLUDED_PREFIXES)
]


def docstrings() -> dict[str, str]:
    """Return all docstrings by name; doctest does not find the docstrings of compiled classes."""
    results = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for key, value in vars(module).items():
            if getattr(value, "__module__", name) != name or not (inspect.isclass(value) or callable(value)):
                continue
            results[f"{name}.{key}"] = inspect.getdoc(value) or ""
            if inspect.isclass(value):
                for member, function in vars(value).items():
                    function = getattr(function, "__func__", function)
                    if callable(function) or isinstance(function, property):
                        results[f"{name}.{key}.{member}"] = inspect.getdoc(function) or ""
    return results


DOCSTRINGS = docstrings()
EXAMPLES = {name: text for name, text in DOCSTRINGS.items() if ">>>" in text}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_a_docstring_run(name: str) -> None:
    module = next(module for module in sorted(MODULES, key=len, reverse=True) if name.startswith(module))
    run_examples(EXAMPLES[name], name, dict(vars(importlib.import_module(module))))


def test_the_environments_have_examples() -> None:
    public = environments("the examples of its docstrings were not run")
    objects = [getattr(public, name) for name in public.__all__ if not name.isupper() and name != "raw_env"]
    assert {f"{item.__module__}.{item.__name__}" for item in objects} <= set(EXAMPLES)


def test_every_public_function_and_class_has_an_example() -> None:
    public = [getattr(bgfast, name) for name in bgfast.__all__]
    public = [item for item in public if inspect.isclass(item) or callable(item)]
    public = [item for item in public if not (inspect.isclass(item) and issubclass(item, Exception))]
    members = [
        getattr(item, name)
        for item in (bgfast.Position, *bgfast.Game.__mro__[:2], bgfast.Match)
        for name, member in vars(item).items()
        if not name.startswith("_") and not isinstance(member, ForeignName) and callable(getattr(item, name))
    ]
    names_without_example = [item.__name__ for item in public + members if ">>>" not in (item.__doc__ or "")]
    # These tuples appear in the examples of the functions that return them.
    assert set(names_without_example) == {"Move", "NextMoves"}


# ---- blocks of pages ----


def examples(page: Path) -> str:
    """Return the doctests of a page; its blocks share a namespace."""
    return "\n".join(block for block in blocks(page, "python") if ">>>" in block)


@pytest.mark.parametrize(
    "page",
    [
        # HYPERGAMMON.md solves the game with two checkers.
        pytest.param(page, marks=[pytest.mark.slow] * (page.name == "HYPERGAMMON.md"), id=page.name)
        for page in PAGES
        if page not in GUIDES and examples(page)
    ],
)
def test_python_examples_of_a_page_run(page: Path) -> None:
    if ENVIRONMENTS[0] in examples(page):
        environments(f"the examples of {page.name} were not run")
    run_examples(examples(page), page.name, {})


API_PAGES = sorted((ROOT / "docs" / "api").glob("*.rst"))


@pytest.mark.parametrize("page", API_PAGES, ids=lambda page: page.stem)
def test_python_examples_of_a_reference_page_run(page: Path) -> None:
    text = page_text(page)
    assert ">>>" in text or page.stem == "index"
    run_examples(text, page.name, {})


def test_all_examples_are_run() -> None:
    other_prompts = {"C_API.md": 5}  # these need the module that tests/test_capi.py builds and tests
    for page in PAGES:
        prompts = len(re.findall(r"^\s*>>> ", page_text(page), re.MULTILINE))
        assert prompts == examples(page).count(">>> ") + other_prompts.get(page.name, 0), page.name


# test_guides.py runs the blocks of guides and programs that need optional packages; test_capi.py runs cython
# and pycon. For sh, which .ci/run runs, this file checks only the options. The last four contain no code.
LANGUAGES = {"python", "console", "diff", "cython", "pycon", "sh", "text", "json", "", "{toctree}"}


def test_all_block_languages_are_known() -> None:
    assert {language for page in PAGES for language, _ in all_blocks(page)} <= LANGUAGES


class Keyboard(io.StringIO):
    """Standard input that echoes each line."""

    def readline(self, size: int | None = -1, /) -> str:
        line = super().readline(size)
        print(line, end="")
        return line


def transcripts() -> Iterator[list[tuple[str, str]]]:
    """Yield the commands of each console block with their output; typed input follows ` > `."""
    for page in PAGES:
        for block in blocks(page, "console") if page not in GUIDES else []:
            yield transcript(block)


LONG_COMMAND = re.compile(r"bgfast (bench|train|contest|rollout(?!.*--trials))")


@pytest.mark.parametrize(
    "commands",
    [
        pytest.param(
            commands,
            id=commands[0][0],
            marks=[pytest.mark.slow] if any(LONG_COMMAND.match(command) for command, _ in commands) else [],
        )
        for commands in transcripts()
    ],
)
def test_commands_print_the_output_on_the_page(
    commands: list[tuple[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)  # commands may write files
    for command, expected in commands:
        typed_lines = re.findall(r"^.* > (.*\n)", expected, re.MULTILINE)
        monkeypatch.setattr(sys, "stdin", Keyboard("".join(typed_lines)))
        program, *arguments = shlex.split(command)
        assert program == "bgfast"
        assert main(arguments) == 0
        output = capsys.readouterr().out
        assert output_matches(output, expected), output


# ---- names on pages ----


Help = Callable[[str], str | None]


@pytest.fixture
def help_of(capsys: pytest.CaptureFixture[str]) -> Help:
    def help_of(command: str) -> str | None:
        """Return the help of a command, or the general help without one; None for an unknown command."""
        status = main([*command.split(), "--help"])
        output = capsys.readouterr().out
        return output if status == 0 else None

    return help_of


def code_of(page: Path) -> list[str]:
    """Return the shell lines and the inline code of a page."""
    lines = [
        line.removeprefix("$ ") for block in blocks(page, "sh", "console") for line in block.splitlines()
    ]
    return lines + [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text_without_blocks(page))]


def options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def test_every_command_and_option_on_a_page_exists(help_of: Help) -> None:
    commands = set()
    for page in PAGES + DEV_PAGES:
        for code in code_of(page):
            invocation = re.match(r"(?:.*&& )?bgfast (?:(suite (?:run|export)|[a-z]+)(?!\S))?(.*)", code)
            if invocation:
                command = invocation[1] or "analyse"
                text = help_of(command)
                assert text is not None, f"{page.name}: {code}"
                assert options(invocation[2]) <= options(text), f"{page.name}: {code}"
                commands.add(command)
    known_options = options(" ".join(help_of(command) or "" for command in commands))
    for page in PAGES:
        page_options = {option for code in code_of(page) if code.startswith("--") for option in options(code)}
        assert page_options <= known_options, page.name


def test_every_command_has_a_section() -> None:
    sections = re.findall(r"^## (.*)", page_text(ROOT / "docs" / "COMMAND_LINE.md"), re.MULTILINE)
    documented = {name for section in sections for name in re.findall(r"`bgfast ([a-z]+)", section)}
    assert documented == set(COMMANDS)


def test_every_module_run_on_a_page_exists() -> None:
    page_modules = {
        (page.name, name)
        for page in PAGES + DEV_PAGES
        for code in code_of(page)
        # Modules of other packages exist only if these are installed.
        for name in re.findall(r"python3? -m ((?:bgfast|tests|benchmarks)\b[\w.]*)", code)
    }
    assert len(page_modules) > 3
    assert [pair for pair in sorted(page_modules) if importlib.util.find_spec(pair[1]) is None] == []


needs_clone = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="pages name files that are not part of a wheel"
)


@needs_clone
def test_every_file_named_on_a_page_exists() -> None:
    page_files = {
        (page.name, path)
        for page in PAGES + DEV_PAGES
        for code in code_of(page)
        for path in re.findall(r"(?<![\w./])(?:bgfast|benchmarks|docs|examples|tests|\.ci)/[\w./-]*", code)
    }
    assert len(page_files) > 10
    # Gymnasium's environment IDs are not paths.
    page_files -= {("ENVIRONMENTS.md", f"bgfast/{name}-v0") for name in ("Backgammon", "BackgammonMatch")}
    assert [pair for pair in sorted(page_files) if not (ROOT / pair[1]).exists()] == []


def links_of(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text_without_blocks(page))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", text_without_blocks(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@needs_clone
def test_links_are_valid() -> None:
    def is_valid(page: Path, link: str) -> bool:
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        exists = target.is_relative_to(ROOT.resolve()) and target.exists()
        return exists and (not anchor or anchor in anchors(target))

    links = [(page, link) for page in PAGES + DEV_PAGES for link in links_of(page) if link[:8] != "https://"]
    assert [pair for pair in links if not is_valid(*pair)] == []


@needs_clone
def test_pages_are_reachable_from_the_readme() -> None:
    pages = [README.resolve()]
    for page in pages:
        targets = {(page.parent / link.partition("#")[0]).resolve() for link in links_of(page)}
        pages += sorted(file for file in targets.difference(pages) if file.suffix == ".md" and file.exists())
    assert {page.resolve() for page in PAGES + DEV_PAGES if page not in SITE_PAGES} <= set(pages)


# ---- the site ----


def test_every_public_name_has_an_entry_on_the_site() -> None:
    entries = set()
    for page in (ROOT / "docs" / "api").glob("*.rst"):
        prefix = "bgfast."
        for directive, name in re.findall(r"^\.\. ([\w:]+):: ([\w.]+)$", page_text(page), re.MULTILINE):
            if directive in ("currentmodule", "automodule"):
                prefix = f"{name}."
            entries.add(name if directive == "automodule" else prefix + name)
    public = {f"bgfast.{name}" for name in bgfast.__all__}
    public |= {f"bgfast.evaluators.{name}" for name in bgfast.evaluators.__all__}
    assert public <= entries


@needs_clone
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_parser", "numpydoc", "furo"):
        pytest.importorskip(package, reason=f"NOT INSTALLED: {package}, so the site was not built")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    completed = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", tmp_path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert (completed.returncode, completed.stdout) == (0, "")
    quick_start = (tmp_path / "site" / "quick_start.html").read_text(encoding="utf-8")
    assert 'id="install"' in quick_start  # inserted from the README
    assert 'id="examples"' in quick_start
    assert 'href="../BOARD.html' in (tmp_path / "guides" / "board.html").read_text(encoding="utf-8")
    assert 'id="bgfast.Position.next_moves"' in (tmp_path / "api" / "positions.html").read_text("utf-8")


# ---- the README ----


def test_the_readme_is_short() -> None:
    assert len(page_text(README).splitlines()) <= 110
    assert len(links_of(README)) <= 25


def test_the_first_screen_of_the_readme_shows_the_best_plays() -> None:
    first_screen = page_text(README).split("\n## ")[0]
    assert "](docs/pictures/play.svg)" in first_screen  # drawn by tests/games/test_svg.py
    best, second, *rest = Lookahead(load_evaluator("builtin")).best_plays(bgfast.Decision.read("start 31"))
    assert (
        f"`bgfast 31` ranks the {2 + len(rest)} plays of this roll and prints the best five: "
        f"first `{best.play}` with an equity of {best.equity:+.4f}, "
        f"then `{second.play}` with {second.equity:+.4f}."
    ) in first_screen


def test_figures_of_the_readme_equal_the_benchmarks() -> None:
    comparison = json.loads((ROOT / "benchmarks/data/comparison.json").read_text("utf-8"))
    entries = [entry for entry in comparison["correctness"] if entry["engine"] == "bgfast"]
    cases, errors = (sum(entry[key] for entry in entries) for key in ("cases", "disagreements"))
    contact, stream, *_ = comparison["ratios"]
    best, median = (sorted(ratio[key] for ratio in (contact, stream)) for key in ("best", "median"))
    assert (
        "The move generator agrees with a slow reference implementation "
        f"in {cases - errors:,} of {cases:,} cases (positions with a roll). "
        f"In batches it is {best[0]:.0f} to {best[1]:.0f} times as fast as gnubg-nn, "
        f"which takes one position per call ([best of 7 runs; medians {median[0]:.0f} to {median[1]:.0f}]"
    ) in page_text(README).splitlines()[4]


def test_the_picture_of_the_board_is_the_start() -> None:
    (picture,) = (block for block in blocks(ROOT / "docs" / "BOARD.md", "text") if "index" in block)
    rows = {"index": [], "number": []}
    for line in picture.splitlines():
        label = line.split()[0] if line.strip() else ""
        if label in rows:
            rows[label].append(re.findall(r"-?\d+", line)[:13])
    checkers = {
        int(index): int(number)
        for indices, numbers in zip(rows["index"], rows["number"], strict=True)
        for index, number in zip(indices, numbers, strict=True)
    }
    assert [checkers[index] for index in range(26)] == bgfast.Position.start().to_array().tolist()


def test_readme_has_exactly_two_installation_commands() -> None:
    section = page_text(README).split("## Install")[1].split("\n## ")[0]
    commands = re.findall(r"```sh\n(.*?)\n```", section, re.DOTALL)
    assert len(commands) == 2
    assert all("\n" not in command for command in commands)


# ---- the package ----


def test_metadata_and_changelog_have_the_version() -> None:
    assert importlib.metadata.version("bgfast") == bgfast.__version__
    assert f"## {bgfast.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
