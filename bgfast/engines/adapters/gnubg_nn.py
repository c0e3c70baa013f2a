"""Adapter of gnubg-nn: GNU Backgammon's move generator and networks as a Python module."""

from __future__ import annotations

from importlib.metadata import version

import gnubg_nn

from bgfast.common.vocabulary import Board
from bgfast.engines.protocol import Capabilities, Case, InProcessEngine

Sides = list[list[int]]

HEXADECIMAL = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")


class Adapter(InProcessEngine):
    """`gnubg_nn.moves`, which returns distinct position keys, for 15 checkers a side; none for a pass."""

    name = "gnubg-nn"
    version = version("gnubg-nn")
    capabilities = Capabilities()

    def successors(self, case: Case) -> list[Board]:
        return [board_of_key(key) for key in gnubg_nn.moves(sides(case.board), *case.roll)]


def sides(board: Board) -> Sides:
    """Return the checkers of the opponent and of the mover, on the player's own points 1 to 24 and bar."""
    return [[max(0, -number) for number in board[24::-1]], [max(0, number) for number in board[1:]]]


def board_of_key(key: str) -> Board:
    """Decode a key of twenty letters, the nibbles of a GNU position ID, into a board."""
    number = int.from_bytes(bytes.fromhex(key.translate(HEXADECIMAL)), "little")
    runs = [len(ones) for ones in format(number, "080b")[::-1].split("0")]
    opponent, mover = runs[:25], runs[25:50]
    others = [0, *opponent[23::-1]]
    points = [own - other for own, other in zip(mover[:24], others[1:], strict=True)]
    return (-opponent[24], *points, mover[24])
