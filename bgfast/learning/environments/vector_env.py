"""Batches of games against an opponent, for Gymnasium; a step is a few batch calls."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bgfast.batch._ordered_fill import Fill
from bgfast.batch._random import RandomChoice, fill_dice
from bgfast.batch._successors import write_results
from bgfast.batch.random_dice import random_dice
from bgfast.batch.successors import WIN_SCHEMES, Successors, flip, successors
from bgfast.batch.validation import MAX_ROWS
from bgfast.common.validation import bounded_number, flag, generated_switches, thread_count
from bgfast.common.vocabulary import BOARD_SIZE, Boards
from bgfast.errors import IllegalActionError
from bgfast.evaluation.evaluators.evaluators import Evaluator, Random
from bgfast.learning.environments._games import choose, join_dice, mark
from bgfast.learning.environments.frames import Frame, announced
from bgfast.learning.environments.ground import (
    MAX_PLAYS,
    OBSERVED,
    WORST,
    Actions,
    Observation,
    OpponentPolicy,
    WholeSteps,
    action_numbers,
    check_options,
    check_seed,
    check_start,
    filled,
    observation_space,
    picture,
    pixels,
    refused,
    too_many_plays,
)
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike

Dice = npt.NDArray[np.int8]
Indices = npt.NDArray[np.int64]
Rewards = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MODES = ("ansi", "rgb_array")  # render modes

OPENINGS = 256
"""Minimum number of games begun in a call; a step uses only a few."""


class VectorGames(WholeSteps, VectorEnv[Observation, Actions, npt.NDArray[Any]]):
    """State and successors of all vector environments.

    A subclass calls `_set_spaces` and defines `_begin`, `_advance`, `_observe_all` and `_generate`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base
        "render_modes": announced(MODES),
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    _noun, _plural = "game", "games"

    def __init__(
        self,
        num_envs: int,
        rules: RuleSetLike,
        start: Position | None,
        max_plays: int,
        illegal: Literal["error", "lose"],
        threads: int,
        copy: bool,
        render_mode: str | None,
    ) -> None:
        self._rules = check_options(rules, max_plays, illegal, render_mode, MODES)
        number = bounded_number("num_envs", num_envs, MAX_ROWS, 1)
        self.num_envs = number
        self.render_mode = render_mode
        self._start = check_start(start)
        self._switches = generated_switches(self._rules)
        self._max_plays = max_plays
        self._illegal: Literal["error", "lose"] = illegal
        self._threads = thread_count(threads)
        self._copy = flag("copy", copy)
        self._rows = np.arange(number)
        self._seed = 0  # of the next random call
        self._is_running = False
        # Successors. Callers get a copy of the offsets, as they translate actions.
        self._room = np.empty((1, BOARD_SIZE), np.int8)
        self._offsets = np.zeros(number + 1, np.int64)
        self._marked = np.zeros(number, np.int64)  # number of plays in each mask

    def _set_spaces(self, observations: Box, actions: Discrete[np.int64]) -> None:
        self.single_observation_space = observations
        self.single_action_space = actions
        self.observation_space = batch_space(observations, self.num_envs)
        self.action_space = batch_space(actions, self.num_envs)
        self._mask = np.zeros((self.num_envs, int(actions.n)), np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin all games or matches; return the learner's observations.

        Parameters
        ----------
        seed : int, optional
            A single number. Dice and random actions are the same for the same seed.
        options : dict, optional
            Not used.
        """
        super().reset(seed=check_seed(seed))
        with self._whole():
            self._seed = int(self.np_random.integers(2**64, dtype=np.uint64))
            self._begin_all()
            self._is_running = True
            return self._observe_all(), self._list_plays()

    def step(self, actions: Any) -> tuple[Observation, Rewards, Flags, Flags, dict[str, Any]]:
        """Carry out an action in each game or match, and let the opponent act until the learner's turn.

        Raises
        ------
        IllegalActionError
            If an action is illegal (the message names the first game or match), `reset` was not called, or an
            exception interrupted the last step.
        BgfastError
            If the number of actions is not that of the games or matches.
        """
        self._check_whole()
        if not self._is_running:
            raise IllegalActionError(f"step: there are no {self._plural}; expected reset")
        numbers = action_numbers(actions, self.num_envs)
        first = self._first_illegal(numbers)
        if first >= 0 and self._illegal == "error":
            raise self._refused(first, int(numbers[first]))
        with self._whole():
            rewards, over = self._advance(numbers, is_legal=first < 0)
            info: dict[str, Any] = {}
            if over.any():
                last = self._observe_all()
                last[~over] = 0
                info = {"final_obs": last, "_final_obs": over.copy()}
                self._begin(np.flatnonzero(over))
            observations, never = self._observe_all(), np.zeros(self.num_envs, np.bool_)
            return observations, rewards, over, never, self._list_plays() | info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the action masks as bools, (num_envs, actions), as ``info["action_mask"]``."""
        return (self._mask.copy() if self._copy else self._mask).view(np.bool_)

    def _begin_all(self) -> None:
        self._begin(self._rows)

    def _begin(self, rows: Indices) -> None:
        """Begin games or matches with a decision of the learner."""
        raise NotImplementedError

    def _first_illegal(self, numbers: Actions) -> int:
        """Return the first game or match whose action is illegal, or -1."""
        raise NotImplementedError

    def _refused(self, first: int, number: int) -> IllegalActionError:
        """Return the error for an illegal action."""
        raise NotImplementedError

    def _advance(self, numbers: Actions, *, is_legal: bool) -> tuple[Rewards, Flags]:
        """Carry out actions and those of the opponent; return rewards, and True where it is over.

        `_first_illegal` was called before; `is_legal` is True if all actions are legal.
        """
        raise NotImplementedError

    def _observe_all(self) -> Observation:
        raise NotImplementedError

    def _generate(self) -> Boards:
        """Return the successors of all games; `_offsets` has a segment for each game."""
        raise NotImplementedError

    def _mark_other_actions(self) -> None:
        """Complete the masks with actions that are not plays."""

    def _next_seed(self) -> int:
        """Return the seed of the next random call."""
        self._seed = (self._seed + 1) % 2**64
        return self._seed

    def _list_plays(self) -> dict[str, Any]:
        """Return masks and successors of all games."""
        boards = self._generate()
        crowded = mark(self._offsets, self._marked, self._max_plays, self._mask)
        if crowded >= 0:
            plays = int(self._offsets[crowded + 1] - self._offsets[crowded])
            raise too_many_plays(f"{self._noun} {crowded}: ", plays, self._max_plays)
        self._mark_other_actions()
        mask = self._mask
        if self._copy:
            boards, mask = boards.copy(), mask.copy()
        return {"action_mask": mask, "successors": Successors(boards, self._offsets.copy(), None)}


class BackgammonVectorEnv(VectorGames):
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
        `render` returns the boards as text, or as pixels as `BackgammonEnv` does.

    Raises
    ------
    BgfastError
        If an argument is invalid; `InvalidRulesError` for the rules, `InvalidPositionError` for the start.

    Notes
    -----
    Registered for ``gymnasium.make_vec("bgfast/Backgammon-v0", num_envs)``. Observations are int8 of shape
    (num_envs, 28), each as in `BackgammonEnv`, and so are actions, rewards and passes. In `info`,
    ``"action_mask"`` has shape (num_envs, max_plays), and ``"successors"`` is one `bgfast.Successors` with a
    segment for each game, **the opponent on roll** in all boards; no segment is empty.

    An ended game is replaced in the same step (``AutoresetMode.SAME_STEP``): the observation is that of the
    new game, the reward that of the old game. `info` then has ``"final_obs"``, the last observations of the
    games marked in ``"_final_obs"``, and zeros for the others.

    Not thread-safe.

    Examples
    --------
    >>> import numpy as np
    >>> import bgfast
    >>> from bgfast.environments import BackgammonVectorEnv
    >>> games = BackgammonVectorEnv(1000, opponent=bgfast.evaluators.PipCount())
    >>> boards, info = games.reset(seed=1)
    >>> boards.shape, info["action_mask"].shape
    ((1000, 28), (1000, 3060))
    >>> _, offsets, _ = found = info["successors"]
    >>> rows = bgfast.best_rows(bgfast.evaluators.Pubeval()(found.boards), offsets, best="min")
    >>> boards, rewards, ended, _, info = games.step(rows - offsets[:-1])
    >>> rewards.shape, int(ended.sum())
    ((1000,), 0)
    """

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Evaluator = Random(),  # noqa: B008 - immutable
        *,
        rules: RuleSetLike = STANDARD,
        start: Position | None = None,
        max_plays: int = MAX_PLAYS,
        illegal: Literal["error", "lose"] = "error",
        threads: int = 1,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(num_envs, rules, start, max_plays, illegal, threads, copy, render_mode)
        self._set_spaces(observation_space(), Discrete(max_plays))
        self._opponent = OpponentPolicy(opponent, self._rules, self._start.checkers)
        self._scheme = WIN_SCHEMES[self._rules.win_scheme]
        self._boards = np.empty((self.num_envs, BOARD_SIZE), np.int8)  # the learner on roll
        self._after = np.empty_like(self._boards)  # the opponent on roll
        self._dice = np.empty((self.num_envs, 2), np.int8)
        self._openings: tuple[Boards, Dice] = (self._boards[:0], self._dice[:0])

    def _begin_all(self) -> None:
        self._openings = (self._boards[:0], self._dice[:0])
        super()._begin_all()

    def _first_illegal(self, numbers: Actions) -> int:
        return int(choose(self._room, self._offsets, numbers, self._after))

    def _refused(self, first: int, number: int) -> IllegalActionError:
        roll = (int(self._dice[first, 0]), int(self._dice[first, 1]))
        return refused(f"game {first}: ", number, roll, int(self._marked[first]))

    def _advance(self, numbers: Actions, *, is_legal: bool) -> tuple[Rewards, Flags]:
        self._let_opponent_play()
        points = np.empty(self.num_envs, np.int8)  # the learner is on roll again, even if the game is over
        write_results(self._boards, self._scheme, self._start.checkers, points)
        if not is_legal:
            points[(numbers < 0) | (numbers >= self._marked)] = WORST
        over = points != 0
        fill_dice(self._next_seed(), False, 0, self._dice)
        self._dice[over] = 0
        return points.astype(np.float64), over

    def render(self) -> tuple[str | Frame, ...] | None:
        """Return the boards as text or pixels, from the learner's side."""
        if self.render_mode is None:
            return None
        draw = pixels if self.render_mode == "rgb_array" else picture
        return tuple(
            draw(Position.from_array(board, self._start.checkers), (first, second))
            for board, (first, second) in zip(self._boards, self._dice.tolist(), strict=True)
        )

    # ---------------------------------------------------------------- turns

    def _let_opponent_play(self) -> None:
        """Let the opponent play from `_after` into `_boards`; finished games are only flipped."""
        if self._opponent.policy is None:
            self._play_at_random(self._after, None, self._boards)
        else:
            dice = random_dice(self.num_envs, self._next_seed())
            self._boards = self._play_best(self._after, dice)

    def _play_at_random(self, boards: Boards, dice: Dice | None, out: Boards) -> None:
        """Write the boards after random plays, from the learner's side; dice None are random rolls."""
        switches, seed, threads = self._switches, self._next_seed(), self._threads
        RandomChoice(switches, boards, dice, seed, True, threads).into(out, None)

    def _play_best(self, boards: Boards, dice: Dice) -> Boards:
        """Return the boards after the opponent's best plays, from the learner's side."""
        plays = successors(boards, dice, rules=self._rules, flip=True, passes="keep", threads=self._threads)
        assert self._opponent.policy is not None
        rows = self._opponent.policy.best(plays)
        over = rows < 0
        if not over.any():
            return plays.boards[rows]
        after = flip(boards)
        after[~over] = plays.boards[rows[~over]]
        return after

    # ---------------------------------------------------------------- new games

    def _begin(self, rows: Indices) -> None:
        boards, dice = self._openings
        number = len(rows)
        while len(boards) < number:
            more_boards, more_dice = self._begin_games(max(OPENINGS, number))
            boards, dice = np.concatenate((boards, more_boards)), np.concatenate((dice, more_dice))
        self._boards[rows], self._dice[rows] = boards[:number], dice[:number]
        self._openings = (boards[number:], dice[number:])

    def _begin_games(self, number: int) -> tuple[Boards, Dice]:
        """Begin `number` games; return those that the opponent has not won with its opening play."""
        boards = np.repeat(self._start.to_array()[None], number, axis=0)
        if self._rules.opening == "colour_lot":
            # "colours by lot, White throws two fresh dice"
            opponent = random_dice(number, self._next_seed())[:, 0] > 3
            dice = random_dice(number, self._next_seed())
        else:
            # "each rolls one die, the higher starts and plays those two numbers, ties are rolled again"
            dice = random_dice(number, self._next_seed(), opening=True)
            opponent = dice[:, 0] < dice[:, 1]
        after_opening, opponent_dice = flip(boards[opponent]), dice[opponent]
        if self._opponent.policy is None:
            self._play_at_random(after_opening, opponent_dice, after_opening)
        else:
            after_opening = self._play_best(after_opening, opponent_dice)
        boards[opponent] = after_opening
        dice[opponent] = random_dice(len(opponent_dice), self._next_seed())
        points = np.empty(number, np.int8)
        write_results(boards, self._scheme, self._start.checkers, points)
        return boards[points == 0], dice[points == 0]

    # ---------------------------------------------------------------- observations

    def _observe_all(self) -> Observation:
        observations = np.empty((self.num_envs, OBSERVED), np.int8)
        join_dice(self._boards, self._dice, observations)
        return observations

    def _generate(self) -> Boards:
        """Return the successors of all games in reused memory, since fresh memory is slow."""
        fill = Fill(self._switches, self._boards, self._dice, True, True, False, self._threads)
        self._room = filled(fill, self._offsets, self._room)
        return self._room[: fill.total]
