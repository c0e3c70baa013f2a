"""Results of a search: ranked plays of a roll, and the evaluation of a position."""

from __future__ import annotations

from typing import Any, NamedTuple

from bgfast.common.probabilities import named_probabilities, percent
from bgfast.common.tables import Tabular, beside, html_table
from bgfast.position.objects import Play
from bgfast.position.picture import diagram_svg

CHANCE_HEADINGS = ("win", "win g", "win bg", "lose g", "lose bg")
NOTEBOOK_BOARD = 320  # width of a board in a notebook, in pixels
MAX_LISTED = 10  # plays in the HTML table


class RankedPlay(NamedTuple):
    """A play and its evaluation for the player who makes it.

    Attributes
    ----------
    play : Play
    equity : float
        Cubeful and normalised (EMG) if `cubeful`: in money play points in units of the cube, in a match 1 for
        winning the value of the cube and -1 for losing it. Else cubeless, in points at cube 1.
    difference : float
        The equity less that of the best play: 0 or less, except for plays that were evaluated at fewer plies
        or that `WithBearoff` ranks behind those that bring all checkers home.
    probabilities : tuple of 5 float, or None
        Probabilities of a win, a gammon or better, a backgammon, a lost gammon or worse, a lost backgammon;
        None if the evaluator returns equities.
    ply : int
        Depth of the search.
    cubeful : bool
        True if `equity` is cubeful.
    cubeless_equity : float
        Points at cube 1.
    mwc : float or None
        Match-winning chance; None in money play and if `equity` is cubeless.
    """

    play: Play
    equity: float
    difference: float
    probabilities: tuple[float, ...] | None
    ply: int
    cubeful: bool
    cubeless_equity: float
    mwc: float | None

    def __repr__(self) -> str:
        return f"<RankedPlay {self.play}: {self.equity:+.4f}, {self.ply}-ply>"


class Evaluation(NamedTuple):
    """Evaluation of a position for the player on roll; attributes are those of `RankedPlay`."""

    equity: float
    probabilities: tuple[float, ...] | None
    cubeful: bool
    cubeless_equity: float
    mwc: float | None


class RankedPlays(Tabular, tuple[RankedPlay, ...]):
    """Plays of a roll, best first: a tuple of `RankedPlay` with a table as rows or data frame.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Network.builtin().best_plays(bgfast.Position.start(), (6, 5))
    >>> list(plays.rows()[0])[:5]
    ['rank', 'play', 'gnubg_id', 'equity', 'difference']
    """

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each play, best first."""
        return [
            {
                "rank": rank,
                "play": str(candidate.play),
                "gnubg_id": candidate.play.position.gnubg_id,
                **{name: getattr(candidate, name) for name in ("equity", "difference")},
                **named_probabilities(candidate.probabilities),
                **{name: getattr(candidate, name) for name in ("ply", "cubeful", "cubeless_equity", "mwc")},
            }
            for rank, candidate in enumerate(self, 1)
        ]

    def __repr__(self) -> str:
        if not self:
            return "<RankedPlays: none>"
        plays = "1 play" if len(self) == 1 else f"{len(self)} plays"
        return f"<RankedPlays {self._roll()}: {plays}, best {self[0].play} {self[0].equity:+.4f}>"

    def _roll(self) -> str:
        return "{}-{}".format(*self[0].play.roll)

    def _repr_html_(self) -> str:
        """Return the board with the best play and a table of the first plays, for notebooks."""
        if not self:
            return "<p>no play</p>"
        has_mwc = self[0].mwc is not None
        headings = ["", "play", "equity", "diff.", *(["mwc"] if has_mwc else []), *CHANCE_HEADINGS, "ply"]
        rows = [
            [
                str(rank),
                str(candidate.play),
                f"{candidate.equity:+.4f}",
                "" if rank == 1 else f"{candidate.difference:+.4f}",
                *([] if candidate.mwc is None else [percent(candidate.mwc)]),
                *chance_cells(candidate.probabilities),
                str(candidate.ply),
            ]
            for rank, candidate in enumerate(self[:MAX_LISTED], 1)
        ]
        more = f"and {len(self) - MAX_LISTED} more" if len(self) > MAX_LISTED else ""
        headline = f"{self._roll()}: {self[0].play}"
        picture = diagram_svg(self[0].play._diagram(), size=NOTEBOOK_BOARD)
        return beside(picture, headline, html_table(headings, rows, more, names=2))


def chance_cells(probabilities: tuple[float, ...] | None) -> list[str]:
    """Return the cells of five probabilities; empty ones if there are none."""
    if probabilities is None:
        return [""] * len(CHANCE_HEADINGS)
    return [percent(probability) for probability in probabilities]
