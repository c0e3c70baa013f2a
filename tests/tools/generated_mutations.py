"""Mutate Python modules with cosmic-ray and list the mutations that survive the tests.

``python -m tests.tools.generated_mutations [WORDS]`` mutates the modules in `TESTS` whose path contains one
of the words, or all modules, which takes hours. `tests.tools.mutations` mutates compiled code.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED_PATHS = "bgfast tests docs examples benchmarks setup.py pyproject.toml README.md LICENSE".split()
_MAT_TESTS = "tests/records/test_mat.py tests/records/test_site_records.py"
_REPLAY_TESTS = "tests/records/test_replay.py tests/records/test_site_records.py"
TESTS = {
    "bgfast/analysis/matches/match_statistics.py": "tests/analysis/matches",
    "bgfast/common/journal.py": "tests/common/test_journal.py",
    "bgfast/evaluation/bearoff/cube_tables.py": "tests/evaluation/bearoff",
    "bgfast/evaluation/actions.py": "tests/evaluation/test_actions.py",
    "bgfast/evaluation/match_equity.py": "tests/evaluation/test_match_equity.py",
    "bgfast/games/scoring.py": "tests/games",
    "bgfast/games/transitions.py": "tests/games",
    "bgfast/learning/contest.py": "tests/learning/test_contest.py",
    "bgfast/position/next_moves.py": "tests/position/test_next_moves.py",
    "bgfast/records/mat.py": _MAT_TESTS,
    "bgfast/records/game_replay.py": _REPLAY_TESTS,
    "bgfast/records/game_results.py": _REPLAY_TESTS,
}
MAX_SURVIVAL_RATE = 0.2
"""Maximum fraction of mutations that may survive: some have no observable effect."""
PYTEST = "-m pytest -x -q -p no:cacheprovider -p no:xdist --assert=plain --tb=no"
CONFIGURATION = """[cosmic-ray]
module-path = {source!r}
timeout = 120.0
excluded-modules = []
test-command = {command!r}
[cosmic-ray.distributor]
name = "local"
[cosmic-ray.filters.operators-filter]
exclude-operators = [
    "core/ReplaceBinaryOperator_.*_(BitOr|BitAnd|BitXor|LShift|RShift|Pow|Mod|FloorDiv)",
    "core/ReplaceBinaryOperator_BitOr_.*",
    "core/ReplaceComparisonOperator_.*_Is(Not)?",
    "core/ReplaceUnaryOperator_.*",
    "core/RemoveDecorator",
]
"""


def run(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def outcomes(folder: Path, source: str) -> Iterator[tuple[str, str]]:
    """Yield each mutation of a source as a diff, with "killed", "survived" or "incompetent"."""
    configuration, session = folder / "mutations.toml", folder / "mutations.sqlite"
    command = f"{sys.executable} {PYTEST} {TESTS[source]}"
    configuration.write_text(CONFIGURATION.format(source=source, command=command), encoding="utf-8")
    run(folder, "cosmic-ray", "init", "--force", configuration.name, session.name)
    run(folder, "cr-filter-operators", session.name, configuration.name)
    run(folder, "cosmic-ray", "exec", configuration.name, session.name)
    for line in run(folder, "cosmic-ray", "dump", session.name).splitlines():
        _, result = json.loads(line)
        if result and result.get("test_outcome"):
            yield result.get("diff") or "", result["test_outcome"]


def main(words: list[str]) -> None:
    """Print the survivors of each module; exit with an error if there are too many."""
    failing_sources = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in (ROOT / part for part in COPIED_PATHS):
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, folder / path.name)
        for source in TESTS:
            if words and not any(word in source for word in words):
                continue
            results = list(outcomes(folder, source))
            survivors = [diff for diff, outcome in results if outcome == "survived"]
            print(*survivors, sep="\n")
            print(f"{source}: {len(survivors)} of {len(results)} mutations survived", flush=True)
            if len(survivors) > MAX_SURVIVAL_RATE * len(results):
                failing_sources.append(source)
    if failing_sources:
        sys.exit(f"more than {MAX_SURVIVAL_RATE:.0%} survived: {', '.join(failing_sources)}")


if __name__ == "__main__":
    main(sys.argv[1:])
