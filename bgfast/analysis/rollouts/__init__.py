"""Rollouts of positions and plays: trials, dice, estimates, checkpoints."""
