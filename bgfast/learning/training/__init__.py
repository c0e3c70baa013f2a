"""How a network learns: one step, whole trainings, the curve of their strength."""
