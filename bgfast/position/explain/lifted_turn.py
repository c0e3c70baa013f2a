"""A turn with some rules lifted: how its dice lead to a result, and whether a play would still be legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import OFF, Board
from bgfast.position.explain.sentences import reason_for
from bgfast.position.explain.steps import ANYWHERE, BEAR_OFF_RULES, Step, steps
from bgfast.position.explain.turn import Steps, Turn, TurnState, leading_to

__all__ = ["LiftedTurn", "Way", "more_dice"]


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


class LiftedTurn(Turn):
    """The plays of a position and roll when some rules on single moves do not hold.

    Parameters
    ----------
    turn : Turn
        The position, the roll and the rule set.
    lifted : frozenset of str
        Names of `RULES`; those on whole plays make no difference here.
    """

    def __init__(self, turn: Turn, lifted: frozenset[str]) -> None:
        super().__init__(turn.start.board, turn.roll, turn.rules)
        self._lifted = lifted
        if "too-many-dice" in lifted:
            self.start = more_dice(self.start)
        self._never_hits = any(rule.startswith("hit-not-taken") for rule in lifted)
        # A compulsory bear-off that holds covers those, too, which only the lifted rules allow.
        self._must_bear_off = (
            self.rules.bearoff_compulsory
            and "bear-off-compulsory" not in lifted
            and not lifted.isdisjoint(
                {"bear-off-too-far", "bear-off-before-all-home", *BEAR_OFF_RULES.values()}
            )
        )

    def steps(self, board: Board, die: int, lowest: Sequence[int] = ANYWHERE) -> list[Step]:
        """Return what can be done with a die, and that alone."""
        found = self._allowed(board, die, ANYWHERE if self._must_bear_off else lowest)
        if self._never_hits:
            found = [step for step in found if not step.hits]
        # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
        if self._must_bear_off and any(step.end == OFF for step in found):
            found = [step for step in found if step.end == OFF or step.is_forfeit]
        return found

    def _allowed(self, board: Board, die: int, lowest: Sequence[int]) -> list[Step]:
        """Return what can be done with a die, whatever else could be done with it."""
        return list(steps(board, die, self.rules, self._lifted, lowest))

    def way_to(self, result: Board) -> Way | None:
        """Return the way to a result that uses most dice; None if there is none."""
        best: tuple[Step, ...] = ()
        first: tuple[Step, ...] = ()
        for state, (way, *_) in leading_to(
            result, self.start, self._allowed, first, _one_step_more, lambda ways: ways[:1]
        ):
            if state.board == result:
                best = way or best
        return self._told(best) if best else None

    def _told(self, way: Sequence[Step]) -> Way:
        boards = [self.start.board, *(step.after for step in way)]
        reasons = (reason_for(board, step, self.rules) for board, step in zip(boards, way, strict=False))
        return Way(
            tuple((step.start, step.end) for step in way),
            not any(step.captured for step in way),
            next(filter(None, reasons), None),
        )

    def lists(self, result: Board) -> bool:
        """Whether an engine that lifts these rules and follows all others lists a result."""
        return self._is_legal(result, self.steps)

    def keeps(self, result: Board) -> bool:
        """Whether it lists the result of a legal play for the moves of that play."""
        return self._is_legal(result, lambda *at: [step for step in self.steps(*at) if not step.broken])

    def _is_legal(self, result: Board, uses: Steps) -> bool:
        # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        return self.longest > 0 and any(
            state.board == result and self.is_whole(state)
            for state, _ in leading_to(result, self.start, uses, (), lambda *_: (), lambda past: past[:1])
        )

    def keeps_all(self, longest: int) -> bool:
        """Whether it keeps all legal plays for sure, of which the longest use so many dice."""
        changed = self._must_bear_off or self._never_hits or self.rules.forfeit != "never"
        return self.longest == longest > 1 and not changed


def more_dice(start: TurnState) -> TurnState:
    """Return the start of an engine that does not count its dice well: each number comes twice as often."""
    return start._replace(dice=start.dice * 2)


def _one_step_more(way: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    return (*way, step)
