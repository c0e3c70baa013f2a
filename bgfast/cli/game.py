"""``bgfast game``: a game between equal or random players; sessions of `game` and `play`."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from bgfast.cli.options import refuse_existing
from bgfast.cli.parser import print_result
from bgfast.cli.players import UBGI_HELP, load_opponent
from bgfast.common.files import check_regular_file, read_limited, reason, write_atomically
from bgfast.errors import BgfastError, InvalidGameError, short_repr
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.scoring import MAX_MATCH_LENGTH
from bgfast.players.opponents import OPPONENTS
from bgfast.records.match_files import format_of
from bgfast.records.writers import record_head
from bgfast.rules import PRESETS, RuleSet

BEGINNING = re.compile(rb'\s*\{\s*"bgfast"\s*:\s*"(game|match)"')
MAX_BEGINNING = 100  # bytes


class Session(NamedTuple):
    """Game, match or series of money games, with its description and, if it is new, its seed."""

    game: Game | Match
    title: str
    games: int | None = None
    seed: int = 0

    @property
    def is_over(self) -> bool:
        """True if all requested games have been played."""
        if isinstance(self.game, Match):
            return self.game.winner is not None or len(self.game.state.ended) == self.games
        return self.game.result is not None


def save_record(arguments: argparse.Namespace, game: Game | Match) -> None:
    """Write the record of the games to the file of ``--save``, if any."""
    if arguments.save is None:
        return
    if not isinstance(game, Match):
        raise BgfastError("--save: the game is not part of a match; expected a match or money games")
    game.save(arguments.save, force=arguments.force)


def new_session(arguments: argparse.Namespace) -> Session:
    """Return a new session; check first that the file of ``--save``, if any, can record it."""
    preset = arguments.rules or "standard"  # `play` has no default
    rules = RuleSet.named(preset)
    if arguments.save is not None:
        refuse_existing(arguments.save, force=arguments.force)
        format_of(arguments.save, force=True)
        record_head(Match(arguments.match, rules))
    seed, length, games = arguments.seed, arguments.match, arguments.games
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    series = f"match to {length}, " if length is not None else f"{games} money games, " if games else ""
    title = f"{series}rules {preset}, seed {seed}"
    if not series and arguments.save is None:
        return Session(Game(rules, dice=seed), title, seed=seed)
    # Match files store only matches: a single game to be saved is a session of one game.
    return Session(Match(length, rules, dice=seed), title, games if series else 1, seed)


def write_game(path: str, game: Game | Match) -> None:
    """Write a game with its future dice to a new file, or over a saved game."""
    try:
        check_regular_file(path)
        with suppress(FileNotFoundError), open(path, "rb") as file:
            if not BEGINNING.match(file.read(MAX_BEGINNING)):
                raise ValueError("it is not a saved game; expected a new file or a saved game")
        write_atomically(path, game.to_json(complete=True).encode())
    except (OSError, ValueError) as error:  # a zero byte in the name raises ValueError
        raise BgfastError(f"{short_repr(path)}: {reason(error)}") from None


def resume_session(arguments: argparse.Namespace) -> Session:
    """Return the session of ``--resume``; other options must agree with it."""
    file = short_repr(arguments.resume)
    game = _read_game(arguments.resume)
    length = game.length if isinstance(game, Match) else None
    rules = None if arguments.rules is None else RuleSet.named(arguments.rules)
    if arguments.seed is not None:
        raise BgfastError(f"--seed and --resume cannot be combined: {file} has its own dice")
    for option, value, saved_value in (("--match", arguments.match, length), ("--rules", rules, game.rules)):
        if value is not None and value != saved_value:
            problem = f"its {option} is {short_repr(saved_value)}, here it is {short_repr(value)}"
            raise BgfastError(f"{file} has other options: {problem}; expected the same value or no option")
    if arguments.games is not None:
        if isinstance(game, Game) or game.length is not None:
            raise BgfastError(f"--games: {file} has no money games; expected --resume without it")
        min_games = len(game.state.ended) + ("next_game" not in game.legal_actions())
        if arguments.games < min_games:
            problem = f"{min_games} have begun in {file}; expected {min_games} or more in all"
            raise BgfastError(f"--games {arguments.games}: {problem}")
    title = "a game" if isinstance(game, Game) else "money games" if length is None else f"match to {length}"
    name = next((name for name, preset in PRESETS.items() if preset == game.rules), "custom")
    return Session(game, f"{title} from {file}, rules {name}", arguments.games)


def _read_game(path: str) -> Game | Match:
    try:
        check_regular_file(path)
        content = read_limited(path)
        beginning = BEGINNING.match(content)
        if beginning is None:
            raise ValueError("it is not a saved game; expected a file written by `save` in bgfast play")
        game_type: type[Game | Match] = Match if beginning[1] == b"match" else Game
        game = game_type.from_json(content.decode())
    except (OSError, ValueError) as error:
        raise BgfastError(f"{short_repr(path)}: {reason(error)}") from None
    if game._source is None:
        raise InvalidGameError(
            f"{short_repr(path)} does not store its future dice; expected a file written by `save` in "
            "bgfast play, or to_json(complete=True)"
        )
    return game


# ---- the command ----

GAME_OPTIONS = f"""--seed N     seed of the dice; the same game for the same seed
--rules
--save FILE  write the record to FILE at the end: .mat, .txt or .sgf
--force
| --match N[1..{MAX_MATCH_LENGTH}]  a match to N points instead of one game
| --games N[1..{10**9}]  N money games instead of one game"""
"""Options of `game` and `play`."""
HELP = f"""
Without --seed a seed is chosen, and shown.

--json
{GAME_OPTIONS}
--level LEVEL  level of both players, as in bgfast play (random actions): {", ".join(OPPONENTS)}, or
               {UBGI_HELP}

example: bgfast game --match 5 --seed 7
"""


def run(arguments: argparse.Namespace) -> None:
    """Play a game, a match or a session to its end and print it."""
    session = new_session(arguments)
    game = session.game
    choices = np.random.default_rng([session.seed, 1])  # independent of the dice
    player = None if arguments.level is None else load_opponent(arguments.level, game.rules)
    while not session.is_over:
        if player is None:
            act_at_random(game, choices)
        else:
            player.act(game)
    save_record(arguments, game)
    if arguments.json:
        print(game.to_json(), end="")
        return
    title = session.title if arguments.level is None else f"{session.title}, {arguments.level}"
    lines = [title, "", game.score_sheet()]
    if isinstance(game, Match):
        lines += ["", f"final score: X {game.score[0]}, O {game.score[1]}"]
    print_result(arguments, None, *lines)


# Cube action probabilities of the random player, who never uses `resign` or `roll_again`.
DOUBLE_PROBABILITY = 1 / 50
TAKE_PROBABILITY = 3 / 4
BEAVER_PROBABILITY = 1 / 10


def act_at_random(game: Game | Match, choices: np.random.Generator, *, cube: bool = True) -> None:
    """Perform a random legal action in an unfinished game that rolls its own dice.

    All legal plays are equally likely. Doubles are offered only with `cube`.
    """
    actions = game.legal_actions()
    if "play" in actions:
        plays = game.plays()
        game.play(plays[int(choices.integers(len(plays)))])
        return
    if "take" in actions:
        is_beaver = "beaver" in actions and choices.random() < BEAVER_PROBABILITY
        name = "beaver" if is_beaver else "take" if choices.random() < TAKE_PROBABILITY else "drop"
    elif "double" in actions and cube and choices.random() < DOUBLE_PROBABILITY:
        name = "double"
    else:
        name = next(name for name in ("draw_lot", "roll", "pass_turn", "next_game") if name in actions)
    getattr(game, name)()
