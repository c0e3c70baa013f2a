"""Content of a picture of a position, without its looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bgfast.common.vocabulary import BAR, Board, Roll, flipped


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """Content of a picture, from the side of the player on roll, the mover."""

    board: Board
    checkers: int = 15  # per side; those not on the board are drawn in the trays
    mover: Literal["X", "O"] = "X"  # colour of the mover's checkers
    status: str  # next action, such as "X on roll"
    roll: Roll | None = None  # drawn with the higher die first
    cube: int | None = None  # value; None draws no cube
    cube_owner: int = 0  # 1 the mover, -1 the opponent, 0 nobody
    cube_offered: bool = False
    score: tuple[int, int] | None = None  # points of the mover and the opponent
    match_length: int = 0  # 0 for money play
    crawford: bool = False
    jacoby: bool = False
    moves: tuple[tuple[int, int], ...] = ()  # drawn as arrows
    other_moves: tuple[tuple[int, int], ...] = ()  # of a second play: thin dashed arrows in another colour
    names: tuple[str, str] = ("X", "O")  # of X and O, without control characters

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


def pip_count(board: Sequence[int]) -> int:
    """Return the pips of the side whose checkers are positive."""
    return sum(point * n for point, n in enumerate(board) if n > 0)
