"""A match of two agents, with cube and score, for PettingZoo."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from bgfast.learning.environments.frames import Frame
from bgfast.learning.environments.ground import MAX_PLAYS, RENDER_MODES, Mask, Observation, check_options
from bgfast.learning.environments.match_ground import (
    check_length,
    match_action_space,
    match_observation_space,
)
from bgfast.learning.environments.numbered_match import NumberedMatch
from bgfast.rules import STANDARD, RuleSetLike

__all__ = ["BackgammonMatchAEC", "match_env"]


class BackgammonMatchAEC(AECEnv):
    """A match, or a money game, of two agents with the cube, as `pettingzoo.AECEnv` describes.

    Parameters
    ----------
    length, rules
        As in `BackgammonMatchEnv`.
    max_plays, render_mode
        As in `BackgammonAEC`.

    Raises
    ------
    BgfastError
        If an argument is none of these; `InvalidRulesError` if it is the rules.

    Notes
    -----
    `match_env` makes one with PettingZoo's usual wrappers. The agents are ``"player_0"`` and ``"player_1"``;
    the one who has to decide is selected, so that an agent may act several times in a row. An observation has

    * ``"observation"``: int8 of shape (35,), as in `BackgammonMatchEnv`, from the agent's own side; the dice
      are 0 for an agent who has no play to make;
    * ``"action_mask"``: int8 of shape (max_plays + 11,), 1 for each legal action of the agent to act.

    Actions and rewards are those of `BackgammonMatchEnv`, and ``infos[agent]["successors"]`` of the agent to
    act is as there.

    Not for several threads at once.

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

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": list(RENDER_MODES),
        "render_fps": 1,
        "name": "bgfast_backgammon_match_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        max_plays: int = MAX_PLAYS,
        render_mode: str | None = None,
    ) -> None:
        self._rules = check_options(rules, max_plays, "error", render_mode)
        self._length = check_length(length)
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        actions = match_action_space(max_plays)
        mask = Box(0, 1, (int(actions.n),), np.int8)
        self.observation_spaces = {
            agent: Dict({"observation": match_observation_space(), "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: match_action_space(max_plays) for agent in self.possible_agents}
        self._max_plays = max_plays
        self._random: np.random.Generator | None = None
        self._match: NumberedMatch | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return the space of what an agent sees."""
        return cast("Dict", self.observation_spaces[agent])

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return the space of an agent's actions."""
        return cast("Discrete[np.int64]", self.action_spaces[agent])

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match.

        Parameters
        ----------
        seed : int, optional
            Dice are the same for the same seed.
        options : dict, optional
            Not used.
        """
        dice = self._random
        if seed is not None or dice is None:
            dice, _ = seeding.np_random(seed)
        self._random = dice
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._match = NumberedMatch(self._length, self._rules, self._max_plays, dice)
        self._select(self._match)

    def step(self, action: Any) -> None:
        """Carry out an action of the selected agent; None when the match is over.

        Raises
        ------
        IllegalActionError
            If it is not legal.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        match = self._match
        assert match is not None
        if not match.act(action):
            raise match.refused(action)
        if match.is_over:
            self.rewards = {agent: match.reward(player) for player, agent in enumerate(self.possible_agents)}
            self.terminations = dict.fromkeys(self.agents, True)
        self._select(match)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Observation | Mask]:
        """Return what an agent sees."""
        player = self.possible_agents.index(agent)
        assert self._match is not None
        return {
            "observation": self._match.observation(player),
            "action_mask": self._match.action_mask(player),
        }

    def render(self) -> str | Frame | None:
        """Return the board as text or pixels; ``"player_0"`` is X, below."""
        if self._match is None or self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return self._match.pixels()
        return self._match.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to be closed."""

    def _select(self, match: NumberedMatch) -> None:
        """Select the agent to act."""
        self.agent_selection = self.possible_agents[match.player]
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.infos[self.agent_selection]["successors"] = match.successors()
        if self.render_mode == "human":
            print(match.text(), end="\n\n", flush=True)


def match_env(**options: Any) -> OrderEnforcingWrapper:
    """Return a `BackgammonMatchAEC` with PettingZoo's usual wrappers.

    Parameters
    ----------
    **options
        Those of `BackgammonMatchAEC`.

    Examples
    --------
    >>> from bgfast import environments
    >>> environments.match_env(length=7).possible_agents
    ['player_0', 'player_1']
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(BackgammonMatchAEC(**options)))
