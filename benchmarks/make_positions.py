"""Write the positions under `benchmarks/data`: ``python -m benchmarks.make_positions``, from a clone.

Done once and checked in: a benchmark compares versions only as long as its positions stay the same.
"""

from __future__ import annotations

import random
import sys

from benchmarks.positions import DATA, Sample, play_game
from bgfast import Position
from tests.positions import random_board

GAMES = 100
PER_GAME = {"contact": 20, "race": 10}
HARD = 1000
HEADS = {
    "contact": "Contact positions of random games: GNU position ID, seed of the game, turns before it.",
    "race": "Positions of random games without contact: GNU position ID, seed of the game, turns before it.",
    "hard": "Scattered positions, biased to bars, bear-offs, walls and stacks; no game, so -1 -1.",
}
KINDS = {"contact": "contact", "race": "race", "bearoff": "race"}


def samples_of_game(seed: int) -> dict[str, list[Sample]]:
    """Draw positions of each kind from one game; fewer if the game has not as many."""
    met: dict[str, list[Sample]] = {kind: [] for kind in PER_GAME}
    for ply, turn in enumerate(play_game(seed)):
        if ply == 0:
            continue  # OpenSpiel's first roll decides who begins, so that nothing can be rolled for the start
        position = Position.from_array(turn.board)
        met[KINDS[position.phase]].append(Sample(position.gnubg_id, seed, ply))
    rng = random.Random(f"positions of game {seed}")
    return {kind: sorted(rng.sample(met[kind], min(PER_GAME[kind], len(met[kind])))) for kind in PER_GAME}


def game_samples() -> dict[str, list[Sample]]:
    """Draw from game after game until every kind is complete."""
    found: dict[str, list[Sample]] = {kind: [] for kind in PER_GAME}
    seed = 0
    while any(len(found[kind]) < GAMES * each for kind, each in PER_GAME.items()):
        for kind, samples in samples_of_game(seed).items():
            found[kind] += samples
        seed += 1
    return {kind: samples[: GAMES * PER_GAME[kind]] for kind, samples in found.items()}


def hard_samples() -> list[Sample]:
    """Draw from the sources that the fuzz tests use."""
    rng = random.Random("hard positions")
    return [Sample(Position.from_array(random_board(rng)).gnubg_id, -1, -1) for _ in range(HARD)]


def main() -> int:
    """Write the files."""
    DATA.mkdir(exist_ok=True)
    for name, samples in {**game_samples(), "hard": hard_samples()}.items():
        lines = [f"# {HEADS[name]}", *(" ".join(map(str, sample)) for sample in samples)]
        (DATA / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}: {len(samples)} positions", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
