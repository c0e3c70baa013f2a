"""Index page of several matches in headless Chromium: layout in narrow and wide windows, and links."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bgfast.matches import MatchAnalysis, write_report
from tests.analysis.matches.test_page_in_chromium import emulate, resize, wait_for
from tests.support.chromium import Page


@pytest.fixture(scope="module")
def page(analyses: list[MatchAnalysis], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("index")
    names = ("an é with blanks.mat", "b%20#?.mat", "c.mat", "d.mat")
    write_report(zip(names, analyses, strict=True), folder / "index 1%.html", worst=2)
    with Page((folder / "index 1%.html").as_uri(), folder / "browser") as browser_page:
        wait_for(lambda: browser_page.value("document.readyState") == "complete" and browser_page.text("h1"))
        yield browser_page


@pytest.mark.parametrize(("width", "layout"), [(390, "narrow"), (1280, "wide")])
def test_nothing_is_wider_than_the_window_and_text_is_legible(page: Page, width: int, layout: str) -> None:
    resize(page, width)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value("[...document.querySelectorAll('table')].every((t) => t.scrollWidth <= t.clientWidth)")
    charts = page.value(
        "[...document.querySelectorAll('svg.chart')].filter((chart) => chart.checkVisibility())"
        ".map((chart) => [chart.classList.contains('" + layout + "'),"
        " chart.querySelector('text').getBoundingClientRect().height])"
    )
    assert len(charts) == 2  # each player has a chart
    assert all(is_shown and height >= 11 for is_shown, height in charts)
    assert page.value(
        "[...document.querySelectorAll('svg.chart')].filter((chart) => chart.checkVisibility())"
        ".every((chart) => [...chart.querySelectorAll('text')].every((text) =>"
        " text.getBoundingClientRect().right <= chart.getBoundingClientRect().right + 1))"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_points_and_line_are_visible_in_light_and_dark_mode(page: Page, scheme: str) -> None:
    emulate(page, scheme)
    colours = page.value(
        "[['.panel', 'backgroundColor'], ['circle.match', 'fill'], ['.line.average', 'stroke']]"
        ".map(([selector, name]) => getComputedStyle(document.querySelector(selector))[name])"
    )
    assert len(set(colours)) == 3


def test_links_lead_to_the_pages_of_the_matches(page: Page) -> None:
    address = page.value("location.href")
    links = page.value("[...document.querySelectorAll('.matches a')].map((link) => link.href)")
    assert len(links) == 4
    try:
        for link in links:
            page.call("Page.navigate", url=link)
            wait_for(lambda link=link: page.value("location.href") == link and page.text("h1"))
            assert page.text("h1") == "Anna – Bob <b>"
            assert page.value("document.querySelector('p.back a').href") == address
    finally:
        page.call("Page.navigate", url=address)
        wait_for(lambda: page.text("h1") == "4 matches")
