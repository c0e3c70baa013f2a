"""The server in examples/board, and its page in a browser."""

from __future__ import annotations

import json
import os
import random
import re
import runpy
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import bgfast
from tests.support.chromium import Page
from tests.support.patience import patient

FOLDER = Path(__file__).parents[1] / "examples" / "board"
SEED = 12  # the first rolls are 4-2 and 6-6
COMMON_BUTTONS = ["undo", "new"]
TURN_BUTTONS = ["undo", "resign/1", "resign/2", "resign/3", "new"]

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the examples are not part of a wheel")


def start_server(*arguments: str) -> subprocess.Popen[str]:
    package_parent = str(Path(bgfast.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package_parent, os.environ.get("PYTHONPATH")]))
    return subprocess.Popen(
        [sys.executable, str(FOLDER / "server.py"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


class Client:
    """HTTP client of the example server."""

    def __init__(self, url: str) -> None:
        self.url = url

    def answer(self, method: str, path: str, **headers: str) -> tuple[int, Any]:
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=patient(60)) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def state(self) -> Any:
        status, state = self.answer("GET", "state")
        assert status == 200, state
        return state

    def do(self, *path: object) -> Any:
        status, state = self.answer("POST", "/".join(map(str, path)))
        assert status == 200, state
        assert state == self.state()
        return state

    def refusal(self, *path: object, **headers: str) -> str:
        state = self.state()
        status, answer = self.answer("POST", "/".join(map(str, path)), **headers)
        assert (status, list(answer)) == (400, ["error"])
        assert self.state() == state
        return str(answer["error"])


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / "server.py"))


@pytest.fixture
def client(program: dict[str, Any], request: pytest.FixtureRequest) -> Iterator[Client]:
    """Yield a client of a server in this process."""
    program["Handler"].table = program["Table"](getattr(request, "param", SEED))
    with ThreadingHTTPServer(("127.0.0.1", 0), program["Handler"]) as server:
        Thread(target=server.serve_forever, args=(0.01,)).start()
        yield Client(f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()


def test_the_example_has_at_most_210_lines() -> None:
    files = [path for path in FOLDER.rglob("*") if path.suffix in (".py", ".html", ".js", ".css")]
    assert {path.name for path in files} == {"server.py", "page.html"}
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= 210


# ---- the server ----


def test_status_buttons_and_targets_follow_a_turn(client: Client) -> None:
    state = client.state()
    assert state["status"] == "opening roll: one die each"
    assert (state["buttons"], state["targets"]) == (["roll", *COMMON_BUTTONS], {})
    state = client.do("roll")
    assert state["status"] == "X to play 4-2"
    assert state["buttons"] == TURN_BUTTONS
    # Destinations with the 2, the 4 and both.
    assert state["targets"] == {"24": [18, 20, 22], "13": [7, 9, 11], "8": [2, 4, 6], "6": [2, 4]}
    state = client.do("move", 8, 4)
    assert state["status"] == "X to play 4-2: 8/4"
    assert state["targets"] == {"24": [22], "13": [11], "8": [6], "6": [4], "4": [2]}
    assert "X: 2 on 24, 5 on 13, 2 on 8, 5 on 6, 1 on 4; 163 pips." in state["svg"]
    state = client.do("move", 6, 4)
    assert (state["buttons"], state["targets"]) == (["play", *TURN_BUTTONS], {})
    state = client.do("play")
    assert (state["status"], state["buttons"]) == ("O on roll", ["roll", "double", *TURN_BUTTONS])
    assert state["sheet"].splitlines()[-1] == "  1) 42: 8/4 6/4"
    assert client.do("double")["buttons"] == ["take", "drop", *COMMON_BUTTONS]
    assert client.do("take")["buttons"] == ["roll", *TURN_BUTTONS]
    assert client.do("roll")["status"] == "O to play 6-6"


def test_used_dice_follow_moves_and_undo(client: Client) -> None:
    client.do("roll")
    assert [client.do("move", 24, 18)["used"], client.do("undo")["used"]] == [[4, 2], []]
    assert [client.do("move", 8, 4)["used"], client.do("move", 6, 4)["used"]] == [[4], [4, 2]]
    client.do("play")
    assert client.do("roll")["used"] == []  # 6-6: each die is played twice
    assert [client.do("move", *step)["used"] for step in ((24, 18), (24, 18), (13, 7), (13, 7))] == [
        [], [6], [6], [6, 6],
    ]  # fmt: skip


def test_a_resignation_discards_the_moves_of_the_turn(client: Client) -> None:
    client.do("roll")
    client.do("move", 8, 4)
    state = client.do("resign/2")
    assert state["status"] == "X resigns a gammon; O to answer"
    assert (state["buttons"], state["targets"]) == (
        ["accept_resignation", "refuse_resignation", *COMMON_BUTTONS],
        {},
    )
    assert client.do("refuse_resignation")["status"] == "X to play 4-2"
    assert client.do("undo")["status"] == state["status"]
    assert client.do("accept_resignation")["status"] == "O wins 2 points (gammon, resignation)"
    assert client.refusal("resign/1") == "resign: the game is over"


@pytest.mark.parametrize("client", [5], indirect=True)
def test_a_tie_in_the_opening_roll_is_shown(client: Client) -> None:
    assert "opening roll: one die each</text>" in client.state()["svg"]
    state = client.do("roll")
    assert (state["status"], state["buttons"]) == ("5-5 is a tie: roll again", ["roll", *COMMON_BUTTONS])
    assert "5-5 is a tie: roll again</text>" in state["svg"]
    state = client.do("roll")
    assert state["status"] == "O to play 5-1"
    assert "O to play 5-1</text>" in state["svg"]


def test_undo_restores_earlier_states(client: Client) -> None:
    states = [client.state()]
    steps = ["roll", "move/13/9", "move/13/11", "play", "double", "take", "roll", "move/24/18"]
    states += [client.do(step) for step in steps]
    for state in reversed(states[4:-1]):
        assert client.do("undo") == state
    # Undo removes a whole play with its moves.
    assert client.do("undo") == states[1]
    assert client.do("undo") == states[0]
    assert client.refusal("undo") == "undo: there is no action to undo"
    assert [client.do(step) for step in steps] == states[1:]


def test_a_new_game_replaces_the_old_game(client: Client) -> None:
    first_state = client.do("roll")
    client.do("move", 8, 4)
    state = client.do("new")
    assert state["status"] == "opening roll: one die each"
    while not state["targets"]:
        state = client.do("roll")
    assert state["sheet"] != first_state["sheet"]
    assert re.fullmatch(r"[XO] to play \d-\d", state["status"])  # without 8/4 of the old game


ACTIONS = (
    "roll, double, take, drop, play, pass_turn, accept_resignation, refuse_resignation, undo, resign/1, "
    "resign/2, resign/3, new"
)
REFUSALS = {
    "move/24/23": "move 2, 24/23: no legal play of 4-2 continues like this",
    "move/0/24": "move 2, 0/24: no legal play of 4-2 continues like this",
    "move/x/24": "move 2 is ('x', 24); expected (from, to), (die, from, to) or (die, from, to, hit)",
    "move/-1/-1": "move 2 is ('-1', '-1'); expected (from, to), (die, from, to) or (die, from, to, hit)",
    "move": "move 2 is (); expected (from, to), (die, from, to) or (die, from, to, hit)",
    "play": "the play is not complete: 2 can still be played and must be",
    "roll": "roll: the dice have been rolled; roll_again is for dice that are cocked or off the board",
    "double": "double: only the player on turn may double, and only before rolling",
    "take": "take: no double is pending",
    "resign/4": "level is 4; expected 1 (single), 2 (gammon) or 3 (backgammon)",
    "accept_resignation": "accept_resignation: no resignation is pending",
    "pass_turn": "pass_turn: passing is not allowed: there are legal plays (18)",
    "jump": "action is 'jump'; expected move, " + ACTIONS,
    "": "action is ''; expected move, " + ACTIONS,
}


def test_invalid_actions_are_refused(client: Client) -> None:
    assert client.refusal("move", 24, 18).startswith("play_so_far: there is no roll")
    client.do("roll")
    client.do("move", 8, 4)
    assert {path: client.refusal(path) for path in REFUSALS} == REFUSALS
    assert client.refusal("move", "9" * 5000, 1)
    assert client.answer("GET", "roll") == (400, {"error": "there is nothing at /roll; the page is at /"})


def test_other_sites_are_refused(client: Client) -> None:
    refusal = "the request comes from another site; expected the page on 127.0.0.1"
    assert client.refusal("roll", Host="example.com:8000") == refusal
    assert client.refusal("roll", Origin="http://example.com") == refusal
    assert client.refusal("roll", Origin="null") == refusal
    origin = client.url.removesuffix("/")
    assert client.answer("POST", "roll", Origin=origin)[0] == 200
    local_origin = origin.replace("127.0.0.1", "localhost").removeprefix("http://")
    assert client.answer("GET", "state", Host=local_origin)[0] == 200


@pytest.mark.slow
def test_random_clicks_finish_a_game(client: Client) -> None:
    rng = random.Random(5)
    state = client.do("roll")
    for _ in range(5000):
        if " wins " in state["status"]:
            break
        if state["targets"]:
            start_point = rng.choice(sorted(state["targets"]))
            action = f"move/{start_point}/{rng.choice(state['targets'][start_point])}"
        elif "double" in state["buttons"] and rng.random() < 0.03:
            action = "double"
        else:
            action = state["buttons"][0]
        status, answer = client.answer("POST", action)
        if status == 400:
            assert "can touch down on different points" in answer["error"]
            continue
        if action != "play" and rng.random() < 0.1:
            assert client.do("undo") == state
            answer = client.do(action)
        state = answer
    assert state["buttons"] == COMMON_BUTTONS
    assert state["targets"] == {}
    assert f"{state['status']}</text>" in state["svg"]
    assert state["sheet"].splitlines()[-1] == state["status"]
    assert client.refusal("roll") == "roll: the game is over"


def test_idle_connections_do_not_block(client: Client) -> None:
    # Browsers open connections in advance.
    host, port = client.url.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port))):
        assert client.state()["status"] == "opening roll: one die each"


def test_ctrl_c_prints_one_line() -> None:
    if os.name == "nt":
        pytest.skip("no SIGINT to send")
    with start_server("--port", "0", "--seed", str(SEED)) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.fullmatch(rf"(http://127\.0\.0\.1:\d+/) \(seed {SEED}\); Ctrl-C ends it\n", line)
        assert match is not None, line or process.communicate()[1]
        Client(match[1]).state()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=patient(60)) == ("ended\n", "")
    assert process.returncode == 0


def test_invalid_ports_and_seeds_are_refused(client: Client) -> None:
    used_port = client.url.rstrip("/").rpartition(":")[2]
    cases = {
        ("--port", used_port): "Address already in use",
        ("--port", "70000"): "port must be 0-65535",
        ("--port", "0", "--seed", "-1"): "expected",
    }
    processes = {arguments: start_server(*arguments) for arguments in cases}
    for arguments, process in processes.items():
        out, error = process.communicate(timeout=patient(60))
        assert (out, process.returncode) == ("", 2)
        assert cases[arguments] in error.splitlines()[-1]
        assert "Traceback" not in error


# ---- the page ----


def point(number: int) -> str:
    return f'[data-point="{number}"]'


def button(page: Page, text: str) -> str:
    index = page.value(
        f"[...document.querySelectorAll('button')].findIndex((it) => it.textContent === {json.dumps(text)})"
    )
    assert index >= 0, page.text("#buttons")
    return f"button:nth-child({index + 1})"


def marked_points(page: Page, css_class: str) -> list[int]:
    points: list[int] = page.value(
        f"[...document.querySelectorAll('.{css_class}')].map((area) => Number(area.dataset.point))"
    )
    return points


def test_the_page_follows_clicks_and_drags(client: Client, tmp_path: Path) -> None:
    with Page(client.url, tmp_path) as page:
        page.wait("#status", "opening roll: one die each")
        page.click(button(page, "Roll"))
        page.wait("#status", "X to play 4-2")
        # Click a checker to see its destinations.
        assert marked_points(page, "from") == [6, 8, 13, 24]
        page.click(point(8))
        assert (marked_points(page, "chosen"), marked_points(page, "to")) == ([8], [2, 4, 6])
        page.click(point(13))
        assert (marked_points(page, "chosen"), marked_points(page, "to")) == ([13], [7, 9, 11])
        page.click(point(13))
        assert (marked_points(page, "chosen"), marked_points(page, "to")) == ([], [])
        page.click(point(8))
        page.click(point(4))
        page.wait("#status", "X to play 4-2: 8/4")
        page.click(button(page, "Undo"))
        page.wait("#status", "X to play 4-2")
        # A refused drag, and a drag that plays both dice.
        page.drag(point(24), point(17))
        page.wait("#refusal", "move 1, 24/17: no legal play of 4-2 continues like this")
        page.drag(point(24), point(18))
        page.wait("#status", "X to play 4-2: 24/18")
        assert page.text("#refusal") == ""
        page.click(button(page, "Play"))
        page.wait("#status", "O on roll")
        # The board does not turn, but O's points are numbered from O's home.
        page.click(button(page, "Roll"))
        page.wait("#status", "O to play 6-6")
        page.drag(point(13), point(7))
        page.wait("#status", "O to play 6-6: 13/7*")
        assert "  1) 42: 24/18" in page.text("#sheet")
        assert page.middle(point(7))[1] < page.middle("svg")[1] < page.middle(point(18))[1]
        for moves in ("8/2", "8/2(2)", "8/2(3)"):
            page.click(point(8))
            page.click(point(2))
            page.wait("#status", f"O to play 6-6: 13/7* {moves}")
        page.click(button(page, "Play"))
        page.wait("#status", "X on roll")
        # The hit checker must enter.
        page.click(button(page, "Roll"))
        page.wait("#status", "X to play 2-1")
        assert marked_points(page, "from") == [25]
        page.drag(point(25), point(24))
        page.wait("#status", "X to play 2-1: bar/24")
    assert client.state()["status"] == "X to play 2-1: bar/24"


@pytest.mark.parametrize("client", [56], indirect=True)
def test_the_page_offers_a_pass(client: Client, tmp_path: Path) -> None:
    for action in ("roll", "move/8/5", "move/8/3", "play", "roll", "move/24/20", "play"):
        client.do(action)
    with Page(client.url, tmp_path) as page:
        page.wait("#status", "O on roll")
        page.click(button(page, "Roll"))
        page.wait("#status", "O to play 6-6")
        assert marked_points(page, "from") == []
        page.click(button(page, "No legal play: pass"))
        page.wait("#status", "X on roll")
        page.click(button(page, "Undo"))
        page.wait("#status", "O to play 6-6")


@pytest.mark.slow
@pytest.mark.parametrize("client", [5], indirect=True)
def test_the_page_on_a_phone_shows_a_tie_and_a_resignation(client: Client, tmp_path: Path) -> None:
    with Page(client.url, tmp_path) as page:
        page.call(
            "Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True
        )
        page.wait("#status", "opening roll: one die each")
        left, width = page.value(
            "(({left, width}) => [left, width])(part('board').firstChild.getBoundingClientRect())"
        )
        assert (left, width) == (0, 390)
        assert page.value("[innerWidth, document.documentElement.scrollWidth]") == [390, 390]
        page.click(button(page, "Roll"))
        page.wait("#status", "5-5 is a tie: roll again")
        assert "Resign" not in page.text("#buttons")
        page.click(button(page, "Roll"))
        page.wait("#status", "O to play 5-1")
        opacity = "[...document.querySelectorAll('[data-die]')].map((die) => getComputedStyle(die).opacity)"
        assert page.value(opacity) == ["1", "1"]
        page.drag(point(13), point(8))
        page.wait("#status", "O to play 5-1: 13/8")
        assert page.value(opacity) == ["0.35", "1"]
        page.click(button(page, "Resign a gammon"))
        page.wait("#status", "O resigns a gammon; X to answer")
        assert (marked_points(page, "from"), page.value(opacity)) == ([], ["1", "1"])
        page.click(button(page, "Refuse"))
        page.wait("#status", "O to play 5-1")
        page.click(button(page, "Resign"))
        page.wait("#status", "O resigns a single; X to answer")
        page.click(button(page, "Accept"))
        page.wait("#status", "X wins 1 point (single, resignation)")


def test_the_page_reports_a_missing_server(tmp_path: Path) -> None:
    process = start_server("--port", "0")
    try:
        assert process.stdout is not None
        with Page(process.stdout.readline().split()[0], tmp_path) as page:
            page.wait("#status", "opening roll: one die each")
            process.kill()
            process.wait()
            page.click(button(page, "Roll"))
            page.wait("#refusal", "The server does not answer.")
    finally:
        process.kill()
        process.communicate()
