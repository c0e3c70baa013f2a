"""Headless Chromium, controlled through the pipes of its debugging protocol."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from tests.support.patience import patient

TIMEOUT_SECONDS = patient(60.0)
# Chromium reads from descriptor 3 and writes to 4; the pipes may have these numbers in reverse.
_LAUNCHER = """
import fcntl, os, sys
read_end, write_end = (fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3])
os.dup2(read_end, 3)
os.dup2(write_end, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Page:
    """Page in a browser, which exits at the end of the context."""

    def __init__(self, url: str, folder: Path) -> None:
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
        if program is None:
            pytest.skip("NOT INSTALLED: chromium, so the page was not tested in a browser")
        self._request_id = 0
        self._session: dict[str, str] = {}
        self._buffer = b""
        read_end, self._requests = os.pipe()
        self._answers, write_end = os.pipe()
        launcher = [sys.executable, "-c", _LAUNCHER, str(read_end), str(write_end)]
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        self._process = subprocess.Popen(
            [*launcher, program, *options, f"--user-data-dir={folder}", "--window-size=1000,700"],
            pass_fds=(read_end, write_end),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_end)
        os.close(write_end)
        try:
            target = self.call("Target.createTarget", url=url)["targetId"]
            self._session = {
                "sessionId": self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            }
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the pipes and wait for the browser to exit."""
        os.close(self._requests)
        os.close(self._answers)
        try:
            self._process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise

    def call(self, method: str, /, **parameters: Any) -> Any:
        """Call a method of the protocol and return its result."""
        self._request_id += 1
        request = {"id": self._request_id, "method": method, "params": parameters, **self._session}
        os.write(self._requests, json.dumps(request).encode() + b"\0")
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == self._request_id:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def _message(self) -> bytes:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while b"\0" not in self._buffer:
            ready_pipes, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            assert ready_pipes, f"no message from Chromium for {TIMEOUT_SECONDS} seconds"
            part = os.read(self._answers, 1 << 16)
            assert part, "Chromium has exited"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return message

    def value(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """Return the text of the first matching element, or an empty string."""
        return str(self.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''"))

    def wait(self, selector: str, text: str) -> None:
        """Wait until the first matching element has this text."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.text(selector) != text:
            assert time.monotonic() < deadline, f"the text is {self.text(selector)!r}; expected {text!r}"
            time.sleep(0.02)

    def middle(self, selector: str) -> tuple[float, float]:
        """Return the coordinates of the centre of an element."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.value(f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({box})")
        return x, y

    def mouse(self, event: str, position: tuple[float, float]) -> None:
        """Send a mouse event: ``"mouseMoved"``, ``"mousePressed"`` or ``"mouseReleased"``."""
        button = {"button": "left", "clickCount": 1} if event != "mouseMoved" else {}
        self.call("Input.dispatchMouseEvent", type=event, x=position[0], y=position[1], **button)

    def drag(self, start: str, end: str) -> None:
        """Press the button on one element and release it on another."""
        origin, target = self.middle(start), self.middle(end)
        for event, position in (("mouseMoved", origin), ("mousePressed", origin), ("mouseMoved", target)):
            self.mouse(event, position)
        self.mouse("mouseReleased", target)

    def click(self, selector: str) -> None:
        self.drag(selector, selector)
