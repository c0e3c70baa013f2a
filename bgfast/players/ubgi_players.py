"""UBGI engines as players of contests and as opponents in games."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from bgfast.batch.successors import Successors
from bgfast.common.validation import Boards, generator_switches
from bgfast.conformance.protocol import CrashedError, EngineError, HungError, RubbishError
from bgfast.conformance.ubgi_client import UbgiProcess
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import RollPolicy, Rows
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.state import ActionName
from bgfast.players.opponents import Opponent
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position
from bgfast.rules import STANDARD, RuleSet

Result = TypeVar("Result")
_VERBS = {HungError: "hangs", CrashedError: "fails", RubbishError: "answers rubbish"}


class _Session:
    """Engine process whose failures are `BgfastError`. Thread-safe."""

    def __init__(self, command: Sequence[str], time_limit: float, *, cubeless: bool) -> None:
        self._lock = threading.Lock()
        self._command = shlex.join(command)
        with self._convert_errors(""):
            self._process = UbgiProcess(command, time_limit=time_limit, cubeless=cubeless)
        self.name, self.close = self._process.name, self._process.close

    def ask(self, question: Callable[..., Result], decision: Decision, **options: bool) -> Result:
        """Call a method of the process for a decision and return the result."""
        with self._lock, self._convert_errors(f"; decision: {decision.xgid}"):
            return question(self._process, decision, **options)

    @contextmanager
    def _convert_errors(self, suffix: str) -> Iterator[None]:
        try:
            yield
        except EngineError as error:
            engine = f"ubgi engine {short_repr(self._command)} {_VERBS[type(error)]}"
            raise BgfastError(f"{engine}: {error}{suffix}") from None


class UbgiPlayer(RollPolicy):
    """UBGI engine that chooses plays in games without a cube. Thread-safe: calls are serialized.

    Forced plays are made without the engine. The cube is excluded by the engine's option for cubeless
    evaluation, or by an XGID with a maximum cube of 1. The constructor and `choices` raise `BgfastError` if
    the engine does not start, does not answer in `time_limit` seconds, or answers with an illegal play.
    """

    def __init__(self, command: Sequence[str], *, time_limit: float = 60.0) -> None:
        self._session = _Session(command, time_limit, cubeless=True)
        self.name, self.close = self._session.name, self._session.close

    def choices(self, boards: Boards, dice: Boards, plays: Successors) -> Rows:
        """Return the chosen row of each segment; no segment is empty."""
        rows = plays.offsets[:-1].copy()
        for segment, row in enumerate(rows.tolist()):
            end = int(plays.offsets[segment + 1])
            if end - row == 1:
                continue
            high, low = (int(die) for die in dice[segment])
            decision = Decision(position=Position.from_array(boards[segment]), dice=(high, low), max_cube=1)
            play = self._session.ask(UbgiProcess.best_play, decision, cubeless=True)
            after = play.position.to_array()
            rows[segment] = row + int(np.flatnonzero((plays.boards[row:end] == after).all(axis=1))[0])
        return rows


class UbgiOpponent(Opponent):
    """UBGI engine in games with a cube, under rules with `standard` plays; same errors as `UbgiPlayer`.

    The pip count decides on the cube if the engine does not, and on resignations, which UBGI lacks.
    """

    def __init__(
        self, command: Sequence[str], rules: RuleSet = STANDARD, *, time_limit: float = 60.0
    ) -> None:
        super().__init__(rules)
        if generator_switches(rules) is not None:
            raise BgfastError(f"the rules of a UBGI engine are {rules}; expected rules with 'standard' plays")
        self._session = _Session(command, time_limit, cubeless=False)
        self.close = self._session.close

    def best_play(self, game: Game | Match) -> Play:
        """Return the engine's play, or a forced play without the engine."""
        plays = game.plays()
        return plays[0] if len(plays) == 1 else self._session.ask(UbgiProcess.best_play, game.decision)

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether the engine doubles."""
        doubles = self._session.ask(UbgiProcess.doubles, game.decision)
        return super().offers_double(game) if doubles is None else doubles

    def answer(self, game: Game | Match) -> ActionName:
        """Return "take" or "drop" as the answer to a double, a beaver or a raccoon."""
        takes = self._session.ask(UbgiProcess.takes, game.decision)
        if takes is None:
            return super().answer(game)
        return "take" if takes else "drop"
