"""Cython core without the GIL: boards, the generator of plays, the network."""
