"""SVG pictures: elements, coordinates, and comparison with approved files.

After an intended change, regenerate the pictures with ``python -m tests.games.test_svg`` and inspect them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any, Literal

import pytest

from bgfast import Decision, Game, Match, Position, RuleSet, svg
from bgfast.position.picture import theme_colours

FOLDER = Path(__file__).parent.parent / "data" / "pictures"
DOCS_FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"
START = Position.start()
CONTEXT = Decision.read("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10")
BEAROFF = Position.from_array([0, 2, 2, 1] + [0] * 15 + [-3, -2, -1, 0, 0, 0, 0])
ON_THE_BAR = Position.from_array([-3, 0, -2, 2, 2, 3, -1] + [0] * 13 + [-2, 0, -1, -2, 0, 2])
APPROVED_PICTURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "start": (START, {}),
    "bear-off": (BEAROFF.plays((6, 5))[0], {}),
    "bar": (ON_THE_BAR.plays((6, 3))[0], {"theme": "print"}),
    "stack": (Position.from_array([0] * 24 + [15, 0]), {"theme": "dark", "clockwise": True, "size": 200}),
    "context": (CONTEXT, {"theme": "dark", "size": 1200}),
}
DOCUMENTED_PICTURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "start": (START, {"size": 500}),
    "play": (START.plays((3, 1))["8/5 6/5"], {"size": 400}),
}


def elements(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter())


def elements_named(picture: str, name: str) -> list[ElementTree.Element]:
    return [element for element in elements(picture) if element.tag.endswith(f"}}{name}")]


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in elements_named(picture, "text")]


def checker_centres(picture: str, colour: str) -> list[tuple[float, float]]:
    """Return the centres of the checkers of a colour; smaller circles are pips of dice."""
    return [
        (float(circle.attrib["cx"]), float(circle.attrib["cy"]))
        for circle in elements_named(picture, "circle")
        if circle.attrib["fill"] == colour and float(circle.attrib["r"]) > 10
    ]


def centre_of(rectangle: ElementTree.Element) -> tuple[float, float]:
    x, y, width, height = (float(rectangle.attrib[name]) for name in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def points_at(picture: str, x: float, y: float) -> list[str]:
    """Return the board points whose click areas contain (x, y)."""
    points = []
    for area in elements_named(picture, "rect"):
        if "data-point" in area.attrib:
            centre_x, centre_y = centre_of(area)
            if (
                abs(x - centre_x) < float(area.attrib["width"]) / 2
                and abs(y - centre_y) < float(area.attrib["height"]) / 2
            ):
                points.append(area.attrib["data-point"])
    return points


X, O = "#fffdf6", "#33302e"  # noqa: E741 - the colours of X and O


def test_pictures_equal_the_approved_files() -> None:
    for folder, pictures in ((FOLDER, APPROVED_PICTURES), (DOCS_FOLDER, DOCUMENTED_PICTURES)):
        for name, (subject, options) in pictures.items():
            assert svg(subject, **options) == (folder / f"{name}.svg").read_text(encoding="utf-8"), name


def test_coordinates_of_checkers() -> None:
    column_x: dict[int, float] = {}
    for point in range(1, 25):
        (centre,) = checker_centres(svg(Position.from_array([0] * point + [1] + [0] * (25 - point))), X)
        column_x[point] = centre[0]
        assert (centre[1] < 300) == (point > 12)
    # Points 1 to 12 run from right to left; point 25 - n is directly above point n.
    assert sorted(range(1, 13), key=lambda point: -column_x[point]) == list(range(1, 13))
    assert all(column_x[point] == column_x[25 - point] for point in range(1, 13))
    for count in range(1, 6):
        board = [0] * 26
        board[9] = count
        centres = checker_centres(svg(Position.from_array(board)), X)
        assert [x for x, _ in centres] == [column_x[9]] * count
        assert len({y for _, y in centres}) == count
    o_centres = checker_centres(svg(ON_THE_BAR), O)
    assert sum(x not in column_x.values() for x, _ in o_centres) == 3


def test_trays_show_the_checkers_borne_off() -> None:
    for off_count in range(15):
        points = [1] * (15 - off_count) + [0] * off_count
        picture = svg(Position.from_array([0, *points, *[0] * 10]))
        assert sum(rect.attrib["fill"] == X for rect in elements_named(picture, "rect")) == off_count
        assert texts(picture)[:-27] == (["15"] if off_count == 0 else [str(off_count), "15"])


def test_the_bottom_player_can_be_chosen() -> None:
    x_picture, o_picture = svg(CONTEXT), svg(CONTEXT, bottom="O")
    assert x_picture != o_picture
    for colour in (X, O):
        assert len(checker_centres(x_picture, colour)) == len(checker_centres(o_picture, colour)) == 15
    # Both pictures number the points from the side of O, who is on roll.
    assert texts(o_picture)[-27:-3] == [str(point) for point in range(1, 25)]
    assert texts(x_picture)[-27:-3] == [str(25 - point) for point in range(1, 25)]


def test_click_areas_contain_their_checkers() -> None:
    for clockwise, bottom, turn in product((False, True), ("X", "O"), (1, -1)):
        for point in (1, 6, 12, 13, 19, 25):
            board = [0] * 26
            board[point] = 5
            decision = Decision(position=Position.from_array(board), turn=turn)
            picture = svg(decision, clickable=True, bottom=bottom, clockwise=clockwise)
            centres = checker_centres(picture, X if turn == 1 else O)
            assert len(centres) == 5
            assert {tuple(points_at(picture, *centre)) for centre in centres} == {(str(point),)}
            # A click on one of the ten checkers in the tray bears off.
            for tray in elements_named(picture, "rect"):
                if tray.attrib["fill"] == (X if turn == 1 else O) and float(tray.attrib["height"]) < 20:
                    assert points_at(picture, *centre_of(tray)) == ["0"]


def test_click_areas_are_optional_and_on_top() -> None:
    picture, clickable_picture = svg(CONTEXT), svg(CONTEXT, clickable=True)
    assert "data-" not in picture
    lines = [
        line
        for line in clickable_picture.split("\n")[:-28]
        if line not in ('<g data-die="3">', '<g data-die="1">', "</g>")
    ]
    assert picture.removesuffix("</svg>\n") == "\n".join(lines) + "\n"
    areas = elements(clickable_picture)[-26:]
    assert [area.attrib["data-point"] for area in areas] == [str(point) for point in range(26)]
    assert {(area.attrib["fill"], area.attrib["pointer-events"]) for area in areas} == {("none", "all")}


def test_texts_of_a_picture() -> None:
    assert "O to play 3-1" in texts(svg(CONTEXT))
    assert "O: 167 pips, score 3 of 7" in texts(svg(CONTEXT))
    assert texts(svg(CONTEXT))[0] == "2"
    assert texts(svg(Decision(position=START)))[0] == "64"
    assert "64" not in texts(svg(START))
    assert texts(svg(Decision(position=START, offer="double")))[0] == "2"
    assert "O has won" in texts(svg(Position.from_array([0] * 24 + [15, 0])))
    title, description = (elements_named(svg(CONTEXT), name)[0].text or "" for name in ("title", "desc"))
    assert title == "Backgammon position: O to play 3-1"
    assert description == (
        "O: 2 on 24, 5 on 13, 3 on 8, 5 on 6; 167 pips. X: 2 on 24, 5 on 13, 3 on 8, 5 on 6; 167 pips."
    )
    assert "2 on the bar" in svg(ON_THE_BAR)
    assert "<title>&lt;mine&gt;</title>" in svg(START, title="<mine>")


def test_pictures_show_score_cube_and_rules() -> None:
    picture = svg(Decision(position=START, match_length=7, score=(6, 2), crawford=True))
    assert {"X: 167 pips, score 6 of 7", "Crawford game"} <= set(texts(picture))
    assert "64" not in texts(picture)  # no double is possible
    assert picture.replace("X on roll", "opening roll: one die each") == svg(Match(7, score=(6, 2)))
    for subject in (Decision(position=START, jacoby=True), Game(RuleSet(jacoby=True), on_turn=0)):
        assert {"64", "Jacoby rule"} <= set(texts(svg(subject)))
    assert "Jacoby rule" not in texts(
        svg(Match(7, RuleSet(jacoby=True)))
    )  # the rule applies only to money play
    assert svg(Match(7)).count("score 0 of 7") == 2


def test_the_higher_die_is_on_the_left() -> None:
    for roll in ((1, 5), (5, 1)):
        picture = svg(Game(on_turn=0, roll=roll))
        pips = [
            float(circle.attrib["cx"])
            for circle in elements_named(picture, "circle")
            if float(circle.attrib["r"]) < 10
        ]
        assert len(pips) == 6
        assert sum(x < min(pips) + 20 for x in pips) == 5
        assert "X to play 5-1" in texts(picture)
    game = Game(on_turn=0, roll=(3, 1))
    assert svg(game, game.plays()["8/5 6/5"]).count("<polyline") == 2


ARROWS: list[tuple[dict[int, int], Any, str]] = [
    ({24: 2, 6: 1}, (3, 3), "24/18(2)"),
    ({13: 4, 6: 6}, (3, 3), "13/10(4)"),
    ({6: 6, 8: 2}, (1, 1), "6/4(2)"),
    ({8: 5, 6: 1}, (3, 1), "8/5 6/5"),  # two arrows from a high and a low stack end at one point
    ({24: 2, 20: -1, 13: 3}, (4, 4), "24/20*/16 24/16"),
    ({25: 2, 20: -1}, (5, 2), "bar/23 bar/20*"),
    ({4: 3, 5: 4}, (2, 2), "4/off(2)"),
    ({13: 1, 5: 5}, (2, 2), "13/5"),
]


def test_arrows_do_not_cross() -> None:
    bottoms: tuple[Literal["X", "O"], ...] = ("X", "O")
    for (stacks, roll, play), bottom in product(ARROWS, bottoms):
        board = [0] * 26
        for point, count in {**stacks, 1: -3}.items():
            board[point] = count
        picture = svg(Position.from_array(board).plays(roll)[play], bottom=bottom)
        paths = [
            [tuple(map(float, vertex.split(","))) for vertex in line.attrib["points"].split()]
            for line in elements_named(picture, "polyline")
        ]
        assert len(paths) == sum(int(part[-2]) if part.endswith(")") else 1 for part in play.split())
        # An arrow has a vertex in the middle only where a checker is hit.
        assert sum(len(path) - 2 for path in paths) == play.count("*/")
        segments = [list(pairwise(path)) for path in paths]
        for first, second in combinations(segments, 2):
            assert not any(segments_cross(*a, *b) for a, b in product(first, second))


def segments_cross(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Return whether the segments ab and cd cross."""

    def side(p: Any, q: Any, r: Any) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_each_moved_checker_has_an_arrow_and_each_hit_a_circle() -> None:
    board = [0] * 26
    board[24], board[20], board[18], board[13], board[1] = 1, -1, -1, 2, -2
    plays = Position.from_array(board).plays((4, 2))
    picture = svg(plays["24/20*/18*"])
    assert picture.count("<polyline") == 1  # one checker has one arrow
    assert sum(circle.attrib["fill"] == "none" for circle in elements_named(picture, "circle")) == 2
    two_arrows = svg(plays["24/20* 13/11"])
    assert two_arrows.count("<polyline") == 2
    assert sum(circle.attrib["fill"] == "none" for circle in elements_named(two_arrows, "circle")) == 1
    assert svg(plays.position, plays["24/20* 13/11"]) == two_arrows
    assert svg(START).count("<polyline") == 0


def test_pictures_are_shown_in_notebooks() -> None:
    for subject in (START, START.plays((3, 1))[0], CONTEXT, Game(), Match(3), svg(START)):
        assert subject._repr_svg_().startswith("<svg ")
    assert isinstance(svg(START), str)


def test_pictures_have_the_given_size_and_legible_text() -> None:
    for size in (180, 200, 600, 1200, 10_000):
        picture = svg(CONTEXT, size=size)
        root = ElementTree.fromstring(picture)
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        _, _, view_width, view_height = map(float, root.attrib["viewBox"].split())
        assert width == size
        assert height / width == pytest.approx(view_height / view_width, rel=0.01)
        min_font_size = min(float(element.attrib["font-size"]) for element in elements_named(picture, "text"))
        assert min_font_size * width / view_width >= 8  # pixels


def test_colours_of_themes_and_options() -> None:
    assert len(checker_centres(svg(START, colours={"checkers_x": "gold", "frame": "navy"}), "gold")) == 15
    for theme in ("light", "dark", "print"):
        picture = svg(CONTEXT, theme=theme)  # type: ignore[arg-type]
        assert len(set(re.findall(r'fill="(#\w+)"', picture))) >= 3
    picture = svg(START, colours={"frame": '"><script>'})
    assert "<script>" not in picture
    assert any(element.attrib.get("fill") == '"><script>' for element in elements(picture))


def luminance(colour: str) -> float:
    """Return the relative luminance as defined by WCAG 2."""
    levels = [value / 255 for value in bytes.fromhex(colour[1:])]
    linear = [level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_of_checkers_in_the_dark_theme() -> None:
    """White checkers and the outlines of black checkers have the contrast of 3:1 that WCAG 2 requires."""
    colours = theme_colours("dark", None)
    for background in ("board", "dark_points", "light_points", "tray"):
        for checker in ("outline_o", "checkers_x"):
            light, dark = luminance(colours[checker]), luminance(colours[background])
            assert (light + 0.05) / (dark + 0.05) >= 3, (checker, background)


def test_titles_are_escaped() -> None:
    for character in "\t\n \ud7ff\ue000\ufffd\U00010000\U0010ffff<&>\"'":
        title = f"a{character}b"
        assert elements_named(svg(START, title=title), "title")[0].text == title
    # Control characters are replaced.
    assert elements_named(svg(START, title="a\x7f\x85\u202eb"), "title")[0].text == "a\ufffd\ufffd\ufffdb"


def test_past_states_keep_their_pictures_and_xgids() -> None:
    match = Match(3, dice=[(3, 1), (6, 4)])
    match.roll()
    match.play("8/5 6/5")
    pictures = [state.svg(size=300) for state in match.states]
    xgids = [state.xgid for state in match.states]
    assert pictures[-1] == svg(match.state, size=300)
    assert len(set(pictures)) == len(set(xgids)) == 3
    for state, picture, xgid in zip(reversed(match.states), reversed(pictures), reversed(xgids), strict=True):
        assert (svg(match, size=300), match.xgid) == (picture, xgid)
        assert state.game.svg(size=300)
        if match.history:
            match.undo()


def test_a_second_play_has_thin_dashed_arrows_in_another_colour() -> None:
    best_play, other_play = START.plays((3, 1))["8/5 6/5"], START.plays((3, 1))["8/5 24/23"]
    diagram = replace(START._diagram(), moves=best_play.moves, other_moves=other_play.moves)
    picture = svg(diagram)
    lines = [line for line in picture.splitlines() if line.startswith("<polyline")]
    assert [("#1f5fbf" in line, "#e0007a" in line, "dasharray" in line) for line in lines] == (
        [(True, False, False)] * 2 + [(False, True, True)] * 2
    )
    # Both plays contain 8/5, whose two arrows start at the same point.
    starts = [re.search('points="([^"]+)"', line)[1].split()[0] for line in lines]
    assert len(set(starts)) == 3


def test_pictures_show_player_names() -> None:
    diagram = replace(START._diagram(), names=("Anna & co", "Bob"))
    picture = svg(diagram, bottom="O")
    assert "Anna &amp; co: 167 pips" in picture
    assert "Bob: 2 on 24" in picture


def test_text_colours_can_be_set() -> None:
    """Text colours can be set for a background that is a CSS variable, whose contrast is unknown."""
    colours = {"frame": "var(--frame)", "frame_text": "#abcdef", "checkers_x": "var(--x)"}
    stack = Position.from_array([0, 15] + [0] * 22 + [-1, 0])
    picture = svg(stack, colours=colours | {"checkers_x_text": "#fedcba"})
    assert picture.count('fill="#abcdef"') == 25  # 24 point numbers and the number of checkers borne off
    assert picture.count('fill="#fedcba"') == 1  # the number of checkers in the stack
    assert svg(stack, colours=colours).count("#fedcba") == 0


if __name__ == "__main__":
    for folder, pictures in ((FOLDER, APPROVED_PICTURES), (DOCS_FOLDER, DOCUMENTED_PICTURES)):
        for name, (subject, options) in pictures.items():
            (folder / f"{name}.svg").write_text(svg(subject, **options), encoding="utf-8")
