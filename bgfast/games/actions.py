"""What a player does in a game, as a value: the entries of a game's history."""

from __future__ import annotations

from dataclasses import dataclass

from bgfast.position.objects import Position

__all__ = ["Action"]


@dataclass(frozen=True)
class Action:
    """One entry of a game's history.

    Attributes
    ----------
    name : str
        The method of `Game` or `Match` that did it: ``"roll"``, ``"play"``, ``"double"`` ...
    player : int or None
        Who did it; None for the opening roll and the lot, which belong to both.
    dice : (int, int) or None
        What was thrown. In the opening the first die is that of player 0.
    white : int or None
        The player whom the lot made White.
    after : Position or None
        What a play led to, from the next player's side.
    text : str
        A play in notation, with the dice that it forfeits; empty for anything else. An illegal play has the
        order in which it was given.
    unchecked : bool
        Whether the play was made without a check, and is illegal.
    ends_turn : bool
        Whether a play ended the turn at once.
    level : int
        What a resignation offered: 1, 2 or 3 times the cube; 0 for anything else.

    Notes
    -----
    Immutable and hashable.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(dice=[(3, 1)])
    >>> _ = game.roll()
    >>> game.play("8/5 6/5")
    >>> [(action.name, action.player, action.dice, action.text) for action in game.history]
    [('roll', None, (3, 1), ''), ('play', 0, None, '8/5 6/5')]
    """

    name: str
    player: int | None = None
    dice: tuple[int, int] | None = None
    white: int | None = None
    after: Position | None = None
    text: str = ""
    unchecked: bool = False
    ends_turn: bool = True
    level: int = 0
