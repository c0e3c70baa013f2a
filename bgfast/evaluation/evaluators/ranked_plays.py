"""Search results: ranked plays of a roll, and the evaluation of a position."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from bgfast.common.foreign_names import names_missing
from bgfast.common.probabilities import PROBABILITIES, percent, probabilities_by_name
from bgfast.evaluation.tables import Tabular, html_table, panel, returns_text, text_table
from bgfast.position.objects import Play, Position

CHANCE_HEADINGS = ("win", "win g", "win bg", "lose g", "lose bg")
NOTEBOOK_BOARD = 320  # width of a board in a notebook, in pixels
MAX_LISTED = 10  # maximum number of plays in a text or HTML table


@names_missing
class RankedPlay(NamedTuple):
    """A play and its evaluation for the player who makes it.

    Attributes
    ----------
    play : Play
    equity : float
        Cubeful and normalised (EMG) if `cubeful`: in money play, points per unit of cube; in a match, 1 for
        winning the value of the cube and -1 for losing it. Otherwise cubeless, in points at cube 1.
    difference : float
        The equity minus the best play's equity: 0 or less, except for plays that were evaluated at fewer
        plies or that `WithBearoff` ranks below plays that bring all checkers home.
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


@names_missing
class Evaluation(NamedTuple):
    """Evaluation of a position for the player on roll; attributes as for `RankedPlay`.

    Results of `bgfast.analyse` also have `position`, `ply`, `evaluator` (its name) and
    `conditions` (cubeless or cubeful, money or match).
    """

    equity: float
    probabilities: tuple[float, ...] | None
    cubeful: bool
    cubeless_equity: float
    mwc: float | None
    position: Position | None = None
    ply: int | None = None
    evaluator: str | None = None
    conditions: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the values as plain data, with the keys of ``bgfast analyse --json``."""
        return values_content(self)

    @returns_text
    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    def __str__(self) -> str:
        lines = [*evaluation_lines(self), _note(self.ply, self.evaluator), self.conditions]
        return "\n".join(filter(None, lines))

    def _repr_html_(self) -> str:
        """Return the board, if known, and a table, as HTML for notebooks."""
        cells = _evaluation_cells(self)
        note = "; ".join(filter(None, (_note(self.ply, self.evaluator), self.conditions)))
        table = html_table(list(cells), [list(cells.values())], note, text_columns=0)
        if self.position is None:
            return table
        return panel(self.position.svg(size=NOTEBOOK_BOARD), "", table)


def values_content(evaluation: Evaluation | RankedPlay, value_name: str = "equity") -> dict[str, Any]:
    """Return the equity (key `value_name`), the probabilities, and the fields of cubeful evaluations."""
    probabilities, mwc = evaluation.probabilities, evaluation.mwc
    values: dict[str, Any] = {
        value_name: evaluation.equity,
        "probabilities": None if probabilities is None else probabilities_by_name(probabilities),
    }
    if evaluation.cubeful:
        values[f"cubeless_{value_name}"] = evaluation.cubeless_equity
    return values if mwc is None else {**values, "mwc": mwc}


def _note(ply: int | None, evaluator: str | None) -> str:
    """Return the depth and the evaluator of a result, if known."""
    return ", ".join(filter(None, (None if ply is None else f"{ply}-ply", evaluator)))


@names_missing
class RankedPlays(Tabular, tuple[RankedPlay, ...]):
    """Plays of a roll, best first: a tuple of `RankedPlay`, with a table as text, rows or data frame.

    Attributes
    ----------
    evaluator : str or None
        Name of the evaluator in the result of `bgfast.analyse`; otherwise None.
    conditions : str or None
        Conditions of the equities in the result of `bgfast.analyse`: cubeless or cubeful, money or match.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.analyse("start", "65")
    >>> list(plays.rows()[0])[:5]
    ['rank', 'play', 'gnubg_id', 'equity', 'difference']
    """

    evaluator: str | None = None
    conditions: str | None = None

    @property
    def best(self) -> RankedPlay:
        """Play with the highest rank, the first of the tuple."""
        return self[0]

    @property
    def equities(self) -> list[float]:
        """Equities of the plays, best first."""
        return [candidate.equity for candidate in self]

    def content(self, equity: str = "equity", top: int | None = None) -> dict[str, Any]:
        """Return `to_dict` for the first `top` plays; `equity` is the key of their equities."""
        plays = [
            {
                "text": str(candidate.play),
                "gnubg_id": candidate.play.position.gnubg_id,
                equity: candidate.equity,
                "difference": candidate.difference,
                "probabilities": None,  # placeholder that fixes the order of the keys
                "ply": candidate.ply,
                **values_content(candidate, equity),
            }
            for candidate in self[:top]
        ]
        legal_plays = sum(1 for candidate in self if candidate.play.moves)  # a pass has no moves
        return {"legal_plays": legal_plays, "plays": plays}

    def to_dict(self) -> dict[str, Any]:
        """Return the plays as plain data, with the keys of ``bgfast analyse --json``."""
        return self.content()

    @returns_text
    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each play, best first."""
        return [
            {
                "rank": rank,
                "play": str(candidate.play),
                "gnubg_id": candidate.play.position.gnubg_id,
                "equity": candidate.equity,
                "difference": candidate.difference,
                **probabilities_by_name(candidate.probabilities),
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

    def __str__(self) -> str:
        return "\n".join(plays_lines(self))

    def _repr_html_(self) -> str:
        """Return the board with the best play and a table of the first plays, as HTML for notebooks."""
        if not self:
            return "<p>no play</p>"
        rows = [
            [str(rank), str(candidate.play), *_play_cells(rank, candidate).values()]
            for rank, candidate in enumerate(self[:MAX_LISTED], 1)
        ]
        notes = "; ".join(_plays_notes(self, MAX_LISTED))
        table = html_table(["", "play", *_play_cells(1, self[0])], rows, notes, text_columns=2)
        picture = self[0].play.svg(size=NOTEBOOK_BOARD)
        return panel(picture, f"{self._roll()}: {self[0].play}", table)


def evaluation_lines(evaluation: Evaluation, value_name: str = "equity") -> list[str]:
    """Return a table of an evaluation as lines; `value_name` names the equity."""
    return text_table([("", _evaluation_cells(evaluation, value_name))], 7, 10 if evaluation.cubeful else 8)


def _evaluation_cells(evaluation: Evaluation, value_name: str = "equity") -> dict[str, str]:
    values = {value_name: f"{evaluation.equity:+.4f}"}
    if evaluation.cubeful:
        values["cubeless"] = f"{evaluation.cubeless_equity:+.4f}"
    return values | chances_by_heading(evaluation.mwc, evaluation.probabilities)


def plays_lines(plays: RankedPlays, value_name: str = "equity", top: int = MAX_LISTED) -> list[str]:
    """Return a table of the first plays and its notes as lines; `value_name` names the equity."""
    if not plays:
        return ["no play"]
    cells = [
        (f"{rank:>2} {candidate.play}", _play_cells(rank, candidate, value_name))
        for rank, candidate in enumerate(plays[:top], 1)
    ]
    width = 8 if value_name == "equity" else 11  # pubeval's value of a win is +1000.0000
    return [*text_table(cells, 4, width, 9), *_plays_notes(plays, top)]


def _plays_notes(plays: RankedPlays, top: int) -> list[str]:
    """Return the notes below a table: number of plays left out, evaluator, conditions."""
    omission = f"and {len(plays) - top} more" if len(plays) > top else ""
    return list(filter(None, ("; ".join(filter(None, (omission, plays.evaluator))), plays.conditions)))


def _play_cells(rank: int, candidate: RankedPlay, value_name: str = "equity") -> dict[str, str]:
    equities = equity_cells(rank, candidate.equity, candidate.difference, value_name)
    return {"ply": str(candidate.ply)} | equities | chances_by_heading(candidate.mwc, candidate.probabilities)


def equity_cells(rank: int, equity: float, difference: float, value_name: str = "equity") -> dict[str, str]:
    """Return the cells, by heading, of an equity and of its difference from the best equity."""
    return {value_name: f"{equity:+.4f}", "diff. ": "" if rank == 1 else f"{difference:+.4f}"}


def chances_by_heading(mwc: float | None, probabilities: Sequence[float] | None = None) -> dict[str, str]:
    """Return the cells, by heading, of a match-winning chance and five probabilities; None adds no cells."""
    chances = {} if mwc is None else {"MWC": mwc}
    chances |= dict(zip(CHANCE_HEADINGS, probabilities or (), strict=False))
    return {name: percent(chance) for name, chance in chances.items()}


def chance_cells(probabilities: tuple[float, ...] | None) -> list[str]:
    """Return the cells of five probabilities; empty cells if there are none."""
    return [percent(probability) for probability in probabilities] if probabilities else [""] * PROBABILITIES
