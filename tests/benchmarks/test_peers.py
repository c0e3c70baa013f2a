"""Comparisons with other engines and environments: wrong results, missing packages, reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import bgfast
from benchmarks.peers import compare as compare_engines
from benchmarks.peers import environments as compare_environments
from benchmarks.peers import ratios, workloads
from benchmarks.peers.compare import Settings
from benchmarks.peers.correctness import ReferenceCache, compare
from benchmarks.peers.engines import ADAPTERS, Board, Case, Engine, UnreachableError, load_engines
from benchmarks.peers.engines.bgfast_plays import Adapter
from benchmarks.positions import SETS, play_game, read_samples
from benchmarks.tables import speed_table
from benchmarks.tables.generated_block import ROOT
from bgfast.common.machine import Task, Timing, interleave
from bgfast.errors import WrongCountError
from tests.support.command_line import Capture
from tests.support.environments import environments

TINY_SETTINGS = Settings(
    contact=1, race=1, hard=1, check_divisor=1_000_000, timed=2, timed_race=2, stream=200,
    stream_for_engines=20, threads=200, cost=2000, repetitions=2, min_seconds=0.0,
)  # fmt: skip


class FaultyAdapter(Adapter):
    """Adapter of bgfast whose lists of successors are changed by `spoil`."""

    name = "spoilt"

    def __init__(self, spoil: Callable[[list[Board]], list[Board]]) -> None:
        self.spoil = spoil

    def successors(self, case: Case) -> list[Board]:
        return self.spoil(super().successors(case))


@pytest.fixture(scope="module")
def result() -> dict[str, Any]:
    perft = cache(bgfast.perft)
    with pytest.MonkeyPatch.context() as patch:
        # The cache ignores options: the tests of perft prove that all ways of counting agree.
        patch.setattr(bgfast, "perft", lambda position, depth, **options: perft(position, depth))
        comparison = compare_engines.compare_engines(["bgfast"], TINY_SETTINGS)
    return dict(json.loads(json.dumps(comparison)))


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters_return_the_legal_successors(name: str) -> None:
    engines, missing = load_engines([name])
    if missing:
        pytest.skip(f"{name} is NOT INSTALLED, so its adapter is not tested: {missing[0].reason}")
    engine: Engine = engines[0]
    samples = read_samples("contact", 1)
    verdict = compare(engine, "contact", samples, ReferenceCache())
    assert (verdict["cases"], verdict["disagreements"], verdict["example"]) == (21, 0, None)
    work = engine.workload(samples[0].cases())
    assert work() == work() > 0
    assert engine.name == name
    assert engine.version
    if not engine.capabilities.positions:
        with pytest.raises(UnreachableError):
            engine.successors(read_samples("hard", 1)[0].cases()[0])


def test_faults_of_an_engine_are_counted() -> None:
    samples = read_samples("contact", 3)
    passes = int((bgfast.count_successors([s.board for s in samples], "all") == 0).sum())
    for spoil, fault, count in (
        (lambda rows: rows[1:], "missing", 63 - passes),
        (lambda rows: [*rows, (0,) * 26], "illegal", 63),
        (lambda rows: [*rows, *rows[:1]], "repeated", 63 - passes),
    ):
        verdict = compare(FaultyAdapter(spoil), "contact", samples, ReferenceCache())
        assert verdict["cases"] == 63
        faults = {name: verdict[name] for name in ("missing", "illegal", "repeated")}
        assert faults == {"missing": 0, "illegal": 0, "repeated": 0} | {fault: count}
        assert verdict["disagreements"] == (0 if fault == "repeated" else count)
        assert bool(verdict["example"]) is (fault != "repeated")


def test_failures_and_unreachable_cases_are_counted() -> None:
    def fail_with(error: Exception) -> Callable[[list[Board]], list[Board]]:
        def fail(rows: list[Board]) -> list[Board]:
            raise error

        return fail

    samples = read_samples("hard", 2)
    verdict = compare(FaultyAdapter(fail_with(RuntimeError("no"))), "hard", samples, ReferenceCache())
    assert (verdict["cases"], verdict["disagreements"], verdict["errors"]) == (42, 42, 42)
    assert "RuntimeError: no" in str(verdict["example"])
    verdict = compare(FaultyAdapter(fail_with(UnreachableError())), "hard", samples, ReferenceCache())
    assert (verdict["cases"], verdict["disagreements"], verdict["unreachable"]) == (0, 0, 42)


def test_missing_engines_have_no_speeds(monkeypatch: pytest.MonkeyPatch, result: dict[str, Any]) -> None:
    monkeypatch.setitem(ADAPTERS, "absent", "absent")
    engines, missing = load_engines(["bgfast", "absent"])
    assert [engine.name for engine in engines] == ["bgfast"]
    assert [engine.name for engine in missing] == ["absent"]
    speeds = {**result, "missing": [{"name": "absent", "reason": missing[0].reason}]}
    (row,) = (line for line in speed_table.long_table(speeds).splitlines() if "absent" in line)
    assert "not measured" in row
    assert "0" not in row


def test_short_table_omits_engines_with_another_unit(result: dict[str, Any]) -> None:
    (engine,) = result["engines"]
    second = {**engine, "name": "other"}
    speeds = {**result, "engines": [engine, second, {**engine, "name": "actor", "unit": "actions"}]}
    names = re.findall(r"^\| (\w+) ", speed_table.short_table(speeds), re.MULTILINE)
    assert names == ["called", "bgfast", "bgfast", "other"]


def test_json_has_all_results(result: dict[str, Any]) -> None:
    keys = "format quick machine settings engines missing correctness speed ratios"
    assert set(result) == set(keys.split())
    machine_keys = "cpu cores system compiler python numpy cython bgfast build"
    assert set(machine_keys.split()) <= set(result["machine"])
    assert [entry["set"] for entry in result["correctness"]] == list(SETS)
    assert all(entry["cases"] and not entry["disagreements"] for entry in result["correctness"])
    assert {entry["workload"] for entry in result["speed"]} == set(workloads.NAMES)
    assert all(entry["median_seconds"] >= entry["best_seconds"] > 0 for entry in result["speed"])
    assert len(result["ratios"]) == len(ratios.RATIOS)
    assert result["ratios"][0]["best"] is result["ratios"][0]["median"] is None  # no ratio without gnubg-nn
    rows = [row.split(" | ") for row in speed_table.short_table(result).splitlines() if "| bgfast" in row]
    names = (f"| bgfast {bgfast.__version__}, `{name}`" for name in ("bgfast.successors", "Position.plays"))
    assert [row[0] for row in rows] == list(names)
    assert all(row[1] == "0 of 63" and "not measured" not in row for row in rows)


def test_ratios_compare_the_subject_with_the_base() -> None:
    def make_timing(side: ratios.Side, seconds: Sequence[float]) -> Timing:
        task = Task(side.workload, side.engine, side.what or "plain", "successors", 10, lambda: 1000)
        return Timing(task, 1000, list(seconds))

    for index, ratio in enumerate(ratios.RATIOS):
        timings = [make_timing(ratio.subject, [1, 2, 2]), make_timing(ratio.base, [10, 10, 10])]
        actual = ratios.measure_ratios(timings)[index]
        assert (actual["best"], actual["median"]) == pytest.approx((0.1, 0.2) if ratio.is_cost else (10, 5))


def test_wrong_and_changing_counts_are_refused() -> None:
    counts = iter(range(100))
    with pytest.raises(WrongCountError, match="shifty"):
        interleave([Task("w", "e", "shifty", "u", 1, lambda: next(counts))], 2, 0.0, print)
    with pytest.raises(WrongCountError, match="w, short: 446 successors; expected 447"):
        interleave([Task("w", "e", "short", "successors", 1, lambda: 446, 447)], 1, 0.0, print)


def test_samples_are_positions_of_the_games() -> None:
    samples = {name: read_samples(name, 1_000_000) for name in SETS}
    assert [len(samples[name]) for name in SETS] == [2000, 1000, 1000]
    for name, phases in (("contact", {"contact"}), ("race", {"race", "bearoff"})):
        assert {bgfast.Position.from_gnubg_id(s.position_id).phase for s in samples[name]} == phases
    games: dict[int, list[Board]] = {}
    for sample in (*samples["contact"][:40], *samples["race"][:20]):
        if sample.game not in games:
            games[sample.game] = [board for board, _ in play_game(sample.game)]
        assert games[sample.game][sample.ply] == sample.board


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, Path]:
    """Copies of the pages with speed tables, by their path in the repository."""
    (tmp_path / "docs").mkdir()
    files = {}
    for page in ("README.md", "docs/PERFORMANCE.md"):
        files[page] = tmp_path / page
        files[page].write_text((ROOT / page).read_text(encoding="utf-8"), encoding="utf-8")
    return files


def outside_tables(content: str) -> str:
    return re.sub(r"(<!-- [^>]*: begin; [^>]*-->).*?(<!-- )", r"\1\2", content, flags=re.DOTALL)


def test_check_finds_changed_tables(tmp_path: Path, pages: dict[str, Path], result: dict[str, Any]) -> None:
    results_file = tmp_path / "comparison.json"
    results_file.write_text(json.dumps(result), encoding="utf-8")
    arguments = [str(results_file), "--root", str(tmp_path)]
    assert speed_table.main([*arguments, "--check"]) == 1
    assert speed_table.main(arguments) == 0
    for block in (speed_table.SHORT_BLOCK, speed_table.LONG_BLOCK, speed_table.RATIOS_BLOCK):
        assert speed_table.main([*arguments, "--check"]) == 0
        page = pages[block.page]
        content = page.read_text(encoding="utf-8")
        assert outside_tables(content) == outside_tables((ROOT / block.page).read_text(encoding="utf-8"))
        block_text = content.split(block.begin)[1].split(block.end)[0]
        assert speed_table.speed_texts(result)[block] == block_text.strip()
        page.write_text(content.replace(block.end, f"old\n{block.end}"), encoding="utf-8")
        assert speed_table.main([*arguments, "--check"]) == 1
        page.write_text(content, encoding="utf-8")


def test_unsuitable_results_and_pages_are_refused(
    tmp_path: Path, pages: dict[str, Path], result: dict[str, Any], capsys: Capture
) -> None:
    results_file, page = tmp_path / "comparison.json", pages["docs/PERFORMANCE.md"]
    results_file.write_text(json.dumps({**result, "quick": True}), encoding="utf-8")
    page.write_text("nothing", encoding="utf-8")
    readme = pages["README.md"].read_text(encoding="utf-8")
    arguments = [str(results_file), "--root", str(tmp_path)]
    assert speed_table.main(arguments) == 2
    assert "short run" in capsys.readouterr().err
    results_file.write_text(json.dumps(result), encoding="utf-8")
    assert speed_table.main(arguments) == 2
    assert "docs/PERFORMANCE.md must have each marker" in capsys.readouterr().err
    assert speed_table.main([str(tmp_path / "none.json"), "--check"]) == 2
    # No table is written unless all tables can be written.
    assert page.read_text(encoding="utf-8") == "nothing"
    assert pages["README.md"].read_text(encoding="utf-8") == readme


# ---- environments ----


def test_environments_count_their_plays() -> None:
    environments("the timing of environments was not tested")
    contenders = [entry for entry in compare_environments.CONTENDERS if entry.distribution == "bgfast"]
    assert len(contenders) == 7
    play_counts = {entry.name: entry.make(60)() for entry in contenders}
    single_count, *vector_counts, money_count, match_count, agents_count = play_counts.values()
    assert vector_counts == vector_counts[:1] * 3
    # The learner rolls and plays in two steps, during which the opponent plays once.
    assert all(1.05 < count / (60 * 1024) < 1.3 for count in (money_count, match_count))
    # Each step is a play and the opponent's answer, unless the play wins.
    assert 2 * 60 - 5 < single_count <= 2 * 60
    assert 2 * 60 * 1024 * 0.97 < vector_counts[0] < 2 * 60 * 1024
    assert agents_count == 60


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    environments("the table of environments was not tested")

    def raise_missing(steps: int) -> Callable[[], int]:
        raise ModuleNotFoundError("No module named 'absent'")

    missing_contender = compare_environments.Contender("`step`", 7, "a move", raise_missing, "absent")
    contenders = (compare_environments.CONTENDERS[0], missing_contender)
    monkeypatch.setattr(compare_environments, "CONTENDERS", contenders)
    assert compare_environments.main(["--quick"]) == 0
    output = capsys.readouterr().out
    row = f"| bgfast {bgfast.__version__}, `BackgammonEnv` | 1 | a play and the opponent's answer | "
    assert row in output
    assert "* absent, `step`: **missing** (ModuleNotFoundError: No module named 'absent')" in output


@pytest.mark.parametrize("name", ["open_spiel", pytest.param("pgx", marks=pytest.mark.slow)])
def test_other_environments_count_their_plays(name: str) -> None:
    pytest.importorskip(
        {"open_spiel": "pyspiel"}.get(name, name), reason=f"NOT INSTALLED: {name}, so it is not stepped"
    )
    (entry,) = (entry for entry in compare_environments.CONTENDERS if entry.distribution == name)
    work = entry.make(40)
    plays = work()
    assert work() == plays
    # A step is a whole play or part of one.
    assert 40 * entry.games / 4 < plays <= 41 * entry.games
