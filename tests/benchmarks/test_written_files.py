"""Files of the benchmarks are replaced atomically, through links."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import make_positions
from benchmarks.peers import compare
from benchmarks.positions import Sample
from benchmarks.speed import make_counts
from benchmarks.tables import perft_table, threads_table


@pytest.fixture
def make_link(tmp_path: Path) -> Callable[[str], Path]:
    """Yield a function that creates a file and a link to it; check that no other file appears."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here").mkdir()
    links: list[Path] = []

    def link(name: str, text: str = "old") -> Path:
        target = tmp_path / "elsewhere" / name
        target.write_text(text)
        target.chmod(0o640)
        path = tmp_path / "here" / name
        path.symlink_to(target)
        links.append(path)
        return path

    yield link
    for path in links:
        assert path.is_symlink()
        assert path.stat().st_mode & 0o777 == 0o640
    names = sorted(path.name for path in links)
    for folder in ("here", "elsewhere"):
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == names


def test_counts_are_replaced(make_link: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_link("counts.json")
    monkeypatch.setattr(make_counts, "COUNTS_FILE", file)
    monkeypatch.setattr(make_counts, "counts", lambda set_name: [[1, 2]])
    assert make_counts.main() == 0
    assert file.read_text().startswith('{\n"opening": [\n[1,2]\n],\n"contact": [')


def test_positions_are_replaced(make_link: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    files = [make_link(f"{name}.txt") for name in make_positions.HEADS]
    monkeypatch.setattr(make_positions, "DATA", files[0].parent)
    sample = Sample("4HPwATDgc/ABMA", 3, 5)
    monkeypatch.setattr(make_positions, "game_samples", lambda: {"contact": [sample], "race": [sample]})
    for name in ("hard", "opening", "bearoff"):
        monkeypatch.setattr(make_positions, f"{name}_samples", lambda: [sample])
    assert make_positions.main() == 0
    for file in files:
        head, *lines = file.read_text().splitlines()
        assert (head[:2], lines) == ("# ", ["4HPwATDgc/ABMA 3 5"])


def test_perft_table_is_replaced(make_link: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_link("perft.json")
    page = make_link("SUITE.md", f"{perft_table.BLOCK.begin}\n{perft_table.BLOCK.end}\n")
    monkeypatch.setattr(perft_table, "BLOCK", perft_table.BLOCK._replace(page=page.name))
    monkeypatch.setattr(perft_table, "DATA", file)
    monkeypatch.setattr(perft_table, "count", lambda threads: {"rows": []})
    assert perft_table.main(["--count", "--root", str(page.parent)]) == 0
    assert file.read_text() == '{\n "rows": []\n}\n'
    assert "| position | depth |" in page.read_text()


def test_threads_table_is_replaced(make_link: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_link("threads.json")
    page = make_link("PERFORMANCE.md", f"{threads_table.BLOCK.begin}\n{threads_table.BLOCK.end}\n")
    monkeypatch.setattr(threads_table, "BLOCK", threads_table.BLOCK._replace(page=page.name))
    monkeypatch.setattr(threads_table, "DATA", file)
    monkeypatch.setattr(threads_table, "SIZES", (100, 3000))
    monkeypatch.setattr(threads_table, "MIN_SECONDS", 0.0001)
    assert threads_table.main(["--measure", "--root", str(page.parent)]) == 0
    assert len(json.loads(file.read_text())["rows"]) == 6
    assert "| 3,000 | " in page.read_text()
    assert threads_table.main(["--check", "--root", str(page.parent)]) == 0


def test_comparison_is_replaced(make_link: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    results_file = make_link("results.json")
    result: dict[str, Any] = {"correctness": []}
    monkeypatch.setattr(compare, "compare_engines", lambda *arguments: result)
    monkeypatch.setattr(compare, "long_table", lambda result: "")
    monkeypatch.setattr(compare, "ratios_table", lambda result: "")
    assert compare.main(["--json", str(results_file)]) == 0
    assert results_file.read_text() == '{\n "correctness": []\n}\n'
