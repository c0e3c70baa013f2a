"""Opponents of several levels, and UBGI: bgfast as an engine, and other engines as players."""
