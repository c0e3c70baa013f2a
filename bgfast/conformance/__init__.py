"""Interfaces to other engines, which list the successors of a position and roll.

The rest of bgfast imports this package only for the cross-check, the suite, UBGI, `bgfast.engines` and
the evaluator `Gnubg`. An engine is imported when it is opened.
"""
