"""Analysis of positions: perft, bear-off databases, and a simple player."""
