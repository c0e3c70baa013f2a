"""`bgfast suite`: run the conformance suite against an engine, or write it."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from importlib.resources import files

from bgfast.cli.options import add_common, seconds, seed, whole
from bgfast.cli.parser import Parser
from bgfast.cli.progress import shown_progress
from bgfast.common.files import read_limited, reason, replacing
from bgfast.common.text import folded
from bgfast.conformance.protocol import EngineError
from bgfast.conformance.registry import open_engine
from bgfast.conformance.suite.suite_building import PUBLISHED, PUBLISHED_SEED, build_suite, suite_bytes
from bgfast.conformance.suite.suite_file import read_suite
from bgfast.conformance.suite.suite_run import Runner, report_content, report_text, select_lines
from bgfast.errors import BgfastError, shown

ENGINES = "gnubg, gnubg-nn, bgsage, open_spiel, pgx, reference, bgfast, program:COMMAND or ubgi:COMMAND"


def add_options(parser: Parser) -> None:
    """Add the options of ``bgfast suite``."""
    parser.describe("", example="bgfast suite run --engine gnubg-nn")
    parser.usage = "bgfast suite run|export [options]"
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="run|export", parser_class=Parser, prog=parser.prog
    )
    run = actions.add_parser("run", help="run the published suite, or a file, against an engine")
    run.describe("", example="bgfast suite run --engine 'program:python my_engine.py' --perft 1")
    add_common(run, "--json", "--quiet")
    run.add_argument("--engine", required=True, metavar="NAME", help=ENGINES)
    run.option("--perft", "DEPTH", "maximum depth of perft, 0 for none (2)", whole(0, 9), 2)
    run.option("--only", "NAME", "a section, or the beginning of IDs")
    run.option("--time-limit", "S", "seconds for each answer (60)", seconds, 60.0)
    run.option("--file", "FILE", "another suite than the published one")
    export = actions.add_parser("export", help="write the suite of a seed")
    export.describe("", example="bgfast suite export --seed 2 --file my-suite.txt")
    add_common(export, "--quiet")
    export.option("--seed", "N", "another seed than the published one", seed, PUBLISHED_SEED)
    export.option("--file", "FILE", "output file (standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Write or run a suite; the exit status is 1 if a case failed or none was run."""
    return _export(arguments) if arguments.action == "export" else _run(arguments)


def _export(arguments: argparse.Namespace) -> int:
    if arguments.file is None:
        sys.stdout.write(_built(arguments.seed, arguments.quiet).decode("ascii"))
        return 0
    try:
        # Open first: an unwritable file fails before the work.
        with replacing(arguments.file) as file:
            file.write(_built(arguments.seed, arguments.quiet))
    except OSError as error:
        raise BgfastError(f"{shown(arguments.file)} cannot be written: {reason(error)}") from None
    return 0


def _built(seed: int, quiet: bool) -> bytes:
    with shown_progress("suite export", quiet=quiet) as progress:
        return suite_bytes(build_suite(seed, progress))


def _run(arguments: argparse.Namespace) -> int:
    name, content = _file(arguments.file)
    suite = read_suite(content, name)
    lines = select_lines(suite, arguments.only)
    try:
        engine = open_engine(arguments.engine, time_limit=arguments.time_limit)
    except EngineError as error:
        raise BgfastError(f"{shown(arguments.engine)} {error}") from None
    digest = hashlib.sha256(content).hexdigest()
    interrupted = False
    with engine:
        runner = Runner(suite, lines, engine, arguments.perft)
        try:
            with shown_progress("suite run", quiet=arguments.quiet) as progress:
                runner.run(progress)
        except KeyboardInterrupt:
            interrupted = True
            runner.outcome.skip_rest("interrupted")
    if arguments.json:
        about = {
            "suite": {"file": name, "seed": suite.seed, "sha256": digest},
            "engine": {"name": engine.name, "version": engine.version},
            "interrupted": interrupted,
        }
        print(json.dumps(about | report_content(runner.outcome)))
    else:
        head = f"{name}, seed {suite.seed}, SHA-256 {digest}\nengine: {engine.name} {engine.version}\n"
        print(folded(f"{head}\n{report_text(runner.outcome)}", sys.stdout))
    if interrupted:
        raise KeyboardInterrupt
    return 0 if runner.outcome.is_success else 1


def _file(name: str | None) -> tuple[str, bytes]:
    if name is None:
        return PUBLISHED, (files("bgfast.conformance.suite") / "data" / PUBLISHED).read_bytes()
    try:
        return os.path.basename(name), read_limited(name)
    except OSError as error:
        raise BgfastError(f"{shown(name)} cannot be read: {reason(error)}") from None
