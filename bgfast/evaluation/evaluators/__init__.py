"""Evaluators: simple evaluators, networks and their files, n-ply search, other engines."""
