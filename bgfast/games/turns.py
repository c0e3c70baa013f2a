"""Plays as actions: legal, unchecked or unknown plays, and batches of recorded turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, tee
from typing import Any, NamedTuple, cast

from bgfast.common.validation import BAR, OFF, generator_switches
from bgfast.errors import BgfastError, IllegalPlayError, InvalidGameError, NotationError, short_repr
from bgfast.games._turns import follow_turns
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import check_action, state_after_turns
from bgfast.position.next_moves import move_ends, validate_moves
from bgfast.position.objects import Position
from bgfast.position.play_text import is_pass, read_hops, strip_roll
from bgfast.position.turn import Hop, board_after, hop_text, hops_text

MAX_DIE = 6
MAX_MOVES = 4
UNKNOWN_PLAY = "?"  # text of an unrecorded play; also follows recorded moves, as in 24/18 ?


def play_action(game: GameState, play: Any, unchecked: bool, end_turn: bool) -> Action:
    """Return the pass or the play as an action; `unchecked` plays need only be physically possible."""
    plays = game.plays()
    if isinstance(play, str):
        play = strip_roll(play, plays.roll)
    # An iterator can be read only once.
    first, second = tee(play) if isinstance(play, Iterator) else (play, play)
    try:
        after, text = plays.play(first), ""
    except (IllegalPlayError, NotationError):
        if not unchecked:
            check_action(game, "play")  # raises a clearer error if the turn passes
            raise
        after, text = move_checkers(game.position, second)
    return action_leading_to(game, after, text, end_turn)


def action_leading_to(game: GameState, after: Position, text: str = "", end_turn: bool = True) -> Action:
    """Return the pass or play that leads to a position; an illegal play gets `text`."""
    plays = game.plays()
    if not len(plays) and after == game.position.flip():
        # "No legal play: the turn passes; a pass changes nothing"
        return Action("pass_turn")
    row = plays._row_leading_to(after)
    text = text if row is None else str(plays[row])
    return Action("play", after=after, text=text, unchecked=row is None, ends_turn=end_turn)


def check_saved_play(game: GameState, action: Action) -> None:
    """Raise `InvalidGameError` unless the text of a saved play matches its result."""
    assert action.after is not None
    if action.unknown:
        if unknown_play(game, action.text) != action:
            raise InvalidGameError(
                f"the unknown play {short_repr(action.text)} does not lead to its position"
            )
        return
    row = game.plays()._row_leading_to(action.after)
    if row is None:
        expected = move_checkers(game.position, action.text)
    else:
        expected = action.after, str(game.plays()[row])
    if (action.after, action.text) != expected:
        raise InvalidGameError(f"the play {short_repr(action.text)} does not lead to {action.after.gnubg_id}")


def unknown_play(game: GameState, text: Any) -> Action:
    """Return a play recorded only as `text`; make its moves if possible, unless they end the game."""
    if not isinstance(text, str):
        raise NotationError(f"an unknown play is {short_repr(text)}; expected a str")
    after, moves = game.position.flip(), text.removesuffix(UNKNOWN_PLAY).rstrip()
    suffix = text[len(moves) :] and f" {UNKNOWN_PLAY}"
    try:
        hops, forfeits = _read_moves(moves)
    except BgfastError:
        moves, suffix = "", UNKNOWN_PLAY
    else:
        moves = hops_text(hops, forfeits) or "pass"
        try:
            position, _ = move_checkers(game.position, moves)
        except BgfastError:
            pass  # the moves do not fit the assumed board
        else:
            after = after if position.phase == "over" else position
    return Action("play", after=after, text=moves + suffix, unchecked=True, unknown=True)


def move_checkers(position: Position, play: Any) -> tuple[Position, str]:
    """Make moves regardless of the rules; return the next player's position and the text of the moves.

    A play is text, or a sequence of (from, to), (die, from, to) or (die, from, to, hit); (d, d) forfeits the
    die d. `IllegalPlayError` is raised if a checker is missing or opposing checkers hold the point.
    """
    hops, forfeits = _read_moves(play)
    board = tuple(position)
    for start, end in hops:
        if board[start] < 1:
            raise IllegalPlayError(f"{hop_text((start, end))}: no checker of the player stands there")
        if end != OFF and board[end] < -1:
            # "A hit needs exactly one", and a point cannot hold checkers of both sides
            hop = hop_text((start, end))
            raise IllegalPlayError(f"{hop}: {-board[end]} opposing checkers hold the point")
        board = board_after(board, start, end)
    return Position.from_array(board, position.checkers).flip(), hops_text(hops, forfeits) or "pass"


def _read_moves(play: Any) -> tuple[list[Hop], list[int]]:
    if isinstance(play, str):
        hops, forfeits, _ = ([], (), set()) if is_pass(play) else read_hops(play, unchecked=True)
        return hops, list(forfeits)
    moves = list(islice(validate_moves(play), MAX_MOVES + 1))
    if len(moves) > MAX_MOVES:
        raise IllegalPlayError(f"a play of more than {MAX_MOVES} moves")
    hops = [move_ends(move) for move in moves]
    for index, (start, end) in enumerate(hops, 1):
        is_move = OFF < start <= BAR and OFF <= end < BAR and start != end
        if not (is_move or 1 <= start == end <= MAX_DIE):
            expected = "(from, to), from: 1 to 25 (bar), to: 0 (off) to 24; or (d, d) for a forfeited die d"
            raise IllegalPlayError(f"move {index} is {short_repr((start, end))}; expected {expected}")
    return [hop for hop in hops if hop[0] != hop[1]], [start for start, end in hops if start == end]


# ---------------------------------------------------------------- batches of recorded turns


Turn = tuple[int | None, tuple[int, int] | None, str]
"""Player, dice, and play in notation (empty for a pass); None where the record has no entry."""


class Turns(NamedTuple):
    """Batch of turns in a history."""

    turns: Sequence[Turn]
    action_count: int  # rolls and plays, excluding a roll made before the batch


def apply_turns(state: GameState, turns: list[Turn | None], first: int) -> tuple[Turns, GameState] | None:
    """Apply turns from index `first` until the first illegal turn; return None if none can be applied.

    A roll that the state already has belongs to the first of these turns.
    """
    if state.phase not in ("to_roll", "to_play") or generator_switches(state.rules) is not None:
        return None
    assert state.on_turn is not None
    count, board = follow_turns(state.position.to_array(), state.on_turn, turns, first)
    if not count:
        return None
    throws = count - (state.phase == "to_play")
    position = Position.from_array(board, state.position.checkers)
    batch = Turns(cast("list[Turn]", turns[first : first + count]), count + throws)
    return batch, state_after_turns(state, count, throws, position)


def play_of_turn(state: GameState, turn: Turn) -> Action:
    """Return the play or pass of an applied turn; `state` has the roll already."""
    assert state.on_turn is not None
    _, board = follow_turns(state.position.to_array(), state.on_turn, [turn], 0)
    return action_leading_to(state, Position.from_array(board, state.position.checkers))
