"""How decisions of a recorded match are judged: at sight, and looking ahead where that decides."""
