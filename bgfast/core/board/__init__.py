"""A board as the core holds it: rows, rolls, outcomes, a stream of random numbers."""
