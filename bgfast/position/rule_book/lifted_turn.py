"""A turn with some rules lifted: how its dice lead to a result, and whether a play would still be legal.

Quotations are from RULES.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from bgfast.common.vocabulary import BAR, OFF, Board
from bgfast.position.rule_book.broken_moves import ANYWHERE, BEAR_OFF_RULES, Step, reason_for, steps
from bgfast.position.rule_book.turn import Turn, without

__all__ = ["LiftedTurn", "Way", "lowest_ends", "may_lead", "more_dice"]

Dice = tuple[int, ...]
State = tuple[Board, Dice]
Moves = Callable[[Board, int, Sequence[int]], Iterable[Step]]


class Way(NamedTuple):
    """How the dice lead to a result.

    Attributes
    ----------
    moves : tuple of (int, int)
        One for each die, in the order in which they are used: 25 = bar, to 0 = off; (d, d) is a forfeited d.
    plain : bool
        Whether the moves alone say what the result is: no checkers meet that cannot stand together.
    reason : str or None
        Which rule the first wrong move breaks, with its points; None if every move is right.
    """

    moves: tuple[tuple[int, int], ...] = ()
    plain: bool = True
    reason: str | None = None


class LiftedTurn:
    """The plays of a position and roll when some rules on single moves do not hold.

    Parameters
    ----------
    turn : Turn
        The position, the roll and the rule set.
    lifted : frozenset of str
        Names of `RULE_ORDER`; those on whole plays make no difference here.
    """

    def __init__(self, turn: Turn, lifted: frozenset[str]) -> None:
        self._lifted = lifted
        self._rules = turn.rules
        self._board = turn.start.board
        self._dice = more_dice(turn.start.dice) if "too-many-dice" in lifted else turn.start.dice
        self._never_hits = any(rule.startswith("hit-not-taken") for rule in lifted)
        # What may be borne off more than the rules say may have to be, too.
        self._must_bear_off = (
            self._rules.bearoff_compulsory
            and "bear-off-compulsory" not in lifted
            and not lifted.isdisjoint(
                {"bear-off-too-far", "bear-off-before-all-home", *BEAR_OFF_RULES.values()}
            )
        )

    def way_to(self, result: Board) -> Way | None:
        """Return the way to a result that uses most dice; None if there is none."""
        best = None
        for (board, _), way in self._leading_to(result, self._allowed):
            if board == result and way.moves:
                best = way
        return best

    @cached_property
    def longest(self) -> int:
        """The greatest number of dice that moves alone can use."""
        known: dict[State, int] = {}

        def most(board: Board, dice: Dice) -> int:
            state = board, dice
            if state not in known:
                known[state] = 0
                for die in dict.fromkeys(dice):
                    for step in self._ordinary(board, die):
                        known[state] = max(known[state], 1 + most(step.after, without(dice, die)))
                        if known[state] == len(dice):
                            return known[state]
            return known[state]

        return most(self._board, self._dice)

    def lists(self, result: Board) -> bool:
        """Whether an engine that lifts these rules and follows all others lists a result."""
        return self._is_whole(result, self._moves)

    def keeps(self, result: Board) -> bool:
        """Whether it lists the result of a legal play for the moves of that play."""
        return self._is_whole(result, lambda *at: [step for step in self._moves(*at) if not step.broken])

    def _is_whole(self, result: Board, moves: Moves) -> bool:
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        return self.longest > 0 and any(
            # "(2) it used at least L dice (a forfeit counts as a use)"
            board == result
            and len(way.moves) >= self.longest
            # "(1) none of its unused dice has an ordinary move in its final state"
            and not any(any(self._ordinary(board, die)) for die in dict.fromkeys(dice))
            and not self._leaves_the_higher(dice)
            for (board, dice), way in self._leading_to(result, moves)
        )

    def keeps_all(self, longest: int) -> bool:
        """Whether it keeps all legal plays for sure, of which the longest use so many dice."""
        changed = self._must_bear_off or self._never_hits or self._rules.forfeit != "never"
        return self.longest == longest > 1 and not changed

    def _leaves_the_higher(self, dice: Dice) -> bool:
        # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
        # ordinary move at the start of the turn"
        if self.longest != 1 or len(self._dice) != 2 or len(dice) != 1:
            return False
        return dice[0] == max(die for die in self._dice if any(self._ordinary(self._board, die)))

    # ------------------------------------------------------------ one die

    def _allowed(self, board: Board, die: int, lowest: Sequence[int]) -> list[Step]:
        """Return what a die can do, whatever else it could do."""
        return [step for step in steps(board, die, self._rules, lowest) if step.broken <= self._lifted]

    def _moves(self, board: Board, die: int, lowest: Sequence[int] = ANYWHERE) -> list[Step]:
        """Return what a die can do, and that alone."""
        found = self._allowed(board, die, ANYWHERE if self._must_bear_off else lowest)
        if self._never_hits:
            found = [step for step in found if not step.hits]
        # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
        if self._must_bear_off and any(step.end == OFF for step in found):
            found = [step for step in found if step.end == OFF or step.is_forfeit]
        return found

    def _ordinary(self, board: Board, die: int) -> Iterator[Step]:
        return (step for step in self._moves(board, die) if not step.is_forfeit)

    # ------------------------------------------------------------ searching

    def _leading_to(self, result: Board, moves: Moves) -> Iterator[tuple[State, Way]]:
        """Yield what may lead to a result, those with fewer dice used first."""
        level: dict[State, Way] = {(self._board, self._dice): Way()}
        while level:
            yield from level.items()
            further: dict[State, Way] = {}
            for (board, dice), way in level.items():
                lowest = lowest_ends(board, result)
                for die in dict.fromkeys(dice):
                    rest = without(dice, die)
                    for step in moves(board, die, lowest):
                        state = step.after, rest
                        if state not in further and may_lead(*state, result):
                            further[state] = Way(
                                (*way.moves, (step.start, step.end)),
                                way.plain and not step.captured,
                                way.reason or reason_for(board, die, step, self._rules),
                            )
            level = further


def more_dice(dice: Dice) -> Dice:
    """Return the dice of an engine that does not count them well: each number twice as often."""
    return dice * 2


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
