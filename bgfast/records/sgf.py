r"""Reader of SGF (Smart Game Format) for backgammon, GM[6]; each game is a tree.

Source: https://www.red-bean.com/sgf/backgammon.html (FF[4]), and files saved by GNU Backgammon 1.07.

    collection = { "(" { node } { "(" ... ")" } ")" };  node = ";" { NAME { "[" value "]" } }

Of several branches, the first was played. W is player 0 and numbers the points a to x from 1; B is player 1
and numbers them from the other side; y is the bar, z is off. `recorded_analysis` reads analyses; other
properties are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from bgfast.common.validation import BAR
from bgfast.errors import one_line
from bgfast.games.match_info import Severity
from bgfast.games.scoring import cube_objection
from bgfast.games.turns import UNKNOWN_PLAY
from bgfast.records.record import (
    MAX_NOTICES,
    Event,
    EventKind,
    Place,
    RecordedGame,
    RecordHead,
    Setup,
    clean,
    notice,
    number_lines,
)
from bgfast.records.recorded_analysis import ANALYSIS_PROPERTIES, SgfAnalysisReader

MAX_DEPTH = 10_000  # maximum depth of nested branches
MAX_VALUE = 1_000_000  # maximum characters of a value
MAX_NODES = 100_000  # maximum nodes of a game
COLOURS = ("W", "B")
_BAR, _OFF = "y", "z"
_TREE = re.compile(r"^[^\S\n]{0,99}\(\s{0,99};", re.MULTILINE)
_NAME = re.compile("[A-Za-z]+")
_GAP = re.compile(r"[\s;]+")
_OUTSIDE_TEXT = re.compile(r"[^(]+")
_UNREADABLE_TEXT = re.compile(r"[^A-Za-z\s;()\[]+")
_VALUE = re.compile(r"[^\]\\]+")
_ESCAPE = re.compile(r"\\(\n|.)", re.DOTALL)
_TURN = re.compile(r"(?P<dice>[1-6]{2})(?P<moves>(?:[a-y][a-z]){0,8})")
_PLAIN_NODE = re.compile(r";([WB])\[([a-z1-6]*)\]\s{0,9}\n")
_RESULT = re.compile(r"(?P<winner>[WB])\+(?P<points>[0-9]{1,12})(?P<resigned>R(?:esign)?)?", re.I)
INFO_PROPERTIES = {"EV": "event", "RO": "round", "DT": "date", "PC": "site", "AN": "annotator"}
UNEXPLAINED_END = "AWARDED"  # private property next to ``RE`` of a game that ends by an award
UNKNOWN_END = "UNKNOWN"  # private property next to a turn whose play is missing or incomplete
CLEARED = "a:y"  # value of ``AE`` that clears the board before a position is set up
CUBE_OWNERS = "wbc"  # letters of ``CP``: players 0 and 1, and `CENTRE`
_SETUP = {"AE", "AB", "AW", "CP", "CO"}
_POINTS = re.compile("([a-y])(?::([a-z]))?")
_CUBE_KINDS: tuple[EventKind, ...] = ("double", "take", "drop", "beaver", "raccoon")
_ACTIONS = dict(zip(map(str, _CUBE_KINDS), _CUBE_KINDS, strict=True))
VARIANTS = {"nackgammon": "nackgammon", "hypergammon3": "hypergammon", "longgammon": "longgammon"}


def point_letter(player: int, point: int) -> str:
    """Return the letter of a point numbered from the player's side."""
    if point == 25:
        return _BAR
    if point == 0:
        return _OFF
    return chr(ord("a") + (point if player == 0 else 25 - point) - 1)


_TEXTS = {(start, end): f"{start}/{end}" for start in range(1, 26) for end in range(26)}
_TEXTS |= {(die, die): f"F{die}" for die in range(1, 26)}
_HOPS = [
    {point_letter(player, start) + point_letter(player, end): text for (start, end), text in _TEXTS.items()}
    for player in (0, 1)
]
"""Text of each hop by its two letters, for players 0 and 1; a forfeited 5 is a hop from 5 to 5."""


def find_sgf(text: str) -> int:
    """Return the index of the first SGF tree at the beginning of a line, or -1."""
    tree = _TREE.search(text)
    return -1 if tree is None else tree.start()


class _Value(NamedTuple):
    text: str
    place: Place


Node = dict[str, list[_Value]]


def read_sgf(lines: Iterable[str]) -> Iterator[RecordHead | RecordedGame]:
    """Yield the heads and games of a collection in order; each head begins a match."""
    last_game: RecordedGame | None = None
    last_length: int | None = None
    for tree in _trees(lines):
        head, game, is_numbered = _game(tree)
        is_next_game = last_game is not None and head.length == last_length
        if last_game is not None and not is_numbered:
            is_next_game = is_next_game and game.players == last_game.players
            game.number = last_game.number + 1 if is_next_game else 1
        elif last_game is not None:
            is_next_game = is_next_game and game.number == last_game.number + 1
        if not is_next_game:
            yield head
        else:
            game.events[:0] = head.notices
        last_game, last_length = game, head.length
        yield game


# ---------------------------------------------------------------- trees


class _Tree(NamedTuple):
    """First branch of a game tree: its place, nodes, and notices of unreadable entries."""

    place: Place
    nodes: list[Node]
    notices: list[Event]


def _trees(lines: Iterable[str]) -> Iterator[_Tree]:
    reader = _TreeReader()
    for line_number, column, line in number_lines(lines):
        if column > 1 or not reader.read_plain_line(line_number, line):
            yield from reader.read_line(line_number, column, line)
        if reader.notice_count > MAX_NOTICES:
            text = f"more than {MAX_NOTICES} entries cannot be read; the rest of the file is not read"
            reader.add_notice(text)
            yield from reader.finish(at_end=False)
            return
    yield from reader.finish()


class _TreeReader:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.notices: list[Event] = []
        self.notice_count = 0  # in the whole file
        self.branches: list[int] = []  # number of branches of each open tree
        self.skipped_depth = 0  # depth within an unplayed branch
        self.name = ""
        self.value: list[str] | None = None  # parts of the current value
        self.length = 0
        self.value_place = Place(1, 1)  # place of the current value
        self.tree_place = Place(1, 1)
        self.place = Place(1, 1)

    def add_notice(self, message: str, place: Place | None = None, severity: Severity = "error") -> None:
        self.notice_count += 1
        self.notices.append(notice(place or self.place, message, severity))

    def read_plain_line(self, line_number: int, line: str) -> bool:
        """Read a line with a single plain node, the usual case; return False for other lines."""
        node = _PLAIN_NODE.fullmatch(line)
        if node is None or self.value is not None or self.skipped_depth or not self.branches:
            return False
        if len(self.nodes) >= MAX_NODES:
            return False
        self.place = Place(line_number, len(line))
        self.name, text = node.groups()
        self.nodes.append({self.name: [_Value(text, Place(line_number, 4))]})
        return True

    def read_line(self, line_number: int, column: int, line: str) -> Iterator[_Tree]:
        index = 0
        while index < len(line) and self.notice_count <= MAX_NOTICES:
            self.place = Place(line_number, index + column)
            if self.value is not None:
                index = self.read_value(line, index)
                continue
            letter = line[index]
            if letter == "(":
                self.open_tree()
                index += 1
            elif not self.branches:
                outside = _OUTSIDE_TEXT.match(line, index)  # only the trees are read
                assert outside is not None
                index = outside.end()
            elif letter == ")":
                index += 1
                yield from self.close_tree()
            elif gap := _GAP.match(line, index):
                if ";" in gap[0]:
                    self.begin_node()
                index = gap.end()
            elif letter == "[":
                if not self.name:
                    self.add_notice("a value; expected the name of a property before it")
                self.value, self.length = [], 0
                self.value_place = Place(line_number, index + column + 1)
                index += 1
            elif name := _NAME.match(line, index):
                self.name = name[0].upper()
                index = name.end()
            else:
                unreadable_text = _UNREADABLE_TEXT.match(line, index)
                assert unreadable_text is not None
                self.add_notice(f"{clean(unreadable_text[0])!a:.40}; expected a property, ; or )")
                index = unreadable_text.end()

    def begin_node(self) -> None:
        self.name = ""
        if self.skipped_depth:
            return
        if len(self.nodes) < MAX_NODES:
            self.nodes.append({})
        elif len(self.nodes) == MAX_NODES:
            self.add_notice(f"more than {MAX_NODES} nodes in a game; the rest of the game is not read")
            self.nodes.append({})

    def read_value(self, line: str, index: int) -> int:
        """Read the next part of a value; return the index after it."""
        assert self.value is not None
        if line[index] == "]":
            self.end_value()
            return index + 1
        if line[index] == "\\":
            text, end = line[index : index + 2], index + 2
        else:
            piece = _VALUE.match(line, index)
            assert piece is not None
            text, end = piece[0], piece.end()
        if self.length <= MAX_VALUE < self.length + len(text):
            self.add_notice(f"a value of more than {MAX_VALUE} characters; it is not read", self.value_place)
        self.length += len(text)
        if self.length <= MAX_VALUE and not self.is_ignored():
            self.value.append(text)
        return end

    def is_ignored(self) -> bool:
        return not self.nodes or bool(self.skipped_depth) or not self.name or len(self.nodes) > MAX_NODES

    def end_value(self) -> None:
        assert self.value is not None
        if self.length <= MAX_VALUE and not self.is_ignored():
            text = "".join(self.value)
            if "\\" in text:
                text = _ESCAPE.sub(lambda escaped: "" if escaped[1] == "\n" else escaped[1], text)
            self.nodes[-1].setdefault(self.name, []).append(_Value(text, self.value_place))
        self.value = None

    def open_tree(self) -> None:
        if len(self.branches) >= MAX_DEPTH:
            self.notice_count = MAX_NOTICES  # stops the reading loops
            self.add_notice(f"more than {MAX_DEPTH} nested branches")
            return
        if not self.branches:
            self.tree_place = self.place
            self.nodes, self.notices = [], []
        elif self.skipped_depth or self.branches[-1]:
            self.skipped_depth += 1
        if self.branches:
            self.branches[-1] += 1
        self.branches.append(0)
        self.name = ""

    def close_tree(self) -> Iterator[_Tree]:
        self.branches.pop()
        self.skipped_depth = max(0, self.skipped_depth - 1)
        self.name = ""
        if not self.branches:
            yield _Tree(self.tree_place, self.nodes, self.notices)

    def finish(self, *, at_end: bool = True) -> Iterator[_Tree]:
        if not self.branches:
            return
        if at_end and self.value is not None:
            self.add_notice("the file ends within a value; expected its ]", self.value_place, "warning")
        elif at_end:
            self.add_notice("the file ends within a game; expected its )", None, "warning")
        if self.nodes:
            self.nodes[0].pop("RE", None)  # the game is incomplete
        yield _Tree(self.tree_place, self.nodes, self.notices)


# ---------------------------------------------------------------- games


def _game(tree: _Tree) -> tuple[RecordHead, RecordedGame, bool]:
    """Return the head and the game of a tree, and True if the game has a number."""
    root = tree.nodes[0] if tree.nodes else {}
    head = RecordHead(tree.place)
    game_type = root.get("GM")
    if not tree.nodes or (game_type and game_type[0].text.strip() != "6"):
        text = "a game without a node; expected ;GM[6]"
        if game_type:
            text = f"GM[{clean(game_type[0].text)[:20]}]; expected GM[6], backgammon"
        place = game_type[0].place if game_type else tree.place
        game = RecordedGame(1, tree.place, events=[notice(place, text)])
        return head, game, True
    counts = _match_numbers(root, head)
    _set_rules(root, head)
    for name, attribute in INFO_PROPERTIES.items():
        if name in root:
            head.set_info(attribute, root[name][0].text)
    players = tuple(root[name][0].text if name in root else "" for name in ("PW", "PB"))
    head.set_players((players[0], players[1]))
    crawford = None
    if head.length is not None:
        crawford = any("CRAWFORDGAME" in value.text.upper().split(":") for value in root.get("RU", ()))
    game = RecordedGame(
        counts.get("game", 0) + 1,
        tree.place,
        (counts["ws"], counts["bs"]) if {"ws", "bs"} <= set(counts) else None,
        (players[0], players[1]),
        crawford=crawford,
    )
    for value in root.get("CV", ())[:1] if not _SETUP & set(root) else ():
        game.events += [Event("tie", None, value.place, (1, 1))] * (_cube_value(value).bit_length() - 1)
    for index, node in enumerate(tree.nodes):
        if index and len(node) == 1 and (values := node.get("W") or node.get("B")):
            game.events += [_event(int("B" in node), value, False) for value in values]  # the usual node
        else:
            first_index = len(game.events)
            _add_position(game.events, node, index == 0)
            game.events += _node_events(node, index == len(tree.nodes) - 1)
            _add_analysis(game, first_index, node, head.length is not None)
    for value in root.get("RE", ()):
        game.events += _result(value, UNEXPLAINED_END in root)
    game.events += tree.notices
    return head, game, "game" in counts


def _result(value: _Value, is_unexplained: bool) -> Iterator[Event]:
    result = _RESULT.fullmatch(value.text.strip())
    if result:
        winner = COLOURS.index(result["winner"].upper())
        if result["resigned"] and not is_unexplained:
            yield Event("resign", 1 - winner, value.place)
        yield Event("wins", winner, value.place, points=int(result["points"]))
    elif value.text.strip() not in ("", "?", "Void"):
        text = f"RE[{clean(value.text)[:40]}]; expected a result such as W+2 or B+1R"
        yield notice(value.place, text, "warning")


def _match_numbers(root: Node, head: RecordHead) -> dict[str, int]:
    """Return the numbers of ``MI``, and set the length of the match; ``game`` may be an identifier."""
    counts = {}
    for value in root.get("MI", ()):
        name, _, digits = (part.strip() for part in value.text.partition(":"))
        is_number = re.fullmatch("[0-9]{1,9}", digits) is not None
        if name.lower() == "game" and not is_number:
            continue
        if not is_number:
            text = f"MI[{clean(value.text)[:40]}]; expected a name and a number, such as length:7"
            head.notices.append(notice(value.place, text, "warning"))
        elif name.lower() == "length":
            head.set_length(int(digits), value.place)
        else:
            counts[name.lower()] = int(digits)
    return counts


def _set_rules(root: Node, head: RecordHead) -> None:
    rules = [part.strip().lower() for value in root.get("RU", ()) for part in value.text.split(":")]
    if head.length is not None:
        head.crawford = bool({"crawford", "crawfordgame"} & set(rules))
    else:
        head.jacoby = "jacoby" in rules
        head.beavers = True if "beavers" in rules else False if "nobeavers" in rules else None
    if settings := [rule for rule in rules if "=" in rule]:
        head.set_rules(settings, root["RU"][0].place)
    for rule in rules:
        limit = re.fullmatch("cubelimit([0-9]{1,10})", rule)
        if limit and int(limit[1]) & (int(limit[1]) - 1) == 0:
            head.cube_limit = int(limit[1])
        if rule == "nocube":
            head.cube_limit = 1
        if rule in VARIANTS:
            head.info = replace(head.info, variant=VARIANTS[rule])


def _cube_value(value: _Value) -> int:
    """Return the value of ``CV``; 0 if no cube can have it."""
    text = value.text.strip()
    cube = int(text) if re.fullmatch("[0-9]{1,10}", text) else 0
    return cube if cube_objection(cube) is None else 0


def _node_events(node: Node, is_last: bool) -> Iterator[Event]:
    """Yield the events of a node except its position."""
    for value in node.get("CV", ())[:1]:
        if not _cube_value(value):
            yield notice(value.place, f"CV[{clean(value.text)[:20]}]; expected a power of two", "warning")
    for player, colour in enumerate(COLOURS):
        for value in node.get(colour, ()):
            event = _event(player, value, "KO" in node)
            is_cut = event.kind == "turn" and UNKNOWN_END in node
            yield event._replace(text=f"{event.text} {UNKNOWN_PLAY}".lstrip()) if is_cut else event
    if is_last and not {"W", "B"} & set(node) and (dice := _dice(node)):
        yield Event("turn", _player_on_roll(node), node["DI"][0].place, dice)
    for value in node.get("C", ()):
        if value.text.strip():
            yield Event("comment", None, value.place, text=value.text.strip())


def _dice(node: Node) -> tuple[int, int] | None:
    dice = re.fullmatch(r"([1-6])\s{0,9}([1-6])", node["DI"][0].text.strip()) if "DI" in node else None
    return None if dice is None else (int(dice[1]), int(dice[2]))


def _player_on_roll(node: Node) -> int | None:
    colour = node["PL"][0].text.strip()[:1].upper() if "PL" in node else ""
    return COLOURS.index(colour) if colour in COLOURS else None


def _add_position(events: list[Event], node: Node, is_root: bool) -> None:
    """Add the position that a node sets up, or its part of a position that spans several nodes."""
    is_continued = bool(events) and events[-1].kind == "position" and not {"W", "B"} & set(node)
    if is_continued:
        event = events.pop()
    elif _SETUP & set(node) or ("CV" in node and not is_root):
        event = Event("position", None, next(iter(node.values()))[0].place)
    else:
        return
    setup, player = event.setup or Setup(), _player_on_roll(node)
    if {"AE", "AW", "AB"} & set(node):
        setup = setup._replace(board=_board(node, setup.board))
    if "CV" in node:
        setup = setup._replace(cube=_cube_value(node["CV"][0]))
    for value in node.get("CP", node.get("CO", ())):
        if value.text.strip().lower() in ("w", "b", "c"):
            setup = setup._replace(owner=CUBE_OWNERS.index(value.text.strip().lower()))
    player = event.player if player is None else player
    events.append(event._replace(setup=setup, player=player, dice=_dice(node) or event.dice))


def _board(node: Node, board: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the board that a node sets up or changes; empty if it changes an unknown board."""
    removed_points = set(_points(node.get("AE", ())))
    if len(removed_points) >= BAR or (board is None and not removed_points):
        cells = [0] * (BAR + 1)
    elif board and not removed_points:
        cells = list(board)
    else:
        return ()
    for name, bar, checkers in (("AW", BAR, 1), ("AB", 0, -1)):
        for point in _points(node.get(name, ())):
            cells[bar if point == BAR else point] += checkers
    return tuple(cells)


def _points(values: Iterable[_Value]) -> Iterator[int]:
    """Yield the points of a list, numbered from player 0's side, or `BAR`; expand ranges."""
    for value in values:
        if points := _POINTS.fullmatch(value.text.strip()):
            first, last = (ord(letter) - ord("a") + 1 for letter in (points[1], points[2] or points[1]))
            yield from range(first, min(last, BAR) + 1)


def _add_analysis(game: RecordedGame, first_index: int, node: Node, is_match: bool) -> None:
    """Add the analysis of a node to its first action; the node's events begin at `first_index`."""
    names = [name for name in ANALYSIS_PROPERTIES if name in node]
    if not names:
        return
    for index, event in enumerate(game.events[first_index:], first_index):
        if event.player is not None and event.kind in ("turn", *_ACTIONS.values()):
            reader = SgfAnalysisReader(
                is_match,
                _HOPS[event.player],
                lambda name, problem: game.damaged.append((node[name][0].place, one_line(problem))),
            )
            values = {name: [value.text for value in node[name]] for name in names}
            game.analysis[index] = reader.read(values)
            return


def _event(player: int, value: _Value, is_illegal: bool) -> Event:
    text = value.text
    turn = _TURN.fullmatch(text)
    if not turn:
        text = "".join(text.split())
        turn = _TURN.fullmatch(text)
    if not turn:
        if text.lower() in _ACTIONS:
            return Event(_ACTIONS[text.lower()], player, value.place)
        entry = f"{COLOURS[player]}[{clean(value.text)[:40]}]"
        expected = "expected a roll with its moves, such as 31hefe, double, take or drop"
        return notice(value.place, f"{entry}; {expected}")
    dice, letters = turn.groups()
    hops = _HOPS[player]
    play = " ".join([hops[letters[index : index + 2]] for index in range(0, len(letters), 2)])
    return Event("turn", player, value.place, (int(dice[0]), int(dice[1])), play, 0, is_illegal)
