"""Many positions in one call: successors, selection, encoders, random positions, position IDs."""
