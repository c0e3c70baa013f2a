"""The conformance suite: cases with their expected results as one text file, for engines in any language."""
