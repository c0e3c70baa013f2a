"""Flash cards of errors, as an Anki deck written with genanki."""

from __future__ import annotations

import hashlib
import io
import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from bgfast.analysis.matches.analysed import MARKS
from bgfast.analysis.matches.error_details import CHECKER_COLOURS, ErrorDetails, ShownChoice
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.match_statistics import MIN_LISTED_ERROR, PlayerNames
from bgfast.analysis.matches.page import table, typeset
from bgfast.analysis.reports.match_collection import CollectedError, CollectedErrors, select_analyses
from bgfast.common.extras import import_optional
from bgfast.common.files import refuse_existing_path, refuse_missing_folder, validate_path, write_file
from bgfast.common.text import clean_markup, pluralize
from bgfast.common.validation import flag, real_number
from bgfast.errors import BgfastError, short_repr
from bgfast.position.decision import svg
from bgfast.position.picture import Diagram

MIN_CARD_ERROR = MARKS["bad"]
"""Minimum error of a card if the number of cards is not limited (EMG)."""
PICTURE_SIZE = 600
"""Width of a board in pixels."""
PICTURE_COLOURS = {"background": "#7a5230", "text": "#fff6e6", "arrows": "#0b7d4f", "other_arrows": "#c8145f"}
"""Colours of a board. The background continues the frame; Anki's cards are white, or dark in night mode."""
DECK_NAME = "Backgammon errors"
DECK_ID, MODEL_ID = 1_764_064_511, 1_764_064_512
"""Anki's IDs of the deck and of the note type; they never change."""
FIELDS = ("XGID", "Board", "Question", "Answer board", "Answer", "Candidates", "Why", "Source")
_FRONT = '<div class="board">{{Board}}</div><p class="question">{{Question}}</p>'
_BACK = (
    '<div class="board">{{Answer board}}</div><p class="question">{{Question}}</p><hr id="answer">{{Answer}}'
    '{{#Why}}<p class="why">{{Why}}</p>{{/Why}}{{Candidates}}'
    '<p class="source">{{Source}}<br>{{XGID}}</p>'
)
_STYLE = """
.card { font: 18px/1.4 sans-serif; margin: .5rem auto; max-width: 40rem; padding: 0 .6rem; text-align: left; }
.board img { display: block; margin: 0 auto; max-width: 100%; width: 100%; }
.question { font-size: 1.15rem; font-weight: bold; margin: .4rem 0; text-align: center; }
.best { color: #0b7d4f; font-weight: bold; } .played { color: #c8145f; }
.nightMode .board img { filter: brightness(.75); }
.nightMode .best { color: #3ddc97; } .nightMode .played { color: #ff7fb4; }
table { border-collapse: collapse; margin: .6rem 0; width: 100%; }
td, th { padding: .1rem 0 .1rem .6rem; text-align: right; }
td:first-child, th:first-child { padding-left: 0; text-align: left; }
.source { color: #888; font-size: .75rem; overflow-wrap: anywhere; }
"""


class FlashCards(CollectedErrors):
    """Flash cards of the `number` largest errors of matches, or of all errors of at least `min_error`."""

    def __init__(
        self, number: int | None = None, player: PlayerNames | None = None, min_error: float | None = None
    ) -> None:
        minimum = MIN_CARD_ERROR if number is None else MIN_LISTED_ERROR
        super().__init__(number, minimum if min_error is None else min_error, player)

    @property
    def summary(self) -> str:
        """Number of cards as text, with the reasons if it is less than requested."""
        errors = len(self.items)
        cards = len({item.details.xgid for item in self.items})
        reasons = []
        if errors < (self._limit or 0) or not errors:
            minimum = f" of {self._minimum:g} or more" if self._minimum > MIN_LISTED_ERROR else ""
            reasons.append(f"the matches have {pluralize(errors, 'error')}{minimum}")
        if cards < errors and self._limit is not None:
            reasons.append(f"{errors - cards} in the same position as another, on the same card")
        result = f"{pluralize(cards, 'flash card')} written"
        return ": ".join(filter(None, [result, "; ".join(reasons)]))

    def write(self, path: str) -> int:
        """Write the deck with a card for each position; return the number of cards."""
        genanki = check_anki()
        model = genanki.Model(
            MODEL_ID,
            "bgfast: backgammon decision",
            fields=[{"name": name} for name in FIELDS],
            templates=[{"name": "Decision", "qfmt": _FRONT, "afmt": _BACK}],
            css=_STYLE,
        )
        deck = genanki.Deck(DECK_ID, DECK_NAME)
        tags: dict[str, set[str]] = {}
        largest_errors: dict[str, CollectedError] = {}
        for item in self.items:
            largest_errors.setdefault(item.details.xgid, item)
            tags.setdefault(item.details.xgid, set()).update(_tags(item))
        with tempfile.TemporaryDirectory() as folder:
            media: list[str] = []
            for xgid, item in largest_errors.items():
                fields = _fields(item, Path(folder), media)
                guid = genanki.guid_for("bgfast", xgid)
                deck.add_note(genanki.Note(model, fields, guid=guid, tags=sorted(tags[xgid])))
            content = io.BytesIO()
            genanki.Package(deck, media).write_to_file(content)
        write_file(path, content.getvalue())
        return len(largest_errors)


def check_anki() -> Any:
    """Return the module genanki; raise `BgfastError` if it is not installed."""
    return import_optional("genanki", "'bgfast[anki]'", "an Anki deck")


def _fields(item: CollectedError, folder: Path, media: list[str]) -> list[str]:
    """Return the fields of a note; write its pictures to the folder and add them to `media`."""
    details = item.details
    question = replace(details.diagram, moves=(), other_moves=())
    side = CHECKER_COLOURS[details.side].capitalize()
    why, more = details.explanation.why, details.explanation.more
    source = ", ".join(filter(None, [f"{details.name} – {details.opponent}", item.date, item.source]))
    return [
        _clean(details.xgid),
        _picture(question, details.side, folder, media),
        f"{side} {_clean(details.situation)}<br><small>{_clean(details.context)}</small>",
        _picture(details.diagram, details.side, folder, media),
        _answer(details),
        _candidates(details.candidates),
        _clean(why) + (f"<br><small>{typeset(more)}</small>" if more else ""),
        _clean(f"{source}, game {details.game}, move {details.move}"),
    ]


def _picture(diagram: Diagram, side: Literal["X", "O"], folder: Path, media: list[str]) -> str:
    """Write a board to the folder, named by its hash, and return it as HTML."""
    picture = svg(diagram, bottom=side, size=PICTURE_SIZE, colours=PICTURE_COLOURS).encode()
    name = f"bgfast-{hashlib.sha256(picture).hexdigest()[:20]}.svg"
    file = folder / name
    if not file.exists():
        file.write_bytes(picture)
        media.append(str(file))
    return f'<img src="{name}">'


def _answer(details: ErrorDetails) -> str:
    proper = f"<p><b>Proper: {details.proper_action}</b></p>" if details.proper_action else ""
    best = f'<span class="best">{_clean(details.best)}</span> is best.'
    chosen = f'<span class="played">{_clean(details.chosen)}</span> was played: {typeset(details.headline)}.'
    return f"{proper}<p>{best} {chosen}</p>"


def _candidates(candidates: Iterable[ShownChoice]) -> str:
    rows = []
    for item in candidates:
        win = "" if item.probabilities is None else f"{item.probabilities[0]:.1%}"
        choice = f'<span class="{item.role or "other"}">{_clean(item.text)}</span>'
        rows.append([choice, typeset(item.equity_text), typeset(item.loss), win])
    return table(["choice", "equity", "loss", "wins"], rows, "candidates")


def _tags(item: CollectedError) -> list[str]:
    """Return the tags of a card: player, kind, phase and mark."""
    values = {"player": item.details.name, "kind": item.kind, "phase": item.phase, "mark": item.details.word}
    # Anki's tags cannot contain spaces.
    tags = {name: re.sub(r"[^\w.-]+", "_", value) for name, value in values.items() if value}
    return ["bgfast", *(f"bgfast::{name}::{tag}" for name, tag in tags.items())]


def _clean(text: str) -> str:
    """Return text for a field; Anki takes ``[sound:...]`` and ``[latex]`` as instructions."""
    return clean_markup(text).replace("[", "&#91;")


def write_anki(
    analyses: Iterable[tuple[str, MatchAnalysis]],
    path: str | os.PathLike[str],
    *,
    number: int | None = None,
    min_error: float | None = None,
    player: PlayerNames | None = None,
    force: bool = False,
) -> int:
    """Write the errors of matches as a deck of flash cards for Anki.

    Parameters
    ----------
    analyses : AnalysedMatches, or iterable of (str, MatchAnalysis)
        Name of each match, such as its file, and its analysis. The pairs are consumed one at a time and not
        stored. The cards show only the file name of an absolute path.
    path : path
        File that Anki imports, usually named ``.apkg``.
    number : int, optional
        Maximum number of errors, largest first; by default all errors of 0.06 or more.
    min_error : float, optional
        Minimum loss of equity (EMG), such as 0.12 for blunders only.
    player : str or list of str, optional
        Name or names of the player whose errors become cards; see `write_report`.
    force : bool
        Replace an existing file.

    Returns
    -------
    int
        Number of cards. Errors in the same position, with the same dice, cube and score, share a card, which
        shows the largest error.

    Raises
    ------
    BgfastError
        If genanki is not installed, the file exists (unless `force`) or cannot be written, or no match
        has the player.

    See Also
    --------
    analyse_matches : Analyse the matches.
    write_report : Write the errors as a report.

    Notes
    -----
    The identity of a note is its XGID: a deck that is imported again updates the notes and keeps the learning
    progress. Tags name the player, kind, phase and mark of the errors: ``bgfast::kind::missed_double``.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> match = bgfast.Match(3, dice=["31"])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> path = os.path.join(tempfile.mkdtemp(), "errors.apkg")
    >>> bgfast.matches.write_anki([("first", bgfast.analyse_match(match, ply=0))], path)  # doctest: +SKIP
    1
    """
    minimum = real_number(min_error)
    if min_error is not None and not (minimum is not None and minimum >= 0):
        raise BgfastError(
            f"min_error is {short_repr(min_error)}; expected a loss of equity, 0 or more, or None"
        )
    check_anki()
    name = validate_path(path, "the path of an Anki deck")
    refuse_missing_folder(name)
    if not flag("force", force):
        refuse_existing_path(name)
    player = getattr(analyses, "player", None) if player is None else player
    cards = FlashCards(number, player, minimum)
    for source, analysis in select_analyses(analyses, player):
        cards.add(analysis, source)
    return cards.write(name)
