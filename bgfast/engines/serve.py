"""Server of the line protocol for an engine in this process: ``python -m bgfast.engines.serve NAME``."""

from __future__ import annotations

from bgfast.conformance.line_protocol import serve
from bgfast.conformance.registry import main

__all__ = ["main", "serve"]

if __name__ == "__main__":
    main()
