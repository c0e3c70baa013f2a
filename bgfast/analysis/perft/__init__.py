"""The tree below a position counted: the recursion, level by level, checkpoints."""
