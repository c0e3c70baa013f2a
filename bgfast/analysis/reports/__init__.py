"""Reports on several matches: history of each player, index page, flash cards."""
