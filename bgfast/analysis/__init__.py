"""Analysis of positions: perft, and a simple player."""
