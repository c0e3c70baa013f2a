"""`bgfast game`: games and matches between computer players."""

from __future__ import annotations

import re

import pytest

from bgfast import Game, Match
from bgfast.learning.opponents import opponent
from tests.support.command_line import Capture, printed


def test_seeds(capsys: Capture) -> None:
    out = printed(capsys, "game", "--seed", "7")
    assert printed(capsys, "game", "--seed=7") == out != printed(capsys, "game", "--seed", "8")
    assert out.startswith("rules standard, seed 7\n\n     X ")
    assert re.search(r"\n[XO] wins \d+ points? \(\w+, \w+\)\n$", out)


def test_random_seed_is_printed(capsys: Capture) -> None:
    out = printed(capsys, "game")
    seed = re.match(r"rules standard, seed (\d+)\n", out)
    assert printed(capsys, "game", "--seed", seed[1]) == out


def test_a_match(capsys: Capture) -> None:
    out = printed(capsys, "game", "--seed", "7", "--match", "5")
    assert out.startswith("match to 5, rules standard, seed 7\n\nGame 1: X 0, O 0\n")
    final = re.search(r"\nfinal score: X (\d+), O (\d+)\n$", out)
    assert max(int(final[1]), int(final[2])) >= 5
    assert out.count("(Crawford)") <= 1


@pytest.mark.parametrize("level", ["beginner", "intermediate", "advanced"])
def test_a_game_of_two_players_of_a_level(level: str, capsys: Capture) -> None:
    game = Game.from_json(printed(capsys, "game", "--seed", "7", "--level", level, "--json"))
    assert game.result is not None
    player = opponent(level)
    again = Game(dice=7)
    while again.result is None:
        player.act(again)
    assert again.score_sheet() == game.score_sheet()
    head, *_ = printed(capsys, "game", "--seed", "7", "--level", level).splitlines()
    assert head == f"rules standard, seed 7, {level}"


def test_games_and_matches_as_json(capsys: Capture) -> None:
    game = Game.from_json(printed(capsys, "game", "--seed", "7", "--json"))
    assert game.score_sheet() in printed(capsys, "game", "--seed", "7")
    match = Match.from_json(printed(capsys, "game", "--seed", "7", "--match", "3", "--json"))
    assert match.winner is not None
    assert match.score_sheet() in printed(capsys, "game", "--seed", "7", "--match", "3")


def test_a_session_of_money_games(capsys: Capture) -> None:
    out = printed(capsys, "game", "--seed", "7", "--games", "3")
    assert out.startswith("3 money games, rules standard, seed 7\n\nGame 1: X 0, O 0\n")
    assert re.findall(r"^Game (\d):", out, re.MULTILINE) == ["1", "2", "3"]
    session = Match.from_json(printed(capsys, "game", "--seed", "7", "--games", "3", "--json"))
    assert (session.length, len(session.results), session.legal_actions()) == (None, 3, ("next_game",))
    assert out.endswith(f"\nfinal score: X {session.score[0]}, O {session.score[1]}\n")
