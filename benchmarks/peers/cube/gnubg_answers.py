"""GNU Backgammon's cube decisions at 0 plies, written down with the probabilities that they come from.

``python -m benchmarks.peers.cube.gnubg_answers FILE --positions 10000``, from a clone, with gnubg there.
Positions are those of random games, see `positions`; each is asked about in all of `CONTEXTS`. A question
takes it 10 ms of waiting and 0.2 ms of work, so that several of its processes run side by side: 10,000
positions take six of them five minutes.

The file has one JSON object a line: first what was asked, then a row for each position with its ID, GNU
Backgammon's class of it, its five probabilities, and for each context the equities of no double and of
double/take and the number of the decision. Equities are points at cube 1 in money and EMG in matches, that
is scaled so that losing and winning the cube's value before the double are -1 and +1, and therefore
double/drop is +1 wherever it stands.
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
FEW = 6  # checkers a side, up to which GNU Backgammon has two-sided databases

Context = dict[str, Any]


def context(name: str, away: tuple[int, int] | None = None, cube: int = 1, **switches: bool) -> Context:
    """Return a context: what mover and opponent need, and the cube, owned if it is turned."""
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
    """Return boards of random games, in `SHARES`: of each phase, and bear-offs of few checkers."""
    whole = sum(SHARES.values())
    return np.concatenate([_of(phase, number * share // whole, seed) for phase, share in SHARES.items()])


def _of(phase: str, number: int, seed: int) -> Boards:
    if phase != "two-sided":
        return random_positions(number, seed, phase)
    boards = random_positions(100 * number, seed, "bearoff")  # one in 18 is
    few = np.maximum(np.maximum(boards, 0).sum(axis=1), np.maximum(-boards, 0).sum(axis=1)) <= FEW
    return boards[few][:number]


def sides(board: list[int]) -> list[list[int]]:
    """Return a board as GNU Backgammon has it: opponent and player on roll, each from its own ace point."""
    mine = [max(0, board[point]) for point in range(1, 26)]
    theirs = [max(0, -board[25 - point]) for point in range(1, 26)]
    return [theirs, mine]


def ask(boards: Boards, processes: int) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return GNU Backgammon's match equity table, and what it says of each board."""
    shares = np.array_split(boards, processes)
    with ThreadPoolExecutor(processes) as threads:
        answers = list(threads.map(_ask_one, shares))
    return answers[0][0], [said for share in answers for said in share[1:]]


def _ask_one(boards: Boards) -> list[Any]:
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
        read = [json.loads(line) for line in answers.read_text(encoding="ascii").splitlines()]
    if len(read) != len(rows):
        raise SystemExit(f"GNU Backgammon answered {len(read) - 1} of {len(rows) - 1} questions")
    return read


def check_table(said: list[Any]) -> None:
    """Refuse to go on if GNU Backgammon's table is another one.

    Of the places after the Crawford game it replaces the last one by an extrapolation of its own.
    """
    ours, needs = MatchEquityTable.builtin(), np.arange(1, 26)
    if not (
        np.allclose(said[0], ours(needs[:, None], needs), rtol=0, atol=1e-7)
        and np.allclose(said[1][:24], ours(needs[:24], 1, post_crawford=True), rtol=0, atol=1e-7)
    ):
        raise SystemExit(f"GNU Backgammon has another match equity table than {ours!r}")


def row(board: list[int], said: dict[str, Any], decisions: dict[str, str]) -> dict[str, Any]:
    """Return what is written down of a position; put its decisions' words into a dictionary."""
    answers = []
    for optimal, no_double, take, drop, code, words in said["answers"]:
        assert abs(drop - 1) < 1e-5, said
        assert optimal in (no_double, take, drop), said
        decisions[str(code)] = words
        answers.append([float(f"{no_double:.7g}"), float(f"{take:.7g}"), code])
    return {
        "id": Position.from_array(np.array(board, np.int8)).gnubg_id,
        "class": said["class"],
        # Its sums come to 1 + 1e-7 now and then.
        "probabilities": [float(f"{min(1.0, number):.8g}") for number in said["probabilities"]],
        "answers": answers,
    }


def main(arguments: list[str] | None = None) -> None:
    """Ask, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=6)
    chosen = parser.parse_args(arguments)
    version = subprocess.run([find_program(), "--version"], capture_output=True, text=True, check=True).stdout
    boards = positions(chosen.positions, chosen.seed)
    table, answers = ask(boards, chosen.processes)
    check_table(table)
    decisions: dict[str, str] = {}
    rows = [row(*each, decisions) for each in zip(boards.tolist(), answers, strict=True)]
    head = {
        "format": FORMAT,
        "engine": version.splitlines()[0],
        "positions": f"python -m {__spec__.name} --positions {chosen.positions} --seed {chosen.seed}",
        "contexts": CONTEXTS,
        "decisions": dict(sorted(decisions.items(), key=lambda item: int(item[0]))),
    }
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *rows])
    write_atomically(chosen.file, text.encode("ascii"))


if __name__ == "__main__":
    main()
