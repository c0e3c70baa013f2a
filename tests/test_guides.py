"""Guides, run word for word, and programs on other pages that need optional packages."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bgfast
from tests.support.matches import finished_match
from tests.support.onnx_models import model
from tests.support.pages import (
    GUIDES,
    PAGES,
    ROOT,
    all_blocks,
    blocks,
    output_matches,
    page_text,
    run_examples,
    transcript,
)

SET_UP_PAGE = ROOT / "docs" / "guides" / "set_up.md"
SET_UP = (
    "python3 -m venv venv && . venv/bin/activate\npip install .\nmkdir -p ../bgfast-try && cd ../bgfast-try\n"
)
EXTRAS = re.compile(r"pip install '\.\[([\w,-]+)\]'")
PACKAGES = {"anki": "genanki", "gnubg-nn": "gnubg_nn", "plot": "matplotlib"}
COMMAND = "import sys\nfrom bgfast.cli.main import main\nsys.exit(main())\n"


def require(package: str) -> None:
    pytest.importorskip(package, reason=f"NOT INSTALLED: {package}, so some of the documentation was not run")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a working folder in which `python` and `bgfast` run the tested installation."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "command.py").write_text(COMMAND, encoding="utf-8")
    for name, arguments in (("python", ""), ("bgfast", f"'{programs / 'command.py'}'")):
        program = programs / name
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' {arguments} \"$@\"\n", encoding="utf-8")
        program.chmod(0o755)
    package_parent = Path(bgfast.__file__).parents[1]
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(package_parent), prepend=os.pathsep)
    path = tmp_path / "bgfast-try"
    path.mkdir()
    monkeypatch.chdir(path)
    monkeypatch.syspath_prepend(str(path))
    yield path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(path)):
            del sys.modules[name]


def run_command(command: str, expected: str) -> None:
    completed = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    assert output_matches(completed.stdout, expected), completed.stdout


def apply_diff(folder: Path, diff: str) -> None:
    """Apply a diff of one line, which occurs once, in exactly one file."""
    old, new = re.fullmatch(r"-(.*)\n\+(.*)\n", diff).groups()
    (file,) = (file for file in folder.iterdir() if file.suffix == ".py" and old in file.read_text("utf-8"))
    lines = file.read_text("utf-8").split("\n")
    assert lines.count(old) == 1
    file.write_text("\n".join(new if line == old else line for line in lines), encoding="utf-8")


SLOW_GUIDES = ("engine_author", "trainer", "saved_match")
"""Slow guides, which train a network, query engines hundreds of times, or analyse a match."""


def test_the_set_up_page_has_the_expected_commands() -> None:
    assert all_blocks(SET_UP_PAGE) == [("sh", SET_UP)]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if page.stem in SLOW_GUIDES else [])
        for page in GUIDES
        if page != SET_UP_PAGE
    ],
    ids=lambda page: page.stem,
)
def test_a_guide_runs_word_for_word(page: Path, folder: Path) -> None:
    if shutil.which("bash") is None:
        pytest.skip("NOT INSTALLED: bash, so the guides were not run")
    set_up = page_text(page).split("\n## Set-up\n")[1].split("\n## ")[0]
    assert "](set_up.md)" in set_up
    extras = EXTRAS.search(set_up)
    for extra in extras[1].split(",") if extras else ():
        require(PACKAGES[extra])
    names: dict[str, object] = {}
    for language, text in all_blocks(page):
        file = re.match(r"# (\w+\.py)\n", text)
        if language == "python" and file:
            (folder / file[1]).write_text(text, encoding="utf-8")
        elif language == "python":
            assert text.startswith(">>> ")
            run_examples(text, page.name, names)
        elif language == "console":
            for command, output in transcript(text):
                run_command(command, output)
        elif language == "diff":
            apply_diff(folder, text)
        else:
            assert language == "text", f"nothing runs {language!r}"


# ---- other pages ----


def program(page: str, part: str) -> str:
    """Return the only program on a page whose code contains `part`."""
    (code,) = (text for text in blocks(ROOT / "docs" / page, "python") if ">>>" not in text and part in text)
    return code


def test_all_programs_of_pages_are_listed() -> None:
    results = [
        page.name
        for page in PAGES
        if page not in GUIDES
        for text in blocks(page, "python")
        if ">>>" not in text
    ]
    # test_capi.py runs the program of C_API.md; the programs of PYTORCH.md need PyTorch.
    assert results == [
        *["ANALYSIS.md"] * 2,
        "C_API.md",
        "MATCH_ANALYSIS.md",
        *["PYTORCH.md"] * 2,
        "ROLLOUTS.md",
    ]


def test_the_rollout_with_gnubg_nn_finds_the_best_play(monkeypatch: pytest.MonkeyPatch) -> None:
    require("gnubg_nn")
    monkeypatch.setattr(bgfast, "rollout", functools.partial(bgfast.rollout, trials=2, truncate=1))
    names: dict[str, object] = {"bgfast": bgfast}
    exec(program("ANALYSIS.md", 'rollout("start"'), names)
    assert names["result"].best.name == "8/5 6/5"


def test_a_network_from_a_file_evaluates_boards(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(model(("n", 5), "Sigmoid")[0])
    names: dict[str, object] = {"bgfast": bgfast}
    exec(program("ANALYSIS.md", "model.onnx"), names)
    assert names["evaluator"](bgfast.Position.start().to_array()[None]).shape == (1, 5)


def test_a_rollout_on_a_cluster_runs_all_trials() -> None:
    require("gnubg_nn")
    require("distributed")
    from distributed import LocalCluster

    text = program("ROLLOUTS.md", "distributed").replace("12960", "36, truncate=1")
    names: dict[str, object] = {"bgfast": bgfast, "position": bgfast.Position.start()}
    with LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50) as cluster:
        exec(text.replace("tcp://scheduler:8786", cluster.scheduler_address), names)
    assert names["result"].trials == 36


def test_printed_prs_by_phase_equal_the_analysis(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    require("pandas")
    (folder / "matches").mkdir()
    match = finished_match(4, ("Ann", "Bob"), length=2)
    match.save(folder / "matches" / "1.mat")
    exec(program("MATCH_ANALYSIS.md", "analyse_matches"), {})
    printed_prs = re.findall(r"[\d.]+", capsys.readouterr().out)
    phases = bgfast.analyse_match(match).phases
    prs = [phases[phase][side].pr for side in (0, 1) for phase in sorted(phases)]
    expected = [pr for pr in prs if pr is not None]
    assert [float(number) for number in printed_prs] == pytest.approx(expected, abs=1e-5)
