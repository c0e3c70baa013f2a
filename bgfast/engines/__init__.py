"""Door for authors of engines: `protocol` and `serve`; the engines' side of `bgfast.conformance`."""
