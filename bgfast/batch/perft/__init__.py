"""Perft: leaf counts by recursion or level by level, and checkpoints of long counts."""
