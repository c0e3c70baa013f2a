"""Exact bear-off databases, one-sided and two-sided, and their files."""
