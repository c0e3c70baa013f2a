"""GNU Backgammon's files of match equity tables, read.

Source: the files that come with GNU Backgammon, and their document type `met.dtd`: a `met` has an `info` with
name and length, a `pre-crawford-table` and a `post-crawford-table`, or one for each of players 0 and 1. A
table of type ``explicit`` has rows of numbers `me`; others name the model, and have its parameters.
"""

from __future__ import annotations

import os
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from bgfast.analysis.cube.match_equity_models import (
    AfterCrawford,
    LiveCubeModel,
    MatchEquityModel,
    ZadehModel,
)
from bgfast.common.files import checked_path, read_limited
from bgfast.common.probabilities import Numbers
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, one_line, shown

__all__ = ["MatchEquityFile", "read_match_equities"]

_NAMES = {
    "gammon-rate-leader": "doubler_gammons",
    "gammon-rate-trailer": "taker_gammons",
    "delta": "delta",
    "delta-bar": "delta_bar",
}


class MatchEquityFile(NamedTuple):
    """What a file says.

    Attributes
    ----------
    name : str
    pre : ndarray of float64, shape (n, n)
        Empty if the file has parameters instead.
    post : ndarray of float64, shape (2, m)
    model : MatchEquityModel
        Of the file, or Zadeh's with his own parameters.
    after_crawford : AfterCrawford
    """

    name: str
    pre: Numbers
    post: Numbers
    model: MatchEquityModel
    after_crawford: AfterCrawford


def read_match_equities(path: str | os.PathLike[str]) -> MatchEquityFile:
    """Return what a file says.

    Raises
    ------
    BgfastError
        If it cannot be read, or is no such table.
    """
    called = f"match equity table {checked_path(path, 'the table')}"
    try:
        root = ElementTree.fromstring(read_limited(path))
    except OSError as error:
        raise BgfastError(f"{called}: {reason(error)}") from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BgfastError(f"{called}: no XML: {one_line(error)}") from None
    try:
        return _read(root)
    except BgfastError as error:
        raise BgfastError(f"{called}: {error}") from None


def _read(root: ElementTree.Element) -> MatchEquityFile:
    if root.tag != "met":
        raise BgfastError(f"the element {shown(root.tag)}; expected <met>")
    pre = root.find("pre-crawford-table")
    posts = root.findall("post-crawford-table")
    if pre is None or not posts:
        raise BgfastError("expected a pre-crawford-table and a post-crawford-table")
    rows, model = _pre_crawford(pre)
    kinds = {each.get("type", "explicit") for each in posts}
    after_crawford = AfterCrawford()
    post = np.empty((2, 0))
    if kinds != {"explicit"}:
        after_crawford = _after_crawford(posts, kinds)
    else:
        post = _post_crawford(posts)
    if isinstance(model, ZadehModel):
        model = ZadehModel(
            model.doubler_gammons,
            model.taker_gammons,
            model.delta,
            model.delta_bar,
            after_crawford.gammon_rate,
        )
    name = root.findtext("info/name", default="").strip()
    return MatchEquityFile(name, rows, post, model, after_crawford)


def _pre_crawford(table: ElementTree.Element) -> tuple[Numbers, MatchEquityModel]:
    kind = table.get("type", "explicit")
    if kind == "explicit":
        rows = [_numbers(row) for row in table.findall("row")]
        if not rows or any(len(row) != len(rows) for row in rows):
            raise BgfastError("the rows of the pre-crawford-table are not as long as there are rows")
        return np.array(rows), ZadehModel()
    given = _parameters(table)
    if kind == "zadeh":
        known = {_NAMES[name]: value for name, value in given.items() if name in _NAMES}
        return np.empty((0, 0)), ZadehModel(**known)
    if kind == "mec":
        return np.empty((0, 0)), LiveCubeModel(given.get("gammon-rate", 0.26), given.get("win-rate", 0.5))
    raise BgfastError(f"a pre-crawford-table of type {shown(kind)}; expected explicit, zadeh or mec")


def _post_crawford(posts: list[ElementTree.Element]) -> Numbers:
    found: dict[str, list[float]] = {}
    for table in posts:
        rows = table.findall("row")
        if len(rows) != 1:
            raise BgfastError(f"a post-crawford-table of {len(rows)} rows; expected one")
        found[table.get("player", "both")] = _numbers(rows[0])
    both = [found.get(player, found.get("both")) for player in ("0", "1")]
    if both[0] is None or both[1] is None or len(both[0]) != len(both[1]):
        raise BgfastError("expected a post-crawford-table of both players, or of each, of the same length")
    return np.array(both)


def _after_crawford(posts: list[ElementTree.Element], kinds: set[str]) -> AfterCrawford:
    if len(posts) != 1 or kinds - {"zadeh", "mec"}:
        raise BgfastError(
            f"post-crawford-tables of type {shown(sorted(kinds))}; "
            "expected explicit ones, or one of zadeh or mec"
        )
    given = _parameters(posts[0])
    rate = given.get("gammon-rate-trailer", given.get("gammon-rate", 0.25))
    drops = {away: given.get(f"free-drop-{away}-away", 0.0) for away in (2, 4)}
    return AfterCrawford(rate, given.get("win-rate", 0.5), drops)


def _parameters(table: ElementTree.Element) -> dict[str, float]:
    found = {each.get("name", ""): _number(each) for each in table.findall("parameters/parameter")}
    for name, value in found.items():
        if not 0 <= value <= 1:
            raise BgfastError(f"the parameter {shown(name)} is {value}; expected 0 to 1")
    return found


def _numbers(row: ElementTree.Element) -> list[float]:
    return [_number(each) for each in row.findall("me")]


def _number(element: ElementTree.Element) -> float:
    try:
        return float(element.text or "")
    except ValueError:
        raise BgfastError(f"<{element.tag}> says {shown(element.text)}; expected a number") from None
