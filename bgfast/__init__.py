"""Every legal backgammon play, exactly and fast."""
