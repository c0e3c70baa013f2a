"""A board to click on, in a browser: python server.py [--port N] [--seed N]; two people share the mouse.

What may be done, and why something may not, bgfast says; this program and its page know no rules.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

import bgfast

BUTTONS = ("roll", "double", "take", "drop", "play", "pass_turn")  # some of Game.legal_actions


class Table:
    """A game, and what was clicked of the turn so far: a (from, to) for each checker that was moved."""

    def __init__(self, seed: int) -> None:
        self.seed, self.game = seed, bgfast.Game(dice=seed)
        self.clicked: list[tuple[Any, ...]] = []

    def do(self, action: str, points: tuple[Any, ...]) -> None:
        """Do it, or raise a `ValueError` that says why not and leave everything as it was."""
        if action == "move":
            self.game.play_so_far([*self.clicked, points])  # refuses what no legal play begins with
            self.clicked.append(points)
        elif action == "play":
            self.game.play(self.clicked)  # refuses what is not the whole of one
            self.clicked.clear()
        elif action == "undo" and self.clicked:
            self.clicked.pop()
        elif action == "undo" or action in BUTTONS:
            getattr(self.game, action)()
        elif action == "new":
            self.seed, self.game = self.seed + 1, bgfast.Game(dice=self.seed + 1)
            self.clicked.clear()
        else:
            raise ValueError(f"there is no action {action!r}; expected move, undo, new, {', '.join(BUTTONS)}")

    def state(self, theme: Any) -> dict[str, Any]:
        """Return all that the page shows; never the seed or a complete `to_json`: both tell the dice."""
        game, legal = self.game, set(self.game.legal_actions())
        shown = game.decision  # the position with dice, cube and score
        status = game.status
        if game.dice:
            so_far = game.play_so_far(self.clicked)
            shown = replace(shown, position=bgfast.Position.from_array(so_far.board))
            status += f": {so_far.text}" if so_far.text else ""
            legal -= set() if so_far.complete else {"play"}
        return {
            "svg": bgfast.svg(shown, theme=theme, title=status, clickable=True),
            "status": status,
            "buttons": [*(name for name in BUTTONS if name in legal), "undo", "new"],
            "targets": self.targets() if game.dice else {},
            "sheet": game.score_sheet(),
        }

    def targets(self) -> dict[int, list[int]]:
        """Return where a checker can go from each point: with one die, or carried on with several."""
        found: dict[int, list[int]] = {}
        for start in {move.from_ for move in self.game.next_moves(self.clicked).moves}:
            ways = [(self.clicked, start)]
            for so_far, at in ways:  # which grows meanwhile
                moves = self.game.next_moves(so_far).moves
                ways += [([*so_far, (at, move.to)], move.to) for move in moves if move.from_ == at]
            found[start] = sorted({end for _, end in ways[1:]})
        return found


class Handler(BaseHTTPRequestHandler):
    """GET / is the page, GET /state what it shows; POST /roll or /move/24/18 does that, and shows it."""

    table: Table  # the same for everyone, one request at a time
    lock = Lock()

    def do_GET(self) -> None:
        """Answer with the page, with the state as JSON, or with a sentence that says what is wrong."""
        path, _, query = self.path.partition("?")
        status, kind, host = 200, "application/json", self.headers.get("Host", "")
        own = host.partition(":")[0] in ("127.0.0.1", "localhost")
        try:
            if not own or self.headers.get("Origin", "http://" + host) != "http://" + host:
                raise ValueError("the request comes from another site; expected the page on 127.0.0.1")
            with self.lock:
                if self.command == "POST":
                    action, *points = path[1:].split("/")
                    self.table.do(action, tuple(int(p) if p.isdecimal() else p for p in points))
                elif path not in ("/", "/state"):
                    raise ValueError(f"there is nothing at {path}; the page is at /")
                text = json.dumps(self.table.state("dark" if query == "theme=dark" else "light"))
            if path == "/":
                text, kind = Path(__file__).with_name("page.html").read_text("utf-8"), "text/html"
        except ValueError as error:  # as every error of bgfast is
            status, text = 400, json.dumps({"error": str(error)})
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_GET  # noqa: N815 - as http.server calls it

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of requests that went well."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Serve a board to click on, to this machine alone.")
    parser.add_argument("--port", type=int, default=8000, help="8000 by default; 0 for any that is free")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="of the dice")
    options = parser.parse_args()
    try:
        Handler.table = Table(options.seed)
        server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
        print(f"http://127.0.0.1:{server.server_port}/ (seed {options.seed}); Ctrl-C ends it", flush=True)
        server.serve_forever()
    except KeyboardInterrupt:
        print("ended")
    except (OSError, OverflowError, ValueError) as error:
        parser.error(str(error))
