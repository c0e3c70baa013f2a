"""One game, from the opening roll to its points."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast.common.validation import check_rule_set
from bgfast.errors import InvalidGameError, InvalidPositionError, shown
from bgfast.games.base import GameBase
from bgfast.games.dice import dice_source
from bgfast.games.saving import (
    plain,
    position_content,
    read_cube,
    read_match_score,
    read_position,
    read_rules,
    same_keys,
)
from bgfast.games.scoring import Cube, MatchScore, player_number
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import first_state, next_state
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet

__all__ = ["Dice", "Game", "starting_position"]

Dice = int | np.random.Generator | list[Any] | tuple[Any, ...] | None


class Game(GameBase[GameState]):
    """One game of backgammon as a state machine: what may be done now, and nothing else.

    Parameters
    ----------
    rules : RuleSet
    dice : None, int, numpy.random.Generator, or sequence
        Where the dice come from. None: entered by hand, ``roll((3, 1))``. An int is the seed of a generator,
        0 to 2**64 - 1. A generator belongs to the game from then on. A sequence holds recorded throws such
        as (3, 1) in their order; the lot that decides the colours is 0 or 1 in it.
    position : Position, optional
        Where the game begins, `Position.start` by default; from the side of the player on turn, or of
        player 0 if the opening is still to be rolled.
    on_turn : {None, 0, 1}
        None: the game begins with the opening, as the rules say. Otherwise this player is about to double or
        to roll.
    cube : Cube
    match : MatchScore, optional
        The score of the match that the game belongs to; None is money play. (`Match` keeps the score itself.)

    Raises
    ------
    InvalidGameError
        If the player is none, or the cube or the match is not of its class.
    InvalidDiceError
        If the dice are none of these.
    InvalidPositionError
        If the position is finished.
    InvalidRulesError
        If `rules` is not a `RuleSet`.

    Notes
    -----
    The two players are 0 and 1. With ``opening="colour_lot"`` White is the player who is drawn.

    Whatever is not legal raises an error that names the rule and leaves the game as it was. Every action
    takes ``by=``, the player who does it, and is refused if it is not that player's to do; without it that is
    left aside. `state` is an immutable `GameState`; the game itself is not to be changed from several threads
    at once.

    Source of the rules: docs/RULES.md, section 3.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(dice=[(3, 1), (6, 4)])
    >>> game.roll(), game.on_turn
    ((3, 1), 0)
    >>> game.play("8/5 6/5")
    >>> game.legal_actions()
    ('roll', 'double', 'resign')
    >>> game.double()
    >>> game.take()
    >>> game.roll()
    (6, 4)
    >>> game.double()
    Traceback (most recent call last):
        ...
    bgfast.errors.IllegalActionError: double: only the player on turn may double, and only before rolling
    >>> game.play("24/14")
    >>> game.on_turn, game.cube
    (0, Cube(value=2, owner=0))
    """

    _KIND = "game"

    def __init__(
        self,
        rules: RuleSet = STANDARD,
        *,
        dice: Dice = None,
        position: Position | None = None,
        on_turn: int | None = None,
        cube: Cube = Cube(),  # noqa: B008 - immutable
        match: MatchScore | None = None,
    ) -> None:
        check_rule_set(rules)
        if not isinstance(cube, Cube):
            raise InvalidGameError(f"cube is {shown(cube)}; expected a Cube, as bgfast.Cube(2, owner=0)")
        if match is not None and not isinstance(match, MatchScore):
            raise InvalidGameError(f"match is {shown(match)}; expected a MatchScore or None")
        start = first_state(
            rules,
            match=match,
            position=starting_position(position),
            on_turn=None if on_turn is None else player_number("on_turn", on_turn),
            cube=cube,
            throws=0,
        )
        super().__init__(start, dice_source(dice))

    def _game(self, state: GameState) -> GameState:
        return state

    def _after(self, state: GameState, action: Action) -> GameState:
        return next_state(state, action)

    def _start_content(self) -> dict[str, Any]:
        start = self._start
        return {
            "rules": plain(start.rules),
            "position": position_content(start.position),
            "on_turn": start.on_turn,
            "cube": plain(start.cube),
            "match": plain(start.match),
        }

    @classmethod
    def _from_start(cls, content: Any) -> Game:
        same_keys("its start", content, ("rules", "position", "on_turn", "cube", "match"))
        return cls(
            read_rules(content["rules"]),
            position=read_position(content["position"]),
            on_turn=content["on_turn"],
            cube=read_cube(content["cube"]),
            match=read_match_score(content["match"]),
        )

    def __repr__(self) -> str:
        return f"<Game: {self.phase}, {len(self.history)} actions, {self.position!r}>"


def starting_position(position: Any) -> Position:
    """Return the position in which a game begins.

    Raises
    ------
    InvalidPositionError
        If it is no `Position`.
    """
    if position is None:
        return Position.start()
    if not isinstance(position, Position):
        raise InvalidPositionError(f"position is {shown(position)}; expected a Position")
    return position
