"""Evaluators: simple ones, networks and their file, n-ply search, other engines."""
