"""Reader of GNU Backgammon's match equity files.

Source: the files of GNU Backgammon and their document type `met.dtd`. A `met` has an `info` with name and
length, a `pre-crawford-table`, and a `post-crawford-table` for both players or one each for players 0 and 1.
A table of type ``explicit`` has rows of numbers `me`; other types name a model and have its parameters.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from bgfast.common.clean_text import clean_line
from bgfast.common.files import checked_path, read_limited, reason
from bgfast.common.probabilities import Numbers
from bgfast.common.validation import number_in_text
from bgfast.errors import BgfastError, one_line, shown
from bgfast.evaluation.match_equity_models import (
    AfterCrawford,
    LiveCubeModel,
    MatchEquityModel,
    ZadehModel,
)

_ARGUMENT_NAMES = {
    "gammon-rate-leader": "doubler_gammons",
    "gammon-rate-trailer": "taker_gammons",
    "delta": "delta",
    "delta-bar": "delta_bar",
}


class MatchEquityFile(NamedTuple):
    """Contents of a match equity file."""

    name: str
    pre: Numbers  # (n, n); empty if the file has the parameters of a model
    post: Numbers  # (2, m)
    model: MatchEquityModel  # by default Zadeh's with his parameters
    after_crawford: AfterCrawford


def read_match_equities(path: str | os.PathLike[str]) -> MatchEquityFile:
    """Read a match equity file."""
    label = f"match equity table {checked_path(path, 'the table')}"
    try:
        root = ElementTree.fromstring(read_limited(path))
    except OSError as error:
        raise BgfastError(f"{label}: {reason(error)}") from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BgfastError(f"{label}: it is not XML: {one_line(error)}") from None
    try:
        return _read(root)
    except BgfastError as error:
        raise BgfastError(f"{label}: {error}") from None


def _read(root: ElementTree.Element) -> MatchEquityFile:
    if root.tag != "met":
        raise BgfastError(f"the element {shown(root.tag)}; expected <met>")
    pre = root.find("pre-crawford-table")
    posts = root.findall("post-crawford-table")
    if pre is None or not posts:
        raise BgfastError("expected a pre-crawford-table and a post-crawford-table")
    rows, model = _pre_crawford(pre)
    kinds = {post_table.get("type", "explicit") for post_table in posts}
    if kinds == {"explicit"}:
        post, after_crawford = _post_crawford(posts), AfterCrawford()
    else:
        post, after_crawford = np.empty((2, 0)), _after_crawford(posts, kinds)
    if isinstance(model, ZadehModel):
        model = replace(model, crawford_gammons=after_crawford.gammon_rate)
    name = clean_line(" ".join(root.findtext("info/name", default="").split()))
    return MatchEquityFile(name, rows, post, model, after_crawford)


def _pre_crawford(table: ElementTree.Element) -> tuple[Numbers, MatchEquityModel]:
    kind = table.get("type", "explicit")
    if kind == "explicit":
        rows = [_numbers(row) for row in table.findall("row")]
        if not rows or any(len(row) != len(rows) for row in rows):
            raise BgfastError("the pre-crawford-table is not square; expected rows as long as there are rows")
        return np.array(rows), ZadehModel()
    parameters = _parameters(table)
    if kind == "zadeh":
        arguments = {
            _ARGUMENT_NAMES[name]: value for name, value in parameters.items() if name in _ARGUMENT_NAMES
        }
        return np.empty((0, 0)), ZadehModel(**arguments)
    if kind == "mec":
        model = LiveCubeModel(parameters.get("gammon-rate", 0.26), parameters.get("win-rate", 0.5))
        return np.empty((0, 0)), model
    raise BgfastError(f"the pre-crawford-table has type {shown(kind)}; expected explicit, zadeh or mec")


def _post_crawford(posts: list[ElementTree.Element]) -> Numbers:
    numbers: dict[str, list[float]] = {}
    for table in posts:
        rows = table.findall("row")
        if len(rows) != 1:
            raise BgfastError(f"a post-crawford-table has {len(rows)} rows; expected 1")
        numbers[table.get("player", "both")] = _numbers(rows[0])
    both = [numbers.get(player, numbers.get("both")) for player in ("0", "1")]
    if both[0] is None or both[1] is None or len(both[0]) != len(both[1]):
        raise BgfastError("expected a post-crawford-table for both players, or one each of the same length")
    return np.array(both)


def _after_crawford(posts: list[ElementTree.Element], kinds: set[str]) -> AfterCrawford:
    if len(posts) != 1 or kinds - {"zadeh", "mec"}:
        raise BgfastError(
            f"post-crawford-tables have types {shown(sorted(kinds))}; "
            "expected explicit tables, or a single one of type zadeh or mec"
        )
    parameters = _parameters(posts[0])
    gammon_rate = parameters.get("gammon-rate-trailer", parameters.get("gammon-rate", 0.25))
    free_drops = {away: parameters.get(f"free-drop-{away}-away", 0.0) for away in (2, 4)}
    return AfterCrawford(gammon_rate, parameters.get("win-rate", 0.5), free_drops)


def _parameters(table: ElementTree.Element) -> dict[str, float]:
    elements = table.findall("parameters/parameter")
    parameters = {element.get("name", ""): _number(element) for element in elements}
    for name, value in parameters.items():
        if not 0 <= value <= 1:
            raise BgfastError(f"the parameter {shown(name)} is {value}; expected 0 to 1")
    return parameters


def _numbers(row: ElementTree.Element) -> list[float]:
    return [_number(element) for element in row.findall("me")]


def _number(element: ElementTree.Element) -> float:
    try:
        return number_in_text(element.text or "")
    except ValueError:
        raise BgfastError(f"<{element.tag}> is {shown(element.text)}; expected a number") from None
