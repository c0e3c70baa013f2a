"""Pictures of positions as SVG text.

Everything is drawn by attributes: several pictures on one page share neither styles nor names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import hypot
from types import MappingProxyType
from typing import Any, Literal

from bgfast.common.clean_text import clean_markup
from bgfast.common.validation import whole_number
from bgfast.common.vocabulary import BAR, BOARD_SIZE, OFF, Board, Roll
from bgfast.errors import BgfastError, shown
from bgfast.position.text.play_text import joined_steps

__all__ = ["Diagram", "Svg", "Theme", "diagram_svg", "themed_colours"]

Theme = Literal["light", "dark", "print"]

# Lengths in the units of the picture; a checker is almost as wide as a point.
POINT = 42
CHECKER = 40
STACK = 5  # checkers of a point that are drawn; its number tells of more
HALF = 6 * POINT
MIDDLE = 76  # between the stacks above and below: dice, and a checker's number
FIELD = 2 * STACK * CHECKER + MIDDLE
CUBE_COLUMN = 54
TRAY = 54
EDGE = 8
TRAY_SLOTS = 15
MIN_SIZE, MAX_SIZE = 80, 10_000
MIN_LETTERS = 9.0  # pixels high, as long as there is room for them

# Source: Extensible Markup Language 1.0, section 2.2.
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_THEMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "light": MappingProxyType(
            {
                "background": "#ffffff",
                "frame": "#7a5230",
                "board": "#f3e3c3",
                "dark_points": "#b5743c",
                "light_points": "#e0bd87",
                "tray": "#d9bf94",
                "checkers_x": "#fffdf6",
                "checkers_o": "#33302e",
                "outline_x": "#5a4a3a",
                "outline_o": "#0f0e0d",
                "text": "#222222",
                "cube": "#ffffff",
                "arrows": "#1f5fbf",
                "other_arrows": "#e0007a",
                "hits": "#d02020",
            }
        ),
        "dark": MappingProxyType(
            {
                "background": "#16191d",
                "frame": "#0c0e10",
                "board": "#2b3138",
                "dark_points": "#1f4e5f",
                "light_points": "#596773",
                "tray": "#20252b",
                "checkers_x": "#ece6d8",
                "checkers_o": "#a8432f",
                "outline_x": "#8d8676",
                "outline_o": "#5e2015",
                "text": "#e6e6e6",
                "cube": "#ece6d8",
                "arrows": "#6db3ff",
                "other_arrows": "#ff7ab8",
                "hits": "#ffd23f",
            }
        ),
        "print": MappingProxyType(
            {
                "background": "#ffffff",
                "frame": "#ffffff",
                "board": "#ffffff",
                "dark_points": "#c4c4c4",
                "light_points": "#ffffff",
                "tray": "#ffffff",
                "checkers_x": "#ffffff",
                "checkers_o": "#000000",
                "outline_x": "#000000",
                "outline_o": "#000000",
                "text": "#000000",
                "cube": "#ffffff",
                "arrows": "#555555",
                "other_arrows": "#000000",
                "hits": "#999999",
            }
        ),
    }
)


_LETTERS = ("frame_text", "checkers_x_text", "checkers_o_text", "cube_text")
"""Colours of letters on a ground, which otherwise contrast with it; a ground may be a colour of the page."""


class Svg(str):
    """The text of a picture, which notebooks show as one.

    Examples
    --------
    >>> import bgfast
    >>> picture = bgfast.svg(bgfast.Position.start())
    >>> picture[:4], picture == picture._repr_svg_()
    ('<svg', True)
    """

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """All that a picture shows, from the side of the player on roll, the mover.

    Attributes
    ----------
    board : tuple of 26 int
    checkers : int
        Per side; those not on the board lie in the trays.
    mover : {"X", "O"}
        Whose checkers the mover's are.
    status : str
        Who is to do what, as "X on roll".
    roll : (int, int) or None
        Drawn with the higher die first.
    cube : int or None
        What the cube shows; None draws no cube.
    cube_owner : {1, 0, -1}
        1 the mover, -1 the opponent, 0 nobody.
    cube_offered : bool
        Whether it lies on the board, to be taken or dropped.
    score : (int, int) or None
        The points of the mover and the opponent; None for no score.
    match_length : int
        0 for money play.
    crawford : bool
        Whether this is the Crawford game, which has no cube.
    jacoby : bool
        Whether the Jacoby rule is in use.
    moves : tuple of (int, int)
        The moves of a play from here, which arrows show.
    other_moves : tuple of (int, int)
        The moves of a second play from here, for comparison: thin dashed arrows in another colour.
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


def themed_colours(theme: Any, colours: Any) -> Mapping[str, str]:
    """Return the colours of a theme, some of them replaced.

    Raises
    ------
    BgfastError
        If the theme or a name is unknown, or a colour is no text.
    """
    if not isinstance(theme, str) or theme not in _THEMES:
        raise BgfastError(f"theme is {shown(theme)}; expected {', '.join(map(repr, _THEMES))}")
    known = _THEMES[theme]
    if colours is None:
        return known
    if not isinstance(colours, Mapping):
        raise BgfastError(f"colours is {shown(colours)}; expected a mapping from {', '.join(known)}")
    for name, colour in colours.items():
        if name not in known and name not in _LETTERS:
            raise BgfastError(f"colours has {shown(name)}; expected some of {', '.join(known)}")
        if not isinstance(colour, str):
            raise BgfastError(f"the colour of {name} is {shown(colour)}; expected text, as '#b5743c'")
        _check_characters(f"the colour of {name}", colour)
    return {**known, **colours}


def diagram_svg(
    diagram: Diagram,
    *,
    bottom: Literal["X", "O"] = "X",
    clockwise: bool = False,
    size: int = 600,
    theme: Theme = "light",
    colours: Mapping[str, str] | None = None,
    title: str | None = None,
    clickable: bool = False,
) -> Svg:
    """Return the picture of a diagram.

    Parameters
    ----------
    diagram : Diagram
    bottom : {"X", "O"}
        Whose side is below.
    clockwise : bool
        Whether that player bears off on the left instead of the right.
    size : int
        The width in pixels.
    theme : {"light", "dark", "print"}
    colours : mapping of str to str, optional
        Some colours of the theme replaced, by name.
    title : str, optional
        What screen readers say first; by default who is on roll and what is to be played.
    clickable : bool
        Whether an invisible rectangle lies on each point, on the mover's bar and on the mover's tray, with
        the number of that point as its ``data-point``.

    Raises
    ------
    BgfastError
        If one of these is something else.

    Notes
    -----
    Thread-safe: nothing is shared.

    Examples
    --------
    >>> import bgfast
    >>> board = tuple(int(n) for n in bgfast.Position.start().to_array())
    >>> diagram_svg(Diagram(board=board, status="X on roll"), size=200).count("<circle")
    30
    """
    width = whole_number(size)
    if width is None or not MIN_SIZE <= width <= MAX_SIZE:
        raise BgfastError(f"size is {shown(size)}; expected a width in pixels from {MIN_SIZE} to {MAX_SIZE}")
    if title is not None:
        if not isinstance(title, str):
            raise BgfastError(f"title is {shown(title)}; expected text")
        _check_characters("title", title)
    picture = _Picture(
        diagram, diagram.mover == bottom, bool(clockwise), width, themed_colours(theme, colours)
    )
    said = f"Backgammon position: {diagram.status}" if title is None else title
    return Svg(picture.text(said, _description(diagram), bool(clickable)))


def _check_characters(name: str, text: str) -> None:
    """Raise `BgfastError` if there is a character in a text that XML cannot hold, not even escaped."""
    found = _NOT_IN_XML.search(text)
    if found is not None:
        raise BgfastError(
            f"{name} has {found[0]!a} at {found.start()}; expected text without control characters and "
            "lone surrogates, which no picture can hold"
        )


def _opponent(diagram: Diagram) -> Literal["X", "O"]:
    return "O" if diagram.mover == "X" else "X"


def _description(diagram: Diagram) -> str:
    """Return where all checkers are, in words; each side counts points from its own home."""
    sides = [(diagram.mover, diagram.board), (_opponent(diagram), _turned(diagram.board))]
    said = []
    for side, board in sides:
        places = [f"{board[point]} on {point}" for point in range(24, 0, -1) if board[point] > 0]
        if board[BAR] > 0:
            places.insert(0, f"{board[BAR]} on the bar")
        off = diagram.checkers - sum(n for n in board if n > 0)
        places += [f"{off} off"] if off else []
        said.append(f"{diagram.name_of(side)}: {', '.join(places)}; {_pips(board)} pips.")
    return " ".join(said)


def _turned(board: Sequence[int]) -> Board:
    return tuple(-n for n in reversed(board))


def _pips(board: Sequence[int]) -> int:
    return sum(point * n for point, n in enumerate(board) if n > 0)


class _Picture:
    """One picture: where everything is, and the elements so far."""

    def __init__(
        self, diagram: Diagram, mover_below: bool, clockwise: bool, width: int, colours: Mapping[str, str]
    ) -> None:
        self.diagram = diagram
        self.mover_below = mover_below
        # Everything is placed from the side of the player below.
        self.board = diagram.board if mover_below else _turned(diagram.board)
        self.clockwise = clockwise
        self.colours = colours
        self.size = width
        self.below: Literal["X", "O"] = diagram.mover if mover_below else _opponent(diagram)
        self.above: Literal["X", "O"] = "O" if self.below == "X" else "X"
        self.width = EDGE + CUBE_COLUMN + HALF + POINT + HALF + TRAY + EDGE
        self.letters = min(max(16.0, MIN_LETTERS * self.width / width), 0.9 * CHECKER)  # high, in units
        self.line = 1.5 * self.letters
        self.top = self.line + EDGE + 1.1 * self.letters  # of the field
        self.bottom = self.top + FIELD
        self.height = self.bottom + 1.1 * self.letters + EDGE + self.line
        self.parts: list[str] = []

    def text(self, title: str, description: str, clickable: bool) -> str:
        """Draw everything and return the SVG."""
        height = round(self.size * self.height / self.width)
        self._board()
        self._checkers()
        self._trays()
        self._cube()
        self._dice()
        self._arrows(self.diagram.moves)
        self._arrows(self.diagram.other_moves, is_other=True)
        self._labels()
        if clickable:
            self._click_areas()
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.size}" height="{height}" '
            f'viewBox="0 0 {self.width} {_number(self.height)}" role="img" '
            f'font-family="Helvetica, Arial, sans-serif">\n'
            f"<title>{clean_markup(title)}</title>\n<desc>{clean_markup(description)}</desc>\n"
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )

    # ---------------------------------------------------------------- where things are

    def _across(self, x: float) -> float:
        """Return a place across the picture, mirrored if the player below bears off on the left."""
        return self.width - x if self.clockwise else x

    def _point_x(self, point: int) -> float:
        """Return the middle of a point, 1 to 24, or of the bar."""
        left = EDGE + CUBE_COLUMN
        if point in (0, BAR):
            return self._across(left + HALF + POINT / 2)
        column = 12 - point if point <= 12 else point - 13  # from the left, 0 to 11
        return self._across(left + column * POINT + (POINT if column >= 6 else 0) + POINT / 2)

    def _spot(self, point: int, height: int) -> tuple[float, float]:
        """Return the middle of a checker of a stack, 0 the first; not higher than what is drawn."""
        x, level = self._point_x(point), min(height, STACK - 1)
        if point in (0, BAR):  # from the middle outwards
            away = MIDDLE / 2 + CHECKER / 2 + level * CHECKER
            return x, (self.top + self.bottom) / 2 + (away if point == BAR else -away)
        away = CHECKER / 2 + level * CHECKER
        return x, self.bottom - away if point <= 12 else self.top + away

    def _tray_x(self) -> float:
        return self._across(self.width - EDGE - TRAY / 2)

    # ---------------------------------------------------------------- elements

    def _add(self, name: str, content: str = "", /, **attributes: str | float) -> None:
        given = [(key.replace("_", "-"), clean_markup(_number(value))) for key, value in attributes.items()]
        words = "".join(f' {key}="{value}"' for key, value in given)
        self.parts.append(f"<{name}{words}>{content}</{name}>" if content else f"<{name}{words}/>")

    def _rectangle(
        self, middle_x: float, y: float, width: float, height: float, fill: str, **more: str | float
    ) -> None:
        self._add("rect", x=middle_x - width / 2, y=y, width=width, height=height, fill=fill, **more)

    def _words(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        fill: str,
        anchor: str = "middle",
        **more: str | float,
    ) -> None:
        self._add(
            "text",
            clean_markup(text),
            x=x,
            y=y + 0.36 * size,
            font_size=size,
            text_anchor=anchor,
            fill=fill,
            **more,
        )

    def _board(self) -> None:
        colour = self.colours
        self._add("rect", width=self.width, height=self.height, fill=colour["background"])
        frame_top = self.line
        self._rectangle(
            self.width / 2,
            frame_top,
            self.width - EDGE / 2,
            self.height - 2 * self.line,
            colour["frame"],
            stroke=colour["outline_o"],
            rx=4,
        )
        left = EDGE + CUBE_COLUMN
        for x in (left + HALF / 2, left + HALF + POINT + HALF / 2):
            self._rectangle(
                self._across(x), self.top, HALF, FIELD, colour["board"], stroke=colour["outline_o"]
            )
        for point in range(1, 25):
            x, below = self._point_x(point), point <= 12
            base, tip = (
                (self.bottom, self.bottom - 4.7 * CHECKER) if below else (self.top, self.top + 4.7 * CHECKER)
            )
            self._add(
                "polygon",
                points=_points([(x - POINT / 2, base), (x, tip), (x + POINT / 2, base)]),
                fill=colour["dark_points" if (point % 2 == 0) == below else "light_points"],
                stroke=colour["outline_x"],
                stroke_width=0.7,
            )

    def _labels(self) -> None:
        """Write the numbers of the points as the mover counts them, and a line for each player."""
        size, text = self.letters, self.colours["text"]
        frame = self._letters_on("frame")
        for point in range(1, 25):
            own = point if self.mover_below else BAR - point
            y = self.bottom + 0.6 * size if point <= 12 else self.top - 0.6 * size
            self._words(self._point_x(point), y, str(own), 0.9 * size, frame)
        for side, board, y in (
            (self.above, _turned(self.board), self.line / 2),
            (self.below, self.board, self.height - self.line / 2),
        ):
            own = side == self.diagram.mover
            words = [f"{self.diagram.name_of(side)}: {_pips(board)} pips", *self._score(own)]
            self._words(EDGE, y, ", ".join(words), size, text, "start")
            end = self.width - EDGE
            if own:
                self._words(end, y, self.diagram.status, size, text, "end", font_weight="bold")
            elif self.diagram.crawford or self.diagram.jacoby:
                game = "Crawford game" if self.diagram.crawford else "Jacoby rule"
                self._words(end, y, game, size, text, "end")

    def _score(self, mover: bool) -> list[str]:
        diagram = self.diagram
        if diagram.score is None:
            return []
        points = diagram.score[0 if mover else 1]
        if not diagram.match_length:
            return [f"score {points}"]
        return [f"score {points} of {diagram.match_length}"]

    def _checkers(self) -> None:
        for point in range(BOARD_SIZE):
            number = abs(self.board[point])
            side = self.below if self.board[point] > 0 else self.above
            for level in range(min(number, STACK)):
                self._checker(*self._spot(point, level), side)
            if number > STACK:
                self._words(
                    *self._spot(point, STACK - 1),
                    str(number),
                    min(max(20.0, self.letters), 30.0),
                    self._letters_on(f"checkers_{side.lower()}"),
                    font_weight="bold",
                )

    def _letters_on(self, ground: str) -> str:
        """Return the colour of letters on a ground."""
        colours = self.colours
        return colours.get(f"{ground}_text") or _contrast(colours[ground], colours["text"])

    def _colours_of(self, side: Literal["X", "O"]) -> tuple[str, str]:
        """Return the colours of a side's checkers and of their outlines."""
        name = side.lower()
        return self.colours[f"checkers_{name}"], self.colours[f"outline_{name}"]

    def _checker(self, x: float, y: float, side: Literal["X", "O"]) -> None:
        fill, outline = self._colours_of(side)
        self._add(
            "circle",
            cx=x,
            cy=y,
            r=CHECKER / 2 - 1,
            fill=fill,
            stroke=outline,
            stroke_width=1.5,
        )

    def _trays(self) -> None:
        """Draw the checkers borne off, edgewise, with their number."""
        x, room = self._tray_x(), STACK * CHECKER
        for below in (True, False):
            side, board = (self.below, self.board) if below else (self.above, _turned(self.board))
            top = self.bottom - room if below else self.top
            self._rectangle(x, top, TRAY - 12, room, self.colours["tray"], stroke=self.colours["outline_x"])
            off = self.diagram.checkers - sum(n for n in board if n > 0)
            slot = room / TRAY_SLOTS
            fill, outline = self._colours_of(side)
            for number in range(off):
                y = self.bottom - (number + 1) * slot if below else self.top + number * slot
                self._rectangle(x, y + 0.5, TRAY - 16, slot - 1, fill, stroke=outline, rx=2)
            if off:
                y = top - 0.7 * self.letters if below else top + room + 0.7 * self.letters
                self._words(x, y, str(off), self.letters, self._letters_on("frame"), font_weight="bold")

    def _cube(self) -> None:
        diagram = self.diagram
        if diagram.cube is None or diagram.crawford:
            return
        side = CHECKER
        middle = (self.top + self.bottom) / 2
        x, y = self._across(EDGE / 2 + CUBE_COLUMN / 2 + 2), middle
        if diagram.cube_offered:
            x = self._across(EDGE + CUBE_COLUMN + HALF / 2)
        elif diagram.cube_owner:
            below = (diagram.cube_owner > 0) == self.mover_below
            y = self.bottom - side / 2 - 2 if below else self.top + side / 2 + 2
        # As on a real one, 64 stands for 1; an offer shows what it would be worth.
        shows = 2 * diagram.cube if diagram.cube_offered else 64 if diagram.cube == 1 else diagram.cube
        self._rectangle(
            x, y - side / 2, side, side, self.colours["cube"], stroke=self.colours["outline_o"], rx=6
        )
        size = min(max(22.0, self.letters), 64.0 / len(str(shows)))
        ink = self.colours.get("cube_text", self.colours["outline_o"])
        self._words(x, y, str(shows), size, ink, font_weight="bold")

    def _dice(self) -> None:
        if self.diagram.roll is None:
            return
        side, middle = 34.0, (self.top + self.bottom) / 2
        # The player below throws on the right, the one above on the left.
        right = EDGE + CUBE_COLUMN + HALF + POINT + HALF / 2
        centre = right if self.mover_below else EDGE + CUBE_COLUMN + HALF / 2
        fill, outline = self._colours_of(self.diagram.mover)
        for die, offset in zip(
            sorted(self.diagram.roll, reverse=True), (-0.65 * side, 0.65 * side), strict=True
        ):
            x = self._across(centre) + offset
            self._rectangle(
                x,
                middle - side / 2,
                side,
                side,
                fill,
                stroke=outline,
                stroke_width=1.5,
                rx=6,
            )
            for across, down in _DIE_PIPS[die]:
                self._add(
                    "circle",
                    cx=x + across * side / 4,
                    cy=middle + down * side / 4,
                    r=3.2,
                    fill=self.colours["outline_x" if self.diagram.mover == "X" else "checkers_x"],
                )

    def _click_areas(self) -> None:
        """Lay the invisible rectangles above everything else, which would catch the clicks."""
        room = STACK * CHECKER
        for own in range(BOARD_SIZE):
            point = own if self.mover_below else BAR - own
            if own in (OFF, BAR):
                x, below = self._tray_x() if own == OFF else self._point_x(BAR), self.mover_below
            else:
                x, below = self._point_x(point), point <= 12
            y, width = self.bottom - room if below else self.top, TRAY if own == OFF else POINT
            # Browsers see clicks on what is not painted only where they are told to.
            self._rectangle(x, y, width, room, "none", pointer_events="all", data_point=own)

    # ---------------------------------------------------------------- arrows

    def _arrows(self, moves: Sequence[tuple[int, int]], is_other: bool = False) -> None:
        """Draw each checker's way as one arrow, and a ring around what is hit.

        As in the text of a play, a stop is shown only where something is hit there. Arrows of the other play
        are thin and dashed: where both plays move alike, both colours show.
        """
        board = list(self.diagram.board)
        moved = sorted((move for move in moves if move[0] != move[1]), reverse=True)
        ways: list[list[int]] = []
        for start, *places in joined_steps(moved):
            stops = []
            for place in places:
                if place != OFF and board[place] == -1:
                    board[place] = 0
                    stops.append(place)
                    self._ring(*self._mover_spot(place, 0))
            ways.append([start, *(stop for stop in stops if stop != places[-1]), places[-1]])
        spots = self._ends(ways, board)
        # Which of the checkers on one point goes to which place: ways that are shortest in all do not cross.
        drawn = min(
            (self._paths(order, spots) for order in permutations(ways)),
            key=lambda paths: round(sum(map(_length, paths))),
        )
        for path in drawn:
            self._arrow(path, is_other)

    def _ends(
        self, ways: Sequence[Sequence[int]], board: Sequence[int]
    ) -> dict[int, list[tuple[float, float]]]:
        """Return where arrows begin or end on each point, from above; no arrow begins where others end."""
        going, coming = Counter(way[0] for way in ways), Counter(way[-1] for way in ways)
        spots = {OFF: [(self._tray_x(), self._mover_spot(1, 2)[1])] * coming.pop(OFF, 0)}
        for point, number in (going + coming).items():
            high = min(board[point] + coming[point], STACK)
            spots[point] = sorted(
                (self._mover_spot(point, height) for height in range(high - number, high)),
                key=lambda spot: spot[1],
            )
        return spots

    def _paths(
        self, ways: Sequence[Sequence[int]], spots: Mapping[int, Sequence[tuple[float, float]]]
    ) -> list[list[tuple[float, float]]]:
        """Return where each way runs, if the earlier ones begin and end above the others."""
        taken: Counter[int] = Counter()
        paths = []
        for start, *stops, end in ways:
            first, last = spots[start][taken[start]], spots[end][taken[end]]
            paths.append([first, *(self._mover_spot(stop, 0) for stop in stops), last])
            taken.update((start, end))
        return paths

    def _ring(self, x: float, y: float) -> None:
        self._add(
            "circle",
            cx=x,
            cy=y,
            r=CHECKER / 2 - 1,
            fill="none",
            stroke=self.colours["hits"],
            stroke_width=4,
        )

    def _mover_spot(self, point: int, height: int) -> tuple[float, float]:
        return self._spot(point if self.mover_below else BAR - point, height)

    def _arrow(self, path: Sequence[tuple[float, float]], is_other: bool) -> None:
        (from_x, from_y), (x, y) = path[-2:]
        length = hypot(x - from_x, y - from_y) or 1.0
        along = (x - from_x) / length, (y - from_y) / length
        head, half = (13.0, 7.0) if is_other else (16.0, 9.0)
        base = x - head * along[0], y - head * along[1]
        colour = self.colours["other_arrows" if is_other else "arrows"]
        line: dict[str, str | float] = {"stroke_width": 5, "stroke_linejoin": "round", "stroke_opacity": 0.85}
        if is_other:
            line = {"stroke_width": 4, "stroke_dasharray": "9 5"}
        self._add("polyline", points=_points([*path[:-1], base]), fill="none", stroke=colour, **line)
        sides = [(base[0] - turn * half * along[1], base[1] + turn * half * along[0]) for turn in (1, -1)]
        self._add("polygon", points=_points([(x, y), *sides]), fill=colour)


# Where the pips of a die are, in quarters of its side from its middle.
_DIE_PIPS: Mapping[int, tuple[tuple[int, int], ...]] = MappingProxyType(
    {
        1: ((0, 0),),
        2: ((-1, -1), (1, 1)),
        3: ((-1, -1), (0, 0), (1, 1)),
        4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
        5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
        6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    }
)


def _number(value: str | float) -> str:
    """Return an attribute's value; a number with one decimal at most, the same on every machine."""
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def _length(path: Sequence[tuple[float, float]]) -> float:
    return sum(hypot(x - from_x, y - from_y) for (from_x, from_y), (x, y) in pairwise(path))


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in places)


def _contrast(ground: str, text: str) -> str:
    """Return the colour of letters on a ground: white or black, or the text's where the ground has a name."""
    if len(ground) == 7 and ground.startswith("#"):
        try:
            channels = [int(ground[i : i + 2], 16) for i in (1, 3, 5)]
        except ValueError:
            return text
        return "#ffffff" if sum(channels) < 3 * 128 else "#222222"
    return text
