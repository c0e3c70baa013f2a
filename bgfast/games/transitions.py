"""Rules of a game: legal actions in a state, and the state after an action.

Pure functions. Comments quote docs/RULES.md, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bgfast.common.validation import Roll
from bgfast.errors import (
    IllegalActionError,
    IllegalPlayError,
    InvalidGameError,
    InvalidPositionError,
    short_repr,
)
from bgfast.games.scoring import (
    LEVELS,
    MAX_CUBE_VALUE,
    PLAYER_NAMES,
    Cube,
    Ending,
    GameResult,
    MatchScore,
    cube_objection,
    win_level,
)
from bgfast.games.state import OFFERS, Action, ActionName, GamePhase, GameState, Moved, evolve
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

_WAIT_REASONS = {
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
_Transition = Callable[[GameState, Action], GameState]


def _wait_reason(state: GameState) -> str:
    return _WAIT_REASONS[state.phase] if state.tied_dice is None else state.status


def objection(state: GameState, action: ActionName) -> str | None:
    """Return the rule that forbids an action at this moment, or None; the play itself is not checked."""
    if state.phase == "over":
        return "the game is over"
    return ACTIONS[action][0](state)


def actor(state: GameState, action: ActionName) -> int | None:
    """Return the player of an action in this state; None for actions of both players or of neither."""
    if action in ("award", "set_position"):
        return None
    if action == "roll" and state.phase == "moved":
        return _opponent(state)  # a premature roll: the turn has not passed yet
    return state.to_act


def _opponent(state: GameState) -> int:
    assert state.on_turn is not None
    return 1 - state.on_turn


def _only_in(*phases: GamePhase, reason: str = "") -> Callable[[GameState], str | None]:
    """Return a function that objects to an action outside `phases`; `reason` defaults to `_wait_reason`."""
    return lambda state: None if state.phase in phases else reason or _wait_reason(state)


def _roll_objection(state: GameState) -> str | None:
    if state.phase == "to_play":
        return "the dice have been rolled; roll_again is for dice that are cocked or off the board"
    if state.phase in ("opening", "first_roll", "to_roll", "moved"):
        return None
    return _wait_reason(state)


def _roll_again_objection(state: GameState) -> str | None:
    # "a die leans, or lands outside the right half ... both dice are rolled again"
    if state.phase != "to_play":
        return _wait_reason(state)
    return "the dice stand: a checker has been moved with them" if state.rolled_in is None else None


def _double_objection(state: GameState) -> str | None:
    if state.phase == "first_roll":
        # "no cube before that first roll"
        return "there is no cube before White's first roll"
    if state.phase in ("to_play", "moved"):
        # "only the player on turn, before rolling, may offer"
        return "only the player on turn may double, and only before rolling"
    if state.phase != "to_roll":
        return _wait_reason(state)
    # "and only if that player owns the cube or it is centred"
    opponent = _opponent(state)
    if state.cube.owner == opponent:
        return f"{PLAYER_NAMES[opponent]} owns the cube and alone may double"
    if _is_crawford(state):
        # "Match play adds ... the Crawford game"
        return "this is the Crawford game, which is played without the cube"
    if is_dead(state):
        # "no double by a player whose score plus the cube's value already reaches the length (a dead cube)"
        name = PLAYER_NAMES[1 - opponent]
        return f"the cube is dead: {state.cube.value} wins the match for {name} already"
    return _limit_objection(state, 2)


def _is_crawford(state: GameState) -> bool:
    return state.match is not None and state.match.crawford


def is_dead(state: GameState) -> bool:
    """Return whether the cube is dead for the player on turn: its value already wins the match."""
    if state.match is None or state.on_turn is None:
        return False
    return state.cube.value >= state.match.away[state.on_turn]


def _limit_objection(state: GameState, factor: int) -> str | None:
    """Return why the cube cannot show `factor` times its value, or None if it can."""
    value, limit = factor * state.cube.value, state.rules.cube_limit
    if limit and value > limit:
        # "the largest cube"
        return f"the cube would show {value}, but the largest cube under these rules is {limit}"
    # "bgfast has no cube above 2**30"
    return cube_objection(value)


def _answer_objection(state: GameState) -> str | None:
    if state.phase in ("doubled", "beavered", "raccooned"):
        return None
    return "no double is pending" if state.phase != "resigned" else _WAIT_REASONS["resigned"]


def _beaver_objection(state: GameState) -> str | None:
    if state.phase in ("beavered", "raccooned"):
        return f"a {OFFERS[state.phase]} cannot be beavered: it is taken or dropped"
    if state.phase != "doubled":
        return _answer_objection(state)
    if state.match is not None:
        # "Match play adds ... no beavers"
        return "there are no beavers in match play"
    if not state.rules.beavers:
        return "there are no beavers under these rules"
    # "the doubled player may redouble at once and keep the cube"
    return _limit_objection(state, 4)


def _raccoon_objection(state: GameState) -> str | None:
    if state.phase != "beavered":
        return _answer_objection(state) or "there is no beaver to answer"
    # "after a beaver the doubler may turn the cube once more at once, and it stays with the opponent"
    return _limit_objection(state, 8)


def _play_objection(state: GameState) -> str | None:
    # "A turn ends when the player picks up the dice": until then a play may be replaced by another
    if state.phase not in ("to_play", "moved"):
        return _wait_reason(state)
    # "No legal play: the turn passes; a pass changes nothing"
    return None if len(state.plays()) else "there is no legal play: the turn passes"


def _pass_turn_objection(state: GameState) -> str | None:
    if state.phase not in ("to_play", "moved"):
        return _wait_reason(state)
    legal = len(state.plays())
    return f"passing is not allowed: there are legal plays ({legal})" if legal else None


def _challenge_objection(state: GameState) -> str | None:
    if state.phase == "to_roll":
        # "an illegal play stands only if the opponent accepts it, by rolling or doubling"
        return None if state.moved is not None else "there is no illegal play to challenge"
    if state.phase == "moved":
        return "the turn has not ended: the play can still be changed"
    return "there is no illegal play to challenge: it was accepted, or there was none"


# ---------------------------------------------------------------- transitions


def first_state(
    rules: RuleSet,
    *,
    position: Position,
    match: MatchScore | None = None,
    on_turn: int | None = None,
    cube: Cube = Cube(),  # noqa: B008 - immutable
    throws: int = 0,
    roll: Roll | None = None,
) -> GameState:
    """Return the first state of a game; with `roll`, `on_turn` is to play it."""
    if roll is not None and on_turn is None:
        raise InvalidGameError(
            f"roll is {short_repr(roll)}, but on_turn is None; expected a player for the roll"
        )
    if position.phase == "over":
        raise InvalidPositionError("the game is over: one side has borne off all its checkers")
    # "colours by lot, White throws two fresh dice" or "each rolls one die, the higher starts"
    phase: GamePhase = "lot" if rules.opening == "colour_lot" else "opening"
    start = GameState(rules, match, phase, position, cube, throws=throws)
    if on_turn is None:
        return start
    start = evolve(start, phase="to_roll", on_turn=on_turn, cube_turned=cube.owner is not None)
    return start if roll is None else evolve(start, phase="to_play", dice=roll, rolled_in="to_roll")


def check_action(state: GameState, name: ActionName) -> None:
    """Raise `IllegalActionError`, which names the rule, if an action is not legal now."""
    reason = objection(state, name)
    if reason is not None:
        raise IllegalActionError(f"{name}: {reason}")


def next_state(state: GameState, action: Action) -> GameState:
    """Return the state after an action; raise `IllegalActionError` or `IllegalPlayError` if it is illegal."""
    # "a resignation ... by either player at any moment of a game"
    is_resignation = action.name == "resign" and action.player is not None
    if is_resignation or action.name in _ANY_PHASE_ACTIONS:
        if state.phase == "over":
            raise IllegalActionError(f"{action.name}: the game is over")
        if is_resignation and state.phase == "resigned":
            raise IllegalActionError(f"resign: {_WAIT_REASONS['resigned']}")
    elif action.name == "double" and action.unchecked:
        _check_dead_double(state)
    # An unchecked play is possible even if there is no legal play.
    elif not (action.unchecked and state.phase in ("to_play", "moved")):
        check_action(state, action.name)
    transition = _ANY_PHASE_ACTIONS.get(action.name) or ACTIONS[action.name][1]
    return transition(state, action)


# ---------------------------------------------------------------- dice


def _draw_lot(state: GameState, action: Action) -> GameState:
    # "colours by lot, White throws two fresh dice (a double is possible)"
    assert action.white is not None
    return _with_on_turn(evolve(state, phase="first_roll", throws=state.throws + 1), action.white)


def _with_on_turn(state: GameState, player: int) -> GameState:
    """Give the first turn to a player; until then the position is from the side of player 0."""
    return evolve(state, on_turn=player, position=state.position.flip() if player else state.position)


def _roll(state: GameState, action: Action) -> GameState:
    assert action.dice is not None
    state = evolve(state, throws=state.throws + 1)
    if state.phase == "opening":
        return _opening_roll(state, action.dice)
    if state.phase == "moved":
        return _premature_roll(state, action.dice)
    # "an illegal play stands only if the opponent accepts it, by rolling or doubling"
    return evolve(state, phase="to_play", dice=action.dice, rolled_in=state.phase, moved=None)


def _opening_roll(state: GameState, dice: tuple[int, int]) -> GameState:
    if dice[0] == dice[1]:
        state = evolve(state, tied_dice=dice)
        # "each opening tie doubles the centred cube, at most n times"; the Crawford game has no cube; "bgfast
        # has no cube above 2**30"
        max_cube = min(state.rules.cube_limit or MAX_CUBE_VALUE, MAX_CUBE_VALUE)
        is_limit_reached = state.ties == state.rules.automatic_doubles or state.cube.value >= max_cube
        if is_limit_reached or _is_crawford(state):
            return state
        return evolve(state, ties=state.ties + 1, cube=Cube(2 * state.cube.value))
    # "each rolls one die, the higher starts and plays those two numbers"
    state = _with_on_turn(state, 0 if dice[0] > dice[1] else 1)
    return evolve(state, phase="to_play", dice=dice, rolled_in="opening", tied_dice=None)


def _premature_roll(state: GameState, dice: tuple[int, int]) -> GameState:
    """Return the state after the opponent rolls while the dice of the turn are still on the board."""
    moved = state.moved
    assert moved is not None
    # "void ...: a roll before the opponent has ended the turn is repeated, unless the opponent's play was
    # forced or there is no contact"
    if state.rules.premature_roll == "void" and not moved.forced and moved.after.phase == "contact":
        return state
    state = _end_turn(state, Action("end_turn"))
    return evolve(state, phase="to_play", dice=dice, rolled_in="to_roll", moved=None)


def _roll_again(state: GameState, action: Action) -> GameState:
    # "both dice are rolled again"
    assert state.rolled_in is not None
    before = evolve(state, phase=state.rolled_in, dice=None, rolled_in=None)
    if state.rolled_in == "opening":
        position = state.position.flip() if state.on_turn else state.position
        before = evolve(before, on_turn=None, position=position)
    return _roll(before, action)


# ---------------------------------------------------------------- the cube


def _double(state: GameState, action: Action) -> GameState:
    # "an illegal play stands only if the opponent accepts it, by rolling or doubling"
    return evolve(state, phase="doubled", moved=None)


def _check_dead_double(state: GameState) -> None:
    """Raise `IllegalActionError` unless a double is illegal only because the cube is dead."""
    # "a double with a dead cube ...: double() refuses it, double(unchecked=True) accepts it"
    if not is_dead(state):
        check_action(state, "double")
        raise IllegalActionError("double: the cube is not dead; expected unchecked=False")
    # Without a match no cube is dead, so the remaining rules decide.
    check_action(state if _is_crawford(state) else evolve(state, match=None), "double")


def _take(state: GameState, action: Action) -> GameState:
    # "accepting gives the cube to the acceptor at twice the value"; after a beaver the doubler accepts four
    # times the value, and the beaverer keeps the cube; after a raccoon the beaverer accepts eight times, "and
    # it stays with the opponent"
    value = 2 * points_of_drop(state)
    return evolve(state, phase="to_roll", cube=Cube(value, _opponent(state)), cube_turned=True)


def _drop(state: GameState, action: Action) -> GameState:
    assert state.to_act is not None
    return _finish(state, 1 - state.to_act, points_of_drop(state), 1, "drop")


def points_of_drop(state: GameState) -> int:
    """Return the points that a drop loses in this state, even if a resignation interrupts the offer."""
    # "refusing loses the stake before the offer"; "the doubler may then accept or give up the stake before
    # the beaver": twice the original stake
    phase = state.resumes if state.phase == "resigned" else state.phase
    return {"beavered": 2, "raccooned": 4}.get(phase, 1) * state.cube.value


# ---------------------------------------------------------------- plays


def _play(state: GameState, action: Action) -> GameState:
    after = action.after
    assert after is not None
    assert state.dice is not None
    if action.unknown:
        return evolve(_next_turn(state, after), moved=None, board_unknown=True)
    plays = state.plays()
    is_legal = plays._row_leading_to(after) is not None
    if is_legal == action.unchecked:
        problem = "legal, but marked unchecked" if is_legal else f"not one of the {len(plays)} legal plays"
        raise IllegalPlayError(f"'{action.text}' is {problem}")
    if after.phase == "over":
        if not is_legal:
            # The opponent could no longer accept it by rolling or doubling.
            raise IllegalPlayError(f"'{action.text}' would end the game: nobody could challenge it")
        # "the game ends the moment the last checker is off"
        return _finish_bearoff(evolve(_next_turn(state, after), moved=None))
    moved = Moved(state.position, state.dice, after, is_legal, forced=len(plays) <= 1)
    state = evolve(state, phase="moved", moved=moved, rolled_in=None)
    return _end_turn(state, action) if action.ends_turn else state


def _pass_turn(state: GameState, action: Action) -> GameState:
    # "a pass changes nothing"
    return evolve(_next_turn(state, state.position.flip()), moved=None)


def _end_turn(state: GameState, action: Action) -> GameState:
    moved = state.moved
    assert moved is not None
    # "an illegal play stands only if the opponent accepts it"
    return evolve(_next_turn(state, moved.after), moved=None if moved.legal else moved)


def state_after_turns(state: GameState, turns: int, throws: int, position: Position) -> GameState:
    """Return the state after legal turns; `position` is from the side of the next player."""
    opponent = _opponent(state)
    mover = 1 - opponent if turns % 2 else opponent
    last_turn = evolve(state, on_turn=mover, moved=None, throws=state.throws + throws)
    after = _next_turn(last_turn, position)
    return _finish_bearoff(after) if position.phase == "over" else after


def _next_turn(state: GameState, position: Position) -> GameState:
    on_turn = _opponent(state)
    return evolve(state, phase="to_roll", position=position, on_turn=on_turn, dice=None, rolled_in=None)


def _challenge(state: GameState, action: Action) -> GameState:
    moved, on_turn = state.moved, _opponent(state)
    assert moved is not None
    return evolve(state, phase="to_play", position=moved.before, on_turn=on_turn, moved=None, dice=moved.roll)


# ---------------------------------------------------------------- the end


def _resign(state: GameState, action: Action) -> GameState:
    player = state.on_turn if action.player is None else action.player
    return evolve(state, phase="resigned", resumes=state.phase, resignation=action.level, resigned_by=player)


def _accept_resignation(state: GameState, action: Action) -> GameState:
    assert state.to_act is not None
    level = _scoring_level(state, state.resignation)
    points = points_of_resignation(state, state.resignation)
    return _finish(_without_resignation(state), state.to_act, points, level, "resignation")


def points_of_resignation(state: GameState, level: int) -> int:
    """Return the points that a resignation at `level` loses in this state."""
    # A resignation in answer to a beaver loses no less than a drop.
    return _scoring_level(state, level) * points_of_drop(state)


def _without_resignation(state: GameState) -> GameState:
    return evolve(state, resignation=0, resigned_by=None, resumes="over")


def _award(state: GameState, action: Action) -> GameState:
    assert action.winner is not None
    level, remainder = divmod(action.points, points_of_drop(state))
    level = level if not remainder and level <= len(LEVELS) else 0
    return _finish(_without_resignation(state), action.winner, action.points, level, "unexplained")


def _set_position(state: GameState, action: Action) -> GameState:
    player, position = action.player, action.after
    assert player is not None
    if position is None:
        position = state.position if player == (state.on_turn or 0) else state.position.flip()
    elif position.checkers != state.position.checkers:
        stated, expected = position.checkers, state.position.checkers
        raise InvalidPositionError(f"a position with {stated} checkers per side; expected {expected}")
    start = first_state(
        state.rules,
        match=state.match,
        position=position,
        on_turn=player,
        cube=state.cube if action.cube is None else action.cube,
        throws=state.throws,
        roll=action.dice,
    )
    return evolve(
        start,
        cube_turned=state.cube_turned or start.cube_turned,
        ties=state.ties,
        board_unknown=action.after is None,
    )


def _refuse_resignation(state: GameState, action: Action) -> GameState:
    return evolve(_without_resignation(state), phase=state.resumes)


def _finish_bearoff(state: GameState) -> GameState:
    """Return the state after the last checker is borne off; in `state` the loser is on turn."""
    level = _scoring_level(state, win_level(state.position, state.rules))
    # "points = cube x 1, 2 or 3"
    return _finish(state, _opponent(state), level * state.cube.value, level, "bearoff")


def _scoring_level(state: GameState, level: int) -> int:
    """Return the level that counts: 1 under the Jacoby rule unless a double was accepted."""
    # "double and triple wins count 1 unless a double was accepted in this game"
    # "Match play adds ... no Jacoby"
    jacoby = state.rules.jacoby and state.match is None
    return 1 if jacoby and not state.cube_turned else level


def _finish(state: GameState, winner: int, points: int, level: int, ending: Ending) -> GameState:
    result = GameResult(winner, points, level, ending)
    return evolve(state, phase="over", dice=None, rolled_in=None, moved=None, result=result)


ACTIONS: Mapping[ActionName, tuple[Callable[[GameState], str | None], _Transition]] = {
    "draw_lot": (_only_in("lot"), _draw_lot),
    "roll": (_roll_objection, _roll),
    "double": (_double_objection, _double),
    "take": (_answer_objection, _take),
    "drop": (_answer_objection, _drop),
    "beaver": (_beaver_objection, lambda state, action: evolve(state, phase="beavered")),
    "raccoon": (_raccoon_objection, lambda state, action: evolve(state, phase="raccooned")),
    "play": (_play_objection, _play),
    "pass_turn": (_pass_turn_objection, _pass_turn),
    "end_turn": (_only_in("moved"), _end_turn),
    "challenge": (_challenge_objection, _challenge),
    "roll_again": (_roll_again_objection, _roll_again),
    "resign": (_only_in("first_roll", "to_roll", "to_play"), _resign),
    "accept_resignation": (_only_in("resigned", reason="no resignation is pending"), _accept_resignation),
    "refuse_resignation": (_only_in("resigned", reason="no resignation is pending"), _refuse_resignation),
}
"""Objection function and transition of each action."""
_ANY_PHASE_ACTIONS: Mapping[ActionName, _Transition] = {"award": _award, "set_position": _set_position}
