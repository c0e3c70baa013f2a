"""Game, from the opening roll to its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bgfast.common.foreign_names import names_missing
from bgfast.common.validation import PositionLike, RollLike, dice_pair, rule_set
from bgfast.errors import InvalidGameError, InvalidRulesError, short_repr
from bgfast.games.dice import Dice, dice_source
from bgfast.games.game_actions import GameBase
from bgfast.games.history import (
    check_keys,
    dataclass_content,
    position_content,
    read_object,
    read_position,
    read_rules,
)
from bgfast.games.scoring import Cube, MatchScore, player_number
from bgfast.games.state import Action, GameState, evolve
from bgfast.games.transitions import first_state
from bgfast.position.decision import Decision, subject_of
from bgfast.position.formats import UNLIMITED_CUBE
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike


@names_missing
class Game(GameBase[GameState]):
    """Game of backgammon as a state machine that accepts legal actions only.

    Parameters
    ----------
    rules : RuleSet, or the name of a preset
    dice : None, int, numpy.random.Generator, or sequence
        Source of the dice. None: entered by hand, as in ``roll("31")``. An int is the seed of a generator,
        0 to 2**64 - 1. A generator belongs to the game from then on. A sequence holds recorded throws such
        as (3, 1) or ``"31"`` in order; 0 or 1 is the lot that decides the colours.
    position : Position, text or board, optional
        Starting position, `Position.start` by default; from the side of the player on turn, or of player 0
        before the opening roll.
    on_turn : {None, 0, 1}
        None: the game begins with the opening roll or lot of the rules. Otherwise this player is about to
        double or to roll.
    cube : Cube
    match : MatchScore, optional
        Match score; None is money play. (`Match` updates the score itself.)
    roll : (int, int), optional
        Roll already thrown by the player on turn.

    Raises
    ------
    InvalidGameError, InvalidDiceError, InvalidPositionError, InvalidRulesError
        If an argument is invalid, or the position is finished.

    See Also
    --------
    Match : Match to a number of points, or session of several games.
    bgfast.games.read_answer : Parse an action in words.

    Notes
    -----
    The two players are 0 and 1. With ``opening="colour_lot"`` White is the player who is drawn.

    An illegal action raises `IllegalActionError` with the rule and leaves the game unchanged. Every action
    takes ``by=``, the acting player, 0 or 1, and is refused if the opponent is to act. `state` is an
    immutable `GameState`; ``print(game)`` shows its board; do not change a game from several threads at once.

    Source of the rules: docs/RULES.md, section 3.

    Examples
    --------
    >>> import bgfast
    >>> game = bgfast.Game(dice=["31", "64"])
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

    _NOUN = "game"

    def __init__(
        self,
        rules: RuleSetLike = STANDARD,
        *,
        dice: Dice = None,
        position: PositionLike | None = None,
        on_turn: int | None = None,
        cube: Cube = Cube(),  # noqa: B008 - immutable
        match: MatchScore | None = None,
        roll: RollLike | None = None,
    ) -> None:
        rules = game_rules(rules)
        if not isinstance(cube, Cube):
            expected = "a Cube, such as bgfast.games.Cube(2, owner=0)"
            raise InvalidGameError(f"cube is {short_repr(cube)}; expected {expected}")
        if match is not None and not isinstance(match, MatchScore):
            raise InvalidGameError(f"match is {short_repr(match)}; expected a MatchScore or None")
        start = first_state(
            rules,
            match=match,
            position=starting_position(position, "Game"),
            on_turn=None if on_turn is None else player_number("on_turn", on_turn),
            cube=cube,
            roll=None if roll is None else dice_pair(roll),
        )
        super().__init__(start, dice_source(dice))

    @classmethod
    def _of_decision(cls, decision: Decision, rules: RuleSetLike, dice: Dice) -> Game:
        return cls(dice=dice, **game_arguments(decision, rules))

    @classmethod
    def _of_states(cls, history: Sequence[Action], states: Sequence[GameState]) -> Game:
        """Return a game with these actions, the states before them, and the current state."""
        earlier_throws = states[0].throws  # in previous games
        start, *after = (evolve(state, throws=state.throws - earlier_throws) for state in states)
        game = cls.__new__(cls)
        GameBase.__init__(game, start, None)
        game._log += zip(history, after, strict=True)
        game._action_count = len(history)
        return game

    def _start_content(self) -> dict[str, Any]:
        return game_content(self._start)

    @classmethod
    def _from_start(cls, content: Any) -> Game:
        return cls(**read_game(content))

    def __repr__(self) -> str:
        return f"<Game: {self.phase}, {len(self.history)} actions, {self.position!r}>"


def game_content(start: GameState) -> dict[str, Any]:
    """Return the arguments of the game that begins in a state, except dice, as plain data."""
    content = {
        "rules": dataclass_content(start.rules),
        "position": position_content(start.position),
        "on_turn": start.on_turn,
        "cube": dataclass_content(start.cube),
        "match": dataclass_content(start.match),
    }
    return content if start.dice is None else {**content, "roll": start.dice}


def read_game(content: Any) -> dict[str, Any]:
    """Parse the result of `game_content`."""
    check_keys("its start", content, ("rules", "position", "on_turn", "cube", "match"), ("roll",))
    match = content["match"]
    return {
        **content,
        "rules": read_rules(content["rules"]),
        "position": read_position(content["position"]),
        "cube": read_object("its cube", content["cube"], Cube),
        "match": None if match is None else read_object("its match", match, MatchScore),
    }


def game_arguments(decision: Decision, rules: Any) -> dict[str, Any]:
    """Return the arguments of the `Game` that begins with a decision."""
    rules, match = rule_set(rules), None
    mover = 0 if decision.turn == 1 else 1
    if decision.match_length:
        score = (decision.score[mover], decision.score[1 - mover])
        match = MatchScore(decision.match_length, score, decision.crawford)
    else:
        rules = replace(rules, jacoby=decision.jacoby, beavers=decision.beaver)
    if decision.max_cube < UNLIMITED_CUBE:
        rules = replace(rules, cube_limit=decision.max_cube)
    return {
        "rules": rules,
        "position": decision.position,
        "on_turn": mover,
        "cube": Cube(decision.cube, {0: None, 1: mover, -1: 1 - mover}[decision.cube_owner]),
        "match": match,
        "roll": decision.dice,
    }


def game_rules(rules: Any) -> RuleSet:
    """Return a rule set; the error for anything else mentions the argument `position`."""
    try:
        return rule_set(rules)
    except InvalidRulesError as error:
        raise InvalidRulesError(f"{error}; a position is the argument position=...") from None


def starting_position(position: Any, class_name: str) -> Position:
    """Read the position of a game, `Position.start` for None; errors name the class `class_name`."""
    if position is None:
        return Position.start()
    subject = subject_of(position)
    if isinstance(subject, Position):
        return subject
    if subject != Decision(position=subject.position):
        expected = f"a position alone, or {class_name}.from_decision(Decision.read(text))"
        raise InvalidGameError(
            f"position is {short_repr(position)}, with dice, cube, score or turn; expected {expected}"
        )
    return subject.position
