"""Training of networks: steps, training runs, learning curves."""
