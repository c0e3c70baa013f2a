"""Match equity tables: equities at a score and after a game, models and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Decision, Position
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.match_equity_models import AfterCrawford, LiveCubeModel, ZadehModel
from bgfast.games import MatchScore

MET = MatchEquityTable.builtin()


def decision_at(length: int, score: tuple[int, int] = (0, 0), **fields: object) -> Decision:
    return Decision(position=Position.start(), match_length=length, score=score, **fields)  # type: ignore[arg-type]


def test_match_equities_of_both_players_sum_to_one() -> None:
    away = np.arange(1, 26)
    rows, columns = away[:, None], away[None]
    np.testing.assert_allclose(MET(rows, columns) + MET(columns, rows), 1, atol=1e-12)
    np.testing.assert_allclose(MET(away, away), 0.5)
    for player in (0, 1):
        equities = MET(away, 1, post_crawford=True, player=player)
        np.testing.assert_allclose(equities + MET(1, away, True, player=1 - player), 1, atol=1e-12)
        assert (np.diff(equities) <= 0).all()


def test_finished_matches_have_equity_0_or_1() -> None:
    assert MET(0, 5) == MET(-3, 1) == MET(-3, 1, post_crawford=True) == 1
    assert MET(5, 0) == MET(1, -2, post_crawford=True) == 0


def test_the_crawford_game_is_played_once() -> None:
    trailer, leader = decision_at(5, (1, 4)), decision_at(5, (4, 1))
    crawford = decision_at(5, (1, 4), crawford=True)
    # The game after a game at 1-away is a post-Crawford game, for either player.
    for score in (trailer, crawford, MatchScore(5, (1, 4)), MatchScore(5, (1, 4), crawford=True)):
        assert MET.after(score, 1) == MET(3, 1, post_crawford=True)
    assert MET.after(leader, -2) == MET(1, 2, post_crawford=True) != MET(1, 2)
    assert MET.after(decision_at(5, (3, 1)), 1) == MET(1, 4)
    assert MET.after(decision_at(5, (1, 3)), -1) == MET(4, 1)
    assert MET.after(trailer, 4) == 1
    assert MET.after(trailer, -1) == 0


def test_a_table_of_unequal_players_distinguishes_them() -> None:
    met = MatchEquityTable("unequal", [[0.6, 0.8], [0.3, 0.6]], [[0.6, 0.5], [0.4, 0.2]])
    assert met(1, 2) == 0.8
    assert met(2, 1, player=1) == pytest.approx(0.2)
    assert met(2, 1, True) == 0.5
    assert met(1, 2, True) == 0.8
    assert met(2, 1, True, player=1) == 0.2
    assert met(1, 2, True, player=1) == 0.5
    assert met.after(decision_at(2, (0, 0), turn=-1), 1) == pytest.approx(0.7)


def test_rounded_tables_with_equal_neighbours_are_valid() -> None:
    table = [[0.5, 0.7, 0.8], [0.3, 0.5, 0.7], [0.2, 0.3, 0.5]]
    met = MatchEquityTable("rounded", table, [0.5, 0.5, 0.3])
    assert met(2, 3) == met(1, 2) == 0.7


def test_a_game_that_rounding_makes_worthless_has_finite_equities() -> None:
    indices = range(4)
    table = [[0.5 if i == j else 0.999 if i < j else 0.001 for j in indices] for i in indices]
    met = MatchEquityTable("coarse", table, [0.5, 0.001, 0.001, 0.001])
    decision = decision_at(4, (2, 0))
    assert met.after(decision, 1) == met.after(decision, -1) == 0.999
    rows = [[win, 0, 0, 0, 0] for win in (0.2, 0.9)]
    equities = bgfast.cube.cubeful_equities(rows, decision, met=met)
    mwc = bgfast.cube.cubeful_equities(rows, decision, met=met, mwc=True)
    np.testing.assert_allclose(equities, 2 * (mwc - 0.999), atol=1e-12)
    assert np.isfinite(equities).all()


@pytest.mark.parametrize("delta", ["0", "0.5", "1"])
def test_models_return_probabilities_or_are_refused(delta: str, tmp_path: Path) -> None:
    refusals = []
    for leader, trailer, free_drop in product("01", repeat=3):
        parameters = {
            "gammon-rate-leader": leader, "gammon-rate-trailer": trailer, "delta": delta, "delta-bar": delta,
            "free-drop-2-away": free_drop,
        }  # fmt: skip
        tags = "".join(f'<parameter name="{name}">{value}</parameter>' for name, value in parameters.items())
        text = "".join(
            f'<{name}-crawford-table type="zadeh"><parameters>{tags}</parameters></{name}-crawford-table>'
            for name in ("pre", "post")
        )
        try:
            met = read_text(tmp_path / "model.xml", f"<met>{text}</met>")
        except BgfastError as error:
            refusals.append(str(error))
            continue
        away = np.arange(1, 41)
        for equities in (met(away[:, None], away[None]), met(away, 1, True)):
            assert ((equities >= 0) & (equities <= 1)).all()
    assert 0 < len(refusals) < 8
    assert all(re.search("ZadehModel.*expected", refusal) for refusal in refusals)


@pytest.mark.slow
def test_equities_are_zero_if_nothing_is_at_stake() -> None:
    """In floating point a lead of hundreds of points has a winning chance of 1, even after a loss."""
    score = MatchScore(256, (255, 0))
    match_decision = decision_at(256, (255, 0))
    assert MET.after(score, 1) == MET.after(score, -1) == 1
    assert MET.gammon_value(score) == MET.take_point(score) == 0
    rows = [[0.5, 0.1, 0, 0.1, 0]] * 50
    assert (bgfast.cube.cubeful_equities(rows, match_decision) == 0).all()
    assert bgfast.cube.cubeful_equities(rows[0], match_decision) == 0
    evaluation = bgfast.evaluators.Lookahead(bgfast.Network.builtin(), ply=1).evaluation(match_decision)
    assert (evaluation.equity, evaluation.mwc) == (0, 1)


# ---- gammon values and take points ----


def test_gammon_values_and_take_points_at_well_known_scores() -> None:
    assert MET.gammon_value(MatchScore(1)) == 0
    # Post-Crawford at 2-away the trailer wins the match with a gammon, or with a doubled cube.
    assert MET.gammon_value(MatchScore(5, (3, 4))) == pytest.approx(1)
    assert MET.gammon_value(MatchScore(5, (4, 3))) == 0
    assert MET.gammon_value(MatchScore(100)) == pytest.approx(0.5, abs=0.02)
    assert MET.take_point(MatchScore(100)) == pytest.approx(0.25, abs=0.02)
    assert MET.take_point(decision_at(2)) == MET(2, 1)
    assert MET.take_point(MatchScore(9, (1, 1)), cube=4) == pytest.approx(MET(8, 4))


# ---- models ----

THORNBERG = """
0.550 0.748 0.798 0.869 0.887 0.930 0.941 0.963 0.969
0.352 0.550 0.653 0.728 0.796 0.849 0.884 0.913 0.934
0.303 0.461 0.563 0.640 0.715 0.777 0.821 0.860 0.889
0.215 0.378 0.484 0.563 0.643 0.709 0.762 0.806 0.843
0.194 0.310 0.412 0.492 0.573 0.642 0.700 0.750 0.793
0.133 0.245 0.343 0.423 0.506 0.577 0.639 0.693 0.742
0.118 0.203 0.294 0.368 0.449 0.518 0.582 0.638 0.691
0.082 0.162 0.245 0.317 0.394 0.463 0.528 0.585 0.640
0.073 0.134 0.208 0.273 0.346 0.412 0.477 0.535 0.591
"""
"""Thornberg's published table, for 20% gammons and 55% wins of the better player."""


def test_the_live_cube_model_reproduces_the_published_table() -> None:
    expected = np.array(THORNBERG.split(), float).reshape(9, 9)
    post = AfterCrawford(0.2, 0.55, {}).extend(np.empty((2, 0)), 9)
    equities = LiveCubeModel(0.2, 0.55).extend(np.empty((0, 0)), post, 9)
    np.testing.assert_allclose(equities, expected, atol=0.0011)
    np.testing.assert_allclose(np.delete(equities, 2, axis=1), np.delete(expected, 2, axis=1), atol=0.00051)


def zadeh(i: int, j: int, cells: dict[tuple[int, int], float]) -> float:
    """Return the equity at i-away/j-away in Zadeh's model, computed independently from smaller scores."""
    leader_rate, trailer_rate, delta, delta_bar = 0.25, 0.15, 0.08, 0.06

    def match_equity(a: int, b: int) -> float:
        return 1.0 if a <= 0 else 0.0 if b <= 0 else cells[a, b]

    def mirrored_equity(a: int, b: int) -> float:
        return 1 - match_equity(b, a)

    def dead_point(equity: Callable[[int, int], float], a: int, b: int, cube: int) -> float:
        k = 4 * cube if a <= 2 * cube < b else 2 * cube
        win = leader_rate * equity(a - 2 * k, b) + (1 - leader_rate) * equity(a - k, b)
        loss = trailer_rate * equity(a, b - 2 * k) + (1 - trailer_rate) * equity(a, b - k)
        return (equity(a - cube, b) - loss) / (win - loss)

    def double_point(is_first: bool, a: int, b: int, cube: int) -> float:
        point = dead_point(match_equity, a, b, cube) if is_first else dead_point(mirrored_equity, b, a, cube)
        if a <= 2 * cube or b <= 2 * cube:
            return point
        return 1 + (double_point(not is_first, a, b, 2 * cube) + delta) * (point - 1)

    points = [double_point(is_first, i, j, 1) + delta_bar for is_first in (True, False)]
    win_rate = (points[1] - 0.5) / (sum(points) - 1)
    return win_rate * match_equity(i - 1, j) + (1 - win_rate) * match_equity(i, j - 1)


def test_every_cell_of_zadehs_model() -> None:
    post = AfterCrawford().extend(np.empty((2, 0)), 12)
    np.testing.assert_allclose(post[0, :5], [0.5, 0.485, 0.3125, 0.302875, 0.1796875])
    equities = ZadehModel().extend(np.empty((0, 0)), post, 12)
    cells = {(i, j): equities[i - 1, j - 1] for i in range(1, 13) for j in range(1, 13) if 1 in (i, j)}
    for total in range(4, 24):
        for i in range(max(2, total - 12), min(12, total - 2) + 1):
            cells[i, total - i] = zadeh(i, total - i, cells)
            assert equities[i - 1, total - i - 1] == pytest.approx(cells[i, total - i], abs=1e-12)
    assert equities[1, 0] == pytest.approx(0.5 * (0.75 * 0.5 + 0.25))  # the Crawford game at 2-away
    assert equities[4, 0] == pytest.approx(0.5 * (0.75 * post[0, 3] + 0.25 * post[0, 2]))
    builtin = np.array([[MET(i, j) for j in range(1, 13)] for i in range(1, 13)])
    assert np.abs(equities - builtin).max() < 0.015


def test_a_model_extends_a_table_beyond_its_last_score() -> None:
    away = np.arange(1, 41)
    equities = MET(away[:, None], away[None])
    np.testing.assert_allclose(equities + equities.T, 1, atol=1e-12)
    assert (np.diff(equities, axis=0) < 0).all()
    # The extension is smooth.
    steps = -np.diff(equities[:, 24])
    assert np.abs(np.diff(steps[18:30])).max() < 0.003
    assert MET.length == 25
    assert MET(26, 3) == MatchEquityTable.builtin()(26, 3) < MET(25, 3)
    assert MET(30, 1, post_crawford=True) > MET(30, 1) > 0


# ---- files ----

EXPLICIT_XML = """<?xml version="1.0"?>
<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">
<met>
 <info><name>Small</name><description>Made up</description><length>3</length></info>
 <pre-crawford-table type="explicit">
  <row><me>0.50</me><me>0.70</me><me>0.75</me></row>
  <row><me>0.30</me><me>0.50</me><me>0.60</me></row>
  <row><me>0.25</me><me>0.40</me><me>0.50</me></row>
 </pre-crawford-table>
 <post-crawford-table type="explicit" player="both"><row><me>0.5</me><me>0.48</me></row></post-crawford-table>
</met>"""
MODEL_XML = """<met><info><name>Model</name></info>
 <pre-crawford-table type="{0}"><parameters><parameter name="gammon-rate{1}">0.3</parameter></parameters>
 </pre-crawford-table>
 <post-crawford-table type="{0}" player="both">
  <parameters><parameter name="gammon-rate{2}">0.2</parameter>
  <parameter name="free-drop-2-away">0.01</parameter></parameters>
 </post-crawford-table></met>"""


def read_text(path: Path, text: str) -> MatchEquityTable:
    path.write_text(text, encoding="utf-8")
    return MatchEquityTable.read(path)


def test_an_explicit_table_is_read(tmp_path: Path) -> None:
    met = read_text(tmp_path / "small.xml", EXPLICIT_XML)
    assert repr(met) == "MatchEquityTable('Small', length=3)"
    assert (met(1, 3), met(3, 2), met(2, 1, True)) == (0.75, 0.4, 0.48)
    # The last post-Crawford value is missing; the trailer doubles immediately and needs a gammon or two wins.
    assert met(3, 1, True) == pytest.approx(0.5 * (0.25 + 0.75 * 0.5))
    assert 0.4 < met(5, 4) < 0.5


def test_tables_of_unequal_players_are_read(tmp_path: Path) -> None:
    tag = EXPLICIT_XML[EXPLICIT_XML.index(" <post") : EXPLICIT_XML.index("</met>")]
    tags = tag.replace("both", "0").replace("0.48", "0.49"), tag.replace("both", "1").replace("0.48", "0.4")
    text = EXPLICIT_XML.replace(tag, "".join(tags))
    met = read_text(tmp_path / "two.xml", text)
    assert (met(2, 1, True), met(2, 1, True, player=1)) == (0.49, 0.4)


def test_parameters_of_models_are_read(tmp_path: Path) -> None:
    zadeh_met = read_text(tmp_path / "zadeh.xml", MODEL_XML.format("zadeh", "-leader", "-trailer"))
    assert zadeh_met.length == 0
    post = AfterCrawford(0.2, 0.5, {2: 0.01}).extend(np.empty((2, 0)), 40)
    expected = ZadehModel(doubler_gammons=0.3, crawford_gammons=0.2).extend(np.empty((0, 0)), post, 40)
    assert zadeh_met(7, 5) == pytest.approx(expected[6, 4])
    assert zadeh_met(40, 38) == pytest.approx(expected[39, 37])
    assert zadeh_met(2, 1, True) == pytest.approx(0.49)
    live_met = read_text(tmp_path / "mec.xml", MODEL_XML.format("mec", "", ""))
    assert live_met(4, 3) == pytest.approx(LiveCubeModel(0.3).extend(np.empty((0, 0)), post, 8)[3, 2])


INVALID_FILES = [
    ("</met>", "", "it is not XML: no element found"),
    ("met>", "table>", "the root element is 'table'; expected <met>"),
    ("<me>0.70</me>", "", "the pre-crawford-table is not square; expected"),
    ("<me>0.70</me>", "<me>many</me>", "<me> is 'many'; expected a number"),
    ("<me>0.70</me>", "<me>0_1</me>", "<me> is '0_1'; expected a number"),
    ("<me>0.70</me>", "<me>7</me>", "bad.xml: pre_crawford at 1-away/2-away is 7; expected 0 to 1"),
    ('table type="explicit">', 'table type="snowie">', "the pre-crawford-table has type 'snowie'"),
    ('type="explicit" player="both"', 'type="snowie"', "post-crawford-tables have types"),
    ('player="both"', 'player="0"', "expected a post-crawford-table for both players"),
    ("post-crawford", "past-crawford", "expected a pre-crawford-table and a post-crawford-table"),
]


def test_invalid_files_are_refused(tmp_path: Path) -> None:
    for old, new, message in INVALID_FILES:
        text = EXPLICIT_XML
        if old == "met>":
            text = text.replace("<!DOCTYPE", "<!-- DOCTYPE").replace('met.dtd">', "-->")
        with pytest.raises(BgfastError, match=message) as caught:
            read_text(tmp_path / "bad.xml", text.replace(old, new))
        assert "bad.xml" in str(caught.value)


INSTALLED_FOLDER = Path("/usr/share/gnubg/met")


@pytest.mark.skipif(not INSTALLED_FOLDER.is_dir(), reason="GNU Backgammon's tables are not installed")
@pytest.mark.parametrize("path", sorted(INSTALLED_FOLDER.glob("[!c]*.xml")), ids=lambda path: path.name)
def test_tables_of_gnu_backgammon_are_read(path: Path) -> None:
    met = MatchEquityTable.read(path)
    is_unequal = path.name in ("jac050.xml", "jac100.xml")
    away = np.arange(1, 1 + (met.length if is_unequal else 30))
    equities = met(away[:, None], away[None])
    assert (np.diff(equities, axis=0) <= 1e-9).all()
    assert (np.diff(equities, axis=1) >= -1e-9).all()
    if not is_unequal:
        builtin = MET(away[:, None], away[None])
        assert np.abs(equities - builtin).max() < 0.035
    if path.name == "Kazaross-XG2.xml":
        np.testing.assert_allclose(equities[:25, :25], builtin[:25, :25], atol=1e-6)
