"""Hypergammon: exact values of the game with three checkers a side."""
