"""Generate the positions in `benchmarks/data`: ``python -m benchmarks.make_positions``, run from a clone.

The files are checked in so that results of different versions can be compared.
"""

from __future__ import annotations

import random
import sys

from benchmarks.positions import DATA, Sample, play_game
from bgfast import ROLLS, Position, gnubg_ids, random_positions
from bgfast.common.files import write_atomically
from tests.support.positions import random_board

GAMES = 100
POSITIONS_PER_GAME = {"contact": 20, "race": 10}
HARD_COUNT = 1000
OPENING_COUNT = 300
OPENING_PLIES = 3
BEAROFF_COUNT = 300
HEADS = {
    "contact": "Contact positions of random games: GNU position ID, seed of the game, turns before it.",
    "race": "Race positions of random games: GNU position ID, seed of the game, turns before it.",
    "opening": "Positions up to three turns after the start: GNU position ID, -1, turns before it.",
    "bearoff": "Distinct positions of random games, both sides home or off; games not recorded, so -1 -1.",
    "hard": "Scattered positions, biased towards bars, bear-offs, walls and stacks; no game, so -1 -1.",
}
SETS_BY_PHASE = {"contact": "contact", "race": "race", "bearoff": "race"}


def samples_of_game(seed: int) -> dict[str, list[Sample]]:
    """Draw `POSITIONS_PER_GAME` positions of each phase from one game, or all if there are fewer."""
    candidates: dict[str, list[Sample]] = {phase: [] for phase in POSITIONS_PER_GAME}
    for ply, (board, _) in enumerate(play_game(seed)):
        if ply == 0:
            continue  # OpenSpiel draws the first player and the first roll together, and neither can be set
        position = Position.from_array(board)
        candidates[SETS_BY_PHASE[position.phase]].append(Sample(position.gnubg_id, seed, ply))
    rng = random.Random(f"positions of game {seed}")
    return {
        phase: sorted(rng.sample(candidates[phase], min(POSITIONS_PER_GAME[phase], len(candidates[phase]))))
        for phase in POSITIONS_PER_GAME
    }


def game_samples() -> dict[str, list[Sample]]:
    """Draw positions from consecutive games until every phase is complete."""
    samples: dict[str, list[Sample]] = {phase: [] for phase in POSITIONS_PER_GAME}
    seed = 0
    while any(len(samples[phase]) < GAMES * count for phase, count in POSITIONS_PER_GAME.items()):
        for phase, new_samples in samples_of_game(seed).items():
            samples[phase] += new_samples
        seed += 1
    return {phase: samples[phase][: GAMES * count] for phase, count in POSITIONS_PER_GAME.items()}


def hard_samples() -> list[Sample]:
    """Draw scattered positions as the fuzz tests do."""
    rng = random.Random("hard positions")
    return [Sample(Position.from_array(random_board(rng)).gnubg_id, -1, -1) for _ in range(HARD_COUNT)]


def opening_samples() -> list[Sample]:
    """Draw distinct positions from the first turns of the three variants with 15 checkers."""
    starts = (Position.start(), Position.nackgammon(), Position.longgammon())
    samples = {start.gnubg_id: Sample(start.gnubg_id, -1, 0) for start in starts}
    rng = random.Random("opening positions")
    while len(samples) < OPENING_COUNT:
        position = starts[int(rng.random() * len(starts))]
        for ply in range(1, OPENING_PLIES + 1):
            roll = ROLLS[int(rng.random() * len(ROLLS))]
            boards = sorted(map(tuple, position.plays(roll).boards.tolist()))
            if not boards:
                break
            position = Position.from_array(boards[int(rng.random() * len(boards))]).flip()
            samples.setdefault(position.gnubg_id, Sample(position.gnubg_id, -1, ply))
    return list(samples.values())[:OPENING_COUNT]


def bearoff_samples() -> list[Sample]:
    boards = random_positions(2 * BEAROFF_COUNT, seed=1, phase="bearoff")
    position_ids = list(dict.fromkeys(gnubg_ids(boards).tolist()))
    return [Sample(position_id, -1, -1) for position_id in position_ids[:BEAROFF_COUNT]]


def main() -> int:
    DATA.mkdir(exist_ok=True)
    sets = {
        **game_samples(),
        "opening": opening_samples(),
        "bearoff": bearoff_samples(),
        "hard": hard_samples(),
    }
    for name, samples in sets.items():
        lines = [f"# {HEADS[name]}", *(" ".join(map(str, sample)) for sample in samples)]
        write_atomically(DATA / f"{name}.txt", ("\n".join(lines) + "\n").encode("utf-8"))
        print(f"{name}: {len(samples)} positions", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
