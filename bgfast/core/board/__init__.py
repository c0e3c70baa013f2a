"""Packed boards, rolls, results, probabilities and random streams of the core."""
