"""What is built on many positions: perft, and a simple player."""
