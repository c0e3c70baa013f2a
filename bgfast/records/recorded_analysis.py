"""Analysis in match files: candidate plays, cube equities and luck."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeVar

from bgfast.common.validation import number_in_text
from bgfast.errors import BgfastError, short_repr

Probabilities = tuple[float, float, float, float, float]
"""Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon."""
MAX_EQUITY = 100.0  # maximum equity (EMG); larger numbers count as damage
PROBABILITY_TOLERANCE = 0.001  # rounding error of recorded probabilities


def are_equities(*values: float) -> bool:
    """Return whether numbers can be equities; NaN cannot."""
    return all(abs(value) <= MAX_EQUITY for value in values)


def validate_equity(value: float) -> float:
    """Return a number as an equity; raise `BgfastError` if it cannot be one."""
    if not are_equities(value):
        raise BgfastError(f"an equity is {value:g}; expected a number")
    return value


def validate_probabilities(values: Sequence[float], report: Callable[[str], object]) -> Probabilities | None:
    """Return five numbers as probabilities; report them and return None if they contradict each other."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = values
    ascending_wins = (0.0, win_backgammon, win_gammon, win, 1 - lose_gammon, 1 - lose_backgammon, 1.0)
    ascending_losses = (lose_backgammon, lose_gammon, 1 - win)
    pairs = (pair for row in (ascending_wins, ascending_losses) for pair in pairwise(row))
    if all(low <= high + PROBABILITY_TOLERANCE for low, high in pairs):
        return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon
    text = ", ".join(f"{probability:g}" for probability in values)
    report(f"an evaluation has the probabilities {text}; expected 0 to 1 in order")
    return None


class CandidatePlay(NamedTuple):
    """Candidate play with its equity, from the mover's side.

    `level` is in the recording program's terms: ``"3-ply"``, ``"XG Roller++"``, ``"opening book"``,
    ``"rollout 1296 trials"``; empty if not recorded. eXtreme Gammon and BGBlitz call a static evaluation
    1-ply, GNU Backgammon 0-ply.
    """

    text: str  # notation; empty if no checker can move
    equity: float  # cubeful, normalised to the cube (EMG)
    probabilities: Probabilities | None  # None if not recorded
    level: str


class CubeEquities(NamedTuple):
    """Equities of the cube actions.

    They are from the side of the player who may double, even for the answer: the opponent takes if
    `double_take` is at most `double_drop`. They are normalised to the cube before the double (EMG): a drop
    costs 1.
    """

    no_double: float
    double_take: float
    double_drop: float
    probabilities: Probabilities | None  # without a double; None if not recorded
    level: str  # as in `CandidatePlay`


class CubeChances(NamedTuple):
    """Match-winning chances of the cube actions, from files without equities.

    They are from the same side as `CubeEquities`. The files do not name their match equity table; bgfast and
    GNU Backgammon have the same default.
    """

    no_double: float
    double_take: float
    probabilities: Probabilities | None  # as in `CubeEquities`
    level: str  # as in `CandidatePlay`


@dataclass(frozen=True)
class DecisionAnalysis:
    """Recorded analysis of an event.

    The plays of a roll are in the order of the file: by equity, except for plays at different levels. The
    cube equities belong to a double and its answer, or to not doubling before a roll. Luck is the equity
    with the best play minus the equity before the roll (EMG), from the mover's side.
    """

    plays: tuple[CandidatePlay, ...] = ()
    played: int | None = None  # index of the recorded play in `plays`; None if it is not ranked
    cube: CubeEquities | CubeChances | None = None  # None if not recorded, or the player could not double
    luck: float | None = None


# ---------------------------------------------------------------- SGF
#
# Source: files saved by GNU Backgammon 1.07, and its reader (`sgf.c`). All values have format version 3:
#
#     A[INDEX][PLAY EVALUATION]...    plays, best first; INDEX, from 0, is the recorded play
#     DA[EVALUATION]                  no double, and double and take, for the player who could double
#     LU[EQUITY]                      luck of the roll
#
# An evaluation starts with ``E`` (static or search) or ``X`` (rollout). Equities of plays and luck are EMG.
# The cubeful values of a cube decision are match-winning chances or, in money play, EMG.


Part = TypeVar("Part")

ANALYSIS_PROPERTIES = ("A", "DA", "LU")
PROBABILITIES = 5
OUTPUTS = 7  # numbers of an output: five probabilities, the cubeless equity and the cubeful value
MAX_HOPS = 8
_VERSION = "ver 3 "
_LEVEL = re.compile(r"([0-9]{1,3})(C?)")
_TRIALS = re.compile(r"\bTrials ([0-9]{1,9})\b")
_SCORE = re.compile(r"\bScore (\S+)")
_OUTPUT = r"\b{}Output ((?:\S+ ){{6}}\S+)"
_PLAY_OUTPUT, _NO_DOUBLE_OUTPUT, _DOUBLE_TAKE_OUTPUT = (
    re.compile(_OUTPUT.format(name)) for name in ("", "NoDouble ", "DoubleTake ")
)


class SgfAnalysisReader:
    """Reader of the analysis in SGF nodes.

    `hops` maps the two letters of each hop to its text; `report` is called with the name of a
    damaged property and the reason.
    """

    def __init__(self, is_match: bool, hops: Mapping[str, str], report: Callable[[str, str], None]) -> None:
        self._is_match = is_match
        self._hops = hops
        self._report = report
        self._name = ""  # name of the current property

    def read(self, node: Mapping[str, Sequence[str]]) -> DecisionAnalysis:
        """Return the analysis of a node."""
        plays, played = self._read_property("A", node, self._plays) or ((), None)
        cube = self._read_property("DA", node, self._cube)
        luck = self._read_property("LU", node, lambda values: validate_equity(_floats(values[0])[0]))
        return DecisionAnalysis(plays, played, cube, luck)

    def _read_property(
        self, name: str, node: Mapping[str, Sequence[str]], read: Callable[[Sequence[str]], Part]
    ) -> Part | None:
        """Return the result of `read`; None if the property is missing or damaged."""
        if name not in node:
            return None
        self._name = name
        try:
            return read(node[name])
        except ValueError as error:
            self._report(name, str(error))
            return None

    def _plays(self, values: Sequence[str]) -> tuple[tuple[CandidatePlay, ...], int | None]:
        index, *candidates = values
        plays = tuple(self._play(candidate) for candidate in candidates)
        if not re.fullmatch("[0-9]{1,9}", index):
            raise ValueError(f"the recorded play is {short_repr(index)}; expected its index")
        return plays, int(index) if int(index) < len(plays) else None

    def _play(self, candidate: str) -> CandidatePlay:
        letters, _, evaluation = candidate.strip().partition(" ")
        if letters in ("E", "X"):  # no checker can move
            letters, evaluation = "", f"{letters} {evaluation}"
        hops = [letters[index : index + 2] for index in range(0, len(letters), 2)]
        if len(hops) > MAX_HOPS or not all(hop in self._hops for hop in hops):
            raise ValueError(f"a play is {short_repr(letters)}; expected letters of its moves, such as hefe")
        text = " ".join(self._hops[hop] for hop in hops)
        content = _content(evaluation)
        if evaluation.startswith("X"):
            outputs = _floats(_search(_PLAY_OUTPUT, content, "Output with seven numbers"))
            equity = _floats(_search(_SCORE, content, "Score with an equity"))[0]
            level = _trials(content)
        else:
            tokens = content.split()
            if len(tokens) <= PROBABILITIES + 1:
                raise ValueError(f"an evaluation has {len(tokens)} values; expected six numbers and plies")
            *outputs, equity = _floats(" ".join(tokens[: PROBABILITIES + 1]))
            level = _level(tokens[PROBABILITIES + 1])
        return CandidatePlay(text, validate_equity(equity), self._probabilities(outputs), level)

    def _cube(self, values: Sequence[str]) -> CubeEquities | CubeChances:
        content = _content(values[0])
        if values[0].lstrip().startswith("X"):
            no_double, double_take = (
                _floats(_search(pattern, content, f"{name} with seven numbers"))
                for pattern, name in ((_NO_DOUBLE_OUTPUT, "NoDouble"), (_DOUBLE_TAKE_OUTPUT, "DoubleTake"))
            )
            level = _trials(content)
        else:
            tokens = content.split()
            if len(tokens) < 4 + 2 * OUTPUTS:
                expected = "its plies and both outputs"
                raise ValueError(f"a cube decision has {len(tokens)} values; expected {expected}")
            level = _level(tokens[0])
            outputs = _floats(" ".join(tokens[4 : 4 + 2 * OUTPUTS]))
            no_double, double_take = outputs[:OUTPUTS], outputs[OUTPUTS:]
        probabilities = self._probabilities(no_double)
        if not self._is_match:
            equities = validate_equity(no_double[-1]), validate_equity(double_take[-1])
            return CubeEquities(*equities, 1.0, probabilities, level)
        for chance in (no_double[-1], double_take[-1]):
            if not 0 <= chance <= 1:
                raise ValueError(f"a match-winning chance is {chance:g}; expected 0 to 1")
        return CubeChances(no_double[-1], double_take[-1], probabilities, level)

    def _probabilities(self, outputs: Sequence[float]) -> Probabilities | None:
        return validate_probabilities(outputs[:PROBABILITIES], partial(self._report, self._name))


def _content(evaluation: str) -> str:
    type_letter, _, content = evaluation.strip().partition(" ")
    if type_letter not in ("E", "X") or not content.startswith(_VERSION):
        raise ValueError(f"an evaluation is {short_repr(evaluation[:20])}; expected E or X of version 3")
    return content.removeprefix(_VERSION)


def _search(pattern: re.Pattern[str], content: str, expected: str) -> str:
    match = pattern.search(content)
    if match is None:
        raise ValueError(f"a rollout is {short_repr(content[:20])}; expected {expected}")
    return match[1]


def _floats(text: str) -> list[float]:
    try:
        values = [number_in_text(token) for token in text.split()]
    except ValueError:
        values = []
    if not values:
        raise ValueError(f"an evaluation has {short_repr(text[:40])}; expected numbers")
    return values


def _level(text: str) -> str:
    """Return the level of a search, counting plies as GNU Backgammon does."""
    level = _LEVEL.fullmatch(text)
    if level is None:
        raise ValueError(f"the plies are {short_repr(text)}; expected a number, such as 2C")
    return f"{int(level[1])}-ply" if level[2] else f"cubeless {int(level[1])}-ply"


def _trials(content: str) -> str:
    return f"rollout {int(_search(_TRIALS, content, 'Trials with a number'))} trials"
