"""``bgfast ubgi``: bgfast as an engine that speaks UBGI on standard input and output."""

from __future__ import annotations

import argparse
import os
from functools import partial

from bgfast.cli.options import check_target
from bgfast.cli.players import load_evaluator
from bgfast.conformance.line_protocol import take_stdout
from bgfast.conformance.ubgi_client import Transcript
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.players.ubgi_server import Server
from bgfast.players.ubgi_session import MAX_PLY

CHOICES = ("builtin", "builtin-fast", "pubeval", "pip-count", "random")
"""Evaluators that a peer can choose; the command line also accepts others."""
CHUNK_BYTES = 1 << 16

HELP = f"""
Reads commands of drafts 0.1 and 0.2, and an XGID or a FIBS board per line, as in draft 0.01; docs/UBGI.md
lists them. Evaluator, depth and threads are defaults that a peer can change.

--evaluator NAME={CHOICES[0]}  {", ".join(CHOICES)}, the file of a network, or MODULE:NAME ({CHOICES[0]})
--ply N[0..{MAX_PLY}]=1  search depth, 0 to 2 (1)
--threads
--dialect=commands  replies to the handshake and invalid lines: ubgiok and error (commands, the default), or
                    readyok and sorry (positions)
--log FILE          append the session to FILE

example: bgfast ubgi --ply 2
"""
TYPES = {"dialect": ("commands", "positions")}


def run(arguments: argparse.Namespace) -> None:
    """Answer until ``quit`` or the end of input."""
    names = dict.fromkeys((arguments.evaluator, *CHOICES))
    if len(arguments.evaluator.split()) != 1 or "|" in arguments.evaluator:
        raise BgfastError(
            f"evaluator {short_repr(arguments.evaluator)}; expected a name without blanks or bars"
        )
    check_target(arguments.log, [arguments.evaluator])
    evaluator = load_evaluator(arguments.evaluator)
    if isinstance(evaluator, Lookahead):
        problem = f"evaluator {short_repr(arguments.evaluator)} searches"
        raise BgfastError(f"{problem}; expected a static one: --ply sets the depth")
    evaluators = {name: partial(load_evaluator, name) for name in names}
    evaluators[arguments.evaluator] = partial(evaluator_of, evaluator)
    output = take_stdout()
    server = Server(
        evaluators,
        partial(os.read, 0, CHUNK_BYTES),
        partial(print, file=output, flush=True),
        ply=arguments.ply,
        threads=arguments.threads,
        dialect=arguments.dialect,
        transcript=Transcript(arguments.log, "bgfast"),
    )
    server.run()
