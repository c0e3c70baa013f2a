"""Matches written as .mat, SGF, JSON and pickles, and read back."""

from __future__ import annotations

import io
import pickle
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import bgfast
from bgfast import Match, RuleSet
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, extract_decisions
from bgfast.games import MatchInfo, MatchScore
from bgfast.records.match_files import iterate_games
from bgfast.records.record import clean
from tests.support.matches import match_under_random_rules, random_match
from tests.support.site_records import (
    FOUR,
    THREE,
    Case,
    all_cases,
    head,
    mat_round_trip,
    play_texts,
    read,
    sgf_round_trip,
)

ROUND_TRIPS: tuple[Callable[[Match], Match], ...] = mat_round_trip, sgf_round_trip


@all_cases
def test_round_trip_of_all_cases(case: Case) -> None:
    match = read(case)
    texts = match.to_mat(), match.to_sgf()
    for text in texts:
        copy = bgfast.records.read_match(text)
        assert copy.info.players == match.info.players
        assert (copy.score, copy.winner) == (match.score, match.winner)
        assert [(item.winner, item.points, item.ending) for item in copy.results] == [
            (item.winner, item.points, item.ending) for item in match.results
        ]
        assert copy.turn_count == match.turn_count
        assert play_texts(copy) == play_texts(match)
        assert (copy.to_mat(), copy.to_sgf()) == texts


@all_cases
def test_json_pickle_undo_and_redo(case: Case) -> None:
    match = read(case)
    pickle_copy = pickle.loads(pickle.dumps(match))
    assert (pickle_copy.findings, pickle_copy.info) == (match.findings, match.info)
    for copy in (pickle_copy, Match.from_json(match.to_json())):
        assert copy.history == match.history
        assert copy.state == match.state
        assert copy.results == match.results
    history, states = match.history, match.states
    for state in states[-2::-1]:
        match.undo()
        assert match.state == state
    assert match.action_count == 0
    for state in states[1:]:
        match.redo()
        assert match.state == state
    assert match.history == history


INJECTED_TEXTS = [
    '[Event "x"]',
    '; [Event "x"]',
    '[Event "x"]\n\n 7 point match\n\n Game 1\n Mal : 0      Eve : 0\n  1) 31: 8/5 6/5\n',
    " 7 point match",
    " Game 2\n Mal : 3      Eve : 0\n  1) 31: 8/5 6/5",
    "\n\n Game 2\n Mal : 3      Eve : 0\n",
    "  3) 65: 13/7 13/8                Drops",
    "      Wins 3 points and the match",
    "a\r 7 point match\r\r Game 1",
    "a\x0b 7 point match\x0c Game 1\x85 Game 2\u2028 Game 3\u2029",
    "](;FF[4]GM[6]MI[length:7]PW[Mal]PB[Eve])",
    "\\](;GM[6]PW[Mal])",
    "\\",
    "]",
    "(;GM[6])",
    "\x1b[31m red",
    "; note",
    "Wins 1 point",
    "\t\t31: 8/5",
    "# 1",
    "%",
    "Money game",
    " \xa0",
    "a\n;W[31hefe]\nb",
    "Set Pos=-b----E-C---eE---c-e----B-/0",
    "Roll to play: 31",
]


def test_comments_stay_comments() -> None:
    match = bgfast.records.read_match(head() + FOUR + "  3)  Doubles => 2                 Takes\n")
    for comment, round_trip in product(INJECTED_TEXTS, ROUND_TRIPS):
        for count in (0, 5, match.action_count):
            match.info = MatchInfo(players=("Ida", "Jon"), event="cup", comments=((count, comment),))
            copy = round_trip(match)
            assert copy.history == match.history, comment
            assert (copy.length, copy.info.players, copy.info.event) == (5, ("Ida", "Jon"), "cup")
            assert not copy.findings
            second_copy = round_trip(copy)
            assert second_copy.info == copy.info
            assert (second_copy.to_mat(), second_copy.to_sgf()) == (copy.to_mat(), copy.to_sgf())


NAMES = [*INJECTED_TEXTS, "Ann : 5   Bob : 3", "Ann : 5", ": 3", "5", "Game 1", "1) 31: 8/5 6/5", '"']


def test_names_and_tags_are_kept() -> None:
    match = bgfast.records.read_match(head() + FOUR)
    for name, round_trip in product(NAMES, ROUND_TRIPS):
        players = name, f"{name} the 2nd"
        match.info = MatchInfo(players=players, event=name, round=name, site=name, annotator=name)
        assert Match.from_json(match.to_json()).info == match.info
        copy = round_trip(match)
        assert copy.history == match.history, name
        assert (copy.length, copy.info.players[1]) == (5, clean(players[1]))
        second_copy = round_trip(copy)
        assert (second_copy.info, second_copy.history) == (copy.info, copy.history)
        for text in (copy.to_mat(), copy.to_sgf()):
            assert all(character.isprintable() or character == "\n" for character in text)


def test_long_names_are_kept_in_mat() -> None:
    for length, opener in product((10, 30, 31, 32, 33, 53, 54, 55, 56, 57, 70, 71, 72, 400), (0, 1)):
        for lengths in ((length, 3), (3, length), (length, length)):
            names = "I" * lengths[0], "J" * lengths[1]
            match = Match(1000, score=(12, 345), dice=[(4, 2) if not opener else (2, 4)])
            match.info = MatchInfo(players=names)
            match.roll()
            match.play("8/4 6/4")
            copy = mat_round_trip(match)
            assert copy.info.players == names
            assert [item.player for item in copy.history] == [None, opener]
            assert copy.to_mat() == match.to_mat()


def test_long_texts_are_kept() -> None:
    match = bgfast.records.read_match(head() + FOUR)
    for length, round_trip in product((499, 500, 501, 70_000), ROUND_TRIPS):
        text = ("word " * length)[: length - 1] + "."
        fields = dict.fromkeys(("event", "round", "site", "annotator"), text)
        match.info = MatchInfo(players=(text, "Jon"), comments=((2, text),), **fields)
        copy = round_trip(match)
        assert (copy.history, copy.info) == (match.history, match.info)


def test_texts_do_not_change_the_detected_format() -> None:
    """The format is detected from the beginning, which holds names and comments if there are no tags."""
    match = bgfast.records.read_match(head() + FOUR)
    texts = "(;", "a (; b", "(;GM[6]MI[length:1]PW[Mal]PB[Eve];W[31hefe])", "\\(;)"
    for text, round_trip in product(texts, ROUND_TRIPS):
        comment_info = MatchInfo(players=("Ida", "Jon"), comments=((0, text),))
        for match.info in (MatchInfo(players=(text, "Jon")), comment_info):
            copy = round_trip(match)
            assert (copy.length, copy.info.players) == (match.length, match.info.players)
            assert copy.history == match.history


@pytest.mark.parametrize("round_trip", ROUND_TRIPS)
def test_awards_are_read_back(round_trip: Callable[[Match], Match]) -> None:
    match = bgfast.records.read_match(head() + THREE)
    for winner, points in ((0, 1), (1, 3), (0, 4), (1, 17)):
        copy = Match.from_json(match.to_json())
        copy.award(winner, points)
        assert round_trip(copy).results == copy.results
    match.double()
    match.award(1, 4)
    assert round_trip(match).results == match.results


def analysed_items(match: Match) -> list[Any]:
    """Return the decisions, actions and rolls of a match that an analysis evaluates."""
    return [
        (item.decision, item.kind, item.after or item.chosen)
        if isinstance(item, RecordedDecision)
        else (item.decision, item.opening)
        for item in extract_decisions(match)
    ]


def outcomes(match: Match) -> list[tuple[int, int]]:
    return [(result.winner, result.points) for result in match.results]


def check_read_back(match: Match) -> list[str]:
    """Compare a match with its copies; return the warnings about lost information."""
    assert Match.from_json(match.to_json()).state == match.state
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        texts = match.to_mat(), match.to_sgf()
    for text in texts:
        copy = bgfast.records.read_match(text)
        assert copy.rules == match.rules
        assert (copy.length, copy.state.crawford) == (match.length, match.state.crawford)
        if not caught:
            assert (copy.score, outcomes(copy)) == (match.score, outcomes(match))
            assert analysed_items(copy) == analysed_items(match)
            games = [game for _, game, _ in iterate_games(io.BytesIO(text.encode()), "")]
            assert [result for game in games for result in outcomes(game)] == outcomes(match)
            starts = [0, *(index for index, item in enumerate(match.history, 1) if item.name == "next_game")]
            assert [game.states[0].game.match for game in games] == [
                match.states[index].game.match for index in starts
            ]
    assert len(caught) in (0, len(texts))
    return [str(warning.message) for warning in caught]


def check_seeds(seeds: range) -> None:
    losses = [check_read_back(match_under_random_rules(seed)) for seed in seeds]
    assert sum(map(bool, losses)) < len(losses) / 4  # the other matches are compared completely


def test_matches_under_random_rules_are_read_back() -> None:
    check_seeds(range(8))


@pytest.mark.parametrize(
    "end", [pytest.param(150, marks=pytest.mark.slow), pytest.param(3000, marks=pytest.mark.long)]
)
def test_many_matches_under_random_rules_are_read_back(end: int) -> None:
    check_seeds(range(25, end))


def test_rules_and_starts_are_read_back() -> None:
    """Cover cases that random matches rarely reach within their first actions."""
    ties = [(3, 3), (5, 5), (4, 2)]
    starts = [
        *(Match(length, rules, dice=ties) for length in (None, 9) for rules in RULES),
        *(Match(3, dice=ties, score=score, crawford_played=True) for score in ((2, 0), (1, 2))),
        Match(1, dice=ties, crawford=False),
    ]
    for match in starts:
        while match.dice is None:
            match.roll()
        assert check_read_back(match) == []
        match.play("8/4 6/4")
        match.resign(3)
        match.accept_resignation()
        assert check_read_back(match) == []


RULES = [
    *(RuleSet(beavers=beavers, jacoby=jacoby) for beavers in (False, True) for jacoby in (False, True)),
    *(RuleSet(automatic_doubles=count) for count in (1, 2, 7)),
    *(RuleSet(cube_limit=limit) for limit in (1, 4, 1024, 4096)),
    *map(RuleSet.named, ("standard", "five_stack", "rear_first")),
    RuleSet(bearoff_die="exact", forfeit="empty_point", stack_max=10**20, premature_roll="void"),
]


def test_crawford_games_that_contradict_the_score_are_read_back() -> None:
    match = Match(3, score=(2, 0))
    for score, crawford in (((2, 0), False), ((2, 1), True), ((2, 1), False)):
        match.next_game(score=score, crawford=crawford)
        for copy in (mat_round_trip(match), sgf_round_trip(match)):
            assert [state.game.match for state in copy.states if state.game.phase == "opening"] == [
                state.game.match for state in match.states
            ]


def test_a_crawford_game_before_the_record_is_kept() -> None:
    match = Match(3, score=(2, 0), crawford_played=True)
    match.award(1, 1)
    match.next_game()
    for text in (match.to_mat(), match.to_sgf()):
        games = [game for _, game, _ in iterate_games(io.BytesIO(text.encode()), "")]
        assert [game.state.game.match for game in games] == [
            MatchScore(3, (2, 0)), MatchScore(3, (2, 1)),
        ]  # fmt: skip


def test_plays_made_of_forfeited_dice_are_read_back() -> None:
    match = match_under_random_rules(33)
    assert "F" in "".join(play_texts(match))
    assert check_read_back(match) == []


def test_writers_warn_of_lost_information() -> None:
    expected = {
        "challenged play: 1": ("roll", "illegal", "challenge"),
        "repeated roll: 1": ("roll", "roll_again"),
        "refused resignation: 1": ("roll", "resign", "refuse_resignation"),
        "unanswered resignation: 1": ("roll", "resign"),
        "award instead of a drop: 1": ("roll", "move", "double", "award"),
        "": ("roll", "move", "double", "win"),
    }
    actions: dict[str, Callable[[Match], Any]] = {
        "illegal": lambda match: match.play("8/7", unchecked=True),
        "move": lambda match: match.play("8/5 6/5"),
        "award": lambda match: match.award(1, 1),
        "win": lambda match: match.award(0, 1),
    }
    for loss, names in expected.items():
        match = Match(5, dice=[(3, 1), (2, 1)])
        for name in names:
            actions.get(name, lambda match, name=name: getattr(match, name)())(match)
        warning_texts = check_read_back(match)
        text = "neither .mat nor SGF can express it, so it is left out; JSON keeps it"
        assert warning_texts == ([f"{loss}; {text}"] * 2 if loss else []), names


def test_unknown_rules_give_a_warning() -> None:
    match = Match(5, RuleSet(stack_max=7))
    for setting, message in {
        "stack_max=-1": "stack_max is '-1'; expected a whole number, 0 or more",
        "opening=colour_lot": "'opening=colour_lot'; expected a switch of the rules",
        "colour=red": "'colour=red'; expected a switch of the rules",
        f"stack_max={'9' * 5000}": "stack_max is '99999",
    }.items():
        for text in (match.to_mat(), match.to_sgf()):
            copy = bgfast.records.read_match(text.replace("stack_max=7", setting))
            assert [(item.severity, item.message[: len(message)]) for item in copy.findings] == [
                ("warning", message)
            ]
            assert copy.rules == RuleSet()


def test_a_comment_on_a_position_is_not_a_roll() -> None:
    match = Match.from_decision("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:5:10")
    match.info = MatchInfo(comments=((0, "Roll to play: 31"),))
    copy = mat_round_trip(match)
    assert (copy.dice, copy.info.comments) == (None, ((1, "- Roll to play: 31"),))


@pytest.mark.parametrize("round_trip", ROUND_TRIPS)
def test_matches_that_begin_in_mid_game_are_kept(round_trip: Callable[[Match], Match]) -> None:
    """The position, cube, roll and offer at the beginning are kept, and no decision is added."""
    for seed in range(16):
        whole_match = random_match(seed, (1, 3, 7, None)[seed % 4])
        start = seed * 37 % whole_match.action_count
        while whole_match.states[start].game.phase not in ("to_roll", "to_play", "doubled"):
            start = (start + 1) % whole_match.action_count
        match = Match.from_decision(whole_match.states[start].decision, whole_match.rules)
        for action in whole_match.history[start:]:
            if action.name == "next_game":
                break
            match._do(action, None)
        copy = round_trip(match)
        assert (copy.score, copy.results) == (match.score, match.results), seed
        expected = [item for item in match.history if not item.name.endswith("resignation")]
        actions = [item for item in copy.history if not item.name.endswith("resignation")]
        assert actions[0].name == "set_position"
        assert [(item.name, item.text, item.dice) for item in actions[1:]] == [
            (item.name, item.text, item.dice) for item in expected
        ], seed
