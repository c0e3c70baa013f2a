"""Equities of positions: evaluators, bear-off databases, the doubling cube."""
