"""gnubg-nn: GNU Backgammon's generator and networks as a Python module."""

from __future__ import annotations

from importlib.metadata import version

import gnubg_nn

from bgfast.engines.protocol import Board, Capabilities, Case, Inside

Sides = list[list[int]]

HEXADECIMAL = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")


class Adapter(Inside):
    """`gnubg_nn.moves`, which returns the position keys of the successors, each once; none for a pass.

    It knows no number of checkers but 15: what is not on the board is off.
    """

    name = "gnubg-nn"
    version = version("gnubg-nn")
    capabilities = Capabilities()

    def successors(self, case: Case) -> list[Board]:
        return [board_of_key(key) for key in gnubg_nn.moves(sides(case.board), *case.roll)]


def sides(board: Board) -> Sides:
    """Return the opponent's and the mover's checkers, each on his points 1 to 24 and his bar."""
    return [[max(0, -number) for number in board[24::-1]], [max(0, number) for number in board[1:]]]


def board_of_key(key: str) -> Board:
    """Return the board that a key of twenty letters stands for: the bits of a GNU position ID, by nibbles."""
    number = int.from_bytes(bytes.fromhex(key.translate(HEXADECIMAL)), "little")
    runs = [len(ones) for ones in format(number, "080b")[::-1].split("0")]
    opponent, mover = runs[:25], runs[25:50]
    theirs = [0, *opponent[23::-1]]
    points = [own - other for own, other in zip(mover[:24], theirs[1:], strict=True)]
    return (-opponent[24], *points, mover[24])
