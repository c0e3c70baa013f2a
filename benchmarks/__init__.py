"""Benchmarks: `pytest benchmarks` times bgfast alone, `peers/compare.py` compares it with other engines."""
