"""Exact bear-off databases, one-sided and two-sided, and the files they are kept in."""
