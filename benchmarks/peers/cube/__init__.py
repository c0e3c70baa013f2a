"""Cube decisions compared with GNU Backgammon, and rollouts of the differences."""
