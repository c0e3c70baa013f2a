"""Adapter of OpenSpiel, which plays doubles as two turns and reaches positions only by replaying games."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import pyspiel

from bgfast.common.vocabulary import Board, Roll
from bgfast.engines.protocol import Capabilities, Case, InProcessEngine, TurnRecord, UnreachableError

ROLLS = [(low, high) for low in range(1, 7) for high in range(low + 1, 7)]


class Adapter(InProcessEngine):
    """`State.legal_actions`, for both halves of a double; successors may repeat, a pass is an action.

    The states of the last game are cached, so that the next position of the same game replays one turn only.
    """

    name = "open_spiel"
    version = version("open_spiel")
    capabilities = Capabilities(positions=False, distinct=False)

    def __init__(self) -> None:
        game = pyspiel.load_game("backgammon(max_player_turns=100000)")
        self._turns: list[TurnRecord] = []
        self._states = [game.new_initial_state()]

    def successors(self, case: Case) -> list[Board]:
        state = self.rolled(case)
        player = state.current_player()
        ends = [end for first in _children(state) for end in _turn_ends(first, player)]
        rows = [board_of(end, player) for end in ends]
        return [] if set(rows) == {case.board} else rows

    def rolled(self, case: Case) -> Any:
        """Return the state after the mover's roll."""
        if case.game is None:
            raise UnreachableError("it can only replay games, and the position has no game")
        if not case.game and case.roll[0] == case.roll[1]:
            raise UnreachableError("its games cannot start with a double")
        state = self._after(case.game).child(outcome(case.roll))
        if state.is_terminal() or board_of(state, state.current_player()) != case.board:
            raise UnreachableError("the game does not lead to this position")
        return state

    def _after(self, game: Sequence[TurnRecord]) -> Any:
        """Return the state after the turns, before a roll."""
        cached = 0
        while cached < min(len(game), len(self._turns)) and game[cached] == self._turns[cached]:
            cached += 1
        del self._turns[cached:], self._states[cached + 1 :]
        for turn in game[cached:]:
            self._states.append(_replay_turn(self._states[-1], turn))
            self._turns.append(turn)
        return self._states[-1]


def outcome(roll: Roll) -> int:
    """Return the chance outcome of a roll."""
    low, high = sorted(roll)
    if low == high:
        return 29 + low
    # Two outcomes for every pair: on the first roll they differ in the player who begins.
    return 2 * ROLLS.index((low, high))


def _replay_turn(state: Any, turn: TurnRecord) -> Any:
    """Return the state after a turn: the one reached by legal actions that has the board of the record."""
    state = state.child(outcome(turn.roll))
    player = state.current_player()
    visited: set[Board] = set()
    for child in _children(state):
        middle = board_of(child, player)
        if middle not in visited:
            visited.add(middle)
            for end in _turn_ends(child, player):
                if board_of(end, player) == turn.after:
                    return end
    raise UnreachableError(f"it has no play to {turn.after} with {turn.roll}")


def _children(state: Any) -> list[Any]:
    return [state.child(action) for action in state.legal_actions()]


def _turn_ends(state: Any, player: int) -> list[Any]:
    """Return the states at the end of the turn: after the second half of a double, else `state` itself."""
    return _children(state) if state.current_player() == player else [state]


def board_of(state: Any, player: int) -> Board:
    """Return the board from a player's side; an observation has four numbers a point, then the bars."""
    observation = state.observation_tensor(player)
    own = [_count(observation, 4 * point) for point in range(24)]
    other = [_count(observation, 96 + 4 * point) for point in range(24)]
    points = [checkers - opposing for checkers, opposing in zip(own, other, strict=True)]
    # Player 0 moves up its points, player 1 down.
    points = points if player == 1 else points[::-1]
    return (-round(observation[195]), *points, round(observation[192]))


def _count(observation: Sequence[float], index: int) -> int:
    """Decode a point's four numbers: flags for one, two and three checkers, and the number above three."""
    one, two, three, beyond = observation[index : index + 4]
    return round(one + 2 * two + (3 + beyond if three or beyond else 0))
