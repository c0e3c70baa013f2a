from bgfast.records.match_files import load_games, load_match, load_matches, read_match

__all__ = ["load_games", "load_match", "load_matches", "read_match"]
