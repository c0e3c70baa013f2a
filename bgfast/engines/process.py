"""An engine in a process of its own, which may hang or crash without taking bgfast along."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from bgfast.common.resumable import reason
from bgfast.engines.child import Child
from bgfast.engines.messages import HELLO, Introduction, question, read_answer, read_introduction
from bgfast.engines.protocol import Board, Case, EngineError, MissingEngineError, UnreachableError
from bgfast.errors import shown

__all__ = ["START_LIMIT", "EngineProcess"]

START_LIMIT = 120.0
"""Seconds for a program to start and answer the greeting; some load or compile a lot."""


class EngineProcess:
    """A program that speaks the line protocol, as an `Engine`.

    It is started at once. After it hung, crashed or answered rubbish it is killed with all that it started,
    and the next question starts it anew.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    time_limit : float
        Seconds for each answer.
    start_limit : float
        Seconds until it has answered the greeting.

    Attributes
    ----------
    name, version : str
        As it introduced itself.
    capabilities : Capabilities
    restarts : int
        How often it had to be started anew.

    Raises
    ------
    MissingEngineError
        If the program cannot be started, or says that its engine is not installed.
    EngineError
        If it does not introduce itself as agreed.

    Notes
    -----
    Not to be used by two threads at the same time.
    """

    def __init__(
        self, command: Sequence[str], *, time_limit: float, start_limit: float = START_LIMIT
    ) -> None:
        self._command = list(command)
        self._time_limit = time_limit
        self._start_limit = start_limit
        self._child: Child | None = None
        self._asked = 0
        self.restarts = 0
        self.name, self.version, self.capabilities = self._start()

    def successors(self, case: Case) -> list[Board]:
        """Return the boards after each play, mover's side, as often as the engine lists them; none: a pass.

        Raises
        ------
        UnreachableError
            If the engine cannot be set to this position.
        HungError, CrashedError, RubbishError
            If there was no answer in time, none at all, or none that can be read.
        MissingEngineError
            If the program has gone and cannot be started anew.
        """
        if self._child is None:
            self.restarts += 1
            self._start()
        self._asked += 1
        line = question(self._asked, case, with_game=not self.capabilities.positions)
        try:
            return read_answer(self._exchange(line, self._time_limit), self._asked, case)
        except UnreachableError:
            raise
        # Ctrl-C, too: the answer that is still to come must not be taken for that to the next question.
        except BaseException:
            self._stop(patiently=False)
            raise

    def close(self) -> None:
        """End the program; it has a moment to do so by itself."""
        self._stop(patiently=True)

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> Introduction:
        try:
            self._child = Child(self._command)
        except (OSError, ValueError) as error:
            raise MissingEngineError(f"cannot start {shown(self._command[0])}: {reason(error)}") from None
        try:
            return read_introduction(self._exchange(HELLO, self._start_limit))
        except BaseException as error:
            self._stop(patiently=False)
            if isinstance(error, EngineError):
                raise type(error)(f"on being greeted: {error}") from None
            raise

    def _exchange(self, line: str, seconds: float) -> str:
        assert self._child is not None
        self._child.write(line)
        return self._child.read(seconds)

    def _stop(self, *, patiently: bool) -> None:
        if self._child is not None:
            self._child.stop(patiently=patiently)
            self._child = None
