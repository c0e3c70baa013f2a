"""Charts: round ticks, marks that do not cover each other, names that are escaped."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

from bgfast.analysis.matches.page import MARK_RADIUS, Chart, ChartMark, chart_svg, round_ticks


@pytest.mark.parametrize("seed", range(20))
def test_ticks_are_round_and_span_the_range(seed: int) -> None:
    random = np.random.default_rng(seed)
    low, high = sorted((random.normal(size=2) * 10.0 ** random.integers(-3, 4)).tolist())
    ticks = round_ticks(low, high, 4)
    assert ticks[0] <= low + 1e-6 * (high - low)
    assert ticks[-1] >= high - 1e-6 * (high - low)
    assert 2 <= len(ticks) <= 5
    steps = {f"{b - a:.6e}" for a, b in pairwise(ticks)}
    (step,) = steps
    assert float(step[:4]) in (1, 2, 2.5, 5)


CHART = Chart(
    label="Anna & <b>",
    x_label="rolls",
    y_label="match winning chance",
    points=[(0, 0.5), (10, 0.55), (11, 0.55), (12, 0.54), (50, 0.0)],
    games=[(0.0, 1), (20.0, 2), (21.0, 3)],
    marks=[
        ChartMark(number, x, 0.55, "first", "<i>")
        for number, x in enumerate((10.0, 10.0, 11.0, 11.0, 12.0, 12.0, 12.0), 1)
    ],
    y_limits=(0.0, 1.0),
    is_share=True,
)


@pytest.mark.parametrize(("width", "height"), [(960, 300), (360, 270)])
def test_marks_do_not_cover_each_other_and_stay_inside(width: int, height: int) -> None:
    picture = chart_svg(CHART, width, height, "wide")
    ElementTree.fromstring(picture)
    marks = [tuple(map(float, place)) for place in re.findall(r'circle .*?cx="(.*?)" cy="(.*?)"', picture)]
    assert len(marks) == 7
    for index, (x, y) in enumerate(marks):
        assert 0 < x < width
        assert 0 < y < height
        assert all(math.hypot(x - a, y - b) >= 2 * MARK_RADIUS for a, b in marks[:index])


def test_axes_have_labels_and_round_ticks() -> None:
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", chart_svg(CHART, 960, 300, "wide"))
    assert [text for text in texts if text.endswith("%")] == ["0%", "25%", "50%", "75%", "100%"]
    assert [text for text in texts if text.isdigit()][:6] == ["0", "10", "20", "30", "40", "50"]
    assert {"rolls", "match winning chance", "game 1", "game 3"} <= set(texts)
    assert "game 2" not in texts  # one roll long: no room


def test_text_is_escaped() -> None:
    picture = chart_svg(CHART, 960, 300, "wide")
    assert 'aria-label="Anna &amp; &lt;b&gt;"' in picture
    assert "<title>&lt;i&gt;</title>" in picture
