"""Reasons for errors, in positions worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

import bgfast
from bgfast import Decision, Position
from bgfast.analysis.matches.error_details import (
    Reason,
    compare_chances,
    cube_bar,
    cube_reasons,
    hitting_rolls,
    main_reasons,
    play_reasons,
    point_name,
    race_reason,
    race_wastage,
    reason_line,
    structure_of,
)

START = Position.start()
SHOTS = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3}
"""Number of rolls of 36 that hit a blot, by distance, with nothing in the way; counted by hand."""
FAR_SHOTS = {13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 20: 1}


def position(player: dict[int, int], opponent: dict[int, int], checkers: int = 15) -> Position:
    """Return a position from checkers by point; both sides' points are numbered for the mover."""
    board = [0] * 26
    for point, count in player.items():
        board[point] = count
    for point, count in opponent.items():
        board[point] = -count
    return Position.from_array(board, checkers)


def position_after_play(player: dict[int, int], opponent: dict[int, int]) -> Position:
    """Return a position in which `player` has just played and `opponent` is on roll."""
    return position(player, opponent).flip()


# ---- the board ----


def test_hitting_rolls_agree_with_hand_counts() -> None:
    for distance, rolls in (SHOTS | FAR_SHOTS).items():
        assert hitting_rolls(position({24: 1}, {24 - distance: 1}, checkers=1)) == rolls
    # The blot is 6 pips away, and points are held 3 and 4 pips away: 6s (11 rolls), 5-1 and 4-2 hit.
    assert hitting_rolls(position({24: 1}, {18: 1, 21: 2, 20: 2}, checkers=5)) == 15
    # The opponent's blot is 6 pips away from the checker on 7. A 6 hits if the other die enters (1, 2 or 3):
    # 6-1, 6-2, 6-3. With 1-1, 2-2 and 3-3 one checker enters; 2-2 and 3-3 then run the 6 pips.
    board = position({25: 1, 7: 1}, {24: 0, 1: 1, 21: 2, 20: 2, 19: 2}, checkers=7)
    assert hitting_rolls(board) == 3 * 2 + 2
    assert hitting_rolls(position({}, {20: 1}).flip()) == 0  # the game is over


def test_structure_has_points_primes_and_back_checkers() -> None:
    # Five points in a row, 4 to 8, are in front of a checker on 2; three checkers are on 18 and 24.
    checkers = {4: 2, 5: 2, 6: 3, 7: 2, 8: 2, 13: 1, 18: 1, 24: 2}
    structure = structure_of(position_after_play(checkers, {2: 1, 20: 14}))
    assert sorted(structure.points) == [4, 5, 6, 7, 8, 24]
    assert (structure.prime, structure.back_checkers, structure.opponent_on_bar) == (5, 3, 0)
    # A prime counts only in front of a checker.
    checkers = {4: 3, 5: 3, 6: 3, 7: 3, 8: 3}
    for opponent, prime in (({9: 2, 20: 13}, 0), ({3: 2, 20: 13}, 5), ({0: 1, 20: 14}, 5)):
        assert structure_of(position_after_play(checkers, opponent)).prime == prime


def test_points_have_the_names_that_players_use() -> None:
    names = ["the 4-point", "the bar-point", "the midpoint", "the 18-point", "the anchor on 20"]
    assert [point_name(point) for point in (4, 7, 13, 18, 20)] == names


# ---- plays ----


def reasons_for(board: Position, dice: tuple[int, int], best: str, played: str) -> list[tuple[str, bool]]:
    reasons = play_reasons(board, board.play(best, dice), board.play(played, dice))
    return [(reason.text, reason.favourable) for reason in reasons]


def test_points_and_shots_are_reasons_for_opening_plays() -> None:
    # 13/7 8/7 makes the bar-point. Three points in a row are not a prime. Neither play leaves a shot.
    assert reasons_for(START, (6, 1), "13/7 8/7", "13/6") == [("makes the bar-point", True)]
    # The checkers on 1 hit the blot on 9 with 6-2, 5-3, 4-4 and 2-2, and the blot on 11 with 6-4:
    # 2 + 2 + 1 + 1 + 2 rolls.
    reasons = reasons_for(START, (4, 2), "8/4 6/4", "13/9 13/11")
    assert reasons == [("leaves no shots instead of 8", True), ("makes the 4-point", True)]


def test_hits_and_anchors_are_reasons() -> None:
    board = position({24: 2, 13: 5, 8: 3, 6: 5}, {4: 1, 1: 1, 12: 5, 17: 3, 19: 5})
    reasons = reasons_for(board, (4, 2), "8/4*/2", "8/4* 6/4")
    assert ("does not make the 4-point", False) in reasons
    assert not any("hit" in text for text, _ in reasons)
    assert {("hits", True), ("keeps the anchor on 24", True)} <= {
        *reasons_for(board, (4, 2), "8/4* 6/4", "24/18")
    }
    reasons = reasons_for(board, (4, 2), "24/18", "8/4* 6/4")
    assert {("does not hit", False), ("breaks the anchor on 24", False)} <= {*reasons}
    assert ("leaves 1 back checker instead of 2", True) in reasons_for(board, (6, 4), "24/14", "13/7 13/9")
    board = position({6: 5, 8: 4, 13: 4, 24: 2}, {4: 1, 7: 1, 12: 5, 17: 3, 19: 5})
    reasons = reasons_for(board, (4, 1), "8/7* 8/4*", "8/7* 6/2")
    assert reasons[0] == ("hits 2 checkers instead of 1", True)
    assert reasons_for(board, (4, 1), "8/7* 8/4*", "24/23 13/9")[0] == ("hits two checkers", True)


def test_points_in_a_row_are_a_reason() -> None:
    board = position({4: 2, 5: 2, 6: 3, 8: 3, 13: 4, 24: 1}, {1: 2, 12: 4, 17: 4, 19: 5})
    reasons = reasons_for(board, (6, 1), "13/7 8/7", "13/6")
    # The 8-point keeps two checkers, so the points 4 to 8 are made.
    assert ("makes the bar-point", True) in reasons
    assert ("has 5 points in a row instead of 3", True) in reasons


def test_races_count_checkers_borne_off_and_outside() -> None:
    board = position({6: 2, 3: 1, 1: 2}, {20: 2}, checkers=5)
    # 6-1: 6/off 1/off takes two checkers off; 6/off 3/2 takes one.
    reasons = reasons_for(board, (6, 1), "6/off 1/off", "6/off 3/2")
    assert reasons[0] == ("bears off 2 checkers instead of 1", True)
    assert all("shot" not in text and "point" not in text for text, _ in reasons)
    board = position({8: 2, 7: 1, 6: 4, 5: 4, 4: 4}, {19: 5, 20: 5, 21: 5})
    reasons = reasons_for(board, (2, 1), "8/6 7/6", "8/5")
    assert reasons == [("leaves 1 checker outside instead of 2", True)]


def test_points_are_not_reasons_if_a_play_starts_a_race() -> None:
    board = position({13: 2, 10: 1, 8: 2, 6: 6, 5: 4}, {12: 2, 18: 5, 19: 8})
    # 13/9 13/10 ends contact and makes the 10-point; 8/4 8/5 breaks the 8-point.
    assert board.play("13/9 13/10", (4, 3)).phase == "race"
    assert reasons_for(board, (4, 3), "13/9 13/10", "8/4 8/5") == []
    assert reasons_for(board, (4, 3), "8/4 8/5", "13/9 13/10") == []
    # 13/6 leaves a blot, which any 1 hits.
    reasons = reasons_for(board, (4, 3), "13/9 13/10", "13/6")
    assert reasons == [("leaves no shots instead of 11", True)]


def test_ten_checkers_on_the_ace_point_waste_26_pips() -> None:
    # Ten checkers need at most five rolls, which are 36.0 effective pips on average; the pip count is 10.
    board = position({1: 10}, {24: 1})
    assert race_wastage(board) == pytest.approx(26.0, abs=0.01)
    assert race_wastage(position({1: 9, 7: 1}, {24: 1})) is None
    assert race_wastage(position({1: 10}, {24: 15}).flip()) is not None


# ---- chances and the reason line ----


def test_changes_of_chances_are_reasons() -> None:
    best, played = (0.60, 0.20, 0.01, 0.12, 0.0), (0.57, 0.21, 0.01, 0.10, 0.0)
    reasons = play_reasons(START, START, START, best, played)
    assert [reason[:3] for reason in reasons] == [
        ("wins 60.0% instead of 57.0%", True, "wins +3.0"),
        ("wins a gammon in 20.0% instead of 21.0%", False, "gammons -1.0"),
        ("loses a gammon in 12.0% instead of 10.0%", False, "gammons lost +2.0"),
    ]
    assert [reason.size for reason in reasons] == pytest.approx([0.06, 0.01, 0.02])
    assert compare_chances("wins", "wins", 0.5, 0.496) == []
    assert len(compare_chances("wins", "wins", 0.5, 0.494)) == 1


def test_the_two_largest_reasons_are_in_the_sentence() -> None:
    hit, point, shots = (
        Reason("hits", size=0.15),
        Reason("makes", size=0.1),
        Reason("leaves", False, size=0.3),
    )
    # The largest reason is against the best play; the sentence begins with the largest favourable reason.
    assert main_reasons([point, shots, hit]) == ([hit, shots], [point])
    assert main_reasons([shots]) == ([shots], [])
    assert main_reasons([]) == ([], [])


def test_shots_are_a_reason_only_if_they_matter() -> None:
    # 8/4 6/4 leaves no shots, 13/9 13/11 leaves 8.
    best, played = START.play("8/4 6/4", (4, 2)), START.play("13/9 13/11", (4, 2))

    def chips(*chances: tuple[float, ...], plays: tuple[Position, Position] = (best, played)) -> list[str]:
        reasons = play_reasons(START, *plays, *chances)
        return [reason.chip for reason in reasons if "shot" in reason.text]

    base, more_wins = (0.5, 0.1, 0.0, 0.1, 0.0), (0.52, 0.1, 0.0, 0.1, 0.0)
    fewer_gammons = (0.5, 0.1, 0.0, 0.08, 0.0)
    assert chips(more_wins, base) == chips(fewer_gammons, base) == ["shots 8 -> 0"]
    assert chips(base, more_wins) == chips(base, base) == []  # fewer shots do not win more games
    assert chips(base, more_wins, plays=(played, best)) == ["shots 0 -> 8"]  # more shots cost wins
    # A difference of four is a reason; a difference of three is not.
    for other_play, expected in (("13/7", ["shots 17 -> 13"]), ("13/11 8/4", [])):
        plays = START.play("13/11 6/2", (4, 2)), START.play(other_play, (4, 2))
        assert chips(more_wins, base, plays=plays) == expected


def test_the_reason_line_is_a_sentence() -> None:
    pro, contra = Reason("makes the 5-point"), Reason("leaves 3 shots instead of 0", False)
    assert reason_line([pro], "8/5 6/5") == "8/5 6/5 makes the 5-point."
    assert reason_line([contra, pro, Reason("hits")], "8/5") == (
        "8/5 makes the 5-point and hits, although it leaves 3 shots instead of 0."
    )
    assert reason_line([contra], "8/5") == "8/5 is best although it leaves 3 shots instead of 0."
    assert reason_line([], "8/5") == ""


# ---- the cube ----

TWO_AWAY = replace(Decision(position=START), match_length=2)
"""Both players need two points: a double decides the match and kills the cube."""


def reasons_of(action: str, probabilities: tuple[float, ...], market_lost: float | None = None) -> list[str]:
    points = bgfast.cube.cube_points(probabilities, TWO_AWAY)
    return [*cube_reasons(TWO_AWAY, action, probabilities, points, market_lost)]


def chances(win: float, gammon: float = 0.0) -> tuple[float, ...]:
    return win, gammon, 0.0, 0.0, 0.0


def test_cube_reasons_name_the_take_point_at_two_away() -> None:
    # A drop leaves the Crawford game at 2-away against 1-away: 32.264 % by the table.
    assert bgfast.cube.MatchEquityTable.builtin()(2, 1) == 0.32264
    assert reasons_of("take", chances(0.65)) == ["wins 35.0%, 2.7 points above the take point of 32.3%"]
    assert reasons_of("drop", chances(0.70, 0.2)) == [
        "wins 30.0%, 2.3 points below the take point of 32.3%",
        "loses a gammon in 20.0%",
    ]
    # A cube point that contradicts the action is not named.
    assert reasons_of("take", chances(0.70)) == ["wins 30.0%"]


def test_market_losers_are_reasons_to_double_and_gammons_to_play_on() -> None:
    expected = "25.0% of the next two rolls are market losers"
    assert expected in reasons_of("double", chances(0.6), 0.25)
    assert not any("market" in text for text in reasons_of("take", chances(0.6), 0.25))
    money, probabilities = Decision(position=START), chances(0.9, 0.6)
    points = bgfast.cube.cube_points(probabilities, money)
    reasons = [*cube_reasons(money, "too good", probabilities, points)]
    assert reasons[1:] == ["wins a gammon in 60.0%"]
    assert " points above the too-good point of" in reasons[0]


def test_the_cube_bar_shows_the_chance_of_the_deciding_player() -> None:
    points = bgfast.cube.cube_points(chances(0.65), TWO_AWAY)
    assert cube_bar("take", 0.65, points) == (pytest.approx(0.35), (("take point", pytest.approx(0.32264)),))
    win, labels = cube_bar("double", 0.65, points)
    # The cube decides the match: a double is correct from 50 %, and no position is too good.
    assert (win, labels) == (0.65, (("double", pytest.approx(0.5)), ("take up to", pytest.approx(0.67736))))


def test_races_show_pips_and_wastage() -> None:
    race = position({6: 3, 5: 3}, {24: 1, 19: 2, 20: 3}, checkers=6)
    assert race_reason(race) == "the race is 33 against 28 pips, wastage 6.4 and 7.3"
    decision, probabilities = Decision(position=race), chances(0.3)
    points = bgfast.cube.cube_points(probabilities, decision)
    assert [*cube_reasons(decision, "no double", probabilities, points)][-1] == race_reason(race)
    assert [*cube_reasons(decision, "take", probabilities, points)][-1] == race_reason(race.flip())
    outside_race = position({7: 3, 5: 3}, {24: 1, 19: 2, 20: 3}, checkers=6)
    assert race_reason(outside_race) == "the race is 36 against 28 pips"
