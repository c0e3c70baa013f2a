"""``bgfast convert``: a recorded match in another format."""

from __future__ import annotations

import argparse

from bgfast.cli.options import check_target
from bgfast.cli.recorded_matches import complain_of_findings, open_record, record_name
from bgfast.common.text import pluralize
from bgfast.errors import BgfastError
from bgfast.records.match_files import format_of, only_match

HELP = """
usage: IN OUT

IN: a match as .mat or .txt (Jellyfish's text), SGF, .xg, .bgf or .ogxm. OUT: a file whose ending names the
format: .mat, .txt or .sgf. IN may be - for standard input.

--force

example: bgfast convert match.sgf match.mat
"""


def run(arguments: argparse.Namespace) -> None:
    """Convert IN to OUT."""
    if len(arguments.operands) != 2:
        files = pluralize(len(arguments.operands), "file")
        raise BgfastError(f"{files} given; expected bgfast convert IN OUT")
    source, target = arguments.operands
    format_of(target, force=arguments.force)  # refuses an unknown format before the match is read
    check_target(target, [source])
    with open_record(source) as file:
        match = only_match(file, record_name(source))
    complain_of_findings(source, match.findings)
    match.save(target, force=arguments.force)
