"""Writer of Jellyfish's text format (.mat)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bgfast.games.match_info import MatchInfo
from bgfast.records.formats.mat import AUTOMATIC_DOUBLES, CRAWFORD_GAME, read_automatic_doubles, read_tag
from bgfast.records.formats.record import Event, RecordedGame, RecordHead, clean, dated

CELL_WIDTH = 28
"""Width of a left cell."""


def write_mat(head: RecordHead, games: Iterable[RecordedGame]) -> Iterator[str]:
    """Yield the text of a match in parts of whole lines."""
    tags = "".join(f'; [{name} "{_value(value)}"]\n' for name, value in _tags(head, head.info))
    yield tags
    yield f"{chr(10) if tags else ''} {head.length or 0} point match\n"
    is_crawford_due = head.crawford is not False
    for game in games:
        low, high = sorted(game.score or (0, 0))
        is_at_stake = is_crawford_due and high + 1 == head.length
        yield f"\n{''.join(_game_lines(game, is_at_stake and low < high))}"
        is_crawford_due = is_crawford_due and not is_at_stake


def _value(text: str) -> str:
    return clean(text).replace('"', "'")


def _tags(head: RecordHead, info: MatchInfo) -> list[tuple[str, str]]:
    on_off = {True: "On", False: "Off"}
    tags: list[tuple[str, Any]] = [
        ("Event", info.event),
        ("Round", info.round),
        ("Site", info.site),
        ("EventDate", dated(info.date, between=".")),
        ("Variation", info.variant),
        ("Transcriber", info.annotator),
    ]
    if head.length is not None and head.crawford is False:
        tags.append(("Crawford", "Off"))
    if head.length is None:
        tags += [("Jacoby", on_off[bool(head.jacoby)]), ("Beaver", on_off[bool(head.beavers)])]
    if head.cube_limit:
        tags.append(("CubeLimit", str(head.cube_limit)))
    tags.append(("Rules", " ".join(head.rule_words)))
    return [(name, value) for name, value in tags if _value(value)]


def _name(name: str, default: str) -> str:
    return " ".join(clean(name).split()) or default


def _game_lines(game: RecordedGame, is_expected: bool) -> Iterator[str]:
    """Yield the lines of a game; `is_expected` is True if the score makes it the Crawford game."""
    score = game.score or (0, 0)
    left = f" {_name(game.players[0], 'X')} : {score[0]}"
    # Two blanks end the left name.
    yield f" Game {game.number}\n{left:{CELL_WIDTH + 3}}  {_name(game.players[1], 'O')} : {score[1]}\n"
    if bool(game.crawford) != is_expected:
        yield f"; {CRAWFORD_GAME[bool(game.crawford)]}\n"
    if ties := sum(event.kind == "tie" for event in game.events):
        yield f"; {AUTOMATIC_DOUBLES}{ties}\n"
    cells: list[str | None] = [None, None]
    number = 0

    def line() -> str:
        nonlocal number
        if cells == [None, None]:
            return ""
        number += 1
        text = f"{number:3}) {cells[0] or '':{CELL_WIDTH}}"
        text += f" {cells[1]}" if cells[1] is not None else ""
        cells[:] = [None, None]
        return text.rstrip() + "\n"

    for event in game.events:
        if event.kind == "comment":
            yield line()
            yield f"; {comment}\n" if (comment := _comment(event.text)) else ""
        elif event.kind == "wins":
            points = f"{event.points} point{'' if event.points == 1 else 's'}"
            wins = f"Wins {points}{' and the match' if event.flagged else ''}"
            if event.player and cells[0] is not None and cells[1] is None:
                cells[1] = wins  # GNU Backgammon would assign a separate line to another game
                yield line()
            else:
                yield line()
                yield f"{'':{CELL_WIDTH + 6 if event.player else 6}}{wins}\n"
        elif (text := _text(event)) is not None:
            player = event.player or 0
            if cells[player] is not None or cells[1] is not None:
                yield line()
            cells[player] = text
            if player:
                yield line()
    yield line()


def _comment(text: str) -> str:
    """Return a comment as a line that cannot be read as a statement."""
    line = clean(text).lstrip(";#% ")
    is_statement = read_tag(line) is not None or read_automatic_doubles(line) or line in CRAWFORD_GAME
    return f"- {line}" if is_statement else line


def _text(event: Event) -> str | None:
    """Return a cell; None for events that the format lacks."""
    if event.kind == "turn":
        first, second = event.dice or (0, 0)
        play = event.text
        if event.flagged:
            play = f"Illegal play ({play})" if play else "Illegal play"
        return f"{first}{second}: {play}".rstrip()
    if event.kind in ("double", "beaver", "raccoon"):
        return f" {event.kind.capitalize()}s => {event.value}"
    return {"take": " Takes", "drop": " Drops", "resign": " Resigns"}.get(event.kind)
