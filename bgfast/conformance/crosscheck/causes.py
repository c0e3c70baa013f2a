"""Common causes of missing plays: properties that all missing plays and no listed plays have.

A property belongs to single steps in their context. A play has it if every legal way to make the play
includes a step with the property. An engine that cannot make these steps omits exactly these plays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, starmap
from operator import itemgetter
from typing import NamedTuple

from bgfast.common.validation import BAR, HOME, OFF, Board, Roll
from bgfast.conformance.crosscheck.disagreements import Comparison
from bgfast.conformance.protocol import Case
from bgfast.position.turn import Step, Turn, TurnState, bear_off_from, rearmost

DieOfRoll = Callable[[Roll], int]
Covers = Callable[["Use"], bool]

MIN_PLAYS = 3
"""Minimum number of missing plays for which a cause is reported."""
MAX_AGREEING_CASES = 1000
"""Maximum number of cases without disagreements on which a cause is tested."""


class Use(NamedTuple):
    """Use of one die in its context."""

    turn: Turn
    state: TurnState  # before the step
    step: Step
    previous_end: int  # end of the previous step of the turn; -1 for the first step


class Cause(NamedTuple):
    """Property that can be common to all missing plays, and the mistake that it shows."""

    name: str
    predicate: str  # completes "all 12 missing plays ..."
    sentence: str  # completes "the engine ..."
    covers: Covers

    def text(self, plays: int) -> str:
        """Return the sentence of a report, without a full stop."""
        return f"all {plays:,} missing plays {self.predicate}: the engine {self.sentence}"

    @classmethod
    def read(cls, row: str, covers: Covers) -> Cause:
        """Parse a row of the tables below."""
        name, predicate, sentence = (cell.strip() for cell in row.split("|"))
        return cls(name, predicate, sentence, covers)


def _is_double(use: Use) -> bool:
    return len(use.turn.start.dice) == 4


def _starts_with(use: Use, die: DieOfRoll) -> bool:
    return not _is_double(use) and use.previous_end < 0 and use.step.die == die(use.turn.roll)


def _starts_with_by_choice(use: Use, die: DieOfRoll) -> bool:
    can_move = (use.turn.can_move(use.state.board, either) for either in use.state.dice)
    return _starts_with(use, die) and all(can_move)


def _bears_off(use: Use) -> bool:
    return use.step.end == OFF


def _is_at(use: Use, point_of: Callable[[Step], int], point: int) -> bool:
    return point_of(use.step) == point


def _checkers_at_end(use: Use) -> int:
    return 0 if use.step.end == OFF else use.state.board[use.step.end]


def _checkers(board: Board) -> int:
    return sum(checkers for checkers in board[1:] if checkers > 0)


_ORDERS: tuple[tuple[str, str, str, DieOfRoll], ...] = (
    ("lower-die-first", "the lower number", "the higher number", min),
    ("higher-die-first", "the higher number", "the lower number", max),
    ("second-die-first", "the second die", "the first die", itemgetter(1)),
    ("first-die-first", "the first die", "the second die", itemgetter(0)),
)
_ORDER = "{} | start with {} | plays {} first and tries no other order"
_CHOICE = (
    "{0}-by-choice | start with {1} though the other can be played"
    "| tries {1} first only if {2} cannot be played"
)
_STEPS: Mapping[str, Covers] = {
    "enters | enter a checker | enters no checker from the bar": lambda use: use.step.start == BAR,
    "enters-second | enter a second checker from the bar | enters only one checker per turn": (
        lambda use: use.step.start == BAR and use.previous_end >= 0
    ),
    "moves-after-entering | make another move after entering| ends the turn when the bar is empty again": (
        lambda use: use.turn.start.board[BAR] > 0 and use.step.start != BAR
    ),
    "same-checker | move one checker twice in a row | moves no checker twice in a row": (
        lambda use: use.step.start == use.previous_end
    ),
    "bears-off | bear a checker off | bears no checker off": _bears_off,
    "bears-off-with-higher-number | bear a checker off with a number above its point"
    "| bears off with the exact number only": lambda use: _bears_off(use) and use.step.die > use.step.start,
    "bears-off-with-exact-number | bear a checker off with its exact number"
    "| bears off with higher numbers only": lambda use: _bears_off(use) and use.step.die == use.step.start,
    "bears-off-below-rearmost | bear off a checker that is not the rearmost"
    "| bears off the rearmost checker only": (
        lambda use: _bears_off(use) and use.step.start < rearmost(use.state.board)
    ),
    "bears-off-after-coming-home | bear a checker off after the last one came home in the same turn"
    "| checks only at the start of the turn whether all checkers are home": (
        lambda use: _bears_off(use) and rearmost(use.turn.start.board) > HOME
    ),
    "bears-off-second | bear a second checker off | bears off only one checker per turn": (
        lambda use: _bears_off(use) and _checkers(use.state.board) < _checkers(use.turn.start.board)
    ),
    "moves-though-it-can-bear-off | move with a number that can bear a checker off"
    "| bears off whenever it can": lambda use: (
        not _bears_off(use) and bear_off_from(use.state.board, use.step.die, use.turn.rules) != OFF
    ),
    "doubles | use a double | plays no doubles": _is_double,
    "third-of-double | use three or four numbers of a double | plays doubles as two numbers": (
        lambda use: _is_double(use) and len(use.state.dice) <= 2
    ),
    "fourth-of-double | use all four numbers of a double | plays at most three numbers of a double": (
        lambda use: _is_double(use) and len(use.state.dice) == 1
    ),
    "hits-second | hit with a number after the first | hits with the first number only": (
        lambda use: use.step.hits and use.previous_end >= 0
    ),
    "hits-while-bar-is-taken | hit while an opposing checker is on the bar"
    "| hits only if the opponent's bar is empty": lambda use: use.step.hits and use.state.board[0] < 0,
    "hits-from-bar | hit with a checker that enters | treats blots as blocked for checkers that enter": (
        lambda use: use.step.hits and use.step.start == BAR
    ),
    "hits-at-home | hit in the mover's home board | treats blots in its home board as blocked": (
        lambda use: use.step.hits and use.step.end <= HOME
    ),
    "jumps | jump over a held point | cannot pass points that are blocked": (
        lambda use: any(checkers <= -2 for checkers in use.state.board[use.step.end + 1 : use.step.start])
    ),
    "stacks-six | put a sixth checker on a point | puts at most five checkers on a point": (
        lambda use: _checkers_at_end(use) >= 5
    ),
    "lands-on-own | land on a point with the mover's checkers | treats these points as blocked": (
        lambda use: _checkers_at_end(use) > 0
    ),
    "breaks-point | leave one checker on a point that held two"
    "| never takes one of two checkers from a point": (
        lambda use: use.step.start < BAR and use.state.board[use.step.start] == 2
    ),
}
"""Properties of single steps, by name, predicate and sentence of the cause."""

_POINTS: Mapping[str, Callable[[Step], int]] = {
    "from-{0} | move a checker from {0} | moves no checker from {0}": lambda step: step.start,
    "to-{0} | land on {0} | lets no checker land on {0}": lambda step: step.end,
    "hits-on-{0} | hit on {0} | treats a blot on {0} as blocked": lambda step: step.end if step.hits else -1,
}
_ROWS: Mapping[str, Covers] = {
    "hits | hit | treats blots as blocked": lambda use: use.step.hits,
    **{_ORDER.format(*texts): partial(_starts_with, die=die) for *texts, die in _ORDERS},
    **{_CHOICE.format(*texts): partial(_starts_with_by_choice, die=die) for *texts, die in _ORDERS},
    **_STEPS,
    **{
        row.format(point): partial(_is_at, point_of=point_of, point=point)
        for row, point_of in _POINTS.items()
        for point in range(1, 25)
    },
}
CAUSES = tuple(starmap(Cause.read, _ROWS.items()))
"""Possible causes; the first that fits is reported."""


def _states_avoiding(turn: Turn, cause: Cause) -> Iterator[TurnState]:
    """Yield the states after legal steps without the property."""
    states = {(turn.start, -1)}
    queue = list(states)
    for state, previous_end in queue:
        yield state
        for step, after in turn.next_steps(state):
            entry = after, step.end
            is_covered = not step.is_forfeit and cause.covers(Use(turn, state, step, previous_end))
            if not is_covered and entry not in states:
                states.add(entry)
                queue.append(entry)


def explains(cause: Cause, case: Case, missing: Sequence[Board], legal: Iterable[Board]) -> bool:
    """Return whether all missing plays of a case have the property, and no listed legal play has it."""
    turn = Turn(case.board, case.roll, case.rules)
    states = list(_states_avoiding(turn, cause))
    complete_boards = {state.board for state in states if turn.is_complete(state)}
    # A play cut short can lead to the same board as a legal play, as bear-offs with either number do.
    reached_boards = {state.board for state in states}
    return set(legal) - reached_boards <= set(missing) and complete_boards.isdisjoint(missing)


def explains_illegal(cause: Cause, comparison: Comparison) -> bool:
    """Return whether the illegal plays of a case are legal plays cut short before covered steps."""
    illegal = comparison.difference.illegal
    if not illegal:
        return True
    case = comparison.case
    turn = Turn(case.board, case.roll, case.rules)
    return set(illegal) <= {state.board for state in _states_avoiding(turn, cause)}


def common_cause(
    comparisons: Sequence[Comparison], cases: Iterable[Case], successors: Callable[[Case], Sequence[Board]]
) -> Cause | None:
    """Return the cause that covers all missing plays and no listed legal play; None if there is none.

    `comparisons` are the comparisons with disagreements; the engine agrees on `cases`.
    """
    differences = [(comparison.case, comparison.difference.missing) for comparison in comparisons]
    if sum(len(missing) for _, missing in differences) < MIN_PLAYS:
        return None
    # Cases with missing plays come first, as they exclude most causes; doubles, the slowest, come last.
    differences.sort(key=lambda item: (not item[1], item[0].roll[0] == item[0].roll[1]))
    causes = list(CAUSES)
    agreements = ((case, ()) for case in islice(cases, MAX_AGREEING_CASES))
    for source in (differences, agreements):
        for case, missing in source:
            legal = successors(case)
            causes = [cause for cause in causes if explains(cause, case, missing, legal)]
            if not causes:
                return None
    return causes[0]
