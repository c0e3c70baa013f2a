"""Match settings for tests of the match environments, and a replay of their rows with `Match`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import bgfast
from tests.support.environments import HYPERGAMMON, UNEVEN, Int8, environments

envs = environments()

NAMES, PHASES = envs.MATCH_ACTIONS, envs.MATCH_PHASES
PLAYS = envs.MAX_PLAYS
ROLL, DOUBLE, TAKE, DROP = (PLAYS + NAMES.index(name) for name in ("roll", "double", "take", "drop"))
CUBE, OWNER, AWAY, AWAY_OPPONENT, CRAWFORD, PHASE, RESIGNATION, ON_TURN = range(28, 36)
MONEY_RULES = bgfast.RuleSet(jacoby=True, beavers=True, automatic_doubles=1)
LIMITED_RULES = bgfast.RuleSet(beavers=True, cube_limit=8, automatic_doubles=3, win_scheme="not_all_home")
LOT_RULES = bgfast.RuleSet(opening="colour_lot", jacoby=True, stack_max=5)


class MatchSettings(NamedTuple):
    """Match length (None: money play), rules and starting position of an environment."""

    length: int | None
    rules: bgfast.RuleSet
    start: bgfast.Position = bgfast.Position.start()


SETTINGS = {
    "money": MatchSettings(None, bgfast.STANDARD),
    "jacoby": MatchSettings(None, MONEY_RULES),
    "limited": MatchSettings(None, LIMITED_RULES),
    "lot": MatchSettings(None, LOT_RULES),
    "1": MatchSettings(1, bgfast.STANDARD),
    "2": MatchSettings(2, LOT_RULES),
    "3": MatchSettings(3, MONEY_RULES),
    "5": MatchSettings(5, LIMITED_RULES),
    "hypergammon": MatchSettings(None, MONEY_RULES, HYPERGAMMON),
    "hypergammon-3": MatchSettings(3, bgfast.STANDARD, HYPERGAMMON),
    "uneven": MatchSettings(None, LIMITED_RULES, UNEVEN),
    "uneven-3": MatchSettings(3, LOT_RULES, UNEVEN),
}


def legal_action(mask: Int8, rng: np.random.Generator, resign_weight: float = 0.02) -> int:
    """Return a random legal action, or 0 if there is none; all plays together count as one choice."""
    play_count = int(np.count_nonzero(mask[:PLAYS]))
    actions = [*[-1] * (play_count > 0), *np.flatnonzero(mask[PLAYS:]).tolist()]
    if not actions:
        return 0
    weights = {"double": 1.0, "drop": 1.5} | dict.fromkeys(NAMES[6:9], resign_weight)
    cumulative = np.cumsum([4.0 if action < 0 else weights.get(NAMES[action], 4.0) for action in actions])
    action = actions[int(np.searchsorted(cumulative, rng.random() * cumulative[-1], "right"))]
    return int(rng.integers(play_count)) if action < 0 else PLAYS + action


class Replay:
    """Replay of a row of a vector environment."""

    def __init__(self, settings: MatchSettings, row: Int8) -> None:
        self.match = bgfast.Match(settings.length, settings.rules, position=settings.start)
        self.advance(row)

    @property
    def is_over(self) -> bool:
        length = self.match.length
        return self.match.result is not None if length is None else self.match.winner is not None

    def advance(self, row: Int8) -> None:
        """Replay forced actions with the dice of a row."""
        match = self.match
        roll = int(row[26]), int(row[27])
        while not self.is_over:
            actions = match.legal_actions()
            if "next_game" in actions:
                match.next_game()
            elif "draw_lot" in actions:
                match.draw_lot(int(row[ON_TURN]))
            elif match.phase == "opening":
                for _ in range(row[CUBE]):
                    match.roll((3, 3))  # a tie, which turned the cube
                match.roll(roll)
            elif match.phase == "first_roll" or (match.phase == "to_roll" and "double" not in actions):
                match.roll(roll)
            else:
                return

    def act(self, action: int, after: Int8, row: Int8) -> None:
        """Replay an action; `after` is the board after a play, and `row` is the new state."""
        match = self.match
        if action < PLAYS:
            plays = match.plays()
            if len(plays):
                (index,) = np.flatnonzero((bgfast.flip(plays.boards) == after).all(axis=1))
                match.play(plays[int(index)])
            else:
                match.pass_turn()
                assert (match.position.to_array() == after).all()
        elif action == ROLL:
            match.roll((int(row[26]), int(row[27])))
        else:
            name, _, level = NAMES[action - PLAYS].partition("_")
            if name == "resign":
                match.resign(("single", "gammon", "backgammon").index(level) + 1)
            else:
                getattr(match, NAMES[action - PLAYS])()
        self.advance(row)

    def observation(self, player: int) -> list[int]:
        match, game = self.match, self.match.state.game
        dice = game.dice if game.phase == "to_play" and game.on_turn == player else (0, 0)
        owner = 0 if game.cube.owner is None else 1 if game.cube.owner == player else -1
        length = match.length or 0
        away = [max(0, length - points) if length else 0 for points in match.score]
        assert dice is not None
        return [
            *match.board(player).tolist(),
            *dice,
            game.cube.value.bit_length() - 1,
            owner,
            away[player],
            away[1 - player],
            int(game.match is not None and game.match.crawford),
            PHASES.index(game.phase),
            game.resignation,
        ]

    def legal_actions(self) -> list[str]:
        """Return the legal actions other than plays."""
        if self.is_over:
            return []
        legal = self.match.legal_actions()
        return [name for name in NAMES if name in legal or (name.startswith("resign_") and "resign" in legal)]
