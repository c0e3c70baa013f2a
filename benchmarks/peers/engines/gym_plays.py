"""gym-backgammon: a reinforcement learning environment in plain Python."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.peers.engines import Board, Capabilities, Case
from bgfast.conformance.protocol import InProcessEngine


class Adapter(InProcessEngine):
    """Adapter for `Backgammon.get_valid_plays`, which returns a set of tuples of moves."""

    name = "gym-backgammon"
    version = version("gym-backgammon")
    capabilities = Capabilities(distinct=False)
    unit = "plays"
    note = "`get_valid_plays(player, roll)`, a set of tuples of moves"
    check_limit = 1_000_000

    def __init__(self) -> None:
        self._rules = load_rules()

    def successors(self, case: Case) -> list[Board]:
        game = self._game(case.board)
        rows = []
        for play in game.get_valid_plays(self._rules.WHITE, (-case.roll[0], -case.roll[1])):
            state = game.save_state()
            game.execute_play(self._rules.WHITE, play)
            rows.append(self._board(game))
            game.restore_state(state)
        return rows

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        games = {case.board: self._game(case.board) for case in cases}
        arguments = [(games[case.board], (-case.roll[0], -case.roll[1])) for case in cases]
        white = self._rules.WHITE

        def work() -> int:
            return sum(len(game.get_valid_plays(white, roll)) for game, roll in arguments)

        return work

    def _game(self, board: Board) -> Any:
        """Return a game at this position, with white to move and points numbered from 0."""
        white, black = self._rules.WHITE, self._rules.BLACK
        game = self._rules.Backgammon()
        game.board = [(abs(n), (white if n > 0 else black) if n else None) for n in board[1:25]]
        game.bar = [board[25], -board[0]]
        white_count = sum(n for n in board if n > 0)
        black_count = -sum(n for n in board if n < 0)
        game.off = [15 - white_count, 15 - black_count]
        game.players_positions = game.get_players_positions()
        return game

    def _board(self, game: Any) -> Board:
        points = [n if owner == self._rules.WHITE else -n for n, owner in game.board]
        return (-game.bar[1], *points, game.bar[0])


def load_rules() -> ModuleType:
    """Load the rules module alone: importing the package needs an obsolete graphics library."""
    package = importlib.util.find_spec("gym_backgammon")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("No module named 'gym_backgammon'")
    path = Path(package.origin).parent / "envs" / "backgammon.py"
    spec = importlib.util.spec_from_file_location("gym_backgammon_rules", path)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("gym_backgammon has no envs/backgammon.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
