"""The network: positions into inputs, sums of table rows, learning, compiled for each processor."""
