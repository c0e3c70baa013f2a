"""What thinks about positions.

`perft/` counts the tree below one, `bearoff/` has exact databases, `evaluators/` say what boards are worth,
`rollouts/` play games to find out, `strength/` says who plays how well, `training/` makes networks, and
`environments/` are for those that others make.
"""
