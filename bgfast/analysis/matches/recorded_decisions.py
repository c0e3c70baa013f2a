"""Decisions and rolls of a recorded match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from bgfast.common.validation import Roll
from bgfast.games.match import Match
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import is_dead, objection
from bgfast.games.views import SheetCursor
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet

DecisionKind = Literal["double", "take", "play", "resignation"]
"""Kinds of decisions: ``"take"`` is any answer to a double, ``"resignation"`` an offer or its answer."""
MatchPhase = Literal["opening", "middle game", "race", "bear-off"]
PHASES: tuple[MatchPhase, ...] = get_args(MatchPhase)
OPENING_MOVES = 3
"""Lines of the score sheet that count as the opening while there is contact; a convention of bgfast."""
_NO_CONTACT_PHASES: Mapping[str, MatchPhase] = MappingProxyType({"race": "race", "bearoff": "bear-off"})


@dataclass(frozen=True)
class RecordedDecision:
    """Recorded decision: the state of the game and the player's choice."""

    action: int  # index of the action in `Match.history`, and of the state before it in `Match.states`
    game: int  # number of the game in the match; the first is 1
    move: int  # line of the game's score sheet; the first is 1
    player: int  # 0 or 1
    kind: DecisionKind
    decision: Decision  # from the side of the player on roll; for an answer, the doubler's side
    chosen: str  # a play, "no double", "double", "take", "drop", "beaver", "resign", "accept" or "refuse"
    after: Position | None = None  # after a play, from the next player's side
    level: int = 0  # level of the resignation that is offered or answered, 1 to 3; otherwise 0
    rules: RuleSet = STANDARD

    @property
    def situation(self) -> str:
        """Decision as text, after the player's name: "to play 6-4", "may double", "is doubled"."""
        if self.kind == "take":
            return "is doubled"
        if self.kind == "resignation":
            return "may resign" if self.chosen == "resign" else "is offered a resignation"
        if self.decision.dice is None:
            return "may redouble" if self.decision.cube_owner == 1 else "may double"
        return self.decision.status[2:]  # without the colour


@dataclass(frozen=True)
class RecordedRoll:
    """Recorded roll; `action`, `game` and `move` as in `RecordedDecision`."""

    action: int
    game: int
    move: int
    player: int  # player on roll, 0 or 1
    decision: Decision  # after the roll
    opening: bool = False  # True: the roll decided who starts the game

    @property
    def roll(self) -> Roll:
        """Dice of the roll."""
        assert self.decision.dice is not None
        return self.decision.dice


def phase_of(record: RecordedDecision | RecordedRoll) -> MatchPhase:
    """Return the phase of the game to which a decision or roll belongs.

    With contact, the first `OPENING_MOVES` lines of the score sheet are the opening, and the other lines
    the middle game. Without contact the game is a race, and a bear-off once both players are home.
    """
    phase = _NO_CONTACT_PHASES.get(record.decision.position.phase)
    return phase or ("opening" if record.move <= OPENING_MOVES else "middle game")


class UnknownMoves(NamedTuple):
    """Lines of a game's score sheet at which the board is unknown and nothing is evaluated."""

    first: int
    last: int | None  # None: to the end of the game

    def __str__(self) -> str:
        end = "" if self.last is None else f" to {self.last}"
        return f"board unknown from move {self.first}{end}"


_CELL_ACTIONS = ("play", "pass_turn", "double", "take", "drop", "beaver", "raccoon")
_RESIGNATIONS = {"resign": "resign", "accept_resignation": "accept", "refuse_resignation": "refuse"}


def extract_decisions(match: Match) -> list[RecordedDecision | RecordedRoll]:
    """Return the decisions and rolls of a match in the order of play.

    Rolling the dice when a double was legal is a decision not to double. Excluded are actions that were
    undone (a play changed before the turn ended or after a challenge, dice that were rolled again), plays
    recorded as illegal, passes, doubles with a dead cube and their answers, the answers to a beaver, and all
    actions on an unknown board.
    """
    records: list[RecordedDecision | RecordedRoll] = []
    states = match.states
    for index, action, game, sheet in _actions_on_sheet(match):
        state, next_state = states[index].game, states[index + 1].game
        if state.board_unknown:
            continue
        # A second play in the same turn, or new dice, replace the last record.
        if action.name == "play" and state.phase == "moved":
            is_replaced = state.moved is not None and state.moved.legal
        else:
            is_replaced = action.name == "roll_again"
        if is_replaced:
            records.pop()
        choice = _choice_of(action, state)
        if choice is not None:
            kind, player, chosen = choice
            place = index, game, sheet.row_of(player), player
            level = action.level or state.resignation
            decision = states[index].decision
            record = RecordedDecision(*place, kind, decision, chosen, action.after, level, match.rules)
            records.append(record)
        if action.name in ("roll", "roll_again") and next_state.phase == "to_play":
            assert next_state.on_turn is not None
            place = index, game, sheet.row_of(next_state.on_turn), next_state.on_turn
            records.append(RecordedRoll(*place, states[index + 1].decision, state.phase == "opening"))
    return records


def unknown_moves(match: Match) -> dict[int, list[UnknownMoves]]:
    """Return the lines of the score sheet at which the board is unknown, by game number."""
    spans: dict[int, list[UnknownMoves]] = {}
    states = match.states
    for index, action, game, sheet in _actions_on_sheet(match):
        was_unknown, is_unknown = (state.game.board_unknown for state in states[index : index + 2])
        if is_unknown and not was_unknown:
            assert action.player is not None
            # Before an unknown position the opponent's turn is missing.
            player = action.player if action.name == "play" else 1 - action.player
            spans.setdefault(game, []).append(UnknownMoves(sheet.row_of(player), None))
        elif was_unknown and action.name == "set_position" and not is_unknown:
            last = spans[game].pop()
            if states[index - 1].game.board_unknown:  # otherwise the unknown board had no action
                spans[game].append(last._replace(last=sheet.row))
    return {game: unknown for game, unknown in spans.items() if unknown}


def _actions_on_sheet(match: Match) -> Iterator[tuple[int, Action, int, SheetCursor]]:
    """Yield the index of each action, the action, the number of its game, and the score sheet before it."""
    game, sheet, states = 1, SheetCursor(), match.states
    for index, action in enumerate(match.history):
        if action.name == "next_game":
            game, sheet = game + 1, SheetCursor()
        yield index, action, game, sheet
        if action.name in _CELL_ACTIONS and states[index].game.phase != "moved" and action.player is not None:
            sheet.fill(action.player)


def _choice_of(action: Action, state: GameState) -> tuple[DecisionKind, int, str] | None:
    """Return the kind of decision, the player and the choice; None for actions without a choice."""
    player = action.player
    if player is None:
        return None
    if action.name == "play" and not action.unchecked:
        return "play", player, action.text
    if action.name == "roll" and state.phase == "to_roll" and objection(state, "double") is None:
        return "double", player, "no double"
    if action.name == "double" and not action.unchecked:
        return "double", player, "double"
    # With a dead cube a take costs nothing, and a drop loses the match.
    if action.name in ("take", "drop", "beaver") and state.phase == "doubled" and not is_dead(state):
        return "take", player, action.name
    if action.name in _RESIGNATIONS:
        return "resignation", player, _RESIGNATIONS[action.name]
    return None
