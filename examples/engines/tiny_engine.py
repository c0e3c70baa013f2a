"""A small engine that bgfast can ask: the line protocol of docs/ENGINES.md and a generator of its own.

It needs nothing but Python: ``bgfast`` starts it as ``program:python tiny_engine.py``.
"""

import json
import sys


def moves(board, die):
    """Yield the boards after each move of one checker with this die."""
    home = max(board[7:]) <= 0
    rearmost = max((point for point in range(1, 7) if board[point] > 0), default=0)
    for start in [25] if board[25] > 0 else range(24, 0, -1):
        to = start - die
        off = to == 0 or (to < 0 and start == rearmost)
        if board[start] > 0 and (board[to] >= -1 if to > 0 else home and off):
            after = list(board)
            after[start] -= 1
            if to > 0:
                if board[to] == -1:  # a hit: the checker goes to the opponent's bar, index 0
                    after[to] = 0
                    after[0] -= 1
                after[to] += 1
            yield tuple(after)


def successors(board, dice):
    """Return the boards after each legal play, each once."""
    orders = [dice * 2] if dice[0] == dice[1] else [dice, dice[::-1]]
    found = {}  # the first die played and how many are played: the boards
    for order in orders:
        boards = {tuple(board)}
        for played, die in enumerate(order, start=1):
            boards = {after for before in boards for after in moves(before, die)}
            found[order[0], played] = boards
    most = max((played for (_, played), boards in found.items() if boards), default=0)
    plays = {die: boards for (die, played), boards in found.items() if played == most and boards}
    if most == 1 and plays:
        return sorted(plays[max(plays)])  # either die, but not both: the higher one
    return sorted(set().union(*plays.values()))


for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("ask") == "hello":
        answer = {"name": "tiny", "version": "1"}
    else:
        answer = {"id": asked["id"], "successors": successors(asked["board"], asked["roll"])}
    print(json.dumps(answer), flush=True)
