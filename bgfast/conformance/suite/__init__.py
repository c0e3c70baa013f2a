"""Conformance suite: a text file of cases and their expected results, for engines in any language."""
