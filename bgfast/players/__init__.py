"""UBGI, the universal backgammon interface: bgfast as an engine, and other engines as players."""
