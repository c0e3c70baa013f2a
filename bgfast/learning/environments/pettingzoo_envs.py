"""Games and matches of two agents, for PettingZoo."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, cast

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import PositionLike
from bgfast.errors import BgfastError, IllegalActionError, short_repr
from bgfast.learning.environments._lockstep import MAX_PLAYS
from bgfast.learning.environments.frames import Frame, available_modes
from bgfast.learning.environments.lockstep import RENDER_MODES, Lockstep, validate_length, validate_seed
from bgfast.learning.environments.opponent_policy import Observation
from bgfast.rules import STANDARD, RuleSetLike


class TwoAgents(AECEnv):
    """Game or match of two agents: a batch of one without an opponent."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": available_modes(RENDER_MODES),
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(self, *arguments: Any) -> None:
        super().__init__()
        self._games = games = Lockstep(1, *arguments)
        self.render_mode = games.render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        actions = games.action_space()
        mask = Box(0, 1, (int(actions.n),), np.int8)
        spaces = Dict({"observation": games.observation_space(), "action_mask": mask})
        # Spaces have random generators, so agents do not share them.
        self.observation_spaces = {agent: deepcopy(spaces) for agent in self.possible_agents}
        self.action_spaces = {agent: deepcopy(actions) for agent in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations."""
        return cast("Dict", self.observation_spaces[self._check_agent(agent)])

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return the space of an agent's actions."""
        return cast("Discrete[np.int64]", self.action_spaces[self._check_agent(agent)])

    def _check_agent(self, agent: Any) -> str:
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise BgfastError(f"agent is {short_repr(agent)}; expected {' or '.join(self.possible_agents)}")
        return agent

    def close(self) -> None:
        """Do nothing; PettingZoo requires the method."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game or match; dice are the same for the same `seed`. `options` are not used."""
        seed = validate_seed(seed)
        random = self._random
        if seed is not None or random is None:
            self._random = random = seeding.np_random(seed)[0]
        with self._games.track_interruption():
            self.agents = self.possible_agents[:]
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self._games.restart(random)
            self._select()

    def step(self, action: Any) -> None:
        """Carry out an action of the selected agent; `action` is None when the game or match is over.

        `IllegalActionError` is raised if the action is illegal, `reset` was not called, or an exception
        interrupted the last step.
        """
        self._games.check_not_interrupted()
        if not self.agents:
            raise IllegalActionError("step: there are no agents; expected reset")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        actions = self._games.validate_action(action)
        with self._games.track_interruption():
            reward = float(self._games.step(actions)[0])
            if self._games.is_over():
                self.rewards = dict(zip(self.possible_agents, (reward, -reward), strict=True))
                self.terminations = dict.fromkeys(self.agents, True)
            self._select()
            self._accumulate_rewards()

    def _select(self) -> None:
        """Select the agent to act; list the successors of its position in `infos`."""
        player = self._games.player_to_act()
        self.agent_selection = self.possible_agents[player]
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.infos[self.agent_selection]["successors"] = self._games.list_plays(player)["successors"]
        self._games.show()

    def observe(self, agent: str) -> dict[str, Observation]:
        """Return the observation of an agent."""
        player = self.possible_agents.index(self._check_agent(agent))
        if not self._games.has_begun:
            raise BgfastError(f"observe: there is no {self._games.noun}; expected reset")
        mask = self._games.table.mask[0]
        return {
            "observation": self._games.table.observe(player)[0],
            "action_mask": mask.copy() if agent == self.agent_selection else np.zeros_like(mask),
        }

    def render(self) -> str | Frame | None:
        """Return the board as text or pixels, with ``"player_0"`` as X, at the bottom.

        In text, games without a cube show the agent on roll as X, and name the agent.
        """
        return self._games.render()


class BackgammonAEC(TwoAgents):
    """Game of two agents, with one play per step, a `pettingzoo.AECEnv`.

    Parameters
    ----------
    rules : RuleSet, or the name of a preset
        There is no cube, and the Jacoby rule is ignored.
    start : Position, text, or board of 26 numbers, optional
        Starting position of games, from the side of ``"player_0"``; `Position.start` by default.
    max_plays, render_mode
        As in `BackgammonEnv`; pixels have ``"player_0"`` as X, at the bottom.

    See Also
    --------
    env : The same game in PettingZoo's usual wrappers.
    BackgammonMatchAEC : Match with the cube.

    Notes
    -----
    Raises the same errors as `BackgammonEnv`; `raw_env` is this class. The agents are ``"player_0"`` and
    ``"player_1"``; the opening roll decides who begins, and they take turns, passes included. An observation
    has

    * ``"observation"``: int8 of shape (28,), the board from the agent's side and the dice, 0 if the agent
      is not on roll or the game is over;
    * ``"action_mask"``: int8 of shape (max_plays,), 1 for each legal play of the agent on roll.

    Actions, and ``infos[agent]["successors"]`` of the agent on roll, are as in `BackgammonEnv`. At the end
    the rewards are 1, 2 or 3 points for the winner, and -1, -2 or -3 points for the loser.

    Examples
    --------
    >>> from bgfast import environments
    >>> game = environments.env()
    >>> game.reset(seed=1)
    >>> for agent in game.agent_iter():
    ...     observation, reward, ended, _, info = game.last()
    ...     game.step(None if ended else 0)    # the first play of each list
    ...     if ended:
    ...         print(agent, reward)
    player_0 -1.0
    player_1 1.0
    """

    metadata = TwoAgents.metadata | {"name": "bgfast_backgammon_v0"}

    @names_arguments
    def __init__(
        self,
        *,
        rules: RuleSetLike = STANDARD,
        start: PositionLike | None = None,
        max_plays: int = MAX_PLAYS,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(None, rules, start, max_plays, render_mode)


class BackgammonMatchAEC(TwoAgents):
    """Match, or money game, of two agents with the cube, a `pettingzoo.AECEnv`.

    Parameters and errors are as in `BackgammonMatchEnv` and `BackgammonAEC`.

    See Also
    --------
    match_env : The same match in PettingZoo's usual wrappers.

    Notes
    -----
    The agents are named as in `BackgammonAEC`; an agent may act several times in a row. An observation has
    ``"observation"``, int8 of shape (35,), as in `BackgammonMatchEnv`, from the agent's side, with dice of 0
    for an agent without a play to make, and ``"action_mask"`` of shape (max_plays + 11,). Actions, rewards
    and successors are as in `BackgammonMatchEnv`.

    Examples
    --------
    >>> from bgfast import environments
    >>> match = environments.match_env(length=3)
    >>> match.reset(seed=1)
    >>> for agent in match.agent_iter():
    ...     observation, reward, ended, _, info = match.last()
    ...     legal = observation["action_mask"].nonzero()[0]
    ...     match.step(None if ended else legal[0])    # the first legal action, never a double
    ...     if ended:
    ...         print(agent, reward)
    player_0 -1.0
    player_1 1.0
    """

    metadata = TwoAgents.metadata | {"name": "bgfast_backgammon_match_v0"}

    @names_arguments
    def __init__(
        self,
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        start: PositionLike | None = None,
        max_plays: int = MAX_PLAYS,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(validate_length(length), rules, start, max_plays, render_mode)


raw_env = BackgammonAEC


def env(**options: Any) -> OrderEnforcingWrapper:
    """Return a `BackgammonAEC` with these options in PettingZoo's usual wrappers.

    An illegal play raises `IllegalActionError`; with ``pettingzoo.utils.wrappers.TerminateIllegalWrapper`` it
    loses the game instead.

    Examples
    --------
    >>> from bgfast import environments
    >>> environments.env().possible_agents
    ['player_0', 'player_1']
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(**options)))


def match_env(**options: Any) -> OrderEnforcingWrapper:
    """Return a `BackgammonMatchAEC` with these options in PettingZoo's usual wrappers.

    Examples
    --------
    >>> from bgfast import environments
    >>> environments.match_env(length=7).possible_agents
    ['player_0', 'player_1']
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(BackgammonMatchAEC(**options)))
