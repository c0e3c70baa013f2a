"""Legal plays die by die under every rule set.

RULES.md, section 1, defines legality over sequences of steps. The steps that can follow depend only on the
board and the unused dice; the three conditions on a complete play depend on these and the start of the turn.
So a `TurnState` represents all sequences that reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from bgfast.common.vocabulary import BAR, HOME, OFF, Board
from bgfast.position.explain.steps import ANYWHERE, Step, rearmost, steps
from bgfast.rules import RuleSet

Dice = tuple[int, ...]
Steps = Callable[[Board, int, Sequence[int]], Iterable[Step]]
"""Returns the steps with a die on a board, given the lowest point that each checker may reach."""
Past = TypeVar("Past")


class TurnState(NamedTuple):
    """State of an unfinished turn: the board and the unused dice."""

    board: Board
    dice: Dice


class Turn:
    """Legal sequences of steps for a valid, unfinished position, a roll in either order, and a rule set.

    Caches results; not thread-safe.
    """

    def __init__(self, board: Sequence[int], roll: Sequence[int], rules: RuleSet) -> None:
        self.roll = int(roll[0]), int(roll[1])
        high, low = max(self.roll), min(self.roll)
        # "doubles give four dice, other rolls two, in either order"
        dice = (high,) * 4 if high == low else (high, low)
        self.start = TurnState(tuple(int(number) for number in board), dice)
        self.rules = rules
        self._finishable: dict[TurnState, bool] = {}

    def steps(self, board: Board, die: int, lowest: Sequence[int] = ANYWHERE) -> Iterable[Step]:
        """Return the steps with a die: moves from the highest point down, then a forfeit."""
        return steps(board, die, self.rules, lowest=lowest)

    def moves(self, board: Board, die: int) -> Iterator[Step]:
        """Yield the ordinary moves with a die."""
        return (step for step in self.steps(board, die) if not step.is_forfeit)

    def can_move(self, board: Board, die: int) -> bool:
        """Return whether there is an ordinary move with the die."""
        return any(True for _ in self.moves(board, die))

    @cached_property
    def longest(self) -> int:
        """Maximum number of dice that ordinary moves can use."""
        cache: dict[TurnState, int] = {}

        def dice_usable(state: TurnState) -> int:
            if state not in cache:
                cache[state] = 0
                for die in dict.fromkeys(state.dice):
                    rest = without(state.dice, die)
                    for move in self.moves(state.board, die):
                        cache[state] = max(cache[state], 1 + dice_usable(TurnState(move.after, rest)))
                        if cache[state] == len(state.dice):
                            return cache[state]
            return cache[state]

        return dice_usable(self.start)

    @cached_property
    def compulsory_die(self) -> int:
        """Die that must be used if only one can be; requires a legal play."""
        # "(3) ... that die is the higher of those that had an ordinary move at the start of the turn"
        board, dice = self.start
        return max(die for die in dice if self.can_move(board, die))

    def uses(self, state: TurnState) -> Iterator[tuple[Step, TurnState]]:
        """Yield each step with one die and the state after it."""
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        if self.longest == 0:
            return
        for die in dict.fromkeys(state.dice):
            rest = without(state.dice, die)
            for step in self.steps(state.board, die):
                yield step, TurnState(step.after, rest)

    def is_whole(self, state: TurnState) -> bool:
        """Return whether the steps up to this state are a complete legal play, or a pass."""
        used = len(self.start.dice) - len(state.dice)
        # "(2) it used at least L dice (a forfeit counts as a use)"
        if used < self.longest:
            return False
        # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
        # ordinary move at the start of the turn"
        if self.longest == used == 1 and len(state.dice) == 1 and self.compulsory_die in state.dice:
            return False
        # "(1) none of its unused dice has an ordinary move in its final state"
        return not any(self.can_move(state.board, die) for die in set(state.dice))

    def can_finish(self, state: TurnState) -> bool:
        """Return whether the steps up to this state are or can become a complete legal play."""
        if state not in self._finishable:
            self._finishable[state] = self.is_whole(state) or any(
                self.can_finish(after) for _, after in self.uses(state)
            )
        return self._finishable[state]

    def forfeits(self, result: Sequence[int]) -> set[Dice]:
        """Return each choice of dice, from the highest down, that legal plays to a board forfeit.

        ``{()}`` where none can be forfeited.
        """
        target = tuple(int(number) for number in result)
        # A forfeit requires all checkers home, and they stay home during the turn.
        if self.rules.forfeit == "never" or rearmost(target) > HOME:
            return {()}

        def with_forfeit(before: Dice, step: Step) -> Dice:
            return tuple(sorted((*before, step.die), reverse=True)) if step.is_forfeit else before

        first: Dice = ()
        states = leading_to(target, self.start, self.steps, first, with_forfeit, set)
        ends = (choices for state, choices in states if state.board == target and self.is_whole(state))
        return set().union(*ends)


def leading_to(
    result: Board,
    start: TurnState,
    uses: Steps,
    first: Past,
    further: Callable[[Past, Step], Past | None],
    best: Callable[[list[Past]], Collection[Past]],
) -> Iterator[tuple[TurnState, Collection[Past]]]:
    """Yield the states from which a result, legal or not, may be reachable, by the number of dice used.

    Each state comes with records of the paths to it. A path starts with the record `first`; `further` returns
    the record after another step, None to drop the path; `best` selects records among all paths to a state.
    """
    level: dict[TurnState, Collection[Past]] = {start: [first]}
    while level:
        yield from level.items()
        following: dict[TurnState, list[Past]] = {}
        for (board, dice), pasts in level.items():
            lowest = lowest_ends(board, result)
            for die in dict.fromkeys(dice):
                rest = without(dice, die)
                for step in uses(board, die, lowest):
                    if may_lead(step.after, rest, result):
                        more = [past for before in pasts if (past := further(before, step)) is not None]
                        if more:
                            following.setdefault(TurnState(step.after, rest), []).extend(more)
        level = {state: best(pasts) for state, pasts in following.items()}


def lowest_ends(board: Board, result: Board) -> list[int]:
    """Return the lowest point to which a checker from each point may go without excluding the result.

    Checkers only move down, so the number of checkers from a point up must not fall below that of the result.
    """
    surplus = 0
    full = []  # points without surplus checkers on or above them, from the highest down
    for point in range(BAR, OFF, -1):
        surplus += max(board[point], 0) - max(result[point], 0)
        if surplus <= 0:
            full.append(point)
    ends = [OFF] * (BAR + 1)
    for point in range(1, BAR + 1):
        ends[point] = full.pop() if full and full[-1] == point else ends[point - 1]
    return ends


def may_lead(board: Board, dice: Dice, result: Board) -> bool:
    """Return False if the dice cannot lead to the result, since each misplaced checker needs a die.

    It may return True where they do not. Without this test, an engine whose every result is wrong takes
    minutes to check.
    """
    above = misplaced = 0
    for before, after in zip(board[:OFF:-1], result[:OFF:-1], strict=True):
        if before != after:
            surplus = (before if before > 0 else 0) - (after if after > 0 else 0)
            above += surplus
            if surplus > 0:
                misplaced += surplus
            if above < 0 or misplaced > len(dice) or (after < 0 and after < before):
                return False
    return board[OFF] >= result[OFF]


def without(dice: Dice, die: int) -> Dice:
    """Return the dice without one of them."""
    index = dice.index(die)
    return dice[:index] + dice[index + 1 :]
