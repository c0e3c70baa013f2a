"""Legal plays die by die under every rule set: which sequences of moves and forfeits are whole legal plays.

RULES.md, section 1, defines legality over sequences. What can come next depends on the board and the dice
left alone, and so do the three conditions on a whole play, beside the start of the turn: a `TurnState` is all
there is to know about a sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from bgfast.common.vocabulary import HOME, OFF, Board
from bgfast.position.rule_book.moves import board_after, may_forfeit, ordinary_moves, rearmost
from bgfast.rules import RuleSet

__all__ = ["Turn", "TurnState", "from_the_rear", "without"]

Dice = tuple[int, ...]
Use = tuple[int, int, int]  # die, from, to; a forfeited die d is (d, d, d)


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
    >>> [use for use, after in turn.uses(turn.start) if turn.can_finish(after)]
    [(6, 24, 18)]
    """

    def __init__(self, board: Sequence[int], roll: Sequence[int], rules: RuleSet) -> None:
        self.roll = int(roll[0]), int(roll[1])
        high, low = max(self.roll), min(self.roll)
        # "doubles give four dice, other rolls two, in either order"
        dice = (high,) * 4 if high == low else (high, low)
        self.start = TurnState(tuple(int(number) for number in board), dice)
        self.rules = rules
        self._finishable: dict[TurnState, bool] = {}

    @cached_property
    def longest(self) -> int:
        """The greatest number of dice that ordinary moves alone can use."""
        known: dict[TurnState, int] = {}

        def most(state: TurnState) -> int:
            if state not in known:
                known[state] = 0
                for _, after in self._ordinary(state):
                    known[state] = max(known[state], 1 + most(after))
                    if known[state] == len(state.dice):
                        break
            return known[state]

        return most(self.start)

    @cached_property
    def compulsory_die(self) -> int:
        """The die that has to be used if only one can be; ask only if there is a legal play."""
        # "(3) ... that die is the higher of those that had an ordinary move at the start of the turn"
        board, dice = self.start
        return max(die for die in dice if ordinary_moves(board, die, self.rules))

    def _ordinary(self, state: TurnState) -> Iterator[tuple[Use, TurnState]]:
        for die in dict.fromkeys(state.dice):
            rest = without(state.dice, die)
            for start, end in ordinary_moves(state.board, die, self.rules):
                yield (die, start, end), TurnState(board_after(state.board, start, end), rest)

    def uses(self, state: TurnState) -> Iterator[tuple[Use, TurnState]]:
        """Yield everything that can be done with one die, and where it leads: moves first, then forfeits."""
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        if self.longest == 0:
            return
        yield from self._ordinary(state)
        for die in dict.fromkeys(state.dice):
            if may_forfeit(state.board, die, self.rules):
                # "a lawful but never compulsory use of d that changes nothing"
                yield (die, die, die), TurnState(state.board, without(state.dice, die))

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
        return not any(ordinary_moves(state.board, die, self.rules) for die in set(state.dice))

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
        wanted = from_the_rear(target)
        found: set[Dice] = set()
        seen: set[tuple[TurnState, Dice]] = set()
        open_: list[tuple[TurnState, Dice]] = [(self.start, ())]
        while open_:
            state, given_up = open_.pop()
            if (state, given_up) in seen:
                continue
            seen.add((state, given_up))
            if state.board == target and self.is_whole(state):
                found.add(given_up)
            for (die, start, end), after in self.uses(state):
                if start == end:
                    open_.append((after, tuple(sorted((*given_up, die), reverse=True))))
                # Checkers only go down: whoever is past the target will not get there.
                elif all(map(int.__ge__, from_the_rear(after.board), wanted)):
                    open_.append((after, given_up))
        return found


def from_the_rear(board: Board) -> list[int]:
    """Return the number of the mover's checkers on each point or above it, from the bar down.

    Examples
    --------
    >>> from_the_rear([0, 2, 0, 1] + [0] * 22)[-4:]
    [0, 1, 1, 3]
    """
    return list(accumulate(max(number, 0) for number in board[:OFF:-1]))


def without(dice: Dice, die: int) -> Dice:
    """Return the dice without one of them.

    Examples
    --------
    >>> without((5, 5, 5, 5), 5)
    (5, 5, 5)
    """
    at = dice.index(die)
    return dice[:at] + dice[at + 1 :]
