"""Who plays how well: contests, errors at judged positions, opponents to play against."""
