"""Conversion of matches to recorded events, for the writers of the formats."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace

from bgfast.errors import BgfastError
from bgfast.games.legal_actions import objection
from bgfast.games.match import Match, MatchState
from bgfast.games.match_info import MatchInfo
from bgfast.games.scoring import Cube, other_player
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import points_of_drop
from bgfast.games.unchecked_plays import UNKNOWN_PLAY
from bgfast.position.position_text import STARTS
from bgfast.position.text.play_text import is_pass, read_hops
from bgfast.records.formats.record import CENTRE, UNEXPLAINED, Event, Place, RecordedGame, RecordHead, Setup

NOWHERE = Place(1, 1)


def record_head(match: Match) -> RecordHead:
    """Return the head of a match; raise `BgfastError` if no format can express its start."""
    rules, start = match.rules, match.states[0]
    if rules.opening == "colour_lot":
        raise BgfastError("a match that begins by lot cannot be written; expected one from an opening roll")
    if start.game.on_turn is None and (start.game.position, start.game.cube) != (start.position, Cube()):
        raise BgfastError(
            "an opening roll from another position or cube cannot be written; expected a player on turn"
        )
    variant = next((name for name, make in STARTS.items() if make() == start.position), None)
    if variant is None:
        raise BgfastError(
            f"games from {start.position.gnubg_id} cannot be written; expected {', '.join(STARTS)}"
        )
    return RecordHead(
        NOWHERE,
        length=match.length,
        crawford=match.state.crawford,
        jacoby=rules.jacoby,
        beavers=rules.beavers,
        cube_limit=rules.cube_limit,
        rules=rules,
        info=replace(match.info, variant="" if variant == "start" else variant),
    )


def warn_of_losses(match: Match, stacklevel: int) -> None:
    """Warn of actions that the formats lack."""
    names = Counter(action.name for action in match.history)
    answered = names["accept_resignation"] + names["refuse_resignation"]
    losses = {
        "refused resignation": names["refuse_resignation"],
        "unanswered resignation": names["resign"] - answered,
        "challenged play": names["challenge"],
        "repeated roll": names["roll_again"],
        "award instead of a drop": sum(
            action.name == "award" and action.winner != state.game.to_act and _may_drop(state.game, action)
            for action, state in zip(match.history, match.states, strict=False)
        ),
    }
    lost = [f"{name}: {number}" for name, number in losses.items() if number]
    if lost:
        text = f"{', '.join(lost)}; neither .mat nor SGF has words for it, and it is left out; JSON has all"
        warnings.warn(text, stacklevel=stacklevel + 1)


def _may_drop(game: GameState, award: Action) -> bool:
    """Return whether readers take an award after a double for a drop."""
    return objection(game, "drop") is None and award.points <= points_of_drop(game)


def game_records(match: Match) -> Iterator[RecordedGame]:
    """Yield the games of a match as events, without those that the formats lack."""
    states = match.states
    comments = deque(match.info.comments)
    game = _new_game(states[0], 1, match.info)
    if states[0].game.on_turn is not None:
        game.events.append(_position_event(states[0].game))
    for index, action in enumerate(match.history):
        while comments and comments[0][0] <= index:
            game.events.append(Event("comment", None, NOWHERE, text=comments.popleft()[1]))
        before, after = states[index], states[index + 1]
        if action.name == "next_game":
            yield game
            game = _new_game(after, game.number + 1, match.info)
            continue
        _add(game.events, index, action, before.game, after.game)
        if after.game.result is not None and before.game.result is None:
            result = after.game.result
            if result.ending == "resignation":
                game.events.append(Event("resign", other_player(result.winner), NOWHERE))
            text = UNEXPLAINED if result.ending == "unexplained" else ""
            is_last, points = after.winner is not None, result.points
            wins = Event("wins", result.winner, NOWHERE, None, text, flagged=is_last, points=points)
            game.events.append(wins)
    for _, text in comments:
        game.events.append(Event("comment", None, NOWHERE, text=text))
    yield game


def _new_game(state: MatchState, number: int, info: MatchInfo) -> RecordedGame:
    crawford = state.game.match is not None and state.game.match.crawford
    return RecordedGame(number, NOWHERE, state.score, info.players, [], crawford)


def _position_event(state: GameState) -> Event:
    """Return the event of a game that begins or continues in a state before a roll or a play."""
    assert state.on_turn is not None
    board: tuple[int, ...] = ()
    if not state.board_unknown:
        board = tuple((state.position.flip() if state.on_turn else state.position).to_array().tolist())
    owner = CENTRE if state.cube.owner is None else state.cube.owner
    setup = Setup(board, state.cube.value, owner)
    return Event("position", state.on_turn, NOWHERE, state.dice, setup=setup)


def _moves(before: GameState, action: Action) -> tuple[tuple[int, int], ...]:
    """Return a play die by die; an illegal or unknown play as written."""
    if not action.unchecked:
        play = next(play for play in before.plays() if play.position == action.after)
        return tuple((start, end) for start, end in play.moves)
    text = action.text.removesuffix(UNKNOWN_PLAY)
    return tuple(read_hops(text, unchecked=True)[0]) if text else ()


def _pop_turn(events: list[Event], state: GameState) -> Event:
    """Remove and return the last turn, which comments may follow; a position may have a roll to play."""
    kinds = ("turn", "position")
    last = next(index for index in reversed(range(len(events))) if events[index].kind in kinds)
    is_turn = events[last].kind == "turn"
    return events.pop(last) if is_turn else Event("turn", state.on_turn, NOWHERE, state.dice)


def _add(events: list[Event], number: int, action: Action, before: GameState, after: GameState) -> None:
    """Add the event of an action."""
    name, player = action.name, action.player
    if name in ("roll", "roll_again"):
        if name == "roll_again":
            _pop_turn(events, before)
        if after.phase == "to_play":
            dice = after.dice or (0, 0)
            if not any(event.kind in ("turn", "position") for event in events):
                dice = max(dice), min(dice)  # the opening roll, one die of each player
            events.append(Event("turn", after.on_turn, NOWHERE, dice))
        elif after.cube != before.cube:
            events.append(Event("tie", None, NOWHERE, action.dice))
    elif name in ("play", "pass_turn"):
        text = action.text if name == "play" and not is_pass(action.text) else ""
        moves = _moves(before, action) if text else ()
        turn = _pop_turn(events, before)
        is_illegal = action.unchecked and not action.unknown
        events.append(turn._replace(text=text, flagged=is_illegal, moves=moves, action=number))
    elif name == "set_position":
        events.append(_position_event(after))
    elif name == "challenge":
        events.append(_pop_turn(events, before)._replace(text="", flagged=False, moves=(), action=-1))
    elif name in ("double", "beaver", "raccoon"):
        times = {"double": 2, "beaver": 4, "raccoon": 8}[name]
        events.append(Event(name, player, NOWHERE, value=times * before.cube.value, action=number))
    elif name in ("take", "drop"):
        events.append(Event(name, player, NOWHERE, action=number))
