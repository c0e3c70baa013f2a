"""Train a network in PyTorch by TD(0) from self-play: python pytorch_td.py SEED SECONDS.

It plays 512 games at once. After each turn it moves the probabilities of the previous position towards the
probabilities after the turn, or towards the result. SECONDS limits the processor time of learning, without
the games against pubeval that each printed line reports. The network is written to td.onnx.
"""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingImports=false

import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import torch

import bgfast

Boards = npt.NDArray[np.int8]
Evaluator = Callable[[Boards], npt.NDArray[np.float64]]

seed, seconds = int(sys.argv[1]), float(sys.argv[2])
torch.manual_seed(seed)
torch.set_num_threads(1)
rng = np.random.default_rng(seed)
start = bgfast.Position()
network = torch.nn.Sequential(
    torch.nn.Linear(198, 80), torch.nn.ReLU(), torch.nn.Linear(80, 5), torch.nn.Sigmoid()
)
optimizer = torch.optim.Adam(network.parameters(), lr=0.003)


def probabilities(boards: Boards) -> torch.Tensor:
    """Return the five probabilities of the player on roll."""
    return network(torch.from_numpy(bgfast.encode_tdgammon(boards)))


def equities(boards: Boards) -> npt.NDArray[np.float64]:
    """Return the equities of the player on roll."""
    with torch.no_grad():
        win, gammon, backgammon, lose_gammon, lose_backgammon = probabilities(boards).numpy().T
    return 2 * win - 1 + gammon + backgammon - lose_gammon - lose_backgammon


def play_turn(boards: Boards, evaluator: Evaluator) -> Boards:
    """Return the boards after a roll and the best play in each game; the next player is on roll."""
    dice = rng.integers(1, 7, (len(boards), 2), np.int8)
    plays = bgfast.successors(boards, dice, flip=True, passes="keep")
    points = bgfast.results(plays.boards)
    equity = np.where(points < 0, points, evaluator(plays.boards))
    return plays.boards[bgfast.best_rows(equity, plays.offsets, best="min")]


def points_per_game(opponent: Evaluator, games: int) -> tuple[float, float]:
    """Return the mean points against an opponent, and half the width of the 95 % interval."""
    points: list[int] = []
    for players, sign in (((equities, opponent), 1), ((opponent, equities), -1)):
        boards = np.tile(start, (games // 2, 1))
        while len(boards):
            for player in players:
                boards = play_turn(boards, player) if len(boards) else boards
                points_won = -bgfast.results(boards)
                points += (sign * points_won[points_won > 0]).tolist()
                boards, sign = boards[points_won == 0], -sign
    return float(np.mean(points)), float(1.96 * np.std(points) / len(points) ** 0.5)


boards, play_count, next_report = np.tile(start, (512, 1)), 0, 0.0
learning_seconds = 0.0  # processor time, without the games against pubeval
while learning_seconds < seconds:
    start_time = time.process_time()
    next_boards = play_turn(boards, equities)
    with torch.no_grad():
        target = probabilities(next_boards)[:, [0, 3, 4, 1, 2]]  # the opponent's wins are losses
    target[:, 0] = 1 - target[:, 0]
    points = torch.from_numpy(-bgfast.results(next_boards))
    outcomes = torch.stack([points > 0, points > 1, points > 2, points < 0, points < 0], 1)
    target[points > 0] = outcomes[points > 0].float()
    loss = torch.nn.functional.binary_cross_entropy(probabilities(boards), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.003 * 0.05 ** (learning_seconds / seconds)
    boards = np.where(points.numpy()[:, None] > 0, start, next_boards)
    play_count += len(boards)
    learning_seconds += time.process_time() - start_time
    if learning_seconds >= min(next_report, seconds):
        next_report = max(10, 2 * next_report)
        mean, interval = points_per_game(bgfast.evaluators.Pubeval(), 4000)
        print(f"{learning_seconds:.0f} s, {play_count:,} plays: {mean:+.3f} ± {interval:.3f}", flush=True)

torch.onnx.export(
    network.eval(),
    (torch.zeros(2, 198),),
    "td.onnx",
    input_names=["inputs"],
    output_names=["probabilities"],
    dynamic_shapes={"input": {0: "n"}},
    external_data=False,
    verbose=False,
)
