"""Other engines behind one small protocol: what they list for a position and roll.

Nothing here is imported by the rest of bgfast but for the cross-check and the suite. No engine is imported
before it is asked for.
"""
