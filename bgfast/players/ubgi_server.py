"""bgfast as a UBGI engine: the server, and a thread that reads the lines of an untrusted peer."""

from __future__ import annotations

import math
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple, TypeVar

from bgfast.analysis.cube_decision import CubeDecision, cube_decision
from bgfast.common import __version__
from bgfast.conformance.ubgi_client import PASS, Transcript, moves_text
from bgfast.errors import BgfastError, one_line
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.ranked_plays import Evaluation, RankedPlay, RankedPlays
from bgfast.players.ubgi_session import MAX_PLY, Refusal, Settings, Table
from bgfast.position.decision import Decision

MAX_LINE = 4096
"""Maximum length of a line in bytes; longer lines are discarded and refused."""
MAX_QUEUED_LINES = 10_000
"""Maximum number of lines read ahead; a peer that writes more is blocked."""
LONG_LINE = "\0"
"""Placeholder for a line that was too long; no other line has a zero byte."""


class Lines:
    """Numbered input lines, read by a thread until `read` returns b"". `is_stopped` reports ``stop``."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._queue: queue.Queue[tuple[int, str] | None] = queue.Queue(MAX_QUEUED_LINES)
        self._last_stop = 0
        threading.Thread(target=self._fill, daemon=True).start()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        while (item := self._queue.get()) is not None:
            yield item

    def is_stopped(self, line_number: int) -> bool:
        """Return whether ``stop`` has been read after the line with this number."""
        return self._last_stop > line_number

    def _fill(self) -> None:
        for line_number, line in enumerate(self._split(), 1):
            if line == "stop":
                self._last_stop = line_number
            self._queue.put((line_number, line))
        self._queue.put(None)

    def _split(self) -> Iterator[str]:
        buffer, is_skipping = b"", False
        with suppress(OSError):  # the terminal or pipe is gone
            while chunk := self._read():
                *lines, buffer = (buffer + chunk).split(b"\n")
                for line in lines:
                    if not is_skipping:
                        yield _decode_line(line)
                    is_skipping = False
                if len(buffer) > MAX_LINE:
                    if not is_skipping:
                        yield LONG_LINE
                    buffer, is_skipping = b"", True
        if buffer and not is_skipping:
            yield _decode_line(buffer)


def _decode_line(line: bytes) -> str:
    if len(line) > MAX_LINE:
        return LONG_LINE
    return " ".join(line.decode("utf-8", "replace").replace(LONG_LINE, "?").split())


# ---- bgfast as a UBGI engine ----

Dialect = Literal["commands", "positions"]
Result = TypeVar("Result")
_POSITION = re.compile(r"XGID=|board:|[-a-pA-P]{26}:")
"""Beginnings of lines that hold a position."""
_LIMITS = {"movetime", "depth"}
_UNSUPPORTED_LIMITS = {"nodes", "trials"}
_ROLES = {"chequer": "chequer", "checker": "chequer", "cube": "cube", "turn": "turn"}


class _Go(NamedTuple):
    """Arguments of a ``go`` command."""

    role: str  # "chequer", "cube", "turn", or "" ("chequer" with dice, "cube" without)
    line_number: int  # a ``stop`` on a later line ends the search
    ply: int
    deadline: float  # on the monotonic clock


class Server:
    """Session of a UBGI engine, with evaluator factories by name; the first evaluator is the default.

    `read` returns the next bytes from the peer, b"" at the end; `write` sends a line to the peer. The dialect
    decides the end of the handshake and the form of refusals; both dialects accept commands and positions.
    """

    def __init__(
        self,
        evaluators: Mapping[str, Callable[[], Any]],
        read: Callable[[], bytes],
        write: Callable[[str], object],
        *,
        ply: int = 1,
        threads: int = 1,
        dialect: Dialect = "commands",
        transcript: Transcript | None = None,
    ) -> None:
        self._factories = evaluators
        self._lines = Lines(read)
        self._write = write
        self._dialect = dialect
        self._transcript = Transcript(None, "") if transcript is None else transcript
        self._evaluators: dict[str, Any] = {}
        self._searches: dict[tuple[str, int], Lookahead] = {}
        self._settings = Settings(tuple(evaluators), ply=ply, threads=threads)
        self._search(ply)  # raises before the first line is read if the evaluator cannot search
        self._table = Table()
        table = self._table
        self._commands: dict[str, Callable[[list[str]], object]] = {
            "ubgi": self._greet,
            "isready": lambda tokens: self._reply("readyok"),
            "newgame": lambda tokens: table.new_game(),
            "newsession": table.new_session,
            "setscore": table.set_score,
            "setcube": table.set_cube,
            "setturn": table.set_turn,
            "position": table.set_position,
            "dice": table.set_dice,
            "set": self._set,
            "get": self._get,
            "keys": lambda tokens: self._reply(*self._settings.key_lines()),
            "setoption": self._set_option,
            "eval": self._evaluate,
            "stop": lambda tokens: None,  # `Lines` has read it, and the search has ended by now
        }

    def run(self) -> None:
        """Answer lines until ``quit``, the end of input or a broken pipe."""
        try:
            for line_number, line in self._lines:
                if line == "quit":
                    self._transcript.write(">", line)
                    return
                if line:
                    self._obey(line_number, line)
        except BrokenPipeError:
            return

    def _obey(self, line_number: int, line: str) -> None:
        self._transcript.write(">", "a line that is too long" if line == LONG_LINE else line)
        command, *tokens = line.split()
        try:
            if line == LONG_LINE:
                raise Refusal("bad_command", "a line is too long")
            if _POSITION.match(line):
                self._answer_position(line_number, line)
            elif command == "go":
                self._go(self._read_go(line_number, tokens))
            elif command in self._commands:
                self._commands[command](tokens)
            else:
                raise Refusal("bad_command", f"unknown command {command}")
        except Refusal as refusal:
            self._refuse(refusal.code, refusal)
        except BgfastError as error:
            self._refuse("bad_state" if command in ("go", "eval") else "bad_value", error)
        except OSError:
            raise
        except Exception as error:  # an evaluator is untrusted code
            self._refuse("bad_state", f"{type(error).__name__}: {error}")

    def _reply(self, *lines: str) -> None:
        for line in lines:
            text = line.encode("ascii", "backslashreplace").decode("ascii")
            self._transcript.write("<", text)
            self._write(text)

    def _refuse(self, code: str, detail: object) -> None:
        self._reply("sorry" if self._dialect == "positions" else f"error {code} {one_line(detail)}")

    def _greet(self, tokens: list[str]) -> None:
        self._reply("id name bgfast", "id author the bgfast developers", f"id version {__version__}")
        if self._dialect == "positions":
            self._reply("readyok")
            return
        self._reply("proto 0.2", *self._settings.option_lines(), "ubgiok")

    # ---- options ----

    def _set(self, tokens: list[str]) -> None:
        if len(tokens) != 2:
            raise Refusal("bad_command", "expected: set <key> <value>")
        self._change(self._settings.with_key(*tokens))

    def _set_option(self, tokens: list[str]) -> None:
        if len(tokens) != 4 or tokens[0] != "name" or tokens[2] != "value":
            raise Refusal("bad_command", "expected: setoption name <Name> value <Value>")
        self._change(self._settings.with_option(tokens[1], tokens[3]))

    def _get(self, tokens: list[str]) -> None:
        if len(tokens) != 1:
            raise Refusal("bad_command", "expected: get <key>")
        self._reply(f"value {tokens[0]} {self._settings.get(tokens[0])}")

    def _change(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        try:
            self._search(settings.ply)
        except BaseException:
            self._settings = before
            raise

    def _search(self, ply: int) -> Lookahead:
        """Return the search of the chosen evaluator; raise `BgfastError` if it cannot search that deep."""
        name = self._settings.evaluator
        if (name, ply) not in self._searches:
            if name not in self._evaluators:
                self._evaluators[name] = self._factories[name]()
            self._searches[name, ply] = Lookahead(self._evaluators[name], ply=ply)
        return self._searches[name, ply]

    # ---- decisions ----

    def _read_go(self, line_number: int, tokens: list[str]) -> _Go:
        role, rest = "", tokens.copy()
        if rest[:1] == ["role"]:
            del rest[0]
            if not rest or rest[0] not in _ROLES:
                raise Refusal("bad_value", "expected: go role <chequer|cube|turn>")
        if rest and rest[0] in _ROLES:
            role = _ROLES[rest.pop(0)]
        if len(rest) % 2:
            raise Refusal(
                "bad_command", "expected: go [role] [chequer|cube|turn] [movetime <ms>] [depth <n>]"
            )
        limits = dict(zip(rest[::2], rest[1::2], strict=True))
        for name, value in limits.items():
            if name in _UNSUPPORTED_LIMITS:
                raise Refusal("unsupported", f"go {name}")
            if name not in _LIMITS:
                raise Refusal("bad_command", f"go {name}")
            if not value.isascii() or not value.isdigit() or not 0 < len(value) < 9 or not int(value):
                raise Refusal("bad_value", f"{name} must be a whole number, 1 or more")
        ply = min(int(limits["depth"]) - 1, MAX_PLY) if "depth" in limits else self._settings.ply
        seconds = int(limits["movetime"]) / 1000 if "movetime" in limits else float("inf")
        return _Go(role, line_number, ply, time.monotonic() + seconds)

    def _deepen(self, go: _Go, decide: Callable[[Lookahead], Result]) -> Result:
        """Return the result of iterative deepening from 0 plies until ``stop`` or the deadline."""
        for ply in range(go.ply):
            result = decide(self._search(ply))
            if self._lines.is_stopped(go.line_number) or time.monotonic() >= go.deadline:
                return result
        return decide(self._search(go.ply))

    def _go(self, go: _Go) -> None:
        role = go.role or ("cube" if self._table.context.dice is None else "chequer")
        cube = "" if role == "chequer" else self._cube_action(go, self._table.decision(with_dice=False))
        play = "" if role == "cube" else self._best_play(go, self._table.decision(with_dice=True))
        turn = f"bestturn cube={cube} move={play}"
        self._reply({"chequer": f"bestmove {play}", "cube": f"bestcube {cube}", "turn": turn}[role])

    def _best_play(self, go: _Go, decision: Decision) -> str:
        """Send the lines that list plays; return the best play, or `PASS`."""
        ranked = self._rank_plays(go, decision)
        if not ranked[0].play.moves:
            return PASS
        self._reply(*(_play_line(rank, play) for rank, play in enumerate(ranked[: self._settings.plays], 1)))
        return moves_text(ranked[0].play)

    def _rank_plays(self, go: _Go, decision: Decision) -> RankedPlays:
        cubeless, threads = self._settings.cubeless, self._settings.threads
        return self._deepen(
            go, lambda search: search.best_plays(decision, cubeless=cubeless, threads=threads)
        )

    def _cube_decision(self, go: _Go, decision: Decision) -> CubeDecision:
        threads = self._settings.threads
        return self._deepen(go, lambda search: cube_decision(decision, search, threads=threads))

    def _cube_action(self, go: _Go, decision: Decision) -> str:
        """Send a line of equities; return "double" or "nodouble", or, for an offer, "take" or "drop"."""
        result = self._cube_decision(go, decision)
        self._reply(_cube_line(result))
        return _action(decision, result) or "nodouble"

    def _evaluate(self, tokens: list[str]) -> None:
        if tokens:
            raise Refusal("bad_command", "expected: eval")
        decision = self._table.decision(with_dice=False)
        search = self._search(self._settings.ply)
        evaluation = search.evaluation(decision, cubeless=self._settings.cubeless)
        self._reply(f"eval {_numbers(evaluation)}")

    def _answer_position(self, line_number: int, line: str) -> None:
        """Answer a position line with the best action, without details."""
        try:
            decision = Decision.read(line)
            go = self._read_go(line_number, [])
            if decision.dice is not None:
                answer = moves_text(self._rank_plays(go, decision)[0].play)
            else:
                answer = _action(decision, self._cube_decision(go, decision)) or "roll"
        except BgfastError:
            answer = "sorry"
        self._reply(answer)


def _action(decision: Decision, result: CubeDecision) -> str:
    """Return "double", or "" for no double; "take" or "drop" if a double is offered."""
    if decision.offer is not None:
        # The drafts of the UBGI protocol have no word for a beaver: answer "take".
        return "drop" if result.proper_action == "Drop" else "take"
    return "double" if result.why_not is None and bool(result.equities.doubles) else ""


def _numbers(values: Evaluation | RankedPlay) -> str:
    """Return equity, match-winning chance and probabilities as pairs of name and value."""
    pairs = [("eq", values.equity)]
    if values.mwc is not None:
        pairs.append(("mwc", values.mwc))
    if values.probabilities is not None:
        names = ("pwin", "pgammon", "pbg", "plgammon", "plbg")
        pairs += zip(names, values.probabilities, strict=True)
    return " ".join(f"{name} {value:.6f}" for name, value in pairs)


def _play_line(rank: int, play: RankedPlay) -> str:
    return (
        f"info role chequer multipv {rank} depth {play.ply + 1} {_numbers(play)} "
        f"moveid {play.play.position.gnubg_id} pv {moves_text(play.play)}"
    )


def _cube_line(result: CubeDecision) -> str:
    names = ("no_double", "double_take", "double_drop")
    values = ((name.replace("_", ""), float(getattr(result.equities, name))) for name in names)
    pairs = (f"{name} {value:.6f}" for name, value in values if not math.isnan(value))
    return " ".join([f"info role cube depth {result.ply + 1}", *pairs])
