"""OpenSpiel: a double is two turns of the same player, and positions are reached by playing only."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import pyspiel

from bgfast.engines.protocol import Board, Capabilities, Case, Inside, Roll, TurnRecord, UnreachableError

ROLLS = [(low, high) for low in range(1, 7) for high in range(low + 1, 7)]


class Adapter(Inside):
    """`State.legal_actions`, both halves of a double; equal results repeat, a pass is an action.

    The states of the game that was replayed last are kept: the next position of the same game costs one turn.
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
        ends = [end for first in _children(state) for end in _finished(first, player)]
        rows = [board_of(end, player) for end in ends]
        return [] if set(rows) == {case.board} else rows

    def rolled(self, case: Case) -> Any:
        """Return the state in which the mover has thrown this roll.

        Raises
        ------
        UnreachableError
            If there is no game that leads there, or none that it can play.
        """
        if case.game is None:
            raise UnreachableError("it can only replay games, and the position comes from none")
        if not case.game and case.roll[0] == case.roll[1]:
            raise UnreachableError("its games do not begin with a double")
        state = self._after(case.game).child(outcome(case.roll))
        if state.is_terminal() or board_of(state, state.current_player()) != case.board:
            raise UnreachableError("the game does not lead to this position")
        return state

    def _after(self, game: Sequence[TurnRecord]) -> Any:
        """Return the state after these turns, before a roll."""
        known = 0
        while known < min(len(game), len(self._turns)) and game[known] == self._turns[known]:
            known += 1
        del self._turns[known:], self._states[known + 1 :]
        for turn in game[known:]:
            self._states.append(_played(self._states[-1], turn))
            self._turns.append(turn)
        return self._states[-1]


def outcome(roll: Roll) -> int:
    """Return the number of the chance outcome with these dice."""
    low, high = sorted(roll)
    if low == high:
        return 29 + low
    # Each pair stands there twice: in the first roll they differ in who begins.
    return 2 * ROLLS.index((low, high))


def _played(state: Any, turn: TurnRecord) -> Any:
    """Return the state after a turn, found among those that the legal actions lead to."""
    state = state.child(outcome(turn.roll))
    player = state.current_player()
    seen: set[Board] = set()
    for child in _children(state):
        middle = board_of(child, player)
        if middle not in seen:
            seen.add(middle)
            for end in _finished(child, player):
                if board_of(end, player) == turn.after:
                    return end
    raise UnreachableError(f"it has no play to {turn.after} with {turn.roll}")


def _children(state: Any) -> list[Any]:
    return [state.child(action) for action in state.legal_actions()]


def _finished(state: Any, player: int) -> list[Any]:
    """Return the states after the second half of a double; otherwise the turn is over already."""
    return _children(state) if state.current_player() == player else [state]


def board_of(state: Any, player: int) -> Board:
    """Return the 26 numbers from a player's side.

    The observation holds four numbers for each point, own checkers first, then what is on the bars.
    """
    seen = state.observation_tensor(player)
    own = [_count(seen, 4 * point) for point in range(24)]
    other = [_count(seen, 96 + 4 * point) for point in range(24)]
    points = [mine - theirs for mine, theirs in zip(own, other, strict=True)]
    # Player 0 moves up its points, player 1 down.
    points = points if player == 1 else points[::-1]
    return (-round(seen[195]), *points, round(seen[192]))


def _count(seen: Sequence[float], at: int) -> int:
    """Return how many checkers the four numbers of a point stand for: one, two, three, how many beyond."""
    one, two, three, beyond = seen[at : at + 4]
    return round(one + 2 * two + (3 + beyond if three or beyond else 0))
