"""The file in which `bgfast play` keeps a game or a match, and from which it goes on."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress

from bgfast.common.files import check_plain, read_limited, write_atomically
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, InvalidGameError, shown
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.rules import PRESETS, RuleSet

__all__ = ["gone_on_with", "write_game"]

BEGINNING = re.compile(rb'\s*\{\s*"bgfast"\s*:\s*"(game|match)"')
MAX_BEGINNING = 100  # bytes


def write_game(path: str, game: Game | Match) -> None:
    """Write a game, its dice to come included, to a file that is new or holds a saved one.

    Raises
    ------
    BgfastError
        If the file holds something else, or cannot be written.
    """
    try:
        check_plain(path)
        with suppress(FileNotFoundError), open(path, "rb") as file:
            if not BEGINNING.match(file.read(MAX_BEGINNING)):
                raise ValueError("it holds something else; expected a new file, or a saved game")
        write_atomically(path, game.to_json(complete=True).encode())
    except (OSError, ValueError) as error:  # or there is a zero in its name
        raise BgfastError(f"{shown(path)}: {reason(error)}") from None


def gone_on_with(arguments: argparse.Namespace) -> tuple[Game | Match, str]:
    """Return the game of `--resume` and what it is in words; what is typed beside it has to fit.

    Raises
    ------
    BgfastError
        If the file cannot be read, holds no unfinished game, or the game does not match the options.
    """
    file = shown(arguments.resume)
    game = _read_game(arguments.resume)
    length = game.length if isinstance(game, Match) else None
    rules = None if arguments.rules is None else RuleSet.named(arguments.rules)
    if arguments.seed is not None:
        raise BgfastError(f"--seed: {file} has dice of its own; expected --resume without it")
    for option, typed, own in (("--match", arguments.match, length), ("--rules", rules, game.rules)):
        if typed is not None and typed != own:
            raise BgfastError(
                f"{file} was begun otherwise: its {option} is {shown(own)}, here it is {shown(typed)}; "
                "expected the same, or nothing"
            )
    if arguments.games is not None:
        _check_games(arguments.games, game, file)
    what = "a game" if isinstance(game, Game) else "money games" if length is None else f"match to {length}"
    name = next((name for name, preset in PRESETS.items() if preset == game.rules), "of its own")
    return game, f"{what} from {file}, rules {name}"


def _read_game(path: str) -> Game | Match:
    try:
        check_plain(path)
        content = read_limited(path)
        begins = BEGINNING.match(content)
        if begins is None:
            raise ValueError("it is no saved game; expected what save has written in bgfast play")
        kind: type[Game | Match] = Match if begins[1] == b"match" else Game
        game = kind.from_json(content.decode())
    except (OSError, ValueError) as error:
        raise BgfastError(f"{shown(path)}: {reason(error)}") from None
    if game._source is None:
        raise InvalidGameError(
            f"{shown(path)} has no dice to come; expected what save has written in bgfast play, "
            "or to_json(complete=True)"
        )
    return game


def _check_games(number: int, game: Game | Match, file: str) -> None:
    if isinstance(game, Game) or game.length is not None:
        raise BgfastError(f"--games: {file} holds no money games; expected --resume without it")
    begun = len(game.state.ended) + ("next_game" not in game.legal_actions())
    if number < begun:
        raise BgfastError(f"--games {number}: {begun} are begun in {file}; expected {begun} or more in all")
