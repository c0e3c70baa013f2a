"""Immutable states of a game, and the actions that change them."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from bgfast.errors import IllegalActionError
from bgfast.games.dice import throw_text
from bgfast.games.scoring import LEVELS, PLAYER_NAMES, Cube, GameResult, MatchScore
from bgfast.position.decision import Decision, svg
from bgfast.position.formats import UNLIMITED_CUBE, Offer
from bgfast.position.objects import PlayList, Position
from bgfast.position.picture import Diagram, Svg
from bgfast.rules import RuleSet

ActionName = (
    Literal["draw_lot", "roll", "double", "take", "drop", "beaver", "raccoon", "play", "pass_turn"]
    | Literal["end_turn", "challenge", "roll_again", "resign", "accept_resignation", "refuse_resignation"]
    | Literal["award", "set_position", "next_game"]
)
"""Methods of `Game` and `Match` that are actions; ``"next_game"`` is for matches only."""

GamePhase = (
    Literal["lot", "opening", "first_roll", "to_roll", "to_play", "moved"]
    | Literal["doubled", "beavered", "raccooned", "resigned", "over"]
)
"""Phases of a game, described in `GameState`."""

_plays_cache = threading.local()
Value = TypeVar("Value")
State = TypeVar("State", bound="StateBase")


def evolve(value: Value, **fields: Any) -> Value:
    """Return a copy with changed fields, unchecked; ten times as fast as `dataclasses.replace`."""
    copy: Value = object.__new__(type(value))
    object.__setattr__(copy, "__dict__", vars(value) | fields)
    return copy


@dataclass(frozen=True)
class Action:
    """Entry in a game's history, immutable and hashable.

    Attributes
    ----------
    name : str
        The method of `Game` or `Match`: ``"roll"``, ``"play"``, ``"double"`` ...
    player : int or None
        The acting player; None for the opening roll and the lot, which belong to both. For `set_position`,
        the player on turn.
    dice : (int, int) or None
        The dice of a roll, or the roll to play after `set_position`; in the opening the first die belongs to
        player 0.
    white : int or None
        The player who is White after a lot.
    after : Position or None
        Position after a play, from the next player's side. For `set_position` the new position, or None if
        it is unknown.
    text : str
        A play in notation, with the dice that it forfeits; empty for other actions. An illegal play keeps the
        order of its moves. An unknown play has its recorded moves, followed by ``?`` if some are missing.
    unchecked : bool
        True for an illegal or unknown play, and for a double with a dead cube.
    unknown : bool
        True for a play that leaves the board unknown.
    ends_turn : bool
        True if a play ended the turn at once.
    level : int
        Level of a resignation: 1, 2 or 3 times the cube; 0 for other actions.
    winner : int or None
        Winner of an award.
    points : int
        Points of an award; 0 for other actions.
    score : (int, int) or None
        Recorded score of `next_game`, if stated.
    cube : Cube or None
        The cube set by `set_position`, if it changes.
    crawford : bool or None
        True if a record calls the game of `next_game` the Crawford game; None if the record does not say.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(dice=["31"])
    >>> _ = game.roll()
    >>> game.play("8/5 6/5")
    >>> [(action.name, action.player, action.dice, action.text) for action in game.history]
    [('roll', None, (3, 1), ''), ('play', 0, None, '8/5 6/5')]
    """

    name: ActionName
    player: int | None = None
    dice: tuple[int, int] | None = None
    white: int | None = None
    after: Position | None = None
    text: str = ""
    unchecked: bool = False
    ends_turn: bool = True
    level: int = 0
    winner: int | None = None
    points: int = 0
    score: tuple[int, int] | None = None
    crawford: bool | None = None
    cube: Cube | None = None
    unknown: bool = False


@dataclass(frozen=True)
class Moved:
    """Play on the board that can still be changed.

    Attributes
    ----------
    before : Position
        The position before the play, from the mover's side.
    roll : (int, int)
        The dice.
    after : Position
        The position after the play, from the next player's side.
    legal : bool
        True if the rules allow the play.
    forced : bool
        True if there was no other legal play.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(dice=["31"])
    >>> _ = game.roll()
    >>> game.play("8/5 6/5", end_turn=False)
    >>> game.state.moved.legal, game.state.moved.forced
    (True, False)
    """

    before: Position
    roll: tuple[int, int]
    after: Position
    legal: bool
    forced: bool


OFFERS: Mapping[str, Offer] = {"doubled": "double", "beavered": "beaver", "raccooned": "raccoon"}
OFFER_FACTORS = {"doubled": 2, "beavered": 4, "raccooned": 8}
"""Factors by which the cube grows if the pending offer is taken."""


class StateView:
    """Base class of games, matches and their states, with their text and pictures."""

    __slots__ = ()

    @property
    @abstractmethod
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X."""

    @property
    @abstractmethod
    def _game(self) -> GameState:
        """State of the current game."""

    @property
    def status(self) -> str:
        """Action that is due, or the result, in words.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["44"])
        >>> game.roll(), game.state.status
        ((4, 4), '4-4 is a tie: roll again')
        """
        game = self._game
        if game.result is not None:
            return f"{PLAYER_NAMES[game.result.winner]} wins {game.result}"
        if game.phase == "lot":
            return "the lot decides the colours"
        if game.phase == "opening":
            if game.tied_dice is None:
                return "opening roll: one die each"
            return f"{throw_text(game.tied_dice)} is a tie: roll again"
        if game.phase == "moved":
            return f"{PLAYER_NAMES[game.on_turn or 0]} to end the turn"
        if game.resigned_by is not None:
            level = LEVELS[game.resignation - 1]
            names = PLAYER_NAMES[game.resigned_by], PLAYER_NAMES[1 - game.resigned_by]
            return f"{names[0]} resigns a {level}; {names[1]} to answer"
        return f"{self.decision.status}{'; the board is unknown' if game.board_unknown else ''}"

    @property
    def xgid(self) -> str:
        """The XGID of `decision`. Raises `NotationError` for a cube of more than 32768."""
        return self.decision.xgid

    def __str__(self) -> str:
        return self.decision._board(self.status)

    def _diagram(self) -> Diagram:
        return replace(self.decision._diagram(), status=self.status)

    def _repr_svg_(self) -> Svg:
        return svg(self)


class StateBase(StateView):
    """Base class of `GameState` and `MatchState`."""

    __slots__ = ()

    @abstractmethod
    def _with_game(self: State, game: GameState) -> State:
        """Return the state with the current game replaced."""

    @property
    def _head(self) -> str:
        """Heading of the game in a score sheet."""
        return ""

    def svg(self, **options: Any) -> Svg:
        """Return a picture, with the options of `bgfast.svg`.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Game(on_turn=1).state.svg().split("title>")[1][:-2]
        'Backgammon position: O on roll'
        """
        return svg(self, **options)


@dataclass(frozen=True)
class GameState(StateBase):
    """State of a game, immutable and hashable.

    Attributes
    ----------
    rules : RuleSet
    match : MatchScore or None
        The score of the match that the game belongs to; None in money play.
    phase : str
        Pending action:

        * ``"lot"``: the lot for the colours, in rule sets with ``opening="colour_lot"``.
        * ``"opening"``: one die thrown by each player.
        * ``"first_roll"``: White's first throw, before which there is no cube.
        * ``"to_roll"``: a double or a throw by the player on turn. If `moved` is not None, it is an illegal
          play that the opponent has just made: doubling or throwing accepts it, a challenge takes it back.
        * ``"to_play"``: a play with `dice`, or the pass.
        * ``"moved"``: the end of the turn in which `moved` was played.
        * ``"doubled"``: a take, a drop or a beaver.
        * ``"beavered"``: the doubler's answer to a beaver.
        * ``"raccooned"``: the opponent's answer to the raccoon of the player on turn.
        * ``"resigned"``: the answer to a resignation.
        * ``"over"``: none; the game has a `result`.
    position : Position
        From the side of the player on turn, or of player 0 before the opening is decided. While a play can
        still be changed, the position before that play.
    cube : Cube
    on_turn : int or None
        The player on turn, 0 or 1; None before the opening is decided.
    dice : (int, int) or None
        The roll to play.
    moved : Moved or None
        The play that can still be changed, or an illegal play that is not accepted yet.
    cube_turned : bool
        True if a double was accepted in this game.
    ties : int
        Number of tied opening rolls that doubled the cube.
    resignation : int
        Level of the pending resignation: 1, 2 or 3 times the cube; 0 if there is none.
    resigned_by : int or None
        The resigning player, who need not be on turn; None without a resignation.
    resumes : str
        The phase that resumes if the resignation is refused.
    rolled_in : str or None
        The phase in which `dice` were thrown; None once a checker has been moved with them.
    throws : int
        Number of throws in this game and in the earlier games of the match.
    result : GameResult or None
        Result of the game; None until it is over.
    tied_dice : (int, int) or None
        The last opening roll if it was a tie, which both players roll again; otherwise None.
    board_unknown : bool
        True after an unknown play or position: `position` has the recorded moves that fit, and may be wrong.

    See Also
    --------
    MatchState : State of a match.
    bgfast.Decision : The current decision from the mover's side.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(dice=["31"])
    >>> before = game.state
    >>> game.roll()
    (3, 1)
    >>> before.phase, game.state.phase, game.state.to_act
    ('opening', 'to_play', 0)
    """

    rules: RuleSet
    match: MatchScore | None
    phase: GamePhase
    position: Position
    cube: Cube
    on_turn: int | None = None
    dice: tuple[int, int] | None = None
    moved: Moved | None = None
    cube_turned: bool = False
    ties: int = 0
    resignation: int = 0
    resigned_by: int | None = None
    resumes: GamePhase = "over"
    rolled_in: GamePhase | None = None
    throws: int = 0
    result: GameResult | None = None
    tied_dice: tuple[int, int] | None = None
    board_unknown: bool = False

    @property
    def to_act(self) -> int | None:
        """Player to act, 0 or 1; None if both or neither must act."""
        if self.resigned_by is not None:
            return 1 - self.resigned_by
        if self.on_turn is None or self.phase == "over":
            return None
        return 1 - self.on_turn if self.phase in ("doubled", "raccooned") else self.on_turn

    @property
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X."""
        return self._decision_at((0, 0))

    def _decision_at(self, money_score: tuple[int, int]) -> Decision:
        """Return the decision, with the score `money_score` of players 0 and 1 in money play."""
        mover, owner, match = self.on_turn or 0, self.cube.owner, self.match
        score = money_score if match is None else match.score
        # A `Decision` cannot hold a resignation: use the phase that it interrupted.
        phase = self.resumes if self.phase == "resigned" else self.phase
        offer = OFFERS.get(phase)
        return Decision(
            position=self.position,
            turn=1 if mover == 0 else -1,
            dice=self.dice if offer is None else None,
            offer=offer,
            cube=self.cube.value,
            cube_owner=0 if owner is None else 1 if owner == mover else -1,
            score=(score[mover], score[1 - mover]),
            match_length=0 if match is None else match.length,
            crawford=match is not None and match.crawford,
            jacoby=match is None and self.rules.jacoby,
            beaver=match is None and self.rules.beavers,
            max_cube=max(
                self.rules.cube_limit or UNLIMITED_CUBE, self.cube.value * OFFER_FACTORS.get(phase, 1)
            ),
        )

    @property
    def _game(self) -> GameState:
        return self

    def _with_game(self, game: GameState) -> GameState:
        return game

    def plays(self) -> PlayList:
        """Return the legal plays of the roll; raise `IllegalActionError` if there is no roll."""
        if self.dice is None:
            raise IllegalActionError("plays: there is no roll to be played")
        # One action reads the plays several times. Each thread caches only the plays of its latest state,
        # since a history has thousands of states.
        state, plays = getattr(_plays_cache, "last", (None, None))
        if state is not self or plays is None:
            plays = self.position.plays(self.dice, self.rules)
            _plays_cache.last = self, plays
        return plays
