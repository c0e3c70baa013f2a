"""Random matches with all actions of records."""

from __future__ import annotations

import numpy as np

from bgfast import Match, RuleSet
from bgfast.games.random_player import act_at_random


def random_match(seed: int, length: int | None, crawford: bool = True) -> Match:
    """Return a match, or up to three money games, with doubles, beavers, raccoons and resignations."""
    choices = np.random.default_rng(seed)
    rules = RuleSet() if length else RuleSet(beavers=True, jacoby=bool(seed & 1))
    match = Match(length, rules, dice=seed, crawford=crawford)
    turns = int(choices.integers(1, 400))
    for _ in range(turns):
        legal = match.legal_actions()
        if not legal or (length is None and len(match.results) == 3 and legal == ("next_game",)):
            break
        chance = choices.random()
        if "double" in legal and chance < 0.1:
            match.double()
        elif "raccoon" in legal and chance < 0.5:
            match.raccoon()
        elif match.phase == "to_roll" and chance < 0.01:
            match.resign(int(choices.integers(1, 4)), by=int(choices.integers(2)))
            match.accept_resignation()
        else:
            act_at_random(match, choices)
    while match.phase == "to_play":  # records omit unplayed rolls
        act_at_random(match, choices)
    return match
