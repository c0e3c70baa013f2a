"""``bgfast check``: findings in recorded matches: illegal plays, cube actions, scores and results."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from typing import Any

from bgfast.cli.parser import complain_of_error
from bgfast.cli.progress import Progress
from bgfast.cli.recorded_matches import count_text, file_error, open_record, record_name
from bgfast.common.text import clean_lines, counted
from bgfast.errors import BgfastError, one_line
from bgfast.games.match_info import Finding, Severity
from bgfast.records.match_files import recorded_games

HELP = """
usage: FILE...

FILE: matches as .mat or .txt (Jellyfish's text), SGF, .xg, .bgf or .ogxm; - is standard input.

Findings are printed with place, severity and rule. Notes are harmless, for example points capped by a site. A
warning is an entry that contradicts the board, for example a wrong score, and is ignored. An error is an
illegal play, an unreadable entry, or an unavailable cube action. If the rest of a game cannot be read after
an error, a finding states its length.

Exit status 0 with notes and warnings, 1 with an error, 2 if no game of a file can be read.

--json --quiet
--strict  exit status 1 also with a warning

example: bgfast check match.mat
"""


def run(arguments: argparse.Namespace) -> int:
    """Check each file; return the exit status."""
    if not arguments.words:
        raise BgfastError("no file given; expected bgfast check FILE...")
    contents, statuses = [], []
    for name in arguments.words:
        try:
            content, status = _check_file(name, arguments)
        except Exception as error:
            if isinstance(error, OSError) and not isinstance(error, BgfastError):  # standard output failed
                raise
            text = file_error(name, error)
            complain_of_error(text)
            content, status = {"file": name, "clean": False, "error": text}, 2
        contents.append(content)
        statuses.append(status)
    if arguments.json:
        print(json.dumps({"files": contents}))
    return max(statuses)


def _check_file(name: str, arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """Check a file and return its JSON object and exit status; without ``--json`` print the findings."""
    label = record_name(name)
    findings: list[dict[str, Any]] = []
    counts: Counter[Severity] = Counter()
    totals = {"matches": 0, "games": 0, "plays": 0}
    games_read, status = 0, 2
    with open_record(name) as file:
        size = os.fstat(file.fileno()).st_size  # 0 for a pipe, whose size is unknown
        with Progress(label, max(1, size), quiet=arguments.quiet or not size) as progress:
            for number, match, is_read in recorded_games(file, label):
                if size:
                    progress(file.tell())
                totals["matches"] = number
                totals["games"] += 1
                totals["plays"] += match.turn_count
                status = 0 if is_read else status
                games_read += is_read and not any(finding.kind == "skipped" for finding in match.findings)
                counts.update(finding.severity for finding in match.findings)
                if arguments.json:
                    items = [item._replace(message=one_line(item.message)) for item in match.findings]
                    findings += [item._asdict() for item in items]
                elif match.findings:
                    progress.clear()
                    print("\n".join(map(_line, match.findings)))
    is_clean = not (counts["error"] or counts["warning"])
    content = {"file": name, "clean": is_clean, **totals, "games_read": games_read, "findings": findings}
    if status:
        content["error"] = f"{label}: no game can be read"
    elif counts["error"] or (arguments.strict and counts["warning"]):
        status = 1
    if not arguments.json:
        games, plays = (counted(totals[f"{noun}s"], noun, form=",") for noun in ("game", "play"))
        games = games if games_read == totals["games"] else f"{games_read:,} of {games} read"
        print(f"{label}: {count_text(counts) or 'clean'}: {games}, {plays}")
    return content, status


def _line(finding: Finding) -> str:
    """Return a finding as ``file:line:column: ...``, a link in editors, with the board below."""
    board = f"\n    {finding.board}" if finding.board else ""
    text = one_line(f"{finding.severity}: {finding.context}{finding.message}")
    return clean_lines(f"{one_line(finding.file)}:{finding.line}:{finding.column}: {text}{board}")
