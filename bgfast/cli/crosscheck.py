"""`bgfast crosscheck`: other engines against bgfast."""

from __future__ import annotations

import argparse
import json
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any

from bgfast.cli.crosscheck_options import Typed, read_options
from bgfast.common.progress import shown_progress
from bgfast.common.version import __version__
from bgfast.engines.crosscheck.cases import CaseList
from bgfast.engines.crosscheck.position_files import read_positions
from bgfast.engines.crosscheck.report import Report, json_report, text_report
from bgfast.engines.crosscheck.resume_file import ResumeFile
from bgfast.engines.crosscheck.run import Checked, check, find_examples, open_for
from bgfast.engines.crosscheck.workers import Opener
from bgfast.engines.registry import ENGINES, open_engine
from bgfast.errors import BgfastError

__all__ = ["run_crosscheck"]

INTERRUPTED = 130


def run_crosscheck(arguments: argparse.Namespace) -> int:
    """Compare, print the report and return the exit status.

    Returns
    -------
    int
        0 if every engine that was named agrees on every case that it could be asked, 1 if one disagrees,
        hangs, crashes or answers rubbish; else 2 if one was not checked; 130 after Ctrl-C.

    Raises
    ------
    BgfastError
        If an option or a file cannot be read, before any engine is asked; or if the resume file cannot be
        written any more, after what is done is printed.
    """
    typed = read_options(arguments)
    if not typed.engines:
        raise BgfastError(
            f"no engine named; known are {', '.join(ENGINES)}, or 'program:' and a command line"
        )
    started = monotonic()
    file = None if typed.positions is None else read_positions(typed.positions, typed.checkers)
    cases = CaseList(
        file=file,
        hard=typed.random,
        bearoff=typed.bearoff,
        games=typed.games,
        all_rolls=typed.all_rolls,
        seed=typed.seed,
        rules=typed.rules,
    )
    resume = None if typed.resume is None else ResumeFile(typed.resume)
    openers: dict[str, Opener] = {
        name: partial(open_engine, name, time_limit=typed.time_limit) for name in typed.engines
    }
    engines: list[Checked] = []
    interrupted, failure = False, None
    try:
        for name, opener in openers.items():
            engines.append(open_for(name, opener, typed.rules_name))
        if resume is not None:
            resume.begin(_job(typed, cases, engines))
        try:
            _compare(engines, openers, cases, typed, resume)
        except KeyboardInterrupt:
            interrupted = True
        except BgfastError as error:
            failure = error
    finally:
        for checked in engines:
            if checked.engine is not None:
                # Who presses Ctrl-C once more is tired of waiting, but wants the report.
                with suppress(Exception, KeyboardInterrupt):
                    checked.engine.close()
    report = Report(engines, cases, typed.rules_name, interrupted, monotonic() - started)
    print(json.dumps(json_report(report)) if typed.json else text_report(report))
    if failure is not None:
        raise failure
    return INTERRUPTED if interrupted else _status(engines)


def _compare(
    engines: list[Checked],
    openers: dict[str, Opener],
    cases: CaseList,
    typed: Typed,
    resume: ResumeFile | None,
) -> None:
    asked = [checked for checked in engines if not checked.unchecked]
    before = sum(resume.kept(checked.name).end for checked in asked) if resume is not None else 0
    for checked in asked:
        checked.stopped = "NOT ASKED"
    with shown_progress("crosscheck", len(cases) * len(asked), "cases", before) as progress:
        for number, checked in enumerate(asked):
            checked.stopped = ""
            check(
                checked,
                openers[checked.name],
                cases,
                jobs=typed.jobs,
                resume=resume,
                progress=lambda done: progress(len(cases) * number + done),  # noqa: B023
            )
    for checked in asked:
        find_examples(checked, typed.time_limit)


def _job(typed: Typed, cases: CaseList, engines: list[Checked]) -> dict[str, Any]:
    return {
        **cases.job(),
        "checkers": typed.checkers,
        "rules": typed.rules_name,
        "engines": {checked.name: checked.version or None for checked in engines},
        "bgfast": __version__,
    }


def _status(engines: list[Checked]) -> int:
    if any(checked.classes for checked in engines):
        return 1
    return 2 if any(checked.unchecked or checked.stopped for checked in engines) else 0
