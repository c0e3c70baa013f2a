"""Writers of .xg files, .bgf files and gvformat documents with invented names and analyses."""

from __future__ import annotations

import gzip
import json
import random
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from bgfast import Match
from bgfast.games.match import MatchState
from bgfast.games.state import Action, GameState

RECORD_BYTES = 2560
HEADER_BYTES = 8232
TRIALS = 1296
NO_DOUBLE, DOUBLE_TAKE = 0.125, -0.25
LUCK = 0.0625
LEVELS = (100, 1002, 12, 1)
"""Levels of candidate plays: rollout, XG Roller++, 3-ply red, 2-ply."""
COMMENT = r"{\rtf1\ansi Too {\b loose}\'21\par \u8594?}"
PROBABILITIES = (0.5, 0.125, 0.03125, 0.25, 0.0625)


def record(record_type: int, **fields: Any) -> bytearray:
    """Return an .xg record with values at offsets: ``i12=3`` stores the integer 3 at offset 12."""
    content = bytearray(RECORD_BYTES)
    content[8] = record_type
    put(content, **fields)
    return content


def put(content: bytearray, **fields: Any) -> None:
    """Write values at offsets; codes: i integer, h short, d double, f float, b signed byte, u UTF-16 text."""
    for name, value in fields.items():
        code, offset = name[0], int(name[1:])
        if code == "u":
            text = value.encode("utf-16-le")
            content[offset : offset + len(text)] = text
        else:
            values = value if isinstance(value, (tuple, list)) else (value,)
            struct.pack_into(f"<{len(values)}{code}", content, offset, *values)


def xg_file(
    records: Sequence[bytes], comments: Sequence[str] = (), rollouts: int = 0, indexed: bool = True
) -> bytes:
    """Return an .xg file: a header, a thumbnail of three bytes, and an archive with or without its index."""
    header = bytearray(HEADER_BYTES)
    header[:4] = b"RGMH"
    struct.pack_into("<4I", header, 4, 1, HEADER_BYTES, HEADER_BYTES, 0)
    struct.pack_into("<I", header, 20, 3)
    prefix = bytes(header) + b"jpg"
    game = b"".join(records)
    if not indexed:
        return prefix + zlib.compress(game)
    rollout = bytearray(2184)
    struct.pack_into("<i", rollout, 84, TRIALS)
    text = "\r\n".join(comment.replace("\r\n", "\x01\x02") for comment in comments)
    members = {"temp.xg": game, "temp.xgr": bytes(rollout) * rollouts, "temp.xgc": text.encode("latin-1")}
    archive, index = b"", b""
    for name, content in members.items():
        data = zlib.compress(content)
        entry = bytes([len(name)]) + name.encode().ljust(255, b"\0") + bytes(256)
        sizes = struct.pack("<iiIIB3x", len(content), len(data), len(archive), zlib.crc32(content), 0)
        index += entry + sizes
        archive += data
    data = zlib.compress(index)
    tail = struct.pack("<IiiiiB15x", 0, len(members), 1, len(data), len(archive), 1)
    return prefix + archive + data + tail


def match_head(match: Match, **fields: Any) -> bytearray:
    rules = match.rules
    head = record(0, i92=match.length or 99999, i552=30, i612=10, d128=46346.75, i576=-1, i580=-1)
    head[100:103] = bytes([match.state.crawford, rules.jacoby, rules.beavers])
    put(head, u622="Open", u880="Zoe", u1138="Adam", u1396="Ghent", u1654="7")
    put(head, **fields)
    return head


def xg_records(match: Match, analysed: bool = True) -> list[bytearray]:
    """Return the .xg records of a match, with an invented analysis of each decision."""
    records = [match_head(match)]
    states = match.states
    cube = bytearray()
    for index, action in enumerate(match.history):
        state, new_state = states[index], states[index + 1]
        if index == 0 or action.name == "next_game":
            records.append(_game_head(new_state if index else state, sum(row[8] == 1 for row in records) + 1))
        if action.name in ("play", "pass_turn"):
            if not cube:
                records.append(_cube_record(action.player, state.game, double=0, analysed=analysed))
            cube = bytearray()
            records.append(_roll_record(action, state.game, analysed))
        elif action.name == "double":
            cube = _cube_record(action.player, state.game, double=1, analysed=analysed)
            records.append(cube)
        elif action.name == "beaver":
            put(cube, i20=2)
        elif action.name == "raccoon":
            put(cube, i24=2)
        elif action.name in ("take", "drop"):
            is_take = int(action.name == "take")
            fields = struct.unpack_from("<2i", cube, 20)
            put(cube, **{f"i{28 if fields == (2, 2) else 24 if fields[0] == 2 else 20}": is_take})
        if new_state.game.result is not None and state.game.result is None:
            records.append(_game_foot(new_state))
            cube = bytearray()
    return records


def _game_head(state: MatchState, game_number: int) -> bytearray:
    head = record(1, i12=state.score, i48=game_number, i56=-1, i60=-1)
    crawford = state.game.match is not None and state.game.match.crawford
    put(head, b20=int(crawford), b21=state.game.position.to_array().tolist())
    return head


def _game_foot(state: MatchState) -> bytearray:
    result = state.game.result
    assert result is not None
    result_code = result.level if result.ending == "bearoff" else 0
    if result.ending == "resignation":
        result_code = 100 + result.level
    winner = 1 if result.winner == 0 else -1
    return record(4, i12=state.score, i24=(winner, result.points, result_code))


def _cube_record(player: int | None, state: GameState, double: int, analysed: bool) -> bytearray:
    power = state.cube.value.bit_length() - 1
    actor = 1 if player == 0 else -1
    cube = record(2, i12=(actor, double, -1, -1, -1, power), i92=1, i224=-1, i292=-1)
    if analysed:
        put(cube, f152=(NO_DOUBLE, DOUBLE_TAKE, 1.0), f124=_evaluation(NO_DOUBLE))
    return cube


def _evaluation(equity: float) -> tuple[float, ...]:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = PROBABILITIES
    return lose_backgammon, lose_gammon, 1 - win, win, win_gammon, win_backgammon, equity


def _roll_record(action: Action, state: GameState, analysed: bool) -> bytearray:
    board = state.position.to_array().tolist()
    plays = list(state.plays())
    choice = next((play for play in plays if play.position == action.after), None)
    moves = [] if choice is None else [(start - 1, end - 1) for start, end in choice.moves]
    board_after = board if choice is None else choice.position.flip().to_array().tolist()
    is_first = action.player == 0
    roll = record(
        3,
        b9=board if is_first else [-checkers for checkers in reversed(board)],
        b35=board_after,
        i64=1 if is_first else -1,
        i68=_padded_points(moves),
        i100=state.dice,
        d2320=LUCK if analysed else -1000.0,
        i2524=-1,
    )
    if analysed and plays:
        ranked_plays = [play for play in plays if play is not choice][: len(LEVELS) - 1]
        ranked_plays.insert(1, choice or plays[0])
        put(roll, i120=len(ranked_plays), i2344=[0] * len(ranked_plays))
        for index, play in enumerate(ranked_plays):
            points = _padded_points([(start - 1, end - 1) for start, end in play.moves])
            position = play.position.flip().to_array().tolist()
            equity = 0.5 - index / 8
            put(roll, **{f"b{192 + 26 * index}": position, f"b{1024 + 8 * index}": points})
            put(roll, **{f"h{1280 + 4 * index}": LEVELS[index], f"f{1408 + 28 * index}": _evaluation(equity)})
    return roll


def _padded_points(moves: Sequence[tuple[int, int]]) -> list[int]:
    points = [point for move in moves for point in move]
    return points + [-1] * (8 - len(points))


def bgf_file(content: dict[str, Any], pack: Any = gzip.compress) -> bytes:
    """Return a .bgf file: a line of JSON, then the content in Smile."""
    head = {"format": "BGF", "version": "1.0", "compress": True, "useSmile": True}
    return json.dumps(head).encode() + b"\n" + pack(b":)\n\x00" + smile(content))


def smile(value: Any) -> bytes:
    """Encode a value in Smile, a binary form of JSON."""
    if value is None or isinstance(value, bool):
        return {None: b"\x21", False: b"\x22", True: b"\x23"}[value]
    if isinstance(value, int):
        zigzag = 2 * value if value >= 0 else -2 * value - 1
        digits = [0x80 | zigzag & 63]
        while zigzag := zigzag >> 6:
            digits.insert(0, zigzag & 63)
        return b"\x24" + bytes(digits)
    if isinstance(value, float):
        return b"\x28" + struct.pack(">f", value)
    if isinstance(value, str):
        return bytes([0x3F + len(value)]) + value.encode("ascii") if value else b"\x20"
    if isinstance(value, list):
        return b"\xf8" + b"".join(map(smile, value)) + b"\xf9"
    parts = [bytes([0x7F + len(name)]) + name.encode() + smile(item) for name, item in value.items()]
    return b"\xfa" + b"".join(parts) + b"\xfb"


def bgf_content(match: Match) -> dict[str, Any]:
    """Return a match without beavers in BGBlitz's format; player 0, Zoe, is green."""
    games: list[dict[str, Any]] = []
    states = match.states
    for index, action in enumerate(match.history):
        state, new_state = states[index], states[index + 1]
        if index == 0 or action.name == "next_game":
            games.append(_bgf_game(new_state if index else state))
        moves = games[-1]["moves"]
        player = -1 if action.player == 0 else 1
        if action.name in ("play", "pass_turn"):
            moves.append(_bgf_roll(action, state.game, player))
        elif action.name == "double":
            is_taken = match.history[index + 1].name == "take" if index + 1 < len(match.history) else True
            decision = {"hasDoubled": True, "hasAccepted": is_taken, "stateOnMove": "DOUBLE"}
            decision |= {"eqNoDouble": NO_DOUBLE, "eqDoubleTake": DOUBLE_TAKE, "eqDoublePass": 1.0}
            equity = {"cubeDecision": decision, "emg": NO_DOUBLE, "matchEquity": NO_DOUBLE}
            item = {"from": [-1] * 4, "to": [-1] * 4, "player": player, "equity": equity, "ply": 2}
            moves += [item, {**item, "player": -player}]
        result = new_state.game.result
        if result is not None and state.game.result is None:
            games[-1] |= {"wonPoints": result.points, "wasResignation": result.ending == "resignation"}
    rules = {"useCrawford": match.state.crawford, "useJacoby": match.rules.jacoby, "cubeLimit": 1024}
    names = {"nameGreen": "Zoe", "nameRed": "Adam", "event": "Open", "date": "2026.11.20"}
    final_score = dict(zip(("finalGreen", "finalRed"), match.score, strict=True))
    return {**names, **rules, **final_score, "matchlen": match.length or 0, "games": games}


def _bgf_game(state: MatchState) -> dict[str, Any]:
    board = state.game.position.to_array().tolist()
    # Points are numbered for red; green's checkers are positive.
    points = [board[25 - point] for point in range(1, 25)] + [0, 0]
    crawford = state.game.match is not None and state.game.match.crawford
    initial = {"points": points, "cube": 1, "cubeOwner": 0}
    game = {"scoreGreen": state.score[0], "scoreRed": state.score[1], "isCrawford": crawford}
    return {**game, "initial": initial, "moves": [], "wonPoints": 0}


def _bgf_roll(action: Action, state: GameState, player: int) -> dict[str, Any]:
    dice, luck = state.dice, {"mode": "Money", "luckPlain": LUCK}
    assert dice is not None
    choice = next((play for play in state.plays() if play.position == action.after), None)
    if choice is None:
        numbers = {"from": [dice[0], -1, -1, -1], "to": [dice[1], -1, -1, -1]}
        return {**numbers, "player": player, "dancingEquity": {}, "luck": luck}
    moves = [*choice.moves, *[(-1, -1)] * (4 - len(choice.moves))]
    move = {"from": [start for start, _ in moves], "to": [end for _, end in moves]}
    names = ("myWins", "myGammon", "myBackGammon", "oppGammon", "oppBackGammon")
    evaluation = dict(zip(names, PROBABILITIES, strict=True))
    analysis = {"eq": {**evaluation, "hasEMG": True, "emg": 0.25}, "ply": 3, "played": True, "move": move}
    dice_fields = {"red": dice[0], "green": dice[1]}
    return {**move, **dice_fields, "player": player, "moveAnalysis": [analysis], "luck": luck}


CUBE_ACTIONS = {"double": 21, "take": 22, "drop": 23, "beaver": 32, "raccoon": 33}


def ogxm_document(match: Match) -> dict[str, Any]:
    """Return the gvformat document of a match with an invented analysis; player 0, Zoe, is white."""
    games: list[dict[str, Any]] = []
    states = match.states
    for index, action in enumerate(match.history):
        state, new_state = states[index], states[index + 1]
        if index == 0 or action.name == "next_game":
            crawford = new_state.game.match is not None and new_state.game.match.crawford
            game = {"game_index": len(games), "is_crawford": crawford, "winner": 255, "points_won": 0}
            games.append({**game, "plies": []})
        plies = games[-1]["plies"]
        colour = 1 if action.player == 0 else 0
        if action.name in ("play", "pass_turn"):
            plies.append(_ogxm_roll(action, state.game, colour))
        elif action.name in CUBE_ACTIONS:
            plies.append({"color": colour, "action_id": CUBE_ACTIONS[action.name]})
        elif action.name == "resign":
            plies.append({"color": colour, "action_id": 27})
        result = new_state.game.result
        if result is not None and state.game.result is None:
            games[-1] |= {"winner": result.winner, "points_won": result.points}
    document = {"match_length": match.length or 0, "player_white": "Zoe", "player_black": "Adam"}
    document |= dict(zip(("white_score", "black_score"), match.score, strict=True))
    document |= {"result": 0, "source": 0, "timestamp": 1763596800, "event": "Open", "site": "Ghent"}
    rules = {"crawford": match.state.crawford, "jacoby": match.rules.jacoby, "beaver": match.rules.beavers}
    info = {"ply": 3, "eval_level": "3ply", "model_id": "made up", "timestamp": 0}
    return {**document, **rules, "cube_limit": 0, "analysis_info": info, "games": games}


def _ogxm_roll(action: Action, state: GameState, colour: int) -> dict[str, Any]:
    dice = state.dice
    assert dice is not None
    low, high = sorted(dice)
    ply = {"color": colour, "action_id": (0, 6, 11, 15, 18, 20)[low - 1] + high - low, "d1": low, "d2": high}
    choice = next((play for play in state.plays() if play.position == action.after), None)
    if choice is None:
        return {**ply, "moves": []}
    moves = [{"from": 25 - start if colour else start, "pips": start - end} for start, end in choice.moves]
    names = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")
    evaluation = {**dict(zip(names, PROBABILITIES, strict=True)), "equity": 0.25}
    play = {"move": moves, "equity": 0.25, "is_played": True, "eval": evaluation, "eval_level": "rollout"}
    cube = {"no_double_equity": NO_DOUBLE, "double_take_equity": DOUBLE_TAKE, "double_pass_equity": 1.0}
    cube |= {"should_double": False, "action": "no_double", "equity_loss": 0.0, "decision": True}
    analysis = {"best_equity": 0.25, "played_equity": 0.25, "equity_loss": 0.0, "decision": True}
    analysis |= {"luck": LUCK, "eval": evaluation, "eval_level": "3ply", "alternatives": [play]}
    analysis["cube_decision"] = {**cube, "eval": evaluation, "eval_level": "2ply"}
    return {**ply, "moves": moves, "analysis": analysis}


EXTREME_VALUES = (
    b"\x00",
    b"\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x00\x00\xc0\x7f",
    b"\x00\x00\x80\x80",
)


def damage(content: bytes, rng: random.Random) -> bytes:
    """Return a copy with flipped bits or overwritten, lost, repeated or moved bytes, or without its end."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        if not content:
            break
        start = rng.randrange(len(content))
        size = rng.choice((1, 1, 2, 4, 16, 600))
        piece = content[start : start + size]
        mutation = rng.randrange(6)
        if mutation == 0:
            value = content[start] ^ 1 << rng.randrange(8)
            content = content[:start] + bytes([value]) + content[start + 1 :]
        elif mutation == 1:
            extreme_value = rng.choice(EXTREME_VALUES)
            content = content[:start] + extreme_value + content[start + len(extreme_value) :]
        elif mutation == 2:
            content = content[:start] + content[start + size :]
        elif mutation == 3:
            content = content[:start] + piece * 2 + content[start + size :]
        elif mutation == 4:
            content = content[:start]
        else:
            target = rng.randrange(len(content))
            content = content[:target] + piece + content[target + len(piece) :]
    return content
