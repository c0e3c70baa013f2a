"""Hypergammon: exact values of the game with three checkers per side."""
