"""The network: features, accumulators of table rows, outputs, learning, compiled for each processor."""
