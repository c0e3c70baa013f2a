"""Training positions with a teacher's targets: ``python -m benchmarks.training_positions``, run from a clone.

``make SEED FIRST END OUT`` plays a run and writes its parts FIRST to END - 1 to the folder ``OUT.training``,
which ``bgfast train --positions-of OUT`` reads. An interrupted command continues with the next part.
``centre IN NETWORK OUT`` reads the positions of IN and adds `CENTRING_SHARE` of NETWORK's mean error over the
plays of a decision to the target of each play, which leaves the differences between the plays unchanged.

`Network.builtin` chooses the plays, some at random, as in a round of ``bgfast train``; nothing learns. Most
positions are successors of nearly equal plays, up to six per decision. Every sixth part starts from positions
of the families in `FAMILY_SHARES`, or with checkers off on one side and checkers back on the other.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.families import family_of
from benchmarks.peers.puretd import OnePlyMean
from bgfast import Position
from bgfast.cli.players import load_evaluator
from bgfast.common.validation import CHECKERS, Boards
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import Floats
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.learning import targets
from bgfast.learning._targets import continue_games
from bgfast.learning.training_state import FORMAT, STATE, lesson_file, write_arrays

GAMES = 1024
PLIES = 49  # plies of each game in a part
NOISE = 0.1  # fraction of random plays
GAME_RATE, PLAY_RATE = 0.3, 1.7  # sampled positions and successors, per position played
TEACHER_BATCH = 4096
FAMILY_SHARES = {
    "back game": 0.22,
    "containment": 0.12,
    "blitz and bar": 0.2,
    "priming": 0.2,
    "holding": 0.06,
    "bear-off with contact": 0.1,
}
CENTRING_SHARE = 0.7  # share of a network's mean error over a decision that `centre` adds
START = Position.start().to_array()
RACE_BUCKET = 4


def make(seed: int, first: int, end: int, out: str) -> None:
    """Play parts 0 to `end` - 1; write those from `first` on that do not exist yet."""
    targets.MAX_PLAYS = 6
    player, teacher = WithBearoff(Network.builtin()), OnePlyMean()
    games = np.repeat(START[None], GAMES, axis=0)
    ply = 0
    for part in range(end):
        rng = np.random.default_rng([seed, part])
        is_special_part = part % 6 == 5
        path = Path(f"{out}.training") / lesson_file(part)
        is_done = part < first or path.exists()
        if is_special_part and is_done:
            continue
        if is_special_part:
            starts = _special_starts(player, rng)
            _, visited_boards, points, is_random = continue_games(
                player, START, starts, 1000 * part, PLIES, 1000 * seed + part, NOISE, 1
            )
            is_kept = np.cumsum(points != 0, axis=0) - (points != 0) == 0  # the first games only
        else:
            games, visited_boards, points, is_random = continue_games(
                player, START, games, ply, PLIES, seed, NOISE, 1
            )
            ply += PLIES
            is_kept = np.ones(points.shape, np.bool_)
        if is_done:
            continue
        is_cut = (points != 0) | is_random
        is_cut[-1] = True
        boards = visited_boards.swapaxes(0, 1).reshape(-1, 26)
        is_cut, is_kept = is_cut.T.ravel(), is_kept.T.ravel()
        rows = rng.permutation(np.flatnonzero(~is_cut & is_kept))
        count = int(np.count_nonzero(is_kept))
        alternatives = targets.find_alternatives(
            player, boards[rows], int(rng.integers(1 << 60)), int(PLAY_RATE * count)
        )
        game_rows = rng.permutation(np.flatnonzero(is_kept))
        game_rows = np.sort(game_rows[: int(GAME_RATE * count)])
        boards = np.concatenate((boards[game_rows], alternatives.boards))
        owners = np.concatenate((-1 - np.arange(len(game_rows)), rows[alternatives.rows]))
        batches = [boards[row : row + TEACHER_BATCH] for row in range(0, len(boards), TEACHER_BATCH)]
        values = np.concatenate([teacher(batch) for batch in batches]).astype(np.float32)
        _write(path, boards, values, owners.astype(np.int32))


def centre(source: str, network: str, out: str) -> None:
    """Add a share of a network's mean error over each decision to the targets of its plays."""
    evaluator = load_evaluator(network)
    for path in sorted(Path(f"{source}.training").glob("positions-*.npz")):
        with np.load(path) as part:
            boards, values, owners = part["boards"], part["targets"], part["owners"]
        _, groups, sizes = np.unique(owners, return_inverse=True, return_counts=True)
        errors = np.asarray(evaluator(boards), np.float64) - values
        means = np.stack([np.bincount(groups, column) / sizes for column in errors.T], axis=1)
        values += (CENTRING_SHARE * means[groups] * (sizes[groups] > 1)[:, None]).astype(np.float32)
        _write(Path(f"{out}.training/{path.name}"), boards, values, owners)


def _write(path: Path, boards: Boards, values: Floats, owners: npt.NDArray[np.int32]) -> None:
    """Write a part, and the state that lists the parts of the folder."""
    path.parent.mkdir(exist_ok=True)
    write_arrays(path, {"boards": boards, "targets": values, "owners": owners})
    kept_parts = sorted(int(part.stem.partition("-")[2]) for part in path.parent.glob("positions-*.npz"))
    header = json.dumps({"format": FORMAT, "settings": {}, "kept": kept_parts})
    write_arrays(path.parent / STATE, {"head": np.frombuffer(header.encode(), np.uint8)})


def _special_starts(player: WithBearoff, rng: np.random.Generator) -> Boards:
    """Return shuffled start positions: families from noisy games, and positions with checkers off."""
    quotas = {family: int(share * GAMES) for family, share in FAMILY_SHARES.items()}
    special_boards: list[Boards] = []
    while sum(quotas.values()) and len(special_boards) < GAMES:
        starts = np.repeat(START[None], 512, axis=0)
        ply, seed = int(rng.integers(0, 64)), int(rng.integers(1 << 60))
        noise = float(rng.choice([0.3, 0.6, 1.0]))
        visited_boards = continue_games(player, START, starts, ply, 70, seed, noise, 1)[1][8:].reshape(-1, 26)
        for board in visited_boards[rng.permutation(len(visited_boards))[:6000]]:
            family = family_of(Position(board.tolist()))
            if quotas.get(family, 0):
                quotas[family] -= 1
                special_boards.append(board)
        if rng.random() < 0.05:
            break
    random_boards = _with_checkers_off(rng, max(GAMES // 8, GAMES - len(special_boards)))
    boards = np.concatenate((np.array(special_boards), random_boards))
    return np.ascontiguousarray(boards[rng.permutation(len(boards))][:GAMES], np.int8)


def _with_checkers_off(rng: np.random.Generator, count: int) -> Boards:
    """Return random positions with checkers off on one side and checkers back on the other."""
    boards: list[Boards] = []
    while len(boards) < count:
        # Both sides' checkers by point, numbered for the side with checkers back.
        player, opponent = np.zeros(26, np.int64), np.zeros(26, np.int64)
        opponent_count = CHECKERS - int(rng.integers(0, 13))
        outside_count = int(rng.integers(0, 3)) if rng.random() < 0.3 else 0
        back_count = int(rng.integers(1, 8))
        points = rng.permutation(np.arange(19, 25))
        for anchor in points[: int(rng.integers(0, 3))]:
            if back_count >= 2:
                player[anchor] += 2
                back_count -= 2
        for _ in range(back_count):
            player[25 if rng.random() < 0.25 else rng.choice(points[:4])] += 1
        player[1:10] += rng.multinomial(CHECKERS - player.sum(), rng.dirichlet(np.full(9, 0.8)))
        free_points = [point for point in range(19, 25) if not player[point]]
        if not free_points:
            continue
        outside_count = outside_count if opponent_count > outside_count else 0
        home_count = opponent_count - outside_count
        opponent[free_points] += rng.multinomial(home_count, rng.dirichlet(np.ones(len(free_points))))
        for _ in range(outside_count):
            opponent[rng.choice([point for point in range(7, 19) if not player[point]])] += 1
        if (player[1:25] * opponent[1:25]).any():
            continue
        board = (player - opponent).astype(np.int8)
        board = np.ascontiguousarray(-board[::-1] if rng.random() < 0.5 else board)
        if position_buckets(board[None])[0] < RACE_BUCKET:
            boards.append(board)
    return np.array(boards)


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "make":
        make(int(arguments[0]), int(arguments[1]), int(arguments[2]), arguments[3])
    else:
        centre(*arguments)
