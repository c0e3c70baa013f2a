"""Recorded matches: reading speed, and analysis compared with other programs."""
