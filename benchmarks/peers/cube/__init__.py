"""Decisions about the cube: bgfast beside GNU Backgammon, and who is right where they differ."""
