"""Pictures of positions as SVG text.

Elements use attributes, not styles or identifiers, so that pictures on one page do not interfere.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from math import hypot
from typing import Any, Literal

from bgfast.common.files import validate_path, write_file
from bgfast.common.foreign_names import names_missing
from bgfast.common.text import Pattern, clean_markup
from bgfast.common.validation import BAR, BOARD_SIZE, OFF, Board, Roll, flip_board, one_of
from bgfast.errors import BgfastError, short_repr
from bgfast.position.play_text import join_steps

# Lengths in the units of the picture; a checker is almost as wide as a point.
POINT = 42
CHECKER = 40
RADIUS = CHECKER / 2 - 1
STACK = 5  # maximum number of checkers drawn on a point; a higher stack shows its count
HALF = 6 * POINT  # width of the points on one side of the bar
MIDDLE = 76  # distance between the stacks above and below, where dice and an offered cube are drawn
FIELD = 2 * STACK * CHECKER + MIDDLE
CUBE_COLUMN = 54
TRAY = 54
EDGE = 8
TRAY_SLOTS = 15
MIN_LETTER_HEIGHT = 9.0  # in pixels, where space allows


@names_missing
class Svg(str):
    """SVG text of a picture; notebooks display it.

    Examples
    --------
    >>> import bgfast
    >>> picture = bgfast.svg(bgfast.Position())
    >>> picture[:4], picture == picture._repr_svg_()
    ('<svg', True)
    """

    __slots__ = ()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file; raise `BgfastError` if it cannot be written."""
        write_file(validate_path(path, "the path of a picture"), self)

    def _repr_svg_(self) -> str:
        return str(self)


class Picture:
    """Layout and elements of a picture."""

    def __init__(
        self, diagram: Diagram, mover_below: bool, clockwise: bool, width: int, colours: Mapping[str, str]
    ) -> None:
        self.diagram = diagram
        self.mover_below = mover_below
        # The layout is from the side of the player below.
        self.board = diagram.board if mover_below else flip_board(diagram.board)
        self.clockwise = clockwise
        self.colours = colours
        self.pixel_width = width
        self.below: Literal["X", "O"] = diagram.mover if mover_below else diagram.opponent
        self.above: Literal["X", "O"] = "O" if self.below == "X" else "X"
        self.width = EDGE + CUBE_COLUMN + HALF + POINT + HALF + TRAY + EDGE
        self.letter_height = min(max(16.0, MIN_LETTER_HEIGHT * self.width / width), 0.9 * CHECKER)  # in units
        self.line_height = 1.5 * self.letter_height
        self.top = self.line_height + EDGE + 1.1 * self.letter_height  # top of the field
        self.bottom = self.top + FIELD
        self.height = self.bottom + 1.1 * self.letter_height + EDGE + self.line_height
        self.parts: list[str] = []

    def draw(self, title: str, description: str, clickable: bool) -> str:
        """Draw everything and return the SVG."""
        height = round(self.pixel_width * self.height / self.width)
        self._board()
        self._checkers()
        self._trays()
        self._cube()
        self._dice(clickable)
        self._arrows(self.diagram.moves)
        self._arrows(self.diagram.other_moves, is_other=True)
        self._labels()
        if clickable:
            self._click_areas()
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.pixel_width}" height="{height}" '
            f'viewBox="0 0 {self.width} {_format(self.height)}" role="img" '
            f'font-family="Helvetica, Arial, sans-serif">'
        )
        titles = f"<title>{clean_markup(title)}</title>", f"<desc>{clean_markup(description)}</desc>"
        return "\n".join([head, *titles, *self.parts, "</svg>\n"])

    # ---------------------------------------------------------------- layout

    def _mirror_x(self, x: float) -> float:
        """Return a horizontal coordinate, mirrored if the player below bears off on the left."""
        return self.width - x if self.clockwise else x

    def _point_x(self, point: int) -> float:
        """Return the horizontal centre of a point, 1 to 24, or of the bar."""
        left = EDGE + CUBE_COLUMN
        if point in (0, BAR):
            return self._mirror_x(left + HALF + POINT / 2)
        column = 12 - point if point <= 12 else point - 13  # from the left, 0 to 11
        return self._mirror_x(left + column * POINT + (POINT if column >= 6 else 0) + POINT / 2)

    def _spot(self, point: int, height: int) -> tuple[float, float]:
        """Return the centre of the checker at a height (from 0), capped at the highest checker drawn."""
        x, level = self._point_x(point), min(height, STACK - 1)
        if point in (0, BAR):  # stacks on the bar grow from the middle
            distance = MIDDLE / 2 + CHECKER / 2 + level * CHECKER
            return x, (self.top + self.bottom) / 2 + (distance if point == BAR else -distance)
        distance = CHECKER / 2 + level * CHECKER
        return x, self.bottom - distance if point <= 12 else self.top + distance

    def _tray_x(self) -> float:
        return self._mirror_x(self.width - EDGE - TRAY / 2)

    # ---------------------------------------------------------------- elements

    def _add(self, name: str, content: str = "", /, **attributes: str | float) -> None:
        pairs = [(key.replace("_", "-"), clean_markup(_format(value))) for key, value in attributes.items()]
        tag = name + "".join(f' {key}="{value}"' for key, value in pairs)
        self.parts.append(f"<{tag}>{content}</{name}>" if content else f"<{tag}/>")

    def _rectangle(
        self, middle_x: float, y: float, width: float, height: float, fill: str, **attributes: str | float
    ) -> None:
        self._add("rect", x=middle_x - width / 2, y=y, width=width, height=height, fill=fill, **attributes)

    def _circle(self, x: float, y: float, radius: float, fill: str, **attributes: str | float) -> None:
        self._add("circle", cx=x, cy=y, r=radius, fill=fill, **attributes)

    def _write(
        self, x: float, y: float, text: str, size: float, fill: str, anchor: str = "middle", **styles: Any
    ) -> None:
        styles = {"y": y + 0.36 * size, "font_size": size, "text_anchor": anchor, "fill": fill, **styles}
        self._add("text", clean_markup(text), x=x, **styles)

    def _board(self) -> None:
        colours = self.colours
        self._add("rect", width=self.width, height=self.height, fill=colours["background"])
        outline = colours["outline_o"]
        y, width, height = self.line_height, self.width - EDGE / 2, self.height - 2 * self.line_height
        self._rectangle(self.width / 2, y, width, height, colours["frame"], stroke=outline, rx=4)
        left = EDGE + CUBE_COLUMN
        for x in (left + HALF / 2, left + HALF + POINT + HALF / 2):
            self._rectangle(self._mirror_x(x), self.top, HALF, FIELD, colours["board"], stroke=outline)
        for point in range(1, 25):
            x, is_below = self._point_x(point), point <= 12
            base = self.bottom if is_below else self.top
            tip = base + (-4.7 if is_below else 4.7) * CHECKER
            self._add(
                "polygon",
                points=_points([(x - POINT / 2, base), (x, tip), (x + POINT / 2, base)]),
                fill=colours["dark_points" if (point % 2 == 0) == is_below else "light_points"],
                stroke=colours["outline_x"],
                stroke_width=0.7,
            )

    def _labels(self) -> None:
        """Write the numbers of the points from the mover's side, and a line for each player."""
        diagram, size, ink = self.diagram, self.letter_height, self.colours["text"]
        frame_ink = self._letter_colour("frame")
        for point in range(1, 25):
            mover_point = point if self.mover_below else BAR - point
            y = self.bottom + 0.6 * size if point <= 12 else self.top - 0.6 * size
            self._write(self._point_x(point), y, str(mover_point), 0.9 * size, frame_ink)
        for side, board, y in (
            (self.above, flip_board(self.board), self.line_height / 2),
            (self.below, self.board, self.height - self.line_height / 2),
        ):
            is_mover = side == diagram.mover
            label = f"{diagram.name_of(side)}: {pip_count(board)} pips"
            if diagram.score is not None:
                length = f" of {diagram.match_length}" if diagram.match_length else ""
                label += f", score {diagram.score[0 if is_mover else 1]}{length}"
            self._write(EDGE, y, label, size, ink, "start")
            game = "Crawford game" if diagram.crawford else "Jacoby rule" if diagram.jacoby else ""
            if is_mover:
                self._write(self.width - EDGE, y, diagram.status, size, ink, "end", font_weight="bold")
            elif game:
                self._write(self.width - EDGE, y, game, size, ink, "end")

    def _checkers(self) -> None:
        for point in range(BOARD_SIZE):
            count = abs(self.board[point])
            side = self.below if self.board[point] > 0 else self.above
            fill, outline = self._colours_of(side)
            for level in range(min(count, STACK)):
                self._circle(*self._spot(point, level), RADIUS, fill, stroke=outline, stroke_width=1.5)
            if count > STACK:
                size = min(max(20.0, self.letter_height), 30.0)
                ink = self._letter_colour(f"checkers_{side.lower()}")
                self._write(*self._spot(point, STACK - 1), str(count), size, ink, font_weight="bold")

    def _letter_colour(self, background: str) -> str:
        colours = self.colours
        return colours.get(f"{background}_text") or contrast(colours[background], colours["text"])

    def _colours_of(self, side: Literal["X", "O"]) -> tuple[str, str]:
        name = side.lower()
        return self.colours[f"checkers_{name}"], self.colours[f"outline_{name}"]

    def _trays(self) -> None:
        """Draw the borne-off checkers on edge, and their number."""
        x, height = self._tray_x(), STACK * CHECKER
        for is_below in (True, False):
            side, board = (self.below, self.board) if is_below else (self.above, flip_board(self.board))
            top = self.bottom - height if is_below else self.top
            self._rectangle(x, top, TRAY - 12, height, self.colours["tray"], stroke=self.colours["outline_x"])
            off = self.diagram.checkers - sum(n for n in board if n > 0)
            slot = height / TRAY_SLOTS
            fill, outline = self._colours_of(side)
            for index in range(off):
                y = self.bottom - (index + 1) * slot if is_below else self.top + index * slot
                self._rectangle(x, y + 0.5, TRAY - 16, slot - 1, fill, stroke=outline, rx=2)
            if off:
                y = top - 0.7 * self.letter_height if is_below else top + height + 0.7 * self.letter_height
                ink = self._letter_colour("frame")
                self._write(x, y, str(off), self.letter_height, ink, font_weight="bold")

    def _cube(self) -> None:
        diagram = self.diagram
        if diagram.cube is None or diagram.crawford:
            return
        side = CHECKER
        x, y = self._mirror_x(EDGE / 2 + CUBE_COLUMN / 2 + 2), (self.top + self.bottom) / 2
        if diagram.cube_offered:
            x = self._mirror_x(EDGE + CUBE_COLUMN + HALF / 2)
        elif diagram.cube_owner:
            is_below = (diagram.cube_owner > 0) == self.mover_below
            y = self.bottom - side / 2 - 2 if is_below else self.top + side / 2 + 2
        # As on a real cube, 64 stands for 1; an offer shows the value after a take.
        face = 2 * diagram.cube if diagram.cube_offered else 64 if diagram.cube == 1 else diagram.cube
        outline = self.colours["outline_o"]
        self._rectangle(x, y - side / 2, side, side, self.colours["cube"], stroke=outline, rx=6)
        size = min(max(22.0, self.letter_height), 64.0 / len(str(face)))
        self._write(x, y, str(face), size, self.colours["cube_text"], font_weight="bold")

    def _dice(self, clickable: bool) -> None:
        if self.diagram.roll is None:
            return
        side, middle = 34.0, (self.top + self.bottom) / 2
        # The player below throws on the right, the player above on the left.
        right = EDGE + CUBE_COLUMN + HALF + POINT + HALF / 2
        centre = right if self.mover_below else EDGE + CUBE_COLUMN + HALF / 2
        fill, outline = self._colours_of(self.diagram.mover)
        dice = max(self.diagram.roll), min(self.diagram.roll)
        for die, offset in zip(dice, (-0.65 * side, 0.65 * side), strict=True):
            x = self._mirror_x(centre) + offset
            self.parts += [f'<g data-die="{die}">'] * clickable
            self._rectangle(x, middle - side / 2, side, side, fill, stroke=outline, stroke_width=1.5, rx=6)
            ink = self.colours["outline_x" if self.diagram.mover == "X" else "checkers_x"]
            for row, column in (divmod(int(cell), 3) for cell in _DIE_PIPS[die - 1]):
                self._circle(x + (column - 1) * side / 4, middle + (row - 1) * side / 4, 3.2, ink)
            self.parts += ["</g>"] * clickable

    def _click_areas(self) -> None:
        """Add invisible rectangles for clicks on top of all other elements."""
        height = STACK * CHECKER
        for mover_point in range(BOARD_SIZE):
            point = mover_point if self.mover_below else BAR - mover_point
            if mover_point in (OFF, BAR):
                x, is_below = self._tray_x() if mover_point == OFF else self._point_x(BAR), self.mover_below
            else:
                x, is_below = self._point_x(point), point <= 12
            y, width = self.bottom - height if is_below else self.top, TRAY if mover_point == OFF else POINT
            # Without pointer-events browsers ignore clicks on unpainted shapes.
            self._rectangle(x, y, width, height, "none", pointer_events="all", data_point=mover_point)

    # ---------------------------------------------------------------- arrows

    def _arrows(self, moves: Sequence[tuple[int, int]], is_other: bool = False) -> None:
        """Draw each checker's route as an arrow, and a ring around each hit."""
        for path in self.paths(moves):
            if len(path) > 1:
                self._arrow(path, is_other)
            else:
                self._circle(*path[0], RADIUS, "none", stroke=self.colours["hits"], stroke_width=4)

    def paths(self, moves: Sequence[tuple[int, int]]) -> list[list[tuple[float, float]]]:
        """Return the centre of each hit checker as a path of one point, then the path of each arrow.

        As in the text of a play, only stops with a hit are shown.
        """
        board = list(self.diagram.board)
        steps = sorted((move for move in moves if move[0] != move[1]), reverse=True)
        routes: list[list[int]] = []
        hits = []
        for start, *points in join_steps(steps):
            hit_points = []
            for point in points:
                if point != OFF and board[point] == -1:
                    board[point] = 0
                    hit_points.append(point)
                    hits.append([self._mover_spot(point, 0)])
            routes.append([start, *(point for point in hit_points if point != points[-1]), points[-1]])
        spots = self._ends(routes, board)
        # Arrows from one point do not cross if their total length is the smallest possible.
        arrows = min(
            (self._paths(order, spots) for order in permutations(routes)),
            key=lambda paths: round(sum(map(_length, paths))),
        )
        return [*hits, *arrows]

    def _ends(
        self, routes: Sequence[Sequence[int]], board: Sequence[int]
    ) -> dict[int, list[tuple[float, float]]]:
        """Return the spots of arrow ends on each point, from the top; no two ends on a point share a spot."""
        starts, ends = Counter(route[0] for route in routes), Counter(route[-1] for route in routes)
        spots = {OFF: [(self._tray_x(), self._mover_spot(1, 2)[1])] * ends.pop(OFF, 0)}
        for point, count in (starts + ends).items():
            stack_height = min(board[point] + ends[point], STACK)
            spots[point] = sorted(
                (self._mover_spot(point, height) for height in range(stack_height - count, stack_height)),
                key=lambda spot: spot[1],
            )
        return spots

    def _paths(
        self, routes: Sequence[Sequence[int]], spots: Mapping[int, Sequence[tuple[float, float]]]
    ) -> list[list[tuple[float, float]]]:
        """Return the path of each route; earlier routes take the upper spots."""
        end_counts: Counter[int] = Counter()
        paths = []
        for start, *stops, end in routes:
            first, last = spots[start][end_counts[start]], spots[end][end_counts[end]]
            paths.append([first, *(self._mover_spot(stop, 0) for stop in stops), last])
            end_counts.update((start, end))
        return paths

    def _mover_spot(self, point: int, height: int) -> tuple[float, float]:
        return self._spot(point if self.mover_below else BAR - point, height)

    def _arrow(self, path: Sequence[tuple[float, float]], is_other: bool) -> None:
        (from_x, from_y), (x, y) = path[-2:]
        length = hypot(x - from_x, y - from_y) or 1.0
        dx, dy = (x - from_x) / length, (y - from_y) / length
        head_length, half_width = (13.0, 7.0) if is_other else (16.0, 9.0)
        base = x - head_length * dx, y - head_length * dy
        colour = self.colours["other_arrows" if is_other else "arrows"]
        line: dict[str, str | float] = {"stroke_width": 5, "stroke_linejoin": "round", "stroke_opacity": 0.85}
        if is_other:
            line = {"stroke_width": 4, "stroke_dasharray": "9 5"}
        self._add("polyline", points=_points([*path[:-1], base]), fill="none", stroke=colour, **line)
        sides = [(base[0] - half * dy, base[1] + half * dx) for half in (half_width, -half_width)]
        self._add("polygon", points=_points([(x, y), *sides]), fill=colour)


# Pips of each face as cells of a 3 by 3 grid, numbered row by row.
_DIE_PIPS = ("4", "08", "048", "0268", "02468", "023568")


def _format(value: str | float) -> str:
    """Format an attribute's value; numbers have at most one decimal, the same on every machine."""
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def _length(path: Sequence[tuple[float, float]]) -> float:
    return sum(hypot(x - from_x, y - from_y) for (from_x, from_y), (x, y) in pairwise(path))


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_format(x)},{_format(y)}" for x, y in points)


# ---- content of a picture ----


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """Content of a picture, from the side of the player on roll, the mover."""

    board: Board
    checkers: int = 15  # per side; checkers not on the board are drawn in the trays
    mover: Literal["X", "O"] = "X"  # colour of the mover's checkers
    status: str  # text on the mover's line, such as "X on roll"
    roll: Roll | None = None  # drawn with the higher die first
    cube: int | None = None  # value; None draws no cube
    cube_owner: int = 0  # 1 the mover, -1 the opponent, 0 nobody
    cube_offered: bool = False
    score: tuple[int, int] | None = None  # points of the mover and the opponent
    match_length: int = 0  # 0 for money play
    crawford: bool = False
    jacoby: bool = False
    moves: tuple[tuple[int, int], ...] = ()  # drawn as arrows
    other_moves: tuple[tuple[int, int], ...] = ()  # a second play, drawn as thin dashed arrows
    names: tuple[str, str] = ("X", "O")  # names of X and O, without control characters

    def name_of(self, side: str) -> str:
        """Return the name of a side, X or O."""
        return self.names["XO".index(side)]

    @property
    def opponent(self) -> Literal["X", "O"]:
        """The colour of the other side."""
        return "O" if self.mover == "X" else "X"

    def description(self) -> str:
        """Return the position in words; each side numbers the points from its own home."""
        sides = [(self.mover, self.board), (self.opponent, flip_board(self.board))]
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
    """Return the pip count of the side whose checkers are positive."""
    return sum(point * n for point, n in enumerate(board) if n > 0)


# ---- colours: themes, and replacements by name ----


Theme = Literal["light", "dark", "print"]

# Source: Extensible Markup Language 1.0, section 2.2.
_NOT_IN_XML = Pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_COLOURS = {
    "background": ("#ffffff", "#16191d", "#ffffff"),
    "frame": ("#7a5230", "#2b2119", "#ffffff"),
    "board": ("#f3e3c3", "#3f362c", "#ffffff"),
    "dark_points": ("#b5743c", "#634327", "#c4c4c4"),
    "light_points": ("#e0bd87", "#6f5f4b", "#ffffff"),
    "tray": ("#d9bf94", "#2f271f", "#ffffff"),
    "checkers_x": ("#fffdf6", "#eae2d2", "#ffffff"),
    "checkers_o": ("#33302e", "#191817", "#000000"),
    "outline_x": ("#5a4a3a", "#2a241d", "#000000"),
    "outline_o": ("#0f0e0d", "#c4b9a7", "#000000"),
    "text": ("#222222", "#e6e6e6", "#000000"),
    "cube": ("#ffffff", "#eae2d2", "#ffffff"),
    "cube_text": ("#0f0e0d", "#191817", "#000000"),
    "arrows": ("#1f5fbf", "#6db3ff", "#555555"),
    "other_arrows": ("#e0007a", "#ff7ab8", "#000000"),
    "hits": ("#d02020", "#ffd23f", "#999999"),
}
"""Colours in the themes "light", "dark" and "print"."""
_THEMES = ("light", "dark", "print")
_LETTERS = ("frame_text", "checkers_x_text", "checkers_o_text")
"""Optional colours of the letters on a background; by default they contrast with it."""


def theme_colours(theme: Any, colours: Any) -> Mapping[str, str]:
    """Return the colours of a theme, with replacements; raise `BgfastError` if an argument is invalid."""
    index = _THEMES.index(one_of("theme", theme, *_THEMES))
    defaults = {name: values[index] for name, values in _COLOURS.items()}
    if colours is None:
        return defaults
    if not isinstance(colours, Mapping):
        raise BgfastError(f"colours is {short_repr(colours)}; expected a mapping from {', '.join(defaults)}")
    for name, colour in colours.items():
        if name not in defaults and name not in _LETTERS:
            raise BgfastError(f"colours has {short_repr(name)}; expected some of {', '.join(defaults)}")
        if not isinstance(colour, str):
            raise BgfastError(
                f"the colour of {name} is {short_repr(colour)}; expected text such as '#b5743c'"
            )
        check_characters(f"the colour of {name}", colour)
    return {**defaults, **colours}


def check_characters(name: str, text: str) -> None:
    """Raise `BgfastError` if a text has a character that XML cannot represent, even escaped."""
    invalid = _NOT_IN_XML.search(text)
    if invalid is not None:
        raise BgfastError(
            f"{name} has {invalid[0]!a} at {invalid.start()}; expected text without control characters or "
            "lone surrogates, which SVG cannot represent"
        )


def contrast(background: str, text: str) -> str:
    """Return a light or dark colour readable on a background; `text` if the background is a colour name."""
    if not re.fullmatch("#[0-9a-fA-F]{6}", background):
        return text
    return "#ffffff" if sum(bytes.fromhex(background[1:])) < 3 * 128 else "#222222"
