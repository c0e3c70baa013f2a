"""Training of networks, measurement of playing strength, and environments for learning loops."""
