"""Writer of SGF, Smart Game Format, of backgammon (GM[6])."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from bgfast.common.version import __version__
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.games.unchecked_plays import UNKNOWN_PLAY
from bgfast.records.formats.record import UNEXPLAINED, Event, RecordedGame, RecordHead, Setup, clean, dated
from bgfast.records.formats.sgf import (
    CLEARED,
    COLOURS,
    CUBE_OWNERS,
    INFO_PROPERTIES,
    UNEXPLAINED_END,
    UNKNOWN_END,
    VARIANTS,
    point_letter,
)


def letters(player: int, moves: Iterable[tuple[int, int]]) -> str:
    """Return the letters of a play from its moves, die by die.

    Examples
    --------
    >>> letters(0, [(8, 5), (6, 5)]), letters(1, [(25, 20)])
    ('hefe', 'ye')
    """
    return "".join(point_letter(player, start) + point_letter(player, end) for start, end in moves)


def write_sgf(
    head: RecordHead, games: Iterable[RecordedGame], more: Mapping[int, str] = MappingProxyType({})
) -> Iterator[str]:
    """Yield the text of a match, game by game; `more` has extra properties by the number of the action.

    Examples
    --------
    >>> from bgfast.records.formats.record import Place
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
    written = replace(info, date=dated(info.date))
    texts += [(name, getattr(written, attribute)) for name, attribute in INFO_PROPERTIES.items()]
    yield "".join(f"{name}[{_escaped(clean(text))}]" for name, text in texts if clean(text))
    rules = _rule_names(head, game)
    yield f"RU[{':'.join(rules)}]" if rules else ""
    wins = next((event for event in game.events if event.kind == "wins"), None)
    if wins is not None:
        resigned = any(event.kind == "resign" for event in game.events)
        # Without an R, GNU Backgammon treats a game that is not played out as unfinished.
        given_up = "R" if resigned or wins.text == UNEXPLAINED else ""
        yield f"RE[{COLOURS[wins.player or 0]}+{wins.points}{given_up}]"
        yield f"{UNEXPLAINED_END}[]" if wins.text == UNEXPLAINED else ""
    ties = sum(event.kind == "tie" for event in game.events)
    yield f"CV[{2**ties}]" if ties else ""
    events = [event for event in game.events if event.kind not in ("wins", "tie", "resign")]
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
        names.append("Beavers" if head.beavers else "NoBeavers")
    if head.cube_limit:
        names.append("NoCube" if head.cube_limit == 1 else f"CubeLimit{head.cube_limit}")
    names += head.rule_words
    variant = {name: rule for rule, name in VARIANTS.items()}.get(head.info.variant.lower())
    return [*names, variant.capitalize()] if variant else names


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)  # colons need it only in pairs of values


def _comment(event: Event) -> str:
    """Return a comment as the value of a property, without control characters."""
    return _escaped("\n".join(map(clean, event.text.splitlines())).strip())


def _written(event: Event) -> str:
    if event.kind == "comment":
        return f"C[{_comment(event)}]"
    colour = COLOURS[event.player or 0]
    if event.setup is not None:
        dice = "" if event.dice is None else "DI[{}{}]".format(*event.dice)
        return f"{_position(event.setup)}PL[{colour}]{dice}"
    if event.kind != "turn":
        # Other programs write a beaver as a double of the doubled player.
        return f"{colour}[{'double' if event.kind in ('beaver', 'raccoon') else event.kind}]"
    player = event.player or 0
    dice = "{}{}".format(*event.dice or (0, 0))
    moves = letters(player, event.moves) if event.text else ""
    mark = "KO[]" if event.flagged else f"{UNKNOWN_END}[]" if event.text.endswith(UNKNOWN_PLAY) else ""
    return f"{mark}{colour}[{dice}{moves}]"


def _position(setup: Setup) -> str:
    """Return the set-up properties of a position and its cube; no checkers stand for an unknown position."""
    board = setup.board or ()
    points = [(point_letter(0, point), board[point]) for point in range(1, len(board))]
    points += [(point_letter(1, 25), board[0])] if board else []
    checkers = "".join(
        f"{name}{text}"
        for name, sign in (("AW", 1), ("AB", -1))
        if (text := "".join(f"[{letter}]" * (sign * number) for letter, number in points))
    )
    return f"AE[{CLEARED}]{checkers}CV[{setup.cube}]CP[{CUBE_OWNERS[setup.owner or 0]}]"
