"""OpenSpiel: a double is two turns of the same player, and positions are reached by playing only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import pyspiel

from ..positions import Sample, Turn, play_game
from . import Board, Case, Roll, UnreachableError

ROLLS = [(low, high) for low in range(1, 7) for high in range(low + 1, 7)]


class Adapter:
    """`State.legal_actions` at states that the games of the sample lead to."""

    name = "open_spiel"
    version = version("open_spiel")
    unit = "actions"
    note = "`state.legal_actions()`; a double's first two moves only, equal results repeat"
    check_limit = 400

    def __init__(self) -> None:
        self._game = pyspiel.load_game("backgammon(max_player_turns=100000)")
        self._states: dict[Board, Any] = {}

    def meet(self, samples: Sequence[Sample]) -> None:
        """Play the games that lead to these positions and keep the states, before a roll."""
        wanted: dict[int, set[int]] = {}
        for sample in samples:
            if sample.game >= 0 and sample.board not in self._states:
                wanted.setdefault(sample.game, set()).add(sample.ply)
        for seed, plies in wanted.items():
            self._replay(seed, plies)

    def successors(self, board: Board, roll: Roll) -> list[Board]:
        state = self._rolled(board, roll)
        player = state.current_player()
        ends = [end for first in _children(state) for end in _finished(first, player)]
        rows = [board_of(end, player) for end in ends]
        return [] if set(rows) == {board} else rows  # its pass is an action that changes nothing

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        prepared = [self._rolled(board, roll) for board, roll in cases]

        def work() -> int:
            return sum(len(state.legal_actions()) for state in prepared)

        return work

    def _rolled(self, board: Board, roll: Roll) -> Any:
        if board not in self._states:
            raise UnreachableError("no game that leads there is known")
        return self._states[board].child(outcome(roll))

    def _replay(self, seed: int, plies: set[int]) -> None:
        state = self._game.new_initial_state()
        for ply, turn in enumerate(play_game(seed)):
            if ply in plies:
                self._states[turn.board] = state.clone()
            if ply == max(plies):
                return
            state = _played(state, turn)


def outcome(roll: Roll) -> int:
    """Return the number of the chance outcome with these dice."""
    low, high = sorted(roll)
    if low == high:
        return 29 + low
    # Each pair stands there twice: in the first roll they differ in who begins.
    return 2 * ROLLS.index((low, high))


def _played(state: Any, turn: Turn) -> Any:
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
    raise UnreachableError(f"it has no play from {turn.board} to {turn.after} with {turn.roll}")


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
