"""Strength of players: contests, contested decisions and error per play, opponents."""
