"""Engine in a separate process: a hang or crash does not affect bgfast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from bgfast.common.resumable import reason
from bgfast.common.vocabulary import Board
from bgfast.engines.child import Child
from bgfast.engines.messages import HELLO, Introduction, question, read_answer, read_introduction
from bgfast.engines.protocol import Case, EngineError, MissingEngineError, UnreachableError
from bgfast.errors import shown

Result = TypeVar("Result")

START_LIMIT = 120.0
"""Time limit in seconds for a program to start and answer the greeting; some load or compile a lot."""


class RestartedProgram:
    """Program that is killed with its descendants after a failure and restarted by the next question."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._child: Child | None = None
        self.restarts = 0

    def _start(self) -> object:
        raise NotImplementedError

    def _launch(self, handshake: Callable[[], Result], stage: str) -> Result:
        """Start the program and return the result of the handshake; `stage` prefixes its error messages."""
        try:
            self._child = Child(self._command)
        except (OSError, ValueError) as error:
            raise MissingEngineError(f"cannot start {shown(self._command[0])}: {reason(error)}") from None
        try:
            return handshake()
        except BaseException as error:
            self._stop(patiently=False)
            if isinstance(error, EngineError):
                raise type(error)(f"{stage}: {error}") from None
            raise

    def _ask(self, question: Callable[[], Result]) -> Result:
        """Return the result of a question; start the program if needed, end it if the question fails."""
        if self._child is None:
            self.restarts += 1
            self._start()
        try:
            return question()
        except UnreachableError:
            raise
        # Including Ctrl-C: an answer still to come must not be read as the answer to the next question.
        except BaseException:
            self._stop(patiently=False)
            raise

    def _stop(self, *, patiently: bool) -> None:
        if self._child is not None:
            self._child.stop(patiently=patiently)
            self._child = None


class EngineProcess(RestartedProgram, AbstractContextManager["EngineProcess"]):
    """Program that speaks the line protocol, as an `Engine`. Not thread-safe.

    The constructor starts it, and raises `MissingEngineError` or `EngineError` if that fails. If it hangs,
    crashes or gives an invalid answer, it is killed with all its descendants, and the next question restarts
    it.
    """

    def __init__(
        self, command: Sequence[str], *, time_limit: float, start_limit: float = START_LIMIT
    ) -> None:
        super().__init__(command)
        self._time_limit = time_limit
        self._start_limit = start_limit
        self._question_id = 0
        self.name, self.version, self.capabilities = self._start()

    def successors(self, case: Case) -> list[Board]:
        """Return the successors as `Engine`; raise `MissingEngineError` if the program cannot restart."""
        self._question_id += 1
        line = question(self._question_id, case, with_game=not self.capabilities.positions)
        return self._ask(lambda: read_answer(self._exchange(line, self._time_limit), self._question_id, case))

    def close(self) -> None:
        """End the program, after a moment to exit by itself."""
        self._stop(patiently=True)

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> Introduction:
        return self._launch(
            lambda: read_introduction(self._exchange(HELLO, self._start_limit)), "after the greeting"
        )

    def _exchange(self, line: str, seconds: float) -> str:
        assert self._child is not None
        self._child.write(line)
        return self._child.read(seconds)
