"""Games and matches against an opponent, single or in a batch, for Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import PositionLike
from bgfast.errors import IllegalActionError
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, Random
from bgfast.learning.environments._lockstep import MAX_PLAYS
from bgfast.learning.environments.frames import Frame, available_modes
from bgfast.learning.environments.lockstep import (
    LEARNER,
    RENDER_MODES,
    VECTOR_MODES,
    Actions,
    Illegal,
    Lockstep,
    Rewards,
    validate_length,
    validate_seed,
)
from bgfast.learning.environments.opponent_policy import Observation
from bgfast.rules import STANDARD, RuleSetLike

Flags = npt.NDArray[np.bool_]


class SingleEnv(gymnasium.Env[Observation, np.int64]):
    """Game or match against an opponent: a batch of one that does not restart by itself."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": available_modes(RENDER_MODES),
        "render_fps": 1,
    }

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._games = games = Lockstep(*arguments, **options)
        self.render_mode = games.render_mode
        self.observation_space = games.observation_space()
        self.action_space = games.action_space()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game or match; return the learner's observation.

        Dice and random actions are the same for the same `seed`. `options` are not used.
        """
        super().reset(seed=validate_seed(seed))
        with self._games.track_interruption():
            self._games.restart(self.np_random)
            return self._observation_and_info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action, and let the opponent act until the next decision of the learner.

        `IllegalActionError` is raised if the action is illegal, there is no game or match, or an exception
        interrupted the last step.
        """
        games = self._games
        games.check_not_interrupted()
        if games.is_over():
            raise IllegalActionError(f"step: there is no {games.noun}, or it is over; expected reset")
        actions = games.validate_action(action)
        with games.track_interruption():
            rewards = games.step(actions)
            observation, info = self._observation_and_info()
            return observation, float(rewards[0]), games.is_over(), False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bools, shape (actions,), for MaskablePPO of sb3-contrib.

        No action is legal before or after a game or match, or after an interrupted step.
        """
        mask = self._games.table.mask[0].view(np.bool_)
        return np.zeros_like(mask) if self._games.is_interrupted else mask.copy()

    def render(self) -> str | Frame | None:
        """Return the board as text or pixels from the learner's side; None for the mode ``"human"``."""
        return self._games.render()

    def _observation_and_info(self) -> tuple[Observation, dict[str, Any]]:
        info = self._games.list_plays()
        self._games.show()
        return self._games.table.observe(LEARNER)[0], info | {"action_mask": info["action_mask"][0]}


class BackgammonEnv(SingleEnv):
    """Game against an opponent, with one play per step, a `gymnasium.Env`.

    Parameters
    ----------
    opponent : evaluator
        It makes its best play; `bgfast.evaluators.Random`, the default, plays at random.
    rules : RuleSet, or the name of a preset
        There is no cube, and the Jacoby rule is ignored.
    start : Position, text, or board of 26 numbers, optional
        Starting position of games, from the learner's side; `Position.start` by default. Games that the
        opponent wins with its opening play begin again.
    max_plays : int
        Number of actions. 3,060 are enough for any roll; with fewer, a roll with more plays is an error.
    illegal : {"error", "lose"}
        Effect of an illegal action: raise `IllegalActionError`, or lose the game with the reward -3.
        ``"lose"`` suits Gymnasium's `check_env`, which samples actions without the mask.
    render_mode : {"human", "ansi", "rgb_array"}, optional
        ``"human"`` prints the board at each step. `render` returns text for ``"ansi"``, and pixels for
        ``"rgb_array"``, uint8 of shape (532, 620, 3), which needs the extra ``plot``.

    Raises
    ------
    BgfastError
        If an argument is invalid (`InvalidRulesError` for the rules, `InvalidPositionError` for the start),
        or matplotlib is missing for pixels.

    See Also
    --------
    BackgammonVectorEnv : Batch of games.
    BackgammonMatchEnv : Game or match with the cube.
    BackgammonAEC : Game of two agents.

    Notes
    -----
    Registered as ``bgfast/Backgammon-v0``. An **observation** is int8 of shape (28,): the board, 26 numbers
    from the learner's side, then the learner's two dice, 0 when the game is over.

    An **action** is the index of a play in `Position.plays`; without a legal play, action 0 is the pass.
    `info` has

    * ``"action_mask"``: int8 of shape (max_plays,), 1 for each legal play;
    * ``"successors"``: a `bgfast.Successors` with one segment, whose ``boards``, (n, 26), are the positions
      after the plays **with the opponent on roll**, as for evaluators: the best play has the lowest equity.

    The **reward** is 0 until the game ends, then 1, 2 or 3 points, negative if the learner has lost. The
    opening roll decides who begins. No environment is thread-safe.

    Examples
    --------
    >>> from bgfast.environments import BackgammonEnv
    >>> env = BackgammonEnv()
    >>> board, info = env.reset(seed=1)
    >>> board[26:], len(info["successors"].boards)
    (array([3, 2], dtype=int8), 18)
    >>> _, reward, ended, _, info = env.step(0)
    >>> reward, ended
    (0.0, False)
    """

    @names_arguments
    def __init__(
        self,
        opponent: EvaluatorLike = Random(),  # noqa: B008 - immutable
        *,
        rules: RuleSetLike = STANDARD,
        start: PositionLike | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Illegal = "error",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(1, None, rules, start, max_plays, render_mode, illegal=illegal, opponent=opponent)


class BackgammonMatchEnv(SingleEnv):
    """Match, or money game, with the cube against an opponent, a `gymnasium.Env`.

    Parameters
    ----------
    opponent : evaluator
        It makes its best play; `bgfast.evaluators.Random`, the default, plays at random. docs/ENVIRONMENTS.md
        describes its use of the cube. It never resigns.
    length : int, optional
        Match length in points, 1 to 127; None, the default, is one game for money.
    rules : RuleSet, or the name of a preset
        Its switches `jacoby`, `beavers`, `automatic_doubles` and `cube_limit` apply as in `bgfast.Match`.
    start : Position, text, or board of 26 numbers, optional
        Starting position of games, from the learner's side; `Position.start` by default. Matches that end
        before the learner has a decision begin again.
    max_plays, illegal, render_mode
        As in `BackgammonEnv`. With ``illegal="lose"``, an illegal action costs 1 in a match, and three times
        the cube in money play.

    See Also
    --------
    BackgammonMatchVectorEnv : Batch of matches.
    BackgammonMatchAEC : Match of two agents.

    Notes
    -----
    Raises the same errors as `BackgammonEnv`. Registered as ``bgfast/BackgammonMatch-v0``. An **observation**
    is int8 of shape (35,): the 28 numbers of `BackgammonEnv`, then the exponent of the cube's value, its
    owner (1 the learner, -1 the opponent, 0 nobody), the points that the learner and the opponent need (0 in
    money play), 1 for the Crawford game, the phase (index into `MATCH_PHASES`), and the level of a pending
    resignation.

    An **action** below `max_plays` is a play, as in `BackgammonEnv`; action ``max_plays + i`` is
    ``MATCH_ACTIONS[i]``. `info` has

    * ``"action_mask"``: int8 of shape (max_plays + 11,), 1 for each legal action;
    * ``"successors"``: as in `BackgammonEnv`; empty unless a play is due.

    The dice are rolled automatically where the learner may not double. Resignations are legal before a roll
    or a play. The next game of a match begins in the step that ends the previous one.

    The **reward** is 0 until the end, then 1 for a match won and -1 for a match lost; in money play it is the
    points, negative for a loss.

    Examples
    --------
    >>> from bgfast.environments import MATCH_ACTIONS, MATCH_PHASES, BackgammonMatchEnv
    >>> env = BackgammonMatchEnv(length=5)
    >>> observation, info = env.reset(seed=3)
    >>> MATCH_PHASES[observation[33]], observation[26:28], observation[28:33]
    ('to_play', array([5, 1], dtype=int8), array([0, 0, 5, 5, 0], dtype=int8))
    >>> observation, reward, ended, _, info = env.step(0)
    >>> [MATCH_ACTIONS[i] for i in info["action_mask"][3060:].nonzero()[0][:2]]
    ['roll', 'double']
    """

    @names_arguments
    def __init__(
        self,
        opponent: EvaluatorLike = Random(),  # noqa: B008 - immutable
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        start: PositionLike | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Illegal = "error",
        render_mode: str | None = None,
    ) -> None:
        arguments = 1, validate_length(length), rules, start, max_plays, render_mode
        super().__init__(*arguments, illegal=illegal, opponent=opponent)


class BatchEnv(VectorEnv[Observation, Actions, npt.NDArray[Any]]):
    """Batch of games or matches against an opponent, which restart in the step that ends them."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": available_modes(VECTOR_MODES),
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._games = games = Lockstep(*arguments, **options)
        self.num_envs = games.count
        self.render_mode = games.render_mode
        self.single_observation_space = games.observation_space()
        self.single_action_space = games.action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games or matches; return the learner's observations.

        Dice and random actions are the same for the same `seed`, a single number. `options` are not used.
        """
        super().reset(seed=validate_seed(seed))
        with self._games.track_interruption():
            self._games.restart(self.np_random)
            return self._games.table.observe(LEARNER), self._games.list_plays()

    def step(self, actions: Any) -> tuple[Observation, Rewards, Flags, Flags, dict[str, Any]]:
        """Carry out an action in each game or match, and let the opponent act until the learner's turn.

        `IllegalActionError` is raised if an action is illegal (the message names the first game or match),
        `reset` was not called, or an exception interrupted the last step; `BgfastError` if the number of
        actions is wrong.
        """
        games = self._games
        games.check_not_interrupted()
        if games.is_over():
            plural = "matches" if games.has_cube else "games"
            raise IllegalActionError(f"step: there are no {plural}; expected reset")
        indices = games.validate_actions(actions)
        with games.track_interruption():
            rewards = games.step(indices)
            is_over = rewards != 0
            info: dict[str, Any] = {}
            if games.table.ended:
                final_observations = games.table.observe(LEARNER)
                final_observations[~is_over] = 0
                info = {"final_obs": final_observations, "_final_obs": is_over.copy()}
                games.begin(np.flatnonzero(is_over))
            is_truncated = np.zeros(self.num_envs, np.bool_)
            return games.table.observe(LEARNER), rewards, is_over, is_truncated, games.list_plays() | info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return ``info["action_mask"]`` as bools, shape (num_envs, actions)."""
        mask = self._games.table.mask
        return (mask.copy() if self._games.copy else mask).view(np.bool_)

    def render(self) -> tuple[str | Frame, ...] | None:
        """Return the boards as text or pixels, from the learner's side."""
        if self.render_mode is None or not self._games.has_begun:
            self._games.render()  # warns if there is no render mode
            return None
        return tuple(map(self._games.render, range(self.num_envs)))


class BackgammonVectorEnv(BatchEnv):
    """Batch of games against an opponent, a `gymnasium.vector.VectorEnv`.

    Parameters
    ----------
    num_envs : int
        Number of games.
    opponent, rules, start, max_plays, illegal
        As in `BackgammonEnv`.
    threads : int
        Number of threads; it does not change the results.
    copy : bool
        False is faster: the next step overwrites the action mask and the successors in `info`. Observations,
        rewards and flags are always copies.
    render_mode : {"ansi", "rgb_array"}, optional
        `render` returns the boards as text or pixels, as in `BackgammonEnv`.

    See Also
    --------
    BackgammonMatchVectorEnv : Batch of matches with the cube.

    Notes
    -----
    Raises the same errors as `BackgammonEnv`. Registered for ``gymnasium.make_vec("bgfast/Backgammon-v0",
    num_envs)``. Observations, int8 of shape (num_envs, 28), actions and rewards are as in `BackgammonEnv`. In
    `info`, ``"action_mask"`` has shape (num_envs, max_plays), and ``"successors"`` is one `bgfast.Successors`
    with a segment for each game and **the opponent on roll** in all boards; no segment is empty.

    An ended game is replaced in the same step (``AutoresetMode.SAME_STEP``): the observation belongs to the
    new game, the reward to the old game. `info` then has ``"final_obs"``, the last observations of the games
    that ``"_final_obs"`` marks as ended; rows of other games are 0.

    Examples
    --------
    >>> import numpy as np
    >>> import bgfast
    >>> from bgfast.environments import BackgammonVectorEnv
    >>> games = BackgammonVectorEnv(1000, opponent="pip-count")
    >>> boards, info = games.reset(seed=1)
    >>> boards.shape, info["action_mask"].shape
    ((1000, 28), (1000, 3060))
    >>> plays = info["successors"]
    >>> rows = bgfast.best_rows(bgfast.evaluators.Pubeval()(plays.boards), plays.offsets, best="min")
    >>> boards, rewards, ended, _, info = games.step(rows - plays.offsets[:-1])
    >>> rewards.shape, int(ended.sum())
    ((1000,), 0)
    """

    @names_arguments
    def __init__(
        self,
        num_envs: int = 1,
        opponent: EvaluatorLike = Random(),  # noqa: B008 - immutable
        *,
        rules: RuleSetLike = STANDARD,
        start: PositionLike | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Illegal = "error",
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        options: Any = {"illegal": illegal, "opponent": opponent, "threads": threads, "copy": copy}
        super().__init__(num_envs, None, rules, start, max_plays, render_mode, is_batch=True, **options)


class BackgammonMatchVectorEnv(BatchEnv):
    """Batch of matches, or money games, with the cube, a `gymnasium.vector.VectorEnv`.

    Parameters and errors are as in `BackgammonMatchEnv` and `BackgammonVectorEnv`.

    Notes
    -----
    Registered for ``gymnasium.make_vec("bgfast/BackgammonMatch-v0", num_envs)``. Observations, int8 of shape
    (num_envs, 35), actions and rewards are as in `BackgammonMatchEnv`; `info` and the replacement of ended
    matches are as in `BackgammonVectorEnv`. The mask has shape (num_envs, max_plays + 11), and the segment of
    a match without a play to make is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from bgfast.environments import MATCH_ACTIONS, MATCH_PHASES, BackgammonMatchVectorEnv
    >>> matches = BackgammonMatchVectorEnv(1000, length=3)
    >>> observations, info = matches.reset(seed=1)
    >>> observations.shape, info["action_mask"].shape
    ((1000, 35), (1000, 3071))
    >>> to_roll = observations[:, 33] == MATCH_PHASES.index("to_roll")
    >>> actions = np.where(to_roll, 3060 + MATCH_ACTIONS.index("roll"), 0)
    >>> observations, rewards, ended, _, info = matches.step(actions)
    >>> rewards.shape, int(ended.sum())
    ((1000,), 0)
    """

    @names_arguments
    def __init__(
        self,
        num_envs: int = 1,
        opponent: EvaluatorLike = Random(),  # noqa: B008 - immutable
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        start: PositionLike | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Illegal = "error",
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        arguments = num_envs, validate_length(length), rules, start, max_plays, render_mode
        options: Any = {"illegal": illegal, "opponent": opponent, "threads": threads, "copy": copy}
        super().__init__(*arguments, is_batch=True, **options)
