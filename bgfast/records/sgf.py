r"""Matches as SGF, Smart Game Format, of backgammon (GM[6]), both ways: a game tree for each game.

Source: the SGF FF[4] specification, "Backgammon", and files that GNU Backgammon 1.07 saves.

    collection = { "(" { node } { "(" ... ")" } ")" };  node = ";" { NAME { "[" value "]" } }

Of several branches the first one was played. W is player 0 and counts the points a to x from 1, B is player 1
and counts them from the other side; y is the bar, z is off. Other properties, such as analyses, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from bgfast.common.version import __version__
from bgfast.errors import RecordError
from bgfast.games.scoring import LONGEST_MATCH, PLAYER_NAMES
from bgfast.records.record import Event, EventKind, Place, RecordedGame, RecordHead, clean, dated

__all__ = ["letters", "looks_like_sgf", "read_sgf", "write_sgf"]

DEEPEST = 10_000  # branches within branches
LONGEST_VALUE = 1_000_000  # characters
_COLOURS = ("W", "B")
_BAR, _OFF = "y", "z"
_NAME = re.compile("[A-Za-z]+")
_VALUE = re.compile(r"(?:[^\]\\]|\\.)*", re.DOTALL)
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_TURN = re.compile(r"(?P<dice>[1-6]{2})(?P<moves>(?:[a-y][a-z]){0,4})")
_PLAIN = re.compile(r";([WB])\[([a-z1-6]*)\]\s*\n")
_SPACE = re.compile(r"\s+")
_RESULT = re.compile(r"(?P<winner>[WB])\+(?P<points>[0-9]{1,12})(?P<resigned>R(?:esign)?)?", re.I)
_TEXTS = {"EV": "event", "RO": "round", "DT": "date", "PC": "site", "AN": "annotator"}
_SETUP = {"AE", "AB", "AW", "CP"}
_ACTIONS: dict[str, EventKind] = {
    "double": "double",
    "take": "take",
    "drop": "drop",
    "beaver": "beaver",
    "raccoon": "raccoon",
}
_VARIANTS = {"nackgammon": "nackgammon", "hypergammon3": "hypergammon", "longgammon": "longgammon"}


def _letter(player: int, point: int) -> str:
    """Return the letter of a point, as its player counts."""
    if point == 25:
        return _BAR
    if point == 0:
        return _OFF
    return chr(ord("a") + (point if player == 0 else 25 - point) - 1)


_HOPS = [
    {
        _letter(player, start) + _letter(player, end): f"{start}/{end}"
        for start in range(1, 26)
        for end in range(26)
    }
    for player in (0, 1)
]
"""The text of each hop, by its two letters, for each player."""


def looks_like_sgf(text: str) -> bool:
    """Return whether the beginning of a file is one of SGF."""
    return re.match(r"[^(\[]{0,200}\(\s*;", text) is not None


class _Value(NamedTuple):
    text: str
    place: Place


Node = dict[str, list[_Value]]


def read_sgf(lines: Iterable[str]) -> Iterator[RecordHead | RecordedGame]:
    """Give the heads and games of a collection as they come; each head begins a match.

    Raises
    ------
    RecordError
        If something is none of the grammar's, or a position is set up instead of played; the games before it
        were given.

    Examples
    --------
    >>> head, game = read_sgf(["(;GM[6]MI[length:3][game:0]PW[Anna]PB[Bob];W[31hefe])"])
    >>> head.length, game.players, game.events[0].text
    (3, ('Anna', 'Bob'), '8/5 6/5')
    """
    last: tuple[int | None, int] | None = None
    for place, nodes in _trees(lines):
        head, game = _game(place, nodes)
        number = (head.length, game.number)
        if last is None or last[0] != number[0] or number[1] != last[1] + 1:
            yield head
        last = number
        yield game


# ---------------------------------------------------------------- trees


def _trees(lines: Iterable[str]) -> Iterator[tuple[Place, list[Node]]]:
    """Give the first branch of each game tree, and where it begins."""
    reader = _Tree()
    for number, line in enumerate(lines, 1):
        if not reader.plain(number, line):
            yield from reader.take(number, line)
    if reader.branches and reader.nodes:  # the file was cut: the game has not come to its result
        reader.nodes[0].pop("RE", None)
        yield reader.began, reader.nodes
    reader.end()


class _Tree:
    """The tree that is being read."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.branches: list[int] = []  # how many each open tree has
        self.skipped = 0  # how deep within a branch that was not played
        self.name = ""
        self.value: list[str] | None = None  # parts of the one that is open
        self.length = 0
        self.place = Place(1, 1)  # of that value
        self.began = Place(1, 1)
        self.here = Place(1, 1)

    def plain(self, number: int, line: str) -> bool:
        """Take a line that is what most lines are, a node with what was done; False for another one."""
        found = _PLAIN.fullmatch(line)
        if found is None or self.value is not None or self.skipped or not self.branches:
            return False
        self.here = Place(number, len(line))
        self.name, text = found.groups()
        self.nodes.append({self.name: [_Value(text, Place(number, 4))]})
        return True

    def take(self, number: int, line: str) -> Iterator[tuple[Place, list[Node]]]:
        at = 0
        while at < len(line):
            self.here = Place(number, at + 1)
            if self.value is not None:
                at = self.read_value(line, at)
                continue
            letter = line[at]
            if letter.isspace():
                at += 1
            elif letter == "(":
                self.open()
                at += 1
            elif not self.branches:
                at += 1  # what stands around the trees is none of the collection
            elif letter == ")":
                at += 1
                yield from self.close()
            elif letter == ";":
                self.name = ""
                if not self.skipped:
                    self.nodes.append({})
                at += 1
            elif letter == "[":
                if not self.name:
                    raise RecordError("a value; expected the name of a property before it", self.here)
                self.value, self.length = [], 0
                self.place = Place(number, at + 2)
                at += 1
            elif found := _NAME.match(line, at):
                self.name = found[0].upper()
                at = found.end()
            else:
                raise RecordError(f"{letter!a}; expected a property, ; or )", self.here)

    def read_value(self, line: str, at: int) -> int:
        """Read on in a value; return where it ends, or the line."""
        assert self.value is not None
        found = _VALUE.match(line, at)
        assert found is not None
        self.length += found.end() - at
        if self.length > LONGEST_VALUE:
            raise RecordError(f"a value of more than {LONGEST_VALUE} characters; expected its ]", self.place)
        self.value.append(found[0])
        end = found.end()
        if end == len(line):
            return end
        if line[end] != "]":  # a lone \ at the end of the file
            return end + 1
        if self.nodes and not self.skipped and self.name not in ("A", "DA"):
            text = _ESCAPED.sub(lambda each: "" if each[1] == "\n" else each[1], "".join(self.value))
            self.nodes[-1].setdefault(self.name, []).append(_Value(text, self.place))
        self.value = None
        return end + 1

    def open(self) -> None:
        if len(self.branches) >= DEEPEST:
            raise RecordError(f"more than {DEEPEST} branches within each other", self.here)
        if not self.branches:
            self.began = self.here
            self.nodes = []
        elif self.skipped or self.branches[-1]:
            self.skipped += 1
        if self.branches:
            self.branches[-1] += 1
        self.branches.append(0)
        self.name = ""

    def close(self) -> Iterator[tuple[Place, list[Node]]]:
        self.branches.pop()
        self.skipped = max(0, self.skipped - 1)
        self.name = ""
        if not self.branches:
            yield self.began, self.nodes

    def end(self) -> None:
        if self.value is not None:
            raise RecordError("the end of the file in a value; expected its ]", self.place)
        if self.branches:
            raise RecordError("the end of the file in a game; expected its )", self.here)


# ---------------------------------------------------------------- games


def _game(place: Place, nodes: list[Node]) -> tuple[RecordHead, RecordedGame]:
    """Return what the nodes of a game say."""
    if not nodes:
        raise RecordError("a game without a node; expected ;GM[6]", place)
    root = nodes[0]
    kind = root.get("GM")
    if kind and kind[0].text.strip() != "6":
        raise RecordError(f"GM[{clean(kind[0].text)[:20]}]; expected GM[6], backgammon", kind[0].place)
    head = RecordHead(place)
    numbers = _match_numbers(root)
    length = numbers.get("length", 0)
    head.length = length or None
    _rules(root, head)
    for name, attribute in _TEXTS.items():
        if name in root:
            head.said(attribute, root[name][0].text)
    players = tuple(root[name][0].text if name in root else "" for name in ("PW", "PB"))
    head.named((players[0], players[1]))
    crawford = None
    if length:
        crawford = any("CRAWFORDGAME" in value.text.upper().split(":") for value in root.get("RU", ()))
    game = RecordedGame(
        numbers.get("game", 0) + 1,
        place,
        (numbers["ws"], numbers["bs"]) if {"ws", "bs"} <= set(numbers) else None,
        (players[0], players[1]),
        crawford=crawford,
    )
    for value in root.get("CV", ()):
        game.events += _ties(value)
    for index, node in enumerate(nodes):
        if index and len(node) == 1 and (done := node.get("W") or node.get("B")):
            game.events += [_event(int("B" in node), value, False) for value in done]  # as most nodes are
        else:
            game.events += _node(node, index == len(nodes) - 1, first=index == 0)
    for value in root.get("RE", ()):
        found = _RESULT.fullmatch(value.text.strip())
        if found:
            winner = _COLOURS.index(found["winner"].upper())
            game.events.append(Event("wins", winner, value.place, value=int(found["points"])))
        elif value.text.strip() not in ("", "?", "Void"):
            raise RecordError(f"RE[{clean(value.text)[:40]}]; expected a result as W+2 or B+1R", value.place)
    return head, game


def _match_numbers(root: Node) -> dict[str, int]:
    numbers = {}
    for value in root.get("MI", ()):
        name, _, number = (part.strip() for part in value.text.partition(":"))
        if not re.fullmatch("[0-9]{1,9}", number):
            raise RecordError(
                f"MI[{clean(value.text)[:40]}]; expected a name and a number, as length:7", value.place
            )
        numbers[name.lower()] = int(number)
        if name.lower() == "length" and int(number) > LONGEST_MATCH:
            raise RecordError(f"a match to {number} points; expected at most {LONGEST_MATCH}", value.place)
    return numbers


def _rules(root: Node, head: RecordHead) -> None:
    rules = [part.strip().lower() for value in root.get("RU", ()) for part in value.text.split(":")]
    if head.length is not None:
        head.crawford = bool({"crawford", "crawfordgame"} & set(rules))
    else:
        head.jacoby = "jacoby" in rules
        head.beavers = True if "beavers" in rules else None
    for rule in rules:
        limit = re.fullmatch("cubelimit([0-9]{1,10})", rule)
        if limit and int(limit[1]) & (int(limit[1]) - 1) == 0:
            head.cube_limit = int(limit[1])
        if rule in _VARIANTS:
            head.info = replace(head.info, variant=_VARIANTS[rule])


def _ties(value: _Value) -> list[Event]:
    """Return the ties of the opening that have doubled the cube to this value."""
    text = value.text.strip()
    number = int(text) if re.fullmatch("[0-9]{1,10}", text) else 0
    if number < 1 or number & (number - 1):
        raise RecordError(f"CV[{clean(text)[:20]}]; expected a power of two", value.place)
    return [Event("tie", None, value.place, (1, 1))] * (number.bit_length() - 1)


def _node(node: Node, last: bool, first: bool) -> Iterator[Event]:
    """Give what a node says."""
    for name in _SETUP.intersection(node):
        what = f"{name}[...], a position that is set up"
        raise RecordError(
            f"{what}; expected games from their beginning",
            node[name][0].place,
        )
    if not first and "CV" in node:
        value = node["CV"][0]
        raise RecordError("CV[...], a cube that is set; expected one that is doubled and taken", value.place)
    for player, colour in enumerate(_COLOURS):
        for value in node.get(colour, ()):
            yield _event(player, value, "KO" in node)
    if last and "DI" in node and not {"W", "B"} & set(node):
        value = node["DI"][0]
        dice = re.fullmatch(r"\s*([1-6])\s*([1-6])\s*", value.text)
        if dice:
            colour = node["PL"][0].text.strip()[:1].upper() if "PL" in node else ""
            whose = _COLOURS.index(colour) if colour in _COLOURS else None
            yield Event("turn", whose, value.place, (int(dice[1]), int(dice[2])))
    for value in node.get("C", ()):
        if value.text.strip():
            yield Event("comment", None, value.place, text=value.text.strip())


def _event(player: int, value: _Value, illegal: bool) -> Event:
    text = value.text
    found = _TURN.fullmatch(text)
    if not found:
        text = _SPACE.sub("", text)
        found = _TURN.fullmatch(text)
    if not found:
        if text.lower() in _ACTIONS:
            return Event(_ACTIONS[text.lower()], player, value.place)
        what = f"{_COLOURS[player]}[{clean(value.text)[:40]}]"
        raise RecordError(
            f"{what}; expected a roll with its moves as 31hefe, double, take or drop", value.place
        )
    dice, letters = found.groups()
    hops = _HOPS[player]
    play = " ".join([hops[letters[at : at + 2]] for at in range(0, len(letters), 2)])
    return Event("turn", player, value.place, (int(dice[0]), int(dice[1])), play, 0, illegal)


# ---------------------------------------------------------------- writing


def letters(player: int, moves: Iterable[tuple[int, int]]) -> str:
    """Return a play as a node has it, from its moves die by die.

    Examples
    --------
    >>> letters(0, [(8, 5), (6, 5)]), letters(1, [(25, 20)])
    ('hefe', 'ye')
    """
    return "".join(_letter(player, start) + _letter(player, end) for start, end in moves)


def write_sgf(
    head: RecordHead, games: Iterable[RecordedGame], more: Mapping[int, str] = MappingProxyType({})
) -> Iterator[str]:
    """Give the text of a match, game by game; `more` are properties behind what an action did, by its number.

    Examples
    --------
    >>> from bgfast.records.record import Place
    >>> game = RecordedGame(1, Place(1, 1), (0, 0))
    >>> text = "".join(write_sgf(RecordHead(Place(1, 1), 7, crawford=True), [game]))
    >>> print(text.replace(__version__, "VERSION"))
    (;FF[4]GM[6]CA[UTF-8]AP[bgfast:VERSION]MI[length:7][game:0][ws:0][bs:0]PW[X]PB[O]RU[Crawford]
    )
    <BLANKLINE>
    """
    for game in games:
        yield "".join(_tree(head, game, more))


def _tree(head: RecordHead, game: RecordedGame, more: Mapping[int, str]) -> Iterator[str]:
    info, score = head.info, game.score or (0, 0)
    yield f"(;FF[4]GM[6]CA[UTF-8]AP[bgfast:{__version__}]"
    yield f"MI[length:{head.length or 0}][game:{game.number - 1}][ws:{score[0]}][bs:{score[1]}]"
    players = [clean(name) or default for name, default in zip(game.players, PLAYER_NAMES, strict=True)]
    texts = [("PW", players[0]), ("PB", players[1])]
    told = replace(info, date=dated(info.date))
    texts += [(name, getattr(told, attribute)) for name, attribute in _TEXTS.items()]
    yield "".join(f"{name}[{_escaped(clean(text))}]" for name, text in texts if clean(text))
    rules = _rule_names(head, game)
    yield f"RU[{':'.join(rules)}]" if rules else ""
    wins = next((event for event in game.events if event.kind == "wins"), None)
    if wins is not None:
        yield f"RE[{_COLOURS[wins.player or 0]}+{wins.value}{'R' if wins.text else ''}]"
    ties = sum(event.kind == "tie" for event in game.events)
    yield f"CV[{2**ties}]" if ties else ""
    events = [event for event in game.events if event.kind not in ("wins", "tie")]
    events = [event for event in events if event.kind != "comment" or _comment(event)]
    while events and events[0].kind == "comment":
        yield f"C[{_comment(events.pop(0))}]"
        if events and events[0].kind == "comment":
            yield "\n;"
    for event in events:
        yield "\n;" + _written(event) + more.get(event.action, "")
    yield "\n)\n"


def _rule_names(head: RecordHead, game: RecordedGame) -> list[str]:
    names = []
    if head.length is not None and head.crawford is not False:
        names.append("Crawford")
        names += ["CrawfordGame"] if game.crawford else []
    if head.length is None:
        names += ["Jacoby"] if head.jacoby else []
        names += ["Beavers"] if head.beavers else []
    names += [f"CubeLimit{head.cube_limit}"] if head.cube_limit else []
    variant = {name: rule for rule, name in _VARIANTS.items()}.get(head.info.variant.lower())
    return [*names, variant.capitalize()] if variant else names


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)  # a colon needs it in pairs of values alone


def _comment(event: Event) -> str:
    """Return a comment as the value of a property: its lines, without control characters."""
    return _escaped("\n".join(map(clean, event.text.splitlines())).strip())


def _written(event: Event) -> str:
    if event.kind == "comment":
        return f"C[{_comment(event)}]"
    colour = _COLOURS[event.player or 0]
    if event.kind != "turn":
        # Others know a beaver as the double of the player who was doubled.
        return f"{colour}[{'double' if event.kind in ('beaver', 'raccoon') else event.kind}]"
    player = event.player or 0
    dice = "{}{}".format(*event.dice or (0, 0))
    moves = letters(player, event.moves) if event.text else ""
    return f"{'KO[]' if event.flagged else ''}{colour}[{dice}{moves}]"
