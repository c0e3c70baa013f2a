"""Legal plays die by die under every rule set: which sequences of steps are whole legal plays.

RULES.md, section 1, defines legality over sequences. What can come next depends on the board and the dice
left alone, and so do the three conditions on a whole play, beside the start of the turn: a `TurnState` is all
there is to know about a sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

from bgfast.common.vocabulary import BAR, HOME, OFF, Board
from bgfast.position.explain.steps import ANYWHERE, Step, rearmost, steps
from bgfast.rules import RuleSet

__all__ = ["Steps", "Turn", "TurnState", "leading_to", "without"]

Dice = tuple[int, ...]
Steps = Callable[[Board, int, Sequence[int]], Iterable[Step]]
"""Says what can be done with a die on a board, and how far down each checker may go."""
Past = TypeVar("Past")


class TurnState(NamedTuple):
    """Where an unfinished turn stands: the board, and the dice not yet used."""

    board: Board
    dice: Dice


class Turn:
    """The legal sequences of one position, roll and rule set.

    Parameters
    ----------
    board : (26,) sequence of int
        The position from the mover's side, valid and unfinished.
    roll : pair of int
        The two dice, in either order.
    rules : RuleSet

    Notes
    -----
    Remembers what it has worked out: one thread at a time.

    Examples
    --------
    >>> from bgfast import STANDARD
    >>> board = [0] * 26
    >>> board[24], board[14] = 1, -2
    >>> turn = Turn(board, (6, 4), STANDARD)
    >>> turn.longest
    1
    >>> [(step.start, step.end) for step, after in turn.uses(turn.start) if turn.can_finish(after)]
    [(24, 18)]
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
        """Return what can be done with a die: moves, from the highest point down, then a forfeit."""
        return steps(board, die, self.rules, lowest=lowest)

    def moves(self, board: Board, die: int) -> Iterator[Step]:
        """Yield the ordinary moves among it."""
        return (step for step in self.steps(board, die) if not step.is_forfeit)

    def can_move(self, board: Board, die: int) -> bool:
        """Return whether there is an ordinary move with the die."""
        return any(True for _ in self.moves(board, die))

    @cached_property
    def longest(self) -> int:
        """The greatest number of dice that ordinary moves alone can use."""
        known: dict[TurnState, int] = {}

        def most(state: TurnState) -> int:
            if state not in known:
                known[state] = 0
                for die in dict.fromkeys(state.dice):
                    rest = without(state.dice, die)
                    for move in self.moves(state.board, die):
                        known[state] = max(known[state], 1 + most(TurnState(move.after, rest)))
                        if known[state] == len(state.dice):
                            return known[state]
            return known[state]

        return most(self.start)

    @cached_property
    def compulsory_die(self) -> int:
        """The die that has to be used if only one can be; ask only if there is a legal play."""
        # "(3) ... that die is the higher of those that had an ordinary move at the start of the turn"
        board, dice = self.start
        return max(die for die in dice if self.can_move(board, die))

    def uses(self, state: TurnState) -> Iterator[tuple[Step, TurnState]]:
        """Yield everything that can be done with one die, and where it leads."""
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        if self.longest == 0:
            return
        for die in dict.fromkeys(state.dice):
            rest = without(state.dice, die)
            for step in self.steps(state.board, die):
                yield step, TurnState(step.after, rest)

    def is_whole(self, state: TurnState) -> bool:
        """Return whether what led here is a legal play, or the turn passes."""
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
        """Return whether this is a legal play, or becomes one by going on."""
        if state not in self._finishable:
            self._finishable[state] = self.is_whole(state) or any(
                self.can_finish(after) for _, after in self.uses(state)
            )
        return self._finishable[state]

    def forfeits(self, result: Sequence[int]) -> set[Dice]:
        """Return which dice the legal plays that lead to a position give up.

        Parameters
        ----------
        result : (26,) sequence of int
            Where some legal play leads, mover's side.

        Returns
        -------
        set of tuple of int
            Each choice of dice from the highest down; ``{()}`` where none can be given up.
        """
        target = tuple(int(number) for number in result)
        # All home once a die is given up, and home is never left in one's own turn.
        if self.rules.forfeit == "never" or rearmost(target) > HOME:
            return {()}

        def given_up(before: Dice, step: Step) -> Dice:
            return tuple(sorted((*before, step.die), reverse=True)) if step.is_forfeit else before

        first: Dice = ()
        found = leading_to(target, self.start, self.steps, first, given_up, set)
        ends = (choices for state, choices in found if state.board == target and self.is_whole(state))
        return set().union(*ends)


def leading_to(
    result: Board,
    start: TurnState,
    uses: Steps,
    first: Past,
    further: Callable[[Past, Step], Past | None],
    best: Callable[[list[Past]], Collection[Past]],
) -> Iterator[tuple[TurnState, Collection[Past]]]:
    """Yield the states from which a result may still come, those with fewer dice used first.

    Parameters
    ----------
    result : tuple of 26 int
        The board after a play, mover's side, legal or not.
    start : TurnState
    uses : function
        Says which steps there are.
    first
        What is known of the past at the start.
    further : function
        Says what is known of it after one more step; None if that way is given up.
    best : function
        Says what is to be remembered of all ways to one state.

    Yields
    ------
    state : TurnState
        The result itself only where its board is the same.
    pasts : collection
        What is remembered of the ways to it.
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
    """Return how far down a checker from each point may go with the result still to come.

    Checkers only go down, so that on a point and above it there must not be fewer than in the result.

    Examples
    --------
    >>> before, after = [0] * 26, [0] * 26
    >>> before[8], before[6], after[7], after[3] = 1, 1, 1, 1
    >>> ends = lowest_ends(tuple(before), tuple(after))
    >>> ends[8], ends[6]
    (7, 3)
    """
    surplus = 0
    full = []  # points where no checker can be spared, from the highest down
    for point in range(BAR, OFF, -1):
        here, there = board[point], result[point]
        surplus += (here if here > 0 else 0) - (there if there > 0 else 0)
        if surplus <= 0:
            full.append(point)
    ends = [OFF] * (BAR + 1)
    for point in range(1, BAR + 1):
        ends[point] = full.pop() if full and full[-1] == point else ends[point - 1]
    return ends


def may_lead(board: Board, dice: Dice, result: Board) -> bool:
    """Whether the dice may still lead to the result: checkers only go down, opposing ones only away.

    Each checker that does not stand where the result has one takes a die. Most wrong results are refused by
    that alone; without it an engine that is wrong in every answer keeps the search busy for minutes.
    """
    above = astray = 0
    for here, there in zip(board[:OFF:-1], result[:OFF:-1], strict=True):
        if here != there:
            surplus = (here if here > 0 else 0) - (there if there > 0 else 0)
            above += surplus
            if surplus > 0:
                astray += surplus
            if above < 0 or astray > len(dice) or (there < 0 and there < here):
                return False
    return board[OFF] >= result[OFF]


def without(dice: Dice, die: int) -> Dice:
    """Return the dice without one of them.

    Examples
    --------
    >>> without((5, 5, 5, 5), 5)
    (5, 5, 5)
    """
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]
