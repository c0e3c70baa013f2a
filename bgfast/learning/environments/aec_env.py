"""Game of two agents, for PettingZoo."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, cast

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from bgfast.batch.successors import Successors
from bgfast.common.vocabulary import Roll
from bgfast.errors import BgfastError, IllegalActionError, shown
from bgfast.games.scoring import PLAYER_NAMES, other_player, win_level
from bgfast.learning.environments.frames import Frame, announced
from bgfast.learning.environments.ground import (
    MAX_PLAYS,
    NO_DICE,
    RENDER_MODES,
    Mask,
    Observation,
    WholeSteps,
    action_mask,
    after,
    check_options,
    check_seed,
    check_start,
    listed,
    observation,
    observation_space,
    picture,
    pixels,
    play_index,
    throw,
    throw_opening,
)
from bgfast.position.objects import PlayList, Position
from bgfast.rules import STANDARD, RuleSetLike


class TwoAgents(WholeSteps, AECEnv):
    """Agents, spaces and selection of all environments of two agents."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": announced(RENDER_MODES),
        "render_fps": 1,
        "is_parallelizable": False,
    }

    def __init__(self, observations: Box, actions: Discrete[np.int64], render_mode: str | None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        mask = Box(0, 1, (int(actions.n),), np.int8)
        spaces = Dict({"observation": observations, "action_mask": mask})
        # Spaces have random generators, so agents do not share them.
        self.observation_spaces = {agent: deepcopy(spaces) for agent in self.possible_agents}
        self.action_spaces = {agent: deepcopy(actions) for agent in self.possible_agents}
        self._random: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations."""
        return cast("Dict", self.observation_spaces[self._checked(agent)])

    def action_space(self, agent: str) -> Discrete[np.int64]:
        """Return the space of an agent's actions."""
        return cast("Discrete[np.int64]", self.action_spaces[self._checked(agent)])

    def _checked(self, agent: Any) -> str:
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise BgfastError(f"agent is {shown(agent)}; expected {' or '.join(self.possible_agents)}")
        return agent

    def close(self) -> None:
        """Do nothing, since there is nothing to close."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game or match.

        Parameters
        ----------
        seed : int, optional
            Dice are the same for the same seed.
        options : dict, optional
            Not used.
        """
        seed = check_seed(seed)
        random = self._random
        if seed is not None or random is None:
            random, _ = seeding.np_random(seed)
            self._random = random
        with self._whole():
            self.agents = self.possible_agents[:]
            self.rewards = dict.fromkeys(self.agents, 0.0)
            self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
            self.terminations = dict.fromkeys(self.agents, False)
            self.truncations = dict.fromkeys(self.agents, False)
            self._begin(random)

    def step(self, action: Any) -> None:
        """Carry out an action of the selected agent; `action` is None when the game or match is over.

        Raises
        ------
        IllegalActionError
            If the action is illegal, `reset` was not called, or an exception interrupted the last step.
        """
        self._check_whole()
        if not self.agents:
            raise IllegalActionError("step: there are no agents; expected reset")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        index = self._legal(action)
        with self._whole():
            self._act(index)
            self._accumulate_rewards()

    def _end(self, rewards: Sequence[float]) -> None:
        """End the game or match with the rewards of both agents."""
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)

    def _select(self, player: int, successors: Successors) -> None:
        """Select the agent to act, with the successors of its position."""
        self.agent_selection = self.possible_agents[player]
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.infos[self.agent_selection]["successors"] = successors
        if self.render_mode == "human":
            print(self._text(), end="\n\n", flush=True)

    def _begin(self, random: np.random.Generator) -> None:
        """Begin a game or match with these dice, and select an agent."""
        raise NotImplementedError

    def _legal(self, action: Any) -> int:
        """Return a legal action as a number; raise `IllegalActionError` for others."""
        raise NotImplementedError

    def _act(self, action: int) -> None:
        """Carry out a legal action, and select the next agent."""
        raise NotImplementedError

    def _text(self) -> str:
        """Return the board as text."""
        raise NotImplementedError


class BackgammonAEC(TwoAgents):
    """Game of two agents, with one play per step, a `pettingzoo.AECEnv`.

    Parameters
    ----------
    rules : RuleSet, or the name of a preset
        There is no cube, and the Jacoby rule is ignored.
    start : Position, optional
        Starting position of games, from the side of ``"player_0"``; `Position.start` by default.
    max_plays : int
        As in `BackgammonEnv`.
    render_mode : {"human", "ansi", "rgb_array"}, optional
        As in `BackgammonEnv`; pixels have ``"player_0"`` as X, at the bottom.

    Raises
    ------
    BgfastError
        If an argument is invalid; `InvalidRulesError` for the rules, `InvalidPositionError` for the start.

    Notes
    -----
    `env` returns it with PettingZoo's usual wrappers; `raw_env` is this class. The agents are ``"player_0"``
    and ``"player_1"``; the opening roll decides who begins, and they take turns, passes included. An
    observation has

    * ``"observation"``: int8 of shape (28,), the board from the agent's side and the dice, 0 for the agent
      who is not on roll, and when the game is over;
    * ``"action_mask"``: int8 of shape (max_plays,), 1 for each legal play of the agent on roll.

    Actions, and ``infos[agent]["successors"]`` of the agent on roll, are those of `BackgammonEnv`. At the end
    the rewards are 1, 2 or 3 points for the winner, and their negative for the loser.

    Not thread-safe.

    Examples
    --------
    >>> from bgfast import environments
    >>> game = environments.env()
    >>> game.reset(seed=1)
    >>> for agent in game.agent_iter():
    ...     seen, reward, ended, _, info = game.last()
    ...     game.step(None if ended else 0)    # the first play of each list
    ...     if ended:
    ...         print(agent, reward)
    player_1 -1.0
    player_0 1.0
    """

    metadata = TwoAgents.metadata | {"name": "bgfast_backgammon_v0"}

    def __init__(
        self,
        *,
        rules: RuleSetLike = STANDARD,
        start: Position | None = None,
        max_plays: int = MAX_PLAYS,
        render_mode: str | None = None,
    ) -> None:
        rules = check_options(rules, max_plays, "error", render_mode)
        super().__init__(observation_space(), Discrete(max_plays), render_mode)
        self._rules = rules
        self._max_plays = max_plays
        self._on_roll = 0
        self._start = check_start(start)
        self._position = self._start  # the side of the player on roll
        self._dice: Roll = NO_DICE
        self._plays: PlayList | None = None  # of the roll; None when the game is over

    def _begin(self, random: np.random.Generator) -> None:
        beginner, roll = throw_opening(random, self._rules)
        self._to_play(beginner, self._start.flip() if beginner else self._start, roll)

    def _legal(self, action: Any) -> int:
        assert self._plays is not None
        index = play_index(action, self._plays, "error")
        assert index is not None
        return index

    def _act(self, action: int) -> None:
        assert self._plays is not None
        assert self._random is not None
        position = after(self._plays, action)
        following = other_player(self._on_roll)
        if position.phase == "over":
            points = float(win_level(position, self._rules))
            self._end((points, -points) if following else (-points, points))
            self._to_play(following, position, NO_DICE)
        else:
            self._to_play(following, position, throw(self._random))

    def observe(self, agent: str) -> dict[str, Observation | Mask]:
        """Return the observation of an agent."""
        on_roll = self._checked(agent) == self.possible_agents[self._on_roll]
        position = self._position if on_roll else self._position.flip()
        plays = 0 if self._plays is None or not on_roll else max(len(self._plays), 1)
        return {
            "observation": observation(position, self._dice if on_roll else NO_DICE),
            "action_mask": action_mask(plays, self._max_plays),
        }

    def render(self) -> str | Frame | None:
        """Return the board as text from the side of the agent on roll, who is X, or as pixels."""
        if self.render_mode == "rgb_array":
            return pixels(self._position, self._dice, PLAYER_NAMES[self._on_roll])
        return self._text() if self.render_mode == "ansi" else None

    def _text(self) -> str:
        return f"X: {self.possible_agents[self._on_roll]}\n{picture(self._position, self._dice)}"

    def _to_play(self, player: int, position: Position, roll: Roll) -> None:
        self._on_roll = player
        self._position = position
        self._dice = roll
        self._plays = position.plays(roll, self._rules) if any(roll) else None
        self._select(player, listed(self._plays, position))


raw_env = BackgammonAEC


def env(**options: Any) -> OrderEnforcingWrapper:
    """Return a `BackgammonAEC` with PettingZoo's usual wrappers.

    Parameters
    ----------
    **options
        Options of `BackgammonAEC`.

    Notes
    -----
    An illegal play is an `IllegalActionError`; with ``pettingzoo.utils.wrappers.TerminateIllegalWrapper`` it
    loses the game instead.

    Examples
    --------
    >>> from bgfast import environments
    >>> environments.env().possible_agents
    ['player_0', 'player_1']
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(**options)))
