"""A play that somebody attempts, legal or not, and what comes of it when it is played out.

Most switches of a rule set only take moves away: they are put back one after the other, and the first with
which the play cannot be made any more is the one to name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import NamedTuple

from bgfast.common.vocabulary import OFF, Board
from bgfast.position.rule_book.hops import Hop, hops_text
from bgfast.position.rule_book.moves import board_after, may_forfeit, move_end
from bgfast.position.rule_book.turn import Turn, TurnState, without
from bgfast.rules import RuleSet

__all__ = ["Attempt", "Order", "moved", "orders"]


@dataclass(frozen=True)
class Attempt:
    """A play that somebody attempts, legal or not.

    ``example`` is a legal play (single-die steps) with as few forfeits as any, empty when there is none.
    """

    turn: Turn
    hops: list[Hop]
    forfeits: tuple[int, ...]
    example: list[Hop]

    @property
    def board(self) -> Board:
        """The board before the play, mover's side."""
        return self.turn.start.board

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice of the roll, the higher first; four of a double."""
        return self.turn.start.dice

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self.turn.rules

    @property
    def is_double(self) -> bool:
        """Whether the roll is a double."""
        return len(self.dice) == 4

    @property
    def roll(self) -> str:
        """The roll as text."""
        return f"{self.dice[0]}-{self.dice[1]}"

    @property
    def text(self) -> str:
        """The play as text."""
        return hops_text(self.hops, self.forfeits)

    @property
    def instead(self) -> str:
        """A legal play, for a hint."""
        forfeits = [start for start, end in self.example if start == end]
        return hops_text([hop for hop in self.example if hop[0] != hop[1]], forfeits)

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The dice that are not forfeited."""
        return reduce(without, self.forfeits, self.dice)

    @property
    def borne_off(self) -> list[Hop]:
        """The hops that bear a checker off."""
        return [hop for hop in self.hops if hop[1] == OFF]

    @cached_property
    def after(self) -> Board:
        """The board after the hops, whatever the rules."""
        return moved(self.board, self.hops)

    # The orders in which the play can be made, were no die compulsory: with more and more of the rule set.

    @cached_property
    def freely(self) -> list[Order]:
        """Orders of the hops with bear-offs free, points that hold any number, and forfeits at will."""
        return self._orders(replace(self.rules, bearoff_compulsory=False, stack_max=0))

    @cached_property
    def bearing_off(self) -> list[Order]:
        """Orders of the hops with bear-offs as the rules want them."""
        return self._orders(replace(self.rules, stack_max=0))

    @cached_property
    def stacking(self) -> list[Order]:
        """Orders of the hops with the limit of a point, too: only forfeits still are at will."""
        return self._orders(self.rules)

    @cached_property
    def endings(self) -> list[TurnState]:
        """Where the orders of hops and forfeits lead."""
        return [order.end for order in orders(self.turn.start, self.hops, self.forfeits, self.rules)]

    @property
    def boards(self) -> set[Board]:
        """Where the hops lead past, start and end included, forfeits apart."""
        passed = {board for order in self.stacking for board, *_ in order.moves}
        return passed | {order.end.board for order in self.stacking}

    def _orders(self, rules: RuleSet) -> list[Order]:
        return list(orders(TurnState(self.board, self.moving), self.hops, (), rules))

    @cached_property
    def used(self) -> int:
        """The greatest number of dice that the play can use; ask only if there are endings."""
        return len(self.dice) - min(len(end.dice) for end in self.endings)


class Order(NamedTuple):
    """One order of single moves that makes all the hops."""

    moves: tuple[tuple[Board, int, int, int], ...]  # board before, die, from, to
    end: TurnState


def orders(
    state: TurnState,
    hops: Sequence[Hop],
    forfeits: tuple[int, ...],
    rules: RuleSet,
    made: tuple[tuple[Board, int, int, int], ...] = (),
) -> Iterator[Order]:
    """Yield each order of ordinary moves and forfeits that makes all the hops and forfeits."""
    board, dice = state
    if not hops and not forfeits:
        yield Order(made, state)
    for die in dict.fromkeys(forfeits):
        if die in dice and may_forfeit(board, die, rules):
            yield from orders(TurnState(board, without(dice, die)), hops, without(forfeits, die), rules, made)
    for number, (start, end) in enumerate(hops):
        for die in dict.fromkeys(dice):
            point = move_end(board, start, die, rules)
            if point is None or point < end:
                continue
            rest = [*hops[:number], *([(point, end)] if point > end else []), *hops[number + 1 :]]
            after = TurnState(board_after(board, start, point), without(dice, die))
            yield from orders(after, rest, forfeits, rules, (*made, (board, die, start, point)))


def moved(board: Board, hops: Sequence[Hop]) -> Board:
    """Return the board after the hops, whatever the rules."""
    return reduce(lambda here, hop: board_after(here, *hop), hops, board)
