"""GNU Backgammon's match IDs: dice, cube and score in 12 characters.

Source: the GNU Backgammon manual, "A technical description of the Match ID", and IDs printed by version 1.07,
which have an additional bit for the Jacoby rule.

Bits, the least significant first: 0-3 log2 of the cube; 4-5 its owner, 3 for nobody; 6 the player on roll;
7 set in the Crawford game; 8-10 the state of the game, 1 if in progress; 11 the player who has to decide; 12
set if a double is offered; 13-14 a resignation; 15-17 and 18-20 the dice, 0 for none; 21-35 the length of the
match, 0 for money; 36-50 and 51-65 the scores; 66 set without the Jacoby rule. Player 0 is O, player 1 is X.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

from bgfast.errors import NotationError, shown_ascii
from bgfast.position.text.xgid_text import MAX_LOG2_CUBE, MAX_POINTS, UNLIMITED_CUBE, Context

_WIDTHS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
_NOBODY = 3
MAX_CUBE = 1 << MAX_LOG2_CUBE
_PLAYING = 1
_LENGTH = 12
_MATCH_ID = re.compile("[A-Za-z0-9+/]{12}", re.ASCII)


def match_id_of(context: Context) -> str:
    """Return the match ID of a valid context.

    Raises `NotationError` if a beaver or a raccoon is on offer, or the cube or the points are too high.
    """
    if context.offer not in (None, "double"):
        raise NotationError(f"a match ID cannot represent the offer of a {context.offer}; an XGID can")
    if context.cube > MAX_CUBE or max(*context.score, context.match_length) > MAX_POINTS:
        raise NotationError(
            f"a match ID has no room for a cube of {context.cube}, a score of {context.score} or a match to "
            f"{context.match_length}; expected {MAX_CUBE} and {MAX_POINTS} points at most"
        )
    on_roll = 1 if context.turn == 1 else 0
    owner = on_roll if context.cube_owner == 1 else 1 - on_roll
    score = context.score if on_roll == 0 else (context.score[1], context.score[0])
    first, second = (0, 0) if context.dice is None else sorted(context.dice, reverse=True)
    doubled = context.offer == "double"
    packed = _packed(
        (
            context.cube.bit_length() - 1,
            owner if context.cube_owner else _NOBODY,
            on_roll,
            context.crawford,
            _PLAYING,
            1 - on_roll if doubled else on_roll,
            doubled,
            0,
            first,
            second,
            context.match_length,
            *score,
            not context.jacoby,  # False in matches
        )
    )
    return base64.b64encode(packed.to_bytes(9, "little")).decode("ascii")


def read_match_id(text: str) -> Context:
    """Return the context of a match ID.

    Raises `NotationError` if the text is no match ID, or that of a finished game or a resignation.
    """
    if not isinstance(text, str) or not _MATCH_ID.fullmatch(text):
        value = shown_ascii(text) if isinstance(text, str) else type(text).__name__
        raise NotationError(f"the match ID is {value}; expected {_LENGTH} characters: A-Z, a-z, 0-9, + or /")
    packed = int.from_bytes(base64.b64decode(text), "little")
    values = list(_parts(packed))
    log2_cube, owner, on_roll, crawford, state, decides, doubled, resigned = values[:8]
    first, second, length, score_o, score_x, no_jacoby = values[8:]
    name = f"the match ID {text}"
    if packed >> sum(_WIDTHS):
        raise NotationError(f"{name} has bits set after its end; expected zeros only")
    if state > _PLAYING or resigned:
        state_text = "a resignation" if resigned else "a finished game"
        raise NotationError(f"{name} is of {state_text}; expected a game in progress")
    if owner == 2:
        raise NotationError(f"{name} gives the cube to player 2; expected 0, 1, or 3 for nobody")
    if decides != (1 - on_roll if doubled else on_roll):
        raise NotationError(f"{name} lets player {decides} decide; expected the other one")
    if max(first, second) > 6 or (first == 0) != (second == 0):
        raise NotationError(f"{name} has the dice {first} and {second}; expected 1 to 6, or 0 for none")
    turn = 1 if on_roll else -1
    return Context(
        turn=turn,
        dice=(first, second) if first and not doubled else None,
        offer="double" if doubled else None,
        cube=1 << log2_cube,
        cube_owner=0 if owner == _NOBODY else (1 if owner == on_roll else -1),
        score=(score_x, score_o) if on_roll else (score_o, score_x),
        match_length=length,
        crawford=bool(crawford),
        jacoby=not length and not no_jacoby,
        max_cube=max(UNLIMITED_CUBE, 1 << log2_cube),
    )


def _packed(values: Iterable[int]) -> int:
    packed = shift = 0
    for value, width in zip(values, _WIDTHS, strict=True):
        packed |= int(value) << shift
        shift += width
    return packed


def _parts(packed: int) -> Iterable[int]:
    for width in _WIDTHS:
        yield packed & ((1 << width) - 1)
        packed >>= width
