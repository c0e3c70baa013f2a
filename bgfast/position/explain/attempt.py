"""Attempted plays, legal or not, and the orders in which their hops can be made.

Most switches of a rule set only remove moves. They are lifted and then restored one at a time: a play breaks
the first rule that makes it impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

from bgfast.common.vocabulary import BOARD_SIZE, OFF, Board
from bgfast.position.explain.hops import Hop, hops_text
from bgfast.position.explain.steps import NONE, Step, board_after, steps
from bgfast.position.explain.turn import Turn, TurnState, without
from bgfast.rules import RuleSet


@dataclass(frozen=True)
class Attempt:
    """Attempted play, legal or not."""

    turn: Turn
    hops: list[Hop]
    forfeits: tuple[int, ...]
    example: list[Hop]  # steps of a legal play with the fewest forfeits; empty without legal plays

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
        """Rule set of the turn."""
        return self.turn.rules

    @property
    def is_double(self) -> bool:
        """True if the roll is a double."""
        return len(self.dice) == 4

    @property
    def roll(self) -> str:
        """Text of the roll."""
        return f"{self.dice[0]}-{self.dice[1]}"

    @property
    def text(self) -> str:
        """Text of the play."""
        return hops_text(self.hops, self.forfeits)

    @property
    def alternative(self) -> str:
        """Text of a legal play."""
        forfeits = [start for start, end in self.example if start == end]
        return hops_text([hop for hop in self.example if hop[0] != hop[1]], forfeits)

    @cached_property
    def moved_dice(self) -> tuple[int, ...]:
        """The dice that are not forfeited."""
        return reduce(without, self.forfeits, self.dice)

    @property
    def borne_off(self) -> list[Hop]:
        """The hops that bear a checker off."""
        return [hop for hop in self.hops if hop[1] == OFF]

    @cached_property
    def after(self) -> Board:
        """The board after the hops, ignoring the rules."""
        return moved(self.board, self.hops)

    # Orders of the hops, ignoring which dice must be used; each property adds a rule.

    @cached_property
    def free_orders(self) -> list[Order]:
        """Orders of the hops with free bear-offs, unlimited points and free forfeits."""
        lifted = frozenset({"bear-off-compulsory", "full-point"})
        return list(orders(TurnState(self.board, self.moved_dice), self.hops, (), self.rules, lifted))

    @cached_property
    def bearoff_orders(self) -> list[Order]:
        """Orders of the hops that obey the rules on bear-offs."""
        return [order for order in self.free_orders if "bear-off-compulsory" not in order.broken]

    @cached_property
    def stack_orders(self) -> list[Order]:
        """Orders of the hops that also obey the limit on a point; only forfeits are still free."""
        return [order for order in self.free_orders if not order.broken]

    @cached_property
    def final_states(self) -> list[TurnState]:
        """States after all hops and forfeits, one for each order."""
        return [order.end for order in orders(self.turn.start, self.hops, self.forfeits, self.rules)]

    @property
    def boards(self) -> set[Board]:
        """Boards before, between and after the hops, without forfeits."""
        return {self.board, *(step.after for order in self.stack_orders for step in order.steps)}

    @cached_property
    def max_dice_used(self) -> int:
        """Maximum number of dice that the play can use; requires `final_states`."""
        return len(self.dice) - min(len(end.dice) for end in self.final_states)


class Order(NamedTuple):
    """Order of steps that makes all hops and forfeits."""

    steps: tuple[Step, ...]
    end: TurnState

    @property
    def broken(self) -> set[str]:
        """The rules broken by the steps."""
        return set().union(*(step.broken for step in self.steps))


def orders(
    state: TurnState,
    hops: Sequence[Hop],
    forfeits: tuple[int, ...],
    rules: RuleSet,
    lifted: frozenset[str] = NONE,
    earlier: tuple[Step, ...] = (),
) -> Iterator[Order]:
    """Yield the orders of steps that make all hops and forfeits and break only lifted rules."""
    board, dice = state
    if not hops and not forfeits:
        yield Order(earlier, state)
    lowest = list(range(BOARD_SIZE))
    for start, end in hops:
        lowest[start] = min(lowest[start], end)
    successors = [
        (step, TurnState(step.after, without(dice, die)))
        for die in dict.fromkeys(dice)
        for step in steps(board, die, rules, lifted, lowest)
    ]
    for step, after in successors:
        if step.is_forfeit and step.die in forfeits:
            yield from orders(after, hops, without(forfeits, step.die), rules, lifted, (*earlier, step))
    for number, (start, end) in enumerate(hops):
        for step, after in successors:
            if step.start == start and step.end >= end and not step.is_forfeit:
                remainder = [(step.end, end)] if step.end > end else []
                rest = [*hops[:number], *remainder, *hops[number + 1 :]]
                yield from orders(after, rest, forfeits, rules, lifted, (*earlier, step))


def moved(board: Board, hops: Sequence[Hop]) -> Board:
    """Return the board after the hops, ignoring the rules."""
    return reduce(lambda current, hop: board_after(current, *hop), hops, board)
