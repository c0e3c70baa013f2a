"""Base package for all others: validation, rolls, threads, files, progress, timing, the version."""
