"""Mutation tests of compiled code: ``python -m tests.tools.mutations``.

Each mutation changes a source. The extensions are built with the change in a copy of the project, and the
quick tests of the source must fail; otherwise a test is missing. A run takes minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from bgfast.core.network.network import BUILD
from tests.tools.mutations.catalogue import MUTATIONS, Mutation

ROOT = Path(__file__).parents[3]
COPIED_PATHS = "bgfast benchmarks tests docs examples setup.py pyproject.toml README.md LICENSE".split()
LIMIT_SECONDS = 240.0  # several times the duration of the longest tests; endless mutations count as caught
PYTEST = [*"-m pytest -x -q -p no:cacheprovider -p no:xdist -m".split(), "not slow and not long"]
# Explanations of failures are disabled because they could take minutes.
PYTEST += ["--assert=plain", "--tb=no", "--hypothesis-profile=first failure"]
BATCH_SIZE = 12  # number of tests per run on the original copy
PATIENCE_SECONDS = 5  # time for a terminated run to end its children
RUNNING_PROCESSES: set[subprocess.Popen[bytes]] = set()


class Copy(NamedTuple):
    """Copy of the project for mutations, and the unchanged copy from which it is restored."""

    folder: Path
    original: Path

    def restore(self) -> None:
        """Undo a change and its build."""
        for path in (*(self.original / "bgfast").rglob("*"), *(self.original / "build").rglob("*")):
            copied_path = self.folder / path.relative_to(self.original)
            if path.is_file() and path.stat().st_mtime_ns != copied_path.stat().st_mtime_ns:
                shutil.copy2(path, copied_path)


def build(folder: Path) -> None:
    completed = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if completed.returncode:
        sys.exit(f"the build failed:\n{completed.stdout}{completed.stderr}")


def make_copy(folder: Path) -> Path:
    """Make a built copy of the project."""
    folder.mkdir()
    for path in [*(ROOT / name for name in COPIED_PATHS), *ROOT.glob("build/lib.*")]:
        copy = folder / path.relative_to(ROOT)
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, copy)
    setup = (folder / "setup.py").read_text(encoding="utf-8")
    setup = setup.replace('"-O3"', '"-O1"')  # broken code runs only a few tests
    (folder / "setup.py").write_text(setup, encoding="utf-8")
    build(folder)
    # Compiled files carry hashes, so no process uses the compiled file of a mutated source.
    arguments = "-m compileall -q -j 0 --invalidation-mode checked-hash bgfast tests/support".split()
    subprocess.run([sys.executable, *arguments], cwd=folder, check=True)
    return folder


def end_run(process: subprocess.Popen[bytes]) -> None:
    """End a run and its child processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)  # tests end their engines
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_SECONDS)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def first_failure(folder: Path, tests: Iterable[str]) -> str | None:
    """Run quick tests in a copy; return the first failure, or None if all pass."""
    environment = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "BGFAST_CPU": "portable"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, *PYTEST, *tests],
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
        RUNNING_PROCESSES.add(process)
        try:
            process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            end_run(process)
            return f"no end within {LIMIT_SECONDS:.0f} s"
        finally:
            RUNNING_PROCESSES.discard(process)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode == 0:
        return None
    lines = [line.split(" - ")[0] for line in text.splitlines()]
    # Fixtures may also fail; files that cannot be imported have no test name.
    failures = [
        line for line in lines if line.startswith("FAILED ") or (line.startswith("ERROR ") and "::" in line)
    ]
    if not failures and process.returncode > 0:
        sys.exit(f"the tests did not run:\n{text}")
    return failures[0].partition(" ")[2] if failures else f"crashed with status {process.returncode}"


def try_mutation(mutation: Mutation, copy: Copy) -> tuple[str | None, float]:
    """Return the first failure of a mutation, or None if it survives, and the duration in seconds."""
    begin = time.monotonic()
    path = copy.folder / mutation.source
    source = path.read_text(encoding="utf-8")
    if mutation.old not in source:
        sys.exit(f"{mutation.name}: {mutation.old!r} is not in {mutation.source}; update the list")
    try:
        path.write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
        build(copy.folder)
        failure = first_failure(copy.folder, mutation.tests)
    finally:
        copy.restore()
    return failure, time.monotonic() - begin


def check_original(original: Path, tests: Iterable[str], pool: ThreadPoolExecutor) -> None:
    """Check that the failed tests pass in the original copy."""
    # Names of parametrized tests may be truncated; the name before the bracket selects all cases.
    names = (test if test.endswith("]") else test.partition("[")[0] for test in tests)
    failed_tests = list(dict.fromkeys(name for name in names if "::" in name))
    parts = [failed_tests[first : first + BATCH_SIZE] for first in range(0, len(failed_tests), BATCH_SIZE)]
    for failure in pool.map(lambda tests: first_failure(original, tests), parts):
        if failure:
            sys.exit(f"{failure} fails without any mutation")


def try_all(
    mutations: Sequence[Mutation], copies: Sequence[Copy], pool: ThreadPoolExecutor
) -> tuple[list[str], list[str]]:
    """Try mutations in parallel copies; print the results; return survivors and the tests that failed."""
    free_copies: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free_copies.put(copy)

    def try_one(mutation: Mutation) -> tuple[str | None, float]:
        copy = free_copies.get()
        try:
            return try_mutation(mutation, copy)
        finally:
            free_copies.put(copy)

    survivors, failed_tests = [], []
    for mutation, (failure, seconds) in zip(mutations, pool.map(try_one, mutations), strict=True):
        verdict = "caught  " if failure else "SURVIVED"
        print(f"{verdict} {seconds:6.1f} s  {mutation.name}  [{failure}]", flush=True)
        if failure:
            failed_tests.append(failure)
        else:
            survivors.append(mutation.name)
    return survivors, failed_tests


def parse_share(text: str) -> tuple[int, int]:
    """Parse K/N."""
    first, step = map(int, text.split("/"))
    if not 1 <= first <= step:
        raise ValueError(text)
    return first, step


def main() -> int:
    """Try every mutation; return 1 if one survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutations", description=__doc__)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="try only mutations whose name contains TEXT"
    )
    parser.add_argument(
        "--share", type=parse_share, default=(1, 1), metavar="K/N", help="every Nth mutation from the Kth on"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of mutations at a time (1)")
    options = parser.parse_args()
    first, step = options.share
    mutations = []
    for mutation in MUTATIONS[first - 1 :: step]:
        if options.only not in mutation.name:
            continue
        if mutation.build in ("", BUILD):
            mutations.append(mutation)
        else:
            print(f"NOT TESTED on this processor, which has no {mutation.build}: {mutation.name}")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        original = make_copy(Path(folder) / "original")
        copies = [Copy(Path(folder) / str(job), original) for job in range(options.jobs)]
        for copy in copies:
            shutil.copytree(original, copy.folder)
        pool = ThreadPoolExecutor(options.jobs)
        try:
            survivors, failed_tests = try_all(mutations, copies, pool)
            check_original(original, failed_tests, pool)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(RUNNING_PROCESSES):
                end_run(process)
            pool.shutdown()
    seconds = time.monotonic() - begin
    print(f"{len(mutations) - len(survivors)} of {len(mutations)} mutations caught in {seconds:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
