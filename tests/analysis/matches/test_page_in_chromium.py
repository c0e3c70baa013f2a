"""HTML report in headless Chromium: light and dark mode, narrow windows, and print."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Iterator

import pytest

import bgfast
from bgfast import Match
from bgfast.games import MatchInfo
from tests.support.chromium import TIMEOUT_SECONDS, Page
from tests.support.matches import play_on

NAMES = ('<script>document.title = "run"</script>', "\"Bob\" & 'co' </title>")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    tmp_path = tmp_path_factory.mktemp("report")
    match = Match(3, dice=11, info=MatchInfo(players=NAMES))
    play_on(match, 20, lambda match: match.plays()[-1])
    evaluator = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
    file = tmp_path / "report.html"
    file.write_text(bgfast.analyse_match(match, evaluator, ply=0).to_html(3), encoding="utf-8")
    with Page(file.as_uri(), tmp_path / "browser") as browser_page:
        wait_for(lambda: browser_page.value("document.readyState") == "complete" and browser_page.text("h1"))
        yield browser_page


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_names_are_escaped_and_nothing_is_loaded(page: Page) -> None:
    assert page.text("h1") == f"{NAMES[0]} – {NAMES[1]}"
    assert page.value("document.title") == f"{NAMES[0]} – {NAMES[1]}"
    preview = page.value("document.querySelector('meta[property=\"og:title\"]').content")
    assert preview == f"{NAMES[0]} – {NAMES[1]}: backgammon report"
    assert page.value("document.scripts.length") == 2  # the playback data and its script
    assert page.value("performance.getEntriesByType('resource').length") == 0


def emulate(page: Page, scheme: str, media: str = "screen") -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.call("Emulation.setEmulatedMedia", media=media, features=features)


def resize(page: Page, width: int) -> None:
    page.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_boards_have_enough_contrast_in_light_and_dark_mode(page: Page, scheme: str) -> None:
    emulate(page, scheme)
    paper = luminance(page, "body", "backgroundColor")
    card = luminance(page, ".error", "backgroundColor")
    assert (paper < 0.5) == (card < 0.5) == (scheme == "dark")
    paper_selectors = ("body", "body > p.soft", ".why")
    card_selectors = (".error .soft", ".is-blunder", ".is-error", "th", "tbody.best", "tbody.played", "dt")
    for selectors, background in ((paper_selectors, paper), (card_selectors, card)):
        for selector in selectors:
            # 4.5 is the minimum for text in WCAG 2.
            assert contrast(luminance(page, selector, "color"), background) >= 4.5, selector
    for selector in ("svg.chart text", ".error figure text[fill=currentColor]"):
        assert contrast(luminance(page, selector, "fill"), card) >= 4.5, selector
    mark_text = luminance(page, "svg.chart text.on-mark", "fill")
    assert contrast(mark_text, luminance(page, "svg.chart circle.mark", "fill")) >= 4.5

    board = luminance(page, '.error figure rect[fill="var(--board)"]', "fill")
    assert (board < 0.2) == (scheme == "dark")
    frame = luminance(page, '.error figure rect[fill="var(--frame)"]', "fill")
    point_number = luminance(page, '.error figure text[fill="var(--frame-text)"]', "fill")
    assert contrast(frame, point_number) >= 4.5
    for name in ("best", "played"):
        arrow = luminance(page, f'.error polyline[stroke="var(--{name})"]', "stroke")
        assert contrast(board, arrow) >= 3  # 3 is the minimum for graphics in WCAG 2.
    emulate(page, scheme, "print")
    assert luminance(page, "body", "backgroundColor") == 1
    assert luminance(page, '.error figure rect[fill="var(--board)"]', "fill") > 0.5


def contrast(first: float, second: float) -> float:
    """Return the contrast ratio of two luminances as defined by WCAG 2."""
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


def luminance(page: Page, selector: str, colour_property: str) -> float:
    """Return the relative luminance of an element's colour as defined by WCAG 2."""
    style = f"getComputedStyle(document.querySelector('{selector}')).{colour_property}"
    parts = page.value(f"{style}.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)")
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_into_the_window_and_is_legible(page: Page, width: int) -> None:
    emulate(page, "light")
    resize(page, width)
    page.value("document.querySelectorAll('details').forEach((game) => game.open = true)")
    assert page.value("document.documentElement.scrollWidth") <= width
    page.value("document.querySelectorAll('details').forEach((game) => game.open = false)")
    # The first screen shows the chart and all columns of both players.
    boxes = "[...document.querySelectorAll(%r)].map((part) => part.getBoundingClientRect())"
    right_edges = page.value(f"{boxes % '.player, .rates td'}.map((box) => box.right)")
    assert max(right_edges) <= width
    chart = page.value(f"(({{top, height}}) => [top, height])({boxes % 'figure'}[0])")
    assert sum(chart) <= 844
    # Only the chart for this width is shown. The text of charts and boards shrinks with the picture.
    charts = "[...document.querySelectorAll('svg.chart')].filter((chart) => chart.checkVisibility())"
    assert page.value(f"{charts}.length") == 1
    scale = "(({width}, {baseVal}) => width / baseVal.width)(PART.getBoundingClientRect(), PART.viewBox)"
    size = "parseFloat(getComputedStyle(PART.querySelector('text')).fontSize)"
    for part, minimum in ((f"{charts}[0]", 10.0), ("document.querySelector('.error figure svg')", 9.0)):
        assert page.value(f"{scale} * {size}".replace("PART", part)) >= minimum


def test_boards_are_wide_and_the_chances_of_other_candidates_are_folded(page: Page) -> None:
    emulate(page, "light")
    resize(page, 1280)
    width = "document.querySelector('%s').getBoundingClientRect().width"
    width_ratio = page.value(f"{width % '.error figure'} / {width % '.error .body'}")
    assert width_ratio == pytest.approx(0.55, abs=0.03)
    # Unfolded chances take the whole width of the table without changing its columns.
    cell = "document.querySelector('.candidates .other td')"
    cell_width = page.value(f"{cell}.clientWidth")
    page.value(f"{cell}.querySelector('details').open = true")
    chances, table = page.value(f"{width % '.candidates details span'}"), page.value(width % ".candidates")
    assert (page.value(f"{cell}.clientWidth"), chances) == (cell_width, pytest.approx(table, abs=2))
    page.value(f"{cell}.querySelector('details').open = false")


def test_phones_show_luck_and_unbroken_headings_in_games(page: Page) -> None:
    emulate(page, "light")
    resize(page, 390)
    page.value("document.querySelectorAll('details').forEach((game) => game.open = true)")
    headings = page.value(
        "[...document.querySelectorAll('.moves th:not(.c2)')].map((head) => "
        "[head.innerText, head.clientHeight / parseFloat(getComputedStyle(head).lineHeight)])"
    )
    assert "luck" in [text for text, _ in headings]
    assert all(lines < 2 for _, lines in headings)
    assert page.value("document.querySelector('.moves .c4').checkVisibility()")
    assert page.value("document.documentElement.scrollWidth") <= 390
    page.value("document.querySelectorAll('details').forEach((game) => game.open = false)")


def test_chart_numbers_link_to_the_errors(page: Page) -> None:
    resize(page, 1280)
    page.value("window.scrollTo(0, 0)")
    page.click("svg.chart.wide a:last-of-type circle")
    wait_for(lambda: page.value("location.hash") == "#error-3")
    assert page.value("document.querySelector('#error-3').getBoundingClientRect().top") < 844
    page.value("location.hash = ''")


def test_games_are_unfolded_in_print_and_the_paper_is_a4(page: Page) -> None:
    row = "document.querySelector('details table').checkVisibility({contentVisibilityAuto: true})"
    for media, is_unfolded in (("screen", False), ("print", True)):
        emulate(page, "dark", media)
        wait_for(lambda is_unfolded=is_unfolded: page.value(row) is is_unfolded)
    pdf = base64.b64decode(page.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert pdf.startswith(b"%PDF")
    width, height = map(float, re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
    assert (round(width), round(height)) in ((595, 842), (594, 841), (595, 841))
