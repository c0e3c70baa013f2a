"""Views of `Game` and `Match`: state, legal actions and score sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from bgfast.common.validation import Roll
from bgfast.errors import IllegalActionError
from bgfast.games.dice import throw_text
from bgfast.games.history import History
from bgfast.games.scoring import LEVELS, PLAYER_NAMES, Cube, GameResult, player_number
from bgfast.games.state import Action, ActionName, GamePhase, GameState, State, StateView
from bgfast.games.transitions import ACTIONS, objection
from bgfast.position.decision import Decision
from bgfast.position.next_moves import NextMoves, PlaySoFar
from bgfast.position.objects import PlayList, Position
from bgfast.rules import RuleSet


class GameQueries(History[State], StateView):
    """State of a game, and its history as a score sheet."""

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self._start._game.rules

    @property
    def phase(self) -> GamePhase:
        """Phase of the game; see `GameState`."""
        return self._game.phase

    @property
    def position(self) -> Position:
        """The position from the side of the player on turn; see `GameState`."""
        return self._game.position

    @property
    def on_turn(self) -> int | None:
        """The player on turn, 0 or 1; None before the opening is decided."""
        return self._game.on_turn

    @property
    def to_act(self) -> int | None:
        """Player to act, 0 or 1; None if both or neither may act."""
        return self._game.to_act

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll to play, or None."""
        return self._game.dice

    @property
    def cube(self) -> Cube:
        """The doubling cube."""
        return self._game.cube

    @property
    def result(self) -> GameResult | None:
        """Result of the game; None until it is over."""
        return self._game.result

    @property
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X, who is on roll before the opening.

        Resignations and plays that can still be changed are left out.
        """
        return self.state.decision

    def board(self, player: int) -> npt.NDArray[np.int8]:
        """Return the board from the side of a player.

        Parameters
        ----------
        player : {0, 1}

        Returns
        -------
        ndarray of int8, shape (26,)
            The player's checkers are positive. The board does not show a play that can still be changed.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game()
        >>> int(game.board(0)[6]), int(game.board(1)[19])
        (5, -5)
        """
        game = self._game
        player = player_number("player", player)
        return (game.position if player == (game.on_turn or 0) else game.position.flip()).to_array()

    def score_sheet(self) -> str:
        """Return the score sheet of the actions so far.

        Returns
        -------
        str
            One line per pair of turns, with X (player 0) on the left; points are numbered from the mover's
            side. The result, and actions of both players, have separate lines.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["44", "31"])
        >>> _ = game.roll(), game.roll()
        >>> game.play("8/5 6/5")
        >>> game.double()
        >>> game.drop()
        >>> print(game.score_sheet())
             X                                   O
        opening roll 4-4: a tie
          1) 31: 8/5 6/5                         Doubles to 2
          2) Drops
        O wins 1 point (single, drop)
        """
        history, states = self.history, self.states
        lines: list[str] = []
        ends = [index for index, action in enumerate(history) if action.name == "next_game"]
        for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(history)], strict=True):
            if head := states[start]._head:
                lines += ["", head] if lines else [head]
            lines.append(f"{'':5}{'X':{WIDTH}}O")
            games = [state._game for state in states[start : end + 1]]
            cells, last_state = _game_cells(history[start:end], games), games[-1]
            if end == len(history) and last_state.dice is not None and last_state.phase == "to_play":
                cells.append((last_state.on_turn, f"{_dice(last_state)}:"))
            for row, left, right in sheet_rows(cells):
                lines.append(f"{row:3}) {left:{WIDTH}}{right}".rstrip() if row else left)
        return "\n".join(lines)

    def legal_actions(self) -> tuple[ActionName, ...]:
        """Return the legal actions, as the names of methods.

        ``"play"`` stands for any of `plays`, ``"resign"`` for any level. After a game the result is empty, or
        ``("next_game",)`` within a match.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Game(on_turn=0).legal_actions()
        ('roll', 'double', 'resign')
        """
        if self._game.phase == "over":
            return self._actions_after_game()
        return tuple(action for action in ACTIONS if objection(self._game, action) is None)

    def _actions_after_game(self) -> tuple[ActionName, ...]:
        return ()

    def plays(self) -> PlayList:
        """Return the legal plays of the roll, none if the turn passes.

        Raises
        ------
        IllegalActionError
            If there is no roll to play.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["31"])
        >>> _ = game.roll()
        >>> len(game.plays())
        16
        """
        game, _ = self._game_with_roll("plays")
        return game.plays()

    def next_moves(self, so_far: str | Iterable[Sequence[int]] = ()) -> NextMoves:
        """Return the single moves that continue a partial play of the roll, as `Position.next_moves` does.

        Raises
        ------
        IllegalActionError
            If there is no roll to play.
        IllegalPlayError
            If no legal play begins with `so_far`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["65"])
        >>> _ = game.roll()
        >>> [move.to for move in game.next_moves("24/18")]
        [13, 8, 3]
        """
        game, roll = self._game_with_roll("next_moves")
        return game.position.next_moves(roll, so_far, game.rules)

    def play_so_far(self, so_far: str | Iterable[Sequence[int]]) -> PlaySoFar:
        """Return the turn after the moves of a partial play, as `Position.play_so_far` does.

        Errors are as for `next_moves`.
        """
        game, roll = self._game_with_roll("play_so_far")
        return game.position.play_so_far(roll, so_far, game.rules)

    def _game_with_roll(self, name: str) -> tuple[GameState, Roll]:
        """Return the state and its roll; without a roll raise `IllegalActionError` for the method `name`."""
        game = self._game
        if game.dice is None:
            reason = "" if game.tied_dice is None else f"; {game.status}"
            raise IllegalActionError(f"{name}: there is no roll to be played{reason}")
        return game, game.dice


# ---------------------------------------------------------------- score sheet


WIDTH = 36  # characters in the left column


class SheetCursor:
    """Place on a score sheet, whose rows have a cell for player 0 and then a cell for player 1."""

    def __init__(self) -> None:
        self.row = 0
        self.is_open = False  # True if the right cell of the row is free

    def row_of(self, player: int) -> int:
        """Return the row of the next cell of a player."""
        return self.row if self.is_open and player == 1 else self.row + 1

    def fill(self, player: int) -> int:
        """Fill the next cell of a player; return its row."""
        self.row, self.is_open = self.row_of(player), player == 0
        return self.row


def sheet_rows(cells: Iterable[tuple[int | None, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield the rows of a score sheet: number, left cell and right cell.

    `cells` has the player and the text of each cell. A cell with the player None is a note: it ends the
    current row, and is yielded as the left cell of a row with the number 0.
    """
    cursor, left = SheetCursor(), ""
    for player, text in cells:
        is_new = player is None or cursor.row_of(player) > cursor.row
        if is_new and cursor.is_open:
            yield cursor.row, left, ""
        if player is None:
            cursor.is_open = False
            yield 0, text, ""
        elif player == 0:
            cursor.fill(player)
            left = text
        else:
            yield cursor.fill(player), "" if is_new else left, text
    if cursor.is_open:
        yield cursor.row, left, ""


def _game_cells(history: Sequence[Action], states: Sequence[GameState]) -> list[tuple[int | None, str]]:
    cells: list[tuple[int | None, str]] = []
    for index, action in enumerate(history):
        before, after = states[index], states[index + 1]
        if action.name == "play" and before.phase == "moved" and cells[-1][0] == action.player:
            cells.pop()  # this play replaces the previous one
        is_premature = before.phase == "moved" and action.name == "roll"
        is_note = is_premature or action.name == "set_position"
        if text := _cell_text(action, before, after):
            cells.append((None if is_note else action.player, text))
        if after.result is not None:
            cells.append((None, f"{PLAYER_NAMES[after.result.winner]} wins {after.result}"))
    return cells


def _dice(state: GameState) -> str:
    return "".join(map(str, state.dice or ()))


def _cell_text(action: Action, before: GameState, after: GameState) -> str:
    """Return the text of an action; empty for a roll that is shown with its play."""
    cube, player = before.cube.value, PLAYER_NAMES[action.player or 0]
    if action.name == "roll":
        dice = throw_text(action.dice or 0)
        if after.phase == "opening":
            suffix = "" if after.cube == before.cube else f", the cube shows {after.cube.value}"
            return f"opening roll {dice}: a tie{suffix}"
        return f"{player} rolls {dice} too early: void" if after.phase == "moved" else ""
    if action.name == "play":
        return f"{_dice(before)}: {action.text}{' (illegal)' * (action.unchecked and not action.unknown)}"
    if action.name == "set_position":
        board = "the board is unknown" if action.after is None else f"position {action.after.gnubg_id}"
        return f"{board}, {player} on turn"
    texts = {
        "draw_lot": f"White: {PLAYER_NAMES[action.white or 0]}",
        "roll_again": f"{_dice(before)}: rolled again",
        "double": f"Doubles to {2 * cube}",
        "take": "Takes",
        "drop": "Drops",
        "beaver": f"Beavers to {4 * cube}",
        "raccoon": f"Raccoons to {8 * cube}",
        "pass_turn": f"{_dice(before)}: no play",
        "challenge": "Challenges",
        "resign": f"Resigns a {LEVELS[action.level - 1]}",
        "accept_resignation": "Accepts",
        "refuse_resignation": "Refuses",
    }
    return texts.get(action.name, "")
