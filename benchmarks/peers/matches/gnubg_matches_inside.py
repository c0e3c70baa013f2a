"""Script for GNU Backgammon's embedded Python: write the analysis of a match at 2 plies on one thread.

Environment variables name the files, since GNU Backgammon prints to standard output.
"""

from __future__ import annotations

import json
import os
import time

import gnubg

gnubg.command("set threads 1")
for kind in ("chequerplay", "cubedecision"):
    gnubg.command(f"set analysis {kind} evaluation plies 2")
gnubg.command(f"import mat {os.environ['BGFAST_MATCH']}")
start = time.process_time()
gnubg.command("analyse match")
analysis = {"cpu": time.process_time() - start, "match": gnubg.match(1, 0, 1, 0)}
with open(os.environ["BGFAST_ANALYSIS"], "w", encoding="ascii") as file:
    json.dump(analysis, file, default=str)
