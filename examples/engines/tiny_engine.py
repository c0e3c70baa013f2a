"""A small engine with its own generator, for docs/ENGINES.md: ``program:python tiny_engine.py``."""

import json
import sys
from collections.abc import Iterator, Sequence

Board = tuple[int, ...]


def moves(board: Board, die: int) -> Iterator[Board]:
    """Yield the boards after each move of one checker with this die."""
    is_home, rear = max(board[7:]) <= 0, max((point for point in range(1, 7) if board[point] > 0), default=0)
    for start in [25] if board[25] > 0 else range(24, 0, -1):
        to = start - die
        if board[start] > 0 and (board[to] >= -1 if to > 0 else is_home and (to == 0 or start == rear)):
            next_board = list(board)
            next_board[start] -= 1
            if to > 0:
                is_hit = board[to] == -1  # the blot goes to the opponent's bar, index 0
                next_board[to], next_board[0] = board[to] + 1 + is_hit, board[0] - is_hit
            yield tuple(next_board)


def successors(board: Sequence[int], dice: list[int]) -> list[Board]:
    """Return the distinct boards after legal plays."""
    results: dict[tuple[int, int], set[Board]] = {}  # by number of dice played and first die
    for order in [dice * 2] if dice[0] == dice[1] else [dice, dice[::-1]]:
        boards = {tuple(board)}
        for dice_count, die in enumerate(order, start=1):
            boards = {next_board for previous_board in boards for next_board in moves(previous_board, die)}
            results[dice_count, order[0]] = boards
    max_dice, higher_die = max((key for key in results if results[key]), default=(0, 0))
    if max_dice == 1:  # either die can be played, but not both: play the higher
        return sorted(results[1, higher_die])
    return sorted(set[Board]().union(*(results[key] for key in results if key[0] == max_dice)))


for line in sys.stdin:
    request = json.loads(line)
    if request.get("ask") == "hello":
        print(json.dumps({"name": "tiny", "version": "1"}), flush=True)
    else:
        answer = {"id": request["id"], "successors": successors(request["board"], request["roll"])}
        print(json.dumps(answer), flush=True)
