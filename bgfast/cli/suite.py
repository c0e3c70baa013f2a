"""``bgfast suite``: write the conformance suite, or run it against an engine."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys

from bgfast.cli.options import describe
from bgfast.cli.parser import Parser, print_result
from bgfast.cli.progress import Progress
from bgfast.common.files import naming, read_limited, replace_file
from bgfast.conformance.protocol import EngineError
from bgfast.conformance.registry import ENGINES, open_engine
from bgfast.conformance.suite.suite_building import PUBLISHED, PUBLISHED_SEED, build_suite, read_published
from bgfast.conformance.suite.suite_file import read_suite, suite_bytes
from bgfast.conformance.suite.suite_run import Runner, report_content, report_text, select_lines
from bgfast.errors import BgfastError, short_repr

RUN_HELP = f"""
--json --quiet
--engine NAME!       {", ".join(ENGINES)}, program:COMMAND or ubgi:COMMAND
--perft DEPTH[0..9]=2  maximum depth of perft, 0 for none (2)
--only NAME          a section, or a prefix of case IDs
--time-limit S=60  seconds for each answer (60)
--file FILE          a suite other than the published one

example: bgfast suite run --engine 'program:python my_engine.py' --perft 1
"""
EXPORT_HELP = f"""
--quiet
--seed N={PUBLISHED_SEED}  a seed other than the published one
--file FILE  output file (standard output)

example: bgfast suite export --seed 2 --file my-suite.txt
"""


def add_options(parser: Parser) -> None:
    """Add the actions and their options."""
    describe(parser, "example: bgfast suite run --engine gnubg-nn")
    parser.usage = "bgfast suite run|export [options]"
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="run|export", parser_class=Parser, prog=parser.prog
    )
    run = actions.add_parser("run", help="run the published suite, or a file, against an engine")
    describe(run, RUN_HELP)
    export = actions.add_parser("export", help="write the suite of a seed")
    describe(export, EXPORT_HELP)


def run(arguments: argparse.Namespace) -> int:
    """Write or run a suite; the exit status is 1 if a case failed or none was run."""
    return _export(arguments) if arguments.action == "export" else _run(arguments)


def _export(arguments: argparse.Namespace) -> int:
    with Progress("suite export", quiet=arguments.quiet) as progress:
        if arguments.file is None:
            sys.stdout.write(suite_bytes(build_suite(arguments.seed, progress)).decode("ascii"))
            return 0
        # Open first: an unwritable file fails before the work.
        with naming(f"{short_repr(arguments.file)} cannot be written"), replace_file(arguments.file) as file:
            file.write(suite_bytes(build_suite(arguments.seed, progress)))
    return 0


def _run(arguments: argparse.Namespace) -> int:
    name, content = _suite_content(arguments.file)
    suite = read_suite(content, name)
    lines = select_lines(suite, arguments.only)
    try:
        engine = open_engine(arguments.engine, time_limit=arguments.time_limit)
    except EngineError as error:
        raise BgfastError(f"{short_repr(arguments.engine)} {error}") from None
    digest = hashlib.sha256(content).hexdigest()
    is_interrupted = False
    with engine:
        runner = Runner(suite, lines, engine, arguments.perft)
        try:
            with Progress("suite run", quiet=arguments.quiet) as progress:
                runner.run(progress)
        except KeyboardInterrupt:
            is_interrupted = True
            runner.outcome.skip_rest("interrupted")
    results = {
        "suite": {"file": name, "seed": suite.seed, "sha256": digest},
        "engine": {"name": engine.name, "version": engine.version},
        "interrupted": is_interrupted,
        **report_content(runner.outcome),
    }
    head = f"{name}, seed {suite.seed}, SHA-256 {digest}\nengine: {engine.name} {engine.version}\n"
    print_result(arguments, results, head, report_text(results))
    if is_interrupted:
        raise KeyboardInterrupt
    return 0 if runner.outcome.is_success else 1


def _suite_content(name: str | None) -> tuple[str, bytes]:
    if name is None:
        return PUBLISHED, read_published()
    with naming(f"{short_repr(name)} cannot be read"):
        return os.path.basename(name), read_limited(name)
