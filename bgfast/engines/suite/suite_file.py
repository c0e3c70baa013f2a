"""The text of a suite: written, and read with a refusal that names the line; docs/SUITE.md describes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bgfast.common.validation import GENERATED_SWITCHES, generated_switches
from bgfast.common.vocabulary import BOARD_SIZE, CHECKERS
from bgfast.engines.protocol import Board, Roll
from bgfast.engines.suite.splitmix import MASK
from bgfast.errors import BgfastError, InvalidPositionError, InvalidRulesError, shown
from bgfast.position.objects import Position
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet

__all__ = [
    "NO_POSITIONS",
    "InvalidSuiteError",
    "PerftLine",
    "Suite",
    "SuiteCase",
    "read_suite",
    "suite_lines",
]

FIRST_LINE = "bgfast-suite 1"
NO_POSITIONS = "0" * 16
"""The hash of no successors: a pass."""
PRESETS = (STANDARD, EXACT, REAR_FIRST, FIVE_STACK)
DEEPEST = 9

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_BOARD = re.compile(r"(-?[0-9]{1,2},){25}-?[0-9]{1,2}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{16}", re.ASCII)


class InvalidSuiteError(BgfastError):
    """A suite that cannot be read; the message names the line, what stands there and what was expected."""


@dataclass(frozen=True)
class SuiteCase:
    """One position, roll and rule set, and what has to come out.

    Attributes
    ----------
    id, section : str
    rules : str
        The name of the rule set, as the header of the file has it.
    board : tuple of 26 int
        From the mover's side.
    roll : (int, int)
        The dice in the order in which they are handed over.
    count : int
        The number of distinct successors.
    digest : str
        Their `set_hash`.
    reason : str
        Why the case is there; empty if it was drawn at random.
    """

    id: str
    section: str
    rules: str
    board: Board
    roll: Roll
    count: int
    digest: str
    reason: str = ""


@dataclass(frozen=True)
class PerftLine:
    """One position, rule set and depth, and the leaves over the 21 rolls and over the 36 ordered ones."""

    id: str
    section: str
    rules: str
    board: Board
    depth: int
    leaves: tuple[int, int]


class Suite(NamedTuple):
    """What a file holds, in its order."""

    seed: int
    rule_sets: dict[str, RuleSet]
    cases: tuple[SuiteCase, ...]
    perft: tuple[PerftLine, ...]

    @property
    def lines(self) -> list[SuiteCase | PerftLine]:
        """The cases, then the perft lines."""
        return [*self.cases, *self.perft]


# ---------------------------------------------------------------- writing


def suite_lines(suite: Suite, comments: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a suite, without line ends.

    Parameters
    ----------
    suite : Suite
    comments : dict
        What is said, for people, above a section and, under the name of an empty string, in the head.
    """
    yield FIRST_LINE
    yield from _comment(comments.get("", ""))
    yield f"seed {suite.seed}"
    for name, rules in suite.rule_sets.items():
        yield f"rules {name} {_switches_text(rules)}"
    section = None
    for line in suite.lines:
        if line.section != section:
            section = line.section
            yield f"section {section}"
            yield from _comment(comments.get(section, ""))
        yield _perft_text(line) if isinstance(line, PerftLine) else _case_text(line)
    yield f"end {len(suite.cases) + len(suite.perft)}"


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]


def _switches_text(rules: RuleSet) -> str:
    values = {name: getattr(rules, name) for name in GENERATED_SWITCHES}
    values["bearoff_compulsory"] = "yes" if rules.bearoff_compulsory else "no"
    return " ".join(f"{name}={value}" for name, value in values.items())


def _case_text(case: SuiteCase) -> str:
    words = ("case", case.id, case.rules, _numbers(case.board), _numbers(case.roll), case.count, case.digest)
    return " ".join(map(str, words)) + (f" | {case.reason}" if case.reason else "")


def _perft_text(line: PerftLine) -> str:
    return " ".join(map(str, ("perft", line.id, line.rules, _numbers(line.board), line.depth, *line.leaves)))


def _numbers(values: tuple[int, ...]) -> str:
    return ",".join(map(str, values))


# ---------------------------------------------------------------- reading


def read_suite(content: bytes, name: str) -> Suite:
    """Read a suite.

    Parameters
    ----------
    content : bytes
        The whole file.
    name : str
        What the file is called in messages.

    Raises
    ------
    InvalidSuiteError
        If it is not a whole and possible suite.
    """
    try:
        return _Reader().read(content)
    except _Refused as refused:
        raise InvalidSuiteError(f"{name}, line {refused.line}: {refused.what}") from None


class _Refused(Exception):  # noqa: N818 - becomes an InvalidSuiteError
    """What is wrong with a line."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
        self.line = 0


class _Reader:
    """Reads the lines one after the other and knows what stood above."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.rule_sets: dict[str, RuleSet] = {}
        self.section = ""
        self.cases: list[SuiteCase] = []
        self.perft: list[PerftLine] = []
        self.ids: dict[str, int] = {}
        self.ended = False
        self.line = 0
        self.kinds: dict[str, Callable[[list[str], str], None]] = {
            "seed": self.read_seed,
            "rules": self.read_rules,
            "section": self.read_section,
            "case": self.read_case,
            "perft": self.read_perft,
            "end": self.read_end,
        }

    def read(self, content: bytes) -> Suite:
        """Read all lines."""
        try:
            return self._read_lines(content.split(b"\n"))
        except _Refused as refused:
            refused.line = self.line
            raise

    def _read_lines(self, lines: list[bytes]) -> Suite:
        for self.line, raw in enumerate(lines, 1):
            try:
                text = raw.decode("ascii").strip()
            except UnicodeDecodeError as error:
                bad = raw[error.start : error.start + 1]
                raise _Refused(f"the byte {bad!r} at place {error.start + 1}; expected ASCII text") from None
            if self.line == 1:
                _check_first_line(text)
            elif text and not text.startswith("#"):
                self.read_line(text)
        if not self.ended:
            raise _Refused("the file ends here; expected a last line 'end' with the number of cases")
        assert self.seed is not None  # no case without it, and no end without a case
        return Suite(self.seed, self.rule_sets, tuple(self.cases), tuple(self.perft))

    def read_line(self, text: str) -> None:
        """Read a line that is neither the first nor a comment."""
        if self.ended:
            raise _Refused(f"{shown(text)} behind the line 'end'; expected nothing more")
        fields, bar, reason = text.partition(" | ")
        kind, *words = fields.split()
        if kind not in self.kinds:
            raise _Refused(f"a line of kind {shown(kind)}; expected one of {', '.join(self.kinds)}")
        if bar and kind != "case":
            raise _Refused(f"a reason in a line of kind {kind!r}; expected reasons behind cases only")
        self.kinds[kind](words, reason.strip())

    def read_seed(self, words: list[str], _: str) -> None:
        """Seed N."""
        _expect(words, "N")
        if self.seed is not None:
            raise _Refused("a second seed; expected one")
        self.seed = _number("the seed", words[0], 0, MASK)

    def read_rules(self, words: list[str], _: str) -> None:
        """Rules NAME and the four switches."""
        _expect(words, "NAME", *(f"{switch}=VALUE" for switch in GENERATED_SWITCHES))
        name = _word("the name", words[0])
        if name in self.rule_sets:
            raise _Refused(f"the rule set {name!r} for the second time; expected one line for each")
        switches = {switch: value for switch, _, value in (word.partition("=") for word in words[1:])}
        if set(switches) != set(GENERATED_SWITCHES):
            raise _Refused(f"the switches {', '.join(switches)}; expected {', '.join(GENERATED_SWITCHES)}")
        self.rule_sets[name] = _rules(switches)

    def read_section(self, words: list[str], _: str) -> None:
        """Section NAME."""
        _expect(words, "NAME")
        self.section = _word("the name", words[0])

    def read_case(self, words: list[str], reason: str) -> None:
        """Case ID RULES BOARD ROLL COUNT HASH, and perhaps a reason."""
        _expect(words, "ID", "RULES", "BOARD", "ROLL", "COUNT", "HASH")
        name, rules, board = self.head(words)
        roll = _roll(words[3])
        count, digest = _number("the count", words[4], 0, 10**9), words[5]
        if not _HASH.fullmatch(digest):
            raise _Refused(f"the hash is {shown(digest)}; expected 16 hexadecimal digits, 0-9 and a-f")
        if count == 0 and digest != NO_POSITIONS:
            raise _Refused(f"the hash of no successors is {digest}; expected {NO_POSITIONS}")
        self.cases.append(SuiteCase(name, self.section, rules, board, roll, count, digest, reason))

    def read_perft(self, words: list[str], _: str) -> None:
        """Perft ID RULES BOARD DEPTH LEAVES21 LEAVES36."""
        _expect(words, "ID", "RULES", "BOARD", "DEPTH", "LEAVES21", "LEAVES36")
        name, rules, board = self.head(words)
        depth = _number("the depth", words[3], 1, DEEPEST)
        over_21 = _number("the leaves over 21 rolls", words[4], 1, 10**20)
        over_36 = _number("the leaves over 36 rolls", words[5], 1, 10**20)
        self.perft.append(PerftLine(name, self.section, rules, board, depth, (over_21, over_36)))

    def read_end(self, words: list[str], _: str) -> None:
        """End N."""
        _expect(words, "N")
        counted = _number("the number of cases", words[0], 0, 10**9)
        found = len(self.cases) + len(self.perft)
        if counted != found:
            raise _Refused(f"'end' counts {counted} cases, but {found} were read; expected the same number")
        if not found:
            raise _Refused("no case at all; expected one or more")
        self.ended = True

    def head(self, words: list[str]) -> tuple[str, str, Board]:
        """Return what a case and a perft line have in common: ID, rule set and board."""
        if self.seed is None or not self.section:
            raise _Refused("a case here; expected lines of kind 'seed' and 'section' above the first one")
        name, rules = _word("the ID", words[0]), words[1]
        if name in self.ids:
            raise _Refused(f"the ID {name!r} stands in line {self.ids[name]} already; expected another one")
        self.ids[name] = self.line
        if rules not in self.rule_sets:
            known = ", ".join(self.rule_sets) or "none"
            raise _Refused(f"the rule set {shown(rules)}; expected one of the lines of kind 'rules': {known}")
        return name, rules, _board(words[2])


def _check_first_line(text: str) -> None:
    if text == FIRST_LINE:
        return
    kind, _, version = text.partition(" ")
    if kind == FIRST_LINE.partition(" ")[0]:
        raise _Refused(f"version {shown(version)} of the format; expected {FIRST_LINE!r}")
    raise _Refused(f"{shown(text)}; expected {FIRST_LINE!r}, no suite begins otherwise")


def _expect(words: list[str], *fields: str) -> None:
    if len(words) != len(fields):
        raise _Refused(f"{len(words)} fields behind its kind; expected {len(fields)}: {' '.join(fields)}")


def _word(what: str, text: str) -> str:
    if not _WORD.fullmatch(text):
        raise _Refused(f"{what} is {shown(text)}; expected letters, digits and _ . - only")
    return text


def _number(what: str, text: str, least: int, greatest: int) -> int:
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= greatest:
        raise _Refused(f"{what} is {shown(text)}; expected a whole number from {least} to {greatest}")
    return int(text)


def _rules(switches: dict[str, Any]) -> RuleSet:
    compulsory = switches["bearoff_compulsory"]
    if compulsory not in ("yes", "no"):
        raise _Refused(f"bearoff_compulsory is {shown(compulsory)}; expected yes or no")
    try:
        rules = RuleSet(
            bearoff_die=switches["bearoff_die"],
            bearoff_compulsory=compulsory == "yes",
            forfeit=switches["forfeit"],
            stack_max=_number("stack_max", switches["stack_max"], 0, 10**9),
        )
    except InvalidRulesError as error:
        raise _Refused(str(error)) from None
    return next(
        (preset for preset in PRESETS if generated_switches(preset) == generated_switches(rules)), rules
    )


def _board(text: str) -> Board:
    words = text.split(",")
    if len(words) != BOARD_SIZE:
        raise _Refused(f"a board of {len(words)} numbers; expected {BOARD_SIZE}, with commas between them")
    board = tuple(map(int, words)) if _BOARD.fullmatch(text) else ()
    if not board or max(board) > CHECKERS or min(board) < -CHECKERS:  # which is wrong?
        board = tuple(
            _number(f"number {where} of the board", word, -CHECKERS, CHECKERS)
            for where, word in enumerate(words)
        )
    try:
        position = Position.from_array(np.array(board, np.int8))
    except InvalidPositionError as error:
        raise _Refused(f"an impossible position: {error}") from None
    if position.phase == "over":
        raise _Refused("a finished position; expected checkers of both sides on the board")
    return board


def _roll(text: str) -> Roll:
    words = text.split(",")
    if len(words) != 2:
        raise _Refused(f"the roll is {shown(text)}; expected two dice with a comma between them")
    first, second = (_number("a die", word, 1, 6) for word in words)
    return first, second
