"""Use Chromium to draw the picture of a match report for the players' guide.

Run ``python -m tests.tools.report_picture docs/pictures/report.webp``.
"""

from __future__ import annotations

import argparse
import base64
import random
import tempfile
import time
from pathlib import Path

import bgfast
from bgfast.cube import cube_decision
from bgfast.evaluators import Lookahead
from bgfast.games import MatchInfo
from tests.support.chromium import Page

SEED = 8
ERROR_RATE = 0.15
"""Fraction of plays that are not the best at 0 plies."""
WIDTH, HEIGHT = 1000, 1180
SECONDS_TO_DRAW = 2.0


def play_match(seed: int) -> bgfast.Match:
    """Play a match with occasional errors."""
    rng = random.Random(seed)
    match = bgfast.Match(5, dice=seed, info=MatchInfo(players=("Anna", "Bob"), event="Winter league"))
    player = Lookahead(bgfast.Network.builtin(), ply=0)
    has_decided = False  # whether the cube decision of this turn was made
    while match.winner is None:
        actions = match.legal_actions()
        if "take" in actions or ("double" in actions and not has_decided):
            has_decided = True
            action = cube_decision(match.decision, ply=0).proper_action.split(",")[0]
            methods = {
                "Double": match.double,
                "Redouble": match.double,
                "Take": match.take,
                "Drop": match.drop,
            }
            methods.get(action, match.roll)()
        elif "play" in actions:
            decision = match.decision
            assert decision.dice is not None
            plays = player.best_plays(decision.position, decision.dice)
            rank = rng.randint(1, 3) if rng.random() < ERROR_RATE else 0
            match.play(plays[min(rank, len(plays) - 1)].play)
            has_decided = False
        else:
            getattr(match, next(name for name in ("next_game", "roll", "pass_turn") if name in actions))()
    return match


def main() -> None:
    """Analyse a match and save a picture of the top of its report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(bgfast.analyse_match(play_match(arguments.seed)).to_html(), encoding="utf-8")
        with Page(page.as_uri(), Path(folder) / "browser") as browser:
            size = {"width": WIDTH, "height": HEIGHT}
            browser.call("Emulation.setDeviceMetricsOverride", **size, deviceScaleFactor=1, mobile=False)
            browser.call("Emulation.setScrollbarsHidden", hidden=True)
            time.sleep(SECONDS_TO_DRAW)
            clip = {"x": 0, "y": 0, **size, "scale": 1}
            picture = browser.call("Page.captureScreenshot", format="webp", quality=80, clip=clip)
    arguments.file.write_bytes(base64.b64decode(picture["data"]))


if __name__ == "__main__":
    main()
