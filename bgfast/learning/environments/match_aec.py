"""A match of two agents, with cube and score, for PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from bgfast.errors import BgfastError
from bgfast.learning.environments.aec_env import TwoAgents
from bgfast.learning.environments.frames import Frame
from bgfast.learning.environments.ground import MAX_PLAYS, Mask, Observation, check_options, check_start
from bgfast.learning.environments.match_ground import (
    check_length,
    match_action_space,
    match_observation_space,
)
from bgfast.learning.environments.numbered_match import NumberedMatch
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike


class BackgammonMatchAEC(TwoAgents):
    """Match, or money game, of two agents with the cube, a `pettingzoo.AECEnv`.

    Parameters
    ----------
    length, rules
        As in `BackgammonMatchEnv`.
    start : Position, optional
        As in `BackgammonAEC`.
    max_plays, render_mode
        As in `BackgammonAEC`.

    Raises
    ------
    BgfastError
        If an argument is invalid; `InvalidRulesError` for the rules, `InvalidPositionError` for the start.

    Notes
    -----
    `match_env` returns it with PettingZoo's usual wrappers. The agents are ``"player_0"`` and ``"player_1"``;
    an agent may act several times in a row. An observation has

    * ``"observation"``: int8 of shape (35,), as in `BackgammonMatchEnv`, from the agent's side; the dice are
      0 for an agent without a play to make;
    * ``"action_mask"``: int8 of shape (max_plays + 11,), 1 for each legal action of the agent to act.

    Actions and rewards, and ``infos[agent]["successors"]`` of the agent to act, are those of
    `BackgammonMatchEnv`.

    Not thread-safe.

    Examples
    --------
    >>> from bgfast import environments
    >>> match = environments.match_env(length=3)
    >>> match.reset(seed=1)
    >>> for agent in match.agent_iter():
    ...     seen, reward, ended, _, info = match.last()
    ...     legal = seen["action_mask"].nonzero()[0]
    ...     match.step(None if ended else legal[0])    # the first play, never a double
    ...     if ended:
    ...         print(agent, reward)
    player_1 -1.0
    player_0 1.0
    """

    metadata = TwoAgents.metadata | {"name": "bgfast_backgammon_match_v0"}

    def __init__(
        self,
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        start: Position | None = None,
        max_plays: int = MAX_PLAYS,
        render_mode: str | None = None,
    ) -> None:
        self._rules = check_options(rules, max_plays, "error", render_mode)
        self._length = check_length(length)
        self._start = check_start(start)
        super().__init__(match_observation_space(), match_action_space(max_plays), render_mode)
        self._max_plays = max_plays
        self._match: NumberedMatch | None = None

    def _begin(self, random: np.random.Generator) -> None:
        self._match = NumberedMatch(self._length, self._rules, self._start, self._max_plays, random)
        self._select(self._match.player, self._match.successors())

    def _legal(self, action: Any) -> int:
        assert self._match is not None
        if not self._match.is_legal(action):
            raise self._match.refused(action)
        return int(action)

    def _act(self, action: int) -> None:
        match = self._match
        assert match is not None
        match.act(action)
        if match.is_over:
            self._end((match.reward(0), match.reward(1)))
        self._select(match.player, match.successors())

    def observe(self, agent: str) -> dict[str, Observation | Mask]:
        """Return the observation of an agent."""
        player = self.possible_agents.index(self._checked(agent))
        if self._match is None:
            raise BgfastError("observe: there is no match; expected reset")
        return {
            "observation": self._match.observation(player),
            "action_mask": self._match.action_mask(player),
        }

    def render(self) -> str | Frame | None:
        """Return the board as text or pixels; ``"player_0"`` is X, at the bottom."""
        if self._match is None or self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return self._match.pixels()
        return self._match.text() if self.render_mode == "ansi" else None

    def _text(self) -> str:
        assert self._match is not None
        return self._match.text()


def match_env(**options: Any) -> OrderEnforcingWrapper:
    """Return a `BackgammonMatchAEC` with PettingZoo's usual wrappers.

    Parameters
    ----------
    **options
        Options of `BackgammonMatchAEC`.

    Examples
    --------
    >>> from bgfast import environments
    >>> environments.match_env(length=7).possible_agents
    ['player_0', 'player_1']
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(BackgammonMatchAEC(**options)))
