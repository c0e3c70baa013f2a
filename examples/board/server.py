"""A board for two people who share a browser: python server.py [--port N] [--seed N].

bgfast decides which actions are legal and explains refusals; this program and its page contain no rules.
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

BUTTONS = (
    *("roll", "double", "take", "drop", "play", "pass_turn", "accept_resignation", "refuse_resignation"),
    *("undo", "resign/1", "resign/2", "resign/3", "new"),
)


class Table:
    """A game, and the clicks of the current turn: (from, to) for each moved checker."""

    def __init__(self, seed: int) -> None:
        self.seed, self.game = seed, bgfast.Game(dice=seed)
        self.clicks: list[tuple[Any, ...]] = []

    def perform(self, action: str, points: tuple[Any, ...]) -> None:
        """Perform an action, or change nothing and raise `ValueError` with the reason."""
        if action == "move":
            self.game.play_so_far([*self.clicks, points])  # refuses moves that begin no legal play
            self.clicks.append(points)
        elif action == "play":
            self.game.play(self.clicks)  # refuses incomplete plays
            self.clicks.clear()
        elif action == "undo" and self.clicks:
            self.clicks.pop()
        elif action == "resign":
            self.game.resign(*points[:1])  # for 1 to 3 times the cube value
            self.clicks.clear()
        elif action == "new":
            self.seed, self.game = self.seed + 1, bgfast.Game(dice=self.seed + 1)
            self.clicks.clear()
        elif action in BUTTONS:
            getattr(self.game, action)()
        else:
            raise ValueError(f"action is {action!r}; expected move, {', '.join(BUTTONS)}")

    def state(self, theme: Any) -> dict[str, Any]:
        """Return the content of the page; never the seed or a complete `to_json`, which predict the dice."""
        game, actions = self.game, {*self.game.legal_actions(), "undo", "new"}
        view: Any = game
        status, used_dice, targets = game.status, list[int](), dict[int, list[int]]()
        if "play" in actions:
            so_far = game.play_so_far(self.clicks)
            view = replace(game.decision, position=bgfast.Position(so_far.board))
            status += f": {so_far.text}" if so_far.text else ""
            used_dice, targets = [move.die for move in so_far.moves], self.targets()
            used_dice = used_dice[1::2] if len(set(view.dice)) == 1 else used_dice  # doubles use a die twice
            actions -= set() if so_far.complete else {"play"}
        return {
            "svg": bgfast.svg(view, theme=theme, title=status, clickable=True),
            "status": status,
            "buttons": [name for name in BUTTONS if name.partition("/")[0] in actions],
            "targets": targets,
            "used": used_dice,
            "sheet": game.score_sheet(),
        }

    def targets(self) -> dict[int, list[int]]:
        """Return the destinations of a checker from each point, with one die or several."""
        targets: dict[int, list[int]] = {}
        for start in {move.from_ for move in self.game.next_moves(self.clicks)}:
            paths = [(self.clicks, start)]
            for so_far, point in paths:  # the loop appends to the list
                moves = self.game.next_moves(so_far)
                paths += [([*so_far, (point, move.to)], move.to) for move in moves if move.from_ == point]
            targets[start] = sorted({end for _, end in paths[1:]})
        return targets


class Handler(BaseHTTPRequestHandler):
    """Request handler: GET / is the page, GET /state its content, POST /roll or /move/24/18 an action."""

    table: Table  # shared, one request at a time
    lock = Lock()

    def do_GET(self) -> None:
        """Answer with the page, with the state as JSON, or with an error message."""
        path, _, query = self.path.partition("?")
        status, content_type, host = 200, "application/json", self.headers.get("Host", "")
        is_local = host.partition(":")[0] in ("127.0.0.1", "localhost")
        try:
            if not is_local or self.headers.get("Origin", "http://" + host) != "http://" + host:
                raise ValueError("the request comes from another site; expected the page on 127.0.0.1")
            with self.lock:
                if self.command == "POST":
                    action, *points = path[1:].split("/")
                    self.table.perform(action, tuple(int(p) if p.isdecimal() else p for p in points))
                elif path not in ("/", "/state"):
                    raise ValueError(f"there is nothing at {path}; the page is at /")
                text = json.dumps(self.table.state("dark" if query == "theme=dark" else "light"))
            if path == "/":
                text, content_type = Path(__file__).with_name("page.html").read_text("utf-8"), "text/html"
        except ValueError as error:  # the base class of all errors of bgfast
            status, text = 400, json.dumps({"error": str(error)})
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.end_headers()
        self.wfile.write(text.encode())

    do_POST = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Serve a board to this machine only.")
    parser.add_argument("--port", type=int, default=8000, help="8000 by default; 0 for any free port")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="seed of the dice")
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
