"""What every room uses: validation, rolls, threads, progress, timing, the version."""
