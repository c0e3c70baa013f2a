"""Playback dialog and copy buttons in headless Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

import bgfast
from bgfast.analysis.matches.error_details import error_details
from bgfast.analysis.matches.page import BOARD_COLOURS, BOARD_WIDTH
from bgfast.analysis.matches.playback import Step, playback_steps
from bgfast.games import MatchInfo
from bgfast.matches import MatchAnalysis
from bgfast.position.decision import svg
from tests.analysis.matches.test_page_in_chromium import emulate, resize, wait_for
from tests.support.chromium import Page
from tests.support.matches import random_match

pytestmark = pytest.mark.slow
NAMES = ("<b>Anna</b>", "Bob & co")
FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())


@pytest.fixture(scope="module")
def analysis() -> MatchAnalysis:
    match = random_match(6, 3)
    match.info = MatchInfo(players=NAMES)
    return bgfast.analyse_match(match, FAST, ply=0)


@pytest.fixture(scope="module")
def steps(analysis: MatchAnalysis) -> list[Step]:
    return playback_steps(analysis)


@pytest.fixture(scope="module")
def address(analysis: MatchAnalysis, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("playback") / "report.html"
    file.write_text(analysis.to_html(3), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def page(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with Page(address, tmp_path_factory.mktemp("browser")) as browser_page:
        wait_for(lambda: browser_page.value("document.readyState") == "complete" and browser_page.text("h1"))
        yield browser_page


def press(page: Page, key: str, shift: bool = False) -> None:
    """Press a key, with the key code and text that the browser's own actions need."""
    codes = {"Escape": {"windowsVirtualKeyCode": 27}, "Enter": {"windowsVirtualKeyCode": 13, "text": "\r"}}
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 * shift, **codes.get(key, {}))


def is_open(page: Page) -> bool:
    # The previous test may have left the page loading.
    wait_for(
        lambda: page.value("document.readyState === 'complete' && document.querySelector('dialog') !== null")
    )
    return bool(page.value("document.querySelector('dialog').open"))


def current_anchor(page: Page) -> str:
    return str(page.value("location.hash.slice(1)"))


def test_keys_buttons_and_swipes_change_the_step(page: Page, steps: list[Step]) -> None:
    anchors = [step.anchor for step in steps]
    assert not is_open(page)
    page.value("document.querySelector('button.playback').scrollIntoView({block: 'center'})")
    page.click("button.playback")
    assert is_open(page)
    assert current_anchor(page) == anchors[0]
    for key, index in (
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", len(steps) - 1),
        ("ArrowRight", len(steps) - 1),
        ("Home", 0),
    ):
        press(page, key)
        assert current_anchor(page) == anchors[index]
    for button, index in (("next", 1), ("next", 2), ("previous", 1), ("last", len(steps) - 1), ("first", 0)):
        page.click(f"button[data-go={button}]")
        assert current_anchor(page) == anchors[index]
    errors = [step for step in steps if step.decision is not None and step.decision.error >= 0.03]
    page.click("button[data-go=next-error]")
    press(page, "ArrowRight", shift=True)
    error_anchors = [step.anchor for step in errors if step is not steps[0]]
    assert current_anchor(page) == error_anchors[1]
    page.click("button[data-go=previous-error]")
    assert current_anchor(page) == error_anchors[0]
    press(page, "Home")
    for start, end, index in ((300, 150, 1), (300, 290, 1), (150, 300, 0)):
        swipe(page, start, end)
        wait_for(lambda index=index: current_anchor(page) == anchors[index])
    assert page.value("document.activeElement.closest('dialog').open")
    press(page, "Escape")
    wait_for(lambda: not is_open(page))
    wait_for(lambda: current_anchor(page) == "")


def swipe(page: Page, start: float, end: float) -> None:
    y = page.middle("dialog svg")[1]
    for kind, points in (
        ("touchStart", [{"x": start, "y": y}]),
        ("touchMove", [{"x": (start + end) / 2, "y": y}]),
        ("touchMove", [{"x": end, "y": y}]),
        ("touchEnd", []),
    ):
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)


def test_rows_and_addresses_open_their_boards(page: Page, address: str, steps: list[Step]) -> None:
    rows = [step for step in steps if step.decision is not None or step.note]
    assert page.value("document.querySelectorAll('.moves tbody tr').length") == len(rows)
    page.value("document.querySelectorAll('details').forEach((game) => game.open = true)")
    for step in (rows[1], rows[-1]):
        page.value(f"document.getElementById('{step.anchor}').scrollIntoView({{block: 'center'}})")
        page.click(f"tr:has(#{step.anchor}) .c5")
        assert (is_open(page), current_anchor(page)) == (True, step.anchor)
        page.click("button[data-go=close]")
        wait_for(lambda: not is_open(page))
    page.value(f"document.querySelector('#{rows[2].anchor} a').focus()")
    press(page, "Enter")
    wait_for(lambda: current_anchor(page) == rows[2].anchor)
    assert is_open(page)
    page.value(f"location.hash = '{rows[3].anchor}'")
    wait_for(lambda: page.text("dialog .id span") == rows[3].board.xgid)
    page.call("Page.navigate", url="about:blank")
    page.call("Page.navigate", url=f"{address}#{rows[4].anchor}")
    wait_for(lambda: page.text("dialog .id span") == rows[4].board.xgid)
    press(page, "ArrowRight")
    wait_for(lambda: current_anchor(page) != rows[4].anchor)


def test_the_dialog_draws_the_pictures_of_the_library(
    page: Page, analysis: MatchAnalysis, steps: list[Step]
) -> None:
    show_first_step(page)
    parts = "[...document.querySelectorAll('dialog svg :is(circle, rect, polyline, polygon, text, desc)')]"
    attributes = "Object.fromEntries([...part.attributes].map(({name, value}) => [name, value]))"
    elements = f"{parts}.map((part) => [part.tagName, part.textContent, {attributes}])"
    features: set[str] = set()
    for step in steps:
        assert current_anchor(page) == step.anchor
        expected = picture_of(step, analysis)
        actual = list(filter(None, (texts_and_numbers(*part) for part in page.value(elements))))
        features |= {texts[0] for texts, _ in actual} | set(step.text.split())
        assert (subtract(actual, expected), subtract(expected, actual)) == ([], []), step
        circles = page.value("document.querySelectorAll('dialog svg circle[stroke-width=\"1.5\"]').length")
        assert circles == sum(min(abs(count), 5) for count in step.board.position)
        text = page.text("dialog [aria-live]")
        assert text.startswith(f"{NAMES[step.player]} {step.text}.")
        assert page.text("dialog .id span") == step.board.xgid
        if step.decision is not None:
            choice_count = len(step.decision.choices) + 2 * (step.decision.taken is not None)
            assert page.value("document.querySelectorAll('dialog tbody').length") == choice_count
            chances = step.decision.best.probabilities
            if chances is not None:
                assert f"wins {chances[0]:.1%} (g " in page.text("dialog .best .chances")
        has_reasons = step.decision is not None and step.decision.error >= 0.03
        assert page.text("dialog .why").startswith("Why: ") == has_reasons
        assert page.value("document.querySelector('dialog .why').checkVisibility()") == has_reasons
        press(page, "ArrowRight")
    assert features >= {"polyline", "polygon", "doubled", "cannot", "wins"}
    boards = [step.board for step in steps]
    assert any(max(board.position.off) for board in boards)
    assert any(max(map(abs, board.position)) > 5 for board in boards)
    assert {board.crawford for board in boards} == {True, False}
    assert {board.cube_owner for board in boards} >= {0, 1}


def show_first_step(page: Page) -> None:
    if not is_open(page):
        page.value("document.querySelector('button.playback').click()")
    press(page, "Home")


def picture_of(step: Step, analysis: MatchAnalysis) -> list[Any]:
    """Return the elements of the library's picture of a step."""
    diagram = step.board._diagram()
    if step.decision is not None and step.decision.recorded.kind == "play":
        play_diagram = error_details(step.decision, analysis).diagram
        moves, other_moves = play_diagram.moves, play_diagram.other_moves
        diagram = replace(diagram, moves=moves, other_moves=other_moves if other_moves != moves else ())
    diagram = replace(diagram, names=NAMES, status=step.text)
    text = svg(diagram, size=BOARD_WIDTH, colours=BOARD_COLOURS, clickable=False)
    elements = ElementTree.fromstring(text).iter()
    parts = [(element.tag.split("}")[-1], element.text or "", element.attrib) for element in elements]
    tags = ("circle", "rect", "polyline", "polygon", "text", "desc")
    return list(filter(None, (texts_and_numbers(*part) for part in parts if part[0] in tags)))


def texts_and_numbers(name: str, text: str, attributes: dict[str, str]) -> Any:
    """Return the texts and the numbers of an element; None if it is invisible."""
    if "data-point" in attributes or (name == "text" and not text):
        return None
    number_pattern = r"-?\d+(?:\.\d+)?"
    values = sorted(attributes.items())
    numbers = [float(digits) for _, value in values for digits in re.findall(number_pattern, value)]
    texts = [(key, re.sub(rf"[\s,]*{number_pattern}[\s,]*", "", value)) for key, value in values]
    # A description has a sentence per side; their order may differ.
    sentences = sorted(text.strip().removesuffix(" pips.").split(" pips. "))
    return (name, sentences, texts), numbers


def subtract(elements: list[Any], others: list[Any]) -> list[Any]:
    """Return the elements that `others` lack; the ends of arrows may be rounded differently."""
    rest, others = [], [*others]
    for element in elements:
        texts, numbers = element
        indices = (
            index
            for index, (other_texts, other_numbers) in enumerate(others)
            if texts == other_texts and numbers == pytest.approx(other_numbers, abs=1.05)
        )
        index = next(indices, None)
        if index is None:
            rest.append(element)
        else:
            del others[index]
    return rest


def test_xgids_are_copied_or_selected(page: Page, steps: list[Step]) -> None:
    press(page, "Escape")
    wait_for(lambda: not is_open(page))
    page.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    assert page.value("document.querySelectorAll('.error .id button').length") == 3
    xgid = page.text(".error .id span")
    assert xgid.startswith("XGID=")
    page.value(
        "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
    )
    page.value("document.querySelector('.error .id button').scrollIntoView({block: 'center'})")
    page.click(".error .id button")
    page.wait(".error .id button", "copied")
    assert page.value("window.copied") == xgid
    page.wait(".error .id button", "copy")
    # Without a clipboard, as on pages from insecure servers, the XGID is selected.
    page.value("navigator.clipboard.writeText = () => Promise.reject(new Error())")
    page.click(".error .id button")
    page.wait(".error .id button", "copied")
    assert page.value("getSelection().toString()") == xgid


def test_the_dialog_fits_into_the_window_and_is_not_printed(page: Page) -> None:
    show_first_step(page)
    for width in (390, 1280):
        resize(page, width)
        assert page.value("document.documentElement.scrollWidth") <= width
        box = page.value(
            "(({left, right}) => [left, right])(document.querySelector('dialog').getBoundingClientRect())"
        )
        assert 0 <= box[0] < box[1] <= width
        for button in ("previous", "next"):
            assert page.middle(f"button[data-go={button}]")[1] < 844
    count_script = (
        "[...document.querySelectorAll('dialog, button')].filter((part) => part.checkVisibility()).length"
    )
    assert page.value(count_script) > 5
    emulate(page, "light", "print")
    assert page.value(count_script) == 0
    emulate(page, "light")


def test_without_scripts_the_page_is_complete(address: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Page("about:blank", tmp_path_factory.mktemp("scriptless")) as page:
        page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.call("Page.navigate", url=address)
        wait_for(lambda: page.value("document.readyState") == "complete" and page.text("h1"))
        assert not page.value("document.querySelector('dialog').checkVisibility()")
        assert page.value("[...document.querySelectorAll('button')].every((part) => !part.checkVisibility())")
        assert page.value("document.querySelectorAll('.moves a').length") == 0
