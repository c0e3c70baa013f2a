"""Adapter of pgx, a batched JAX environment that moves one checker a step."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pgx
from pgx import backgammon

from bgfast.common.vocabulary import Board, Roll
from bgfast.engines.protocol import Capabilities, Case, InProcessEngine

Array = npt.NDArray[Any]
Stage = tuple[Board, tuple[int, ...], int]  # pgx's board, dice left, number of dice played

NO_OPS = 6
BATCH = 32
"""Boards in a call; the size is fixed, since JAX recompiles for every new one."""


class Adapter(InProcessEngine):
    """`env.step`, searched to the end of the turn, since pgx has no call that lists whole plays.

    Equal stages are merged, since doubles would take too long otherwise; repetitions cannot be counted then.
    """

    name = "pgx"
    version = version("pgx")
    capabilities = Capabilities(distinct=False)

    def __init__(self) -> None:
        env = pgx.make("backgammon")
        self._state = env.init(jax.random.PRNGKey(0))
        keys = jax.random.PRNGKey(1)
        self.step = jax.jit(jax.vmap(lambda state, action: env.step(state, action, keys)))
        self._mask = jax.jit(jax.vmap(backgammon._legal_action_mask))
        # Compile in advance, so that no question waits for JAX.
        self.successors(Case(from_pgx(self._state._board.tolist()), (2, 1)))

    def successors(self, case: Case) -> list[Board]:
        pending = [first_stage(case.board, case.roll)]
        ends: dict[Board, None] = {}
        while pending:
            finished, pending = self._expand(pending, case.roll)
            ends.update(dict.fromkeys(finished))
        rows = [from_pgx(end) for end in ends]
        return [] if rows == [case.board] else rows  # only the no-op: a pass

    def states(self, stages: Sequence[Stage], rolls: Sequence[Roll]) -> Any:
        """Return a batch of pgx states."""
        number = len(stages)
        boards = jnp.array([board for board, _, _ in stages], jnp.int32)
        dice = jnp.array([left for _, left, _ in stages], jnp.int32)
        base = jax.tree_util.tree_map(lambda leaf: jnp.broadcast_to(leaf, (number, *leaf.shape)), self._state)
        return base.replace(
            _board=boards,
            _dice=jnp.array(rolls, jnp.int32) - 1,
            _playable_dice=dice,
            _played_dice_num=jnp.array([played for _, _, played in stages], jnp.int32),
            legal_action_mask=self._mask(boards, dice),
        )

    def _expand(self, stages: list[Stage], roll: Roll) -> tuple[list[Board], list[Stage]]:
        """Return the boards whose turn is over, and the stages one step after the others."""
        ends: dict[Board, None] = {}
        more: dict[Stage, None] = {}
        for first in range(0, len(stages), BATCH):
            part = stages[first : first + BATCH]
            masks = np.asarray(self.states(padded(part), [roll] * BATCH).legal_action_mask)
            moves = []
            for stage, mask in zip(part, masks, strict=False):
                legal = np.flatnonzero(mask)
                if legal[0] < NO_OPS:
                    ends[stage[0]] = None
                else:
                    moves += [(stage, int(action)) for action in legal]
            for stage in self._after(moves, roll):
                target: Any = more if any(die >= 0 for die in stage[1]) else ends
                target[stage if target is more else stage[0]] = None
        return list(ends), list(more)

    def _after(self, moves: list[tuple[Stage, int]], roll: Roll) -> list[Stage]:
        stages = []
        for first in range(0, len(moves), BATCH):
            part = moves[first : first + BATCH]
            states = self.states(padded([stage for stage, _ in part]), [roll] * BATCH)
            actions = padded([action for _, action in part])
            after = self.step(states, jnp.array(actions))
            ended = np.asarray(after._turn != states._turn)
            over = np.asarray(after.terminated)
            boards, dice = np.asarray(after._board), np.asarray(after._playable_dice)
            for i, (stage, _) in enumerate(part):
                board = _flip(boards[i]) if ended[i] else boards[i]
                left = (-1, -1, -1, -1) if ended[i] or over[i] else tuple(dice[i].tolist())
                stages.append((tuple(board.tolist()), left, stage[2] + 1))
        return stages


def first_stage(board: Board, roll: Roll) -> Stage:
    """Return the first stage of a turn; dice are numbered from 0 in four places, -1 if unused."""
    left = (roll[0] - 1,) * 4 if roll[0] == roll[1] else (roll[0] - 1, roll[1] - 1, -1, -1)
    return to_pgx(board), left, 0


def to_pgx(board: Board) -> Board:
    """Return pgx's board: 24 points in the mover's direction, both bars, both sides' checkers off."""
    own = sum(n for n in board if n > 0)
    other = -sum(n for n in board if n < 0)
    return (*board[24:0:-1], board[25], board[0], 15 - own, other - 15)


def from_pgx(board: Sequence[int]) -> Board:
    """Return the 26 numbers of pgx's board."""
    return (board[25], *board[23::-1], board[24])


def _flip(board: Array) -> Array:
    """Return a board from the other side; pgx shows the next player's after a turn."""
    return -np.concatenate([board[23::-1], board[[25, 24, 27, 26]]])


def padded(items: list[Any], size: int = BATCH) -> list[Any]:
    """Pad a batch to the fixed size with its last item."""
    return items + [items[-1]] * (size - len(items))
