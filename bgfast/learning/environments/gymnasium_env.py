"""Game against an opponent, for Gymnasium."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from bgfast.common.vocabulary import Roll
from bgfast.errors import IllegalActionError
from bgfast.evaluation.evaluators.evaluators import Evaluator, Random
from bgfast.games.scoring import win_level
from bgfast.learning.environments.frames import Frame, announced
from bgfast.learning.environments.ground import (
    MAX_PLAYS,
    NO_DICE,
    RENDER_MODES,
    WORST,
    Observation,
    OpponentPolicy,
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


class BackgammonEnv(WholeSteps, gymnasium.Env[Observation, np.int64]):
    """Game against an opponent, with one play per step, a `gymnasium.Env`.

    Parameters
    ----------
    opponent : evaluator
        It makes its best play; `bgfast.evaluators.Random`, the default, plays at random.
    rules : RuleSet, or the name of a preset
        There is no cube, and the Jacoby rule is ignored.
    start : Position, optional
        Starting position of games, from the learner's side; `Position.start` by default. Games that the
        opponent wins with its opening play begin again.
    max_plays : int
        Number of actions. 3,060 are enough for any roll; with fewer, a roll with more plays is an error.
    illegal : {"error", "lose"}
        Effect of an illegal action: raise `IllegalActionError`, or lose the game with the reward -3. Checkers
        of environments try such actions.
    render_mode : {"human", "ansi", "rgb_array"}, optional
        ``"human"`` prints the board at each step. `render` returns text for ``"ansi"``, and pixels for
        ``"rgb_array"``, uint8 of shape (532, 620, 3), which needs the extra ``plot``.

    Raises
    ------
    BgfastError
        If an argument is invalid (`InvalidRulesError` for the rules, `InvalidPositionError` for the start),
        or matplotlib is missing for pixels.

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
    opening roll decides who begins.

    Not thread-safe.

    Examples
    --------
    >>> from bgfast.environments import BackgammonEnv
    >>> env = BackgammonEnv()
    >>> board, info = env.reset(seed=1)
    >>> board[26:], len(info["successors"].boards)
    (array([5, 4], dtype=int8), 13)
    >>> _, reward, ended, _, info = env.step(0)
    >>> reward, ended
    (0.0, False)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": announced(RENDER_MODES),
        "render_fps": 1,
    }

    def __init__(
        self,
        opponent: Evaluator = Random(),  # noqa: B008 - immutable
        *,
        rules: RuleSetLike = STANDARD,
        start: Position | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Literal["error", "lose"] = "error",
        render_mode: str | None = None,
    ) -> None:
        rules = check_options(rules, max_plays, illegal, render_mode)
        self.observation_space = observation_space()
        self.action_space = Discrete(max_plays)
        self.render_mode = render_mode
        self._start = check_start(start)
        self._opponent = OpponentPolicy(opponent, rules, self._start.checkers)
        self._rules = rules
        self._max_plays = max_plays
        self._illegal: Literal["error", "lose"] = illegal
        self._position = self._start  # the learner's side
        self._dice: Roll = NO_DICE
        self._plays: PlayList | None = None  # of the roll; None before a game and after it

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; return the learner's observation.

        Parameters
        ----------
        seed : int, optional
            Dice and random plays are the same for the same seed.
        options : dict, optional
            Not used.
        """
        super().reset(seed=check_seed(seed))
        with self._whole():
            self._to_play(self._opening())
            return self._observation_and_info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make a play, and let the opponent answer.

        Raises
        ------
        IllegalActionError
            If the action is illegal, there is no game, or an exception interrupted the last step.
        """
        self._check_whole()
        if self._plays is None:
            raise IllegalActionError("step: there is no game, or it is over; expected reset")
        index = play_index(action, self._plays, self._illegal)
        with self._whole():
            points = WORST if index is None else self._played(after(self._plays, index))
            if points:
                self._dice, self._plays = NO_DICE, None
            else:
                self._to_play(throw(self.np_random))
            board, info = self._observation_and_info()
            return board, float(points), points != 0, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the action mask as bools, as MaskablePPO of sb3-contrib needs it.

        Returns
        -------
        ndarray of bool, shape (max_plays,)
            As ``info["action_mask"]``. Before a game, after it and after an interrupted step nothing is
            legal.
        """
        plays = 0 if self._plays is None or self._is_interrupted else max(1, len(self._plays))
        return action_mask(plays, self._max_plays).view(np.bool_)

    def render(self) -> str | Frame | None:
        """Return the board as text or pixels from the learner's side; None for the mode ``"human"``."""
        if self.render_mode == "rgb_array":
            return pixels(self._position, self._dice)
        return picture(self._position, self._dice) if self.render_mode == "ansi" else None

    def _opening(self) -> Roll:
        """Begin a game that the learner has a part in; return the learner's first roll."""
        while True:
            beginner, roll = throw_opening(self.np_random, self._rules)
            self._position = self._start
            if beginner == 0:
                return roll
            self._position = self._opponent.position(self._start.flip(), roll, self.np_random)
            if self._position.phase != "over":
                return throw(self.np_random)

    def _played(self, position: Position) -> int:
        """Let the opponent play; return the learner's points, 0 if the game continues."""
        if position.phase == "over":
            self._position = position.flip()
            return win_level(position, self._rules)
        self._position = self._opponent.position(position, throw(self.np_random), self.np_random)
        return -win_level(self._position, self._rules) if self._position.phase == "over" else 0

    def _to_play(self, roll: Roll) -> None:
        self._dice = roll
        self._plays = self._position.plays(roll, self._rules)

    def _observation_and_info(self) -> tuple[Observation, dict[str, Any]]:
        successors = listed(self._plays, self._position)
        mask = action_mask(len(successors.boards), self._max_plays)
        if self.render_mode == "human":
            print(picture(self._position, self._dice), end="\n\n", flush=True)
        return observation(self._position, self._dice), {"action_mask": mask, "successors": successors}
