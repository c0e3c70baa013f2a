"""Turns with some rules lifted, which explain the illegal results of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bgfast.common.validation import OFF, Board
from bgfast.position.explain import reason_for
from bgfast.position.turn import BEAR_OFF_RULES, NO_LIMIT, Step, Steps, Turn, TurnState, paths_to, steps


class MovePath(NamedTuple):
    """Sequence of moves that leads to a result."""

    moves: tuple[tuple[int, int], ...] = ()  # one for each die, in order; (d, d) for a forfeited die d
    has_notation: bool = True  # False if a point ends up with checkers of both sides
    reason: str | None = None  # the first illegal move and the rule that it breaks


class LiftedTurn(Turn):
    """Turn with some `RULES` on single moves lifted; lifting rules on whole plays has no effect."""

    def __init__(self, turn: Turn, lifted: frozenset[str]) -> None:
        super().__init__(turn.start.board, turn.roll, turn.rules)
        self._lifted = lifted
        if "too-many-dice" in lifted:
            self.start = repeat_dice(self.start)
        self._never_hits = any(rule.startswith("hit-not-taken") for rule in lifted)
        # The compulsory bear-off rule also covers bear-offs that are possible only with rules lifted.
        self._must_bear_off = (
            self.rules.bearoff_compulsory
            and "bear-off-compulsory" not in lifted
            and not lifted.isdisjoint(
                {"bear-off-too-far", "bear-off-before-all-home", *BEAR_OFF_RULES.values()}
            )
        )

    def steps(self, board: Board, die: int, lowest: Sequence[int] = NO_LIMIT) -> list[Step]:
        """Return the moves and forfeits that the rules in force allow with a die."""
        allowed = self._allowed_steps(board, die, NO_LIMIT if self._must_bear_off else lowest)
        if self._never_hits:
            allowed = [step for step in allowed if not step.hits]
        # docs/RULES.md: "if bearoff_compulsory and some bear-off exists: only the bear-offs"
        if self._must_bear_off and any(step.end == OFF for step in allowed):
            allowed = [step for step in allowed if step.end == OFF or step.is_forfeit]
        return allowed

    def _allowed_steps(self, board: Board, die: int, lowest: Sequence[int]) -> list[Step]:
        """Return the moves and forfeits with a die before hits and compulsory bear-offs are considered."""
        return list(steps(board, die, self.rules, self._lifted, lowest))

    def path_to(self, result: Board) -> MovePath | None:
        """Return a path that reaches a result with the most dice; None if there is none."""
        best: tuple[Step, ...] = ()
        empty: tuple[Step, ...] = ()

        def extend(sequence: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
            return (*sequence, step)

        states = paths_to(
            result, self.start, self._allowed_steps, empty, extend, lambda sequences: sequences[:1]
        )
        for state, (sequence, *_) in states:
            if state.board == result:
                best = sequence or best
        return self._describe(best) if best else None

    def _describe(self, sequence: Sequence[Step]) -> MovePath:
        boards = [self.start.board, *(step.after for step in sequence)]
        reasons = (reason_for(board, step, self.rules) for board, step in zip(boards, sequence, strict=False))
        return MovePath(
            tuple((step.start, step.end) for step in sequence),
            not any(step.captured for step in sequence),
            next(filter(None, reasons), None),
        )

    def lists(self, result: Board) -> bool:
        """Return whether an engine that ignores only the lifted rules lists a result."""
        return self._is_legal(result, self.steps)

    def reaches_legally(self, result: Board) -> bool:
        """Return whether an engine that ignores the lifted rules reaches a result by legal moves alone."""
        return self._is_legal(result, lambda *args: [step for step in self.steps(*args) if not step.broken])

    def _is_legal(self, result: Board, steps_of: Steps) -> bool:
        # docs/RULES.md: "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
        return self.longest > 0 and any(
            state.board == result and self.is_complete(state)
            for state, _ in paths_to(result, self.start, steps_of, (), lambda *_: (), lambda paths: paths[:1])
        )

    def lists_all_legal(self, longest: int) -> bool:
        """Return whether the engine certainly lists all legal plays, which use `longest` dice."""
        may_differ = self._must_bear_off or self._never_hits or self.rules.forfeit != "never"
        return self.longest == longest > 1 and not may_differ


def repeat_dice(start: TurnState) -> TurnState:
    """Return the start with each die twice, for an engine that plays too many dice."""
    return start._replace(dice=start.dice * 2)
