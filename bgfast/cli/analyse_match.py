"""``bgfast analyse FILE``: recorded matches, their errors, rates and luck."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from bgfast.analysis.matches.judging.match_judgement import AnalysisSettings, MatchAnalyser
from bgfast.analysis.matches.judging.match_rollout import TRIALS, TRUNCATE
from bgfast.analysis.matches.judging.presets import DEFAULT_PRESET, PRESETS, chosen_preset
from bgfast.analysis.matches.match_analysis import WORST, MatchAnalysis
from bgfast.analysis.matches.players import PlayerTotals
from bgfast.analysis.matches.text_report import match_line, text_report, totals_text
from bgfast.analysis.reports.flash_cards import FlashCards, check_anki
from bgfast.analysis.reports.report_files import ReportFiles, page_folder
from bgfast.cli.cube_options import CubeSettings
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.cli.options import check_target, refuse_existing, seconds, whole
from bgfast.cli.parser import Parser
from bgfast.cli.recorded_matches import RecordedMatches
from bgfast.common.columns import csv_text
from bgfast.common.progress import shown_progress
from bgfast.common.resumable import write_file
from bgfast.common.streams import complain
from bgfast.common.terminal import columns, folded
from bgfast.errors import BgfastError, one_line

__all__ = ["add_match_options", "refuse_without_match", "run_matches"]

WRITTEN = ("--html", "--sgf", "--anki")
FOR_ONE_MATCH = ("--sgf", "--boards", "--resume")
OF_ROLLOUTS = ("--truncate", "--time-limit", "--resume")
NOT_FOR_MATCHES = (
    "--rolls",
    "--scores",
    "--away",
    "--replies",
    "--plot",
    "--cubeless",
    "--candidates",
    "--checkers",
    "--rules",
    "--top",
)


def add_match_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast analyse FILE`` alone."""
    parser.add_argument(
        "--preset",
        choices=list(PRESETS),
        metavar="NAME",
        help=f"of a match: how it is analysed: {', '.join(PRESETS)} ({DEFAULT_PRESET})",
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="of a match: write its report as one HTML page; of several an index, and their pages beside it",
    )
    parser.add_argument(
        "--anki",
        metavar="FILE",
        help="of matches: write flash cards of the errors for Anki (pip install bgfast[anki])",
    )
    parser.add_argument(
        "--sgf", metavar="FILE", help="of a match: write it with its analysis as GNU Backgammon reads it"
    )
    parser.add_argument(
        "--worst",
        type=whole(0, 10**6),
        metavar="N",
        help=f"of a match: show the N decisions that cost most ({WORST})",
    )
    parser.add_argument(
        "--boards", action="store_true", help="of a match: print the errors that cost most as boards"
    )
    parser.add_argument(
        "--count-resignations",
        action="store_true",
        help="of a match: count resignations as decisions in all rates",
    )
    parser.add_argument(
        "--truncate",
        type=whole(0, 10_000),
        metavar="N",
        help=f"of a match, with --rollout: let the evaluator judge after N plies ({TRUNCATE}; 0: never)",
    )
    parser.add_argument(
        "--time-limit", type=seconds, metavar="S", help="of a match, with --rollout: roll out for S seconds"
    )
    parser.add_argument(
        "--resume",
        metavar="FILE",
        help="of a match, with --rollout: keep finished rollouts in FILE and go on from it",
    )


def refuse_without_match(arguments: argparse.Namespace) -> None:
    """Raise `BgfastError` if an option that is for matches is given without one."""
    for option in (*WRITTEN, "--worst", "--boards", "--preset", "--count-resignations", *OF_ROLLOUTS):
        if _value(arguments, option) not in (None, False):
            raise BgfastError(f"{option} is for a recorded match; expected a file with one")


def _value(arguments: argparse.Namespace, option: str) -> Any:
    return getattr(arguments, option.removeprefix("--").replace("-", "_"))


def run_matches(
    arguments: argparse.Namespace, files: Sequence[str], cube: CubeSettings, pasted: bytes | None = None
) -> int:
    """Analyse each match; print one in full, several a line each, and what each player did in all.

    After Ctrl-C the totals cover the finished matches; a first match is reported as far as it was analysed.
    Files that cannot be read are reported and left out; the exit status is 2 if none can.
    `pasted` is what standard input holds.
    """
    for option in NOT_FOR_MATCHES:
        if _value(arguments, option) not in (None, False, "standard"):
            raise BgfastError(f"{option} is not for recorded matches")
    evaluator = named_evaluator(arguments.evaluator)
    try:
        preset = chosen_preset(arguments.preset, evaluator, arguments.ply, arguments.rollout)
    except BgfastError:
        raise BgfastError("--preset with --ply or --rollout; expected one of them") from None
    rolls_out = arguments.rollout or (preset is not None and preset.rolls_out)
    for option in OF_ROLLOUTS:
        if not rolls_out and _value(arguments, option) is not None:
            raise BgfastError(f"{option} is one of rollouts; expected --rollout, too")
    if not arguments.rollout and arguments.truncate is not None:
        raise BgfastError("--truncate with --preset; expected --rollout, which leaves it open")
    if arguments.boards and (arguments.csv or arguments.json):
        raise BgfastError("--boards with --csv or --json; expected one of them")
    if len(files) > 1:
        _refuse_several(arguments, f"{len(files)} files given")
    _check_outputs(arguments, files)
    printed = _Printed(arguments)
    matches = RecordedMatches(files, pasted, printed.expect_several)
    if len(files) > 1 or any(map(os.path.isdir, arguments.words)):
        printed.expect_collection()
    try:
        settings = AnalysisSettings(
            evaluator,
            arguments.ply,
            cube.met,
            cube.efficiency,
            arguments.threads,
            arguments.count_resignations,
            preset,
        )
        for name, match in matches:
            judgement = MatchAnalyser(match, settings)
            try:
                with shown_progress(matches.progress_name(name), quiet=arguments.quiet) as progress:
                    for share in judgement.analyse():
                        progress(share)
            except KeyboardInterrupt:
                printed.add_unfinished(name, judgement.result())
                raise
            if rolls_out:
                _roll_out(arguments, name, judgement, printed)
            else:
                printed.add(name, judgement.result())
    finally:
        printed.end(matches)
    if len(files) > 1:
        complain(f"bgfast: {matches.summary()}")
    return 0 if matches.files_read else 2


def _check_outputs(arguments: argparse.Namespace, files: Sequence[str]) -> None:
    """Raise `BgfastError`, before any work is done, if an output cannot or must not be written."""
    written = [path for option in (*WRITTEN, "--resume") if (path := _value(arguments, option)) is not None]
    read = [*files, arguments.evaluator, arguments.met]
    for at, path in enumerate(written):
        check_target(path, [*read, *written[:at]])
        refuse_existing(path, force=arguments.force or path == arguments.resume)
    if arguments.anki is not None:
        check_anki()


def _refuse_several(arguments: argparse.Namespace, found: str) -> None:
    """Raise `BgfastError` if an option that is for one match is given with several."""
    for option in FOR_ONE_MATCH:
        if _value(arguments, option) not in (None, False):
            raise BgfastError(f"{option} is for one match; {found}")


def _roll_out(
    arguments: argparse.Namespace,
    name: str,
    judgement: MatchAnalyser,
    printed: _Printed,
) -> None:
    """Roll out what is contested in a match that was judged; after Ctrl-C print what has been rolled out."""
    truncate = TRUNCATE if arguments.truncate is None else arguments.truncate
    rollout = judgement.rollout(
        trials=arguments.trials or TRIALS, truncate=truncate or None, seed=arguments.seed or 0
    )
    try:
        with shown_progress(f"{one_line(name)}: rollouts", quiet=arguments.quiet) as progress:
            for share in rollout.play(
                threads=arguments.threads, time_limit=arguments.time_limit, checkpoint=arguments.resume
            ):
                progress.initial = rollout.resumed / rollout.number
                progress(share)
    except KeyboardInterrupt:
        printed.add(name, rollout.result())
        if arguments.resume is not None:
            complain(f"bgfast: what is done is in {arguments.resume}; the same command goes on")
        raise
    printed.add(name, rollout.result())


class _Printed:
    """Printer of matches: a single one in full, several as one line each, with totals; and their files."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._worst = WORST if arguments.worst is None else arguments.worst
        self._report: ReportFiles | None = None  # on several matches
        self._cards = None if arguments.anki is None else FlashCards(arguments.worst)
        self._totals = PlayerTotals()
        self._number = 0
        self._headed = False  # a table of decisions
        self._first: tuple[str, MatchAnalysis] | None = None  # until there is another
        self._to_write: MatchAnalysis | None = None
        self._cuts = columns(sys.stdout) is not None  # names, on terminals only

    def expect_several(self, found: str) -> None:
        """Check that a file may have several matches; `found` describes it."""
        _refuse_several(self._arguments, found)
        self.expect_collection()

    def expect_collection(self) -> None:
        """Let the HTML report be one on several matches."""
        if self._arguments.html is not None and self._report is None:
            refuse_existing(page_folder(self._arguments.html), force=self._arguments.force)
            self._report = ReportFiles(self._arguments.html, self._worst)

    def add(self, name: str, found: MatchAnalysis) -> None:
        """Print a match, or keep the first one until it is known whether there are others."""
        found.settings["evaluator"] = self._arguments.evaluator
        self._number += 1
        self._totals.add(found)
        self._to_write = found
        if self._report is not None:
            self._report.add(found, name)
        if self._cards is not None:
            self._cards.add(found, name)
        if self._arguments.csv:
            rows = [{"file": name, **row} for row in found.rows()]
            print(csv_text(rows, head=not self._headed), end="", flush=True)
            self._headed = self._headed or bool(rows)
        elif self._arguments.json:
            print(json.dumps({"file": name, **found.to_dict()}), flush=True)
        elif self._number == 1:
            self._first = name, found
        else:
            self._print_first()
            print(match_line(found, name), flush=True)

    def add_unfinished(self, name: str, found: MatchAnalysis) -> None:
        """Print the partial analysis of an interrupted match, unless other matches are done."""
        if not found.decisions:
            complain("bgfast: no result yet: no decision was judged")
        elif self._number == 0:
            complain(f"bgfast: results are those of {found.settings['judged']}")
            self.add(name, found)

    def _print_first(self) -> None:
        if self._first is not None:
            print(match_line(self._first[1], self._first[0]), flush=True)
            self._first = None

    def end(self, matches: RecordedMatches) -> None:
        """Print what is left to be printed, and write the files."""
        if self._first is not None:
            _, found = self._first
            text = text_report(found, self._worst, cut_names=self._cuts)
            if self._arguments.boards:
                text = "\n\n".join(filter(None, (text, found.to_boards(self._worst))))
            print(folded(text, sys.stdout), flush=True)
        elif self._number and not self._arguments.csv and not self._arguments.json:
            print(folded(totals_text(self._totals, cut_names=self._cuts), sys.stdout), flush=True)
        if self._to_write is not None:
            self._write(self._to_write, matches)

    def _write(self, found: MatchAnalysis, matches: RecordedMatches) -> None:
        if self._report is not None:
            for name, message in matches.unread:
                self._report.collection.add_unread(name, message)
            self._report.write_index(matches.interruption())
        elif self._arguments.html is not None:
            write_file(self._arguments.html, found.to_html(self._worst))
        if self._arguments.sgf is not None:
            write_file(self._arguments.sgf, found.to_sgf())
        if self._cards is not None:
            self._cards.write(self._arguments.anki)
            complain(f"bgfast: {self._cards.summary}")
