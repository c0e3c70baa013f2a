"""Comparison with other engines: correctness first, then speed."""
