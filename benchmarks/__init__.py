"""Benchmarks: `pytest benchmarks` for bgfast alone, `peers/compare.py` for bgfast beside other engines."""
