"""Pictures of positions, plays and games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from bgfast.errors import BgfastError, shown
from bgfast.games.base import GameBase
from bgfast.games.state import StateBase
from bgfast.position.board_colours import Theme
from bgfast.position.board_svg import Svg, diagram_svg
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position


def svg(
    position: Position | Play | Decision | GameBase[Any] | StateBase,
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
    position : Position, Play, Decision, Game, Match, GameState or MatchState
        A `Position` alone shows its checkers, with the mover as X. A `Play` shows the position before it,
        its dice, and arrows with a ring around each checker that is hit. A `Decision`, a `Game` or a
        `Match`, or any of its states, has dice, cube and score, too.
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
        ``cube``, ``arrows``, ``other_arrows``, ``hits``; and ``frame_text``, ``checkers_x_text``,
        ``checkers_o_text``, ``cube_text`` for letters on these, which are otherwise black or white.
    title : str, optional
        Title for screen readers, by default the status; a description of all checkers follows.
    clickable : bool
        Add an invisible rectangle over each point, for interactive pages; its ``data-point`` is the point
        from the mover's side, 25 for the mover's bar and 0 for the mover's tray.

    Returns
    -------
    Svg
        A `str`, which notebooks show as the picture.

    Raises
    ------
    BgfastError
        If `position` cannot be drawn, the play begins elsewhere, or an option is invalid.

    Notes
    -----
    Deterministic and thread-safe.

    Examples
    --------
    >>> import bgfast
    >>> position = bgfast.Position.start()
    >>> picture = bgfast.svg(position.plays((3, 1))["8/5 6/5"], theme="dark", size=300)
    >>> picture.splitlines()[1]
    '<title>Backgammon position: X plays 8/5 6/5</title>'
    """
    if not isinstance(position, Position | Play | Decision | GameBase | StateBase):
        raise BgfastError(
            f"{shown(position)} cannot be drawn; expected a Position, Play, Decision, Game, Match or state"
        )
    diagram = position._diagram()
    if play is not None:
        if not isinstance(play, Play) or tuple(play.start) != diagram.board:
            raise BgfastError(f"play is {shown(play)}; expected a Play that begins in the position shown")
        diagram = replace(
            diagram, roll=play.roll, status=f"{diagram.mover} plays {play}", moves=tuple(play.moves)
        )
    if not isinstance(bottom, str) or bottom not in ("X", "O"):
        raise BgfastError(f"bottom is {shown(bottom)}; expected 'X' or 'O'")
    return diagram_svg(
        diagram,
        bottom=bottom,
        clockwise=clockwise,
        size=size,
        theme=theme,
        colours=colours,
        title=title,
        clickable=clickable,
    )
