"""SVG pictures: elements, places, and approved files.

After an intended change inspect the pictures and write them again: ``python -m tests.games.test_svg``.
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
from bgfast.position.picture import themed_colours

FOLDER = Path(__file__).parent.parent / "data" / "pictures"
DOCS = Path(__file__).parent.parent.parent / "docs" / "pictures"
START = Position.start()
CONTEXT = Decision.read("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10")
BEAROFF = Position.from_array([0, 2, 2, 1] + [0] * 15 + [-3, -2, -1, 0, 0, 0, 0])
ON_THE_BAR = Position.from_array([-3, 0, -2, 2, 2, 3, -1] + [0] * 13 + [-2, 0, -1, -2, 0, 2])
GOLDEN: dict[str, tuple[Any, dict[str, Any]]] = {
    "start": (START, {}),
    "bear-off": (BEAROFF.plays((6, 5))[0], {}),
    "bar": (ON_THE_BAR.plays((6, 3))[0], {"theme": "print"}),
    "stack": (Position.from_array([0] * 24 + [15, 0]), {"theme": "dark", "clockwise": True, "size": 200}),
    "context": (CONTEXT, {"theme": "dark", "size": 1200}),
}
# Pictures of the documentation.
SHOWN: dict[str, tuple[Any, dict[str, Any]]] = {
    "start": (START, {"size": 500}),
    "play": (START.plays((3, 1))["8/5 6/5"], {"size": 400}),
}


def elements(picture: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter())


def element_named(picture: str, name: str) -> list[ElementTree.Element]:
    return [element for element in elements(picture) if element.tag.endswith(f"}}{name}")]


def words(picture: str) -> list[str]:
    return [element.text or "" for element in element_named(picture, "text")]


def checkers(picture: str, colour: str) -> list[tuple[float, float]]:
    """Return the centres of the checkers of a colour; pips of dice are smaller."""
    return [
        (float(circle.attrib["cx"]), float(circle.attrib["cy"]))
        for circle in element_named(picture, "circle")
        if circle.attrib["fill"] == colour and float(circle.attrib["r"]) > 10
    ]


def middle(rectangle: ElementTree.Element) -> tuple[float, float]:
    x, y, width, height = (float(rectangle.attrib[name]) for name in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def areas_at(picture: str, x: float, y: float) -> list[str]:
    """Return the points whose areas a click hits."""
    results = []
    for area in element_named(picture, "rect"):
        if "data-point" in area.attrib:
            across, down = middle(area)
            if (
                abs(x - across) < float(area.attrib["width"]) / 2
                and abs(y - down) < float(area.attrib["height"]) / 2
            ):
                results.append(area.attrib["data-point"])
    return results


X, O = "#fffdf6", "#33302e"  # noqa: E741 - as the board calls them


def test_approved_and_documented_pictures() -> None:
    for folder, pictures in ((FOLDER, GOLDEN), (DOCS, SHOWN)):
        for name, (what, options) in pictures.items():
            assert svg(what, **options) == (folder / f"{name}.svg").read_text(encoding="utf-8"), name


def test_places_of_checkers() -> None:
    at: dict[int, float] = {}
    for point in range(1, 25):
        (place,) = checkers(svg(Position.from_array([0] * point + [1] + [0] * (25 - point))), X)
        at[point] = place[0]
        assert (place[1] < 300) == (point > 12)
    # From the mover's home below on the right to the opponent's above it.
    assert sorted(range(1, 13), key=lambda point: -at[point]) == list(range(1, 13))
    assert all(at[point] == at[25 - point] for point in range(1, 13))
    for number in range(1, 6):
        board = [0] * 26
        board[9] = number
        places = checkers(svg(Position.from_array(board)), X)
        assert [x for x, _ in places] == [at[9]] * number
        assert len({y for _, y in places}) == number
    bar = checkers(svg(ON_THE_BAR), O)
    assert sum(x not in at.values() for x, _ in bar) == 3


def test_trays() -> None:
    for off in range(15):
        spread = [1] * (15 - off) + [0] * off
        picture = svg(Position.from_array([0, *spread, *[0] * 10]))
        tray = [item for item in element_named(picture, "rect") if item.attrib["fill"] == X]
        assert len(tray) == off
        assert words(picture)[:-27] == (["15"] if off == 0 else [str(off), "15"])


def test_opponent_below() -> None:
    above, below = svg(CONTEXT), svg(CONTEXT, bottom="O")
    assert above != below
    for colour in (X, O):
        assert len(checkers(above, colour)) == len(checkers(below, colour)) == 15
    # Both number the points for O, who is to play.
    assert words(below)[-27:-3] == [str(point) for point in range(1, 25)]
    assert words(above)[-27:-3] == [str(25 - point) for point in range(1, 25)]


def test_clicks_on_checkers() -> None:
    for clockwise, bottom, turn in product((False, True), ("X", "O"), (1, -1)):
        for point in (1, 6, 12, 13, 19, 25):
            board = [0] * 26
            board[point] = 5
            decision = Decision(position=Position.from_array(board), turn=turn)
            picture = svg(decision, clickable=True, bottom=bottom, clockwise=clockwise)
            places = checkers(picture, X if turn == 1 else O)
            assert len(places) == 5
            assert {tuple(areas_at(picture, *place)) for place in places} == {(str(point),)}
            # And one on the tray, where ten lie, bears off.
            for tray in element_named(picture, "rect"):
                if tray.attrib["fill"] == (X if turn == 1 else O) and float(tray.attrib["height"]) < 20:
                    assert areas_at(picture, *middle(tray)) == ["0"]


def test_click_areas_are_optional_and_on_top() -> None:
    plain, clickable = svg(CONTEXT), svg(CONTEXT, clickable=True)
    assert "data-" not in plain
    lines = [
        line
        for line in clickable.split("\n")[:-28]
        if line not in ('<g data-die="3">', '<g data-die="1">', "</g>")
    ]
    assert plain.removesuffix("</svg>\n") == "\n".join(lines) + "\n"
    areas = elements(clickable)[-26:]
    assert [area.attrib["data-point"] for area in areas] == [str(point) for point in range(26)]
    assert {(area.attrib["fill"], area.attrib["pointer-events"]) for area in areas} == {("none", "all")}


def test_words() -> None:
    assert "O to play 3-1" in words(svg(CONTEXT))
    assert "O: 167 pips, score 3 of 7" in words(svg(CONTEXT))
    assert words(svg(CONTEXT))[0] == "2"
    assert words(svg(Decision(position=START)))[0] == "64"
    assert "64" not in words(svg(START))
    assert words(svg(Decision(position=START, offer="double")))[0] == "2"
    assert "O has won" in words(svg(Position.from_array([0] * 24 + [15, 0])))
    title, description = (element_named(svg(CONTEXT), name)[0].text or "" for name in ("title", "desc"))
    assert title == "Backgammon position: O to play 3-1"
    assert description == (
        "O: 2 on 24, 5 on 13, 3 on 8, 5 on 6; 167 pips. X: 2 on 24, 5 on 13, 3 on 8, 5 on 6; 167 pips."
    )
    assert "2 on the bar" in svg(ON_THE_BAR)
    assert "<title>&lt;mine&gt;</title>" in svg(START, title="<mine>")


def test_score_and_cube() -> None:
    crawford = svg(Decision(position=START, match_length=7, score=(6, 2), crawford=True))
    assert {"X: 167 pips, score 6 of 7", "Crawford game"} <= set(words(crawford))
    assert "64" not in words(crawford)  # no double is possible
    assert crawford.replace("X on roll", "opening roll: one die each") == svg(Match(7, score=(6, 2)))
    for jacoby in (Decision(position=START, jacoby=True), Game(RuleSet(jacoby=True), on_turn=0)):
        assert {"64", "Jacoby rule"} <= set(words(svg(jacoby)))
    assert "Jacoby rule" not in words(svg(Match(7, RuleSet(jacoby=True))))  # money play
    assert svg(Match(7)).count("score 0 of 7") == 2


def test_the_higher_die_is_on_the_left() -> None:
    for roll in ((1, 5), (5, 1)):
        picture = svg(Game(on_turn=0, roll=roll))
        pips = [
            float(circle.attrib["cx"])
            for circle in element_named(picture, "circle")
            if float(circle.attrib["r"]) < 10
        ]
        assert len(pips) == 6
        assert sum(x < min(pips) + 20 for x in pips) == 5
        assert "X to play 5-1" in words(picture)
    game = Game(on_turn=0, roll=(3, 1))
    assert svg(game, game.plays()["8/5 6/5"]).count("<polyline") == 2


ARROWS: list[tuple[dict[int, int], Any, str]] = [
    ({24: 2, 6: 1}, (3, 3), "24/18(2)"),
    ({13: 4, 6: 6}, (3, 3), "13/10(4)"),
    ({6: 6, 8: 2}, (1, 1), "6/4(2)"),
    ({8: 5, 6: 1}, (3, 1), "8/5 6/5"),  # from a high stack and a low one to the same point
    ({24: 2, 20: -1, 13: 3}, (4, 4), "24/20*/16 24/16"),
    ({25: 2, 20: -1}, (5, 2), "bar/23 bar/20*"),
    ({4: 3, 5: 4}, (2, 2), "4/off(2)"),
    ({13: 1, 5: 5}, (2, 2), "13/5"),
]


def test_arrows_do_not_cross() -> None:
    bottoms: tuple[Literal["X", "O"], ...] = ("X", "O")
    for (stacks, roll, play), bottom in product(ARROWS, bottoms):
        board = [0] * 26
        for point, number in {**stacks, 1: -3}.items():
            board[point] = number
        picture = svg(Position.from_array(board).plays(roll)[play], bottom=bottom)
        paths = [
            [tuple(map(float, place.split(","))) for place in line.attrib["points"].split()]
            for line in element_named(picture, "polyline")
        ]
        assert len(paths) == sum(int(part[-2]) if part.endswith(")") else 1 for part in play.split())
        # A stop only where something is hit.
        assert sum(len(path) - 2 for path in paths) == play.count("*/")
        segments = [list(pairwise(path)) for path in paths]
        for first, second in combinations(segments, 2):
            assert not any(cross(*a, *b) for a, b in product(first, second))


def cross(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Return whether the segments ab and cd cross."""

    def side(p: Any, q: Any, r: Any) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def test_arrows_and_hits() -> None:
    board = [0] * 26
    board[24], board[20], board[18], board[13], board[1] = 1, -1, -1, 2, -2
    plays = Position.from_array(board).plays((4, 2))
    picture = svg(plays["24/20*/18*"])
    assert picture.count("<polyline") == 1  # one checker, one arrow
    assert len([item for item in element_named(picture, "circle") if item.attrib["fill"] == "none"]) == 2
    two = svg(plays["24/20* 13/11"])
    assert two.count("<polyline") == 2
    assert len([item for item in element_named(two, "circle") if item.attrib["fill"] == "none"]) == 1
    assert svg(plays.position, plays["24/20* 13/11"]) == two
    assert svg(START).count("<polyline") == 0


def test_notebooks_show_them() -> None:
    for thing in (START, START.plays((3, 1))[0], CONTEXT, Game(), Match(3), svg(START)):
        assert thing._repr_svg_().startswith("<svg ")
    assert isinstance(svg(START), str)


def test_sizes() -> None:
    for size in (180, 200, 600, 1200, 10_000):
        picture = svg(CONTEXT, size=size)
        root = ElementTree.fromstring(picture)
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        _, _, units_wide, units_high = map(float, root.attrib["viewBox"].split())
        assert width == size
        assert height / width == pytest.approx(units_high / units_wide, rel=0.01)
        smallest = min(float(item.attrib["font-size"]) for item in element_named(picture, "text"))
        assert smallest * width / units_wide >= 8  # pixels


def test_colours() -> None:
    assert len(checkers(svg(START, colours={"checkers_x": "gold", "frame": "navy"}), "gold")) == 15
    for theme in ("light", "dark", "print"):
        picture = svg(CONTEXT, theme=theme)  # type: ignore[arg-type]
        assert len(set(re.findall(r'fill="(#\w+)"', picture))) >= 3
    picture = svg(START, colours={"frame": '"><script>'})
    assert "<script>" not in picture
    assert any(item.attrib.get("fill") == '"><script>' for item in elements(picture))


def luminance(colour: str) -> float:
    """Return the relative luminance as defined by WCAG 2."""
    parts = [value / 255 for value in bytes.fromhex(colour[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_checkers_stand_out_in_the_dark() -> None:
    """The outlines of black checkers and white checkers differ from all grounds by 3:1, as WCAG 2 demands."""
    colours = themed_colours("dark", None)
    for ground in ("board", "dark_points", "light_points", "tray"):
        for checker in ("outline_o", "checkers_x"):
            light, dark = luminance(colours[checker]), luminance(colours[ground])
            assert (light + 0.05) / (dark + 0.05) >= 3, (checker, ground)


def test_titles() -> None:
    for character in "\t\n \ud7ff\ue000\ufffd\U00010000\U0010ffff<&>\"'":
        title = f"a{character}b"
        assert element_named(svg(START, title=title), "title")[0].text == title
    # Control characters are replaced.
    assert element_named(svg(START, title="a\x7f\x85\u202eb"), "title")[0].text == "a\ufffd\ufffd\ufffdb"


if __name__ == "__main__":
    for folder, pictures in ((FOLDER, GOLDEN), (DOCS, SHOWN)):
        for name, (what, options) in pictures.items():
            (folder / f"{name}.svg").write_text(svg(what, **options), encoding="utf-8")


def test_pictures_and_xgids_of_a_match() -> None:
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
    best, played = START.plays((3, 1))["8/5 6/5"], START.plays((3, 1))["8/5 24/23"]
    diagram = replace(START._diagram(), moves=best.moves, other_moves=played.moves)
    picture = svg(diagram)
    lines = [line for line in picture.splitlines() if line.startswith("<polyline")]
    assert [("#1f5fbf" in line, "#e0007a" in line, "dasharray" in line) for line in lines] == (
        [(True, False, False)] * 2 + [(False, True, True)] * 2
    )
    # 8/5 is a part of both plays: its two lines run the same way.
    ways = [re.search('points="([^"]+)"', line)[1].split()[0] for line in lines]
    assert len(set(ways)) == 3


def test_player_names() -> None:
    diagram = replace(START._diagram(), names=("Anna & co", "Bob"))
    picture = svg(diagram, bottom="O")
    assert "Anna &amp; co: 167 pips" in picture
    assert "Bob: 2 on 24" in picture


def test_text_colours() -> None:
    """A background that is a CSS variable has an unknown contrast."""
    colours = {"frame": "var(--frame)", "frame_text": "#abcdef", "checkers_x": "var(--x)"}
    heap = Position.from_array([0, 15] + [0] * 22 + [-1, 0])
    picture = svg(heap, colours=colours | {"checkers_x_text": "#fedcba"})
    assert picture.count('fill="#abcdef"') == 25  # the numbers of the points, and of 14 checkers borne off
    assert picture.count('fill="#fedcba"') == 1  # the number of checkers in the heap
    assert svg(heap, colours=colours).count("#fedcba") == 0
