"""The Cython core: packed board, move generator and game tree, all without the GIL."""
