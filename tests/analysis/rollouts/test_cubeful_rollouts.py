"""Rollouts with the cube: in the core as side by side, and as it is where that can be known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import bgfast
from bgfast import (
    BgfastError,
    Decision,
    IllegalActionError,
    InvalidDiceError,
    Network,
    Position,
    RolloutResult,
    rollout,
)
from bgfast.analysis.rollouts import trials as rollout_trials
from bgfast.analysis.rollouts._cube_states import MOST_DOUBLES
from bgfast.analysis.rollouts.cube_use import CubeUse
from bgfast.analysis.rollouts.result import CubeVerdict, Estimate, cube_verdict, standard_errors
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.common.pace import Limit
from bgfast.evaluators import Bearoff, Lookahead, PipCount, Pubeval
from tests.support.cube_tables import KAZAROSS
from tests.support.cubeful_games import MODEL, PLAYER, branches, small_bearoffs, without_tables
from tests.support.journals import rewrite
from tests.support.plain_cube import Game, Match, Money, emg
from tests.support.rollouts import RACE, five, pip_count

START = Position.start()
NETWORK = Network.builtin_fast()
BEAROFF = Position.from_array([0, 3, 0, 2, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
HOLDING = Decision.read("XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10").position
MANY = pytest.mark.parametrize(
    "number", [pytest.param(80, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.long)]
)
CONTEXTS: dict[str, dict[str, Any]] = {
    "money": {},
    "Jacoby rule, beavers": {"jacoby": True, "beaver": True},
    "owned": {"cube": 2, "cube_owner": 1},
    "unavailable": {"cube": 4, "cube_owner": -1},
    "2-away, 4-away": {"match_length": 5, "score": (3, 1)},
    "after the Crawford game": {"match_length": 3, "score": (0, 2)},
}


def both_ways(given: Any, first: int, last: int, **settings: Any) -> rollout_trials.Block:
    """Play trials in the core and side by side; compare; return the former."""
    job = Rollout(given, settings.pop("evaluator", NETWORK), **settings).job
    assert job.in_core
    assert job.cube is not None
    core = rollout_trials.play_block(job, first, last)
    assert core is not None
    games = rollout_trials._LockstepGames(job, first, last, Limit())
    for _ in games.play():
        pass
    assert core.adjusted is not None
    assert games.adjusted is not None
    assert np.array_equal(core.points, games.points)
    assert np.array_equal(core.plies, games.plies)
    assert core.adjusted.shape == games.adjusted.shape == (*core.points.shape, 7)
    assert np.isfinite(core.adjusted).all()
    # Which play of a roll is best may hang on rounding: then luck is another.
    slack = 0.1 if job.luck_evaluator is not None else 1e-6
    assert np.abs(core.adjusted - games.adjusted).max() < slack
    assert np.abs((core.adjusted - games.adjusted).mean(axis=1)).max() < max(1e-6, slack / 10)
    return core


@pytest.mark.parametrize(
    "settings", [{}, {"truncate": 3}, {"truncate": 4, "variance_reduction": True}], ids=str
)
@pytest.mark.parametrize("context", CONTEXTS.values(), ids=CONTEXTS)
def test_the_core_plays_what_is_played_side_by_side(
    context: dict[str, Any], settings: dict[str, Any]
) -> None:
    for position in (HOLDING, RACE, BEAROFF):
        decision = Decision(position=position, **context)
        both_ways(decision, 30, 42, seed=3, **settings)
        both_ways(Decision(position=position, dice=(6, 1), **context), 30, 36, seed=3, **settings)


def test_a_board_that_comes_again_is_doubled() -> None:
    """Both dance, and who was not to double at first doubles: what was found out then is of no use."""
    dancers = Decision.read("XGID=aBBBBB-BB----c---a-b-bbbbA:0:0:1:00:0:0:0:0:10")
    both_ways(dancers, 0, 36, seed=3, truncate=4, variance_reduction=True)


def test_games_are_passed_and_doubled() -> None:
    """What is compared above has all that there can be."""
    job = Rollout(Decision(position=RACE), NETWORK).job
    block = rollout_trials.play_block(job, 0, 36)
    assert block is not None
    assert block.adjusted is not None
    values = np.abs(block.adjusted[..., 6])
    assert set(np.unique(values)) >= {1.0, 2.0, 4.0}
    passed = (block.adjusted[..., 0] != 0) & (block.adjusted[..., 0] != 1)
    assert 0.1 < passed.mean() < 0.9
    assert (block.points[passed] != 0).all()


# ---- what is known exactly ----

GAMES: dict[str, tuple[Game, dict[str, Any]]] = {
    "money": (Money(), {}),
    "money, owned": (Money(), {"cube": 2, "cube_owner": 1}),
    "beavers": (Money(beavers=True), {"beaver": True}),
    "3-away, 4-away": (Match(KAZAROSS, (3, 4)), {"match_length": 7, "score": (4, 3)}),
    "5-away, 4-away, owned": (
        Match(KAZAROSS, (5, 4)),
        {"match_length": 5, "score": (0, 1), "cube": 2, "cube_owner": 1},
    ),
    "post-Crawford": (
        Match(KAZAROSS, (3, 1), "after"),
        {"match_length": 5, "score": (2, 4)},
    ),
}


def errors_apart(
    board: tuple[int, ...], game: Game, context: dict[str, Any], trials: int = 1296, **settings: Any
) -> list[float]:
    """By how many standard errors both branches are off what recursion finds."""
    cube = context.get("cube", 1)
    owner = "owned" if context.get("cube_owner") else "centred"
    exact = branches(board, game, cube, owner)
    player = PLAYER if isinstance(game, Match) else without_tables
    decision = Decision(position=Position.from_array(board), **context)
    found = rollout(decision, player, trials=trials, efficiency=MODEL, **settings)
    assert found.cube is not None
    off = []
    for value, told, error in (
        (exact.no_double, found.cube.no_double, found.cube.no_double_se),
        (exact.double_take, found.cube.double_take, found.cube.double_take_se),
    ):
        known = emg(game, value, cube) if isinstance(game, Match) else value / cube
        off.append(abs(told - known) / max(error, 1e-3))
    return off


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_bearoffs_come_to_what_recursion_finds(game: tuple[Game, dict[str, Any]]) -> None:
    off = [each for board in small_bearoffs(8, 2, seed=5) for each in errors_apart(board, *game)]
    assert max(off) < 3.5
    assert np.mean(np.array(off) ** 2) < 2


def errors_off_the_table(number: int, most: int, seed: int, owner: int) -> np.ndarray:
    """By how many standard errors positions are off the exact table, each worth the better branch."""
    off = []
    for board in small_bearoffs(number, most, seed):
        decision = Decision(position=Position.from_array(board), cube=2 if owner else 1, cube_owner=owner)
        exact = Bearoff().cubeful_equities([board])[0, 0 if owner else 1]
        found = rollout(decision, PLAYER, trials=1296).cube
        assert found is not None
        double = min((found.double_take, found.double_take_se), (1.0, 0.0))
        told, error = max((found.no_double, found.no_double_se), double)
        off.append(abs(told - exact) / max(error, 2e-3))
    return np.array(off)


@pytest.mark.parametrize("owner", [0, 1], ids=["centred", "owned"])
def test_bearoffs_come_to_what_the_table_has(owner: int) -> None:
    assert errors_off_the_table(8, 4, 10, owner).max() < 3


@MANY
@pytest.mark.parametrize("owner", [0, 1], ids=["centred", "owned"])
def test_many_bearoffs_come_to_what_the_table_has(owner: int, number: int) -> None:
    assert errors_off_the_table(number, 4, 9, owner).max() < 3


@pytest.mark.parametrize("owner", [0, 1], ids=["centred", "owned"])
def test_tables_decide_where_they_know_the_position(owner: int) -> None:
    """Doubles that the formula takes for right, and the tables for wrong, and the other way round."""
    states = CubeUse(
        Decision(position=START, cube=1 + owner, cube_owner=owner), PLAYER, (), "gnubg", None
    ).states()
    boards = np.array(small_bearoffs(300, 4, seed=2), np.int8)
    given = np.column_stack((PLAYER(boards), np.zeros(len(boards))))
    at = np.zeros(len(boards), np.int32)
    exact = Bearoff().doubling_equities(boards)
    no_double, double_take = exact[:, 1 - owner], exact[:, 2]
    proper = np.where(
        np.minimum(double_take, 1) <= no_double, 0, np.where(double_take > 1, -1, states.doubled(0))
    )
    after, values = states.actions(boards, given, at)
    assert np.array_equal(after, proper)
    assert values == pytest.approx(np.maximum(no_double, np.minimum(double_take, 1)))
    assert (states.actions(boards, given, at, by_tables=False)[0] != proper).any()
    many = boards.copy()
    many[:, 1] += 6  # more than they have
    assert not np.array_equal(states.actions(many, given, at)[0], states.actions(boards, given, at)[0])
    assert np.array_equal(
        states.actions(many, given, at)[0], states.actions(many, given, at, by_tables=False)[0]
    )


def test_the_formula_decides_elsewhere_as_in_a_decision() -> None:
    """With the efficiency of the cube as it is, and as it is after the double."""
    decision = Decision(position=START)
    states = CubeUse(decision, NETWORK, (), "bgfast", None).states()
    boards = bgfast.random_positions(120, seed=8)
    given = np.column_stack((NETWORK(boards), np.zeros(len(boards)))).astype(np.float64)
    after, values = states.actions(boards, given, np.zeros(len(boards), np.int32))
    for row, board in enumerate(boards):
        expected = bgfast.cube_actions(given[row, :5], replace(decision, position=Position.from_array(board)))
        assert values[row] == pytest.approx(expected.best)
        doubled = -1 if expected.answers == "pass" else states.doubled(0)
        assert after[row] == (doubled if expected.cost_double == 0 else 0)
    assert len(set(after.tolist())) == 3


def test_a_double_that_is_right_and_beavered() -> None:
    """Under the Jacoby rule who is behind may double for gammons that count no more than a game before."""
    decision = Decision(position=Position.from_array([0, 2] + [0] * 22 + [-2, 0]), jacoby=True, beaver=True)
    states = CubeUse(decision, NETWORK, (), "bgfast", None).states()
    boards, given = decision.position.to_array()[None], np.array([[0.3, 0.25, 0.25, 0, 0, 0.0]])
    expected = bgfast.cube_actions(given[0, :5], decision)
    assert expected.words == "Double, beaver"
    ((after,), (value,)) = states.actions(boards, given, np.zeros(1, np.int32))
    assert value == pytest.approx(expected.double_beaver)
    assert (states.stakes(after).of_points(1), states.stakes(after).owner) == (4, -1)


def test_gammons_and_limits_are_not_in_the_tables() -> None:
    three = np.array([[0, 1, 1, 1] + [0] * 18 + [-1, -1, -1, 0]], np.int8)
    given, at = np.array([[0.7, 0.1, 0, 0, 0, 0.0]]), np.zeros(1, np.int32)
    decision = Decision(position=START)
    for changed, checkers in ((decision, 3), (replace(decision, max_cube=2), 15)):
        states = CubeUse(changed, PLAYER, (), "bgfast", None, checkers).states()
        found = [states.actions(three, given, at, by_tables=each) for each in (True, False)]
        assert found[0][1] == found[1][1]
    states = CubeUse(decision, PLAYER, (), "bgfast", None).states()
    assert states.actions(three, given, at)[1] != states.actions(three, given, at, by_tables=False)[1]


def test_luck_leaves_the_mean_where_it_is() -> None:
    off = [
        each
        for board in small_bearoffs(8, 3, seed=6)
        for each in errors_apart(board, Money(), {}, trials=432, variance_reduction=True, quasi_random=False)
    ]
    assert max(off) < 3.5
    assert np.mean(np.array(off) ** 2) < 2


@MANY
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_many_bearoffs_come_to_what_recursion_finds(game: tuple[Game, dict[str, Any]], number: int) -> None:
    off = np.array([errors_apart(board, *game) for board in small_bearoffs(number, 3, seed=7)])
    assert (off < 3).mean() > 0.99
    assert np.mean(off**2) < 1.3


def test_the_luck_of_the_dice_includes_the_cube() -> None:
    """A game that is doubled and passed varies by far less than one that is played out."""
    decision = Decision(position=HOLDING)
    plain, reduced = (
        rollout(decision, NETWORK, trials=72, quasi_random=False, variance_reduction=each).estimates[0]
        for each in (False, True)
    )
    assert reduced.equity_se < 0.35 * plain.equity_se


# ---- what follows from the rules ----


def test_a_match_of_one_point_is_to_win_the_game() -> None:
    found = rollout(Decision(position=HOLDING, match_length=1), NETWORK, trials=72)
    assert found.cube is None  # nobody may double
    assert found.best.mwc is not None
    assert found.best.probabilities is not None
    assert found.best.mwc == pytest.approx(found.best.probabilities[0])
    assert found.equity == pytest.approx(2 * found.best.mwc - 1)


def test_a_dead_cube_is_none() -> None:
    decision = Decision(position=HOLDING, cube=2, max_cube=2, dice=(6, 1))
    found = rollout(decision, NETWORK, trials=72)
    bare = rollout(decision, NETWORK, trials=72, cubeless=True)
    for one, other in zip(found.estimates, bare.estimates, strict=True):
        assert (one.name, one.points, one.probabilities) == (other.name, other.points, other.probabilities)
        assert one.equity == pytest.approx(one.cubeless_equity) == pytest.approx(other.equity)
    assert bare.judged_as == "cubeless, money; cube and score ignored"
    assert found.judged_as.startswith("cubeful, money; cube 2, centred")


@pytest.mark.parametrize(
    "context",
    [
        {"match_length": 3, "score": (2, 0), "crawford": True},
        {"match_length": 3, "score": (1, 1), "cube": 2, "cube_owner": 1},
        {"cube": 2, "cube_owner": -1},
        {"cube": 64, "max_cube": 64, "cube_owner": 1},
    ],
    ids=str,
)
def test_who_may_not_double_has_one_candidate(context: dict[str, Any]) -> None:
    decision = Decision(position=RACE, **context)
    found = rollout(decision, NETWORK, trials=36)
    assert [each.name for each in found.estimates] == [RACE.gnubg_id]
    assert found.cube is None


def test_a_cube_that_ends_the_match() -> None:
    """At 2-away, 2-away the game after a double is for the match, and nobody doubles again."""
    decision = Decision(position=RACE, match_length=5, score=(3, 3))
    found = {each.name: each for each in rollout(decision, NETWORK, trials=72).estimates}
    taken = found["double, take"]
    assert taken.probabilities is not None
    assert taken.mwc == pytest.approx(taken.probabilities[0])


def test_both_players_are_judged_alike() -> None:
    """X on roll or O, the same decision has the same result."""
    xgid = "-a-B--E-B-a-dDB--b-bcb----:1:1:1:61:3:1:0:5:10"
    decision = Decision.read(xgid)
    other = Decision.read(bgfast.Decision(**{**vars(decision), "turn": -1}).xgid)
    assert other.turn == -1
    found, mirrored = (rollout(each, NETWORK, trials=36) for each in (decision, other))
    assert found.estimates == mirrored.estimates


def test_what_one_wins_the_other_loses() -> None:
    """A position and the play that leads to it; the player on roll decides about the cube in both."""
    decision = Decision(position=RACE, match_length=5, score=(3, 1))
    play = next(iter(RACE.plays((6, 1))))
    after = Decision(position=play.position, match_length=5, score=(1, 3))
    mine = rollout([play], NETWORK, trials=72, context=decision).best
    theirs = rollout([play.position, play.position], NETWORK, trials=72, context=after).estimates[0]
    assert mine.mwc is not None
    assert theirs.mwc is not None
    assert mine.mwc == pytest.approx(1 - theirs.mwc)
    assert mine.equity == pytest.approx(-theirs.equity)


class Keen:
    """Who is on roll wins three games of four: a double is always right, and so is a take."""

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return np.tile([0.75, 0.0, 0.0, 0.0, 0.0], (len(boards), 1))


def test_games_do_not_grow_without_end() -> None:
    found = rollout(Decision(position=RACE), Keen(), trials=4)
    job = Rollout(Decision(position=RACE), Keen()).job
    block = rollout_trials.play_block(job, 0, 8)
    assert block is not None
    assert block.adjusted is not None
    assert set(np.unique(np.abs(block.adjusted[0, :, 6]))) == {2.0**MOST_DOUBLES}
    assert found.settings["cube"]["most_doubles"] == MOST_DOUBLES == 6


# ---- candidates, and who is asked ----


def test_what_is_cubeful() -> None:
    text = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10"
    for given, context in ((text, None), (Decision.read(text), None), (HOLDING, Decision.read(text))):
        found = rollout(given, NETWORK, trials=2, context=context)
        assert [each.name for each in found.estimates] in (
            ["no double", "double, take"],
            ["double, take", "no double"],
        )
        assert found.judged_as.startswith("cubeful, money; cube 1, centred")
    for given in (HOLDING, "start", [HOLDING, START]):
        found = rollout(given, NETWORK, trials=2)
        assert found.judged_as == "cubeless, money"
        assert "cube" not in found.settings
        assert found.best.cubeless_equity is None
    owned = rollout(Decision(position=HOLDING, cube=2, cube_owner=1), NETWORK, trials=2)
    assert {each.name for each in owned.estimates} == {"no redouble", "redouble, take"}
    rolled = rollout(text.replace(":00:", ":61:"), NETWORK, trials=2)
    assert len(rolled.estimates) == len(HOLDING.plays((6, 1)))
    assert rolled.cube is None


def test_a_double_on_offer() -> None:
    """What is on offer is rolled out as it was before: the result tells what to answer, too."""
    before = Decision(position=HOLDING, match_length=7, score=(2, 3))
    offered = replace(before, offer="double")
    expected = rollout(before, NETWORK, trials=36)
    for given, context in ((offered, None), (offered.xgid, None), (HOLDING, offered)):
        found = rollout(given, NETWORK, trials=36, context=context)
        assert (found.estimates, found.cube) == (expected.estimates, expected.cube)
    with pytest.raises(InvalidDiceError, match="which waits for an answer"):
        rollout(list(HOLDING.plays((6, 1))), NETWORK, trials=2, context=offered)
    with pytest.raises(IllegalActionError):
        rollout(replace(offered, crawford=True, score=(2, 6)), NETWORK, trials=2)


@pytest.mark.parametrize("offer", ["beaver", "raccoon"])
def test_a_beaver_on_offer(offer: Literal["beaver", "raccoon"]) -> None:
    """The rollout of the double tells how to answer it."""
    before = Decision(position=HOLDING, beaver=True)
    expected = rollout(before, NETWORK, trials=36)
    found = rollout(replace(before, offer=offer), NETWORK, trials=36)
    assert found.cube is not None
    assert (found.estimates, found.cube) == (expected.estimates, expected.cube)
    assert f"answer to a beaver: {found.cube.beaver_answer}" in str(found)
    assert RolloutResult.from_json(found.to_json()) == found
    with pytest.raises(IllegalActionError, match="there are no beavers"):
        rollout(replace(before, offer=offer, beaver=False), NETWORK, trials=2)


@pytest.mark.parametrize("offer", [None, "double", "beaver"])
def test_beavers_below_a_greatest_cube_are_no_takes(offer: Literal["double", "beaver"] | None) -> None:
    limited = Decision(position=HOLDING, beaver=True, max_cube=8)
    with pytest.raises(BgfastError, match="may be beavered and the maximum cube is 8; expected no"):
        rollout(replace(limited, offer=offer), NETWORK, trials=2)
    assert len(rollout(replace(limited, offer=offer), NETWORK, trials=2, cubeless=True).estimates) == 1
    for other in (replace(limited, max_cube=2), replace(limited, cube=8), replace(limited, beaver=False)):
        found = rollout(other, NETWORK, trials=2)
        assert found.cube is None or found.cube.double_beaver is None


def test_cubes_that_do_not_go_together() -> None:
    one, other = Decision(position=HOLDING), Decision(position=HOLDING, cube=2)
    for given in ([one, other], [one, HOLDING]):
        with pytest.raises(
            BgfastError, match=r"^the candidates have different cubes or scores, or some have none"
        ):
            rollout(given, NETWORK, trials=2)
        assert len(rollout(given, NETWORK, trials=2, cubeless=True).estimates) == 2
    assert len(rollout([one, Decision(position=RACE)], NETWORK, trials=2).estimates) == 2


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"policy": Pubeval()}, r"Pubeval\(\)"),
        ({"evaluator": PipCount()}, r"PipCount\(\)"),
        ({"policy": NETWORK, "evaluator": PipCount(), "truncate": 3}, r"PipCount\(\)"),
        ({"luck_evaluator": PipCount(), "variance_reduction": True}, r"PipCount\(\)"),
        ({"evaluator": pip_count}, "pip_count"),
    ],
    ids=["policy", "evaluator", "ends", "luck", "stranger"],
)
def test_the_cube_needs_probabilities(settings: dict[str, Any], name: str) -> None:
    evaluator = settings.pop("evaluator", NETWORK)
    with pytest.raises(BgfastError, match=rf"^{name} returns equities, and the cube needs"):
        rollout(Decision(position=RACE), evaluator, trials=2, **settings)
    if evaluator is NETWORK and not settings.get("variance_reduction"):
        assert rollout(Decision(position=RACE), evaluator, trials=2, **settings, cubeless=True).trials == 2


def test_who_looks_ahead_asks_about_the_cube_at_sight() -> None:
    job = Rollout(Decision(position=RACE), Lookahead(NETWORK, ply=1)).job
    assert job.cube is not None
    assert job.cube.evaluator == NETWORK
    assert job.in_core


def test_strangers_use_the_cube() -> None:
    found = rollout(Decision(position=RACE), five, trials=36)
    assert found.cube is not None
    assert found.evaluator_share > 0


def test_strangers_need_not_be_asked_about_ends() -> None:
    last = Decision(position=Position.from_array([0, 1] + [0] * 22 + [-1, 0]))
    for settings in ({}, {"variance_reduction": True}):
        found = rollout(last, five, trials=4, **settings)
        assert {each.equity for each in found.estimates} == {1.0, 2.0}


# ---- the same again ----

DECISION = Decision(position=RACE, match_length=7, score=(2, 4))


@pytest.mark.parametrize("settings", [{}, {"variance_reduction": True, "truncate": 5}], ids=str)
def test_threads_and_checkpoints_change_nothing(settings: dict[str, Any], tmp_path: Path) -> None:
    alone = rollout(DECISION, NETWORK, trials=60, seed=6, **settings)
    assert rollout(DECISION, NETWORK, trials=60, seed=6, threads=3, **settings).estimates == alone.estimates
    file = tmp_path / "kept"
    rollout(DECISION, NETWORK, trials=29, seed=6, checkpoint=file, **settings)
    run = Rollout(DECISION, NETWORK, trials=60, seed=6, **settings)
    list(run.play(checkpoint=file))
    assert run.resumed == 29
    assert run.result().estimates == alone.estimates
    assert run.result().cube == alone.cube


def test_a_checkpoint_knows_its_cube(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    rollout(DECISION, NETWORK, trials=4, checkpoint=file)
    text = file.read_bytes()
    for other in (
        {"cubeless": True},
        {"efficiency": "gnubg"},
        {"given": Decision(position=RACE, match_length=7, score=(4, 2))},
        {"given": Decision(position=RACE)},
    ):
        given = other.pop("given", DECISION)
        with pytest.raises(BgfastError, match="that of another rollout"):
            rollout(given, NETWORK, trials=4, checkpoint=file, **other)
    assert file.read_bytes() == text


@pytest.mark.parametrize("value", [1.5, -0.5, None, "1"])
def test_a_checkpoint_has_values_that_games_can_have(value: Any, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    rollout(DECISION, NETWORK, trials=4, checkpoint=file)

    def change(lines: list[dict[str, Any]]) -> None:
        lines[1]["adjusted"][0][0][6] = value

    rewrite(file, change)
    with pytest.raises(BgfastError, match="adjusted are no"):
        rollout(DECISION, NETWORK, trials=4, checkpoint=file)


# ---- results ----


def test_the_result_says_all_of_it() -> None:
    found = rollout(DECISION, NETWORK, trials=432)
    assert found.cube is not None
    estimates = {each.name: each for each in found.estimates}
    assert found.cube.no_double == estimates["no double"].equity
    assert found.cube.double_take == estimates["double, take"].equity
    assert found.cube.double_pass == 1
    assert found.estimates[1].difference == pytest.approx(-abs(found.cube.no_double - found.cube.double_take))
    assert RolloutResult.from_json(found.to_json()) == found
    content = found.to_dict()["cube"]
    assert content["proper_action"] == found.cube.actions.words
    assert content["too_close"] is found.cube.too_close
    lines = str(found).splitlines()
    assert lines[0].split() == "equity ± 95 % diff. ± 95 % mwc ± 95 % win win g win bg lose g lose bg".split()
    assert lines[3] == found.cube.actions.words
    assert lines[-2].startswith("cubeful, match to 7, X 5 away, O 3 away; cube 1, centred")
    assert found.cube.actions.words in found._repr_html_()
    row = found.rows()[0]
    assert row["mwc"] == found.best.mwc
    assert row["cubeless_equity"] == found.best.cubeless_equity
    for text in (
        found.to_json().replace('"redouble": false', '"redouble": 0'),
        found.to_json().replace('"double_pass": 1.0', '"double_pass": null'),
        found.to_json().replace('"too_close"', '"close"'),
    ):
        assert text != found.to_json()
        with pytest.raises(BgfastError, match="is no rollout"):
            RolloutResult.from_json(text)


def estimate(equity: float, apart: float = 0.0) -> Estimate:
    return Estimate("", "", equity, 0.02, None, None, {}, 1.0, 1, -apart, 0.01 if apart else 0.0)


@pytest.mark.parametrize(
    ("no_double", "double_take", "beaver", "words", "difference"),
    [
        (0.6, 0.7, None, "Double, take", -0.1),
        (0.6, 0.5, None, "No double, take", 0.1),
        (0.9, 1.2, None, "Double, pass", -0.1),
        (1.1, 1.4, None, "Too good to double, pass", 0.1),
        (-0.2, -0.1, -0.2, "Optional double, beaver", 0.0),
    ],
)
def test_verdicts(
    no_double: float, double_take: float, beaver: float | None, words: str, difference: float
) -> None:
    """The difference is that to the opponent's best answer."""
    apart = abs(no_double - double_take)
    found = cube_verdict(
        estimate(no_double, 0.0), estimate(double_take, apart), redouble=False, beavers=beaver is not None
    )
    assert found.actions.words == words
    assert found.difference == pytest.approx(difference, abs=1e-12)
    expected = 0.02 if "pass" in words else 0.01
    if beaver is not None:  # the variance of one that counts twice
        expected = (2 * 0.01**2 - 0.02**2 + 2 * 0.02**2) ** 0.5
    assert found.difference_se == pytest.approx(expected)


@pytest.mark.parametrize(
    ("taken", "beavered", "answer"),
    [(-1.1, -2, "pass"), (-0.9, -1.8, "take"), (0.1, 0.2, "raccoon"), (2.1, 4.2, "take")],
)
def test_answers_to_beavers(taken: float, beavered: float, answer: str) -> None:
    no_double, double_take = estimate(-0.3), estimate(taken, 0.1)
    verdict = cube_verdict(no_double, double_take, redouble=False, beavers=True)
    assert (verdict.double_beaver, verdict.beaver_answer) == (pytest.approx(beavered), answer)
    # Who gives the beaver up loses just so much: only what not to double brings has an error.
    assert answer != "pass" or verdict.difference_se == no_double.equity_se
    assert cube_verdict(no_double, double_take, redouble=False, beavers=False).beaver_answer is None


def test_beavers_are_twice_a_take() -> None:
    """The errors of no double less twice a take, from those of each and of their difference."""
    random = np.random.default_rng(1)
    take = random.normal(size=400)
    no_double = 0.5 * take + random.normal(size=400)
    squares = (
        2 * standard_errors((no_double - take)[:, None], False) ** 2
        - standard_errors(no_double[:, None], False) ** 2
        + 2 * standard_errors(take[:, None], False) ** 2
    )
    assert squares**0.5 == pytest.approx(standard_errors((no_double - 2 * take)[:, None], False))


# ---- when to stop ----


def test_a_settled_decision_stops() -> None:
    easy = Decision(position=BEAROFF)
    found = rollout(easy, NETWORK, trials=10**6, stop={"settled": 3})
    assert found.trials == 1296
    assert found.cube is not None
    assert abs(found.cube.difference) >= 3 * found.cube.difference_se
    plays = list(START.plays((3, 1)))[:2]
    apart = rollout(plays, NETWORK, trials=10**6, truncate=3, stop={"settled": 3})
    assert apart.trials % 1296 == 0
    assert apart.trials < 10**6
    assert apart.estimates[1].difference <= -3 * apart.estimates[1].difference_se


@pytest.mark.parametrize(
    ("no_double", "double_take", "settled"),
    [
        (0.6, 0.8, True),  # double, take
        (0.6, 0.62, False),
        (0.6, 0.4, True),  # no double
        (0.9, 1.02, True),  # double, whatever the answer
        (1.02, 1.2, False),  # too good, or not
        (1.2, 1.0, True),
    ],
)
def test_what_is_settled(no_double: float, double_take: float, settled: bool) -> None:
    from bgfast.analysis.rollouts.result import Estimate

    apart = -abs(no_double - double_take)
    estimates = tuple(
        Estimate("", "", 0.0, 0.02, None, None, {}, 1.0, 1, difference, error)
        for difference, error in ((0.0, 0.0), (apart, 0.02))
    )
    verdict = CubeVerdict(no_double, 0.02, double_take, 0.02, 1.0, None, False, 0.0, 0.02)
    found = RolloutResult(estimates, 1296, {"cube": {}}, cube=verdict)
    assert found.settled(3) is settled
