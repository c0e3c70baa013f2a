"""HTML report in headless Chromium: light and dark mode, narrow windows, and print."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator

import pytest

import bgfast
from bgfast import Match
from bgfast.games import MatchInfo
from tests.support.chromium import SECONDS, Page

NAMES = ('<script>document.title = "run"</script>', "\"Bob\" & 'co' </title>")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    tmp_path = tmp_path_factory.mktemp("report")
    match = Match(3, dice=11, info=MatchInfo(players=NAMES))
    while len(match.history) < 20:
        if match.phase in ("opening", "to_roll"):
            match.roll()
        elif len(match.plays()):
            match.play(match.plays()[-1])
        else:
            match.pass_turn()
    network = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
    file = tmp_path / "report.html"
    file.write_text(bgfast.analyse_match(match, network, ply=0).to_html(3), encoding="utf-8")
    with Page(file.as_uri(), tmp_path / "browser") as browser_page:
        wait_for(lambda: browser_page.value("document.readyState") == "complete" and browser_page.text("h1"))
        yield browser_page


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_names_are_escaped_and_nothing_is_loaded(page: Page) -> None:
    assert page.text("h1") == f"{NAMES[0]} - {NAMES[1]}"
    assert page.value("document.title") == f"{NAMES[0]} - {NAMES[1]}"
    assert page.value("document.scripts.length") == 0
    assert page.value("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast_in_light_and_dark_mode(page: Page, scheme: str) -> None:
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    paper = luminance(page, "body", "backgroundColor")
    assert (paper < 0.5) == (scheme == "dark")
    for selector in ("body", "p.note", ".very-bad", ".bad", ".doubtful", ".key.first", ".key.second"):
        ink = luminance(page, selector, "color")
        contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
        assert contrast >= 4.5, selector  # minimum for text in WCAG 2
    assert page.value("getComputedStyle(document.querySelector('.decision svg rect')).fill") == "none"
    assert luminance(page, ".decision svg text[fill=currentColor]", "fill") == luminance(
        page, "body", "color"
    )


def luminance(page: Page, selector: str, colour: str) -> float:
    """Return the relative luminance as defined by WCAG 2."""
    style = f"getComputedStyle(document.querySelector('{selector}')).{colour}"
    parts = page.value(f"{style}.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)")
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])


@pytest.mark.parametrize("width", [380, 1000])
def test_tables_scroll_and_the_page_does_not(page: Page, width: int) -> None:
    page.call(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False
    )
    assert page.value("document.documentElement.scrollWidth") <= width
    if width == 1000:
        assert page.value(
            "[...document.querySelectorAll('.decision .wide')].every(fits)".replace(
                "fits", "(table) => table.scrollWidth <= table.clientWidth"
            )
        )


def test_games_are_unfolded_in_print(page: Page) -> None:
    row = "document.querySelector('details table').checkVisibility({contentVisibilityAuto: true})"
    for media, unfolded in (("screen", False), ("print", True)):
        page.call("Emulation.setEmulatedMedia", media=media)
        wait_for(lambda unfolded=unfolded: page.value(row) is unfolded)
    printed = base64.b64decode(page.call("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF")
