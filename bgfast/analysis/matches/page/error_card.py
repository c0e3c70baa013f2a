"""Report data of an error, and its card in HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from bgfast.analysis.matches.page.markup import CHECKER_COLOURS, checker, css_class
from bgfast.common.clean_text import clean_markup
from bgfast.common.probabilities import NORMAL_95
from bgfast.position.board_svg import diagram_svg
from bgfast.position.diagram import Diagram

BOARD_SIZE = 250
"""Width in pixels of the narrowest board on a page; determines the size of its letters."""
BOARD_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "background": "none",
        "text": "currentColor",
        "frame": "var(--frame)",
        "frame_text": "var(--frame-text)",
        "board": "var(--board)",
        "dark_points": "var(--dark-points)",
        "light_points": "var(--light-points)",
        "tray": "var(--tray)",
        "checkers_x": "var(--white)",
        "outline_x": "var(--white-edge)",
        "checkers_x_text": "var(--black)",
        "checkers_o": "var(--black)",
        "outline_o": "var(--black-edge)",
        "checkers_o_text": "var(--white)",
        "cube": "var(--cube)",
        "cube_text": "var(--cube-text)",
        "arrows": "var(--best)",
        "other_arrows": "var(--played)",
        "hits": "var(--hit)",
    }
)
"""Variables of the page's style, which have other values in dark mode and in print."""


class ShownChoice(NamedTuple):
    """Choice of a decision, for display; equities are those of the player who decides (EMG)."""

    text: str  # "8/5 6/5", "Double", "if taken"
    equity: float
    difference: float | None  # from the best choice; None for that one and for answers to a double
    level: str  # "2-ply", "1,296 trials"; empty if the rules determine the equity
    equity_se: float = 0.0  # 0 without a rollout
    mwc: float | None = None  # None in money play
    probabilities: tuple[float, ...] | None = None
    is_best: bool = False
    is_chosen: bool = False
    is_answer: bool = False  # equity after an answer to the preceding double


@dataclass(frozen=True, kw_only=True)
class ErrorDetails:
    """Report data of an error. Texts are as recorded, not cleaned or escaped."""

    name: str  # of the player who decided
    opponent: str
    side: Literal["X", "O"]
    game: int
    move: int  # line of the score sheet
    situation: str  # "to play 6-4", "may double", "is doubled"
    context: str  # score and cube
    chosen: str
    best: str
    cost: str  # equity loss, with its interval, and the loss of match winning chance
    mark: str | None  # "very bad" and so on
    status: str  # of a rollout; empty without one
    why: str  # reasons in one line; may be empty
    candidates: tuple[ShownChoice, ...]  # highest equity first
    by_file: str  # analysis of the file; empty without one
    diagram: Diagram  # arrows of the best play and, as its other moves, of the recorded one
    xgid: str
    board_text: str  # the printed board

    @property
    def colour(self) -> str:
        """Colour of the player's checkers: ``"white"`` for X, ``"black"`` for O."""
        return CHECKER_COLOURS[self.side]


def error_card(details: ErrorDetails, number: int) -> str:
    """Return an error as HTML: board, choices, cost, reasons, candidates.

    `number` is its rank on the page; links lead to ``#error-NUMBER``. The page has to define the variables
    of `BOARD_COLOURS` and the classes of `STYLE`.
    """
    name, chosen, best = map(clean_markup, (details.name, details.chosen, details.best))
    player = "first" if details.side == "X" else "second"
    status = f" <span class='soft'>({details.status})</span>" if details.status else ""
    by_file = f'<p class="soft">{clean_markup(details.by_file)}</p>' if details.by_file else ""
    rows = "\n".join(map(_candidate_rows, details.candidates))
    why = f'<p class="why"><b>Why:</b> {clean_markup(details.why)}</p>' if details.why else ""
    mover = details.diagram.mover
    board = diagram_svg(details.diagram, bottom=mover, size=BOARD_SIZE, colours=BOARD_COLOURS)
    return (
        f'<article class="error" id="error-{number}">'
        f'<h3><span class="number {player}">{number}</span> {checker(details.side)} '
        f'<span class="name">{name}</span> {clean_markup(details.situation)}</h3>'
        f'<p class="cost">{mark_html(details.mark)}costs {details.cost}{status}</p>'
        f'<p class="soft">Game {details.game}, move {details.move}. {clean_markup(details.context)}</p>'
        f'<div class="body"><figure>{board}</figure>'
        f'<div class="facts"><p class="choices">{_key("played", details)} <b>{chosen}</b> '
        f'<span class="soft">was played</span><br>{_key("best", details)} <b>{best}</b> '
        f'<span class="soft">is best</span></p>{why}'
        '<table class="candidates"><thead><tr><th>choice</th><th>equity</th><th>loss</th><th>level</th></tr>'
        f"</thead>\n{rows}\n</table>{by_file}"
        f'<p class="soft id">{clean_markup(details.xgid)}</p></div></div></article>'
    )


def mark_html(mark: str | None) -> str:
    """Return the mark of an error and a blank; empty without a mark."""
    return f'<span class="mark {css_class(mark)}">{mark}</span> ' if mark else ""


def _key(name: Literal["played", "best"], details: ErrorDetails) -> str:
    """Return the legend of a choice: the arrow of a play as on the board, a dot for a cube action."""
    if details.diagram.roll is None:
        return f'<span class="dot {name}"></span>'
    line = 'stroke-width="3" stroke-dasharray="6 4"' if name == "played" else 'stroke-width="5"'
    return (
        '<svg class="key" viewBox="0 0 34 14" aria-hidden="true">'
        f'<path d="M1 7H24" stroke="var(--{name})" {line}/>'
        f'<path d="M22 1L33 7L22 13Z" fill="var(--{name})"/></svg>'
    )


def _candidate_rows(candidate: ShownChoice) -> str:
    """Return a candidate as two rows: equity and level, then its chances."""
    kind = "best" if candidate.is_best else "played" if candidate.is_chosen else "other"
    kind = "answer" if candidate.is_answer else kind
    label = {"best": " <small>best</small>", "played": " <small>played</small>"}.get(kind, "")
    half_width = half_width_text(candidate.equity_se, 3)
    half_width = f" <small>{half_width.strip()}</small>" if half_width else ""
    loss = "" if candidate.difference is None else f"{-candidate.difference:+.3f}"
    chances = [] if candidate.mwc is None else [f"MWC {candidate.mwc:.2%}"]
    if candidate.probabilities is not None:
        win, gammon, backgammon, lose_gammon, lose_backgammon = candidate.probabilities
        chances.append(f"wins {win:.1%} (g {100 * gammon:.1f}, bg {100 * backgammon:.1f})")
        chances.append(f"loses {1 - win:.1%} (g {100 * lose_gammon:.1f}, bg {100 * lose_backgammon:.1f})")
    below = f'<tr class="chances"><td colspan="4">{" · ".join(chances)}</td></tr>' if chances else ""
    return (
        f'<tbody class="{kind}"><tr><td>{clean_markup(candidate.text)}{label}</td>'
        f"<td>{candidate.equity:+.3f}{half_width}</td><td>{loss}</td><td>{candidate.level}</td></tr>"
        f"{below}</tbody>"
    )


def half_width_text(error: float | None, digits: int = 2) -> str:
    """Return half the width of the 95 % interval; empty without a standard error."""
    return f" ± {NORMAL_95 * error:.{digits}f}" if error else ""
