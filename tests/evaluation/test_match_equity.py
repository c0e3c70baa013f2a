"""Match equity tables: chances at a score and after a game, models and files."""

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


def decision(length: int, score: tuple[int, int] = (0, 0), **fields: object) -> Decision:
    return Decision(position=Position.start(), match_length=length, score=score, **fields)  # type: ignore[arg-type]


def test_chances_of_both_players_add_up_at_every_score() -> None:
    away = np.arange(1, 26)
    rows, columns = away[:, None], away[None]
    np.testing.assert_allclose(MET(rows, columns) + MET(columns, rows), 1, atol=1e-12)
    np.testing.assert_allclose(MET(away, away), 0.5)
    for player in (0, 1):
        chances = MET(away, 1, post_crawford=True, player=player)
        np.testing.assert_allclose(chances + MET(1, away, True, player=1 - player), 1, atol=1e-12)
        assert (np.diff(chances) <= 0).all()


def test_finished_matches_and_excess_points() -> None:
    assert MET(0, 5) == MET(-3, 1) == MET(-3, 1, post_crawford=True) == 1
    assert MET(5, 0) == MET(1, -2, post_crawford=True) == 0


def test_the_crawford_game_is_played_once() -> None:
    trailer, leader = decision(5, (1, 4)), decision(5, (4, 1))
    crawford = decision(5, (1, 4), crawford=True)
    # The game after a game at 1-away is a post-Crawford game, for either player.
    for score in (trailer, crawford, MatchScore(5, (1, 4)), MatchScore(5, (1, 4), crawford=True)):
        assert MET.after(score, 1) == MET(3, 1, post_crawford=True)
    assert MET.after(leader, -2) == MET(1, 2, post_crawford=True) != MET(1, 2)
    assert MET.after(decision(5, (3, 1)), 1) == MET(1, 4)
    assert MET.after(decision(5, (1, 3)), -1) == MET(4, 1)
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
    assert met.after(decision(2, (0, 0), turn=-1), 1) == pytest.approx(0.7)


def test_rounded_tables_with_equal_neighbours_are_valid() -> None:
    table = [[0.5, 0.7, 0.8], [0.3, 0.5, 0.7], [0.2, 0.3, 0.5]]
    met = MatchEquityTable("rounded", table, [0.5, 0.5, 0.3])
    assert met(2, 3) == met(1, 2) == 0.7


def test_a_game_that_rounding_makes_worthless_has_finite_equities() -> None:
    indices = range(4)
    table = [[0.5 if i == j else 0.999 if i < j else 0.001 for j in indices] for i in indices]
    met = MatchEquityTable("coarse", table, [0.5, 0.001, 0.001, 0.001])
    score = decision(4, (2, 0))
    assert met.after(score, 1) == met.after(score, -1) == 0.999
    rows = [[win, 0, 0, 0, 0] for win in (0.2, 0.9)]
    equities = bgfast.cube.cubeful_equities(rows, score, met=met)
    chances = bgfast.cube.cubeful_equities(rows, score, met=met, mwc=True)
    np.testing.assert_allclose(equities, 2 * (chances - 0.999), atol=1e-12)
    assert np.isfinite(equities).all()


@pytest.mark.parametrize("delta", ["0", "0.5", "1"])
def test_models_return_chances_or_are_refused(delta: str, tmp_path: Path) -> None:
    refusals = []
    for leader, trailer, free_drop in product("01", repeat=3):
        parameters = {
            "gammon-rate-leader": leader, "gammon-rate-trailer": trailer, "delta": delta, "delta-bar": delta,
            "free-drop-2-away": free_drop,
        }  # fmt: skip
        table = "".join(f'<parameter name="{name}">{value}</parameter>' for name, value in parameters.items())
        text = "".join(
            f'<{name}-crawford-table type="zadeh"><parameters>{table}</parameters></{name}-crawford-table>'
            for name in ("pre", "post")
        )
        try:
            met = read_text(tmp_path / "model.xml", f"<met>{text}</met>")
        except BgfastError as error:
            refusals.append(str(error))
            continue
        away = np.arange(1, 41)
        for chances in (met(away[:, None], away[None]), met(away, 1, True)):
            assert ((chances >= 0) & (chances <= 1)).all()
    assert 0 < len(refusals) < 8
    assert all(re.search("ZadehModel.*expected", refusal) for refusal in refusals)


@pytest.mark.slow
def test_equities_are_zero_if_nothing_is_at_stake() -> None:
    """In floating point a lead of hundreds of points has a winning chance of 1, even after a loss."""
    score = MatchScore(256, (255, 0))
    match_decision = decision(256, (255, 0))
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
    assert MET.take_point(decision(2)) == MET(2, 1)
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
"""Thornberg's published table, for 20 % gammons and 55 % wins of the better player."""


def test_the_live_cube_model_reproduces_the_published_table() -> None:
    expected = np.array(THORNBERG.split(), float).reshape(9, 9)
    post = AfterCrawford(0.2, 0.55, {}).extend(np.empty((2, 0)), 9)
    chances = LiveCubeModel(0.2, 0.55).extend(np.empty((0, 0)), post, 9)
    np.testing.assert_allclose(chances, expected, atol=0.0011)
    np.testing.assert_allclose(np.delete(chances, 2, axis=1), np.delete(expected, 2, axis=1), atol=0.00051)


def zadeh(needs: int, other: int, cells: dict[tuple[int, int], float]) -> float:
    """Return a cell of Zadeh's model, computed independently from smaller scores."""
    lead, trail, delta, delta_bar = 0.25, 0.15, 0.08, 0.06

    def chance(a: int, b: int) -> float:
        return 1.0 if a <= 0 else 0.0 if b <= 0 else cells[a, b]

    def mirrored_chance(a: int, b: int) -> float:
        return 1 - chance(b, a)

    def dead(equity: Callable[[int, int], float], a: int, b: int, cube: int) -> float:
        k = 4 * cube if a <= 2 * cube < b else 2 * cube
        won = lead * equity(a - 2 * k, b) + (1 - lead) * equity(a - k, b)
        lost = trail * equity(a, b - 2 * k) + (1 - trail) * equity(a, b - k)
        return (equity(a - cube, b) - lost) / (won - lost)

    def doubles(first: bool, a: int, b: int, cube: int) -> float:
        dead_point = dead(chance, a, b, cube) if first else dead(mirrored_chance, b, a, cube)
        if a <= 2 * cube or b <= 2 * cube:
            return dead_point
        return 1 + (doubles(not first, a, b, 2 * cube) + delta) * (dead_point - 1)

    own, opponent = doubles(True, needs, other, 1) + delta_bar, doubles(False, needs, other, 1) + delta_bar
    forward = (opponent - 0.5) / (own + opponent - 1)
    return forward * chance(needs - 1, other) + (1 - forward) * chance(needs, other - 1)


def test_zadehs_model_cell_by_cell() -> None:
    post = AfterCrawford().extend(np.empty((2, 0)), 12)
    np.testing.assert_allclose(post[0, :5], [0.5, 0.485, 0.3125, 0.302875, 0.1796875])
    chances = ZadehModel().extend(np.empty((0, 0)), post, 12)
    cells = {(i, j): chances[i - 1, j - 1] for i in range(1, 13) for j in range(1, 13) if 1 in (i, j)}
    for total in range(4, 24):
        for i in range(max(2, total - 12), min(12, total - 2) + 1):
            cells[i, total - i] = zadeh(i, total - i, cells)
            assert chances[i - 1, total - i - 1] == pytest.approx(cells[i, total - i], abs=1e-12)
    assert chances[1, 0] == pytest.approx(0.5 * (0.75 * 0.5 + 0.25))  # the Crawford game at 2-away
    assert chances[4, 0] == pytest.approx(0.5 * (0.75 * post[0, 3] + 0.25 * post[0, 2]))
    builtin = np.array([[MET(i, j) for j in range(1, 13)] for i in range(1, 13)])
    assert np.abs(chances - builtin).max() < 0.015


def test_a_model_extends_a_table_beyond_its_last_score() -> None:
    away = np.arange(1, 41)
    chances = MET(away[:, None], away[None])
    np.testing.assert_allclose(chances + chances.T, 1, atol=1e-12)
    assert (np.diff(chances, axis=0) < 0).all()
    # The extension is smooth.
    steps = -np.diff(chances[:, 24])
    assert np.abs(np.diff(steps[18:30])).max() < 0.003
    assert MET.length == 25
    assert MET(26, 3) == MatchEquityTable.builtin()(26, 3) < MET(25, 3)
    assert MET(30, 1, post_crawford=True) > MET(30, 1) > 0


# ---- files ----

EXPLICIT = """<?xml version="1.0"?>
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
MODEL = """<met><info><name>Model</name></info>
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
    met = read_text(tmp_path / "small.xml", EXPLICIT)
    assert repr(met) == "MatchEquityTable('Small', length=3)"
    assert (met(1, 3), met(3, 2), met(2, 1, True)) == (0.75, 0.4, 0.48)
    # The last post-Crawford value is missing; the trailer doubles at once and needs a gammon or two wins.
    assert met(3, 1, True) == pytest.approx(0.5 * (0.25 + 0.75 * 0.5))
    assert 0.4 < met(5, 4) < 0.5


def test_tables_of_unequal_players_are_read(tmp_path: Path) -> None:
    both = EXPLICIT[EXPLICIT.index(" <post") : EXPLICIT.index("</met>")]
    pair = both.replace("both", "0").replace("0.48", "0.49"), both.replace("both", "1").replace("0.48", "0.4")
    text = EXPLICIT.replace(both, "".join(pair))
    met = read_text(tmp_path / "two.xml", text)
    assert (met(2, 1, True), met(2, 1, True, player=1)) == (0.49, 0.4)


def test_parameters_of_models_are_read(tmp_path: Path) -> None:
    zadehs = read_text(tmp_path / "zadeh.xml", MODEL.format("zadeh", "-leader", "-trailer"))
    assert zadehs.length == 0
    post = AfterCrawford(0.2, 0.5, {2: 0.01}).extend(np.empty((2, 0)), 40)
    expected = ZadehModel(doubler_gammons=0.3, crawford_gammons=0.2).extend(np.empty((0, 0)), post, 40)
    assert zadehs(7, 5) == pytest.approx(expected[6, 4])
    assert zadehs(40, 38) == pytest.approx(expected[39, 37])
    assert zadehs(2, 1, True) == pytest.approx(0.49)
    live = read_text(tmp_path / "mec.xml", MODEL.format("mec", "", ""))
    assert live(4, 3) == pytest.approx(LiveCubeModel(0.3).extend(np.empty((0, 0)), post, 8)[3, 2])


INVALID = [
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
    for old, new, message in INVALID:
        text = EXPLICIT
        if old == "met>":
            text = text.replace("<!DOCTYPE", "<!-- DOCTYPE").replace('met.dtd">', "-->")
        with pytest.raises(BgfastError, match=message) as caught:
            read_text(tmp_path / "bad.xml", text.replace(old, new))
        assert "bad.xml" in str(caught.value)


INSTALLED = Path("/usr/share/gnubg/met")


@pytest.mark.skipif(not INSTALLED.is_dir(), reason="GNU Backgammon's tables are not installed")
@pytest.mark.parametrize("path", sorted(INSTALLED.glob("[!c]*.xml")), ids=lambda path: path.name)
def test_tables_of_gnu_backgammon(path: Path) -> None:
    met = MatchEquityTable.read(path)
    unequal = path.name in ("jac050.xml", "jac100.xml")
    away = np.arange(1, 1 + (met.length if unequal else 30))
    chances = met(away[:, None], away[None])
    assert (np.diff(chances, axis=0) <= 1e-9).all()
    assert (np.diff(chances, axis=1) >= -1e-9).all()
    if not unequal:
        builtin = MET(away[:, None], away[None])
        assert np.abs(chances - builtin).max() < 0.035
    if path.name == "Kazaross-XG2.xml":
        np.testing.assert_allclose(chances[:25, :25], builtin[:25, :25], atol=1e-6)
