"""Adapters for the registered engines, using only the engines' public interfaces.

Each engine is imported by its adapter's constructor, so the others may be missing.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast import reference
from bgfast.common import __version__
from bgfast.common.validation import Board, Roll
from bgfast.conformance.protocol import (
    ANY_RULES,
    Capabilities,
    Case,
    Engine,
    EngineError,
    InProcessEngine,
    MissingEngineError,
    TurnRecord,
    UnreachableError,
)
from bgfast.conformance.ubgi_client import board_after
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

GNUBG_SCRIPT = Path(__file__).with_name("gnubg_inside.py")
Sides = list[list[int]]

HEXADECIMAL = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")
NON_DOUBLES = [(low, high) for low in range(1, 7) for high in range(low + 1, 7)]
Array = npt.NDArray[Any]
Stage = tuple[Board, tuple[int, ...], int]  # pgx's board, dice left, number of dice played

NO_OPS = 6  # number of pgx actions that move no checker; they come first
BATCH = 32
"""Number of boards in a call, which is fixed since JAX recompiles for every new size."""


def legal_successors(case: Case) -> list[Board]:
    """Return the legal successors, from the mover's side, in the generator's order; empty for a pass."""
    position = Position.from_array(case.board, checkers=case.checkers)
    return list(map(tuple, position.plays(case.roll, case.rules).boards.tolist()))


class BgfastAdapter(InProcessEngine):
    """Adapter for `Position.plays`."""

    name = "bgfast"
    version = __version__
    capabilities = Capabilities(rules=(ANY_RULES,), checkers=tuple(range(1, 16)))

    def successors(self, case: Case) -> list[Board]:
        return legal_successors(case)


class ReferenceAdapter(BgfastAdapter):
    """Adapter for `reference.legal_positions`, for any number of checkers."""

    name = "reference"

    def successors(self, case: Case) -> list[Board]:
        return sorted(reference.legal_positions(case.board, *case.roll, rules=case.rules))


class BgsageAdapter(InProcessEngine):
    """Adapter for `bgsage.possible_moves`, which lists each successor once; a pass is the unchanged board."""

    name = "bgsage"
    capabilities = Capabilities()

    def __init__(self) -> None:
        self._bgsage: Any = import_module("bgsage")
        self.version = version("bgsage")

    def successors(self, case: Case) -> list[Board]:
        rows = self._bgsage.possible_moves(bgsage_board(case.board), *case.roll)
        boards = [(-row[0], *row[1:]) for row in rows]
        return [] if boards == [case.board] else boards


def bgsage_board(board: Board) -> list[int]:
    """Convert a board to bgsage's form: the opponent's bar, index 0, has the opposite sign."""
    return [-board[0], *board[1:]]


class GnubgNnAdapter(InProcessEngine):
    """Adapter for `gnubg_nn.moves`, which returns distinct position keys, or none for a pass."""

    name = "gnubg-nn"
    capabilities = Capabilities()

    def __init__(self) -> None:
        self._gnubg_nn: Any = import_module("gnubg_nn")
        self.version = version("gnubg-nn")

    def successors(self, case: Case) -> list[Board]:
        return [board_of_key(key) for key in self._gnubg_nn.moves(sides(case.board), *case.roll)]


def sides(board: Board) -> Sides:
    """Return the checkers of the opponent and of the mover, on each player's own points 1 to 24 and bar."""
    return [[max(0, -checkers) for checkers in board[24::-1]], [max(0, checkers) for checkers in board[1:]]]


def board_of_key(key: str) -> Board:
    """Decode a key of twenty letters, the nibbles of a GNU position ID, into a board."""
    bits = int.from_bytes(bytes.fromhex(key.translate(HEXADECIMAL)), "little")
    runs = [len(ones) for ones in format(bits, "080b")[::-1].split("0")]
    opponent, mover = runs[:25], runs[25:50]
    points = [own - other for own, other in zip(mover[:24], opponent[23::-1], strict=True)]
    return (-opponent[24], *points, mover[24])


class OpenSpielAdapter(InProcessEngine):
    """Adapter for `State.legal_actions`: doubles take two actions, a pass is one, and successors may repeat.

    The states of the last game are cached: the next position of the same game replays one turn only.
    """

    name = "open_spiel"
    capabilities = Capabilities(positions=False, distinct=False)

    def __init__(self) -> None:
        pyspiel: Any = import_module("pyspiel")
        self.version = version("open_spiel")
        game = pyspiel.load_game("backgammon(max_player_turns=100000)")
        self._turns: list[TurnRecord] = []
        self._states = [game.new_initial_state()]

    def successors(self, case: Case) -> list[Board]:
        state = self.after_roll(case)
        player = state.current_player()
        ends = [end for first in _children(state) for end in _turn_ends(first, player)]
        boards = [open_spiel_board(end, player) for end in ends]
        return [] if set(boards) == {case.board} else boards

    def after_roll(self, case: Case) -> Any:
        """Return the state after the mover's roll."""
        if case.game is None:
            raise UnreachableError("it can only replay games, and the position has no game")
        if not case.game and case.roll[0] == case.roll[1]:
            raise UnreachableError("its games cannot start with a double")
        state = self._replay(case.game).child(chance_outcome(case.roll))
        if state.is_terminal() or open_spiel_board(state, state.current_player()) != case.board:
            raise UnreachableError("the game does not lead to this position")
        return state

    def _replay(self, game: Sequence[TurnRecord]) -> Any:
        """Return the state after the turns, before a roll."""
        count = 0
        while count < min(len(game), len(self._turns)) and game[count] == self._turns[count]:
            count += 1
        del self._turns[count:], self._states[count + 1 :]
        for turn in game[count:]:
            self._states.append(_replay_turn(self._states[-1], turn))
            self._turns.append(turn)
        return self._states[-1]


def chance_outcome(roll: Roll) -> int:
    """Return OpenSpiel's number for a roll."""
    low, high = sorted(roll)
    if low == high:
        return 29 + low
    # Two outcomes for every pair: on the first roll they differ in the player who begins.
    return 2 * NON_DOUBLES.index((low, high))


def _replay_turn(state: Any, turn: TurnRecord) -> Any:
    """Return the state with the board of the record, reached by legal actions."""
    state = state.child(chance_outcome(turn.roll))
    player = state.current_player()
    visited: set[Board] = set()
    for child in _children(state):
        board = open_spiel_board(child, player)
        if board not in visited:
            visited.add(board)
            for end in _turn_ends(child, player):
                if open_spiel_board(end, player) == turn.after:
                    return end
    raise UnreachableError(f"it has no play to {turn.after} with {turn.roll}")


def _children(state: Any) -> list[Any]:
    return [state.child(action) for action in state.legal_actions()]


def _turn_ends(state: Any, player: int) -> list[Any]:
    """Return the states at the end of the turn: after the second half of a double, else `state` itself."""
    return _children(state) if state.current_player() == player else [state]


def open_spiel_board(state: Any, player: int) -> Board:
    """Return the board from a player's side; an observation has four numbers per point, then the bars."""
    observation = state.observation_tensor(player)
    own_counts = [_count(observation, 4 * point) for point in range(24)]
    opposing_counts = [_count(observation, 96 + 4 * point) for point in range(24)]
    points = [own - opposing for own, opposing in zip(own_counts, opposing_counts, strict=True)]
    # Player 0 moves up its points, player 1 down.
    points = points if player == 1 else points[::-1]
    return (-round(observation[195]), *points, round(observation[192]))


def _count(observation: Sequence[float], index: int) -> int:
    """Decode the number of checkers on a point: flags for one, two and three, and the number above three."""
    one, two, three, above = observation[index : index + 4]
    return round(one + 2 * two + (3 + above if three or above else 0))


class PgxAdapter(InProcessEngine):
    """Adapter that searches with `env.step` to the end of the turn, since pgx cannot list whole plays.

    Equal stages are merged, as doubles would take too long otherwise; repetitions are thus not counted.
    """

    name = "pgx"
    capabilities = Capabilities(distinct=False)

    def __init__(self) -> None:
        jax = self._jax = import_module("jax")
        self._jnp = import_module("jax.numpy")
        env = import_module("pgx").make("backgammon")
        backgammon = import_module("pgx.backgammon")
        self.version = version("pgx")
        self._state = env.init(jax.random.PRNGKey(0))
        key = jax.random.PRNGKey(1)
        self.step = jax.jit(jax.vmap(lambda state, action: env.step(state, action, key)))
        self._mask = jax.jit(jax.vmap(backgammon._legal_action_mask))
        # Compile now, so that no case has to wait for JAX.
        self.successors(Case(from_pgx(self._state._board.tolist()), (2, 1)))

    def successors(self, case: Case) -> list[Board]:
        pending = [first_stage(case.board, case.roll)]
        ends: dict[Board, None] = {}
        while pending:
            finished, pending = self._expand(pending, case.roll)
            ends.update(dict.fromkeys(finished))
        boards = [from_pgx(end) for end in ends]
        return [] if boards == [case.board] else boards  # only the no-op: a pass

    def states(self, stages: Sequence[Stage], rolls: Sequence[Roll]) -> Any:
        """Return a batch of pgx states, one for each stage and roll."""
        jnp, size = self._jnp, len(stages)
        boards = jnp.array([board for board, _, _ in stages], jnp.int32)
        dice = jnp.array([left for _, left, _ in stages], jnp.int32)
        base = self._jax.tree_util.tree_map(
            lambda leaf: jnp.broadcast_to(leaf, (size, *leaf.shape)), self._state
        )
        return base.replace(
            _board=boards,
            _dice=jnp.array(rolls, jnp.int32) - 1,
            _playable_dice=dice,
            _played_dice_num=jnp.array([played for _, _, played in stages], jnp.int32),
            legal_action_mask=self._mask(boards, dice),
        )

    def _expand(self, stages: list[Stage], roll: Roll) -> tuple[list[Board], list[Stage]]:
        """Return the boards at the end of the turn, and the stages after one more step."""
        ends: dict[Board, None] = {}
        next_stages: dict[Stage, None] = {}
        for first in range(0, len(stages), BATCH):
            batch = stages[first : first + BATCH]
            masks = np.asarray(self.states(pad_batch(batch), [roll] * BATCH).legal_action_mask)
            moves = []
            for stage, mask in zip(batch, masks, strict=False):
                legal_actions = np.flatnonzero(mask)
                if legal_actions[0] < NO_OPS:
                    ends[stage[0]] = None
                else:
                    moves += [(stage, int(action)) for action in legal_actions]
            for stage in self._make_moves(moves, roll):
                if any(die >= 0 for die in stage[1]):
                    next_stages[stage] = None
                else:
                    ends[stage[0]] = None
        return list(ends), list(next_stages)

    def _make_moves(self, moves: list[tuple[Stage, int]], roll: Roll) -> list[Stage]:
        stages = []
        for first in range(0, len(moves), BATCH):
            batch = moves[first : first + BATCH]
            states = self.states(pad_batch([stage for stage, _ in batch]), [roll] * BATCH)
            actions = pad_batch([action for _, action in batch])
            next_states = self.step(states, self._jnp.array(actions))
            is_turn_over = np.asarray(next_states._turn != states._turn)
            is_game_over = np.asarray(next_states.terminated)
            boards, dice = np.asarray(next_states._board), np.asarray(next_states._playable_dice)
            for i, (stage, _) in enumerate(batch):
                board = _flip(boards[i]) if is_turn_over[i] else boards[i]
                has_ended = is_turn_over[i] or is_game_over[i]
                dice_left = (-1, -1, -1, -1) if has_ended else tuple(dice[i].tolist())
                stages.append((tuple(board.tolist()), dice_left, stage[2] + 1))
        return stages


def first_stage(board: Board, roll: Roll) -> Stage:
    """Return the first stage of a turn; its four dice are coded 0 to 5, or -1 if unused."""
    dice = (roll[0] - 1,) * 4 if roll[0] == roll[1] else (roll[0] - 1, roll[1] - 1, -1, -1)
    own_checkers = sum(checkers for checkers in board if checkers > 0)
    opposing_checkers = -sum(checkers for checkers in board if checkers < 0)
    # pgx's board: 24 points in the mover's direction, both bars, and both sides' checkers off.
    return (*board[24:0:-1], board[25], board[0], 15 - own_checkers, opposing_checkers - 15), dice, 0


def from_pgx(board: Sequence[int]) -> Board:
    """Convert pgx's board to a board of 26 numbers."""
    return (board[25], *board[23::-1], board[24])


def _flip(board: Array) -> Array:
    """Flip a pgx board, which pgx shows from the next player's side after a turn."""
    return -np.concatenate([board[23::-1], board[[25, 24, 27, 26]]])


def pad_batch(items: list[Any], size: int = BATCH) -> list[Any]:
    """Pad a batch to a fixed size with its last item."""
    return items + [items[-1]] * (size - len(items))


class GnubgAdapter:
    """Adapter for ``gnubg.hint(5000)`` at 0 plies, which lists each successor once and nothing for a pass."""

    name = "gnubg"
    capabilities = Capabilities()

    def __init__(self) -> None:
        version_text = subprocess.run(
            [find_program(), "--version"], capture_output=True, text=True, check=True
        ).stdout
        self.version = version_text.splitlines()[0].removeprefix("GNU Backgammon ")
        question_read, question_write = os.pipe()
        answer_read, answer_write = os.pipe()
        with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
            self._process = subprocess.Popen(
                program_command(folder, "--python", GNUBG_SCRIPT),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(question_read, answer_write),
                env={**os.environ, "HOME": folder, "BGFAST_PIPES": f"{question_read} {answer_write}"},
            )
            os.close(question_read)
            os.close(answer_write)
            self._questions = os.fdopen(question_write, "w", encoding="ascii")
            self._answers = os.fdopen(answer_read, encoding="ascii")
            # After the first answer gnubg no longer needs the folder.
            self._request(money_decision(Position.start(), (2, 1)).gnubg_id)

    def successors(self, case: Case) -> list[Board]:
        decision = money_decision(Position.from_array(case.board), case.roll)
        position = decision.position.gnubg_id
        answer = self._request(decision.gnubg_id)
        if answer["position"] != position or sorted(answer["dice"]) != sorted(case.roll):
            raise UnreachableError(
                f"gnubg set {answer['position']} with {answer['dice']}; expected {position}"
            )
        return [board_after(case.board, text) for text in answer["plays"]]

    def close(self) -> None:
        # The script exits at the end of its input.
        with contextlib.suppress(OSError):
            self._questions.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def _request(self, gnubg_id: str) -> dict[str, Any]:
        try:
            self._questions.write(gnubg_id + "\n")
            self._questions.flush()
            line = self._answers.readline()
        except OSError:
            line = ""
        if not line:
            raise EngineError(f"gnubg exited with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def find_program() -> str:
    """Return the path of gnubg, or raise `MissingEngineError`; Debian's /usr/games may not be on the PATH."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))
    program = shutil.which("gnubg", path=path)
    if program is None:
        raise MissingEngineError("no program gnubg is on the PATH or in /usr/games")
    return program


def program_command(folder: str, option: str, file: Path) -> list[str]:
    """Return the command that runs a file in gnubg; the empty `folder` replaces the user's settings."""
    return [find_program(), *"--tty --quiet --no-rc --prefsdir".split(), folder, option, str(file)]


def money_decision(position: Position, roll: Roll) -> Decision:
    """Return the decision of a money game with a centred cube."""
    return Decision(position=position, dice=roll, jacoby=True)


ADAPTERS: Mapping[str, Callable[[], Engine]] = {
    "gnubg": GnubgAdapter,
    "gnubg-nn": GnubgNnAdapter,
    "bgsage": BgsageAdapter,
    "open_spiel": OpenSpielAdapter,
    "pgx": PgxAdapter,
    "reference": ReferenceAdapter,
    "bgfast": BgfastAdapter,
}
"""Adapters by name; `registry.ENGINES` says how to install the engines."""
