"""Score sheet of a game or match, X on the left and O on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bgfast.games.scoring import LEVELS, PLAYER_NAMES
from bgfast.games.state import Action, GameState

WIDTH = 36  # of the left column


def sheet_text(history: Sequence[Action], states: Sequence[GameState], heads: Sequence[str]) -> str:
    """Return a score sheet as `Game.score_sheet` describes it.

    There is a state before each action and after the last; `heads` are headings of games that begin there.
    """
    sheet = _Sheet()
    sheet.begin(heads[0])
    for number, action in enumerate(history):
        if action.name == "next_game":
            sheet.begin(heads[number + 1])
        else:
            sheet.write(action, states[number], states[number + 1])
    current = states[-1]
    if current.dice is not None and current.phase == "to_play":
        sheet.turn(current.on_turn, f"{_rolled(current)}:")
    sheet.end_line()
    return "\n".join(sheet.lines)


def _rolled(state: GameState) -> str:
    return "{}{}".format(*state.dice or ())


class _Sheet:
    """Finished lines, and the current one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._cells = ["", ""]
        self._number = 0

    def begin(self, head: str) -> None:
        """Write the head of a game."""
        self.end_line()
        self._number = 0
        if head:
            self.lines += ["", head] if self.lines else [head]
        self.lines.append(f"{'':5}{'X':{WIDTH}}O")

    def write(self, action: Action, before: GameState, after: GameState) -> None:
        """Write an action."""
        if action.name == "play" and before.phase == "moved":
            assert action.player is not None
            self._cells[action.player] = ""  # replaces the previous play
        text = _TEXTS[action.name](action, before, after)
        is_premature = before.phase == "moved" and action.name == "roll"
        if action.player is None or is_premature or action.name == "set_position":
            self.note(text)
        elif text:
            self.turn(action.player, text)
        if after.result is not None:
            self.note(f"{PLAYER_NAMES[after.result.winner]} wins {after.result}")

    def turn(self, player: int | None, text: str) -> None:
        """Write into a player's column."""
        assert player is not None
        if self._cells[player] or self._cells[1]:
            self.end_line()
        self._cells[player] = text

    def note(self, text: str) -> None:
        """Write a separate line, unless the text is empty."""
        if text:
            self.end_line()
            self.lines.append(text)

    def end_line(self) -> None:
        """End the current line."""
        if any(self._cells):
            self._number += 1
            self.lines.append(f"{self._number:3}) {self._cells[0]:{WIDTH}}{self._cells[1]}".rstrip())
            self._cells = ["", ""]


def _roll(action: Action, before: GameState, after: GameState) -> str:
    """Return a note for a roll without a play; other rolls are written with their play."""
    dice = "{}-{}".format(*action.dice or ())
    if after.phase == "opening":
        cube = "" if after.cube == before.cube else f", the cube shows {after.cube.value}"
        return f"opening roll {dice}: a tie{cube}"
    if after.phase == "moved":
        return f"{PLAYER_NAMES[action.player or 0]} rolls {dice} too early: void"
    return ""


def _play(action: Action, before: GameState, after: GameState) -> str:
    mark = " (illegal)" if action.unchecked and not action.unknown else ""
    return f"{_rolled(before)}: {action.text}{mark}"


def _set_position(action: Action, before: GameState, after: GameState) -> str:
    board = "the board is unknown" if action.after is None else f"position {action.after.gnubg_id}"
    return f"{board}, {PLAYER_NAMES[action.player or 0]} on turn"


def _always(text: str) -> Callable[[Action, GameState, GameState], str]:
    return lambda action, before, after: text


_TEXTS: Mapping[str, Callable[[Action, GameState, GameState], str]] = {
    "draw_lot": lambda action, before, after: f"White: {PLAYER_NAMES[action.white or 0]}",
    "roll": _roll,
    "roll_again": lambda action, before, after: f"{_rolled(before)}: rolled again",
    "double": lambda action, before, after: f"Doubles to {2 * before.cube.value}",
    "take": _always("Takes"),
    "drop": _always("Drops"),
    "beaver": lambda action, before, after: f"Beavers to {4 * before.cube.value}",
    "raccoon": lambda action, before, after: f"Raccoons to {8 * before.cube.value}",
    "play": _play,
    "pass_turn": lambda action, before, after: f"{_rolled(before)}: no play",
    "end_turn": _always(""),
    "challenge": _always("Challenges"),
    "resign": lambda action, before, after: f"Resigns a {LEVELS[action.level - 1]}",
    "accept_resignation": _always("Accepts"),
    "refuse_resignation": _always("Refuses"),
    "award": _always(""),
    "set_position": _set_position,
}
