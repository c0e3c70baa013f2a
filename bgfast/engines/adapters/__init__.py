"""Adapters of the registered engines; they call public interfaces only.

A module has the name of its engine, with `-` as `_`, and defines the class `Adapter`. It is imported when its
engine is opened.
"""
