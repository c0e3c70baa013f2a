"""Benchmarks: `pytest benchmarks` for bgfast alone, `compare_engines.py` for bgfast beside other engines."""
