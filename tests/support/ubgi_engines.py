"""Scripted UBGI engines with fixed answers that follow the drafts of UBGI."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache

from bgfast import Network
from bgfast.evaluators import PipCount, Pubeval
from bgfast.players.ubgi_server import Dialect, Server

DRAFT_0_01 = {"ubgi": "id name Old\nid author Ø\nid version 7\nreadyok"}
"""Greeting of an engine that understands only positions."""
DRAFT_0_1 = {
    "ubgi": "a banner\nid name Middle\noption name EvalMode type combo default cubeful var cubeless\nubgiok",
    "isready": "readyok",
    "position xgid *": "error unsupported_feature position_xgid",
    "newgame": "",
    "setoption *": "",
    "newsession *": "",
    "setscore *": "",
    "setcube *": "",
    "setturn *": "",
    "position gnubgid *": "",
    "dice *": "",
}
"""Answers of an engine with state commands that does not read XGIDs."""
DRAFT_0_2 = {
    "ubgi": "id name New\nid author A\nproto 0.2\nubgiok",
    "isready": "readyok",
    "keys": "key engine.ply int 1..4 1 depth\nkey engine.multipv int 1..300 1 ! plays",
    "newgame": "",
    "set *": "",
    "position *": "",
    "dice *": "",
}
_NETWORK = cache(Network.builtin_fast)
_PROGRAM = """if True:
    import os, sys, time
    answers = {answers!r}
    for line in sys.stdin:
        line = line.strip()
        answer = answers.get(line)
        for key, value in answers.items():
            if answer is None and key.endswith("*") and line.startswith(key[:-1]):
                answer = value
        if answer is None:
            answer = {default_answer!r}
        if isinstance(answer, list):
            answer = answer.pop(0)
        if answer == "hang":
            time.sleep(60)
        if answer == "die":
            print("out of memory", file=sys.stderr)
            sys.exit(3)
        while answer == "flood":
            print("info time_ms 1")
        if line == "quit":
            break
        if answer or {blank_lines!r}:
            sys.stdout.buffer.write((answer + "\\n").encode())
            sys.stdout.buffer.flush()
    """


def engine(
    answers: Mapping[str, str | list[str]],
    *,
    default_answer: str = "error unknown_command",
    blank_lines: bool = False,
) -> list[str]:
    """Return the command line of an engine with these answers; a key that ends with * is a prefix.

    "hang", "die" and "flood" are actions instead of answers; a list has one answer per question. Empty
    answers are printed only with `blank_lines`.
    """
    code = _PROGRAM.format(answers=dict(answers), default_answer=default_answer, blank_lines=blank_lines)
    return [sys.executable, "-I", "-S", "-c", code]


def answers(text: str, *, dialect: Dialect = "commands", ply: int = 0) -> list[str]:
    """Return the answers of bgfast's UBGI server to the lines of a text."""
    chunks = iter([text.encode("utf-8", "surrogateescape")])
    lines: list[str] = []
    Server(
        {"network": _NETWORK, "pip-count": PipCount, "pubeval": Pubeval},
        lambda: next(chunks, b""),
        lines.append,
        ply=ply,
        dialect=dialect,
    ).run()
    return lines
