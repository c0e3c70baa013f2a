"""Room of the cube: match equities, cubeful equities and actions from probabilities alone."""
