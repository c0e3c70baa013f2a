"""Single positions and turns: objects, decisions, next moves, pictures, texts, and refusals of plays."""
