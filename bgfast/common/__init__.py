"""The ground of every room: validation, rolls, threads, progress, timing, the version."""
