"""Cython that holds no GIL: `board/` is a position in memory, `generator/` finds plays, `network/` judges."""
