"""Analysis of plays, cube decisions and recorded matches, and rollouts."""
