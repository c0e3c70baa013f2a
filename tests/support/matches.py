"""Short, finished and random matches; the random ones use all actions that records can contain."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

import bgfast
from bgfast import BgfastError, Match, Play, RuleSet
from bgfast.analysis.branches import as_search
from bgfast.cli.game import act_at_random
from bgfast.common.validation import STARTS
from bgfast.evaluators import WithBearoff
from bgfast.position.objects import Position


def match_with_plays(*plays: str, length: int | None = 3, **options: Any) -> Match:
    """Return a match after these plays; its first rolls are 3-1 and 6-5."""
    match = Match(length, dice=[(3, 1), (6, 5)], **options)
    for play in plays:
        match.roll()
        match.play(play)
    return match


@cache
def search() -> Any:
    return as_search(WithBearoff(bgfast.Network.builtin_fast()), 0, 0)


def first_play(match: Match) -> Play:
    return match.plays()[0]


def best_or_worst_play(match: Match) -> Play:
    """Return the best play for player 0 and the worst play for player 1."""
    return search().best_plays(match.decision)[-1 if match.on_turn else 0].play


def play_on(
    match: Match, max_actions: int = 10**6, play: Callable[[Match], Play] = first_play, interval: int = 10**6
) -> Match:
    """Play up to `max_actions` actions; every `interval`-th is a double if legal. Only player 1 takes."""
    while match.winner is None and len(match.history) < max_actions:
        if match.phase == "over":
            match.next_game()
        elif match.phase == "doubled":
            match.take() if match.to_act else match.drop()
        elif "double" in match.legal_actions() and len(match.history) % interval == 0:
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
    """Return a finished match in which players make the first legal play."""
    return play_on(Match(length, dice=seed, info=bgfast.games.MatchInfo(players=players, date=date)))


def random_match(seed: int, length: int | None, crawford: bool = True) -> Match:
    """Return a random match, or up to three money games, with doubles, beavers, raccoons and resignations."""
    rng = np.random.default_rng(seed)
    rules = RuleSet() if length else RuleSet(beavers=True, jacoby=bool(seed & 1))
    match = Match(length, rules, dice=seed, crawford=crawford)
    turns = int(rng.integers(1, 400))
    for _ in range(turns):
        legal = match.legal_actions()
        if not legal or (length is None and len(match.results) == 3 and legal == ("next_game",)):
            break
        chance = rng.random()
        if "double" in legal and chance < 0.1:
            match.double()
        elif "raccoon" in legal and chance < 0.5:
            match.raccoon()
        elif match.phase == "to_roll" and chance < 0.01:
            match.resign(int(rng.integers(1, 4)), by=int(rng.integers(2)))
            match.accept_resignation()
        else:
            act_at_random(match, rng)
    while match.phase == "to_play":  # records omit unplayed rolls
        act_at_random(match, rng)
    return match


def random_rules(rng: np.random.Generator) -> RuleSet:
    """Return random rules whose games begin with an opening roll."""
    switches = {
        "bearoff_die": ("standard", "exact", "rearmost"),
        "bearoff_compulsory": (False, True),
        "forfeit": ("never", "empty_point"),
        "stack_max": (0, 0, 3, 5),
        "win_scheme": ("standard", "bar_home_beats_off", "not_all_home"),
        "cube_limit": (0, 0, 1, 2, 4, 64, 1024, 4096),
        "premature_roll": ("stands", "void"),
        "automatic_doubles": (0, 1, 3),
        "beavers": (False, True),
        "jacoby": (False, True),
    }
    names = list(switches)[-3:] if rng.random() < 0.3 else switches
    switch_values: dict[str, Any] = {
        name: switches[name][int(rng.integers(len(switches[name])))] for name in names
    }
    return RuleSet(**switch_values)


def match_under_random_rules(seed: int) -> Match:
    """Return a match, or up to three money games, under random rules; all actions may occur."""
    rng = np.random.default_rng(seed)
    rules = random_rules(rng)
    length = (None, None, 1, 2, 3, 5, 7)[rng.integers(7)]
    score = (0, 0)
    if length and rng.random() < 0.5:
        score = int(rng.integers(length)), int(rng.integers(length))
    crawford = length is None or rng.random() < 0.7
    may_be_post_crawford = length is not None and crawford and max(score) == length - 1
    match = Match(
        length,
        rules,
        dice=seed,
        score=score,
        crawford=crawford,
        crawford_played=may_be_post_crawford and rng.random() < 0.5,
        position=Position(list(STARTS)[rng.integers(len(STARTS))]),
    )
    for _ in range(int(rng.integers(1, 300))):
        legal = match.legal_actions()
        if not legal or (length is None and len(match.results) == 3 and legal == ("next_game",)):
            break
        _act(match, legal, rng)
    return match


def _act(match: Match, legal: tuple[str, ...], rng: np.random.Generator) -> None:
    """Perform a random action, which may be illegal."""
    chance = rng.random()
    is_forced = match.phase == "to_play" and not len(match.plays())
    if match.phase == "resigned":
        match.accept_resignation() if chance < 0.9 else match.refuse_resignation()
    elif match.phase != "over" and chance < 0.004 and not is_forced:
        match.resign(int(rng.integers(1, 4)), by=int(rng.integers(2)))
    elif match.phase != "over" and chance < 0.005:
        match.award(int(rng.integers(2)), int(rng.integers(1, 9)))
    elif "double" in legal and chance < 0.1:
        match.double()
    elif match.phase == "to_roll" and "double" not in legal and chance < 0.15:
        with suppress(BgfastError):
            match.double(unchecked=True)
    elif "raccoon" in legal and chance < 0.5:
        match.raccoon()
    elif "challenge" in legal and chance < 0.1:
        match.challenge()
    elif "roll_again" in legal and chance < 0.001:
        match.roll_again()
    elif match.phase == "to_play" and chance < 0.03:
        with suppress(BgfastError):
            match.play(f"{rng.integers(1, 25)}/{rng.integers(1, 25)}", unchecked=True)
    else:
        act_at_random(match, rng)
