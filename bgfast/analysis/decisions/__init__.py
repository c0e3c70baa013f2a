"""What to do: with the cube, at every score, and what each roll would bring."""
