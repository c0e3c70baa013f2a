"""Roll out positions with a cube, and write down what they are worth.

``python -m benchmarks.tables.cube_rollouts FILE``, from a clone. Positions are those of games that
`builtin-fast` plays against itself, one of a game before a roll: contact, races, and bear-offs of many
checkers, most of them where somebody may soon double. It rolls each out in money play, with luck subtracted,
with a centred cube and with an owned one, not to double and to double and have it taken. `cube_lines` fits
bgfast's model of the cube's efficiency to the file, and judges decisions by it.

It goes on with a file that was begun. 675 positions took two threads a quarter of an hour.
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
from bgfast.evaluators import WithBearoff

FORMAT = 1
FEW = 6  # checkers a side, up to which exact tables know more
MAX_PLIES = 1000
SHARES = {"contact": 6, "race": 2, "bearoff": 1}


def positions(seed: int) -> Iterator[tuple[str, Position]]:
    """Yield positions before a roll, with their kind, one of a game, as often as `SHARES` says."""
    player = WithBearoff(Network.builtin_fast())
    source = random.Random(f"cube rollouts {seed}")
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    game = 0
    while True:
        for kind in kinds:
            found: list[Position] = []
            while not found:
                game += 1
                found = [each for each in _of_game(player, seed * 1_000_000 + game) if _fits(each, kind)]
                wins = player([each.to_array() for each in found])[:, 0] if found else []
                found = [
                    each
                    for each, win in zip(found, wins, strict=True)
                    if 0.5 < win < 0.88 or (0.15 < win < 0.5 and source.random() < 0.25)
                ]
            yield kind, source.choice(found)


def _fits(position: Position, kind: str) -> bool:
    board = position.to_array()
    few = max(board[board > 0].sum(), -board[board < 0].sum()) <= FEW
    return position.phase == kind and not (kind == "bearoff" and few)


def _of_game(player: WithBearoff, seed: int) -> list[Position]:
    """Return the positions before each roll of a game, each for the player on roll."""
    found = []
    dice = random_dice(MAX_PLIES, seed)
    dice[0] = random_dice(1, seed, opening=True)[0]
    board = Position.start().to_array()[None]
    for ply in range(MAX_PLIES):
        if ply:
            found.append(Position.from_array(board[0]))
        plays = successors(board, dice[ply], flip=True, passes="keep")
        ended = results(plays.boards)
        equities = ended.astype(float)
        going = ended == 0
        if going.any():
            win, *others = player(plays.boards[going]).T
            equities[going] = 2 * win - 1 + others[0] + others[1] - others[2] - others[3]
        board = plays.boards[[int(equities.argmin())]]
        if results(board)[0]:
            return found
    raise AssertionError(f"the game of seed {seed} does not end")


def row(kind: str, position: Position, trials: int, threads: int) -> dict[str, Any]:
    """Return what is written down of a position: points a unit of cube, with standard errors."""
    player = WithBearoff(Network.builtin_fast())
    found: dict[str, Any] = {
        "id": position.gnubg_id,
        "kind": kind,
        "network": [round(float(each), 5) for each in player([position.to_array()])[0]],
    }
    for owner in (0, 1):
        decision = Decision(position=position, cube=1 + owner, cube_owner=owner)
        result = bgfast.rollout(decision, player, trials=trials, variance_reduction=True, threads=threads)
        cube = result.cube
        assert cube is not None
        for name, value, error in (
            ("owned" if owner else "centred", cube.no_double, cube.no_double_se),
            ("unavailable", cube.double_take / 2, cube.double_take_se / 2),
        ):
            (estimate,) = (
                each for each in result.estimates if each.name.startswith("no ") != (name == "unavailable")
            )
            assert estimate.probabilities is not None
            found[name] = [round(value, 5), round(error, 5)]
            found[f"{name}, probabilities"] = [round(each, 5) for each in estimate.probabilities]
        found[f"difference, {'owned' if owner else 'centred'}"] = [
            round(cube.difference, 5),
            round(cube.difference_se, 5),
        ]
    return found


def main() -> None:
    """Write the file, or what is missing of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=675, metavar="N")
    parser.add_argument("--trials", type=int, default=144, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    chosen = parser.parse_args()
    head = {"format": FORMAT, "trials": chosen.trials, "seed": chosen.seed}
    lines = chosen.file.read_text("ascii").splitlines() if chosen.file.exists() else []
    if lines and json.loads(lines[0]) != head:
        raise SystemExit(f"{chosen.file} was begun with other options")
    wanted = positions(chosen.seed)
    todo = [next(wanted) for _ in range(chosen.positions)][max(0, len(lines) - 1) :]
    with chosen.file.open("a", encoding="ascii") as file:
        if not lines:
            print(json.dumps(head), file=file)
        for kind, position in todo:
            print(json.dumps(row(kind, position, chosen.trials, chosen.threads)), file=file, flush=True)


if __name__ == "__main__":
    main()
