"""Cubeful rollouts for the cube efficiency model.

``python -m benchmarks.tables.cube_rollouts FILE``, from a clone, takes positions before a roll from games of
`builtin-fast` against itself, one from each game. They are contact positions, races, and bear-offs with many
checkers; most are near a double. Each position is rolled out in money play with variance reduction, with a
centred and with an owned cube, for no double and for double/take. `cube_lines` fits the model to the file.

A run resumes from an incomplete file. With two threads 675 positions take a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bgfast
from bgfast import Decision, Network, Position, random_dice, results, successors
from bgfast.common.probabilities import equities_of
from bgfast.evaluators import WithBearoff

FORMAT = 1
EXACT_CHECKERS = 6
"""Maximum number of checkers per side in the exact bear-off tables."""
MAX_PLIES = 1000
SHARES = {"contact": 6, "race": 2, "bearoff": 1}


def positions(seed: int) -> Iterator[tuple[str, Position]]:
    """Yield phases and positions before a roll, each from a different game, in proportion to `SHARES`."""
    evaluator = WithBearoff(Network.builtin_fast())
    rng = random.Random(f"cube rollouts {seed}")
    phases = [phase for phase, share in SHARES.items() for _ in range(share)]
    game = 0
    while True:
        for phase in phases:
            candidates: list[Position] = []
            while not candidates:
                game += 1
                candidates = [
                    position
                    for position in _game_positions(evaluator, seed * 1_000_000 + game)
                    if _fits(position, phase)
                ]
                boards = [position.to_array() for position in candidates]
                wins = evaluator(boards)[:, 0] if boards else []
                candidates = [
                    position
                    for position, win in zip(candidates, wins, strict=True)
                    if 0.5 < win < 0.88 or (0.15 < win < 0.5 and rng.random() < 0.25)
                ]
            yield phase, rng.choice(candidates)


def _fits(position: Position, phase: str) -> bool:
    board = position.to_array()
    is_exact = max(board[board > 0].sum(), -board[board < 0].sum()) <= EXACT_CHECKERS
    return position.phase == phase and not (phase == "bearoff" and is_exact)


def _game_positions(evaluator: WithBearoff, seed: int) -> list[Position]:
    """Return a game's positions before every roll except the first, from the mover's side."""
    positions = []
    dice = random_dice(MAX_PLIES, seed)
    dice[0] = random_dice(1, seed, opening=True)[0]
    board = Position.start().to_array()[None]
    for ply in range(MAX_PLIES):
        if ply:
            positions.append(Position.from_array(board[0]))
        plays = successors(board, dice[ply], flip=True, passes="keep")
        points = results(plays.boards)
        equities = points.astype(float)
        is_unfinished = points == 0
        if is_unfinished.any():
            equities[is_unfinished] = equities_of(evaluator(plays.boards[is_unfinished]))
        board = plays.boards[[int(equities.argmin())]]
        if results(board)[0]:
            return positions
    raise AssertionError(f"the game with seed {seed} did not end in {MAX_PLIES} plies")


def position_row(phase: str, position: Position, trials: int, threads: int) -> dict[str, Any]:
    """Return a position's row of the file: equities in points per unit of the cube, with standard errors."""
    evaluator = WithBearoff(Network.builtin_fast())
    row: dict[str, Any] = {
        "id": position.gnubg_id,
        "kind": phase,
        "network": [round(float(probability), 5) for probability in evaluator([position.to_array()])[0]],
    }
    for owner in (0, 1):
        decision = Decision(position=position, cube=1 + owner, cube_owner=owner)
        result = bgfast.rollout(
            decision, evaluator=evaluator, trials=trials, variance_reduction=True, threads=threads
        )
        cube = result.cube
        assert cube is not None
        for name, equity, error in (
            ("owned" if owner else "centred", cube.no_double, cube.no_double_se),
            ("unavailable", cube.double_take / 2, cube.double_take_se / 2),
        ):
            (estimate,) = (
                estimate
                for estimate in result.estimates
                if estimate.name.startswith("no ") != (name == "unavailable")
            )
            assert estimate.probabilities is not None
            row[name] = [round(equity, 5), round(error, 5)]
            row[f"{name}, probabilities"] = [round(chance, 5) for chance in estimate.probabilities]
        difference = [round(cube.difference, 5), round(cube.difference_se, 5)]
        row[f"difference, {'owned' if owner else 'centred'}"] = difference
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=675, metavar="N")
    parser.add_argument("--trials", type=int, default=144, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    options = parser.parse_args()
    header = {"format": FORMAT, "trials": options.trials, "seed": options.seed}
    lines = options.file.read_text("ascii").splitlines() if options.file.exists() else []
    if lines and json.loads(lines[0]) != header:
        raise SystemExit(f"{options.file} was begun with other options")
    sequence = positions(options.seed)
    missing_positions = [next(sequence) for _ in range(options.positions)][max(0, len(lines) - 1) :]
    with options.file.open("a", encoding="ascii") as file:
        if not lines:
            print(json.dumps(header), file=file)
        for phase, position in missing_positions:
            row = position_row(phase, position, options.trials, options.threads)
            print(json.dumps(row), file=file, flush=True)


if __name__ == "__main__":
    main()
