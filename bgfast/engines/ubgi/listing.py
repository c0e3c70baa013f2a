"""Adapter of a UBGI engine for cross-check and suite: ``python -m bgfast.engines.ubgi.listing COMMAND...``.

It runs in a separate process, like all adapters.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bgfast.common.vocabulary import Board
from bgfast.engines.protocol import Capabilities, Case, MissingEngineError
from bgfast.engines.serve import serve
from bgfast.engines.ubgi.process import UbgiProcess

TIME_LIMIT = 1e6
"""Seconds, longer than any time limit of the caller."""


class Adapter:
    """Plays that a UBGI engine lists as ``info ... multipv N ... pv PLAY``.

    Raises `MissingEngineError` if the program cannot be started, or does not list its plays.
    """

    capabilities = Capabilities()

    def __init__(self, command: Sequence[str]) -> None:
        self._process = UbgiProcess(command, time_limit=TIME_LIMIT)
        self.name, self.version = self._process.name, self._process.version
        if not self._process.lists_plays:
            self._process.close()
            raise MissingEngineError(
                f"{self.name} lists no plays: it has no key engine.multipv and no option MultiPV"
            )

    def successors(self, case: Case) -> list[Board]:
        """Return the boards after the listed plays, from the mover's side; empty for a pass."""
        return self._process.successors(case.board, case.roll)

    def close(self) -> None:
        """End the engine."""
        self._process.close()


def main(words: Sequence[str] | None = None) -> None:
    """Serve the engine whose program and arguments are `words`."""
    command = sys.argv[1:] if words is None else list(words)
    serve(lambda: Adapter(command))


if __name__ == "__main__":
    main()
