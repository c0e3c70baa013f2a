"""Matches played to the end or for some actions."""

from __future__ import annotations

from collections.abc import Callable

import bgfast
from bgfast import Match, Play
from bgfast.analysis.branches import search_of
from bgfast.evaluators import WithBearoff

SEARCH = search_of(WithBearoff(bgfast.Network.builtin_fast()), 0, 0)


def first_play(match: Match) -> Play:
    """Return the first legal play."""
    return match.plays()[0]


def best_or_worst(match: Match) -> Play:
    """Return the best play for player 0, the worst for player 1."""
    return SEARCH.best_plays(match.decision)[-1 if match.on_turn else 0].play


def play_on(
    match: Match, actions: int = 10**6, play: Callable[[Match], Play] = first_play, doubles: int = 10**6
) -> Match:
    """Play up to that many actions; every `doubles`-th is a double if legal, which player 1 takes."""
    while match.winner is None and len(match.history) < actions:
        if match.phase == "over":
            match.next_game()
        elif match.phase == "doubled":
            match.take() if match.to_act else match.drop()
        elif "double" in match.legal_actions() and len(match.history) % doubles == 0:
            match.double()
        elif match.phase in ("opening", "to_roll"):
            match.roll()
        elif len(match.plays()):
            match.play(play(match))
        else:
            match.pass_turn()
    return match


def finished_match(
    seed: int, players: tuple[str, str] = ("Anna", "Bob <b>"), date: str = "", length: int = 1
) -> Match:
    """Return a finished match of first legal plays."""
    return play_on(Match(length, dice=seed, info=bgfast.games.MatchInfo(players=players, date=date)))
