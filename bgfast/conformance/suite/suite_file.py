"""Suite files, and the hash of a set of positions in them.

A position is hashed by 64-bit FNV-1a over its 26 bytes and mixed; the hashes of a set are added modulo 2**64.
Without mixing, different sets often have the same sum: an FNV-1a step with byte 0 is a multiplication, and
most bytes of a position are 0, so the effects of two moves in different places add up. The sets {X, X after
both moves} and {X after the first move, X after the second} then have the same sum, for 25 of 91 pairs of
moves from the starting position.

References
----------
FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bgfast.common.validation import BOARD_SIZE, CHECKERS, GENERATOR_SWITCHES, Board, Roll, generator_switches
from bgfast.conformance.hard_positions import MASK, mix
from bgfast.errors import BgfastError, InvalidPositionError, InvalidRulesError, short_repr
from bgfast.position.objects import Position
from bgfast.rules import PRESETS, RuleSet

FNV_START = 0xCBF29CE484222325
FNV_PRIME = 0x100000001B3


def position_hash(board: Sequence[int]) -> int:
    """Return 64-bit FNV-1a over the 26 numbers as bytes (two's complement), index 0 first."""
    value = FNV_START
    for checkers in board:
        value = ((value ^ (checkers & 255)) * FNV_PRIME) & MASK
    return value


def set_hash(boards: Iterable[Sequence[int]]) -> str:
    """Return the hash of a set of positions, 16 hexadecimal digits; repetitions change the hash."""
    return f"{sum(map(mix, map(position_hash, boards))) & MASK:016x}"


# ---- Writer and reader of suite files; docs/SUITE.md describes the format ----

FIRST_LINE = "bgfast-suite 1"
NO_POSITIONS = "0" * 16
"""Hash of an empty set of successors, for a pass."""
MAX_DEPTH = 9

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{16}", re.ASCII)

Figures = Mapping[str, int | str]
"""Result of a line, with the keys of JSON reports: count and hash of the successors, or leaves."""


class InvalidSuiteError(BgfastError):
    """Suite that cannot be read; the message names the line, its content and what was expected."""


@dataclass(frozen=True)
class SuiteCase:
    """Position, roll and rule set, with the expected result."""

    id: str
    section: str
    rules: str  # name in the file's header
    board: Board
    roll: Roll
    count: int  # number of distinct successors
    digest: str  # `set_hash` of the successors
    reason: str = ""  # reason for the case; empty for random cases

    @property
    def expected_figures(self) -> Figures:
        """Expected result as in reports."""
        return {"count": self.count, "hash": self.digest}


@dataclass(frozen=True)
class PerftLine:
    """Position, rule set and depth, with the leaves over the 21 rolls and over the 36 ordered rolls."""

    id: str
    section: str
    rules: str
    board: Board
    depth: int
    leaves: tuple[int, int]

    @property
    def expected_figures(self) -> Figures:
        """Expected result as in reports."""
        return dict(zip(("leaves_21", "leaves_36"), self.leaves, strict=True))


class Suite(NamedTuple):
    """Content of a suite file, in file order."""

    seed: int
    rule_sets: dict[str, RuleSet]
    cases: tuple[SuiteCase, ...]
    perft: tuple[PerftLine, ...]

    @property
    def lines(self) -> list[SuiteCase | PerftLine]:
        """The cases, then the perft lines."""
        return [*self.cases, *self.perft]


# ---------------------------------------------------------------- writing

SAMPLE = "positions of random games and some that are made to be hard, two rolls each"
COMMENTS = {
    "": (
        "Conformance suite for backgammon move generators. bgfast's docs/SUITE.md describes it in full.\n"
        "case  ID RULES BOARD ROLL COUNT HASH | REASON\n"
        "perft ID RULES BOARD DEPTH LEAVES21 LEAVES36\n"
        "BOARD from the mover's side: number 0 the opponent's bar (<= 0), 1 to 24 the points (own > 0),\n"
        "25 the own bar; checkers that are not on the board are borne off, 15 a side.\n"
        "ROLL: two dice in the order in which they are to be given.\n"
        "COUNT: the distinct positions after a legal play; 0 is a pass.\n"
        "HASH: the sum modulo 2^64 over these positions, before sides are swapped, of the mixed FNV-1a-64.\n"
        "LEAVES: sides swapped after each play, a pass is one child, a finished game one leaf; over the\n"
        "21 rolls, and over the 36 ordered ones. REASON: for people."
    ),
    "named": "One case for each rule, switch and rule set that they decide.",
    "defects": "Plays that other engines got wrong, both orders of the dice.",
    "contact": "Positions of random games in which the sides can still meet, four ordered rolls each.",
    "race": "The same once they have passed each other.",
    "bearoff": "The same once all checkers are home or off, too.",
    "hard": "On the bar, behind a wall, blots, few checkers, stacks, bearing off against contact.",
    **{name: f"Rule set {name}: {SAMPLE}." for name in ("exact", "rear_first", "five_stack", "strict")},
    "perft": "Five positions, rule set by rule set.",
}


def suite_bytes(suite: Suite) -> bytes:
    """Return the content of a suite file, with comments by section."""
    return "".join(f"{line}\n" for line in _lines(suite)).encode("ascii")


def _lines(suite: Suite) -> Iterator[str]:
    yield FIRST_LINE
    yield from _comment(COMMENTS[""])
    yield f"seed {suite.seed}"
    for name, rules in suite.rule_sets.items():
        values = {switch: getattr(rules, switch) for switch in GENERATOR_SWITCHES}
        values["bearoff_compulsory"] = "yes" if rules.bearoff_compulsory else "no"
        yield " ".join(["rules", name, *(f"{switch}={value}" for switch, value in values.items())])
    section = None
    for line in suite.lines:
        if line.section != section:
            section = line.section
            yield f"section {section}"
            yield from _comment(COMMENTS.get(section, ""))
        fields = [line.id, line.rules, comma_list(line.board)]
        if isinstance(line, PerftLine):
            yield " ".join(map(str, ["perft", *fields, line.depth, *line.leaves]))
        else:
            reason = f" | {line.reason}" if line.reason else ""
            fields += [comma_list(line.roll), str(line.count), line.digest]
            yield " ".join(["case", *fields]) + reason
    yield f"end {len(suite.cases) + len(suite.perft)}"


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]


def comma_list(values: Iterable[int]) -> str:
    """Return numbers with commas between them."""
    return ",".join(map(str, values))


# ---------------------------------------------------------------- reading


def read_suite(content: bytes, name: str) -> Suite:
    """Read the content of a suite file; messages of `InvalidSuiteError` begin with `name`."""
    reader = _Reader()
    try:
        return reader.read(content.split(b"\n"))
    except InvalidSuiteError as error:
        raise InvalidSuiteError(f"{name}, line {reader.line}: {error}") from None


class _Reader:
    """Parser of the lines; messages do not name the line."""

    def __init__(self) -> None:
        self.seed: int | None = None
        self.rule_sets: dict[str, RuleSet] = {}
        self.section = ""
        self.cases: list[SuiteCase] = []
        self.perft: list[PerftLine] = []
        self.ids: dict[str, int] = {}
        self.is_ended = False
        self.line = 0
        switches = " ".join(f"{switch}=VALUE" for switch in GENERATOR_SWITCHES)
        self.line_types: dict[str, tuple[str, Callable[..., None]]] = {
            "seed": ("N", self._read_seed),
            "rules": (f"NAME {switches}", self._read_rule_set),
            "section": ("NAME", self._read_section),
            "case": ("ID RULES BOARD ROLL COUNT HASH", self._read_case),
            "perft": ("ID RULES BOARD DEPTH LEAVES21 LEAVES36", self._read_perft),
            "end": ("N", self._read_end),
        }

    def read(self, lines: list[bytes]) -> Suite:
        for self.line, raw in enumerate(lines, 1):
            try:
                text = raw.decode("ascii").strip()
            except UnicodeDecodeError as error:
                byte = raw[error.start : error.start + 1]
                problem = f"the byte {byte!r} in column {error.start + 1}; expected ASCII text"
                raise InvalidSuiteError(problem) from None
            if self.line == 1 and text != FIRST_LINE:
                format_name, _, version = text.partition(" ")
                problem = f"the first line is {short_repr(text)}"
                if format_name == FIRST_LINE.partition(" ")[0]:
                    problem = f"version {short_repr(version)} of the format"
                raise InvalidSuiteError(f"{problem}; expected {FIRST_LINE!r}")
            if self.line > 1 and text and not text.startswith("#"):
                self._read_line(text)
        if not self.is_ended:
            raise InvalidSuiteError("the file ends here; expected a last line 'end' with the number of cases")
        assert self.seed is not None  # cases need a seed, and the last line needs a case
        return Suite(self.seed, self.rule_sets, tuple(self.cases), tuple(self.perft))

    def _read_line(self, text: str) -> None:
        if self.is_ended:
            raise InvalidSuiteError(f"{short_repr(text)} after the line 'end'; expected nothing more")
        content, bar, reason = text.partition(" | ")
        line_type, *fields = content.split()
        if line_type not in self.line_types:
            expected = f"one of {', '.join(self.line_types)}"
            raise InvalidSuiteError(f"a line of kind {short_repr(line_type)}; expected {expected}")
        if bar and line_type != "case":
            problem = f"a reason in a line of kind {line_type!r}"
            raise InvalidSuiteError(f"{problem}; expected reasons after cases only")
        names, read = self.line_types[line_type]
        count = len(names.split())
        if len(fields) != count:
            raise InvalidSuiteError(f"{len(fields)} fields after its kind; expected {count}: {names}")
        read(*fields, *([reason.strip()] if line_type == "case" else ()))

    def _read_seed(self, seed: str) -> None:
        if self.seed is not None:
            raise InvalidSuiteError("a second seed; expected one")
        self.seed = _parse_number("the seed", seed, 0, MASK)

    def _read_rule_set(self, name: str, *values: str) -> None:
        if _parse_word("the name", name) in self.rule_sets:
            raise InvalidSuiteError(f"the rule set {name!r} for the second time; expected one line for each")
        switches = {switch: setting for switch, _, setting in (value.partition("=") for value in values)}
        if set(switches) != set(GENERATOR_SWITCHES):
            expected = ", ".join(GENERATOR_SWITCHES)
            raise InvalidSuiteError(f"the switches {', '.join(switches)}; expected {expected}")
        self.rule_sets[name] = _parse_rules(switches)

    def _read_section(self, name: str) -> None:
        self.section = _parse_word("the name", name)

    def _read_case(
        self, name: str, rules: str, board: str, roll: str, count: str, digest: str, reason: str
    ) -> None:
        self._check_head(name, rules)
        cells, dice = _parse_board(board), _parse_roll(roll)
        successors = _parse_number("the count", count, 0, 10**9)
        if not _HASH.fullmatch(digest):
            expected = "16 hexadecimal digits, 0-9 and a-f"
            raise InvalidSuiteError(f"the hash is {short_repr(digest)}; expected {expected}")
        if successors == 0 and digest != NO_POSITIONS:
            raise InvalidSuiteError(f"the hash of no successors is {digest}; expected {NO_POSITIONS}")
        self.cases.append(SuiteCase(name, self.section, rules, cells, dice, successors, digest, reason))

    def _read_perft(self, name: str, rules: str, board: str, depth: str, *leaves: str) -> None:
        self._check_head(name, rules)
        cells, plies = _parse_board(board), _parse_number("the depth", depth, 1, MAX_DEPTH)
        leaves_21, leaves_36 = (
            _parse_number(f"the leaves over {rolls} rolls", text, 1, 10**20)
            for rolls, text in zip((21, 36), leaves, strict=True)
        )
        self.perft.append(PerftLine(name, self.section, rules, cells, plies, (leaves_21, leaves_36)))

    def _read_end(self, count: str) -> None:
        stated_count = _parse_number("the number of cases", count, 0, 10**9)
        line_count = len(self.cases) + len(self.perft)
        if stated_count != line_count:
            problem = f"'end' counts {stated_count} cases, but {line_count} were read"
            raise InvalidSuiteError(f"{problem}; expected the same number")
        if not line_count:
            raise InvalidSuiteError("no case at all; expected one or more")
        self.is_ended = True

    def _check_head(self, name: str, rules: str) -> None:
        """Check the ID and the rule set of a case, and record the ID."""
        if self.seed is None or not self.section:
            expected = "lines of kind 'seed' and 'section' above the first case"
            raise InvalidSuiteError(f"a case too early; expected {expected}")
        if _parse_word("the ID", name) in self.ids:
            problem = f"the ID {name!r} is already in line {self.ids[name]}"
            raise InvalidSuiteError(f"{problem}; expected a new one")
        self.ids[name] = self.line
        if rules not in self.rule_sets:
            expected = f"one of the lines of kind 'rules': {', '.join(self.rule_sets) or 'none'}"
            raise InvalidSuiteError(f"the rule set {short_repr(rules)}; expected {expected}")


def _parse_word(name: str, text: str) -> str:
    if not _WORD.fullmatch(text):
        raise InvalidSuiteError(f"{name} is {short_repr(text)}; expected letters, digits and _ . - only")
    return text


def _parse_number(name: str, text: str, minimum: int, maximum: int) -> int:
    if not _NUMBER.fullmatch(text) or not minimum <= int(text) <= maximum:
        expected = f"a whole number from {minimum} to {maximum}"
        raise InvalidSuiteError(f"{name} is {short_repr(text)}; expected {expected}")
    return int(text)


def _parse_rules(switches: dict[str, Any]) -> RuleSet:
    compulsory = switches["bearoff_compulsory"]
    if compulsory not in ("yes", "no"):
        raise InvalidSuiteError(f"bearoff_compulsory is {short_repr(compulsory)}; expected yes or no")
    try:
        rules = RuleSet(
            bearoff_die=switches["bearoff_die"],
            bearoff_compulsory=compulsory == "yes",
            forfeit=switches["forfeit"],
            stack_max=_parse_number("stack_max", switches["stack_max"], 0, 10**9),
        )
    except InvalidRulesError as error:
        raise InvalidSuiteError(str(error)) from None
    presets = {generator_switches(preset): preset for preset in PRESETS.values()}
    return presets.get(generator_switches(rules), rules)


def _parse_board(text: str) -> Board:
    tokens = text.split(",")
    if len(tokens) != BOARD_SIZE:
        expected = f"{BOARD_SIZE}, with commas between them"
        raise InvalidSuiteError(f"a board of {len(tokens)} numbers; expected {expected}")
    names = (f"number {index} of the board" for index in range(BOARD_SIZE))
    pairs = zip(names, tokens, strict=True)
    board = tuple(_parse_number(name, token, -CHECKERS, CHECKERS) for name, token in pairs)
    try:
        position = Position.from_array(np.array(board, np.int8))
    except InvalidPositionError as error:
        raise InvalidSuiteError(f"an impossible position: {error}") from None
    if position.phase == "over":
        raise InvalidSuiteError("a finished position; expected checkers of both sides on the board")
    return board


def _parse_roll(text: str) -> Roll:
    tokens = text.split(",")
    if len(tokens) != 2:
        raise InvalidSuiteError(
            f"the roll is {short_repr(text)}; expected two dice with a comma between them"
        )
    first, second = (_parse_number("a die", token, 1, 6) for token in tokens)
    return first, second
