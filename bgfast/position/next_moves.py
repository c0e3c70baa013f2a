"""Legal plays move by move, for interactive boards.

Boards are 26 ints from the mover's side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from bgfast.common.foreign_names import names_missing
from bgfast.common.validation import Board, whole_number
from bgfast.errors import IllegalPlayError, NotationError, short_repr
from bgfast.position.play_text import moves_text, read_hops
from bgfast.position.turn import Turn, TurnState

UNUSED = (-1, -1)  # filler of unused rows in arrays of moves


@names_missing
class Move(NamedTuple):
    """Move of a checker with a die; points are 1 to 24, `from_` 25 is the bar, `to` 0 is off.

    A forfeited die d is the move from d to d.
    """

    die: int
    from_: int
    to: int
    hit: bool


class NextMoves(tuple[Move, ...]):
    """Moves that can follow in a legal play: a tuple of `Move`.

    Attributes
    ----------
    complete : bool
        True if the moves so far are a legal play, even if forfeits may follow.
    """

    complete: bool

    def __new__(cls, moves: Iterable[Move], complete: bool) -> NextMoves:
        """Create the tuple and set `complete`."""
        next_moves = super().__new__(cls, moves)
        next_moves.complete = complete
        return next_moves

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.moves, self.complete

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves as a plain tuple."""
        return tuple(self)

    def __repr__(self) -> str:
        return f"NextMoves({self.moves}, complete={self.complete})"


class PlaySoFar(NamedTuple):
    """State of a turn after some of its moves, from `Position.play_so_far`.

    Attributes
    ----------
    board : tuple of 26 int
        The board after the moves, from the mover's side.
    moves : tuple of Move
        The moves so far.
    text : str
        The moves in notation; empty before the first move.
    next_moves : tuple of Move
        The moves that can follow in a legal play.
    complete : bool
        True if the moves are a complete legal play.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.Position().play_so_far("65", [(24, 18)]).moves
    (Move(die=6, from_=24, to=18, hit=False),)
    """

    board: Board
    moves: tuple[Move, ...]
    text: str
    next_moves: tuple[Move, ...]
    complete: bool


def _continuations(turn: Turn, state: TurnState) -> list[tuple[Move, TurnState]]:
    """Return the moves that can follow in a legal play, and the states after them."""
    return [
        (Move(step.die, step.start, step.end, step.hits), after)
        for step, after in turn.next_steps(state)
        if turn.can_finish(after)
    ]


MovesByState = dict[TurnState, tuple[Move, ...]]


def _states(turn: Turn, so_far: str | Iterable[Sequence[int]]) -> MovesByState:
    """Return each possible state after the moves of `so_far`, with the single-die moves that lead to it.

    All states have the same board; the unused dice may differ: (3, 0) names no die and may use either.
    """
    states: MovesByState = {turn.start: ()}
    for index, requested_move in enumerate(validate_moves(so_far), 1):
        next_states: MovesByState = {}
        for state, moves in states.items():
            for move, after in _continuations(turn, state):
                if requested_move in ((move.from_, move.to), move[:3], move):
                    next_states.setdefault(after, (*moves, move))
        if not next_states and len(requested_move) == 2:
            next_states = _play_joined_move(turn, states, requested_move)
        if not next_states:
            roll = "-".join(map(str, turn.roll))
            start, end = map(short_repr, move_ends(requested_move))
            raise IllegalPlayError(
                f"move {index}, {start}/{end}: no legal play of {roll} continues like this"
            )
        states = next_states
    return states


def _play_joined_move(turn: Turn, states: MovesByState, joined_move: tuple[int, ...]) -> MovesByState:
    """Return the states after a checker makes a joined move with as few dice as possible."""
    start, end = joined_move
    paths: dict[tuple[TurnState, int], tuple[Move, ...]] = {
        (state, start): moves for state, moves in states.items()
    }
    while paths:
        longer_paths: dict[tuple[TurnState, int], tuple[Move, ...]] = {}
        for (state, point), moves in paths.items():
            for move, after in _continuations(turn, state):
                if move.from_ == point != move.to:
                    longer_paths.setdefault((after, move.to), (*moves, move))
        next_states = {state: moves for (state, point), moves in longer_paths.items() if point == end}
        if len({state.board for state in next_states}) > 1:
            raise NotationError(
                f"{start}/{end} can touch down on different points, with different results; "
                "expected a move for each die"
            )
        if next_states:
            return next_states
        paths = {key: moves for key, moves in longer_paths.items() if key[1] > end}
    return {}


def validate_moves(moves: str | Iterable[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Yield each move as (from, to), (die, from, to) or (die, from, to, hit); skip unused rows."""
    if isinstance(moves, str):
        hops, forfeits, _ = read_hops(moves) if moves.strip() else ([], (), set())
        yield from (*hops, *zip(forfeits, forfeits, strict=True))
        return
    if not isinstance(moves, Iterable):
        raise IllegalPlayError(
            f"a play of {short_repr(moves)}; expected text, a Play, or a sequence of moves"
        )
    for index, move in enumerate(moves, 1):
        try:
            values = () if isinstance(move, (str, bytes)) else tuple(islice(move, 5))
        except TypeError:
            values = ()
        points, hit = [whole_number(value) for value in values[:3]], values[3:]
        if len(values) not in (2, 3, 4) or None in points or not all(type(value) is bool for value in hit):
            expected = "(from, to), (die, from, to) or (die, from, to, hit)"
            raise IllegalPlayError(f"move {index} is {short_repr(move)}; expected {expected}")
        fields = (*(value for value in points if value is not None), *hit)
        if fields != UNUSED:
            yield fields


def move_ends(move: tuple[int, ...]) -> tuple[int, int]:
    """Return the start and the end of a move that `validate_moves` yields."""
    start, end = move if len(move) == 2 else move[1:3]
    return start, end


def play_so_far(turn: Turn, so_far: str | Iterable[Sequence[int]]) -> PlaySoFar:
    """Return the state of a turn after some of its moves; see `Position.play_so_far`.

    Next moves are ordered from the highest die down; for each die, from the highest point to the forfeit.
    """
    states = _states(turn, so_far)
    state, moves = next(iter(states.items()))
    text = moves_text(turn.start.board, [(move.from_, move.to) for move in moves])
    next_moves = {move for state in states for move, _ in _continuations(turn, state)}
    ordered_moves = sorted(next_moves, key=lambda move: (-move.die, move.from_ == move.to, -move.from_))
    return PlaySoFar(state.board, moves, text, tuple(ordered_moves), any(map(turn.is_complete, states)))


def final_board(turn: Turn, moves: Iterable[Sequence[int]]) -> Board:
    """Return the board after a play, from the mover's side; raise `IllegalPlayError` if it is incomplete."""
    states = _states(turn, moves)
    first = next(iter(states))
    if not any(map(turn.is_complete, states)):
        raise IllegalPlayError(f"the play is not complete: {_missing_dice_text(turn, first)}")
    return first.board


def _missing_dice_text(turn: Turn, state: TurnState) -> str:
    """Return a clause that names the dice an incomplete play must still use."""
    moves = [move for move, _ in _continuations(turn, state)]
    dice = sorted({move.die for move in moves}, reverse=True)
    used = len(turn.start.dice) - len(state.dice)
    if len(turn.start.dice) == 4:
        dice *= max(turn.longest - used, 1)
    verb = "played" if any(move.from_ != move.to for move in moves) else "forfeited"
    return f"{' and '.join(map(str, dice))} can still be {verb} and must be"
