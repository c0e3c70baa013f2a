"""Matches played to the end, with the first legal play of every roll."""

from __future__ import annotations

import bgfast


def finished_match(
    seed: int, players: tuple[str, str] = ("Anna", "Bob <b>"), date: str = "", length: int = 1
) -> bgfast.Match:
    """Return a finished match."""
    info = bgfast.games.MatchInfo(players=players, date=date)
    match = bgfast.Match(length, dice=seed, info=info)
    while match.winner is None:
        if match.phase in ("opening", "to_roll"):
            match.roll()
        elif match.phase == "over":
            match.next_game()
        elif len(match.plays()):
            match.play(match.plays()[0])
        else:
            match.pass_turn()
    return match
