"""Games and positions as text: what is read and written for people and other programs."""
