"""The decisions of a recorded match: what each player had to decide, what was chosen, and what was rolled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bgfast.common.vocabulary import Roll
from bgfast.games.legal_actions import objection
from bgfast.games.match import Match
from bgfast.games.state import Action, GameState
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

__all__ = ["DecisionKind", "RecordedDecision", "RecordedRoll", "recorded_decisions"]

DecisionKind = Literal["double", "take", "play", "resignation"]
"""Whether to double, what to answer to a double, which play, and whether to resign or accept that."""


@dataclass(frozen=True)
class RecordedDecision:
    """A decision that a player had to make.

    Attributes
    ----------
    action : int
        The number of the action in `Match.history` by which it was made; that of `Match.states` before it.
    game : int
        The game of the match; the first is 1.
    move : int
        The line of the game's score sheet; the first is 1.
    player : {0, 1}
    kind : {"double", "take", "play", "resignation"}
    decision : Decision
        Where the game stood, from the side of the player on roll: of a take that is the doubler.
    chosen : str
        The play in notation; or ``"no double"``, ``"double"``; ``"take"``, ``"pass"``, ``"beaver"``;
        ``"resign"``, ``"accept"``, ``"refuse"``.
    after : Position or None
        What a play led to, from the next player's side.
    level : int
        What a resignation offers or offered: 1, 2 or 3 times the cube; 0 for anything else.
    """

    action: int
    game: int
    move: int
    player: int
    kind: DecisionKind
    decision: Decision
    chosen: str
    after: Position | None = None
    level: int = 0


@dataclass(frozen=True)
class RecordedRoll:
    """A roll, which nobody decides.

    Attributes
    ----------
    action, game, move : int
        As those of a `RecordedDecision`.
    player : {0, 1}
        Who has to play it.
    decision : Decision
        Where the game stood, the dice thrown.
    opening : bool
        Whether it decided who begins.
    """

    action: int
    game: int
    move: int
    player: int
    decision: Decision
    opening: bool = False

    @property
    def roll(self) -> Roll:
        """The dice."""
        assert self.decision.dice is not None
        return self.decision.dice


_ANSWERS = {"take": "take", "drop": "pass", "beaver": "beaver"}
_CELLS = ("play", "pass_turn", "double", "take", "drop", "beaver", "raccoon")
_RESIGNATIONS = {"resign": "resign", "accept_resignation": "accept", "refuse_resignation": "refuse"}


def recorded_decisions(match: Match) -> list[RecordedDecision | RecordedRoll]:
    """Return the decisions and rolls of a match in the order in which they were made.

    Parameters
    ----------
    match : Match
        Finished or not.

    Returns
    -------
    list of RecordedDecision and RecordedRoll
        A player who rolls without having doubled has decided so, if a double was legal. What did not stand is
        left out: a play that was changed before the turn ended or taken back after a challenge, dice that
        were thrown again. So are a play that the record itself calls illegal, a pass, a double with a dead
        cube, and the answers to a beaver.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1), (6, 5)])
    >>> _ = match.roll()
    >>> match.play("8/5 6/5")
    >>> _ = match.roll()
    >>> [(type(each).__name__, each.player) for each in recorded_decisions(match)]
    [('RecordedRoll', 0), ('RecordedDecision', 0), ('RecordedDecision', 1), ('RecordedRoll', 1)]
    """
    found: list[RecordedDecision | RecordedRoll] = []
    sheet = _ScoreSheet(1)
    states = match.states
    for number, action in enumerate(match.history):
        before, after = states[number].game, states[number + 1].game
        if action.name == "next_game":
            sheet = _ScoreSheet(sheet.game + 1)
        if _takes_back(action, before):
            found.pop()
        made = _decided(action, before)
        if made is not None:
            kind, player, chosen = made
            found.append(
                RecordedDecision(
                    action=number,
                    game=sheet.game,
                    move=sheet.line_of(player),
                    player=player,
                    kind=kind,
                    decision=states[number].decision,
                    chosen=chosen,
                    after=action.after,
                    level=action.level or before.resignation,
                )
            )
        if action.name in ("roll", "roll_again") and after.phase == "to_play":
            assert after.on_turn is not None
            found.append(
                RecordedRoll(
                    action=number,
                    game=sheet.game,
                    move=sheet.line_of(after.on_turn),
                    player=after.on_turn,
                    decision=states[number + 1].decision,
                    opening=before.phase == "opening",
                )
            )
        sheet.write(action, before)
    return found


def _takes_back(action: Action, before: GameState) -> bool:
    """Return whether this replaces what was found last: a play before the turn ended, or dice."""
    if action.name == "roll_again":
        return True
    return (
        action.name == "play" and before.phase == "moved" and before.moved is not None and before.moved.legal
    )


def _decided(action: Action, before: GameState) -> tuple[DecisionKind, int, str] | None:
    """Return what kind of decision an action is, whose, and what was chosen; None if it is none."""
    player = action.player
    if player is None:
        return None
    if action.name == "play" and not action.unchecked:
        return "play", player, action.text
    if action.name == "roll" and before.phase == "to_roll" and objection(before, "double") is None:
        return "double", player, "no double"
    if action.name == "double" and not action.unchecked:
        return "double", player, "double"
    if action.name in _ANSWERS and before.phase == "doubled":
        return "take", player, _ANSWERS[action.name]
    if action.name in _RESIGNATIONS:
        return "resignation", player, _RESIGNATIONS[action.name]
    return None


class _ScoreSheet:
    """The lines of a game's score sheet: two cells each, that of player 0 on the left."""

    def __init__(self, game: int) -> None:
        self.game = game
        self._line = 0
        self._writer = 1

    def line_of(self, player: int) -> int:
        """Return the line that a player writes into next."""
        return self._line if (self._writer, player) == (0, 1) else self._line + 1

    def write(self, action: Action, before: GameState) -> None:
        """Go on to the next cell, if this fills one."""
        if action.name not in _CELLS or before.phase == "moved" or action.player is None:
            return
        self._line = self.line_of(action.player)
        self._writer = action.player
