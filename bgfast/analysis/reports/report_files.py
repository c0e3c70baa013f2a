"""Report on several matches as files: the index page, and a page for each match in a folder beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import quote

from bgfast.analysis.matches.html_report import html_report
from bgfast.analysis.matches.match_analysis import WORST, MatchAnalysis
from bgfast.analysis.reports.collected_errors import named_analyses
from bgfast.analysis.reports.collection_page import collection_page
from bgfast.analysis.reports.match_collection import MatchCollection
from bgfast.common.files import checked_path, reason, refuse_existing_path, refuse_missing_folder, write_file
from bgfast.common.validation import flag
from bgfast.errors import BgfastError, shown

MAX_PAGE_NAME = 100
"""Maximum length of a page's name without its ending, in characters; some file systems allow 255 bytes."""


def page_folder(path: str) -> str:
    """Return the folder for the pages of the matches: the index page's name, with ``_pages``."""
    return os.path.splitext(path)[0] + "_pages"


class ReportFiles:
    """Writer of a report. Pages of matches are written as they are added, the index page at the end.

    `path` is the index page. Each page has up to `worst` errors with their boards.
    """

    def __init__(self, path: str, worst: int) -> None:
        self._path = path
        self._worst = worst
        self._names: set[str] = set()
        self._last_numbers: dict[str, int] = {}  # of pages, by the name that they share
        self.collection = MatchCollection(worst)

    def add(self, analysis: MatchAnalysis, source: str) -> None:
        """Write the page of a match; `source` is its name."""
        folder, name = page_folder(self._path), self._page_name(source)
        page = os.path.join(folder, name)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise BgfastError(f"{shown(folder)}: {reason(error)}") from None
        index = _address(os.pardir, os.path.basename(self._path))
        write_file(page, html_report(analysis, self._worst, index))
        self.collection.add(analysis, source, _address(os.path.basename(folder), name))

    def write_index(self, note: str = "") -> None:
        """Write the index page, with `note` at its top."""
        write_file(self._path, collection_page(self.collection, note))

    def _page_name(self, source: str) -> str:
        """Return a new file name from the name of a match, unique on case-insensitive file systems, too."""
        base = re.sub(r"[^\w.-]+", "_", os.path.basename(source), flags=re.ASCII).strip("._") or "match"
        name = base = base[:MAX_PAGE_NAME]
        number = self._last_numbers.get(base.lower(), 1)
        while name.lower() in self._names:
            number += 1
            name = f"{base}_{number}"
        self._last_numbers[base.lower()] = number
        self._names.add(name.lower())
        return f"{name}.html"


def _address(*names: str) -> str:
    """Return names of folders and of a file as a relative URL; the bytes of a name may be no UTF-8."""
    return "/".join(quote(os.fsencode(name)) for name in names)


def write_report(
    analyses: Iterable[tuple[str, MatchAnalysis]],
    path: str | os.PathLike[str],
    *,
    worst: int = WORST,
    force: bool = False,
) -> None:
    """Write a report on several matches: an index page, and a page for each match.

    Parameters
    ----------
    analyses : iterable of (str, MatchAnalysis)
        Name of each match, such as its file, and its analysis. They are consumed one at a time and not
        stored.
    path : path
        Index page: every player by date, totals by kind of error and phase, the largest errors, and links to
        the pages of the matches. ``report.html`` has them in the folder ``report_pages``.
    worst : int
        Maximum number of errors with their boards: on the index page, and on each page of a match.
    force : bool
        Replace existing files.

    Raises
    ------
    BgfastError
        If the folder of the index page does not exist, the index page or the folder of the pages exists
        already, without `force`, or a page cannot be written.

    Notes
    -----
    Each file is written whole or not at all. Pages of an earlier report stay in the folder unless a match has
    their name. docs/MATCH_REPORTS.md describes the page.

    Examples
    --------
    >>> import bgfast, os, tempfile
    >>> match = bgfast.Match(3, dice=[(3, 1)])
    >>> _ = match.roll()
    >>> match.play("13/9")
    >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
    >>> bgfast.matches.write_report([("first", bgfast.analyse_match(match, ply=0))], path)
    >>> sorted(os.listdir(os.path.dirname(path))), os.listdir(path.replace(".html", "_pages"))
    (['report.html', 'report_pages'], ['first.html'])
    """
    name = checked_path(path, "the path of a report")
    refuse_missing_folder(name)
    if not flag("force", force):
        for output in (name, page_folder(name)):
            refuse_existing_path(output)
    files = ReportFiles(name, worst)
    for source, analysis in named_analyses(analyses):
        files.add(analysis, source)
    files.write_index()
