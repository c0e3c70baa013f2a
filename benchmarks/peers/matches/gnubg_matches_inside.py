"""Run by GNU Backgammon's own Python: analyse a match at 2 plies, one thread, and write all that it found.

Files are named by the environment, since GNU Backgammon prints to its standard output.
"""

from __future__ import annotations

import json
import os
import time

import gnubg

gnubg.command("set threads 1")
for what in ("chequerplay", "cubedecision"):
    gnubg.command(f"set analysis {what} evaluation plies 2")
gnubg.command(f"import mat {os.environ['BGFAST_MATCH']}")
began, began_cpu = time.time(), time.process_time()
gnubg.command("analyse match")
seconds, cpu = time.time() - began, time.process_time() - began_cpu
found = {"seconds": seconds, "cpu": cpu, "match": gnubg.match(1, 0, 1, 0)}
with open(os.environ["BGFAST_ANALYSIS"], "w", encoding="ascii") as file:
    json.dump(found, file, default=str)
