"""Faulty engines: `Fake`, and the programs ``python -m tests.support.faulty_engines FAULT [--every N]``.

`BOARD_FAULTS` change the correct successors, `PROTOCOL_FAULTS` violate the line protocol, and
"dies-at-hello" fails during the greeting. With ``--every N`` the programs fail on questions whose
number is a multiple of N and answer all other questions correctly; the numbering continues after a restart.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, islice
from typing import Any

from bgfast import reference
from bgfast.common.validation import Board
from bgfast.conformance import line_protocol as messages
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.protocol import Case
from tests.support.lifting_engines import AnyEngine, LiftingEngine

Change = Callable[[Case, list[Board]], list[Board]]


class Fake(AnyEngine):
    """Engine that changes the correct successors with a function; `capabilities` override the defaults."""

    def __init__(
        self, change: Change = lambda case, legal: legal, *, name: str = "fake", **capabilities: Any
    ) -> None:
        super().__init__(name, **capabilities)
        self.cases: list[Case] = []
        self.closed = False
        self._change = change

    def successors(self, case: Case) -> list[Board]:
        self.cases.append(case)
        return self._change(case, legal_successors(case))

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ignores_bar(case: Case, legal: list[Board]) -> list[Board]:
    """Add an illegal play if two or more checkers are on the bar: one enters, and another checker moves."""
    if case.board[25] < 2 or case.roll[0] == case.roll[1]:
        return legal
    for first, second in (case.roll, case.roll[::-1]):
        if case.board[25 - first] < 0:
            continue
        for start in range(24, second, -1):
            if case.board[start] > 0 and case.board[start - second] >= 0:
                after = list(case.board)
                after[25] -= 1
                after[25 - first] += 1
                after[start] -= 1
                after[start - second] += 1
                return [*legal, tuple(after)]
    return legal


HANG_SECONDS = 600.0


def command(fault: str, *options: str) -> list[str]:
    code = f"import sys; sys.path[:] = {sys.path!r}; from tests.support.faulty_engines import main; main()"
    return [sys.executable, "-c", code, fault, *options]


def program(fault: str, *options: str) -> str:
    """Return the name of a faulty engine for `open_engine`."""
    return "program:" + shlex.join(command(fault, *options))


def ignores_higher_die(case: Case, legal: list[Board]) -> list[Board]:
    """Add the plays of the lower die if only one die can be played."""
    if legal and all(_is_one_move(case, board) for board in legal):
        return sorted({board for die in case.roll for board in _boards_after_move(case.board, die, case)})
    return legal


def ignores_must_play_both(case: Case, legal: list[Board]) -> list[Board]:
    """Add plays of one die after which the other cannot be played."""
    first, second = case.roll
    if first == second:
        return legal
    blocking_boards = {
        board
        for die, other_die in ((first, second), (second, first))
        for board in _boards_after_move(case.board, die, case)
        if not _boards_after_move(board, other_die, case)
    }
    return sorted({*legal, *blocking_boards})


def flips_signs(case: Case, legal: list[Board]) -> list[Board]:
    """Change the signs of the points, but not of the bars."""
    return [(board[0], *(-count for count in board[1:25]), board[25]) for board in legal]


def _boards_after_move(board: Board, die: int, case: Case) -> list[Board]:
    moves = reference._ordinary_moves(board, die, case.rules)
    return [reference._after(board, move) for move in moves]


def _is_one_move(case: Case, after: Board) -> bool:
    return case.roll[0] != case.roll[1] and any(
        after in _boards_after_move(case.board, die, case) for die in case.roll
    )


def arrangements(board: Board) -> Iterator[Board]:
    """Yield boards with the same opposing checkers, and four own checkers on free points."""
    opposing_board = [min(count, 0) for count in board]
    free_points = [point for point in range(1, 25) if not opposing_board[point]]
    for points in combinations_with_replacement(free_points, 4):
        after = opposing_board.copy()
        for point in points:
            after[point] += 1
        yield tuple(after)


BOARD_FAULTS: dict[str, Callable[[Case, list[Board]], list[Board]]] = {
    "correct": lambda case, legal: legal,
    "drops-a-play": lambda case, legal: sorted(legal)[1:],
    "repeats-a-play": lambda case, legal: legal + legal[:1],
    "lists-a-pass": lambda case, legal: legal or [case.board],
    "ignores-higher-die": ignores_higher_die,
    "ignores-must-play-both": ignores_must_play_both,
    "forgets-hits": lambda case, legal: LiftingEngine("hit-not-taken").successors(case),
    "flips": lambda case, legal: list(map(reference.flip, legal)),
    "flips-points": lambda case, legal: [board[::-1] for board in legal],
    "flips-signs": flips_signs,
    "impossible": lambda case, legal: [(case.board[0] - 1, *case.board[1:])],
    "too-many-checkers": lambda case, legal: [(*case.board[:6], case.board[6] + 16, *case.board[7:])],
    "25-numbers": lambda case, legal: [case.board[:25]],
    "lists-20,001": lambda case, legal: (20_001 * legal)[:20_001],
    "lists-200,000": lambda case, legal: (200_000 * legal)[:200_000],
    "lists-5,001-different": lambda case, legal: list(islice(arrangements(case.board), 5_001)),
}


def hang(id_: int) -> None:
    print("thinking", file=sys.stderr, flush=True)
    time.sleep(HANG_SECONDS)


def hang_with_a_child(id_: int) -> None:
    """Hang with a child that holds the pipes open."""
    if os.fork() == 0:
        time.sleep(HANG_SECONDS)
        os._exit(0)
    time.sleep(HANG_SECONDS)


def ignore_signals(id_: int) -> None:
    """Ignore signals and the end of input, and spin in two processes, one in another session."""
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
    print("spinning", file=sys.stderr, flush=True)
    end = time.monotonic() + HANG_SECONDS
    while time.monotonic() < end:
        pass


def crash(id_: int) -> None:
    print("no more memory\n    at malloc\nabort", file=sys.stderr, flush=True)
    os._exit(3)


def write_non_ascii(id_: int) -> None:
    sys.stdout.buffer.write(b"\xff\xfe\x00\n")
    sys.stdout.flush()


def write_endlessly(id_: int) -> None:
    while True:
        sys.stdout.write("x" * 100_000)


def drip(id_: int) -> None:
    while True:
        sys.stdout.write("x")
        sys.stdout.flush()
        time.sleep(0.05)


def write_half_an_answer(id_: int) -> None:
    sys.stdout.write(f'{{"id":{id_},"succ')
    sys.stdout.flush()
    os._exit(0)


def close_output(id_: int) -> None:
    os.close(1)
    time.sleep(HANG_SECONDS)


def chatter(id_: int) -> None:
    """Fill standard error before a correct answer."""
    sys.stderr.write("warning\n" * 200_000)
    sys.stderr.flush()


PROTOCOL_FAULTS: dict[str, Callable[[int], None]] = {
    "hangs": hang,
    "hangs-with-a-child": hang_with_a_child,
    "stubborn": ignore_signals,
    "crashes": crash,
    "segfaults": lambda id_: os.kill(os.getpid(), signal.SIGSEGV),
    "fails": lambda id_: _write(messages._encode({"id": id_, "error": "IndexError: no such point"})),
    "unreachable": lambda id_: _write(
        messages._encode({"id": id_, "unreachable": "too many checkers on the bar"})
    ),
    "rubbish": lambda id_: _write("13/11 6/5 " * 50 + "\n"),
    "not-ascii": write_non_ascii,
    "no-list": lambda id_: _write(f'{{"id":{id_},"successors":"none"}}\n'),
    "other-id": lambda id_: _write(messages.answer(id_ + 1, [])),
    # The second answer must not count for the next question.
    "answers-twice": lambda id_: _write(messages.answer(id_, []) * 2),
    "endless": write_endlessly,
    "drips": drip,
    "half-an-answer": write_half_an_answer,
    "closes-output": close_output,
    "chatters": chatter,
}


def _write(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


FAULTS = (*BOARD_FAULTS, *PROTOCOL_FAULTS, "dies-at-hello")


def reply(fault: str, id_: int, case: Case) -> None:
    """Answer a question correctly or as a faulty engine."""
    if fault in PROTOCOL_FAULTS:
        PROTOCOL_FAULTS[fault](id_)
    if fault not in PROTOCOL_FAULTS or fault == "chatters":
        _write(messages.answer(id_, Fake(BOARD_FAULTS.get(fault, BOARD_FAULTS["correct"])).successors(case)))


def main() -> None:
    """Answer questions until standard input closes."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.faulty_engines")
    parser.add_argument("fault", choices=FAULTS)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="fail only on every Nth question")
    options = parser.parse_args()
    for line in sys.stdin:
        question = messages.read_question(line)
        if question is not None:
            reply("correct" if question[0] % options.every else options.fault, *question)
        elif options.fault == "dies-at-hello":
            crash(0)
        else:
            _write(messages.introduction(Fake(name=options.fault)))


if __name__ == "__main__":
    main()
