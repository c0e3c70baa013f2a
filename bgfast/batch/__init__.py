"""Batch functions on arrays of positions: successors, selection, encoders, random positions, IDs, perft."""
