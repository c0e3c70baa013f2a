"""Actions, observations and decisions of the match environments."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete

from bgfast.batch.successors import flip
from bgfast.common.validation import whole_number
from bgfast.common.vocabulary import BOARD_SIZE
from bgfast.errors import BgfastError, shown
from bgfast.games.state import OFFER_FACTORS, OFFERS, UNLIMITED
from bgfast.learning.environments._games import AWAY, AWAY_OPPONENT, CRAWFORD, CUBE, OWNER, PHASE
from bgfast.learning.environments.ground import Observation, observation_space
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

MATCH_ACTIONS = (
    "roll",
    "double",
    "take",
    "drop",
    "beaver",
    "raccoon",
    "resign_single",
    "resign_gammon",
    "resign_backgammon",
    "accept_resignation",
    "refuse_resignation",
)
"""Actions other than plays; their numbers follow those of the plays, from `max_plays` on."""
MATCH_PHASES = ("to_roll", "to_play", "doubled", "beavered", "raccooned", "resigned", "over")
"""Phases of a game, as in `bgfast.games.GameState`; an observation holds the index."""
TO_ROLL, TO_PLAY, DOUBLED, BEAVERED, _, RESIGNED, OVER = range(len(MATCH_PHASES))
LEARNER = 0
"""Player of a match who learns; the other player is the opponent."""
MAX_LENGTH = 127
"""Maximum match length, as observations are int8."""


def check_length(length: Any) -> int:
    """Return the match length, 0 for None: money play."""
    number = whole_number(length)
    if length is not None and (number is None or not 1 <= number <= MAX_LENGTH):
        raise BgfastError(
            f"length is {shown(length)}; expected a whole number from 1 to {MAX_LENGTH}, or None for money "
            "play"
        )
    return number or 0


def match_observation_space() -> Box[np.int8]:
    """Return the space of boards with dice, cube, score and phase."""
    plain = observation_space()
    context = np.array(  # bounds of each column
        [
            (0, 30),  # the cube's exponent
            (-1, 1),  # its owner
            (0, MAX_LENGTH),  # points away
            (0, MAX_LENGTH),
            (0, 1),  # the Crawford game
            (0, len(MATCH_PHASES) - 1),
            (0, 3),  # level of a pending resignation
        ],
        np.int8,
    ).T
    low, high = np.concatenate((plain.low, context[0])), np.concatenate((plain.high, context[1]))
    return Box(low, high, dtype=np.int8)


def match_action_space(max_plays: int) -> Discrete[np.int64]:
    """Return the space of plays and other actions."""
    return Discrete(max_plays + len(MATCH_ACTIONS))


def is_mover(observations: Observation) -> npt.NDArray[np.bool_]:
    """Return a mask of observations by the player on turn, shape (n,); all are by players to act."""
    return np.isin(observations[:, PHASE], (TO_ROLL, TO_PLAY, BEAVERED))


def from_mover(observations: Observation) -> Observation:
    """Return observations of players to act, (n, 35), from the side of the player on turn."""
    turned, other = observations.copy(), ~is_mover(observations)
    turned[other, :BOARD_SIZE] = flip(np.ascontiguousarray(observations[other, :BOARD_SIZE]))
    turned[other, OWNER] *= -1
    turned[other, AWAY] = observations[other, AWAY_OPPONENT]
    turned[other, AWAY_OPPONENT] = observations[other, AWAY]
    return turned


def match_decision(
    mover: Observation, length: int, rules: RuleSet, checkers: int, turn: Literal[1, -1] = 1
) -> Decision:
    """Return the decision of an observation from `from_mover`; `turn` is 1 if X is on turn."""
    numbers = mover.tolist()
    cube, phase = 1 << numbers[CUBE], MATCH_PHASES[numbers[PHASE]]
    return Decision(
        position=Position.from_array(mover[:BOARD_SIZE], checkers),
        turn=turn,
        dice=(numbers[BOARD_SIZE], numbers[BOARD_SIZE + 1]) if phase == "to_play" else None,
        offer=OFFERS.get(phase),
        cube=cube,
        cube_owner=numbers[OWNER],
        score=(length - numbers[AWAY], length - numbers[AWAY_OPPONENT]),
        match_length=length,
        crawford=bool(numbers[CRAWFORD]),
        jacoby=not length and rules.jacoby,
        beaver=not length and rules.beavers,
        max_cube=max(rules.cube_limit or UNLIMITED, cube * OFFER_FACTORS.get(phase, 1)),
    )


def shown_decision(observation: Observation, length: int, rules: RuleSet, checkers: int) -> Decision:
    """Return the decision of an observation, shape (35,), with its player as X."""
    turn: Literal[1, -1] = 1 if is_mover(observation[None])[0] else -1
    return match_decision(from_mover(observation[None])[0], length, rules, checkers, turn)
