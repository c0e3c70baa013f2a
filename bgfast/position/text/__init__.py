"""Text formats of plays and positions: notation, printed boards, IDs."""
