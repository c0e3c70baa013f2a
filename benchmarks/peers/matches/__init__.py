"""Recorded matches: how fast they are read, and how bgfast and GNU Backgammon judge them."""
