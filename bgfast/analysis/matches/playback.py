"""Positions of a match for its HTML page, where `playback.js` plays through them.

The script draws a position on an empty board of `svg`, from an XGID and the paths of arrows.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from bgfast.analysis.matches.analysed import AnalysedDecision, AnalysedRoll
from bgfast.analysis.matches.error_details import MAX_BOARD_NAME, Explanation, loss_text, rank_choices
from bgfast.analysis.matches.match_statistics import MIN_LISTED_ERROR, MatchStatistics, error_word
from bgfast.analysis.matches.page import BOARD_COLOURS, BOARD_WIDTH, chances_text, typeset
from bgfast.common.text import cut
from bgfast.common.validation import BAR
from bgfast.errors import one_line
from bgfast.games.match_info import Finding
from bgfast.position.decision import Decision, svg
from bgfast.position.picture import Diagram, Picture
from bgfast.position.play_text import read_hops


class Step(NamedTuple):
    """Position of a match: a decision, a roll without a legal play, or the end of a game."""

    anchor: str  # "game-3-move-5"; the next step on this line of the score sheet is "game-3-move-5-2"
    game: int
    move: int  # line of the score sheet
    board: Decision
    player: int  # subject of `text`
    text: str  # "to play 6-4", "cannot play 6-4", "wins 2 points (gammon, bearoff)"
    decision: AnalysedDecision | None = None
    roll: AnalysedRoll | None = None
    note: str = ""  # findings of the record at this board

    def has(self, finding: Finding) -> bool:
        """Return whether a finding of the record is about this board."""
        is_near = finding.game == self.game and finding.move in (0, self.move)
        return is_near and finding.board == self.board.xgid


def finding_text(finding: Finding) -> str:
    """Return a finding of the record as text, without its place."""
    return f"{finding.severity.capitalize()} in the record: {one_line(finding.message)}."


def playback_steps(analysis: MatchStatistics) -> list[Step]:
    """Return the analysed positions in the order of play, and the end of each game with a known board.

    Correct decisions not to double are left out, since the play of the same turn follows.
    """
    decisions = [item for item in analysis.decisions if item.error or item.recorded.chosen != "no double"]
    played_rolls = {id(analysis.roll_of(decision)) for decision in decisions}
    rolls = [roll for roll in analysis.rolls if id(roll) not in played_rolls]
    # A decision not to double and the roll after it are the same action; sorting keeps their order.
    items: list[AnalysedDecision | AnalysedRoll] = [*decisions, *rolls]
    items.sort(key=lambda item: item.recorded.action)
    ends = _ends(analysis)
    lines: Counter[str] = Counter()
    steps = []
    for item, next_item in pairwise([*items, None]):
        assert item is not None
        recorded = item.recorded
        content: list[tuple[Any, ...]] = [(recorded.decision, recorded.player, *_step_fields(item, analysis))]
        if next_item is None or next_item.recorded.game != recorded.game:
            content += ends.get(recorded.game, [])
        line = f"game-{recorded.game}-move-{recorded.move}"
        for fields in content:
            lines[line] += 1
            anchor = line if lines[line] == 1 else f"{line}-{lines[line]}"
            step = Step(anchor, recorded.game, recorded.move, *fields)
            findings = filter(step.has, analysis.match.findings)
            steps.append(step._replace(note=" ".join(map(finding_text, findings))))
    return steps


def step_anchors(steps: Iterable[Step]) -> dict[int, str]:
    """Return the anchors of decisions and rolls by identity."""
    items = ((item, step.anchor) for step in steps for item in (step.decision, step.roll))
    return {id(item): anchor for item, anchor in items if item is not None}


def _step_fields(
    item: AnalysedDecision | AnalysedRoll, analysis: MatchStatistics
) -> tuple[str, AnalysedDecision | None, AnalysedRoll | None]:
    """Return the text of a step, its decision and its roll."""
    if isinstance(item, AnalysedDecision):
        return item.recorded.situation, item, analysis.roll_of(item)
    status, next_action = item.recorded.decision.status[2:], item.recorded.action + 1
    history = analysis.match.history
    is_pass = next_action < len(history) and history[next_action].name == "pass_turn"
    return status.replace("to play", "cannot play") if is_pass else status, None, item


def _ends(analysis: MatchStatistics) -> dict[int, list[tuple[Decision, int, str]]]:
    """Return the final positions of the fully analysed games, by game number."""
    ends = {
        state.number: [(state.decision, state.game.result.winner, f"wins {state.game.result}")]
        for state in analysis.match.states
        if state.game.result is not None and not state.game.board_unknown
    }
    if not analysis.whole and analysis.games:
        ends.pop(analysis.games[-1].number, None)
    return ends


# ---- HTML ----


PLAYBACK_STYLE = """
dialog { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; color: inherit;
  max-height: 100dvh; max-width: 64rem; padding: .7rem .9rem; width: 100%; }
dialog::backdrop { background: rgb(0 0 0 / .5); }
dialog header { align-items: baseline; display: flex; gap: .8rem; } dialog h2 { flex: 1; margin: 0; }
dialog .body { display: grid; gap: .5rem 1.2rem; grid-template-columns: minmax(0, 55fr) minmax(0, 45fr); }
dialog { touch-action: pan-y pinch-zoom; } dialog .id { overflow-wrap: anywhere; }
dialog table:not(:has(tbody)) { display: none; }
.go { display: grid; gap: .4rem; grid-template-columns: repeat(4, 1fr); }
.go button { min-height: 2.6rem; } .go .error-step { grid-column: span 2; }
.moves tr:has(a) { cursor: pointer; } .moves tr:has(a):hover { background: var(--paper); }
@media screen and (max-width: 720px) {
  dialog { border: none; border-radius: 0; height: 100dvh; max-width: 100vw; padding: .5rem; }
  dialog .body { grid-template-columns: minmax(0, 1fr); } .go button { font-size: .8rem; padding: 0; } }
@media print { dialog[open], button { display: none; } .moves a { text-decoration: none; } }
"""

_BUTTONS = ("first", "previous", "next", "last", "previous-error", "next-error")


def playback_html(
    analysis: MatchStatistics, steps: Sequence[Step], explanations: Mapping[int, Explanation]
) -> str:
    """Return the dialog (hidden without the script) with the empty board, and the data of the steps.

    `steps` must not be empty; `explanations` has the reasons for errors, by the `id` of the decision.
    """
    names = [cut(one_line(name), MAX_BOARD_NAME) for name in analysis.names]
    diagram = Diagram(board=(0,) * (BAR + 1), checkers=0, status="", names=(names[0], names[1]))
    board = svg(diagram, size=BOARD_WIDTH, colours=BOARD_COLOURS, title="Board", clickable=True)
    buttons = "".join(
        f'<button type="button" data-go="{name}"{" autofocus" * (name == "next")}'
        f"{' class=error-step' * name.endswith('error')}>{name.capitalize().replace('-', ' ')}</button>"
        for name in _BUTTONS
    )
    content = {
        "checkers": steps[0].board.position.checkers,
        "steps": [_content(step, names[step.player], explanations.get(id(step.decision))) for step in steps],
    }
    data = b64encode(zlib.compress(json.dumps(content).encode())).decode()  # a third of the JSON's length
    return (
        f'<dialog id="playback" aria-labelledby="playback-place"><header><h2 id="playback-place">'
        'Match</h2><span class="soft"></span><button type="button" data-go="close">Close</button></header>'
        f'<div class="body"><div><figure>{board}</figure><div class="go">{buttons}</div></div>'
        '<div><p aria-live="polite"></p><p class="why"></p><table class="candidates"><thead><tr>'
        "<th>choice</th><th>equity</th><th>loss</th><th>level</th></tr></thead></table>"
        '<p class="soft id">XGID</p></div></div></dialog>\n'
        f'<script type="text/plain" id="playback-data">{data}</script>'
    )


def _content(step: Step, name: str, explanation: Explanation | None) -> dict[str, Any]:
    """Return a step as data for the script, which shows all texts as plain text."""
    choices: list[list[str]] = []
    arrows: list[list[list[int]]] = []
    error = summary = ""
    if step.decision is not None:
        rows = rank_choices(step.decision)
        choices = [
            [row.role or "answer" * row.is_answer, row.role and chances_text(row), row.text, *cells]
            for row in rows
            for cells in [(typeset(row.equity_text), typeset(row.loss), row.level)]
        ]
        arrows = _arrows(step.decision)
        texts, word = {row.role: row.text for row in rows}, error_word(step.decision.error)
        loss = typeset(loss_text(step.decision)) if step.decision.error >= MIN_LISTED_ERROR else ""
        error, best = f"{word} {loss}" if word else "", texts["best"]
        played = ", ".join(filter(None, [texts.get("played"), error or loss]))
        summary = f"Played {played}; best {best}." if played else f"{best}: the best choice."
    reasons = "" if explanation is None else f"{explanation.why} {typeset(explanation.more)}".strip()
    return {
        "anchor": step.anchor,
        "xgid": step.board.xgid,
        "place": f"Game {step.game}, move {step.move}",
        "text": step.text,
        "error": error,
        "summary": f"{name} {step.text}. {summary}",
        "why": " ".join(filter(None, [step.note, reasons and f"Why: {reasons}"])),
        "choices": choices,
        "arrows": arrows,
    }


def _arrows(decision: AnalysedDecision) -> list[list[list[int]]]:
    """Return the arrows of the best play and of a different recorded play: x and y of each corner in turn."""
    if decision.recorded.kind != "play":
        return []
    board = decision.recorded.decision
    picture = Picture(board._diagram(), board.turn == 1, False, BOARD_WIDTH, BOARD_COLOURS)
    plays = [read_hops(text)[0] for text in dict.fromkeys((decision.best.text, decision.chosen.text))]
    return [
        [[round(coordinate) for corner in path for coordinate in corner] for path in picture.paths(hops)]
        for hops in plays
    ]
