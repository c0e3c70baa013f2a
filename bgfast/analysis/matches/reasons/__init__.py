"""Reasons for errors, in words, from numbers and from the board."""
