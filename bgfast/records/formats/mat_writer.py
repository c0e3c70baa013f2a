"""Writer of Jellyfish's text format (.mat)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bgfast.errors import BgfastError
from bgfast.games.match_info import MatchInfo
from bgfast.games.unchecked_plays import UNKNOWN_PLAY
from bgfast.position.objects import Position
from bgfast.records.formats.mat import (
    AUTOMATIC_DOUBLES,
    CRAWFORD_GAME,
    ROLL_TO_PLAY,
    read_automatic_doubles,
    read_position,
    read_roll,
    read_tag,
)
from bgfast.records.formats.record import CENTRE, Event, RecordedGame, RecordHead, Setup, clean, dated

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
    ties = sum(event.kind == "tie" for event in game.events)
    if ties:
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
        elif event.setup is not None:
            yield line()
            yield f"; Set Pos={_position(event.setup, 1 << ties)}\n"
            yield "; {}{}{}\n".format(ROLL_TO_PLAY, *event.dice) if event.dice is not None else ""
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
    readers = (read_tag, read_automatic_doubles, read_position, read_roll)
    is_statement = line in CRAWFORD_GAME or any(read(line) for read in readers)
    return f"- {line}" if is_statement else line


def _position(setup: Setup, first_cube: int) -> str:
    """Return a position and its cube as `read_position` reads them, ``?`` for an unknown position."""
    is_centred = setup.owner == CENTRE
    if (setup.cube != first_cube) if is_centred else setup.cube == 1:
        place = "in the centre" if is_centred else "that a player owns"
        raise BgfastError(f"as .mat, a cube of {setup.cube} {place} cannot be written; expected SGF")
    board = Position.from_array(setup.board).xgid.partition("=")[2][:26] if setup.board else "?"
    power = setup.cube.bit_length() - 1
    return f"{board}/{0 if setup.owner == CENTRE else power if setup.owner else -power}"


def _text(event: Event) -> str | None:
    """Return a cell; None for events that the format lacks."""
    if event.kind == "turn":
        first, second = event.dice or (0, 0)
        play = event.text
        if event.flagged:
            play = f"Illegal play ({play})" if play else "Pass"
        if play.endswith(UNKNOWN_PLAY):
            play = play.removesuffix(UNKNOWN_PLAY) + "????"
        return f"{first}{second}: {play}".rstrip()
    if event.kind in ("double", "beaver", "raccoon"):
        return f" {event.kind.capitalize()}s => {event.value}"
    return {"take": " Takes", "drop": " Drops", "resign": " Resigns"}.get(event.kind)
