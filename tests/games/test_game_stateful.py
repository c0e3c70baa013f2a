"""Random legal and illegal actions in games and matches, checked by a second implementation of the rules.

The machine tracks legal actions, cube and points as docs/RULES.md defines them. It shares only the list of
plays with the tested code, and compares that list with the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from bgfast import BgfastError, Game, Match, Position, RuleSet, reference
from bgfast.errors import IllegalActionError
from bgfast.games import MatchScore
from tests.support.games import PRESETS

RULE_SETS = [RuleSet.named(name) for name in PRESETS]
RULE_SETS += [
    RuleSet(beavers=True, jacoby=True, automatic_doubles=1),
    RuleSet(beavers=True, automatic_doubles=2, cube_limit=4),
    RuleSet(premature_roll="void", automatic_doubles=3),
    RuleSet(opening="colour_lot", win_scheme="bar_home_beats_off", beavers=True),
]
# Most of these games are short, and many end within a run.
POSITIONS = [
    Position.start(),
    Position.hypergammon(),
    Position.from_array([0, 1, 1] + [0] * 20 + [-1, -1, 0]),
    Position.from_array([-1, 2, 1] + [0] * 15 + [-2, 0, 0, 0, 0, -2, 0, 0]),
]
NAMES = (
    "draw_lot roll roll_again double take drop beaver raccoon pass_turn end_turn challenge resign"
    " accept_resignation refuse_resignation next_game"
).split()
move_lists = st.lists(st.tuples(st.integers(1, 25), st.integers(0, 24)), max_size=4)


class Machine(RuleBasedStateMachine):
    """State machine for `Game` and `Match`."""

    target: Any  # the Game or Match under test

    def begin(self, target: Any, rules: RuleSet, length: int | None) -> None:
        self.target = target
        self.rules = rules
        self.length = length
        self.points = [0, 0]
        self.crawford_games = 0
        self.past_states: list[Any] = [target.state]

    def game(self) -> Any:
        return self.target.state.game if isinstance(self.target, Match) else self.target.state

    def refuses(self, action: Callable[[], object], error: type[BgfastError] = BgfastError) -> bool:
        """Return whether an action is refused; assert that a refusal changes nothing."""
        before = self.game(), self.target.to_json(complete=True)
        try:
            action()
        except error:
            assert (self.game(), self.target.to_json(complete=True)) == before
            return True
        return False

    def attempt(self, name: str, *arguments: Any) -> None:
        """Try an action; assert that it succeeds exactly if it is legal, and changes nothing otherwise."""
        is_listed = name in self.target.legal_actions()
        assert is_listed == self.is_legal(name)
        if not hasattr(self.target, name):
            assert (name, type(self.target)) == ("next_game", Game)
            return
        before = self.game()
        assert self.refuses(lambda: getattr(self.target, name)(*arguments), IllegalActionError) != is_listed
        if is_listed:
            self.record(name, before)

    @rule(name=st.sampled_from(NAMES))
    def try_any_action(self, name: str) -> None:
        self.attempt(name)

    @rule(data=st.data())
    def take_a_legal_action(self, data: st.DataObject) -> None:
        names = [name for name in self.target.legal_actions() if name not in ("play", "resign", "roll_again")]
        if names:
            self.attempt(data.draw(st.sampled_from(names)))

    @rule(pick=st.integers(0, 10**6), end_turn=st.sampled_from([True, True, False]), unchecked=st.booleans())
    def make_a_legal_play(self, pick: int, end_turn: bool, unchecked: bool) -> None:
        if "play" not in self.target.legal_actions():
            return
        before = self.game()
        plays = self.target.plays()
        board = before.position.to_array().tolist()
        expected = reference.legal_positions(board, *before.dice, rules=self.rules)
        assert {tuple(row) for row in plays.boards.tolist()} == expected
        play = plays[pick % len(plays)]
        self.target.play(play, unchecked=unchecked, end_turn=end_turn)
        after = self.game()
        assert after.phase == (
            "over" if play.position.phase == "over" else "to_roll" if end_turn else "moved"
        )
        if after.phase != "moved":
            assert after.position == play.position
            assert after.moved is None
        self.record("play", before)

    @rule(moves=move_lists)
    def try_moves(self, moves: list[tuple[int, int]]) -> None:
        before = self.game()
        if self.refuses(lambda: self.target.play(moves)):
            return
        boards = reference.legal_positions(
            before.position.to_array().tolist(), *before.dice, rules=self.rules
        )
        if moves:
            assert tuple(self.game().position.flip().to_array().tolist()) in boards
        else:
            assert not boards
        self.record("play" if moves else "pass_turn", before)

    @rule(moves=move_lists, end_turn=st.booleans())
    def make_an_unchecked_play(self, moves: list[tuple[int, int]], end_turn: bool) -> None:
        before = self.game()
        if self.refuses(lambda: self.target.play(moves, unchecked=True, end_turn=end_turn)):
            return
        assert before.phase in ("to_play", "moved")
        after = self.game()
        if self.target.history[-1].unchecked:
            board = after.moved.after.flip().to_array().tolist()
            start = before.position.to_array().tolist()
            assert tuple(board) not in reference.legal_positions(start, *before.dice, rules=self.rules)
            assert ("challenge" in self.target.legal_actions()) is end_turn
        # A play without moves is a pass if there is no legal play, and otherwise an illegal play.
        self.record(self.target.history[-1].name if not moves else "play", before)

    @rule(level=st.integers(1, 3))
    def resign(self, level: int) -> None:
        self.attempt("resign", level)

    @rule(level=st.integers(1, 3), player=st.integers(0, 1))
    def resign_at_any_moment(self, level: int, player: int) -> None:
        before = self.game()
        is_refused = before.phase in ("resigned", "over")
        assert self.refuses(lambda: self.target.resign(level, by=player), IllegalActionError) == is_refused
        if is_refused:
            return
        assert (self.target.history[-1].player, self.target.to_act) == (player, 1 - player)
        self.record("resign", before)

    @rule()
    def double_a_dead_cube(self) -> None:
        before = self.game()
        is_dead = (
            before.phase == "to_roll"
            and before.match is not None
            and not before.match.crawford
            and before.cube.owner in (None, before.on_turn)
            and before.match.score[before.on_turn] + before.cube.value >= self.length
            and not self.exceeds_limit(2 * before.cube.value)
        )
        assert self.refuses(lambda: self.target.double(unchecked=True), IllegalActionError) != is_dead
        if is_dead:
            self.record("double", before)

    @precondition(lambda self: self.target.history)
    @rule(steps=st.integers(1, 4))
    def undo_and_redo(self, steps: int) -> None:
        state, text = self.target.state, self.target.to_json(complete=True)
        steps = min(steps, len(self.target.history))
        for step in range(1, steps + 1):
            self.target.undo()
            assert self.target.state == self.past_states[-1 - step]
        for _ in range(steps):
            self.target.redo()
        assert (self.target.state, self.target.to_json(complete=True)) == (state, text)

    @rule()
    def save_and_restore(self) -> None:
        restored = type(self.target).from_json(self.target.to_json(complete=True))
        assert restored == self.target
        assert restored.to_json(complete=True) == self.target.to_json(complete=True)
        self.target = restored

    def record(self, name: str, before: Any) -> None:
        """Record an action and assert its consequences."""
        self.past_states.append(self.target.state)
        after = self.game()
        action = self.target.history[-1]
        assert action.name == name
        if name == "next_game":
            self.crawford_games += after.match is not None and after.match.crawford
            return
        phase = before.resumes if before.phase == "resigned" else before.phase
        stakes = {"beavered": (4, 2), "raccooned": (8, 4)}.get(phase, (2, 1))
        if name == "take":
            assert after.cube.value == stakes[0] * before.cube.value
            assert after.cube.owner == 1 - before.on_turn
            assert after.on_turn == before.on_turn
        elif {"roll": before.phase, "roll_again": before.rolled_in}.get(name) == "opening":
            # A tie may double the cube, including when the opening dice are rolled again.
            assert after.cube.owner is None
            assert after.cube.value in (before.cube.value, 2 * before.cube.value)
        else:
            assert after.cube == before.cube
        if after.result is None:
            return
        result = after.result
        self.points[result.winner] += result.points
        assert result.points == result.level * stakes[1] * before.cube.value
        if name == "drop":
            assert result.level == 1
            assert result.winner == (1 - before.on_turn if before.phase == "beavered" else before.on_turn)
        else:
            assert name in ("play", "accept_resignation")
            assert result.winner == (before.on_turn if name == "play" else 1 - before.resigned_by)
            if self.rules.jacoby and self.length is None and not self.is_cube_turned():
                assert result.level == 1

    def is_cube_turned(self) -> bool:
        """Return whether a double was taken in this game."""
        names = [action.name for action in self.target.history]
        start = max((i for i, name in enumerate(names) if name == "next_game"), default=0)
        return "take" in names[start:]

    def is_legal(self, name: str) -> bool:
        """Return whether an action is legal according to docs/RULES.md."""
        game = self.game()
        is_over = game.result is not None
        if name == "next_game":
            return isinstance(self.target, Match) and is_over and self.target.winner is None
        if is_over:
            return False
        if game.phase == "resigned" or name in ("accept_resignation", "refuse_resignation"):
            return game.phase == "resigned" and name in ("accept_resignation", "refuse_resignation")
        is_offered = game.phase in ("doubled", "beavered", "raccooned")
        if is_offered or name in ("take", "drop", "beaver", "raccoon"):
            if name in ("take", "drop"):
                return is_offered
            beavers = self.rules.beavers and self.length is None
            phase, factor = {"beaver": ("doubled", 4), "raccoon": ("beavered", 8)}.get(name, ("", 0))
            return beavers and game.phase == phase and not self.exceeds_limit(factor * game.cube.value)
        must_pass = game.dice is not None and not reference.legal_positions(
            game.position.to_array().tolist(), *game.dice, rules=self.rules
        )
        before_rolling = game.dice is None and game.on_turn is not None
        is_allowed: dict[str, bool] = {
            "draw_lot": game.phase == "lot",
            "roll": game.phase != "lot" and (game.dice is None or game.phase == "moved"),
            "roll_again": game.phase == "to_play" and self.target.history[-1].name in ("roll", "roll_again"),
            "double": before_rolling and game.phase != "first_roll" and self.may_double(game),
            "pass_turn": must_pass,
            "end_turn": game.phase == "moved",
            "challenge": before_rolling and self.target.history[-1:] != () and self.is_illegal_play_pending(),
            "resign": game.on_turn is not None and game.phase != "moved",
        }
        if name == "roll_again" and game.phase == "to_play" and not is_allowed[name]:
            # The dice may also be rolled again after a refused resignation or a challenge.
            return game.rolled_in is not None
        return is_allowed[name]

    def may_double(self, game: Any) -> bool:
        if game.cube.owner not in (None, game.on_turn) or self.exceeds_limit(2 * game.cube.value):
            return False
        if self.length is None:
            return True
        points = game.match.score[game.on_turn]
        return not game.match.crawford and points + game.cube.value < self.length

    def exceeds_limit(self, value: int) -> bool:
        return 0 < self.rules.cube_limit < value

    def is_illegal_play_pending(self) -> bool:
        for action in reversed(self.target.history):
            if action.name == "play":
                return bool(action.unchecked)
            if action.name not in ("end_turn", "resign", "refuse_resignation") and not self.is_void(action):
                return False
        return False

    def is_void(self, action: Any) -> bool:
        return action.name == "roll" and self.rules.premature_roll == "void" and self.game().dice is None

    @invariant()
    def checker_counts_are_constant(self) -> None:
        position = self.game().position
        assert position.checkers == self.start.checkers
        board = position.to_array()
        assert board[board > 0].sum() + position.off[0] == position.checkers
        assert -board[board < 0].sum() + position.off[1] == position.checkers
        assert min(position.off) >= 0

    @invariant()
    def some_action_is_always_legal(self) -> None:
        is_over = not self.target.legal_actions()
        if isinstance(self.target, Match):
            assert is_over == (self.target.winner is not None)
        else:
            assert is_over == (self.target.result is not None)


class GameMachine(Machine):
    @initialize(
        rules=st.sampled_from(RULE_SETS),
        start=st.sampled_from(POSITIONS),
        seed=st.integers(0, 2**32),
        on_turn=st.sampled_from([None, 0, 1]),
        match=st.sampled_from(
            [None, MatchScore(3), MatchScore(3, (2, 0), crawford=True), MatchScore(3, (2, 1))]
        ),
    )
    def begin_a_game(
        self, rules: RuleSet, start: Position, seed: int, on_turn: int | None, match: MatchScore | None
    ) -> None:
        self.start = start
        target = Game(rules, dice=seed, position=start, on_turn=on_turn, match=match)
        self.begin(target, rules, None if match is None else match.length)

    @invariant()
    def points_equal_the_result(self) -> None:
        result = self.target.result
        assert sum(self.points) == (0 if result is None else result.points)


class MatchMachine(Machine):
    @initialize(
        rules=st.sampled_from(RULE_SETS),
        start=st.sampled_from(POSITIONS[1:]),
        seed=st.integers(0, 2**32),
        length=st.sampled_from([None, 1, 2, 3, 5]),
    )
    def begin_a_match(self, rules: RuleSet, start: Position, seed: int, length: int | None) -> None:
        self.start = start
        self.begin(Match(length, rules, dice=seed, position=start), rules, length)

    @rule(pick=st.integers(0, 10**6), turns=st.integers(1, 20))
    def play_turns(self, pick: int, turns: int) -> None:
        """Play several turns, so that games end."""
        for _ in range(turns):
            names = self.target.legal_actions()
            if "play" in names:
                self.make_a_legal_play(pick, True, False)
            elif names:
                self.attempt(next(name for name in ("next_game", "take", "roll", *names) if name in names))

    @invariant()
    def score_is_the_sum_of_points(self) -> None:
        assert list(self.target.score) == self.points
        assert sum(result.points for result in self.target.results) == sum(self.points)

    @invariant()
    def the_match_ends_exactly_when_somebody_reaches_the_length(self) -> None:
        if self.length is None:
            assert self.target.winner is None
            return
        winners = [player for player in (0, 1) if self.points[player] >= self.length]
        assert [self.target.winner] == (winners or [None])

    @invariant()
    def the_crawford_game_happens_once(self) -> None:
        if self.length is None:
            assert self.crawford_games == 0
            return
        # The first game that begins with a player one point away is the Crawford game.
        scores = np.cumsum(
            [[0, 0]]
            + [
                [result.points * (result.winner == player) for player in (0, 1)]
                for result in self.target.results
            ],
            axis=0,
        )
        game_count = len(self.target.results) + (self.game().result is None)
        is_due = any(min(score) < max(score) == self.length - 1 for score in scores[:game_count].tolist())
        assert self.crawford_games == int(is_due)


@pytest.mark.parametrize("name", PRESETS)
def test_all_presets_are_tested(name: str) -> None:
    assert RuleSet.named(name) in RULE_SETS


SETTINGS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}

TestGame = GameMachine.TestCase
TestGame.settings = settings(max_examples=15, stateful_step_count=40, **SETTINGS)  # type: ignore[arg-type]
TestMatch = MatchMachine.TestCase
TestMatch.settings = settings(max_examples=12, stateful_step_count=40, **SETTINGS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "examples", [pytest.param(100, marks=pytest.mark.slow), pytest.param(300, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("machine", [GameMachine, MatchMachine])
def test_long_random_runs(machine: type[RuleBasedStateMachine], examples: int) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(max_examples=examples, stateful_step_count=80, **SETTINGS),  # type: ignore[arg-type]
    )
