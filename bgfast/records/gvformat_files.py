"""Reader of .ogxm, .gvab and .bgf files through gvformat, from the optional extra `records`.

gvformat is the format layer of GammonView; HedgeHog writes OGXM, BGBlitz writes BGF. The library runs in a
separate process with limits on time and memory, `gvformat_child`: a small compressed .bgf file can keep
gvformat busy for hours and exhaust any memory.

The line of a `Place` is the number of the action in the file, from 1, and its column is 1.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

from bgfast.common.extras import location
from bgfast.common.validation import CHECKERS, OFF, flip_board, start_board
from bgfast.errors import BgfastError, RecordError, one_line, short_repr
from bgfast.games.scoring import MAX_CUBE_VALUE, MAX_MATCH_LENGTH, cube_objection
from bgfast.position.explain import apply_hops
from bgfast.position.turn import Hop, hops_text
from bgfast.records.record import (
    CENTRE,
    EventKind,
    EventReader,
    Place,
    RecordedGame,
    RecordHead,
    Setup,
    moves_between,
)
from bgfast.records.recorded_analysis import (
    CandidatePlay,
    CubeEquities,
    DecisionAnalysis,
    Probabilities,
    validate_equity,
    validate_probabilities,
)
from bgfast.records.xg import VARIANTS

CHILD = Path(__file__).with_name("gvformat_child.py")
TIMEOUT_SECONDS = 60.0
"""Maximum wall time of the process; its processor time is limited to 20 s where the system supports it."""
_NAMES = {"bgf": "a BGBlitz file", "ogxm": "an OGXM file"}
_RESIGN = (27, 28)
_SET_POSITION = 31
_MARKERS = (24, 25, 26, 29, 30, 34)  # ends of games; the results are fields of the game
_CUBE_KINDS: dict[int, EventKind] = {21: "double", 22: "take", 23: "drop", 32: "beaver", 33: "raccoon"}
_PLIES = re.compile(r"([0-9]{1,3})ply")
_PROBABILITIES = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")


def read_through_gvformat(
    content: bytes, format: Literal["bgf", "ogxm"]
) -> Iterator[RecordHead | RecordedGame]:
    """Yield the head and the games of a file; raise `BgfastError` if gvformat is not installed."""
    document = _document(content, format)
    try:
        items = list(_DocumentReader(document).items())
    except _DocumentReader._errors as error:
        if isinstance(error, BgfastError):
            raise
        problem = f"{type(error).__name__}: {one_line(error)}"
        raise RecordError(f"{_NAMES[format]} without a match that can be read ({problem})") from None
    yield from items


def _document(content: bytes, format: str) -> Any:
    folder = location("gvformat", "'bgfast[records]'", _NAMES[format])
    try:
        process = subprocess.run(
            [sys.executable, "-I", "-S", str(CHILD), folder, format],
            input=content,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        problem = f"it was not read within {TIMEOUT_SECONDS:g} s"
    except OSError as error:
        raise BgfastError(f"gvformat cannot be started: {one_line(error)}") from None
    else:
        try:
            answer = json.loads(process.stdout)
        except ValueError:  # a limit or the system ended the process
            answer = {"error": f"gvformat exited with status {process.returncode}, out of memory or time"}
        if "error" not in answer:
            return answer["document"]
        problem = one_line(answer["error"])
    raise RecordError(f"{_NAMES[format]} that cannot be read ({problem}); expected an undamaged file")


class _DocumentReader(EventReader):
    """Converter of a gvformat document to heads, games and events.

    Colours are 1 for white and 0 for black. White moves up; white's bar is 0, black's is 25.
    """

    _errors = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
    """Errors from the content of a document, which gvformat does not check."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__()
        self.document = document
        self.first_colour = 0 if document.get("swapped") else 1
        self.score = [0, 0]
        self.action_count = 0
        self.cube = 1
        self.is_beavered = False

    def items(self) -> Iterator[RecordHead | RecordedGame]:
        head = self._head()
        yield head
        for game_number, game in enumerate(self.document["games"], 1):
            yield self._game(game_number, game, head)

    def _head(self) -> RecordHead:
        document = self.document
        head = RecordHead(self.place, self.validate_length(document["match_length"], 0))
        head.crawford, head.jacoby = bool(document["crawford"]), bool(document["jacoby"])
        head.beavers = bool(document["beaver"])
        limit = int(document.get("cube_limit") or 0)
        head.cube_limit = limit if 1 < limit < 1024 and limit & (limit - 1) == 0 else 0
        names = [_text(document["player_white"]), _text(document["player_black"])]
        first, second = names if self.first_colour else reversed(names)
        head.set_players((first, second))
        for name in ("event", "site", "round"):
            head.set_info(name, _text(document.get(name)))
        seconds = document.get("timestamp") or 0
        if 0 < seconds < 1 << 36:
            head.set_info("date", datetime.fromtimestamp(seconds, timezone.utc).date().isoformat())
        head.set_info("variant", VARIANTS[int(document.get("variant") or 0)])
        if "score_start" in document:
            self.score = [int(points) for points in document["score_start"]]
            if not all(0 <= points <= MAX_MATCH_LENGTH for points in self.score):
                raise self.error(f"the score is {short_repr(self.score)}", f"0 to {MAX_MATCH_LENGTH} each")
        return head

    def _game(self, game_number: int, content: dict[str, Any], head: RecordHead) -> RecordedGame:
        self.place = Place(self.action_count + 1, 1)
        score = (self.score[0], self.score[1]) if game_number == 1 and any(self.score) else None
        crawford = bool(content["is_crawford"])
        self.game = game = RecordedGame(game_number, self.place, score, head.info.players, crawford=crawford)
        tie_count = int(content.get("auto_doubles") or 0)
        self.add_ties(tie_count)
        if game_number == 1 and "damaged" in self.document:
            self.add_damage(self.document["damaged"])
        self.cube = 1 << tie_count
        self.board = start_board(head.info.variant or "start")[0]
        self._add_start(content)
        for ply in content["plies"]:
            self.action_count += 1
            self.place = Place(self.action_count, 1)
            self._ply(ply, content)
        winner, points = content["winner"], int(content["points_won"])
        # For an unfinished BGBlitz game, gvformat states a winner with 0 points.
        if winner in (0, 1) and points:
            player = self._player(1 - winner)
            self.score[player] += self.validate_points(points)
            is_last = head.length is not None and self.score[player] >= head.length
            self.add("wins", player, flagged=is_last, points=points)
        return game

    def _add_start(self, content: dict[str, Any]) -> None:
        board = self._board(content["initial_board"]) if "initial_board" in content else self.board
        value = int(content.get("initial_cube_value") or 1)
        if (problem := cube_objection(value) or cube_objection(self.cube * value)) is not None:
            raise RecordError(problem, self.place)
        if board == self.board and value == 1:
            return
        owner = content.get("initial_cube_owner")  # 0 is white in this field
        owner = self._player(1 - owner) if owner in (0, 1) else CENTRE
        self.board = board
        self.cube *= value
        self.add("position", None, setup=Setup(board, self.cube if value > 1 else 0, owner))

    def _board(self, counts: Sequence[int]) -> tuple[int, ...]:
        """Return a position from the side of player 0."""
        board = tuple(int(checkers) for checkers in counts)
        if len(board) != 26:
            raise self.error(f"a board of {len(board)} numbers", "26")
        if max(map(abs, board)) > CHECKERS:
            raise self.error(f"the board {short_repr(board)}", f"at most {CHECKERS} checkers on a point")
        # In the document, white's checkers are positive, and white moves towards higher points.
        return tuple(reversed(board)) if self.first_colour == 1 else tuple(-checkers for checkers in board)

    def _player(self, colour: int) -> int:
        return 0 if colour == self.first_colour else 1

    def _ply(self, ply: dict[str, Any], content: dict[str, Any]) -> None:
        action, player = ply["action_id"], self._player(1 if ply["color"] else 0)
        analysis = ply.get("analysis") or {}
        if not isinstance(analysis, dict):
            self.add_damage(f"an analysis is {short_repr(analysis)}; expected an object")
            analysis = {}
        if 0 <= action <= 20 or action == _SET_POSITION:
            self._turn(ply, player, analysis)
        elif action in _CUBE_KINDS:
            # A beaver turns the cube at once; the take after it does not.
            kind = _CUBE_KINDS[action]
            factors = {"take": 1 if self.is_beavered else 2, "beaver": 4, "raccoon": 2}
            self.is_beavered = kind in ("beaver", "raccoon")
            self.cube *= factors.get(kind, 1)
            value = {"double": 2 * self.cube, "beaver": self.cube, "raccoon": self.cube}.get(kind, 0)
            if max(self.cube, value) > MAX_CUBE_VALUE:
                raise self.error(f"a cube of more than {MAX_CUBE_VALUE:,}", "at most that")
            cube = self.try_read(lambda: self._cube_equities(analysis))
            self.add(kind, player, DecisionAnalysis(cube=cube), value=value)
        elif action in _RESIGN:
            level = ply.get("resign_value") or int(content["points_won"]) // self.cube
            self.add_resignation(player, int(level))
        elif action not in _MARKERS:
            raise self.error(f"the action {action}", "a roll, a cube action or a resignation")

    def _turn(self, ply: dict[str, Any], player: int, analysis: dict[str, Any]) -> None:
        is_set_up = ply["action_id"] == _SET_POSITION
        if is_set_up and "d1" not in ply:
            self.board = self._board(ply["set_position"])
            self.add("position", None, self._turn_analysis(analysis, player), setup=Setup(self.board))
            return
        before = self.board if player == 0 else flip_board(self.board)
        if is_set_up:  # the board after a play without a list of moves
            board = self._board(ply["set_position"])
            after = board if player == 0 else flip_board(board)
            moves = moves_between(before, after)
        else:
            moves = self._moves(ply["moves"], player)
            after = apply_hops(before, moves)
        dice = self.validate_dice(int(ply["d1"]), int(ply["d2"]))
        is_illegal = is_set_up or bool(analysis.get("illegal_move"))
        decision_analysis = self._turn_analysis(analysis, player)
        self.add_turn(player, dice, moves, after, is_illegal=is_illegal, analysis=decision_analysis)

    def _moves(self, steps: Sequence[dict[str, Any]], player: int) -> list[Hop]:
        moves = []
        for step in steps:
            start, pips = int(step["from"]), int(step["pips"])
            point = 25 - start if self._player(1) == player else start
            if not 1 <= point <= 25 or point - pips >= 25:
                raise self.error(f"a checker moves {pips} pips from {point}", "points on the board")
            moves.append((point, max(point - pips, OFF)))
        return moves

    def _turn_analysis(self, analysis: dict[str, Any], player: int) -> DecisionAnalysis:
        plays, played = self.try_read(lambda: self._plays(analysis, player)) or ((), None)
        cube = analysis.get("cube_decision") or analysis.get("missed_double") or {}
        return DecisionAnalysis(
            plays,
            played,
            self.try_read(lambda: self._cube_equities(cube)),
            self.try_read(lambda: _luck(analysis)),
        )

    def _plays(self, analysis: dict[str, Any], player: int) -> tuple[tuple[CandidatePlay, ...], int | None]:
        """Return the ranked plays, and the index of the recorded play or None."""
        level = analysis.get("eval_level")
        plays = []
        played = None
        for index, play in enumerate(analysis.get("alternatives") or ()):
            if played is None and play.get("is_played"):
                played = index
            text = hops_text(self._moves(play.get("move") or (), player), ())
            plays.append(
                CandidatePlay(
                    text,
                    validate_equity(float(play["equity"])),
                    self._probabilities(play.get("eval")),
                    _level(play.get("eval_level") or level),
                )
            )
        return tuple(plays), played

    def _cube_equities(self, analysis: dict[str, Any]) -> CubeEquities | None:
        names = ("no_double_equity", "double_take_equity", "double_pass_equity")
        if any(analysis.get(name) is None for name in names):
            return None
        no_double, double_take, double_drop = (validate_equity(float(analysis[name])) for name in names)
        probabilities = self._probabilities(analysis.get("eval"))
        level = _level(analysis.get("eval_level"))
        return CubeEquities(no_double, double_take, double_drop, probabilities, level)

    def _probabilities(self, evaluation: dict[str, Any] | None) -> Probabilities | None:
        if not evaluation:
            return None
        values = [float(evaluation[name]) for name in _PROBABILITIES]
        return validate_probabilities(values, self.add_damage)


def _luck(analysis: dict[str, Any]) -> float | None:
    return None if analysis.get("luck") is None else validate_equity(float(analysis["luck"]))


def _level(name: Any) -> str:
    """Return a level as `CandidatePlay` spells it; gvformat writes ``3ply``."""
    text = _text(name)
    plies = _PLIES.fullmatch(text)
    return f"{int(plies[1])}-ply" if plies else text


def _text(value: Any) -> str:
    """Return a string or integer as UTF-8 encodable text; return "" for any other type."""
    return str(value).encode("utf-8", "replace").decode() if isinstance(value, (str, int)) else ""
