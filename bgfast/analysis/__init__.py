"""Decisions judged: plays and cube decisions, rollouts, recorded matches."""
