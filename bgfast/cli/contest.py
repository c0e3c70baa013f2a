"""``bgfast contest``: the strength of one player against another."""

from __future__ import annotations

import argparse

from bgfast.cli.options import check_end, input_source
from bgfast.cli.parser import print_result
from bgfast.cli.players import PLAYERS_HELP, load_player
from bgfast.cli.progress import follow
from bgfast.cli.streams import complain
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.names import EVALUATORS
from bgfast.learning.contest import DEFAULT_GAMES, MIN_GAMES, RunningContest
from bgfast.position.objects import Position
from bgfast.position.position_text import read_content, read_lines, read_position

HELP = f"""
usage: A B

A and B: {", ".join(EVALUATORS)}, {PLAYERS_HELP}. Each pair of games has the same
dice and swapped sides. There is no cube; players make their best play. The luck of the rolls is subtracted
from the points.

--json --rules --quiet --threads
--games N[{MIN_GAMES}..{10**8}]={DEFAULT_GAMES}  an even number ({DEFAULT_GAMES})
--positions FILE    starting positions from a file in turn, one per line; # begins a comment; - is
                    standard input
--seed S=0          seed of the dice (0)

example: bgfast contest mine.bgnet builtin-fast
"""


def run(arguments: argparse.Namespace) -> None:
    """Play the games and print A's result; after Ctrl-C, the result of the finished games."""
    if len(arguments.operands) != 2:
        raise BgfastError(f"{len(arguments.operands)} players; expected two: A B")
    players = [load_player(name) for name in arguments.operands]
    contest = RunningContest(
        players[0],
        players[1],
        games=arguments.games,
        positions=None if arguments.positions is None else _positions(arguments.positions),
        seed=arguments.seed,
        rules=arguments.rules,
        threads=arguments.threads,
    )
    is_interrupted = follow(contest.play(), "contest", quiet=arguments.quiet)
    if contest.games < MIN_GAMES:
        complain(f"bgfast: no result yet: fewer than {MIN_GAMES} games are over")
    else:
        (first, second), result = arguments.operands, contest.result()
        content = {"a": first, "b": second, **result._asdict()}
        print_result(arguments, content, f"{first} against {second}: {result}")
    if is_interrupted:
        raise KeyboardInterrupt


def _positions(file: str) -> list[Position]:
    def add_line(_: int, tokens: list[str], positions: list[Position]) -> None:
        text = read_position(" ".join(tokens))
        check_end(text)
        positions.append(text.position)

    source, name = input_source(file)
    return read_lines(name, read_content(source, name), add_line)
