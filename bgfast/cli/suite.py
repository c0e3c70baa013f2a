"""`bgfast suite export` writes the conformance suite of a seed, `bgfast suite run` asks an engine."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from importlib.resources import files
from pathlib import Path

from bgfast.cli.options import read_seed, read_time_limit
from bgfast.common.progress import shown_progress
from bgfast.engines.protocol import EngineError
from bgfast.engines.registry import open_engine
from bgfast.engines.suite.building import PUBLISHED, PUBLISHED_SEED, build_suite, suite_bytes
from bgfast.engines.suite.report import report_content, report_text
from bgfast.engines.suite.running import Runner, chosen
from bgfast.engines.suite.suite_file import read_suite
from bgfast.errors import BgfastError, shown

__all__ = ["run_suite"]

DEPTH = 2
TIME_LIMIT = 60.0
OF_ONE_WORD = {"export": ("seed",), "run": ("engine", "perft", "only", "time_limit", "json")}


def run_suite(arguments: argparse.Namespace) -> int:
    """Write a suite or run one; the exit status is 1 if a case failed or none was run.

    Raises
    ------
    BgfastError
        If an option cannot be read, before anything is printed, or a file cannot be read or written.
    """
    words = arguments.words
    if len(words) != 1 or words[0] not in OF_ONE_WORD:
        raise BgfastError(f"{shown(' '.join(words))} behind suite; expected one of the words run, export")
    for word, options in OF_ONE_WORD.items():
        for option in options:
            if word != words[0] and getattr(arguments, option):
                name = option.replace("_", "-")
                raise BgfastError(f"--{name} goes with suite {word}, not with suite {words[0]}")
    return _export(arguments) if words[0] == "export" else _run(arguments)


def _export(arguments: argparse.Namespace) -> int:
    seed = PUBLISHED_SEED if arguments.seed is None else read_seed(arguments.seed)
    if arguments.file is None:
        sys.stdout.write(_built(seed).decode("ascii"))
        return 0
    try:
        # Opened first, so that nobody waits for what cannot be written; emptied last.
        with open(arguments.file, "ab") as file:
            content = _built(seed)
            file.truncate(0)
            file.write(content)
    except OSError as error:
        raise BgfastError(f"{shown(arguments.file)} cannot be written: {error.strerror}") from None
    return 0


def _built(seed: int) -> bytes:
    with shown_progress("suite export") as tell:
        return suite_bytes(build_suite(seed, tell))


def _run(arguments: argparse.Namespace) -> int:
    if not arguments.engine:
        raise BgfastError("no engine given; expected --engine NAME")
    depth = _depth(arguments.perft)
    time_limit = TIME_LIMIT if arguments.time_limit is None else read_time_limit(arguments.time_limit)
    name, content = _file(arguments.file)
    suite = read_suite(content, name)
    lines = chosen(suite, arguments.only)
    try:
        engine = open_engine(arguments.engine, time_limit=time_limit)
    except EngineError as error:
        raise BgfastError(f"{shown(arguments.engine)} {error}") from None
    digest = hashlib.sha256(content).hexdigest()
    interrupted = False
    with engine:
        runner = Runner(suite, lines, engine, depth)
        try:
            with shown_progress("suite run") as tell:
                runner.run(tell)
        except KeyboardInterrupt:
            interrupted = True
            runner.outcome.skips_the_rest("interrupted")
    if arguments.json:
        head = {
            "suite": {"file": name, "seed": suite.seed, "sha256": digest},
            "engine": {"name": engine.name, "version": engine.version},
            "interrupted": interrupted,
        }
        print(json.dumps(head | report_content(runner.outcome)))
    else:
        print(f"{name}, seed {suite.seed}, SHA-256 {digest}\nengine: {engine.name} {engine.version}\n")
        print(report_text(runner.outcome))
    if interrupted:
        raise KeyboardInterrupt
    return 0 if runner.outcome.good else 1


def _file(name: str | None) -> tuple[str, bytes]:
    """Return the name and the content of the suite, by default of the published one."""
    if name is None:
        return PUBLISHED, (files("bgfast.engines.suite") / "data" / PUBLISHED).read_bytes()
    try:
        return os.path.basename(name), Path(name).read_bytes()
    except OSError as error:
        raise BgfastError(f"{shown(name)} cannot be read: {error.strerror}") from None


def _depth(text: str | None) -> int:
    if text is None:
        return DEPTH
    if not re.fullmatch(r"[0-9]", text, re.ASCII):
        raise BgfastError(f"--perft is {shown(text)}; expected a whole number from 0 to 9")
    return int(text)
