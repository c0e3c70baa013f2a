"""Static types of positions, plays, rule sets, pictures and IDs; this file is never run.

A `type: ignore` marks an expected error; both type checkers also report unnecessary ignores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import bgfast
from bgfast import Decision, Move, NextMoves, Play, PlayList, PlaySoFar, Position, RuleSet, Svg

start = Position.start()


def positions() -> None:
    assert_type((start, Position.nackgammon(), Position.longgammon()), tuple[Position, Position, Position])
    assert_type((Position.hypergammon(), Position.from_gnubg_id("4HPwATDgc/ABMA")), tuple[Position, Position])
    assert_type((Position.from_array([0] * 26, checkers=3), start.flip()), tuple[Position, Position])
    assert_type((Position.from_xgid("XGID="), start.play("8/5 6/5", (3, 1))), tuple[Position, Position])
    assert_type((start.checkers, start.result, start[24], start[np.int64(24)]), tuple[int, int, int, int])
    assert_type((start.pip_counts, start.off), tuple[tuple[int, int], tuple[int, int]])
    assert_type(start.phase, Literal["contact", "race", "bearoff", "over"])
    assert_type(start.winner, Literal["mover", "opponent"] | None)
    assert_type((start.gnubg_id, start.xgid), tuple[str, str])
    assert_type(iter(start), Iterator[int])
    assert_type(start.to_array(), npt.NDArray[np.int8])
    assert_type(start.play([(8, 5), (6, 5)], np.array([3, 1])), Position)
    assert_type({start: 1}, dict[Position, int])

    Position()[24:1]  # type: ignore[index]
    start["24"]  # type: ignore[index]
    start.checkers = 3  # type: ignore[misc]
    start.plays(3)  # type: ignore[arg-type]
    print(start.nothing)  # type: ignore[attr-defined]
    if start.phase == "endgame":  # type: ignore[comparison-overlap]
        pass


def plays() -> None:
    play_list = start.plays((3, 1), rules="exact")
    assert_type(play_list, PlayList)
    assert_type((play_list[0], play_list[np.int64(0)], play_list["8/5 6/5"]), tuple[Play, Play, Play])
    assert_type(play_list[:3], list[Play])
    assert_type(next(iter(play_list)), Play)
    assert_type([play.text for play in play_list], list[str])
    assert_type("8/5 6/5" in play_list, bool)
    assert_type((len(play_list), play_list.dice_used, play_list.index("8/5 6/5")), tuple[int, int, int])
    assert_type((play_list.position, play_list.play("8/5 6/5")), tuple[Position, Position])
    assert_type(play_list.roll, tuple[int, int])
    assert_type((play_list.boards, play_list.moves), tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]])
    assert_type(play_list.count(play_list[0]), int)

    play = play_list[0]
    assert_type((play.position, play.start), tuple[Position, Position])
    assert_type(play.moves, tuple[tuple[int, int], ...])
    assert_type(play.roll, tuple[int, int])
    assert_type(play.text, str)
    assert_type(play.hits, int)

    play_list[1.5]  # type: ignore[call-overload]
    play_list[0] = play  # type: ignore[index]
    play.text = "8/5 6/5"  # type: ignore[misc]


def single_moves() -> None:
    choices = start.next_moves((3, 1), so_far=[(8, 5)])
    assert_type(choices, NextMoves)
    assert_type(choices.moves, tuple[Move, ...])
    assert_type(choices[0], Move)
    assert_type(start.next_moves("31", "8/5").complete, bool)
    assert_type((choices.complete, choices.moves[0].hit), tuple[bool, bool])
    assert_type((choices.moves[0].die, choices.moves[0].from_), tuple[int, int])
    so_far = start.play_so_far((3, 1), [(8, 5)])
    assert_type(so_far, PlaySoFar)
    assert_type(so_far.board, tuple[int, ...])
    assert_type(so_far.text, str)
    assert_type(so_far.next_moves, tuple[Move, ...])

    start.next_moves((3, 1), so_far=[8, 5])  # type: ignore[list-item]


def rule_sets() -> None:
    for preset in (bgfast.STANDARD, bgfast.EXACT, bgfast.REAR_FIRST, bgfast.FIVE_STACK):
        assert_type(preset, RuleSet)
    assert_type(bgfast.EXACT.stack_max, int)
    assert_type(bgfast.EXACT.win_scheme, Literal["standard", "bar_home_beats_off", "not_all_home"])
    assert_type(RuleSet.named("exact"), RuleSet)
    assert_type(
        RuleSet(bearoff_die="exact", stack_max=5).bearoff_die, Literal["standard", "exact", "rearmost"]
    )
    start.plays((3, 1), rules=bgfast.FIVE_STACK)
    start.plays((3, 1), rules="five_stack")

    start.plays((3, 1), rules="five stack")  # type: ignore[arg-type]
    start.plays((3, 1), rules=None)  # type: ignore[arg-type]
    RuleSet(bearoff_die="exactly")  # type: ignore[arg-type]
    RuleSet("exact")  # type: ignore[call-arg]


def pictures_and_ids() -> None:
    picture = bgfast.svg(start, theme="dark", bottom="O", clockwise=True, size=300, colours={"board": "#fff"})
    assert_type(picture, Svg)
    text: str = picture
    assert_type((bgfast.svg(start, start.plays((3, 1))[0]), bgfast.svg(bgfast.Game())), tuple[Svg, Svg])
    assert_type(bgfast.svg(bgfast.Match(7)), Svg)

    decision = Decision.read(text)
    assert_type((decision, Decision.read("4HPwATDgc/ABMA:cAkAAAAAAAAA")), tuple[Decision, Decision])
    assert_type(Decision(position=start, offer="double").offer, Literal["double", "beaver", "raccoon"] | None)
    assert_type(decision.position, Position)
    assert_type(decision.dice, tuple[int, int] | None)
    assert_type(decision.score, tuple[int, int])
    assert_type((decision.xgid, decision.gnubg_id, decision.match_id), tuple[str, str, str])
    assert_type(bgfast.svg(decision), Svg)

    bgfast.svg(start, theme="night")  # type: ignore[arg-type]
    bgfast.svg(start, bottom="x")  # type: ignore[arg-type]
    Decision(position=3)  # type: ignore[arg-type]
    Decision(start)  # type: ignore[call-arg]
    decision.cube = 2  # type: ignore[misc]


def reference() -> None:
    board = list(start)
    assert_type(bgfast.reference.legal_positions(board, 3, 1, rules="exact"), set[tuple[int, ...]])
    assert_type(bgfast.reference.perft(board, 1), tuple[int, int])
    assert_type(bgfast.reference.flip(board), tuple[int, ...])

    bgfast.reference.legal_positions(board, (3, 1))  # type: ignore[call-arg, arg-type]
