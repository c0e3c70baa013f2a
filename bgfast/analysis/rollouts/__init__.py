"""Positions and plays judged by games: trials and their dice, what came out, checkpoints, a plot."""
