"""Charts: round ticks, marks without overlap, and escaped names."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

from bgfast.analysis.matches.page import CHART_SIZES, MARK_RADIUS, Chart, ChartMark, LuckTick, round_ticks


def test_ticks_are_round_and_span_the_range() -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        low, high = sorted((random.normal(size=2) * 10.0 ** random.integers(-3, 4)).tolist())
        ticks = round_ticks(low, high, 4)
        assert ticks[0] <= low + 1e-6 * (high - low)
        assert ticks[-1] >= high - 1e-6 * (high - low)
        assert 2 <= len(ticks) <= 5
        (step,) = {f"{b - a:.6e}" for a, b in pairwise(ticks)}
        assert float(step[:4]) in (1, 2, 2.5, 5)


MARKS = [
    ChartMark(number, x, 0.55, "first", "<i>")
    for number, x in enumerate([10.0] * 2 + [11.0] * 2 + [12.0] * 3)
]
POINTS = [(0, 0.5), (10, 0.55), (11, 0.55), (12, 0.54), (50, 0.0)]
CHART = Chart(
    "Anna & <b>", "match winning chance", POINTS, [(0.0, 1), (20.0, 2), (21.0, 3)], MARKS, is_probability=True
)


def test_marks_do_not_overlap_and_stay_inside() -> None:
    for width, height in CHART_SIZES.values():
        picture = CHART.svg((width, height), "wide")
        ElementTree.fromstring(picture)
        coordinates = re.findall(r'circle .*?cx="(.*?)" cy="(.*?)"', picture)
        marks = [(float(x), float(y)) for x, y in coordinates]
        assert len(marks) == 7
        for index, (x, y) in enumerate(marks):
            assert 0 < x < width
            assert 0 < y < height
            assert all(math.dist((x, y), mark) >= 2 * MARK_RADIUS for mark in marks[:index])


def test_close_marks_stay_on_the_line() -> None:
    for width, height in CHART_SIZES.values():
        picture = CHART._replace(marks=MARKS[:4]).svg((width, height), "wide")
        (line,) = re.findall(r'<polyline class="line" points="(.*?)"', picture)
        corners = [tuple(map(float, corner.split(","))) for corner in line.split()]
        for x, y in re.findall(r'circle .*?cx="(.*?)" cy="(.*?)"', picture):
            mark = float(x), float(y)
            # A mark is on a segment of the line if the path through the mark is no longer than the segment.
            detours = [
                math.dist(a, mark) + math.dist(mark, b) - math.dist(a, b) for a, b in pairwise(corners)
            ]
            assert min(detours) < 0.05


def test_lucky_and_unlucky_rolls_have_triangles_at_the_top_of_the_chart() -> None:
    ticks = [LuckTick(10, "first", True, "Anna <b>"), LuckTick(50, "second", False, "Bob")]
    picture = CHART._replace(luck=ticks).svg((960, 300), "wide")
    shapes = re.findall(
        r'<path class="luck (\w+)" d="M(\S+) (\d+)l4 (-?7)h-8z"><title>(.*?)</title>', picture
    )
    assert [(player, slope, title) for player, _, _, slope, title in shapes] == [
        ("first", "7", "Anna &lt;b&gt;"),
        ("second", "-7", "Bob"),
    ]
    x = [float(shape[1]) for shape in shapes]
    # The axis begins at 58 pixels; rolls 10 and 50 of 50 are at a fifth of its width and at its end.
    assert (x[0] - 58) / (x[1] - 58) == pytest.approx(0.2, abs=0.001)
    assert all(int(shape[2]) < 30 for shape in shapes)


def test_axes_have_labels_and_round_ticks_and_text_is_escaped() -> None:
    picture = CHART.svg((960, 300), "wide")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert [text for text in texts if text.endswith("%")] == ["0%", "25%", "50%", "75%", "100%"]
    assert [text for text in texts if text.isdigit()][:6] == ["0", "10", "20", "30", "40", "50"]
    assert {"rolls", "match winning chance", "game 1", "game 3"} <= set(texts)
    assert "game 2" not in texts  # a game of one roll has no room for its label
    assert 'aria-label="Anna &amp; &lt;b&gt;"' in picture
    assert "<title>&lt;i&gt;</title>" in picture
