"""Run the cases of a bgfast suite against a move generator, without bgfast.

`generate(board, roll, switches)` is your engine: it returns the distinct boards after legal plays, from the
mover's side, none for a pass. Usage: python suite_reader.py bgfast-suite-1.txt your_module
"""

import importlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

Board = tuple[int, ...]
Generate = Callable[[Board, Board, dict[str, str]], Collection[Iterable[int]]]

MASK = 2**64 - 1


def set_hash(boards: Iterable[Iterable[int]]) -> str:
    """Return the hash of distinct boards; their order does not matter."""
    total = 0
    for board in boards:
        value = 0xCBF29CE484222325
        for checkers in board:
            value = (value ^ (checkers & 255)) * 0x100000001B3 & MASK
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
        value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
        total = (total + (value ^ value >> 31)) & MASK
    return f"{total:016x}"


def failures(path: str | Path, generate: Generate) -> Iterator[str]:
    """Yield a line for each failed case."""
    lines = Path(path).read_text("ascii").splitlines()
    if lines[0] != "bgfast-suite 1" or not lines[-1].startswith("end "):
        raise SystemExit(f"{path} is not a complete suite of version 1")
    rules: dict[str, dict[str, str]] = {}
    for line in lines:
        keyword, *fields = line.partition(" | ")[0].split() or ["#"]
        if keyword == "rules":
            rules[fields[0]] = {
                switch: value for switch, _, value in (field.partition("=") for field in fields[1:])
            }
        elif keyword == "case":
            name, rule_set, *texts, count, digest = fields
            board, roll = (tuple(map(int, text.split(","))) for text in texts)
            boards = generate(board, roll, rules[rule_set])
            if (len(boards), set_hash(boards)) != (int(count), digest):
                yield f"{name}: {len(boards)} {set_hash(boards)}, expected {count} {digest}"


if __name__ == "__main__":
    lines = list(failures(sys.argv[1], importlib.import_module(sys.argv[2]).generate))
    print("\n".join([*lines, f"{len(lines)} cases failed"]))
    sys.exit(bool(lines))
