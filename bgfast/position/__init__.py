"""One position, one turn: objects, decisions, next moves, pictures, lists of plays; their rules and texts."""
