"""Answers in words: legal ones, sentences, and refusals with their reasons."""

from __future__ import annotations

import time

import numpy as np
import pytest

import bgfast
from bgfast.cli.game import act_at_random
from bgfast.errors import IllegalActionError, IllegalPlayError, NotationError
from bgfast.games import Game, Match, legal_answers, read_answer
from tests.support.patience import patient


def opened(dice: tuple[int, int] = (3, 1)) -> Game:
    game = Game(on_turn=0, dice=[dice])
    game.roll()
    return game


def on_the_bar(checkers: int, roll: tuple[int, int], points: dict[int, int]) -> Game:
    """Return a game with checkers of the player on turn on the bar."""
    board = [0] * 26
    board[25] = checkers
    for point, number in points.items():
        board[point] = number
    game = Game(position=bgfast.Position.from_array(board), on_turn=0, dice=[roll])
    game.roll()
    return game


CLOSED = {19: -3, 20: -3, 21: -3, 22: -2, 23: -2, 24: -2, 6: 14}
HALF_OPEN = {18: -3, 19: -3, 20: -2, 21: -2, 22: -2, 23: -3, 6: 13}


def read(game: Game | Match, text: str) -> str:
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


@pytest.mark.parametrize("length", [None, 3])
def test_all_legal_answers_in_all_forms(length: int | None) -> None:
    rules = bgfast.RuleSet(beavers=length is None)
    choices = np.random.default_rng(1)
    names: set[str] = set()
    for seed in range(6):
        match = Match(length, rules, dice=seed)
        while (match.winner is None) if length else (match.result is None):
            for number, text in list(enumerate(legal_answers(match)))[:: 1 + match.action_count % 7]:
                answer = read_answer(match, FORMS[number % len(FORMS)].format(text))
                assert (text if answer.play is None else str(answer.play)) in (text, "pass")
                assert answer.name in match.legal_actions() or (answer.play is None and text == "pass")
                names.add(answer.name)
            act_at_random(match, choices)
    assert {"roll", "double", "take", "drop", "play", "pass_turn", "resign"} <= names


@pytest.mark.parametrize(
    "text",
    [
        "8/5 6/5",
        "6/5, 8/5",
        "8/5* 6/5",
        "I play **8/5 6/5**.",
        "31: 8/5 6/5",
        "3-1: 8/5 6/5",
        "With 3-1 I make my five-point: 8/5 and 6/5!",
        "8 to 5, 6 to 5",
        "8\u21925 6\u21925",
        "[8/5, 6/5]",
        "It looks at 13/10 6/5 first.\n8/5 6/5",
        "Move: 8/5 6/5\n\nThis is better than 24/20.",
    ],
)
def test_plays_in_sentences(text: str) -> None:
    assert read(opened(), text) == "8/5 6/5"


def test_missing_hit_marks_and_partial_passes() -> None:
    game = on_the_bar(2, (6, 1), HALF_OPEN)
    for text in ("bar/24", "bar/24 Pass", "24 - bar/24 Pass", "My move is 25/24, pass."):
        assert read(game, text) == "bar/24"
    board = [0] * 26
    board[8], board[6], board[5], board[20] = 7, 8, -1, -14
    hit = Game(position=bgfast.Position.from_array(board), on_turn=0, dice=[(3, 1)])
    hit.roll()
    assert read(hit, "Answer: 8/5 6/5") == "8/5* 6/5"
    closed = on_the_bar(1, (6, 5), CLOSED)
    assert legal_answers(closed) == ["pass", "resign"]
    for text in ("pass", "Pass.", "No legal moves", "I pass.", "Answer: no play"):
        assert read(closed, text) == "pass_turn"


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("8/5 6/4", IllegalPlayError, "no die or combination of 3-1 gives the 2 pips of 6/4"),
        ("I play 8/5.", IllegalPlayError, "both numbers can be played, so both must be"),
        ("Move: bar/24 Pass", IllegalPlayError, "no checker of the mover stands on the bar"),
        ("pass", IllegalPlayError, "passing is not allowed"),
        ("I pass.", IllegalActionError, "pass_turn: passing is not allowed"),
        ("double", IllegalActionError, "only before rolling"),
        ("13/10 6/5 or 8/5 6/5", NotationError, "names several plays: 13/10 6/5, 8/5 6/5"),
        ("I do not know", NotationError, "no action found in the answer 'I do not know'"),
        ("", NotationError, "no action found"),
    ],
)
def test_reasons_of_refusals(text: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error) as refused:
        read_answer(opened(), text)
    assert reason in str(refused.value)
    assert type(refused.value) is error


def test_cube_words() -> None:
    game = Game(on_turn=0)
    assert [read(game, text) for text in ("Roll", "no double", "I'll double!", "Resign.")] == [
        "roll",
        "roll",
        "double",
        "resign",
    ]
    # A sentence that only contains the word may mean the opposite.
    with pytest.raises(NotationError, match="no action found"):
        read_answer(game, "I will not double")
    with pytest.raises(IllegalActionError, match="take: no double is pending"):
        read_answer(game, "take")
    game.double()
    assert [read(game, text) for text in ("I accept", "**Drop**", "pass")] == ["take", "drop", "drop"]
    with pytest.raises(IllegalActionError, match="beaver: there are no beavers under these rules"):
        read_answer(game, "beaver")
    game.drop()
    assert legal_answers(game) == []
    with pytest.raises(IllegalActionError, match="roll: the game is over"):
        read_answer(game, "roll")


def test_no_answer_before_the_opening() -> None:
    assert legal_answers(Match(3)) == []
    for text, error in (("roll", IllegalActionError), ("8/5 6/5", NotationError)):
        with pytest.raises(error, match="no player is to act before the opening roll"):
            read_answer(bgfast.Match(5), text)


def test_answers_must_be_text() -> None:
    for wrong in (3, None, "8/5" * 50_000):
        with pytest.raises(NotationError, match="expected a str of at most 100000 characters"):
            read_answer(opened(), wrong)  # type: ignore[arg-type]


def test_time_of_long_chains_is_linear() -> None:
    game = opened()

    def seconds(length: int) -> float:
        start = time.process_time()
        with pytest.raises(NotationError):
            read_answer(game, "25/  " * length)
        return time.process_time() - start

    assert min(seconds(2000) for _ in range(3)) < 8 * min(seconds(500) for _ in range(3)) + patient(0.02)
