"""Evaluation of recorded decisions: static, by n-ply search, and by rollouts."""
