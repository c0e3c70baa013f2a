"""A board as the core holds it: rows, rolls, results, a stream of random numbers."""
