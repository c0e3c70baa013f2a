"""Position, PlayList and Play under every rule set: lists, texts, moves and next moves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bgfast import EXACT, STANDARD, IllegalPlayError, Position, RuleSet, reference
from tests.support.legal_plays import forfeited_dice, parse_forfeits
from tests.support.positions import ORDERED_ROLLS, SOURCES, few_checkers, is_possible
from tests.support.rule_cases import RULES

Roll = tuple[int, int]
Pairs = tuple[tuple[int, int], ...]
UNDER_ALL_RULES = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
FORFEIT = RuleSet(forfeit="empty_point")
SOURCE_NAMES = ("bearing_off", "nearly_home", "last_checkers", "last_checkers_home", "bar_heavy")


def cases(rules: RuleSet, count: int, seed: int) -> Iterator[tuple[Position, Roll]]:
    """Yield positions with rolls, mostly around the start of a bear-off."""
    rng = random.Random(f"{seed} {rules}")
    for index in range(count):
        board = few_checkers(rng) if index % 3 == 0 else SOURCES[rng.choice(SOURCE_NAMES)](rng)
        if is_possible(board):
            yield Position.from_array(board), rng.choice(ORDERED_ROLLS)


def sequences(position: Position, roll: Roll, rules: RuleSet) -> dict[Pairs, Position]:
    """Return the next player's position after each legal sequence of (from, to) in the reference."""
    reference_sequences = reference.legal_sequences(position.to_array().tolist(), *roll, rules)
    return {
        tuple((start, to) for _, start, to, _ in steps): Position.from_array(board, position.checkers).flip()
        for steps, board in reference_sequences
    }


@pytest.mark.slow
@UNDER_ALL_RULES
def test_every_listed_play_can_be_played_in_every_form(rules: RuleSet) -> None:
    forfeit_count = 0
    for position, roll in cases(rules, 36, 1):
        legal_positions = sequences(position, roll, rules)
        plays = position.plays(roll, rules)
        assert {play.position for play in plays} == set(legal_positions.values())
        assert len({str(play) for play in plays}) == len(plays)
        for play in plays:
            assert legal_positions[play.moves] == play.position, (position, roll, play.moves)
            for form in (play, str(play), play.moves, iter(play.moves)):
                assert position.play(form, roll, rules) == play.position, (position, roll, play)
            assert forfeited_dice(play.moves) == parse_forfeits(str(play)), (position, roll, play)
            forfeit_count += len(forfeited_dice(play.moves))
        if not len(plays):
            assert position.play("pass", roll, rules) == position.flip()
            assert position.play((), roll, rules) == position.flip()
    assert (forfeit_count > 10) == (rules.forfeit != "never")


def test_dice_used_is_the_maximum_over_plays() -> None:
    for rules in RULES.values():
        difference_count = 0
        for position, roll in cases(rules, 100, 5):
            plays = position.plays(roll, rules)
            counts = {len(play.moves) for play in plays}
            assert plays.dice_used == max(counts, default=0)
            difference_count += len(counts) > 1 and len(plays[0].moves) < max(counts)
        assert (difference_count > 0) == (rules.forfeit != "never")


def test_dice_used_if_a_play_may_stop_early() -> None:
    # RULES.md, example P41: one 4 plays 6/2 and the other 4s have no move, or all four 4s are forfeited.
    board = [0, 0, 0, 1, 0, 0, 1] + [0] * 17 + [-2, 0]
    plays = Position.from_array(board).plays((4, 4), EXACT)
    assert sorted((str(play), len(play.moves)) for play in plays) == [("6/2", 1), ("F4(4)", 4)]
    assert plays.dice_used == 4


@pytest.mark.slow
@UNDER_ALL_RULES
def test_random_clicks_lead_to_a_listed_play(rules: RuleSet) -> None:
    rng = random.Random(repr(rules))
    for position, roll in cases(rules, 24, 3):
        legal_positions = sequences(position, roll, rules)
        plays = position.plays(roll, rules)
        for _ in range(3):
            clicks: list[tuple[int, int]] = []
            moves = position.next_moves(roll, clicks, rules)
            while moves and not (moves.complete and rng.random() < 0.5):
                if not moves.complete:
                    with pytest.raises(IllegalPlayError, match="the play is not complete"):
                        position.play(clicks, roll, rules)
                clicks.append(rng.choice(moves)[1:3])
                moves = position.next_moves(roll, clicks, rules)
            assert moves.complete
            if plays:
                assert position.play(clicks, roll, rules) == legal_positions[tuple(clicks)]
            assert bool(clicks) == bool(len(plays))


def test_plays_legal_only_under_other_rules_are_refused() -> None:
    for rules in RULES.values():
        refusal_count = 0
        for position, roll in cases(rules, 15, 4):
            legal_positions = {play.position for play in position.plays(roll, rules)}
            plays = [*position.plays(roll, STANDARD), *position.plays(roll, FORFEIT)]
            for play in [play for play in plays if play.position not in legal_positions][:20]:
                refusal_count += 1
                for form in (play, str(play), play.moves):
                    with pytest.raises(IllegalPlayError):
                        position.play(form, roll, rules)
        assert (refusal_count > 5) == (rules != FORFEIT)  # FORFEIT allows the plays of both rule sets
