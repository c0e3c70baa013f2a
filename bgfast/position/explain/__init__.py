"""The rules in Python: steps of a die, turns of steps, rules lifted, and what a wrong play breaks."""
