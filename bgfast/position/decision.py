"""Position with its context: dice, cube, score and stakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from bgfast.common.foreign_names import names_arguments, names_missing
from bgfast.common.validation import CHECKERS, PositionLike, RollLike, dice_pair, flag, one_of, whole_number
from bgfast.errors import BgfastError, InvalidPositionError, NotationError, short_repr
from bgfast.position import formats
from bgfast.position.board_text import board_text, margin_of
from bgfast.position.formats import Context
from bgfast.position.objects import Play, Position
from bgfast.position.picture import Diagram, Picture, Svg, Theme, check_characters, theme_colours
from bgfast.position.position_text import PositionText, read_position, roll_to_play

MIN_SIZE, MAX_SIZE = 80, 10_000  # width of a picture in pixels
_NUMBERS = ("turn", "cube_owner", "cube", "max_cube", "match_length")
_FLAGS = ("crawford", "jacoby", "beaver")


@names_missing
@dataclass(frozen=True, kw_only=True, repr=False)
class Decision(Context):
    """Position with the context of a decision: dice, cube, score and stakes.

    The decision is a play if there are dice, an answer if a cube is on offer, otherwise whether to double.
    All fields but `turn` are from the side of the player on roll, the *mover*, who may be X or O. `read`
    reads an XGID, an OGID or GNU Backgammon's IDs; `Game` and `Match` have the property `decision`.

    Attributes
    ----------
    position : Position
        From the mover's side; the argument may also be text without dice, cube and score, or a board.
    turn : {1, -1}
        The mover: 1 is X, the player below; -1 is O.
    dice : (int, int) or None
        The roll to be played; None if the dice have not been rolled.
    offer : {"double", "beaver", "raccoon"} or None
        The last cube action, if it awaits an answer: the mover's double, the opponent's beaver or the
        mover's raccoon. `dice` is then None.
    cube : int
        The value of the cube, before an offer: 1, 2, 4, ...
    cube_owner : {1, 0, -1}
        1 the mover, 0 nobody (the cube is centred), -1 the opponent.
    score : (int, int)
        Points won so far by the mover and the opponent.
    match_length : int
        Points that win the match; 0 means money play.
    crawford : bool
        True in the Crawford game.
    jacoby, beaver : bool
        True if the Jacoby rule and beavers are in use; only in money play.
    max_cube : int
        Maximum value of the cube.

    Raises
    ------
    NotationError
        If a field is invalid, or two fields contradict each other.
    InvalidDiceError, InvalidPositionError
        If the dice or the position is invalid.

    See Also
    --------
    Position : Board without dice, cube and score.
    Decisions : The same fields as arrays, one row per decision.

    Notes
    -----
    Immutable and hashable; safe to share between threads. ``str(decision)`` is the printed board, X below,
    with cube, score and dice in its margin; points are numbered from the mover's side.

    Examples
    --------
    >>> import bgfast
    >>> decision = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10")
    >>> decision.dice, decision.cube, decision.cube_owner, decision.score, decision.match_length
    ((3, 1), 2, 1, (3, 2), 7)
    >>> len(decision.position.plays(decision.dice))
    16
    >>> decision.gnubg_id
    '4HPwATDgc/ABMA:AYHlADAAEAAE'
    >>> decision.ogid
    '11ccccchhhjjjjj:66666888dddddoo:B1N:13:W:R:2:3:7:0'
    >>> bgfast.Decision(position=decision.position, dice="65").xgid
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:65:0:0:0:0:10'
    """

    position: Position

    if TYPE_CHECKING:  # `__post_init__` converts text and boards

        def __init__(self, *, position: PositionLike, dice: RollLike | None = None, **rest: Any) -> None: ...

    def __post_init__(self) -> None:
        position = subject_of(self.position)
        if isinstance(position, Decision):
            raise InvalidPositionError(
                f"position is {short_repr(self.position)}; expected Decision.read(text)"
            )
        values: dict[str, Any] = {name: whole_number(getattr(self, name)) for name in _NUMBERS}
        values |= {name: flag(name, getattr(self, name), NotationError) for name in _FLAGS}
        length = values["match_length"]
        score = tuple(map(whole_number, self.score)) if isinstance(self.score, (tuple, list)) else ()
        is_score_valid = len(score) == 2 and all(map(_is_count, score))
        offers = "double", "beaver", "raccoon"
        is_offer_valid = self.offer is None or (isinstance(self.offer, str) and self.offer in offers)
        for name, is_valid, expected in (
            ("turn", values["turn"] in (1, -1), "1 or -1"),
            ("cube_owner", values["cube_owner"] in (1, 0, -1), "1 or 0 or -1"),
            ("cube", _is_power_of_two(values["cube"]), "a power of two"),
            ("max_cube", _is_power_of_two(values["max_cube"]), "a power of two"),
            ("score", is_score_valid, "two whole numbers, 0 or more, the mover's first"),
            ("match_length", _is_count(length), "a whole number, 0 for money play"),
            ("offer", is_offer_valid, "'double', 'beaver', 'raccoon' or None"),
        ):
            if not is_valid:
                raise NotationError(f"{name} is {short_repr(getattr(self, name))}; expected {expected}")
        if length and (self.jacoby or self.beaver):
            raise NotationError("the Jacoby rule and beavers are for money play; expected match_length=0")
        if self.crawford and not length:
            raise NotationError("the Crawford game belongs to a match; expected a match_length")
        if self.offer is not None and self.dice is not None:
            raise NotationError(
                f"dice {short_repr(self.dice)} and a {self.offer} on offer; expected one of them"
            )
        dice = None if self.dice is None else dice_pair(self.dice)
        values |= {"position": position, "score": score, "dice": dice}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        score_x, score_o = self.score[:: self.turn]
        formats.check_score((score_x, score_o), self.match_length, self.crawford)
        if self.cube > self.max_cube:
            raise NotationError(f"the cube shows {self.cube}; expected at most its maximum, {self.max_cube}")

    # ---------------------------------------------------------------- text

    @classmethod
    def read(cls, text: str, checkers: int | None = None) -> Decision:
        """Read an XGID, an OGID, a GNU position ID with or without a match ID, or any text of `Position`.

        Parameters
        ----------
        text : str
            An XGID, with or without ``XGID=`` in front; ``POSITION_ID`` or ``POSITION_ID:MATCH_ID``, or the
            two as GNU Backgammon prints them, with ``Position ID:`` and ``Match ID:`` in front of them. X is
            White in an OGID, and the viewing player in FIBS's board line, ``board:...``. A printed board,
            ``str(decision)``, has no Jacoby rule, no beavers and no maximum cube. Other texts of a
            `Position`, such as ``"start"``, are money play with a centred cube. A roll may follow or precede
            the position, as in ``"start 31"``; ``"31"`` alone is played from the start. A text of several
            lines, as eXtreme Gammon, BGBlitz and GNU Backgammon copy it, must state a single position by its
            IDs; other text is ignored, and so are IDs in sentences if a line begins with an ID.
        checkers : int, optional
            Checkers per side of an ID or a board, 1 to 15, by default 15; an OGID states the number if it
            is not 15.

        Raises
        ------
        NotationError
            If the text is unreadable, its fields contradict each other, or the match ID states a finished
            game or a resignation.
        InvalidPositionError
            If the position is impossible.

        See Also
        --------
        from_xgids : Decisions of many XGIDs, as arrays.

        References
        ----------
        GNU Backgammon manual, "A technical description of the Position ID" and "... Match ID"; help of
        eXtreme Gammon, for XGIDs; package gammonview, for OGIDs; documentation of FIBS, "rawboard".

        Examples
        --------
        >>> import bgfast
        >>> decision = bgfast.Decision.read("4HPwATDgc/ABMA:UYnlADAAEAAE")
        >>> decision.dice, decision.score, decision.match_length
        ((3, 1), (2, 3), 7)
        """
        if not isinstance(text, str):
            raise NotationError(f"a decision of type {type(text).__name__:.60}; expected a str")
        return decision_of(read_position(text, checkers))

    @property
    def xgid(self) -> str:
        """The XGID: str.

        Raises `NotationError` if the cube is above 32768 or the points are above 32767.
        """
        text = formats.format_xgid(tuple(self.position), self)
        formats.read_xgid(text)
        return text

    @property
    def ogid(self) -> str:
        """OpenGammon's position ID, in which X is White: str.

        It omits the Jacoby rule, beavers and the maximum cube, except that it marks a dead cube. Raises
        `NotationError` if a beaver or raccoon is on offer, if the cube is above 32768 or the points are
        above 32767.
        """
        text = formats.format_ogid(tuple(self.position), self, self.position.checkers)
        formats.read_ogid(text)
        return text

    @property
    def match_id(self) -> str:
        """GNU Backgammon's match ID: str of 12 characters.

        Raises `NotationError` if a value is too large for it, or if a beaver or raccoon is on offer.
        """
        return formats.match_id_of(self)

    @property
    def gnubg_id(self) -> str:
        """GNU Backgammon's position ID and match ID, with a colon between them: str."""
        return f"{self.position.gnubg_id}:{self.match_id}"

    def fibs_board(self, players: tuple[str, str] = ("X", "O")) -> str:
        """Return FIBS's board line from the side of X, with the names of X and O; `read` reads it.

        It has no Jacoby rule, no beavers and no maximum cube. Raises `NotationError` if a beaver or raccoon
        is on offer, or a name has a colon or a blank.

        Examples
        --------
        >>> import bgfast
        >>> decision = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10")
        >>> bgfast.Decision.read(decision.fibs_board()) == decision
        True
        """
        return formats.format_fibs_board(tuple(self.position), self, players)

    @property
    def status(self) -> str:
        """Next action, in words: ``"X to play 3-1"``, ``"O on roll"``, ``"X offers a double"``."""
        mover, opponent = ("X", "O") if self.turn == 1 else ("O", "X")
        if self.position.winner is not None:
            return f"{mover if self.position.winner == 'mover' else opponent} has won"
        if self.offer is not None:
            return self.offer_text
        if self.dice is not None:
            return f"{mover} to play {max(self.dice)}-{min(self.dice)}"
        return f"{mover} on roll"

    def __str__(self) -> str:
        return self._board(self.status)

    def _board(self, status: str) -> str:
        is_x_on_roll = self.turn == 1
        return board_text(
            list(self.position if is_x_on_roll else self.position.flip()),
            checkers=self.position.checkers,
            margin=margin_of(self, status),
            numbered_from_above=not is_x_on_roll,
        )

    def __repr__(self) -> str:
        checkers = self.position.checkers
        text = formats.format_xgid(tuple(self.position), self)
        return f"Decision.read({text!r}{'' if checkers == CHECKERS else f', checkers={checkers}'})"

    # ---------------------------------------------------------------- picture

    def _diagram(self) -> Diagram:
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
        )

    def svg(self, play: Play | None = None, **options: Any) -> Svg:
        """Return a picture; `options` are arguments of `bgfast.svg`."""
        return svg(self, play, **options)

    def _repr_svg_(self) -> Svg:
        return svg(self)


def _is_count(value: int | None) -> bool:
    return value is not None and value >= 0


def _is_power_of_two(value: int | None) -> bool:
    return value is not None and value > 0 and not value & (value - 1)


def after_turn(decision: Decision, position: Position) -> Decision:
    """Return the next player's decision in `position`, with the same cube and score."""
    return replace(
        decision,
        position=position,
        turn=-decision.turn,
        dice=None,
        cube_owner=-decision.cube_owner,
        score=decision.score[::-1],
    )


def context_of(text: PositionText) -> Decision | None:
    """Return the decision of a text with dice, cube or score, such as an XGID; None for other texts."""
    return None if text.context is None else decision_of(text._replace(rest=()))


def decision_of(text: PositionText) -> Decision:
    """Return the decision of a text, with its roll, if any; without a context it is for money play."""
    fields: dict[str, Any] = {**vars(text.context or Context()), "position": text.position}
    if text.rest:
        fields["dice"] = text.roll()
    return Decision(**fields)


# ---- positions as users pass them: text, a board, or an object ----


def subject_of(source: Any, dice: Any = None) -> Position | Decision:
    """Return the `Position` or `Decision` of a source: either of these, text, or a board of 26 numbers.

    Text with a roll, cube or score is a `Decision`, and so is anything with `dice`.
    """
    if isinstance(source, str):
        text = read_position(source)
        source = text.position if text.context is None and not text.rest else decision_of(text)
    elif not isinstance(source, (Position, Decision)):
        source = Position(source)
    if dice is None:
        return source
    decision = source if isinstance(source, Decision) else Decision(position=source)
    return replace(decision, dice=roll_to_play(decision, dice_pair(dice)))


@names_arguments
def svg(
    position: Any,
    play: Play | None = None,
    *,
    bottom: Literal["X", "O"] = "X",
    clockwise: bool = False,
    size: int = 600,
    theme: Theme = "light",
    colours: Mapping[str, str] | None = None,
    title: str | None = None,
    clickable: bool = False,
) -> Svg:
    """Return a picture of a position, a play, or the current state of a game.

    Parameters
    ----------
    position : Position, Play, Decision, Game, Match, GameState or MatchState, text, or board of 26 numbers
        A `Position` alone shows its checkers, with the mover as X. A `Play` shows the position before it,
        its dice, and arrows with a ring around each checker that is hit. A `Decision`, a `Game` or a
        `Match`, or any of its states, also shows dice, cube and score. Text is as for `Decision.read`.
    play : Play, optional
        Play drawn as arrows; it must begin in the position shown.
    bottom : {"X", "O"}
        Side at the bottom. Points are numbered from the mover's side.
    clockwise : bool
        True if the player at the bottom bears off on the left.
    size : int
        The width in pixels, 80 to 10,000.
    theme : {"light", "dark", "print"}
    colours : mapping of str to str, optional
        Replacements of the theme's colours: ``background``, ``frame``, ``board``, ``dark_points``,
        ``light_points``, ``tray``, ``checkers_x``, ``checkers_o``, ``outline_x``, ``outline_o``, ``text``,
        ``cube``, ``cube_text``, ``arrows``, ``other_arrows``, ``hits``; and ``frame_text``,
        ``checkers_x_text``, ``checkers_o_text`` for letters on these, which are otherwise black or white.
    title : str, optional
        Title for screen readers, by default the status; a description of all checkers follows.
    clickable : bool
        True to add an invisible rectangle over each point, for interactive pages; its ``data-point`` is the
        point from the mover's side, 25 for the bar, 0 for the tray. Each die is a group with ``data-die``.

    Returns
    -------
    Svg
        A `str`, which notebooks show as the picture.

    Raises
    ------
    BgfastError
        If `position` cannot be drawn, the play begins elsewhere, or an option is invalid.

    See Also
    --------
    Position.svg, Play.svg, Decision.svg : The same as methods.

    Notes
    -----
    Deterministic and thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> position = bgfast.Position()
    >>> picture = bgfast.svg(position.plays("31")["8/5 6/5"], theme="dark", size=300)
    >>> picture.splitlines()[1]
    '<title>Backgammon position: X plays 8/5 6/5</title>'
    """
    if not isinstance(position, Diagram):
        position = (position if hasattr(position, "_diagram") else subject_of(position))._diagram()
    diagram: Diagram = position
    if play is not None:
        if not isinstance(play, Play) or tuple(play.start) != diagram.board:
            raise BgfastError(
                f"play is {short_repr(play)}; expected a Play that begins in the position shown"
            )
        status = f"{diagram.mover} plays {play}"
        diagram = replace(diagram, roll=play.roll, status=status, moves=tuple(play.moves))
    is_mover_below = diagram.mover == one_of("bottom", bottom, "X", "O")
    width = whole_number(size)
    if width is None or not MIN_SIZE <= width <= MAX_SIZE:
        raise BgfastError(
            f"size is {short_repr(size)}; expected a width in pixels from {MIN_SIZE} to {MAX_SIZE}"
        )
    if title is None:
        title = f"Backgammon position: {diagram.status}"
    elif not isinstance(title, str):
        raise BgfastError(f"title is {short_repr(title)}; expected text")
    check_characters("title", title)
    palette = theme_colours(theme, colours)
    picture = Picture(diagram, is_mover_below, flag("clockwise", clockwise), width, palette)
    return Svg(picture.draw(title, diagram.description(), flag("clickable", clickable)))
