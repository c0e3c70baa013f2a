"""A position with its context: dice, cube, score and what is played for."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from bgfast.common.validation import dice_pair, whole_number
from bgfast.common.vocabulary import CHECKERS, Roll
from bgfast.errors import InvalidPositionError, NotationError, shown
from bgfast.position.board_svg import Diagram, Svg, diagram_svg
from bgfast.position.objects import Position
from bgfast.position.text.board_text import board_text
from bgfast.position.text.match_id import match_id_of, read_match_id
from bgfast.position.text.position_ids import board_of_gnubg_id, split_gnubg_id
from bgfast.position.text.xgid_text import Offer, XgidFields, read_xgid, written_xgid

__all__ = ["Xgid", "awaited"]

_SWITCHES = ("crawford", "jacoby", "beaver")


@dataclass(frozen=True, kw_only=True, repr=False)
class Xgid:
    """A position with dice, cube and score, as an XGID or GNU Backgammon's two IDs hold it.

    Every field but `turn` is seen from the side of the player on roll, the *mover*, whichever of X and O that
    is. `read` reads an XGID, `from_gnubg_id` a position ID with a match ID; ``str(xgid)`` is the XGID,
    `gnubg_id` the other one.

    Attributes
    ----------
    position : Position
        From the mover's side.
    turn : {1, -1}
        Who the mover is: 1 is X, the player below, -1 is O.
    dice : (int, int) or None
        The roll to be played; None if the dice are not rolled yet.
    offer : {"double", "beaver", "raccoon"} or None
        What the mover has done with the cube, where that waits for an answer; there are no dice then.
    cube : int
        The value of the cube, before an offer: 1, 2, 4, ... 32768.
    cube_owner : {1, 0, -1}
        1 the mover owns the cube, 0 it is centred, -1 the opponent owns it.
    score : (int, int)
        Points won so far by the mover and the opponent.
    match_length : int
        Points that win the match; 0 means money play.
    crawford : bool
        Whether this is the Crawford game.
    jacoby, beaver : bool
        Whether the Jacoby rule and beavers are in use; in money play only.
    max_cube : int
        The greatest value that the cube may reach.

    Raises
    ------
    NotationError
        If a field is not of its kind, or two contradict each other.
    InvalidDiceError, InvalidPositionError
        If the dice are none, or the position is none.

    Notes
    -----
    Immutable and hashable; safe to share between threads. Source: eXtreme Gammon's help, and the GNU
    Backgammon manual.

    Examples
    --------
    >>> import bgfast
    >>> xgid = bgfast.Xgid.read("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10")
    >>> xgid.dice, xgid.cube, xgid.cube_owner, xgid.score, xgid.match_length
    ((3, 1), 2, 1, (3, 2), 7)
    >>> len(xgid.position.plays(xgid.dice))
    16
    >>> xgid.gnubg_id
    '4HPwATDgc/ABMA:AYHlADAAEAAE'
    >>> str(bgfast.Xgid(position=xgid.position, dice=(6, 5)))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10'
    """

    position: Position
    turn: int = 1
    dice: Roll | None = None
    offer: Offer | None = None
    cube: int = 1
    cube_owner: int = 0
    score: tuple[int, int] = (0, 0)
    match_length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    max_cube: int = 1024

    def __post_init__(self) -> None:
        if not isinstance(self.position, Position):
            raise InvalidPositionError(f"position is {shown(self.position)}; expected a Position")
        for name, value in self._checked().items():
            object.__setattr__(self, name, value)
        # What the fields mean together is checked where an XGID is read.
        read_xgid(str(self))

    def _checked(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, values in (("turn", (1, -1)), ("cube_owner", (1, 0, -1))):
            number = whole_number(getattr(self, name))
            if number not in values:
                expected = " or ".join(map(str, values))
                raise NotationError(f"{name} is {shown(getattr(self, name))}; expected {expected}")
            found[name] = number
        for name in ("cube", "max_cube"):
            number = whole_number(getattr(self, name))
            if number is None or number < 1 or number & (number - 1):
                raise NotationError(f"{name} is {shown(getattr(self, name))}; expected a power of two")
            found[name] = number
        points = self.score if isinstance(self.score, (tuple, list)) else ()
        score = tuple(whole_number(number) for number in points)
        if len(score) != 2 or None in score:
            raise NotationError(
                f"score is {shown(self.score)}; expected two whole numbers, the mover's first"
            )
        found["score"] = score
        found["match_length"] = whole_number(self.match_length)
        if found["match_length"] is None:
            raise NotationError(f"match_length is {shown(self.match_length)}; expected a whole number")
        for name in _SWITCHES:
            if not isinstance(getattr(self, name), bool):
                raise NotationError(f"{name} is {shown(getattr(self, name))}; expected True or False")
        if found["match_length"] and (self.jacoby or self.beaver):
            raise NotationError("the Jacoby rule and beavers are for money play; expected match_length=0")
        if self.crawford and not found["match_length"]:
            raise NotationError("the Crawford game is one of a match; expected a match_length")
        if self.offer not in (None, "double", "beaver", "raccoon"):
            raise NotationError(
                f"offer is {shown(self.offer)}; expected 'double', 'beaver', 'raccoon' or None"
            )
        if self.offer is not None and self.dice is not None:
            raise NotationError(f"dice {shown(self.dice)} and a {self.offer} on offer; expected one of them")
        found["dice"] = None if self.dice is None else dice_pair(self.dice)
        return found

    # ---------------------------------------------------------------- reading

    @classmethod
    def read(cls, text: str, checkers: int = CHECKERS) -> Xgid:
        """Return what an XGID says.

        Parameters
        ----------
        text : str
            With or without ``XGID=`` in front.
        checkers : int
            Checkers per side, 1 to 15.

        Raises
        ------
        NotationError
            If the text cannot be read, or its fields contradict each other.
        InvalidPositionError
            If the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Xgid.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10").jacoby
        True
        """
        return cls._of(read_xgid(text), checkers)

    @classmethod
    def from_gnubg_id(cls, text: str, checkers: int = CHECKERS) -> Xgid:
        """Return what a GNU position ID and match ID say.

        Parameters
        ----------
        text : str
            ``POSITION_ID:MATCH_ID``, or the two as GNU Backgammon prints them, with ``Position ID:`` and
            ``Match ID:`` in front of them.
        checkers : int
            Checkers per side, 1 to 15.

        Raises
        ------
        NotationError
            If the text cannot be read, or the match ID tells of a game that is over or of a resignation.
        InvalidPositionError
            If the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> xgid = bgfast.Xgid.from_gnubg_id("4HPwATDgc/ABMA:UYnlADAAEAAE")
        >>> xgid.dice, xgid.score, xgid.match_length
        ((3, 1), (2, 3), 7)
        """
        position_id, match_id = split_gnubg_id(text)
        return cls._of(read_match_id(match_id, tuple(board_of_gnubg_id(position_id))), checkers)

    @classmethod
    def _of(cls, content: XgidFields, checkers: int) -> Xgid:
        own = {field.name: getattr(content, field.name) for field in fields(content) if field.name != "board"}
        return cls(position=Position.from_array(content.board, checkers), **own)

    # ---------------------------------------------------------------- writing

    @property
    def _fields(self) -> XgidFields:
        own = {name: value for name, value in vars(self).items() if name != "position"}
        return XgidFields(board=tuple(self.position), **own)

    def __str__(self) -> str:
        return written_xgid(self._fields)

    def __repr__(self) -> str:
        checkers = self.position.checkers
        return f"Xgid.read({str(self)!r}{'' if checkers == CHECKERS else f', checkers={checkers}'})"

    @property
    def match_id(self) -> str:
        """GNU Backgammon's match ID: str of 12 characters.

        Raises `NotationError` if a beaver or raccoon is on offer, which it cannot say.
        """
        return match_id_of(self._fields)

    @property
    def gnubg_id(self) -> str:
        """GNU Backgammon's position ID and match ID, with a colon between them: str."""
        return f"{self.position.gnubg_id}:{self.match_id}"

    @property
    def status(self) -> str:
        """Who is to do what, in words: ``"X to play 3-1"``, ``"O on roll"``, ``"X offers a double"``."""
        mover, opponent = ("X", "O") if self.turn == 1 else ("O", "X")
        if self.position.winner is not None:
            return f"{mover if self.position.winner == 'mover' else opponent} has won"
        return awaited(mover, self.dice, self.offer)

    @property
    def board_text(self) -> str:
        """The printed board, X below, with cube, score and dice in its margin; points as the mover counts."""
        below = self.turn == 1
        board = list(self.position if below else self.position.flip())
        score_x, score_o = self.score if below else self.score[::-1]
        margin = {6: self.status}
        if self.match_length or any(self.score):
            behind = f" of {self.match_length}" if self.match_length else ""
            behind += " (Crawford game)" if self.crawford else ""
            margin |= {1: f"   score {score_o}{behind}", 11: f"   score {score_x}{behind}"}
        owner = self.cube_owner * self.turn
        margin[{1: 10, 0: 7, -1: 2}[owner]] = f"   cube {self.cube}" if owner else f"cube {self.cube}"
        return board_text(
            board, checkers=self.position.checkers, margin=margin, numbered_from_above=not below
        )

    def _diagram(self, moves: tuple[tuple[int, int], ...] = ()) -> Diagram:
        return Diagram(
            board=tuple(self.position),
            checkers=self.position.checkers,
            mover="X" if self.turn == 1 else "O",
            status=self.status,
            roll=self.dice,
            cube=self.cube,
            cube_owner=self.cube_owner,
            cube_offered=self.offer is not None,
            score=self.score if self.match_length or any(self.score) else None,
            match_length=self.match_length,
            crawford=self.crawford,
            jacoby=self.jacoby,
            moves=moves,
        )

    def _repr_svg_(self) -> Svg:
        return diagram_svg(self._diagram())


def awaited(mover: str, dice: Roll | None, offer: Offer | None) -> str:
    """Return who is to do what, in words; the higher die first."""
    if offer is not None:
        return f"{mover} offers a {offer}"
    if dice is not None:
        return f"{mover} to play {max(dice)}-{min(dice)}"
    return f"{mover} on roll"
