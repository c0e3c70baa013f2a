"""Client of a UBGI engine in a separate process, for drafts 0.01, 0.1 and 0.2 of the protocol."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import Literal

from bgfast.common.files import naming
from bgfast.common.text import Pattern
from bgfast.common.validation import Board, Roll
from bgfast.conformance.engine_process import START_LIMIT, RestartedProgram
from bgfast.conformance.protocol import Case, CrashedError, HungError, RubbishError
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.position.decision import Decision
from bgfast.position.explain import apply_hops
from bgfast.position.objects import Play, Position
from bgfast.position.play_text import read_hops
from bgfast.position.turn import hops_text

MAX_LINES = 20_000
"""Maximum number of lines of an answer."""
MAX_ANSWER = 8_000_000
"""Maximum number of characters of an answer; lists of 5,000 plays at several depths need fewer."""
STOP_SECONDS = 2.0
"""Time limit for the answer to ``stop``, which is sent when the ordinary time limit expires."""
DOUBLE_ACTIONS = {"double": True, "nodouble": False, "roll": False}
TAKE_ACTIONS = {"take": True, "drop": False}
_RANGE = Pattern(r"\b(?:int -?[0-9]{1,9}\.\.|max )([0-9]{1,9})\b")
_OPTION = Pattern(r"(?:key|option name) (\S+)")
_RANK = Pattern(r"\bmultipv ([0-9]{1,9})\b")


class UbgiProcess(RestartedProgram):
    """Program that speaks UBGI.

    `cubeless` asks the engine to ignore the cube, if it has an option for that. `time_limit` applies to
    a whole answer, not to each line.
    """

    _stage = "in the handshake"

    def __init__(
        self,
        command: Sequence[str],
        *,
        time_limit: float = 60.0,
        start_limit: float = START_LIMIT,
        cubeless: bool = False,
    ) -> None:
        super().__init__(command, time_limit, start_limit)
        self._cubeless = cubeless
        self._transcript = Transcript(os.environ.get(LOG_VARIABLE) or None, "ubgi")
        self.draft = ""  # "0.2", "0.1" or "0.01"; in 0.01 a question is only a position
        self._reads_xgid = False  # if False, cube and score cannot be sent as an XGID
        self._options: dict[str, str] = {}  # lines that announce options and keys, by name
        self._start()

    def best_play(self, decision: Decision, *, cubeless: bool = False) -> Play:
        """Return the engine's play for a decision with dice and at least two legal plays.

        `cubeless` omits cube and score, except in draft 0.01, which cannot omit them. Raises `EngineError`.
        """
        dice = decision.dice
        assert dice is not None
        with self._ensure_running():
            if self.draft == "0.01":
                return self._legal_play(decision.position, dice, self._answer_to_position(decision))
            answer = self._go_chequer(decision, dice, cubeless)[-1]
            keyword, _, payload = answer.partition(" ")
            if keyword == "bestmoveid":
                for play in decision.position.plays(dice):
                    if play.position.gnubg_id == payload.strip():
                        return play
                raise self._illegal(decision.position, dice, answer, "no legal play leads to it")
            return self._legal_play(decision.position, dice, payload)

    def doubles(self, decision: Decision) -> bool | None:
        """Return whether the engine doubles; None if it does not decide on the cube. Raises `EngineError`."""
        return self._cube_action(decision, DOUBLE_ACTIONS)

    def takes(self, decision: Decision) -> bool | None:
        """Return whether the engine takes the offered double; see `doubles` for None and the errors."""
        return self._cube_action(decision, TAKE_ACTIONS)

    def successors(self, case: Case) -> list[Board]:
        """Return the boards after all plays that the engine lists, from the mover's side."""
        position = Position.from_array(case.board)
        with self._ensure_running():
            lines = self._go_chequer(Decision(position=position), case.roll, cubeless=True)
            if lines[-1].partition(" ")[2].strip() in (PASS, ""):
                return []
            # The engine lists its plays again at each search depth; the last list counts.
            listed = (line.rpartition(" pv ") for line in lines if line.startswith("info "))
            texts = {match[1]: text.strip() for head, _, text in listed if (match := _RANK.search(head))}
            try:
                return [board_after(case.board, text) for text in texts.values() if text]
            except ValueError as error:
                raise RubbishError(f"it listed a play that cannot be read: {error}") from None

    def close(self) -> None:
        """Send ``quit`` and end the program."""
        if self._child is not None:
            self._send("quit")
        super().close()

    # ---------------------------------------------------------------- questions

    def _cube_action(self, decision: Decision, meanings: dict[str, bool]) -> bool | None:
        with self._ensure_running():
            if self.draft == "0.01":
                return meanings.get(self._answer_to_position(decision))
            # Without XGIDs, offers cannot be sent; in draft 0.2, cube and score cannot be sent either.
            if not self._reads_xgid and (decision.offer is not None or self.draft == "0.2"):
                return None
            self._set_position(decision, cubeless=False)
            answer = self._read_until(f"go {self._role('cube')}", _end_test("bestcube"))[-1]
            return meanings.get(answer.removeprefix("bestcube").strip())

    def _go_chequer(self, decision: Decision, dice: Roll, cubeless: bool) -> list[str]:
        """Ask for the play of a roll and return the lines of the answer."""
        self._set_position(decision, cubeless)
        self._send(f"dice {dice[0]} {dice[1]}")
        lines = self._read_until(f"go {self._role('chequer')}", _end_test("bestmove", "bestmoveid"))
        if lines[-1].startswith("error"):
            raise CrashedError(f"it answered {short_repr(lines[-1])}")
        return lines

    def _answer_to_position(self, decision: Decision) -> str:
        answer = self._read_until(decision.xgid, lambda line: True)[-1].strip()
        if decision.dice is not None and answer == "sorry":
            raise CrashedError("it answered 'sorry'")
        return answer

    def _legal_play(self, position: Position, dice: Roll, text: str) -> Play:
        plays = position.plays(dice)
        try:
            after = plays.play(join_pairs(text.strip()))
        except BgfastError as error:
            raise self._illegal(position, dice, text, str(error)) from None
        return next(play for play in plays if play.position == after)

    def _illegal(self, position: Position, dice: Roll, text: str, reason: str) -> RubbishError:
        high, low = max(dice), min(dice)
        return RubbishError(
            f"{short_repr(text)} is not a legal play of {high}-{low} in {position.gnubg_id}: "
            f"{one_line(reason)}"
        )

    def _role(self, role: str) -> str:
        return role if self.draft == "0.2" else f"role {role}"

    def _set_position(self, decision: Decision, cubeless: bool) -> None:
        """Send position, cube and score; in draft 0.1, ignore refusals of cube and score."""
        if self._reads_xgid and not cubeless:
            self._send(f"position xgid {decision.xgid}")
        else:
            if not cubeless and self.draft == "0.1":
                self._send(*_session_lines(decision))
                self._refusals()
            self._send(f"position gnubgid {decision.position.gnubg_id}")
        if refusals := self._refusals():
            raise CrashedError(f"it refused {decision.position.gnubg_id}: {short_repr(refusals[0])}")

    def _refusals(self) -> list[str]:
        """Return the errors that the engine reports before ``readyok``."""
        return [line for line in self._read_until("isready", _is_ready) if line.startswith("error")]

    # ---------------------------------------------------------------- lines

    def _send(self, *lines: str) -> None:
        for line in lines:
            self._transcript.write(">", line)
            if self._child is not None:
                self._child.write(f"{line}\n")

    def _read_until(
        self, question: str, is_last: Callable[[str], bool], seconds: float | None = None
    ) -> list[str]:
        """Send a line and return the answer; `is_last` recognizes its last line."""
        limit = self._time_limit if seconds is None else seconds
        deadline = time.monotonic() + limit
        self._send(question)
        lines: list[str] = []
        length = 0
        is_stopped = question in ("ubgi", "isready")  # these questions need no "stop"
        while len(lines) < MAX_LINES and length <= MAX_ANSWER:
            try:
                lines.append(self._read_line(deadline))
            except HungError as error:
                if is_stopped:
                    rest = str(error).partition(" s")[2]
                    raise HungError(f"no answer to {short_repr(question)} within {limit:g} s{rest}") from None
                is_stopped, deadline = True, time.monotonic() + STOP_SECONDS
                self._send("stop")
                continue
            if is_last(lines[-1]):
                return lines
            length += len(lines[-1])
        limit_text = f"{MAX_LINES:,} lines" if length <= MAX_ANSWER else f"{MAX_ANSWER:,} characters"
        raise RubbishError(f"it wrote more than {limit_text} without an answer to {short_repr(question)}")

    def _read_line(self, deadline: float) -> str:
        if self._child is None:
            raise CrashedError("it has ended")
        line = self._child.read_bytes(max(0.0, deadline - time.monotonic()))
        text = line.decode("utf-8", "replace").rstrip("\r")
        self._transcript.write("<", text)
        return text

    # ---------------------------------------------------------------- start and end

    def _greet(self) -> None:
        """Perform the handshake, set the engine's options and start a game."""
        final_lines = ("ubgiok", "readyok", "sorry")
        lines = self._read_until(
            "ubgi", lambda line: line.strip() in final_lines or line.startswith("error "), self._start_limit
        )
        ids = dict(line.split(None, 2)[1:] for line in lines if re.match(r"id \S+ \S", line))
        self.name = one_line(ids.get("name", "no name"))
        self.version = one_line(ids.get("version", "unknown"))
        self.draft, self._reads_xgid, self._options = "0.01", False, {}
        if lines[-1].strip() == "readyok":
            return
        if lines[-1].strip() != "ubgiok":
            raise RubbishError(f"it answered 'ubgi' with {short_repr(lines[-1])}")
        self.draft = "0.2" if any(line.startswith("proto ") for line in lines) else "0.1"
        if self.draft == "0.2":
            self._send("keys")
        lines += self._read_until("isready", _is_ready, self._start_limit)
        self._options = {match[1]: line for line in lines if (match := _OPTION.match(line))}
        self._send(f"position xgid {Decision(position=Position.start()).xgid}")
        self._reads_xgid = not self._refusals()
        if self._cubeless:
            if "engine.eval_mode" in self._options:
                self._send("set engine.eval_mode cubeless")
            elif "EvalMode" in self._options:
                self._send("setoption name EvalMode value cubeless")
        if self.listing_command is not None:
            self._send(self.listing_command)
        self._send("newgame")
        self._refusals()

    @property
    def listing_command(self) -> str | None:
        """Command that makes the engine list all its plays; None if it has no option for that."""
        for name, template in (("engine.multipv", "set {} {}"), ("MultiPV", "setoption name {} value {}")):
            match = _RANGE.search(self._options.get(name, ""))
            if match is not None:
                return template.format(name, match[1])
        return None


def _is_ready(line: str) -> bool:
    return line.strip() == "readyok"


def _end_test(*keywords: str) -> Callable[[str], bool]:
    """Return a test for the last line of an answer, whose first word is a keyword or "error"."""
    return lambda line: line.partition(" ")[0] in (*keywords, "error")


def _session_lines(decision: Decision) -> list[str]:
    """Return the commands of draft 0.1 that set session, score and cube; the mover is p0."""
    if decision.match_length:
        crawford = "on" if decision.crawford else "off"
        session = f"newsession type match length {decision.match_length} crawford {crawford}"
    else:
        session = f"newsession type money jacoby {'on' if decision.jacoby else 'off'}"
    owner = {1: "p0", 0: "center", -1: "p1"}[decision.cube_owner]
    return [
        session,
        f"setscore {decision.score[0]} {decision.score[1]}",
        f"setcube value {decision.cube} owner {owner}",
        "setturn p0",
    ]


# ---------------------------------------------------------------- transcripts, written on request

LOG_VARIABLE = "BGFAST_UBGI_LOG"
"""Name of the environment variable with the path of the transcript file."""


class Transcript:
    """File that records a session: ``>`` marks lines to the engine, ``<`` lines from it.

    Lines begin with `name`, to tell sessions in a file apart. If `path` is None, nothing is written.
    """

    def __init__(self, path: str | None, name: str) -> None:
        self._path = path
        self._name = name
        self._append("")  # raises if the file cannot be written

    def write(self, sign: Literal["<", ">"], line: str) -> None:
        """Append a line."""
        self._append(f"{self._name} {sign} {one_line(line)}\n")

    def _append(self, text: str) -> None:
        if self._path is None:
            return
        # Reopened for each line: sessions in several processes must not interleave within a line.
        with naming(f"transcript {short_repr(self._path)}"), open(self._path, "a", encoding="utf-8") as file:
            file.write(text)


# ---------------------------------------------------------------- plays of UBGI and GNU Backgammon

PASS = "pass"
"""UBGI's text for a roll without a legal play."""
_PAIRS = Pattern(r"(?:bar|off|[0-9]{1,2})(?:[ -]+(?:bar|off|[0-9]{1,2}))+")


def moves_text(play: Play) -> str:
    """Return a play as separate moves of one die each, without hit marks: ``24/18 18/13``; "" for a pass."""
    # The rearmost moves come first, so the moves can be made in this order.
    return hops_text(sorted(play.moves, reverse=True), ())


def join_pairs(text: str) -> str:
    """Return a play with ``/`` between start and end of each move: ``8 5 6 5`` becomes ``8/5 6/5``."""
    if not _PAIRS.fullmatch(text):
        return text
    points = re.split(r"[ -]+", text)
    if len(points) % 2:
        return text
    return " ".join(f"{start}/{end}" for start, end in zip(points[::2], points[1::2], strict=True))


def board_after(board: Board, text: str) -> Board:
    """Return the board after a play in UBGI's or GNU Backgammon's notation, from the mover's side.

    Legality is not checked. A blot is hit wherever a checker stops, with or without a ``*``.
    Raises `NotationError` if the text is not a list of moves.
    """
    hops, _, _ = read_hops(join_pairs(text), unchecked=True)
    # The rearmost moves come first; the text may list the moves in any order.
    return apply_hops(board, sorted(hops, reverse=True))
