"""Legal actions in a state, and the rules that forbid the others.

The sentences in quotation marks are those of docs/RULES.md, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bgfast.games.scoring import PLAYER_NAMES, cube_objection, other_player
from bgfast.games.state import ActionName, GamePhase, GameState

_WAITS = {
    "lot": "the lot has to decide the colours first",
    "opening": "the opening roll has to decide who begins",
    "first_roll": "White's first roll comes first",
    "to_roll": "the dice have not been rolled",
    "to_play": "the roll has to be played first",
    "moved": "the turn has not ended: the dice are still on the board",
    "doubled": "a double is pending: it has to be taken or dropped first",
    "beavered": "a beaver is pending: it has to be taken or dropped first",
    "raccooned": "a raccoon is pending: it has to be taken or dropped first",
    "resigned": "a resignation is pending: it has to be accepted or refused first",
}
_TURNED = {"beavered": "beaver", "raccooned": "raccoon"}


def _waits(state: GameState) -> str:
    """Return the reason to wait with an action of another phase."""
    return _WAITS[state.phase] if state.tied_dice is None else state.status


def objection(state: GameState, action: ActionName) -> str | None:
    """Return the rule that forbids an action at this moment, or None; a particular play is not checked."""
    if state.phase == "over":
        return "the game is over"
    return ACTIONS[action](state)


def allowed_actions(state: GameState) -> tuple[ActionName, ...]:
    """Return the actions that are legal at this moment."""
    return tuple(action for action in ACTIONS if objection(state, action) is None)


def resignation_objection(state: GameState) -> str | None:
    """Return why a named player may not resign now, or None; `objection` is for the player to act."""
    # "a resignation ... by either player at any moment of a game"
    if state.phase == "over":
        return "the game is over"
    return _WAITS["resigned"] if state.phase == "resigned" else None


def actor(state: GameState, action: ActionName) -> int | None:
    """Return the player of an action in this state; None for actions of both players or of neither."""
    if action in ("award", "set_position"):
        return None
    if action == "roll" and state.phase == "moved":
        assert state.on_turn is not None
        return other_player(state.on_turn)  # a premature roll: the turn is not theirs yet
    return state.to_act


def _only_in(*phases: GamePhase) -> Callable[[GameState], str | None]:
    """Return the rule of an action that is legal in these phases."""

    def rule(state: GameState) -> str | None:
        return None if state.phase in phases else _waits(state)

    return rule


def _roll(state: GameState) -> str | None:
    if state.phase == "to_play":
        return "the dice have been rolled; roll_again is for dice that leant or lay outside"
    if state.phase in ("opening", "first_roll", "to_roll", "moved"):
        return None
    return _waits(state)


def _roll_again(state: GameState) -> str | None:
    # "a die leans, or lands outside the right half ... both dice are rolled again"
    if state.phase != "to_play":
        return _waits(state)
    return "the dice stand: a checker has been moved with them" if state.rolled_in is None else None


def _double(state: GameState) -> str | None:
    if state.phase == "first_roll":
        # "no cube before that first roll"
        return "there is no cube before White's first roll"
    if state.phase in ("to_play", "moved"):
        # "only the player on turn, before rolling, may offer"
        return "only the player on turn may double, and only before rolling"
    if state.phase != "to_roll":
        return _waits(state)
    assert state.on_turn is not None
    # "and only if he owns the cube or it is centred"
    opponent = other_player(state.on_turn)
    if state.cube.owner == opponent:
        return f"{PLAYER_NAMES[opponent]} owns the cube and alone may double"
    if state.match is not None and state.match.crawford:
        # "Match play adds ... the Crawford game"
        return "this is the Crawford game, which is played without the cube"
    if is_dead(state):
        # "no double by a player whose score plus the cube's value already reaches the length (a dead cube)"
        return (
            f"the cube is dead: {state.cube.value} wins the match for {PLAYER_NAMES[state.on_turn]} already"
        )
    return _turned_objection(state, 2)


def is_dead(state: GameState) -> bool:
    """Return whether the cube is dead for the player on turn: its value already wins the match."""
    if state.match is None or state.on_turn is None:
        return False
    return state.cube.value >= state.match.away[state.on_turn]


def _turned_objection(state: GameState, factor: int) -> str | None:
    """Return why the cube cannot show `factor` times its value, or None if it can."""
    value, limit = factor * state.cube.value, state.rules.cube_limit
    if limit and value > limit:
        # "the largest cube"
        return f"the cube would show {value}, and the greatest under these rules is {limit}"
    # "bgfast has no cube above 2**30"
    return cube_objection(value)


def _answer_to_double(state: GameState) -> str | None:
    if state.phase in ("doubled", "beavered", "raccooned"):
        return None
    return "no double is pending" if state.phase != "resigned" else _WAITS["resigned"]


def _beaver(state: GameState) -> str | None:
    if state.phase in ("beavered", "raccooned"):
        return f"a {_TURNED[state.phase]} cannot be beavered: it is taken or dropped"
    if state.phase != "doubled":
        return _answer_to_double(state)
    if state.match is not None:
        # "Match play adds ... no beavers"
        return "there are no beavers in match play"
    if not state.rules.beavers:
        return "there are no beavers under these rules"
    # "the doubled player may redouble at once and keep the cube"
    return _turned_objection(state, 4)


def _raccoon(state: GameState) -> str | None:
    if state.phase != "beavered":
        return _answer_to_double(state) or "there is no beaver to answer"
    # "after a beaver the doubler turns the cube once more at once, and it stays with the other"
    return _turned_objection(state, 8)


def _play(state: GameState) -> str | None:
    # "A turn ends when the player picks up his dice": until then a play may be replaced by another
    if state.phase not in ("to_play", "moved"):
        return _waits(state)
    # "No legal play: the turn passes; a pass changes nothing"
    return None if len(state.plays()) else "there is no legal play: the turn passes"


def _pass_turn(state: GameState) -> str | None:
    if state.phase not in ("to_play", "moved"):
        return _waits(state)
    legal = len(state.plays())
    return f"passing is not allowed: there are legal plays ({legal})" if legal else None


def _challenge(state: GameState) -> str | None:
    if state.phase == "to_roll":
        # "an illegal play stands only if the opponent accepts it, which he does by rolling or doubling"
        return None if state.moved is not None else "there is no illegal play to challenge"
    if state.phase == "moved":
        return "the turn has not ended: the play can still be changed"
    return "there is no illegal play to challenge: it was accepted, or there was none"


def _resignation_answer(state: GameState) -> str | None:
    return None if state.phase == "resigned" else "no resignation is pending"


ACTIONS: Mapping[ActionName, Callable[[GameState], str | None]] = {
    "draw_lot": _only_in("lot"),
    "roll": _roll,
    "double": _double,
    "take": _answer_to_double,
    "drop": _answer_to_double,
    "beaver": _beaver,
    "raccoon": _raccoon,
    "play": _play,
    "pass_turn": _pass_turn,
    "end_turn": _only_in("moved"),
    "challenge": _challenge,
    "roll_again": _roll_again,
    "resign": _only_in("first_roll", "to_roll", "to_play"),
    "accept_resignation": _resignation_answer,
    "refuse_resignation": _resignation_answer,
}
