"""Games and matches in lockstep: the engine of all environments.

`Lockstep` plays the games; the Gymnasium and PettingZoo classes wrap it. A single game is a batch of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.logger import warn
from gymnasium.spaces import Box, Discrete

from bgfast.batch._random_positions import RandomChoice
from bgfast.batch._successors import Fill
from bgfast.batch.successors import MAX_ROWS, WIN_SCHEMES, Successors, successors
from bgfast.common.validation import (
    BAR,
    BOARD_SIZE,
    CHECKERS,
    Boards,
    PositionLike,
    flag,
    generator_switches,
    number_array,
    one_of,
    rule_set,
    thread_count,
    validate_number,
    whole_number,
)
from bgfast.errors import BgfastError, IllegalActionError, InvalidPositionError, short_repr
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike
from bgfast.games.scoring import LEVELS, MAX_CUBE_VALUE, PLAYER_NAMES
from bgfast.learning.environments._lockstep import (
    CUBELESS_COLUMNS,
    MAX_PLAYS,
    ON_TURN,
    OVER,
    PHASE,
    RESIGNATION,
    Table,
)
from bgfast.learning.environments.frames import Frame, check_frames, draw_frame
from bgfast.learning.environments.opponent_policy import (
    DOUBLED,
    MATCH_ACTIONS,
    MATCH_PHASES,
    RACCOONED,
    RESIGNED,
    OpponentPolicy,
    match_decision,
)
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import RuleSetLike

Actions = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int64]
Rewards = npt.NDArray[np.float64]
Illegal = Literal["error", "lose"]

RENDER_MODES = ("human", "ansi", "rgb_array")
VECTOR_MODES = RENDER_MODES[1:]
LEARNER = 0  # the player who learns
OPPONENT = 1 - LEARNER
MAX_LENGTH = 127  # maximum points of a match, since observations are int8


def validate_length(length: Any) -> int:
    """Return the match length as a number, or 0 for None (money play)."""
    points = whole_number(length)
    if length is not None and (points is None or not 1 <= points <= MAX_LENGTH):
        raise BgfastError(
            f"length is {short_repr(length)}; expected a whole number from 1 to {MAX_LENGTH}, or None "
            "for money play"
        )
    return points or 0


def validate_seed(seed: Any) -> int | None:
    """Return the seed of `reset`; raise `BgfastError` unless it is a whole number, 0 or more, or None."""
    return None if seed is None else validate_number("seed", seed)


class Lockstep:
    """Games or matches in lockstep, against an opponent or, without one, between two players.

    `length` is 0 for money play and None for games without a cube. With `is_batch`, messages name the game.
    `BackgammonVectorEnv` describes the other arguments. Opponents are untrusted code and may raise anything:
    after an exception within a step or reset, the games need a `reset`.
    """

    def __init__(
        self,
        count: int,
        length: int | None,
        rules: RuleSetLike,
        start: PositionLike | None,
        max_plays: int,
        render_mode: str | None,
        *,
        illegal: Illegal = "error",
        opponent: EvaluatorLike | None = None,
        threads: int = 1,
        is_batch: bool = False,
        copy: bool = True,
    ) -> None:
        self.count = validate_number("num_envs", count, MAX_ROWS, 1)
        self.rules = rules = rule_set(rules)
        self.max_plays = validate_number("max_plays", max_plays, MAX_PLAYS, 1)
        self.illegal = one_of("illegal", illegal, "error", "lose")
        modes = VECTOR_MODES if is_batch else RENDER_MODES
        if render_mode is not None and not (isinstance(render_mode, str) and render_mode in modes):
            raise BgfastError(
                f"render_mode is {short_repr(render_mode)}; expected {', '.join(map(repr, modes))} or None"
            )
        if render_mode == "rgb_array":
            check_frames()
        self.start = Position.start() if start is None else Position(start)
        if self.start.phase == "over":
            raise InvalidPositionError(
                f"start is {self.start!r}, a finished game; expected checkers of both sides"
            )
        self.length = length or 0  # 0 without a cube
        self.has_cube = has_cube = length is not None
        self.noun = "match" if has_cube else "game"
        self.opponent = None
        if opponent is not None:
            self.opponent = OpponentPolicy(opponent, self.rules, self.length, self.start.checkers)
        max_cube = min(rules.cube_limit or MAX_CUBE_VALUE, MAX_CUBE_VALUE)
        cube_limit = max_cube.bit_length() - 1 if has_cube else 0
        terms = {
            "has_cube": has_cube,
            "length": self.length,
            "jacoby": rules.jacoby and has_cube and not length,
            "beavers": rules.beavers and not length,
            "cube_limit": cube_limit,
            "automatic_doubles": min(rules.automatic_doubles, cube_limit),
            "colour_lot": rules.opening == "colour_lot",
            "scheme": WIN_SCHEMES[rules.win_scheme],
            "checkers": self.start.checkers,
        }
        starts = np.stack([self.start.to_array(), self.start.flip().to_array()])
        self.table = Table(self.count, terms, starts, self.max_plays, int(self.action_space().n))
        self._switches = generator_switches(self.rules)
        self._threads = thread_count(threads)
        self._is_batch, self.copy = is_batch, flag("copy", copy)
        self.render_mode = render_mode
        self.has_begun = False  # True after the first reset
        self.is_interrupted = False  # True during a step or reset, and after an exception within it
        self._random = np.random.default_rng(0)  # generator of the last reset
        self._seed = 0  # seed of the last random call
        self._successors = np.empty((1, BOARD_SIZE), np.int8)  # reused, since fresh memory is slow

    def observation_space(self) -> Box[np.int8]:
        """Return the observation space: board and dice, and in matches the cube, score and phase."""
        low, high = np.full((2, CUBELESS_COLUMNS), [[-CHECKERS], [CHECKERS]], np.int8)
        high[0] = low[BAR] = 0
        low[BOARD_SIZE:], high[BOARD_SIZE:] = 0, 6
        if self.has_cube:  # the cube's exponent and owner, points away, Crawford, phase, resignation
            low = np.append(low, np.array([0, -1, 0, 0, 0, 0, 0], np.int8))
            bounds = [30, 1, MAX_LENGTH, MAX_LENGTH, 1, len(MATCH_PHASES) - 1, len(LEVELS)]
            high = np.append(high, np.array(bounds, np.int8))
        return Box(low, high, dtype=np.int8)

    def action_space(self) -> Discrete[np.int64]:
        """Return the action space: plays, and in matches other actions."""
        return Discrete(self.max_plays + self.has_cube * len(MATCH_ACTIONS))

    @contextmanager
    def track_interruption(self) -> Iterator[None]:
        """Mark the games as interrupted until the end of the block, and after an exception."""
        self.is_interrupted = True
        yield
        self.is_interrupted = False

    def check_not_interrupted(self) -> None:
        """Raise `IllegalActionError` after an interrupted step or reset."""
        if self.is_interrupted:
            raise IllegalActionError("step: an exception interrupted the last step or reset; expected reset")

    def restart(self, random: np.random.Generator) -> None:
        """Begin all games or matches with random numbers from a generator."""
        self._random, self.has_begun = random, True
        self._seed = int(random.integers(2**64, dtype=np.uint64))
        self.begin(np.arange(len(self.table.array)))

    def begin(self, rows: Indices) -> None:
        """Begin games or matches; restart those that end before the learner has a decision."""
        while len(rows):
            self.table.begin(rows, self._next_seed(), OPPONENT)
            self._let_opponent_act()
            rows = rows[self.table.array[rows, PHASE] == OVER] if self.table.ended else rows[:0]

    def validate_action(self, action: Any) -> Actions:
        """Return a single game's action as an array; raise if it is illegal, unless ``illegal="lose"``."""
        index = whole_number(action)
        is_in_range = index is not None and 0 <= index < self.table.mask.shape[1]
        actions = np.array([index if is_in_range else -1], np.int64)
        if self.table.first_illegal(actions) >= 0 and (self.illegal == "error" or index is None):
            raise self._illegal_action(0, action)
        return actions

    def validate_actions(self, actions: Any) -> Actions:
        """Return the actions of all games as int64; raise if one is illegal, unless ``illegal="lose"``."""
        indices = number_array(actions, "actions", BgfastError, kinds="iufbcmMOSUV")
        if indices.shape != (self.count,) or indices.dtype.kind not in "iu":
            raise BgfastError(
                f"actions of dtype {indices.dtype!s:.60}, shape {short_repr(indices.shape)}; "
                f"expected whole numbers, shape ({self.count},)"
            )
        indices = np.ascontiguousarray(indices, np.int64)
        first = int(self.table.first_illegal(indices))
        if first >= 0 and self.illegal == "error":
            raise self._illegal_action(first, int(indices[first]))
        return indices

    def step(self, actions: Actions) -> Rewards:
        """Carry out checked actions and let the opponent act; return player 0's rewards, 0 until the end."""
        self.table.step(actions, self._successors, self._next_seed(), OPPONENT)
        self._let_opponent_act()
        return self.table.rewards

    def _let_opponent_act(self) -> None:
        """Let the opponent act until the games or matches are over or the learner is to act."""
        table, opponent = self.table, self.opponent
        while opponent is not None and (table.other_count or table.play_count):
            if table.other_count:
                # These are mostly rolls; they come first, so that one batch then has all plays.
                observations = table.observe(OPPONENT, table.other_rows[: table.other_count])
                indices = opponent.choose_actions(observations, self._random)
                table.act_others(indices, self._next_seed(), OPPONENT)
            else:
                boards, dice = table.boards[: table.play_count], table.dice[: table.play_count]
                table.act_plays(self._after_plays(opponent, boards, dice), self._next_seed(), OPPONENT)

    def _after_plays(self, opponent: OpponentPolicy, boards: Boards, dice: Boards) -> Boards:
        """Return the boards after the opponent's plays, from the next player's side."""
        if opponent.policy is None:
            arguments = self._switches, boards, dice, self._next_seed(), True, self._threads
            RandomChoice(*arguments).into(boards, None)
            return boards
        options: Any = {"rules": self.rules, "flip": True, "passes": "keep", "threads": self._threads}
        plays = successors(boards, dice, **options)
        return np.ascontiguousarray(plays.boards[opponent.policy.best(plays)])

    def _next_seed(self) -> int:
        """Return the seed of the next random call."""
        self._seed = (self._seed + 1) % 2**64
        return self._seed

    def is_over(self) -> bool:
        """Return whether the first game or match is over, or has not begun."""
        return bool(self.table.array[0, PHASE] == OVER)

    def player_to_act(self) -> int:
        """Return the player to act in the first game or match; at the end the player on turn."""
        row = self.table.array[0]
        return int(row[ON_TURN]) ^ (row[PHASE] in (DOUBLED, RACCOONED, RESIGNED))

    def list_plays(self, player: int = LEARNER) -> dict[str, Any]:
        """Return masks and successors of all games or matches; segments without a play are empty."""
        table = self.table
        table.find(player)
        boards, dice = table.boards[: table.play_count], table.dice[: table.play_count]
        offsets = np.zeros(len(boards) + 1, np.int64)
        fill = Fill(self._switches, boards, dice, True, True, False, self._threads)
        while not fill.into(offsets, self._successors, None, fresh=False):
            # Callers may still use the old memory, so it is not resized in place.
            larger = np.empty((len(self._successors) + fill.room_needed(), BOARD_SIZE), np.int8)
            larger[: fill.total] = self._successors[: fill.total]
            self._successors = larger
        crowded_row = table.mark(offsets)
        if crowded_row >= 0:
            raise BgfastError(
                f"{self._prefix(crowded_row)}max_plays is {self.max_plays}, but the roll has "
                f"{self._play_count(crowded_row)} legal plays; expected {MAX_PLAYS}, which is always enough"
            )
        after, mask = self._successors[: fill.total], table.mask
        if self.copy:
            after, mask = after.copy(), mask.copy()
        # The offsets are always copied: the next actions are indices into these segments.
        return {"action_mask": mask, "successors": Successors(after, table.offsets.copy(), None)}

    def _play_count(self, row: int) -> int:
        return int(self.table.offsets[row + 1] - self.table.offsets[row])

    def _prefix(self, row: int) -> str:
        return f"{self.noun} {row}: " if self._is_batch else ""

    def _illegal_action(self, row: int, action: Any) -> IllegalActionError:
        """Return the error for an illegal action."""
        plays = self._play_count(row)
        if self.has_cube:
            legal = zip(MATCH_ACTIONS, self.table.mask[row, self.max_plays :], strict=True)
            names = [f"{self.max_plays + i} ({name})" for i, (name, is_legal) in enumerate(legal) if is_legal]
            expected = ", ".join([f"0 to {plays - 1} (plays)", *names] if plays else names)
        else:
            first, second = self.table.array[row, BOARD_SIZE:CUBELESS_COLUMNS].tolist()
            expected = f"0 to {plays - 1}, the legal plays of {first}-{second}, which the action mask shows"
        return IllegalActionError(f"{self._prefix(row)}action is {short_repr(action)}; expected {expected}")

    def render(self, row: int = 0) -> Any:
        """Return the board as text or pixels; None before the first reset and for other render modes.

        Warns without a render mode, as Gymnasium's own environments do.
        """
        if self.render_mode is None:
            warn(
                "You are calling render method without specifying any render mode. You can specify the "
                'render_mode at initialization, e.g. render_mode="ansi".',
                stacklevel=3,
            )
        if not self.has_begun:
            return None
        if self.render_mode == "rgb_array":
            return self.pixels(row)
        return self.text(row) if self.render_mode == "ansi" else None

    def text(self, row: int = 0) -> str:
        """Return the board as text.

        X is player 0 in games with a cube, else the learner or, without an opponent, the mover.
        """
        if self.has_cube:
            decision, status = self._decision(row)
            return decision._board(status)
        player, heading = LEARNER, ""
        if self.opponent is None:
            player = self.player_to_act()
            heading = f"X: player_{player}\n"
        observation = self.table.observe(player, np.array([row]))[0]
        first, second = observation[BOARD_SIZE:].tolist()
        dice = f"\ndice: {first}-{second}" if first else ""
        return f"{heading}{Position.from_array(observation[:BOARD_SIZE], self.start.checkers)}{dice}"

    def show(self) -> None:
        """Print the board in the mode ``"human"``."""
        if self.render_mode == "human":
            print(self.text(), end="\n\n", flush=True)

    def pixels(self, row: int = 0) -> Frame:
        """Return the board as pixels, with player 0 as X, at the bottom."""
        decision, status = self._decision(row)
        if self.has_cube:
            return draw_frame(replace(decision._diagram(), status=status))
        diagram = decision.position._diagram(decision.dice, status)
        return draw_frame(replace(diagram, mover="X" if decision.turn == 1 else "O"))

    def _decision(self, row: int) -> tuple[Decision, str]:
        """Return the decision of a row, with player 0 as X, and a text with the next action or the winner."""
        state = self.table.array[row]
        player = int(state[ON_TURN])
        turn: Literal[1, -1] = 1 if player == 0 else -1
        observation = self.table.observe(player, np.array([row]))[0]
        if self.has_cube:
            decision = match_decision(observation, self.length, self.rules, self.start.checkers, turn)
        else:
            first, second = observation[BOARD_SIZE:].tolist()
            position = Position.from_array(observation[:BOARD_SIZE], self.start.checkers)
            decision = Decision(position=position, turn=turn, dice=(first, second) if first else None)
        if state[PHASE] == OVER:
            return decision, f"{PLAYER_NAMES[int(self.table.rewards[row] < 0)]} has won"
        if state[PHASE] == RESIGNED:
            mover, other = PLAYER_NAMES[player], PLAYER_NAMES[1 - player]
            level = LEVELS[state[RESIGNATION] - 1]
            return decision, f"{mover} resigns a {level}; {other} to answer"
        return decision, decision.status
