"""Observations, actions and opponents of all environments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from bgfast.batch._ordered_fill import Fill
from bgfast.batch._successors import flip_boards
from bgfast.batch.successors import Successors
from bgfast.common.validation import bounded_number, number_array, rule_set, whole_number
from bgfast.common.vocabulary import BAR, BOARD_SIZE, CHECKERS, Boards, Roll
from bgfast.errors import BgfastError, IllegalActionError, InvalidPositionError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator, Policy, Random
from bgfast.learning.environments._games import MAX_PLAYS as MAX_PLAYS
from bgfast.learning.environments.frames import Frame, check_frames, frame
from bgfast.position.decision import awaited
from bgfast.position.objects import PlayList, Position
from bgfast.rules import RuleSet

Observation = npt.NDArray[np.int8]
Mask = npt.NDArray[np.int8]
Actions = npt.NDArray[np.int64]

RENDER_MODES = ("human", "ansi", "rgb_array")

OBSERVED = BOARD_SIZE + 2
"""Length of an observation: a board and two dice."""

NO_DICE = (0, 0)
WORST = -3
"""Reward of a loss by an illegal action: that of a backgammon."""


def observation_space() -> Box[np.int8]:
    """Return the space of boards with dice."""
    low = np.full(OBSERVED, -CHECKERS, np.int8)
    high = np.full(OBSERVED, CHECKERS, np.int8)
    high[0] = low[BAR] = 0
    low[BOARD_SIZE:], high[BOARD_SIZE:] = 0, 6
    return Box(low, high, dtype=np.int8)


def observation(position: Position, dice: Roll) -> Observation:
    """Return a board followed by its dice."""
    numbers = np.empty(OBSERVED, np.int8)
    numbers[:BOARD_SIZE] = position.to_array()
    numbers[BOARD_SIZE:] = dice
    return numbers


def action_mask(plays: int, max_plays: int) -> Mask:
    """Return a mask with ones for the plays; raise `BgfastError` if there are too many."""
    if plays > max_plays:
        raise too_many_plays("", plays, max_plays)
    mask = np.zeros(max_plays, np.int8)
    mask[:plays] = 1
    return mask


def too_many_plays(where: str, plays: int, max_plays: int) -> BgfastError:
    """Return the error for a roll with more plays than there are actions."""
    return BgfastError(
        f"{where}the roll has {plays} legal plays, but max_plays is {max_plays}; expected {MAX_PLAYS}, which "
        "is always enough"
    )


def listed(plays: PlayList | None, position: Position) -> Successors:
    """Return the successors of a roll as one segment, with the next player on roll; a pass is a row, too.

    `plays` is None for a finished game, which has no rows.
    """
    if plays is None:
        boards = np.empty((0, BOARD_SIZE), np.int8)
    elif len(plays):
        boards = np.empty((len(plays), BOARD_SIZE), np.int8)
        flip_boards(plays.boards, boards)
    else:
        boards = position.flip().to_array()[None]
    return Successors(boards, np.array([0, len(boards)], np.int64), None)


def action_numbers(actions: Any, number: int) -> Actions:
    """Return the actions of `number` games as int64; raise `BgfastError` for another type or shape."""
    numbers = number_array(actions, "actions", BgfastError, kinds="iufbcmMOSUV")
    if numbers.shape != (number,) or numbers.dtype.kind not in "iu":
        raise BgfastError(
            f"actions of dtype {numbers.dtype!s:.60}, shape {shown(numbers.shape)}; "
            f"expected whole numbers, shape ({number},)"
        )
    return np.ascontiguousarray(numbers, np.int64)


def filled(fill: Fill, offsets: npt.NDArray[np.int64], room: Boards) -> Boards:
    """Write successors to `room`, or to larger memory if it is too small; return the memory.

    It is reused since fresh memory is slow.
    """
    while not fill.into(offsets, room, None, fresh=False):
        # Not in place: callers may still use the old memory.
        larger = np.empty((len(room) + fill.room_needed(), BOARD_SIZE), np.int8)
        larger[: fill.total] = room[: fill.total]
        room = larger
    return room


def play_index(action: Any, plays: PlayList, illegal: Literal["error", "lose"]) -> int | None:
    """Return an action as an index of a play, None if it is illegal and `illegal` is "lose".

    Other illegal actions, and actions that are not numbers, raise `IllegalActionError`.
    """
    number = whole_number(action)
    count = max(len(plays), 1)  # a pass is an action, too
    if number is not None and 0 <= number < count:
        return number
    if illegal == "lose" and number is not None:
        return None
    raise refused("", action, plays.roll, count)


def refused(where: str, action: Any, roll: Roll, count: int) -> IllegalActionError:
    """Return the error for an action that is not the index of a play."""
    return IllegalActionError(
        f"{where}action is {shown(action)}; expected 0 to {count - 1}, the legal plays of "
        f"{roll[0]}-{roll[1]}, which the action mask shows"
    )


def after(plays: PlayList, index: int) -> Position:
    """Return the position after a play or a pass, from the next player's side."""
    return plays[index].position if len(plays) else plays.position.flip()


def throw(dice: np.random.Generator) -> Roll:
    """Return a fair roll."""
    first, second = divmod(int(dice.integers(36)), 6)  # one number takes a fifth of the time of two
    return first + 1, second + 1


def throw_opening(dice: np.random.Generator, rules: RuleSet) -> tuple[int, Roll]:
    """Return the player who begins, 0 or 1, and the first roll."""
    # "colours by lot, White throws two fresh dice"
    if rules.opening == "colour_lot":
        return int(dice.integers(2)), throw(dice)
    # "each rolls one die, the higher starts and plays those two numbers, ties are rolled again"
    while True:
        first, second = throw(dice)
        if first != second:
            return int(first < second), (first, second)


def check_options(
    rules: Any, max_plays: Any, illegal: Any, render_mode: Any, modes: Sequence[str] = RENDER_MODES
) -> RuleSet:
    """Return the rules; raise `BgfastError` or `InvalidRulesError` if an option is invalid."""
    resolved_rules = rule_set(rules)
    number = whole_number(max_plays)
    if number is None or not 1 <= number <= MAX_PLAYS:
        raise BgfastError(f"max_plays is {shown(max_plays)}; expected a whole number from 1 to {MAX_PLAYS}")
    if not isinstance(illegal, str) or illegal not in ("error", "lose"):
        raise BgfastError(f"illegal is {shown(illegal)}; expected 'error' or 'lose'")
    if render_mode is not None and not (isinstance(render_mode, str) and render_mode in modes):
        raise BgfastError(
            f"render_mode is {shown(render_mode)}; expected {', '.join(map(repr, modes))} or None"
        )
    if render_mode == "rgb_array":
        check_frames()
    return resolved_rules


def check_start(start: Any) -> Position:
    """Return the starting position of games; raise `InvalidPositionError` unless it is an unfinished one."""
    if start is None:
        return Position.start()
    if not isinstance(start, Position):
        raise InvalidPositionError(f"start is {shown(start)}; expected a Position")
    if start.phase == "over":
        raise InvalidPositionError(f"start is {start!r}, a finished game; expected checkers of both sides")
    return start


def check_seed(seed: Any) -> int | None:
    """Return the seed of `reset`; raise `BgfastError` unless it is a whole number, 0 or more, or None."""
    return None if seed is None else bounded_number("seed", seed)


class WholeSteps:
    """Base class of environments: after an exception within a step or reset they need a `reset`.

    Opponents are untrusted code and may raise anything.
    """

    _is_interrupted = False

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Mark the environment as interrupted until the end of the block, and after an exception."""
        self._is_interrupted = True
        yield
        self._is_interrupted = False

    def _check_whole(self) -> None:
        """Raise `IllegalActionError` after an interrupted step or reset."""
        if self._is_interrupted:
            raise IllegalActionError("step: an exception interrupted the last step or reset; expected reset")


def pixels(position: Position, dice: Roll, mover: Literal["X", "O"] = "X") -> Frame:
    """Return a position with the roll to play as pixels, with X at the bottom."""
    roll = dice if any(dice) else None
    if position.winner is None:
        status = awaited(mover, roll, None)
    else:
        mover_won = position.winner == "mover"
        status = f"{'X' if mover_won == (mover == 'X') else 'O'} has won"
    return frame(replace(position._diagram(roll, status), mover=mover))


def picture(position: Position, dice: Roll) -> str:
    """Return a position as text, with the roll to play."""
    rolled = f"\ndice: {dice[0]}-{dice[1]}" if any(dice) else ""
    return f"{position}{rolled}"


class OpponentPolicy:
    """Policy of the opponent: random plays, or the best plays by an evaluator."""

    def __init__(self, evaluator: Evaluator, rules: RuleSet, checkers: int) -> None:
        if not callable(evaluator):
            raise BgfastError(f"opponent is {shown(evaluator)}; expected an evaluator: a callable on boards")
        self.policy = None if isinstance(evaluator, Random) else Policy(evaluator, rules, checkers)
        self.rules = rules
        self.checkers = checkers

    def position(self, position: Position, roll: Roll, choices: np.random.Generator) -> Position:
        """Return the position after the opponent's play, from the learner's side."""
        plays = position.plays(roll, self.rules)
        return after(plays, self.index(plays, choices))

    def index(self, plays: PlayList, choices: np.random.Generator) -> int:
        """Return the index of the opponent's play, 0 for a pass."""
        if len(plays) < 2:
            return 0
        if self.policy is None:
            return int(choices.integers(len(plays)))
        return int(self.policy.best(listed(plays, plays.position))[0])
