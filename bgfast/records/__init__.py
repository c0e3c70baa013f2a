"""Recorded matches: readers, replay with findings, writers."""

from bgfast.common import lazy_names

_SOURCES = {
    "load_games": "bgfast.records.match_files",
    "load_match": "bgfast.records.match_files",
    "load_matches": "bgfast.records.match_files",
    "read_match": "bgfast.records.match_files",
}

# Match analysis needs some modules of this package, but not those that read files.
__getattr__, __dir__ = lazy_names(__name__, _SOURCES)
__all__ = sorted(_SOURCES)  # pyright: ignore[reportUnsupportedDunderAll]
