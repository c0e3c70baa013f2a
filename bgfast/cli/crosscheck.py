"""``bgfast crosscheck``: compare other engines with bgfast."""

from __future__ import annotations

import argparse
from contextlib import suppress
from functools import partial
from time import monotonic

from bgfast.cli.parser import INTERRUPTED, print_result
from bgfast.cli.progress import Progress
from bgfast.common import __version__
from bgfast.conformance.crosscheck.cases import CaseList, read_positions
from bgfast.conformance.crosscheck.crosscheck_report import Report, json_report, text_report
from bgfast.conformance.crosscheck.engine_run import EngineRun, Opener, check, find_examples, open_run
from bgfast.conformance.crosscheck.resume_file import ResumeFile
from bgfast.conformance.registry import ENGINES, open_engine
from bgfast.conformance.suite.suite_building import named_turns
from bgfast.errors import BgfastError, short_repr
from bgfast.rules import RuleSet

MAX_COUNT = 10**9
MIXTURE = {"random": 500, "bearoff": 250, "games": 250}
"""Default number of positions by source."""

HELP = f"""
usage: ENGINE...

ENGINE: {", ".join(ENGINES)}, 'program:' and the command line of a program that speaks the line protocol of
docs/ENGINES.md, or 'ubgi:' and the command line of a UBGI engine that lists its plays.

The named cases of the conformance suite always come first.

Without positions: {" ".join(f"--{name} {number}" for name, number in MIXTURE.items())}.

Exit status: 0 all agree, 1 an engine disagrees, 2 an engine was not checked, 130 after Ctrl-C.

--positions FILE  one per line: ID, XGID or 26 numbers, optionally followed by a roll; # comments
--checkers N[1..15]  checkers per side of the IDs and boards in FILE (15)
--random N[0..{MAX_COUNT}]   N random positions: bar, bear-offs, blots, primes, stacks
--bearoff N[0..{MAX_COUNT}]  N positions with bear-offs, many with contact
--games N[0..{MAX_COUNT}]    N positions of random games, the only cases for OpenSpiel
--rolls           all 36 ordered rolls of each position instead of a random one
--seed N=1  seed of the random cases (1)
--rules
--jobs N[1..999]=1  parallel processes of each engine (1)
--time-limit S=60  seconds for an answer, after which the engine counts as hanging (60)
--resume FILE     store compared cases in FILE and resume from it
--json --quiet

example: bgfast crosscheck gnubg-nn --random 1000 --seed 2
"""
TYPES = {"rolls": ["all"]}


def run(arguments: argparse.Namespace) -> int:
    """Compare the engines, print the report and return the exit status.

    The status is 0 if every engine agrees, 1 if an engine disagrees, hangs, crashes or gives an invalid
    answer; otherwise 2 if an engine was not checked; `INTERRUPTED` after Ctrl-C.
    """
    names = arguments.operands
    if not names:
        expected = f"{', '.join(ENGINES)}, or 'program:' or 'ubgi:' and a command line"
        raise BgfastError(f"no engine named; expected {expected}")
    for name in names:
        if names.count(name) > 1:
            raise BgfastError(f"the engine {short_repr(name)} is named twice")
    if arguments.checkers is not None and arguments.positions is None:
        raise BgfastError("--checkers needs --positions: random positions have 15 a side")
    rules = RuleSet.named(arguments.rules)
    counts = {name: getattr(arguments, name) or 0 for name in MIXTURE}
    if arguments.positions is None and all(getattr(arguments, name) is None for name in MIXTURE):
        counts = MIXTURE
    started = monotonic()
    file = None if arguments.positions is None else read_positions(arguments.positions, arguments.checkers)
    cases = CaseList(
        named=named_turns(),
        file=file,
        random=counts["random"],
        bearoff=counts["bearoff"],
        games=counts["games"],
        all_rolls=arguments.rolls is not None,
        seed=arguments.seed,
        rules=rules,
    )
    resume = None if arguments.resume is None else ResumeFile(arguments.resume)
    limit = arguments.time_limit
    openers: dict[str, Opener] = {name: partial(open_engine, name, time_limit=limit) for name in names}
    engines: list[EngineRun] = []
    is_interrupted, failure = False, None
    try:
        for name, opener in openers.items():
            engines.append(open_run(name, opener, arguments.rules))
        if resume is not None:
            job = {name: getattr(arguments, name) for name in ("checkers", "rules")}
            versions = {engine_run.name: engine_run.version or None for engine_run in engines}
            resume.begin({**cases.job(), **job, "engines": versions, "bgfast": __version__})
        try:
            _compare(engines, openers, cases, arguments, resume)
        except KeyboardInterrupt:
            is_interrupted = True
        except BgfastError as error:
            failure = error
    finally:
        for engine_run in engines:
            if engine_run.engine is not None:
                # A second Ctrl-C skips the wait, not the report.
                with suppress(Exception, KeyboardInterrupt):
                    engine_run.engine.close()
    report = Report(engines, cases, arguments.rules, is_interrupted, monotonic() - started)
    print_result(arguments, json_report(report), text_report(report))
    if failure is not None:
        raise failure
    if is_interrupted:
        return INTERRUPTED
    if any(engine_run.classes for engine_run in engines):
        return 1
    return 2 if any(engine_run.unchecked or engine_run.stopped for engine_run in engines) else 0


def _compare(
    engines: list[EngineRun],
    openers: dict[str, Opener],
    cases: CaseList,
    arguments: argparse.Namespace,
    resume: ResumeFile | None,
) -> None:
    active_runs = [engine_run for engine_run in engines if not engine_run.unchecked]
    resumed, total = 0, len(cases) * len(active_runs)
    for engine_run in active_runs:
        engine_run.stopped = "NOT ASKED"
        resumed += 0 if resume is None else resume.progress(engine_run.name).end
    options = {"jobs": arguments.jobs, "resume": resume}
    with Progress("crosscheck", total, "cases", resumed, quiet=arguments.quiet) as progress:
        for index, engine_run in enumerate(active_runs):
            engine_run.stopped = ""
            report = lambda done: progress(len(cases) * index + done)  # noqa: B023, E731
            check(engine_run, openers[engine_run.name], cases, progress=report, **options)
    for engine_run in active_runs:
        find_examples(engine_run, arguments.time_limit)
