"""Recorder of GNU Backgammon's cube decisions at 0 plies, with the probabilities behind them.

``python -m benchmarks.peers.cube.gnubg_answers FILE --positions 10000``, from a clone with gnubg installed,
evaluates positions of random games in all of `CONTEXTS`. An evaluation takes GNU Backgammon 10 ms of waiting
and 0.2 ms of work; therefore several processes run in parallel: 10,000 positions take six of them five
minutes.

The file has one JSON object a line: a header with the contexts, then a row for each position with its ID, GNU
Backgammon's position class, the five probabilities, and for each context the equities of no double and of
double/take and the number of the decision. Equities are points at cube 1 in money play and EMG in matches,
where losing and winning the cube's value before the double are -1 and +1, so that double/drop is +1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from bgfast import Position, random_positions
from bgfast.common.files import write_atomically
from bgfast.common.vocabulary import Boards
from bgfast.cube import MatchEquityTable
from bgfast.engines.adapters.gnubg import find_program, program_words

INSIDE = Path(__file__).with_name("gnubg_answers_inside.py")
FORMAT = 1
SHARES = {"contact": 12, "race": 4, "bearoff": 3, "two-sided": 1}
TWO_SIDED_CHECKERS = 6
"""Checkers a side up to which GNU Backgammon has two-sided databases."""

Context = dict[str, Any]


def context(name: str, away: tuple[int, int] | None = None, cube: int = 1, **switches: bool) -> Context:
    """Return a context: points away of mover and opponent, and the cube, owned by the mover above 1."""
    return {
        "name": name,
        "away": away,
        "cube": cube,
        "owner": "centred" if cube == 1 else "owned",
        "crawford": False,
        "jacoby": False,
        **switches,
    }


CONTEXTS = [
    context("money"),
    context("money, Jacoby", jacoby=True),
    context("money, owned", cube=2),
    context("2-2", (2, 2)),
    context("2-2, owned", (2, 2), 2),
    context("4-2", (4, 2)),
    context("4-2, owned", (4, 2), 2),
    context("2-4", (2, 4)),
    context("2-4, owned", (2, 4), 2),
    context("7-5", (7, 5)),
    context("7-5, owned", (7, 5), 2),
    context("3-1 Crawford", (3, 1), crawford=True),
    context("1-3 Crawford", (1, 3), crawford=True),
    context("3-1 post-Crawford", (3, 1)),
    context("4-1 post-Crawford", (4, 1)),
    context("4-1 post-Crawford, owned", (4, 1), 2),
    context("1-4 post-Crawford", (1, 4)),
]


def positions(number: int, seed: int) -> Boards:
    """Return boards of random games in the proportions of `SHARES`."""
    total = sum(SHARES.values())
    return np.concatenate(
        [_of_phase(phase, number * share // total, seed) for phase, share in SHARES.items()]
    )


def _of_phase(phase: str, number: int, seed: int) -> Boards:
    if phase != "two-sided":
        return random_positions(number, seed, phase)
    boards = random_positions(100 * number, seed, "bearoff")  # one in 18 is two-sided
    is_two_sided = (
        np.maximum(np.maximum(boards, 0).sum(axis=1), np.maximum(-boards, 0).sum(axis=1))
        <= TWO_SIDED_CHECKERS
    )
    return boards[is_two_sided][:number]


def sides(board: list[int]) -> list[list[int]]:
    """Return GNU Backgammon's board: opponent and player on roll, each from its own ace point."""
    own = [max(0, board[point]) for point in range(1, 26)]
    opponent = [max(0, -board[25 - point]) for point in range(1, 26)]
    return [opponent, own]


def evaluate(boards: Boards, processes: int) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return GNU Backgammon's match equity table, and its answers for each board."""
    shares = np.array_split(boards, processes)
    with ThreadPoolExecutor(processes) as threads:
        results = list(threads.map(_evaluate_in_process, shares))
    return results[0][0], [answer for result in results for answer in result[1:]]


def _evaluate_in_process(boards: Boards) -> list[Any]:
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        questions, answers = Path(folder, "questions"), Path(folder, "answers")
        rows = [CONTEXTS, *(sides(board) for board in boards.tolist())]
        questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
        subprocess.run(
            program_words(folder, "--python", INSIDE),
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={
                **os.environ,
                "HOME": folder,
                "LC_ALL": "C",
                "BGFAST_CUBE_QUESTIONS": str(questions),
                "BGFAST_CUBE_ANSWERS": str(answers),
            },
        )
        lines = [json.loads(line) for line in answers.read_text(encoding="ascii").splitlines()]
    if len(lines) != len(rows):
        raise SystemExit(f"GNU Backgammon answered {len(lines) - 1} of {len(rows) - 1} questions")
    return lines


def check_table(gnubg: list[Any]) -> None:
    """Exit if GNU Backgammon's match equity table differs from bgfast's.

    Its last entry after the Crawford game is an extrapolation and is not compared.
    """
    own, needs = MatchEquityTable.builtin(), np.arange(1, 26)
    if not (
        np.allclose(gnubg[0], own(needs[:, None], needs), rtol=0, atol=1e-7)
        and np.allclose(gnubg[1][:24], own(needs[:24], 1, post_crawford=True), rtol=0, atol=1e-7)
    ):
        raise SystemExit(f"GNU Backgammon has another match equity table than {own!r}")


def position_row(board: list[int], gnubg: dict[str, Any], decisions: dict[str, str]) -> dict[str, Any]:
    """Return the file's row of a position; add the words of its decisions to `decisions`."""
    answers = []
    for optimal, no_double, take, drop, code, words in gnubg["answers"]:
        assert abs(drop - 1) < 1e-5, gnubg
        assert optimal in (no_double, take, drop), gnubg
        decisions[str(code)] = words
        answers.append([float(f"{no_double:.7g}"), float(f"{take:.7g}"), code])
    return {
        "id": Position.from_array(np.array(board, np.int8)).gnubg_id,
        "class": gnubg["class"],
        # Sums of GNU Backgammon's probabilities may be 1 + 1e-7.
        "probabilities": [float(f"{min(1.0, number):.8g}") for number in gnubg["probabilities"]],
        "answers": answers,
    }


def main(words: list[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=6)
    options = parser.parse_args(words)
    version = subprocess.run([find_program(), "--version"], capture_output=True, text=True, check=True).stdout
    boards = positions(options.positions, options.seed)
    table, answers = evaluate(boards, options.processes)
    check_table(table)
    decisions: dict[str, str] = {}
    pairs = zip(boards.tolist(), answers, strict=True)
    rows = [position_row(board, answer, decisions) for board, answer in pairs]
    head = {
        "format": FORMAT,
        "engine": version.splitlines()[0],
        "positions": f"python -m {__spec__.name} --positions {options.positions} --seed {options.seed}",
        "contexts": CONTEXTS,
        "decisions": dict(sorted(decisions.items(), key=lambda item: int(item[0]))),
    }
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *rows])
    write_atomically(options.file, text.encode("ascii"))


if __name__ == "__main__":
    main()
