"""Benchmarks for pytest-benchmark, each of which asserts its counts."""
