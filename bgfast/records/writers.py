"""Writers of matches as Jellyfish's text (.mat) and as SGF (Smart Game Format) for backgammon, GM[6]."""

from __future__ import annotations

import re
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from bgfast.common import __version__
from bgfast.common.text import pluralize
from bgfast.common.validation import STARTS
from bgfast.errors import BgfastError
from bgfast.games.match import Match, MatchState
from bgfast.games.match_info import MatchInfo
from bgfast.games.scoring import PLAYER_NAMES, Cube
from bgfast.games.state import Action, GameState
from bgfast.games.transitions import objection, points_of_drop
from bgfast.games.turns import UNKNOWN_PLAY
from bgfast.games.views import sheet_rows
from bgfast.position.objects import Position
from bgfast.position.play_text import is_pass, read_hops
from bgfast.records import mat, sgf
from bgfast.records.record import (
    CENTRE,
    UNEXPLAINED,
    Event,
    Place,
    RecordedGame,
    RecordHead,
    Setup,
    clean,
    iso_date,
)

NO_PLACE = Place(1, 1)


def record_head(match: Match) -> RecordHead:
    """Return the head of a match; raise `BgfastError` if no format can express its start."""
    rules, start = match.rules, match.states[0]
    if rules.opening == "colour_lot":
        raise BgfastError("a match that begins by lot cannot be written; expected one from an opening roll")
    if start.game.on_turn is None and (start.game.position, start.game.cube) != (start.position, Cube()):
        raise BgfastError(
            "an opening roll from another position or cube cannot be written; expected a player on turn"
        )
    variant = next((name for name in STARTS if Position(name) == start.position), None)
    if variant is None:
        expected = ", ".join(STARTS)
        raise BgfastError(f"games from {start.position.gnubg_id} cannot be written; expected {expected}")
    return RecordHead(
        NO_PLACE,
        length=match.length,
        crawford=match.state.crawford,
        jacoby=rules.jacoby,
        beavers=rules.beavers,
        cube_limit=rules.cube_limit,
        rules=rules,
        info=replace(match.info, variant="" if variant == "start" else variant),
    )


def warn_of_losses(match: Match, stacklevel: int) -> None:
    """Warn about actions that the formats cannot express."""
    action_counts = Counter(action.name for action in match.history)
    answer_count = action_counts["accept_resignation"] + action_counts["refuse_resignation"]
    loss_counts = {
        "refused resignation": action_counts["refuse_resignation"],
        "unanswered resignation": action_counts["resign"] - answer_count,
        "challenged play": action_counts["challenge"],
        "repeated roll": action_counts["roll_again"],
        "award instead of a drop": sum(
            action.name == "award" and action.winner != state.game.to_act and _may_drop(state.game, action)
            for action, state in zip(match.history, match.states, strict=False)
        ),
    }
    entries = [f"{name}: {count}" for name, count in loss_counts.items() if count]
    if entries:
        text = f"{', '.join(entries)}; neither .mat nor SGF can express it, so it is left out; JSON keeps it"
        warnings.warn(text, stacklevel=stacklevel + 1)


def _may_drop(game: GameState, award: Action) -> bool:
    """Return whether a reader would mistake an award after a double for a drop."""
    return objection(game, "drop") is None and award.points <= points_of_drop(game)


def game_records(match: Match) -> Iterator[RecordedGame]:
    """Yield the games of a match as events, without actions that the formats cannot express."""
    states = match.states
    comments = deque(match.info.comments)
    game = _new_game(states[0], 1, match.info)
    if states[0].game.on_turn is not None:
        game.events.append(_position_event(states[0].game))
    for index, action in enumerate(match.history):
        while comments and comments[0][0] <= index:
            game.events.append(Event("comment", None, NO_PLACE, text=comments.popleft()[1]))
        before, after = states[index], states[index + 1]
        if action.name == "next_game":
            yield game
            game = _new_game(after, game.number + 1, match.info)
            continue
        _add_action(game.events, index, action, before.game, after.game)
        if after.game.result is not None and before.game.result is None:
            result = after.game.result
            if result.ending == "resignation":
                game.events.append(Event("resign", 1 - result.winner, NO_PLACE))
            text = UNEXPLAINED if result.ending == "unexplained" else ""
            is_last, points = after.winner is not None, result.points
            win = Event("wins", result.winner, NO_PLACE, None, text, flagged=is_last, points=points)
            game.events.append(win)
    for _, text in comments:
        game.events.append(Event("comment", None, NO_PLACE, text=text))
    yield game


def _new_game(state: MatchState, game_number: int, info: MatchInfo) -> RecordedGame:
    crawford = state.game.match is not None and state.game.match.crawford
    return RecordedGame(game_number, NO_PLACE, state.score, info.players, [], crawford)


def _position_event(state: GameState) -> Event:
    assert state.on_turn is not None
    board: tuple[int, ...] = ()
    if not state.board_unknown:
        board = tuple((state.position.flip() if state.on_turn else state.position).to_array().tolist())
    owner = CENTRE if state.cube.owner is None else state.cube.owner
    setup = Setup(board, state.cube.value, owner)
    return Event("position", state.on_turn, NO_PLACE, state.dice, setup=setup)


def _moves(before: GameState, action: Action) -> tuple[tuple[int, int], ...]:
    """Return the moves of a play, die by die; an illegal or unknown play has the moves of its text."""
    if not action.unchecked:
        play = next(play for play in before.plays() if play.position == action.after)
        return tuple((start, end) for start, end in play.moves)
    text = action.text.removesuffix(UNKNOWN_PLAY)
    return tuple(read_hops(text, unchecked=True)[0]) if text else ()


def _pop_turn(events: list[Event], state: GameState) -> Event:
    """Remove and return the last turn, skipping comments; after a position, return a turn with its roll."""
    kinds = ("turn", "position")
    last = next(index for index in reversed(range(len(events))) if events[index].kind in kinds)
    is_turn = events[last].kind == "turn"
    return events.pop(last) if is_turn else Event("turn", state.on_turn, NO_PLACE, state.dice)


def _add_action(events: list[Event], index: int, action: Action, before: GameState, after: GameState) -> None:
    name, player = action.name, action.player
    if name in ("roll", "roll_again"):
        if name == "roll_again":
            _pop_turn(events, before)
        if after.phase == "to_play":
            dice = after.dice or (0, 0)
            if not any(event.kind in ("turn", "position") for event in events):
                dice = max(dice), min(dice)  # the opening roll, one die of each player
            events.append(Event("turn", after.on_turn, NO_PLACE, dice))
        elif after.cube != before.cube:
            events.append(Event("tie", None, NO_PLACE, action.dice))
    elif name in ("play", "pass_turn"):
        text = action.text if name == "play" and not is_pass(action.text) else ""
        moves = _moves(before, action) if text else ()
        turn = _pop_turn(events, before)
        is_illegal = action.unchecked and not action.unknown
        events.append(turn._replace(text=text, flagged=is_illegal, moves=moves, action=index))
    elif name == "set_position":
        events.append(_position_event(after))
    elif name == "challenge":
        events.append(_pop_turn(events, before)._replace(text="", flagged=False, moves=(), action=-1))
    elif name in ("double", "beaver", "raccoon"):
        factor = {"double": 2, "beaver": 4, "raccoon": 8}[name]
        events.append(Event(name, player, NO_PLACE, value=factor * before.cube.value, action=index))
    elif name in ("take", "drop"):
        events.append(Event(name, player, NO_PLACE, action=index))


# ---------------------------------------------------------------- .mat

CELL_WIDTH = 28  # width of a left cell


def write_mat(head: RecordHead, games: Iterable[RecordedGame]) -> Iterator[str]:
    """Yield the text of a match in parts of whole lines."""
    tags = "".join(f'; [{name} "{value}"]\n' for name, value in _tags(head, head.info))
    yield f"{tags}{chr(10) if tags else ''} {head.length or 0} point match\n"
    is_crawford_due = head.crawford is not False
    for game in games:
        low, high = sorted(game.score or (0, 0))
        is_crawford_reached = is_crawford_due and high + 1 == head.length
        yield f"\n{''.join(_game_lines(game, is_crawford_reached and low < high))}"
        is_crawford_due = is_crawford_due and not is_crawford_reached


def _tags(head: RecordHead, info: MatchInfo) -> list[tuple[str, str]]:
    is_money = head.length is None
    tags = [
        ("Event", info.event),
        ("Round", info.round),
        ("Site", info.site),
        ("EventDate", iso_date(info.date, separator=".")),
        ("Variation", info.variant),
        ("Transcriber", info.annotator),
        ("Crawford", "Off" if not is_money and head.crawford is False else ""),
        ("Jacoby", ("On" if head.jacoby else "Off") if is_money else ""),
        ("Beaver", ("On" if head.beavers else "Off") if is_money else ""),
        ("CubeLimit", str(head.cube_limit or "")),
        ("Rules", " ".join(head.rule_settings)),
    ]
    return [(name, value) for name, text in tags if (value := clean(text).replace('"', "'"))]


def _game_lines(game: RecordedGame, is_crawford_implied: bool) -> Iterator[str]:
    """Yield the lines of a game; `is_crawford_implied` is True if the score makes it the Crawford game."""
    score = game.score or (0, 0)
    names = [clean(name) or default for name, default in zip(game.players, PLAYER_NAMES, strict=True)]
    left_text = f" {names[0]} : {score[0]}"
    # Two blanks end the left name.
    yield f" Game {game.number}\n{left_text:{CELL_WIDTH + 3}}  {names[1]} : {score[1]}\n"
    if bool(game.crawford) != is_crawford_implied:
        yield f"; {mat.CRAWFORD_GAME[bool(game.crawford)]}\n"
    ties = sum(event.kind == "tie" for event in game.events)
    if ties:
        yield f"; {mat.AUTOMATIC_DOUBLES}{ties}\n"
    for row, left_text, right_text in sheet_rows(_mat_cells(game.events, 1 << ties)):
        yield f"{row:3}) {left_text:{CELL_WIDTH}} {right_text}".rstrip() + "\n" if row else left_text


def _mat_cells(events: Iterable[Event], first_cube: int) -> Iterator[tuple[int | None, str]]:
    """Yield player and text of each cell; comments, positions and a separate result have player None."""
    is_left = False
    for event in events:
        player: int | None = event.player or 0
        text = _cell_text(event)
        if event.kind == "comment":
            comment = _mat_comment(event.text)
            player, text = None, f"; {comment}\n" if comment else ""
        elif event.setup is not None:
            roll = "" if event.dice is None else "; {}{}{}\n".format(mat.ROLL_TO_PLAY, *event.dice)
            player, text = None, f"; Set Pos={_mat_position(event.setup, first_cube)}\n{roll}"
        elif event.kind == "wins":
            text = f"Wins {pluralize(event.points, 'point')}{' and the match' if event.flagged else ''}"
            # On a separate line, GNU Backgammon would assign this result to another game.
            if not (event.player and is_left):
                player, text = None, f"{'':{CELL_WIDTH + 6 if event.player else 6}}{text}\n"
        if text is not None:
            yield player, text
            is_left = player == 0


def _mat_comment(text: str) -> str:
    """Return a comment as one line that `mat` does not read as a statement."""
    line = clean(text).lstrip(";#% ")
    readers = (mat.read_tag, mat.read_automatic_doubles, mat.read_position, mat.read_roll)
    is_statement = line in mat.CRAWFORD_GAME or any(read(line) for read in readers)
    return f"- {line}" if is_statement else line


def _mat_position(setup: Setup, first_cube: int) -> str:
    """Return a position and its cube as `read_position` reads them; ``?`` is an unknown position."""
    is_centred = setup.owner == CENTRE
    if (setup.cube != first_cube) if is_centred else setup.cube == 1:
        place = "in the centre" if is_centred else "that a player owns"
        raise BgfastError(f"a cube of {setup.cube} {place} cannot be written as .mat; expected SGF")
    board = Position.from_array(setup.board).xgid.partition("=")[2][:26] if setup.board else "?"
    power = setup.cube.bit_length() - 1
    return f"{board}/{0 if setup.owner == CENTRE else power if setup.owner else -power}"


def _cell_text(event: Event) -> str | None:
    """Return the text of a cell; None for events that the format cannot express."""
    if event.kind == "turn":
        first, second = event.dice or (0, 0)
        play = event.text
        if event.flagged:
            play = f"Illegal play ({play})" if play else "Pass"
        if play.endswith(UNKNOWN_PLAY):
            play = play.removesuffix(UNKNOWN_PLAY) + "????"
        return f"{first}{second}: {play}".rstrip()
    if event.kind in ("double", "beaver", "raccoon"):
        return f" {event.kind.capitalize()}s => {event.value}"
    return {"take": " Takes", "drop": " Drops", "resign": " Resigns"}.get(event.kind)


# ---------------------------------------------------------------- SGF


def letters(player: int, moves: Iterable[tuple[int, int]]) -> str:
    """Return the letters of a play from its moves, die by die."""
    return "".join(sgf.point_letter(player, start) + sgf.point_letter(player, end) for start, end in moves)


def write_sgf(
    head: RecordHead, games: Iterable[RecordedGame], properties: Mapping[int, str] = MappingProxyType({})
) -> Iterator[str]:
    """Yield the text of a match in parts; `properties` has extra SGF properties by index of the action."""
    for game in games:
        yield from _tree(head, game, properties)


def _tree(head: RecordHead, game: RecordedGame, properties: Mapping[int, str]) -> Iterator[str]:
    info, score = replace(head.info, date=iso_date(head.info.date)), game.score or (0, 0)
    yield f"(;FF[4]GM[6]CA[UTF-8]AP[bgfast:{__version__}]"
    yield f"MI[length:{head.length or 0}][game:{game.number - 1}][ws:{score[0]}][bs:{score[1]}]"
    players = [clean(name) or default for name, default in zip(game.players, PLAYER_NAMES, strict=True)]
    texts = [("PW", players[0]), ("PB", players[1])]
    texts += [(name, getattr(info, attribute)) for name, attribute in sgf.INFO_PROPERTIES.items()]
    yield "".join(f"{name}[{_escape(clean(text))}]" for name, text in texts if clean(text))
    rules = _rule_names(head, game)
    yield f"RU[{':'.join(rules)}]" if rules else ""
    win = next((event for event in game.events if event.kind == "wins"), None)
    if win is not None:
        is_resigned = any(event.kind == "resign" for event in game.events)
        # Without an R, GNU Backgammon treats a game that is not played out as unfinished.
        resignation_mark = "R" if is_resigned or win.text == UNEXPLAINED else ""
        yield f"RE[{sgf.COLOURS[win.player or 0]}+{win.points}{resignation_mark}]"
        yield f"{sgf.UNEXPLAINED_END}[]" if win.text == UNEXPLAINED else ""
    ties = sum(event.kind == "tie" for event in game.events)
    yield f"CV[{2**ties}]" if ties else ""
    events = [event for event in game.events if event.kind not in ("wins", "tie", "resign")]
    events = [event for event in events if event.kind != "comment" or _sgf_comment(event)]
    while events and events[0].kind == "comment":
        yield f"C[{_sgf_comment(events.pop(0))}]"
        if events and events[0].kind == "comment":
            yield "\n;"
    for event in events:
        yield "\n;" + _sgf_node(event) + properties.get(event.action, "")
    yield "\n)\n"


def _rule_names(head: RecordHead, game: RecordedGame) -> list[str]:
    is_match = head.length is not None
    has_crawford = is_match and head.crawford is not False
    variants = {name: rule.capitalize() for rule, name in sgf.VARIANTS.items()}
    names = [
        "Crawford" if has_crawford else "",
        "CrawfordGame" if has_crawford and game.crawford else "",
        "Jacoby" if not is_match and head.jacoby else "",
        "" if is_match else "Beavers" if head.beavers else "NoBeavers",
        {0: "", 1: "NoCube"}.get(head.cube_limit, f"CubeLimit{head.cube_limit}"),
        *head.rule_settings,
        variants.get(head.info.variant.lower(), ""),
    ]
    return list(filter(None, names))


def _escape(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)  # a colon needs an escape only in pairs of values


def _sgf_comment(event: Event) -> str:
    return _escape("\n".join(map(clean, event.text.splitlines())).strip())


def _sgf_node(event: Event) -> str:
    if event.kind == "comment":
        return f"C[{_sgf_comment(event)}]"
    colour = sgf.COLOURS[event.player or 0]
    if event.setup is not None:
        dice = "" if event.dice is None else "DI[{}{}]".format(*event.dice)
        return f"{_sgf_position(event.setup)}PL[{colour}]{dice}"
    if event.kind != "turn":
        # Other programs write a beaver as a double by the doubled player.
        return f"{colour}[{'double' if event.kind in ('beaver', 'raccoon') else event.kind}]"
    player = event.player or 0
    dice = "{}{}".format(*event.dice or (0, 0))
    moves = letters(player, event.moves) if event.text else ""
    mark = "KO[]" if event.flagged else f"{sgf.UNKNOWN_END}[]" if event.text.endswith(UNKNOWN_PLAY) else ""
    return f"{mark}{colour}[{dice}{moves}]"


def _sgf_position(setup: Setup) -> str:
    """Return the set-up properties of a position and its cube; an unknown position has no checkers."""
    board = setup.board or ()
    points = [(sgf.point_letter(0, point), board[point]) for point in range(1, len(board))]
    points += [(sgf.point_letter(1, 25), board[0])] if board else []
    checkers = "".join(
        f"{name}{text}"
        for name, sign in (("AW", 1), ("AB", -1))
        if (text := "".join(f"[{letter}]" * (sign * count) for letter, count in points))
    )
    return f"AE[{sgf.CLEARED}]{checkers}CV[{setup.cube}]CP[{sgf.CUBE_OWNERS[setup.owner or 0]}]"
