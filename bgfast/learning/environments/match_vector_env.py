"""Batches of matches against an opponent, with cube and score, for Gymnasium."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bgfast.batch._ordered_fill import Fill
from bgfast.batch._random import RandomChoice
from bgfast.batch.successors import WIN_SCHEMES, successors
from bgfast.common.vocabulary import BOARD_SIZE, Boards
from bgfast.errors import IllegalActionError
from bgfast.evaluation.evaluators.evaluators import Evaluator, Random
from bgfast.games.scoring import MAX_CUBE_VALUE, other_player
from bgfast.learning.environments._games import (
    CUBE,
    MATCH_COLUMNS,
    MATCH_OBSERVED,
    PHASE,
    act,
    begin,
    illegal,
    mark_names,
    observe,
    rolled,
    spread,
    waiting,
)
from bgfast.learning.environments.frames import Frame, frame
from bgfast.learning.environments.ground import MAX_PLAYS, WORST, Actions, Observation, filled
from bgfast.learning.environments.match_ground import (
    LEARNER,
    MATCH_ACTIONS,
    OVER,
    check_length,
    match_action_space,
    match_observation_space,
    shown_decision,
)
from bgfast.learning.environments.match_opponent import MatchOpponent
from bgfast.learning.environments.numbered_match import illegal_action
from bgfast.learning.environments.vector_env import Flags, Indices, Rewards, VectorGames
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

OPPONENT = other_player(LEARNER)


class BackgammonMatchVectorEnv(VectorGames):
    """Batch of matches, or money games, with the cube, a `gymnasium.vector.VectorEnv`.

    Parameters
    ----------
    num_envs : int
        Number of matches.
    opponent, length, rules, start, max_plays, illegal
        As in `BackgammonMatchEnv`.
    threads, copy, render_mode
        As in `BackgammonVectorEnv`.

    Raises
    ------
    BgfastError
        If an argument is invalid; `InvalidRulesError` for the rules, `InvalidPositionError` for the start.

    Notes
    -----
    Registered for ``gymnasium.make_vec("bgfast/BackgammonMatch-v0", num_envs)``. Observations are int8 of
    shape (num_envs, 35), each as in `BackgammonMatchEnv`, and so are actions and rewards. In `info`,
    ``"action_mask"`` has shape (num_envs, max_plays + 11), and ``"successors"`` is one `bgfast.Successors`
    with a segment for each match, **the opponent on roll** in all boards; it is empty where no play is to be
    made.

    A match that has ended begins again in the same step (``AutoresetMode.SAME_STEP``), with ``"final_obs"``
    and ``"_final_obs"`` in `info` as in `BackgammonVectorEnv`.

    Not thread-safe.

    Examples
    --------
    >>> import numpy as np
    >>> from bgfast.environments import MATCH_ACTIONS, MATCH_PHASES, BackgammonMatchVectorEnv
    >>> matches = BackgammonMatchVectorEnv(1000, length=3)
    >>> seen, info = matches.reset(seed=1)
    >>> seen.shape, info["action_mask"].shape
    ((1000, 35), (1000, 3071))
    >>> to_roll = seen[:, 33] == MATCH_PHASES.index("to_roll")
    >>> actions = np.where(to_roll, 3060 + MATCH_ACTIONS.index("roll"), 0)
    >>> seen, rewards, ended, _, info = matches.step(actions)
    >>> rewards.shape, int(ended.sum())
    ((1000,), 0)
    """

    _noun, _plural = "match", "matches"

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Evaluator = Random(),  # noqa: B008 - immutable
        *,
        length: int | None = None,
        rules: RuleSetLike = STANDARD,
        start: Position | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Literal["error", "lose"] = "error",
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        self._length = check_length(length)
        super().__init__(num_envs, rules, start, max_plays, illegal, threads, copy, render_mode)
        self._set_spaces(match_observation_space(), match_action_space(max_plays))
        self._opponent = MatchOpponent(opponent, self._rules, self._length, self._start.checkers)
        self._terms = _terms(self._length, self._rules, self._start.checkers)
        self._starts = np.stack([self._start.to_array(), self._start.flip().to_array()])
        self._illegal_actions = np.empty(self.num_envs, np.int8)  # of the last step, 1 for illegal ones
        self._matches = np.zeros((self.num_envs, MATCH_COLUMNS), np.int8)

    def _begin(self, rows: Indices) -> None:
        while len(rows):  # again where a match ends before the learner has a decision
            begin(self._terms, self._starts, rows, self._next_seed(), self._matches)
            self._let_opponent_act(rows, np.zeros(self.num_envs))
            rows = rows[self._matches[rows, PHASE] == OVER]

    def _first_illegal(self, numbers: Actions) -> int:
        return int(
            illegal(
                self._terms, self._max_plays, self._offsets, numbers, self._matches, self._illegal_actions
            )
        )

    def _advance(self, numbers: Actions, *, is_legal: bool) -> tuple[Rewards, Flags]:
        rewards = np.zeros(self.num_envs)
        rows, places = self._rows, self._offsets[:-1] + numbers
        if not is_legal:
            self._end_illegal(np.flatnonzero(self._illegal_actions), rewards)
            rows = np.flatnonzero(self._illegal_actions == 0)
            numbers, places = numbers[rows], places[rows]
        self._act(rows, numbers, self._room, places, rewards)
        self._let_opponent_act(rows, rewards)
        return rewards, self._matches[:, PHASE] == OVER

    def render(self) -> tuple[str | Frame, ...] | None:
        """Return the boards as text or pixels, from the learner's side."""
        if self.render_mode is None:
            return None
        decisions = [
            shown_decision(observation, self._length, self._rules, self._start.checkers)
            for observation in self._observe_all()
        ]
        if self.render_mode == "rgb_array":
            return tuple(frame(decision._diagram()) for decision in decisions)
        return tuple(map(str, decisions))

    # ---------------------------------------------------------------- actions

    def _refused(self, first: int, number: int) -> IllegalActionError:
        legal = self._mask[first, self._max_plays :]
        names = tuple(name for name, is_legal in zip(MATCH_ACTIONS, legal, strict=True) if is_legal)
        return illegal_action(f"match {first}: ", number, self._max_plays, int(self._marked[first]), names)

    def _end_illegal(self, rows: Indices, rewards: Rewards) -> None:
        """End matches in which the learner's action was illegal."""
        cubes = np.left_shift(1, self._matches[rows, CUBE].astype(np.int64))
        rewards[rows] = -1 if self._length else WORST * cubes
        self._matches[rows, PHASE] = OVER

    def _act(
        self, rows: Indices, numbers: Actions, boards: Boards, places: Indices, rewards: Rewards
    ) -> None:
        """Carry out legal actions; plays lead to the boards at `places`."""
        act(
            self._terms,
            self._starts,
            rows,
            numbers,
            self._max_plays,
            boards,
            places,
            self._next_seed(),
            self._matches,
            rewards,
        )

    def _let_opponent_act(self, rows: Indices, rewards: Rewards) -> None:
        """Let the opponent act in matches until they are over or the learner is to act."""
        to_play, others = self._waiting_for(OPPONENT, rows)
        while len(to_play) or len(others):
            if len(others):
                # Most of these actions are rolls; their plays join those of earlier rolls.
                names = self._opponent.names(self._observations(others, OPPONENT), self.np_random)
                self._act(others, self._max_plays + names, self._room, others, rewards)
                rows = np.concatenate((to_play, others))
            else:
                rows = to_play
                numbers = np.zeros(len(rows), np.int64)
                self._act(rows, numbers, self._opponent_plays(rows), self._rows[: len(rows)], rewards)
            to_play, others = self._waiting_for(OPPONENT, rows)

    def _waiting_for(self, player: int, rows: Indices) -> tuple[Indices, Indices]:
        """Return the matches in which a player is to play, and those with another decision."""
        to_play, others = np.empty((2, len(rows)), np.int64)
        play_count, other_count = waiting(player, rows, self._matches, to_play, others)
        return to_play[:play_count], others[:other_count]

    def _opponent_plays(self, rows: Indices) -> Boards:
        """Return the boards after the opponent's plays, from the learner's side."""
        boards, dice = self._boards_and_dice(rows)
        if self._opponent.policy is None:
            choice = RandomChoice(self._switches, boards, dice, self._next_seed(), True, self._threads)
            choice.into(boards, None)
            return boards
        plays = successors(boards, dice, rules=self._rules, flip=True, passes="keep", threads=self._threads)
        return np.ascontiguousarray(plays.boards[self._opponent.policy.best(plays)])

    def _boards_and_dice(self, rows: Indices) -> tuple[Boards, Boards]:
        boards, dice = np.empty((len(rows), BOARD_SIZE), np.int8), np.empty((len(rows), 2), np.int8)
        rolled(rows, self._matches, boards, dice)
        return boards, dice

    # ---------------------------------------------------------------- observations

    def _observations(self, rows: Indices, player: int = LEARNER) -> Observation:
        observations = np.empty((len(rows), MATCH_OBSERVED), np.int8)
        observe(player, rows, self._matches, observations)
        return observations

    def _observe_all(self) -> Observation:
        return self._observations(self._rows)

    def _mark_other_actions(self) -> None:
        mark_names(self._terms, self._max_plays, self._matches, self._mask)

    def _generate(self) -> Boards:
        """Return the successors of all matches; segments of matches without a play are empty."""
        rows, _ = self._waiting_for(LEARNER, self._rows)
        boards, dice = self._boards_and_dice(rows)
        offsets = np.zeros(len(rows) + 1, np.int64)
        fill = Fill(self._switches, boards, dice, True, True, False, self._threads)
        self._room = filled(fill, offsets, self._room)
        spread(rows, offsets, self._offsets)
        return self._room[: fill.total]


def _terms(length: int, rules: RuleSet, checkers: int) -> Indices:
    """Return the rules as numbers for `_games`."""
    cube_limit = (rules.cube_limit or MAX_CUBE_VALUE).bit_length() - 1
    return np.array(
        [
            length,
            rules.jacoby,
            rules.beavers,
            min(cube_limit, MAX_CUBE_VALUE.bit_length() - 1),
            min(rules.automatic_doubles, MAX_CUBE_VALUE),
            rules.opening == "colour_lot",
            WIN_SCHEMES[rules.win_scheme],
            checkers,
        ],
        np.int64,
    )
