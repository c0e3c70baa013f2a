"""Batched replay of turns and the fast reader of lines, compared with the general code."""

from __future__ import annotations

import io
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import bgfast
from bgfast import Match
from bgfast.errors import BgfastError, RecordError
from bgfast.games.match_info import Finding
from bgfast.games.turns import Turns
from bgfast.records import mat, sgf
from bgfast.records._mat import read_plain_line
from bgfast.records.match_files import iterate_games
from bgfast.records.record import Event
from tests.records.test_damaged_records import damage_text, original_files
from tests.records.test_match_files import RECORDS
from tests.support.matches import random_match

HEAD = " 7 point match\n\n Game 1\n Anna : 0                        Bob : 0\n"


def games_and_findings(content: bytes) -> tuple[list[Any], list[Finding], str]:
    """Return the games move by move, the findings, and the final error of a file."""
    findings: list[Finding] = []
    games: list[Any] = []
    try:
        for game_number, match, is_read in iterate_games(io.BytesIO(content), "file"):
            last_state, action_count, turn_count = match.state, match.action_count, match.turn_count
            games.append((game_number, is_read, match.history, match.states, match.info))
            findings += match.findings
            assert match.states[-1] is last_state
            assert (action_count, turn_count) == (len(match.history), match.turn_count)
    except RecordError as error:
        return games, findings, f"{error.line}:{error.column}: {error}"
    except BgfastError as error:
        return games, findings, str(error)
    return games, findings, ""


def disable_fast_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable batched replay and the fast reader."""
    monkeypatch.setattr(Match, "_apply_turns", lambda match, turns, first: 0)
    monkeypatch.setattr(mat, "read_plain_line", lambda *line: False)
    monkeypatch.setattr(sgf._TreeReader, "read_plain_line", lambda *line: False)


def sample_files() -> list[bytes]:
    """Return intact files, damaged files and random matches."""
    rng = random.Random(5)
    contents = original_files()
    contents += [damage_text(content, rng) for content in original_files() for _ in range(2)]
    for seed, length in enumerate((None, 3)):
        match = random_match(seed, length)
        contents += [match.to_mat().encode(), match.to_sgf().encode()]
    return contents


def test_batched_replay_equals_single_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    contents = sample_files()
    batched_results = [games_and_findings(content) for content in contents]
    disable_fast_paths(monkeypatch)
    for content, expected in zip(contents, batched_results, strict=True):
        assert games_and_findings(content) == expected


@pytest.mark.parametrize("name", ["crawford.mat", "resigned.mat", "session.mat", "beavers.mat"])
def test_real_records_are_replayed_in_batches(name: str) -> None:
    """No turn needs the slow path."""
    for game in bgfast.records.load_games(RECORDS / name):
        slow_actions = [action.name for action, _ in game._log if not isinstance(action, Turns)]
        assert "play" not in slow_actions
        assert slow_actions.count("roll") == 1  # the opening roll


def grammar_events(line: str, right_column: int) -> list[Event]:
    """Return the events of a line as the grammar reads it."""
    reader = mat._Reader()
    list(reader.read_line(1, " Game 1"))
    list(reader.read_line(2, " A : 0            B : 0"))
    reader.right_column = right_column
    assert not list(reader.read_line(3, line))
    return reader.events or []


CHARACTERS = " 0123456789/():*=>-?x\tDTWbarof\u0661\r"
LINES = [
    "  1) 31: 8/5 6/5                 64: 24/18 18/14 \n",
    "  2)                             21: 13/11 24/23",
    " 12) 66:                          Doubles => 2",
    " 13)  Drops                       Wins 1 point ",
    " 13)  Takes                      64: bar/21*/off 6/4(2)",
    "                                  Wins 12 points and the match",
    "     Wins 2 points",
    " 31:8/5 6/5     ",
    "31: 25/22  24/23*   64: 24/14",
    " 2) Doubles => 4                 Takes",
]


@pytest.mark.parametrize("line", LINES)
def test_plain_lines_use_the_fast_reader(line: str) -> None:
    events: list[Event] = []
    assert read_plain_line(line, 3, 33, events)
    assert events == grammar_events(line, 33)
    assert {type(part) for event in events for part in (event, event.place)} == {Event, mat.Place}


def test_damaged_lines_agree_or_are_left_to_the_grammar() -> None:
    rng, plain_count = random.Random(3), 0
    for _ in range(1000):
        line = rng.choice(LINES).rstrip("\n")
        for _ in range(rng.choice((1, 1, 2, 4))):
            start = rng.randrange(len(line) or 1)
            piece = rng.choice(["", "  ", line[start:], "31: ", *CHARACTERS])
            line = line[:start] + piece + line[start + rng.choice((0, 1, 1, 3)) :]
        right_column, events = rng.choice((17, 33, 35)), list[Event]()
        if read_plain_line(line, 3, right_column, events):
            plain_count += 1
            assert events == grammar_events(line, right_column), line
        else:
            assert not events
    assert 75 < plain_count < 875


@pytest.mark.parametrize(
    ("position", "roll", "text", "expected"),
    [
        ("start", (3, 1), "8/5 6/5", True),
        ("start", (3, 1), "6/5, 8/5", False),  # the comma needs the grammar
        ("start", (6, 4), "24/14", True),
        ("start", (6, 4), "24/18/14*", True),  # an incorrect hit mark is accepted, as in `play`
        ("start", (6, 4), "24/15", False),  # 9 pips are not a sum of the dice
        ("start", (6, 4), "24/20", False),  # the play uses only one die
        ("start", (3, 3), "13/4 6/3", True),
        ("start", (3, 3), "13/10(4)", True),
        ("start", (3, 3), "13/10(4) 6/3", False),
        ("start", (3, 3), "13/9(3)", False),
        ("start", (5, 5), "24/14", False),  # the opponent holds 19
        ("start", (5, 5), "13/8(2) 8/3(2)", True),
        ("start", (6, 4), "13/4 8/7", False),  # 9 pips and 1 pip are not sums of the dice
        ("start", (2, 2), "24/21 13/11(2)", False),  # 3 pips are not a sum of the dice
        ("start", (6, 5), "", False),  # there are legal plays, so the turn is not a pass
        ("24/20 or 24/21", (4, 3), "24/17", False),  # ambiguous: only the path over 20 hits
        ("24/20 or 24/21", (4, 3), "24/20*/17", True),
        ("24/20 or 24/21", (4, 3), "24/21/17", True),
        ("home", (6, 4), "3/off(2)", True),
        ("home", (6, 4), "3/0 3/OFF", True),
        ("home", (6, 1), "3/off", False),
        ("home", (2, 1), "3/off", False),  # ambiguous: only the path over 1 hits
        ("home", (2, 1), "3/2 3/1*", True),
        ("closed out", (6, 4), "", True),
        ("closed out", (6, 4), "bar/19 6/5", False),
    ],
)
def test_batched_replay_of_one_turn(position: str, roll: tuple[int, int], text: str, expected: bool) -> None:
    board = {
        "24/20 or 24/21": [0, 0, 0, 0, 0, 0, 5] + [0] * 13 + [-1, 0, 0, 0, 2, 0],
        "home": [0, -1, 0, 3] + [0] * 18 + [-2, -2, 0, 0],
        "closed out": [0] * 19 + [-2] * 6 + [1],
    }.get(position)
    start = bgfast.Position.start() if board is None else bgfast.Position.from_array(board)
    game = bgfast.Game(position=start, on_turn=0)
    is_applied = game._apply_turns([(0, roll, text)], 0)
    assert is_applied == expected
    if is_applied:
        single_game = bgfast.Game(position=start, on_turn=0)
        single_game.roll(roll)
        single_game.play(text or "pass")
        assert single_game.state == game.state


def test_batches_end_at_other_players_and_other_actions() -> None:
    game = bgfast.Game(on_turn=0)
    turns = [(0, (3, 1), "8/5 6/5"), (1, (6, 4), "24/14"), (1, (6, 4), "24/14")]
    assert game._apply_turns([*turns], 0) == 2
    assert game._apply_turns([*turns], 2) == 0
    assert game._apply_turns([None, turns[0], None], 0) == 0
    assert game._apply_turns([None, turns[0], None], 3) == 0
    assert game._apply_turns([(None, (3, 1), "8/5 6/5")], 0) == 0
    assert game._apply_turns([(0, None, "8/5 6/5")], 0) == 0
    assert bgfast.Game(on_turn=0, dice=7)._apply_turns([*turns], 0) == 0
    assert bgfast.Game(bgfast.EXACT)._apply_turns([*turns], 0) == 0
    assert bgfast.Game(bgfast.RuleSet(stack_max=5), on_turn=0)._apply_turns([*turns], 0) == 0


def sample_game() -> bgfast.Game:
    game = bgfast.Game(on_turn=0)
    assert game._apply_turns([(0, (3, 1), "8/5 6/5"), (1, (6, 4), "24/14"), (0, (6, 5), "24/13")], 0) == 3
    return game


def test_batched_turns_are_undone_and_saved() -> None:
    game = sample_game()
    assert (game.action_count, game.turn_count, len(game._log)) == (6, 3, 1)
    assert [action.text or action.name for action in sample_game().history] == [
        "roll", "8/5 6/5", "roll", "24/14", "roll", "24/13",
    ]  # fmt: skip
    for count in (0, 1, 4):
        copy = sample_game()
        for _ in range(count):
            copy.undo()
        expected = sample_game()
        assert expected.history[: 6 - count] == copy.history
        assert copy.state == expected.states[6 - count]
        for _ in range(count):
            copy.redo()
        assert copy == expected
    assert pickle.loads(pickle.dumps(sample_game())) == sample_game()
    assert bgfast.Game.from_json(sample_game().to_json()) == sample_game()
    assert sample_game().score_sheet().splitlines()[1] == "  1) 31: 8/5 6/5                         64: 24/14"
    sample_game().double()


def history_and_states(game: bgfast.Game) -> tuple[Any, ...]:
    return game.history, game.states


def test_threads_see_the_same_states() -> None:
    for _ in range(8):
        game = sample_game()
        with ThreadPoolExecutor(4) as threads:
            results = list(threads.map(history_and_states, [game] * 8))
        assert all(result == results[0] for result in results)
