"""Modules for authors of engines, `protocol` and `serve`: the engine's side of `bgfast.conformance`."""
