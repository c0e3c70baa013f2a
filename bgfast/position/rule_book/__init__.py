"""The rules in Python: what one die may do, which plays are whole, and what a wrong one breaks."""
