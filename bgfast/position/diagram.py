"""Content of a picture of a position, without its looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bgfast.common.vocabulary import BAR, Board, Roll

__all__ = ["Diagram", "flipped", "pip_count"]


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """Content of a picture, from the side of the player on roll, the mover.

    Attributes
    ----------
    board : tuple of 26 int
    checkers : int
        Checkers per side; those not on the board are drawn in the trays.
    mover : {"X", "O"}
        Colour of the mover's checkers.
    status : str
        Next action, such as "X on roll".
    roll : (int, int) or None
        The dice, drawn with the higher first.
    cube : int or None
        Value of the cube; None draws no cube.
    cube_owner : {1, 0, -1}
        1 the mover, -1 the opponent, 0 nobody.
    cube_offered : bool
        True if the cube is on offer, on the board.
    score : (int, int) or None
        The points of the mover and the opponent; None for no score.
    match_length : int
        0 for money play.
    crawford : bool
        True in the Crawford game, which has no cube.
    jacoby : bool
        True if the Jacoby rule is in use.
    moves : tuple of (int, int)
        The moves of a play, drawn as arrows.
    other_moves : tuple of (int, int)
        The moves of a second play, for comparison: thin dashed arrows in another colour.
    names : (str, str)
        Names of X and O, without control characters.
    """

    board: Board
    checkers: int = 15
    mover: Literal["X", "O"] = "X"
    status: str
    roll: Roll | None = None
    cube: int | None = None
    cube_owner: int = 0
    cube_offered: bool = False
    score: tuple[int, int] | None = None
    match_length: int = 0
    crawford: bool = False
    jacoby: bool = False
    moves: tuple[tuple[int, int], ...] = ()
    other_moves: tuple[tuple[int, int], ...] = ()
    names: tuple[str, str] = ("X", "O")

    def name_of(self, side: str) -> str:
        """Return the name of a side, X or O."""
        return self.names["XO".index(side)]

    @property
    def opponent(self) -> Literal["X", "O"]:
        """The colour of the other side."""
        return "O" if self.mover == "X" else "X"

    def description(self) -> str:
        """Return the position in words; each side counts points from its own home."""
        sides = [(self.mover, self.board), (self.opponent, flipped(self.board))]
        sentences = []
        for side, board in sides:
            stacks = [f"{board[point]} on {point}" for point in range(24, 0, -1) if board[point] > 0]
            if board[BAR] > 0:
                stacks.insert(0, f"{board[BAR]} on the bar")
            off = self.checkers - sum(n for n in board if n > 0)
            stacks += [f"{off} off"] if off else []
            sentences.append(f"{self.name_of(side)}: {', '.join(stacks)}; {pip_count(board)} pips.")
        return " ".join(sentences)


def flipped(board: Sequence[int]) -> Board:
    """Return a board from the other side."""
    return tuple(-n for n in reversed(board))


def pip_count(board: Sequence[int]) -> int:
    """Return the pips of the side whose checkers are positive."""
    return sum(point * n for point, n in enumerate(board) if n > 0)
