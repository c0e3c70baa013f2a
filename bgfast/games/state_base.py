"""Base class of the states of games and matches: status, XGID and picture."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from bgfast.games.dice import tie_text
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.position.board_svg import Svg, diagram_svg
from bgfast.position.decision import Decision
from bgfast.position.diagram import Diagram


class StateBase:
    """State of a game or match."""

    __slots__ = ()

    @property
    @abstractmethod
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X."""

    @abstractmethod
    def _state_of_game(self) -> Any:
        """Return the `GameState`."""

    @property
    def status(self) -> str:
        """Action that is due, or the result, in words.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(4, 4), (3, 1)])
        >>> game.state.status
        'opening roll: one die each'
        >>> game.roll(), game.state.status
        ((4, 4), '4-4 is a tie: roll again')
        >>> game.roll(), game.state.status
        ((3, 1), 'X to play 3-1')
        """
        game = self._state_of_game()
        if game.result is not None:
            return f"{PLAYER_NAMES[game.result.winner]} wins {game.result}"
        if game.phase == "lot":
            return "the lot decides the colours"
        if game.phase == "opening":
            return "opening roll: one die each" if game.tied_dice is None else tie_text(game.tied_dice)
        return self.decision.status

    @property
    def xgid(self) -> str:
        """The XGID of `decision`. Raises `NotationError` for a cube of more than 32768."""
        return self.decision.xgid

    def svg(self, **options: Any) -> Svg:
        """Return a picture; the options are those of `bgfast.svg`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(3, 1)])
        >>> _ = game.roll()
        >>> game.play("8/5 6/5")
        >>> [state.svg().split("title>")[1][:-2] for state in game.states[1:]]
        ['Backgammon position: X to play 3-1', 'Backgammon position: O on roll']
        """
        return diagram_svg(self._diagram(), **options)

    def _diagram(self) -> Diagram:
        return replace(self.decision._diagram(), status=self.status)

    def _repr_svg_(self) -> Svg:
        return self.svg()
