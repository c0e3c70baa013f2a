"""XGID and picture, common to the states of games and matches."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from bgfast.games.scoring import PLAYER_NAMES, GameResult
from bgfast.position.board_svg import Diagram, Svg, diagram_svg
from bgfast.position.decision import Decision

__all__ = ["Moment"]


class Moment:
    """State of a game or match that can be displayed."""

    __slots__ = ()

    @property
    @abstractmethod
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X."""

    @abstractmethod
    def _ended(self) -> GameResult | None:
        """Return the result of the game, or None."""

    @property
    def xgid(self) -> str:
        """The XGID of `decision`. Raises `NotationError` for a cube of more than 32768."""
        return self.decision.xgid

    def svg(self, **options: Any) -> Svg:
        """Return a picture of this moment; the options are those of `bgfast.svg`.

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
        """Return the data of a picture."""
        diagram, result = self.decision._diagram(), self._ended()
        if result is None:
            return diagram
        return replace(diagram, status=f"{PLAYER_NAMES[result.winner]} wins {result}")

    def _repr_svg_(self) -> Svg:
        return self.svg()
