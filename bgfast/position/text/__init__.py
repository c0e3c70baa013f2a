"""Boards, plays and positions as text: canonical plays, small boards, position IDs, match IDs, XGID."""
