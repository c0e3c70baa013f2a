"""One position, one turn: objects, play text, board text, IDs, next moves, why a play is refused."""
