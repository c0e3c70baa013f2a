"""Answers as text: all legal actions, sentences, missing hit marks, and parsing time."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bgfast
from bgfast.cli.game import act_at_random
from bgfast.errors import NotationError
from bgfast.games import Game, Match, legal_answers, read_answer
from tests.support.patience import patient


def opening_game(dice: tuple[int, int] = (3, 1)) -> Game:
    game = Game(on_turn=0, dice=[dice])
    game.roll()
    return game


def bar_game(checkers: int, roll: tuple[int, int], points: dict[int, int]) -> Game:
    """Return a game in which the player on turn has checkers on the bar."""
    board = [0] * 26
    board[25] = checkers
    for point, count in points.items():
        board[point] = count
    game = Game(position=bgfast.Position.from_array(board), on_turn=0, dice=[roll])
    game.roll()
    return game


CLOSED_HOME = {19: -3, 20: -3, 21: -3, 22: -2, 23: -2, 24: -2, 6: 14}
HALF_OPEN_HOME = {18: -3, 19: -3, 20: -2, 21: -2, 22: -2, 23: -3, 6: 13}


def read_text(game: Game | Match, text: str) -> str:
    answer = read_answer(game, text)
    return answer.name if answer.play is None else str(answer.play)


FORMS = (
    "{}",
    "**{}**",
    "`{}`.",
    "Answer: {}",
    "I thought about 24/20 and about a double.\n\nFinal answer: **{}**",
    "Move: {}\n",
)


def test_all_legal_answers_are_read_in_all_forms() -> None:
    rng = np.random.default_rng(2)
    names: set[str] = set()
    for seed, length in enumerate((None, 3, None, 3)):
        match = Match(length, bgfast.RuleSet(beavers=length is None), dice=seed)
        while (match.winner is None) if length else (match.result is None):
            for index, text in list(enumerate(legal_answers(match)))[:: 1 + match.action_count % 7]:
                answer = read_answer(match, FORMS[index % len(FORMS)].format(text))
                assert (text if answer.play is None else str(answer.play)) in (text, "pass")
                assert answer.name in match.legal_actions() or (answer.play is None and text == "pass")
                names.add(answer.name)
            act_at_random(match, rng)
    assert {"roll", "double", "take", "drop", "beaver", "play", "pass_turn", "resign"} <= names


def test_plays_in_sentences_are_read() -> None:
    texts = (
        "8/5 6/5 | 6/5, 8/5 | 8/5* 6/5 | I play **8/5 6/5**. | 31: 8/5 6/5 | 3-1: 8/5 6/5 | 8 to 5, 6 to 5"
        " | With 3-1 I make my five-point: 8/5 and 6/5! | 8\u21925 6\u21925 | [8/5, 6/5]"
        " | It looks at 13/10 6/5 first.\n8/5 6/5 | Move: 8/5 6/5\n\nThis is better than 24/20."
    )
    assert [read_text(opening_game(), text) for text in texts.split(" | ")] == ["8/5 6/5"] * 12


def test_hit_marks_and_partial_passes_are_optional() -> None:
    game = bar_game(2, (6, 1), HALF_OPEN_HOME)
    for text in ("bar/24", "bar/24 Pass", "24 - bar/24 Pass", "My move is 25/24, pass."):
        assert read_text(game, text) == "bar/24"
    board = [0] * 26
    board[8], board[6], board[5], board[20] = 7, 8, -1, -14
    hit_game = Game(position=bgfast.Position.from_array(board), on_turn=0, dice=[(3, 1)])
    hit_game.roll()
    assert read_text(hit_game, "Answer: 8/5 6/5") == "8/5* 6/5"
    closed_game = bar_game(1, (6, 5), CLOSED_HOME)
    assert legal_answers(closed_game) == ["pass", "resign"]
    for text in ("pass", "Pass.", "No legal moves", "I pass.", "Answer: no play"):
        assert read_text(closed_game, text) == "pass_turn"


def test_cube_actions_in_words_are_read() -> None:
    game = Game(on_turn=0)
    assert [read_text(game, text) for text in ("Roll", "no double", "I'll double!", "Resign.")] == [
        "roll",
        "roll",
        "double",
        "resign",
    ]
    game.double()
    assert [read_text(game, text) for text in ("I accept", "**Drop**", "pass")] == ["take", "drop", "drop"]
    game.drop()
    assert legal_answers(game) == legal_answers(Match(3)) == []


def test_parsing_time_of_long_chains_is_linear() -> None:
    game = opening_game()

    def seconds(length: int) -> float:
        start = time.process_time()
        with pytest.raises(NotationError):
            read_answer(game, "25/  " * length)
        return time.process_time() - start

    assert min(seconds(2000) for _ in range(3)) < 8 * min(seconds(500) for _ in range(3)) + patient(0.02)
