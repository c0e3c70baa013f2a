"""One match against an opponent, with cube and score, for Gymnasium."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt

from bgfast.common.validation import whole_number
from bgfast.errors import IllegalActionError
from bgfast.evaluation.evaluators.evaluators import Evaluator, Random
from bgfast.games.scoring import other_player
from bgfast.learning.environments.frames import Frame, announced
from bgfast.learning.environments.ground import (
    MAX_PLAYS,
    RENDER_MODES,
    WORST,
    Observation,
    WholeSteps,
    check_options,
    check_seed,
    check_start,
)
from bgfast.learning.environments.match_ground import (
    LEARNER,
    MATCH_ACTIONS,
    check_length,
    match_action_space,
    match_observation_space,
)
from bgfast.learning.environments.match_opponent import MatchOpponent
from bgfast.learning.environments.numbered_match import NumberedMatch
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike


class BackgammonMatchEnv(WholeSteps, gymnasium.Env[Observation, np.int64]):
    """Match, or money game, with the cube against an opponent, a `gymnasium.Env`.

    Parameters
    ----------
    opponent : evaluator
        It makes its best play; `bgfast.evaluators.Random`, the default, plays at random. docs/ENVIRONMENTS.md
        describes its use of the cube. It never resigns.
    length : int, optional
        The points that win the match, 1 to 127; None, the default, is one game for money.
    rules : RuleSet, or the name of a preset
        Its switches `jacoby`, `beavers`, `automatic_doubles` and `cube_limit` apply as in `bgfast.Match`.
    start : Position, optional
        Where each game begins, from the learner's side; `Position.start` by default. Matches that end before
        the learner has a decision begin again.
    max_plays, illegal, render_mode
        As in `BackgammonEnv`. An illegal action that loses costs 1 in a match, and three times the cube in
        money play.

    Raises
    ------
    BgfastError
        If an argument is invalid (`InvalidRulesError` for the rules, `InvalidPositionError` for the start),
        or matplotlib is missing for pixels.

    Notes
    -----
    Registered as ``bgfast/BackgammonMatch-v0``. An **observation** is int8 of shape (35,): the 28 numbers of
    `BackgammonEnv`, then the exponent of the cube's value, its owner (1 the learner, -1 the opponent, 0
    nobody), the points that the learner and the opponent need (0 in money play), 1 for the Crawford game, the
    phase, an index into `MATCH_PHASES`, and the level of a pending resignation.

    An **action** below `max_plays` is a play, with the numbers of `BackgammonEnv`; action ``max_plays + i``
    is ``MATCH_ACTIONS[i]``. `info` has

    * ``"action_mask"``: int8 of shape (max_plays + 11,), 1 for each legal action;
    * ``"successors"``: as in `BackgammonEnv`; empty unless a play is due.

    The dice are rolled automatically where the learner may not double. A resignation is legal before a roll
    and a play. The next game of a match begins in the same step.

    The **reward** is 0 until the end, then 1 for a match won and -1 for a match lost; in money play the
    points, negative for a loss.

    Not thread-safe.

    Examples
    --------
    >>> from bgfast.environments import MATCH_ACTIONS, MATCH_PHASES, BackgammonMatchEnv
    >>> env = BackgammonMatchEnv(length=5)
    >>> seen, info = env.reset(seed=3)
    >>> MATCH_PHASES[seen[33]], seen[26:28], seen[28:33]
    ('to_play', array([5, 1], dtype=int8), array([0, 0, 5, 5, 0], dtype=int8))
    >>> seen, reward, ended, _, info = env.step(0)
    >>> [MATCH_ACTIONS[i] for i in info["action_mask"][3060:].nonzero()[0][:2]]
    ['roll', 'double']
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": announced(RENDER_MODES),
        "render_fps": 1,
    }

    def __init__(
        self,
        opponent: Evaluator = Random(),  # noqa: B008 - immutable
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        start: Position | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Literal["error", "lose"] = "error",
        render_mode: str | None = None,
    ) -> None:
        self._rules = check_options(rules, max_plays, illegal, render_mode)
        self._length = check_length(length)
        self._start = check_start(start)
        self.observation_space = match_observation_space()
        self.action_space = match_action_space(max_plays)
        self.render_mode = render_mode
        self._opponent = MatchOpponent(opponent, self._rules, self._length, self._start.checkers)
        self._max_plays = max_plays
        self._illegal: Literal["error", "lose"] = illegal
        self._match: NumberedMatch | None = None  # None before a match and after it

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match; return the learner's observation.

        Parameters
        ----------
        seed : int, optional
            Dice and random actions are the same for the same seed.
        options : dict, optional
            Not used.
        """
        super().reset(seed=check_seed(seed))
        self._match = None
        with self._whole():
            while self._match is None or self._match.is_over:
                self._match = NumberedMatch(
                    self._length, self._rules, self._start, self._max_plays, self.np_random
                )
                self._let_opponent_act(self._match)
            return self._observation_and_info(self._match)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action, and let the opponent act until the next decision of the learner.

        Raises
        ------
        IllegalActionError
            If the action is illegal, there is no match, or an exception interrupted the last step.
        """
        self._check_whole()
        match = self._match
        if match is None or match.is_over:
            raise IllegalActionError("step: there is no match, or it is over; expected reset")
        is_legal = match.is_legal(action)
        if not is_legal and (self._illegal == "error" or whole_number(action) is None):
            raise match.refused(action)
        with self._whole():
            if is_legal:
                match.act(action)
            else:
                match.lose(LEARNER, -WORST * match.match.cube.value)
            self._let_opponent_act(match)
            observation, info = self._observation_and_info(match)
            return observation, match.reward(LEARNER), match.is_over, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the action mask as bools, as MaskablePPO of sb3-contrib needs it.

        Returns
        -------
        ndarray of bool, shape (max_plays + 11,)
            As ``info["action_mask"]``. Before a match, after it and after an interrupted step nothing is
            legal.
        """
        if self._match is None or self._is_interrupted:
            return np.zeros(self._max_plays + len(MATCH_ACTIONS), np.bool_)
        return self._match.action_mask(LEARNER).view(np.bool_)

    def render(self) -> str | Frame | None:
        """Return the board as text or pixels from the learner's side; None for the mode ``"human"``."""
        if self._match is None or self.render_mode is None:
            return None
        if self.render_mode == "rgb_array":
            return self._match.pixels()
        return self._match.text() if self.render_mode == "ansi" else None

    def _let_opponent_act(self, match: NumberedMatch) -> None:
        """Let the opponent act until the learner is to act or the match is over."""
        opponent = other_player(LEARNER)
        while not match.is_over and match.player == opponent:
            if match.plays is not None:
                action = self._opponent.index(match.plays, self.np_random)
            else:
                observation = match.observation(opponent)[None]
                action = self._max_plays + int(self._opponent.names(observation, self.np_random)[0])
            match.act(action)

    def _observation_and_info(self, match: NumberedMatch) -> tuple[Observation, dict[str, Any]]:
        if self.render_mode == "human":
            print(match.text(), end="\n\n", flush=True)
        info = {"action_mask": match.action_mask(LEARNER), "successors": match.successors()}
        return match.observation(LEARNER), info
