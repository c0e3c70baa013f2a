"""Games and matches: states, legal actions, transitions, history, dice."""
