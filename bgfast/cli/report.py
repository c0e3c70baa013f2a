"""``bgfast report``: errors, rates and luck of recorded matches."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from bgfast.analysis.matches.decision_analyser import DEFAULT_PRESET, PRESETS, choose_preset
from bgfast.analysis.matches.match_analysis import WORST, MatchAnalyser, MatchAnalysis
from bgfast.analysis.matches.match_report import text_report
from bgfast.analysis.matches.match_rollout import TRIALS, TRUNCATE
from bgfast.analysis.reports.collection_report import ReportFiles, page_folder
from bgfast.analysis.reports.flash_cards import FlashCards, check_anki
from bgfast.analysis.reports.match_collection import (
    AnalysedMatches,
    MatchCollection,
    MatchSelection,
    match_line,
    totals_text,
)
from bgfast.analysis.reports.recorded_files import RecordFile
from bgfast.cli.options import check_target, option_type, option_value, refuse_existing
from bgfast.cli.players import load_evaluator, match_equity_table
from bgfast.cli.progress import Progress, follow
from bgfast.cli.recorded_matches import MAX_FINDINGS, RecordedMatches, complain_of_findings, input_files
from bgfast.cli.streams import complain
from bgfast.common.files import write_file
from bgfast.common.text import columns, fold_text, pluralize
from bgfast.common.validation import number_in_text
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.efficiency import EFFICIENCY_MODELS
from bgfast.evaluation.evaluators.lookahead import MAX_PLY
from bgfast.evaluation.tables import csv_text

FILE_OPTIONS = ("--html", "--sgf", "--anki")
STDOUT = "-"
"""File name for an output that is printed in place of the report for terminals."""
ONE_MATCH_OPTIONS = ("--sgf", "--boards", "--resume")
ROLLOUT_OPTIONS = ("--trials", "--seed", "--truncate", "--time-limit", "--resume")
PRESET_OPTIONS = ("--trials", "--truncate")

HELP = f"""
usage: FILE...

FILE: a recorded match as .mat, .txt, SGF, .xg, .bgf or .ogxm, a zip or a folder; - is standard input.

--html FILE    write an HTML report, or print it (-); for several matches an index
--open         open the HTML report in the browser
--player NAME*  report on this player; repeat the option for the player's other names
--worst N[0..1000000]  show the N largest errors ({WORST})
--min-error X  with --csv or --anki: only errors of X or more (blunders: 0.12)
--boards       print the largest errors with boards
--preset NAME  {", ".join(PRESETS)} ({DEFAULT_PRESET})
--ply N[0..{MAX_PLY}]  search depth in plies, 0 to {MAX_PLY}, instead of a preset
--evaluator NAME=builtin  evaluator, as in bgfast analyse (builtin)
--threads
--anki FILE    write flash cards (pip install bgfast[anki])
--sgf FILE     write the match with its analysis for GNU Backgammon
--json --csv
--rollout      roll out contested decisions
--trials N[2..1000000000]  with --rollout: maximum trials ({TRIALS})
--seed N       with --rollout: seed of the dice (0)
--truncate N[0..10000]  with --rollout: plies of a game ({TRUNCATE}; 0: to the end)
--time-limit S  with --rollout: seconds for a match
--resume FILE  with --rollout: store rollouts, and resume
--count-resignations  count resignations as decisions in all rates
--met
--efficiency NAME  cube efficiency model: {" or ".join(EFFICIENCY_MODELS)} ({EFFICIENCY_MODELS[0]})
--force --quiet

example: bgfast report match.mat --html report.html --open
"""
LOSS_TYPE = option_type(number_in_text, "an equity loss such as 0.12", lambda loss: 0 <= loss < math.inf)
TYPES = {"efficiency": EFFICIENCY_MODELS, "preset": list(PRESETS), "min_error": LOSS_TYPE}


def run(arguments: argparse.Namespace) -> int:
    """Analyse recorded matches from files, folders or standard input; return the exit status."""
    return run_matches(arguments, input_files(arguments.operands))


def run_matches(arguments: argparse.Namespace, files: Sequence[RecordFile]) -> int:
    """Analyse recorded matches: print a single match in full, several matches as one line each with totals.

    After Ctrl-C the totals cover the finished matches; if there are none, the partial analysis of
    the first match is printed. Unreadable files are skipped; the exit status is 2 if none is readable.
    """
    evaluator = load_evaluator(arguments.evaluator)
    try:
        preset = choose_preset(arguments.preset, evaluator, arguments.ply, arguments.rollout)
    except BgfastError:
        raise BgfastError("--preset cannot be combined with --ply or --rollout") from None
    rolls_out = arguments.rollout or (preset is not None and preset.rolls_out)
    for option in ROLLOUT_OPTIONS:
        if option_value(arguments, option) is not None and not arguments.rollout:
            if not rolls_out:
                raise BgfastError(f"{option} needs --rollout")
            if option in PRESET_OPTIONS:
                raise BgfastError(f"{option} and --preset cannot be combined; expected --rollout")
    if arguments.boards and (arguments.csv or arguments.json):
        raise BgfastError("--boards cannot be combined with --csv or --json")
    if arguments.min_error is not None and arguments.csv is None and arguments.anki is None:
        raise BgfastError("--min-error needs --csv or --anki")
    if len(files) > 1:
        _refuse_several(arguments, f"{len(files)} files given")
    _refuse_printing(arguments)
    if arguments.open and arguments.html is None:
        arguments.html = os.path.join(mkdtemp(prefix="bgfast-"), "report.html")
    paths = [option_value(arguments, option) for option in FILE_OPTIONS]
    targets = [path for path in paths if path not in (None, STDOUT)]
    targets += [] if arguments.resume is None else [arguments.resume]
    sources = [*(file.path for file in files), arguments.evaluator, arguments.met]
    for index, path in enumerate(targets):
        check_target(path, [*sources, *targets[:index]])
        refuse_existing(path, force=arguments.force or path == arguments.resume)
    if arguments.anki is not None:
        check_anki()
    output, selection = _MatchOutput(arguments), MatchSelection(arguments.player)
    matches = RecordedMatches(files)
    if len(files) > 1 or any(map(os.path.isdir, arguments.operands)):
        output.expect_collection()
    efficiency = arguments.efficiency or EFFICIENCY_MODELS[0]
    options: dict[str, Any] = {"met": match_equity_table(arguments), "efficiency": efficiency}
    options |= {"threads": arguments.threads, "count_resignations": arguments.count_resignations}
    try:
        for name, match in selection.matches(matches):
            if matches.has_several:
                output.expect_several(f"{matches.file.label} has several")
            if not arguments.quiet:
                complain_of_findings(name, match.findings, 1 if len(files) > 1 else MAX_FINDINGS)
            try:
                analyser = MatchAnalyser(match, evaluator, arguments.ply, preset=preset, **options)
                if follow(analyser.analyse(), matches.progress_name(name), quiet=arguments.quiet):
                    output.add_unfinished(name, analyser.result())
                    raise KeyboardInterrupt
                analysis = _roll_out(arguments, name, analyser, output) if rolls_out else analyser.result()
            except Exception as error:
                matches.skip(name, error)
                continue
            try:
                output.add(name, analysis)
            except Exception as error:
                if isinstance(error, OSError) and not isinstance(error, BgfastError):  # print failed
                    raise
                matches.skip(name, error)
    finally:
        output.end(matches)
    selection.refuse_unknown()
    notes = [matches.summary()] if len(files) > 1 else []
    notes += [
        f"{one_line(name)}: the same match as {one_line(earlier)}; left out"
        for name, earlier in selection.copies.items()
    ]
    if selection.other_matches:
        notes.append(f"{pluralize(selection.other_matches, 'match', 'matches')} of other players left out")
    for note in [] if arguments.quiet else notes:
        complain(f"bgfast: {note}")
    for name in selection.unknown_names:
        complain(f"bgfast: no match of the player {short_repr(name)}")
    if arguments.open and output.match_count and not webbrowser.open(Path(arguments.html).resolve().as_uri()):
        complain(f"bgfast: no browser could be opened; the report is {arguments.html}")
    return 0 if output.match_count else 2


def _refuse_several(arguments: argparse.Namespace, description: str) -> None:
    """Raise `BgfastError` if an option for a single match is given with several matches."""
    for option in ONE_MATCH_OPTIONS:
        if option_value(arguments, option) not in (None, False):
            raise BgfastError(f"{option} is for one match; {description}")
    if arguments.html == STDOUT:
        raise BgfastError(f"--html - is for one match; {description}")


def _refuse_printing(arguments: argparse.Namespace) -> None:
    """Raise `BgfastError` if standard output would receive several results, or a result that is not text."""
    options = [option for option in FILE_OPTIONS if option_value(arguments, option) == STDOUT]
    if "--anki" in options:
        raise BgfastError("--anki is '-'; expected a file")
    formats = [name for name in ("--csv", "--json", "--boards", "--open") if option_value(arguments, name)]
    if options and (conflicts := [*options[1:], *formats]):
        raise BgfastError(f"{options[0]} - and {conflicts[0]} cannot be combined; expected a file")


def _roll_out(
    arguments: argparse.Namespace, name: str, analyser: MatchAnalyser, output: _MatchOutput
) -> MatchAnalysis:
    """Roll out the contested decisions of a match; after Ctrl-C print the finished rollouts."""
    truncate = TRUNCATE if arguments.truncate is None else arguments.truncate
    rollout = analyser.rollout(
        trials=arguments.trials or TRIALS, truncate=truncate or None, seed=arguments.seed or 0
    )
    try:
        with Progress(f"{one_line(name)}: rollouts", quiet=arguments.quiet) as progress:
            for fraction in rollout.play(
                threads=arguments.threads, time_limit=arguments.time_limit, checkpoint=arguments.resume
            ):
                progress.initial = rollout.resumed / rollout.count
                progress(fraction)
    except KeyboardInterrupt:
        output.add(name, rollout.result())
        if arguments.resume is not None:
            complain(f"bgfast: finished rollouts are in {arguments.resume}; the same command resumes")
        raise
    return rollout.result()


class _MatchOutput:
    """Printed text and files: a single match in full, or a line for each of several matches and totals."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._worst = WORST if arguments.worst is None else arguments.worst
        self._report: ReportFiles | None = None  # for several matches
        self._player = arguments.player
        card_options = arguments.worst, self._player, arguments.min_error
        self._cards = None if arguments.anki is None else FlashCards(*card_options)
        self._totals = MatchCollection(0, self._player)
        self.match_count = 0
        self._has_head = False  # True once the header of the CSV table is printed
        self._last_match: tuple[MatchAnalysis, str] | None = None

    def expect_several(self, description: str) -> None:
        """Refuse options for a single match and prepare for several; messages end with `description`."""
        _refuse_several(self._arguments, description)
        self.expect_collection()

    def expect_collection(self) -> None:
        """Prepare an HTML report for several matches, if one is requested."""
        if self._arguments.html not in (None, STDOUT) and self._report is None:
            refuse_existing(page_folder(self._arguments.html), force=self._arguments.force)
            self._report = ReportFiles(self._arguments.html, self._worst, self._player)

    def add(self, name: str, analysis: MatchAnalysis) -> None:
        """Print a match and add it to the files; the first is printed once the number of matches is known."""
        analysis.settings["evaluator"] = os.path.basename(self._arguments.evaluator)
        self.match_count += 1
        self._totals.add(analysis, name)
        previous, self._last_match = self._last_match, (analysis, name)
        if self._report is not None:
            self._report.add(analysis, name)
        if self._cards is not None:
            self._cards.add(analysis, name)
        if self._arguments.csv:
            table = AnalysedMatches([(name, analysis)])
            table.player = self._player
            minimum = self._arguments.min_error or -math.inf  # rollouts may estimate errors below 0
            rows = [row for row in table.rows() if row["error"] >= minimum]
            print(csv_text(rows, header=not self._has_head), end="", flush=True)
            self._has_head = self._has_head or bool(rows)
        elif self._arguments.json:
            print(json.dumps({"file": name, **analysis.to_dict()}), flush=True)
        else:
            if previous is not None and self.match_count == 2:
                print(match_line(*previous), flush=True)
            if self.match_count > 1:
                print(match_line(analysis, name), flush=True)

    def add_unfinished(self, name: str, analysis: MatchAnalysis) -> None:
        """Print the partial analysis of an interrupted match, unless other matches are finished."""
        if not analysis.decisions:
            complain("bgfast: no result yet: no decision was analysed")
        elif self.match_count == 0:
            complain(f"bgfast: the results cover {analysis.settings['analysed']}")
            self.add(name, analysis)

    def end(self, matches: RecordedMatches) -> None:
        """Print the remaining output, and write the files."""
        if self._last_match is None:
            return
        analysis, _ = self._last_match
        options: dict[str, Any] = {"worst": self._worst, "player": self._player}
        is_printed = STDOUT in (self._arguments.html, self._arguments.sgf)
        if not self._arguments.csv and not self._arguments.json and not is_printed:
            cut_names = columns(sys.stdout) is not None  # only terminals have columns
            if self.match_count > 1:
                text = totals_text(self._totals, cut_names=cut_names)
            else:
                text = text_report(analysis, **options, cut_names=cut_names)
            boards = analysis.to_boards(**options) if self._arguments.boards else ""
            print(fold_text("\n\n".join(filter(None, (text, boards))), sys.stdout), flush=True)
        if self._report is not None:
            self._report.collection.left_out = matches.left_out
            self._report.write_index(matches.interruption())
        elif self._arguments.html is not None:
            _write(self._arguments.html, analysis.to_html(**options))
        if self._arguments.sgf is not None:
            _write(self._arguments.sgf, analysis.to_sgf())
        if self._cards is not None:
            self._cards.write(self._arguments.anki)
            if not self._arguments.quiet:
                complain(f"bgfast: {self._cards.summary}")


def _write(path: str, text: str) -> None:
    if path == STDOUT:
        print(text, end="", flush=True)
    else:
        write_file(path, text)
