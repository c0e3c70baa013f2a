"""Contested decisions: a benchmark of decisions between close candidates, and its file.

docs/CONTESTED_DECISIONS.md describes the format of the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from bgfast.batch.ids import from_gnubg_ids, gnubg_ids
from bgfast.batch.successors import Successors, successors
from bgfast.common.files import read_limited, reason, validate_path
from bgfast.common.probabilities import NORMAL_95
from bgfast.common.validation import Boards, Roll, number_from_file
from bgfast.errors import BgfastError, one_line, short_repr

Family = Literal[
    "opening",
    "contact",
    "blitz and bar",
    "priming",
    "holding",
    "back game",
    "containment",
    "long race",
    "bear-off with contact",
    "bear-off",
]
FAMILIES: tuple[Family, ...] = get_args(Family)

BUILTIN = Path(__file__).with_name("contested_decisions.txt")
HEAD = "# bgfast contested decisions 1"
MILLI = 1000
MIN_DISAGREEMENT = 0.001  # in points; the file and the bear-off databases round equities
_FAMILIES: Mapping[str, Family] = MappingProxyType({name.replace(" ", "-"): name for name in FAMILIES})

Judges = Literal["one-judge", "judges-agree", "judges-differ"]


class RolledOutPlay(NamedTuple):
    """Candidate play with its rollout; equities are cubeless, in points at cube 1, for the mover."""

    position_id: str  # GNU Backgammon position ID after the play, with the next player on roll
    equity: float
    equity_se: float
    loss: float  # equity of the best candidate minus this equity
    loss_se: float
    play: str


class SecondJudgement(NamedTuple):
    """Rollout of a candidate by the second judge; units as in `RolledOutPlay`."""

    position_id: str
    trials: int
    equity: float
    equity_se: float


class ContestedDecision(NamedTuple):
    """Position with a roll, and the loss of every play.

    `candidates` are the plays within 0.1 points of the best at 1 ply, ordered by rollout equity, best first.
    `estimates` are the position IDs after the other plays, with their losses in points at 1 ply.
    """

    position_id: str  # GNU Backgammon position ID, with the mover on roll
    roll: Roll  # larger die first
    family: Family
    trials: int  # number of trials in each candidate's rollout
    seed: int  # seed of each candidate's rollout
    candidates: tuple[RolledOutPlay, ...]
    estimates: tuple[tuple[str, float], ...]
    second: tuple[SecondJudgement, ...] = ()

    @property
    def judges(self) -> Judges:
        """Agreement on the equity difference between the two best candidates that both judges rolled out.

        The judges differ if the differences are further apart than both the 95 % interval and a millipoint.
        """
        second = {judgement.position_id: judgement for judgement in self.second}
        candidates = [candidate for candidate in self.candidates if candidate.position_id in second]
        if len(candidates) < 2:
            return "one-judge"
        better, worse = candidates[:2]
        better_second, worse_second = second[better.position_id], second[worse.position_id]
        distance = (worse.loss - better.loss) - (better_second.equity - worse_second.equity)
        error = math.hypot(better.loss_se, worse.loss_se, better_second.equity_se, worse_second.equity_se)
        tolerance = max(NORMAL_95 * error, MIN_DISAGREEMENT)
        return "judges-differ" if abs(distance) > tolerance else "judges-agree"


class ContestedDecisions(NamedTuple):
    """Contested decisions, with their plays as arrays."""

    notes: tuple[str, ...]  # header lines of the file, without "#": settings and versions
    decisions: tuple[ContestedDecision, ...]
    boards: Boards  # before the roll, mover's side
    plays: Successors  # legal plays of each decision, next player's side
    losses: npt.NDArray[np.float64]  # loss of each play, in points
    loss_errors: npt.NDArray[np.float64]  # standard errors; 0 for the best play, nan for an estimate


def read_decisions(path: str | os.PathLike[str] = BUILTIN) -> ContestedDecisions:
    """Read a file of contested decisions, by default bgfast's own; errors name the line."""
    name = f"positions {validate_path(path, 'positions')}"
    try:
        text = read_limited(path).decode("ascii")
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise BgfastError(f"{name} is not ASCII text") from None
    lines = text.splitlines()
    if lines[:1] != [HEAD]:
        raise BgfastError(f"{name} begins with {short_repr(lines[0] if lines else '')}; expected {HEAD!r}")
    notes = tuple(line[1:].strip() for line in lines[1:] if line.startswith("#"))
    body = [(index, line) for index, line in enumerate(lines, 1) if line and not line.startswith("#")]
    starts = [index for index, (_, line) in enumerate(body) if line.startswith("decision ")]
    if not body:
        raise BgfastError(f"{name} has no decision; expected one or more")
    if starts[:1] != [0]:
        line_number, line = body[0]
        raise BgfastError(
            f"{name}, line {line_number}: {short_repr(line)}; expected a 'decision ID ...' line before it"
        )
    decisions = [
        _parse_decision(name, body[begin:end])
        for begin, end in zip(starts, [*starts[1:], len(body)], strict=True)
    ]
    try:
        boards = from_gnubg_ids([decision.position_id for decision in decisions])
        plays = successors(boards, [decision.roll for decision in decisions], flip=True)
    except BgfastError as error:
        raise BgfastError(f"{name}, decisions counted from 0: {one_line(error)}") from None
    ids = gnubg_ids(plays.boards).tolist()
    losses, loss_errors = np.empty(len(ids)), np.empty(len(ids))
    for row, decision in enumerate(decisions):
        begin, end = plays.offsets[row : row + 2].tolist()
        entries = [(play.position_id, play.loss, play.loss_se) for play in decision.candidates]
        entries += [(position_id, loss, math.nan) for position_id, loss in decision.estimates]
        rows = {ids[index]: index for index in range(begin, end)}
        if len(entries) != len(rows) or {position_id for position_id, _, _ in entries} != set(rows):
            raise BgfastError(
                f"{name}, line {body[starts[row]][0]}: the {len(entries)} plays are not the legal plays; "
                f"expected the {len(rows)} plays of the roll"
            )
        for position_id, loss, loss_se in entries:
            losses[rows[position_id]], loss_errors[rows[position_id]] = loss, loss_se
    return ContestedDecisions(notes, tuple(decisions), boards, plays, losses, loss_errors)


def _parse_decision(name: str, lines: Sequence[tuple[int, str]]) -> ContestedDecision:
    """Parse a decision and its plays."""
    candidates: list[RolledOutPlay] = []
    estimates: list[tuple[str, float]] = []
    second: list[SecondJudgement] = []
    line_number, line = lines[0]
    try:
        _, position_id, roll, family, trials, seed, _ = line.split()
        decision = position_id, _parse_roll(roll), _FAMILIES[family], _parse_count(trials), int(seed)
        for line_number, line in lines[1:]:  # noqa: B007 - used in the message
            keyword, *fields = line.split(" ", 6)
            if keyword == "rolled":
                equity, equity_se, loss, loss_se = map(_parse_points, fields[1:5])
                candidates.append(RolledOutPlay(fields[0], equity, equity_se, loss, loss_se, fields[5]))
            elif keyword == "other":
                estimate_id, loss_text = fields
                estimates.append((estimate_id, _parse_points(loss_text)))
            elif keyword == "second":
                second_id, trials, *values = fields
                second.append(SecondJudgement(second_id, _parse_count(trials), *map(_parse_points, values)))
            else:
                raise ValueError(keyword)
    except (ValueError, TypeError, KeyError, IndexError):
        raise BgfastError(
            f"{name}, line {line_number}: {short_repr(line)}; expected 'decision ID ROLL FAMILY TRIALS SEED "
            "JUDGES', 'rolled ID EQUITY SE LOSS SE PLAY', 'other ID LOSS' or 'second ID TRIALS EQUITY SE'"
        ) from None
    if not candidates or candidates[0].loss or any(candidate.loss < 0 for candidate in candidates):
        raise BgfastError(f"{name}, line {lines[0][0]}: no best play; expected a first candidate with loss 0")
    return ContestedDecision(*decision, tuple(candidates), tuple(estimates), tuple(second))


def _parse_points(text: str) -> float:
    value = number_from_file(float(text))
    if value is None:
        raise ValueError(text)
    return value / MILLI


def _parse_count(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise ValueError(text)
    return int(text)


def _parse_roll(text: str) -> Roll:
    larger, smaller = map(int, text)
    if not 6 >= larger >= smaller >= 1:
        raise ValueError(text)
    return larger, smaller
