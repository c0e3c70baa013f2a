"""An engine in this process, served to bgfast in another one: ``python -m bgfast.engines.serve NAME``.

Each known engine runs like this, so that what hangs or crashes is dealt with in one place, `process`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from bgfast.engines import messages
from bgfast.engines.protocol import Engine, MissingEngineError, UnreachableError
from bgfast.engines.registry import ENGINES, make_adapter

__all__ = ["serve"]


def serve(make_engine: Callable[[], Engine]) -> None:
    """Answer on standard output what is asked on standard input, until that is closed.

    Parameters
    ----------
    make_engine : callable
        Returns the engine; called once, when bgfast has said hello. What it prints goes to standard error.
    """
    output = _guarded_output()
    greeting = sys.stdin.readline()
    if not greeting:
        return
    try:
        engine = make_engine()
    except (ImportError, MissingEngineError) as error:
        _say(output, messages.missing(_text(error)))
        return
    # Whatever a foreign engine does, bgfast is told.
    except Exception as error:
        _say(output, messages.failure(None, _text(error)))
        return
    _say(output, messages.introduction(engine))
    try:
        for line in sys.stdin:
            _say(output, _answered(engine, line))
    finally:
        engine.close()


def _guarded_output() -> TextIO:
    """Return our way to bgfast, and let everything else that is printed, from C too, go to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


def _answered(engine: Engine, line: str) -> str:
    asked = messages.read_question(line)
    if asked is None:
        return messages.introduction(engine)
    try:
        return messages.answer(asked.number, engine.successors(asked.case))
    except UnreachableError as error:
        return messages.unreachable(asked.number, str(error))
    # Whatever a foreign engine does, bgfast is told.
    except Exception as error:
        return messages.failure(asked.number, _text(error))


def _say(output: TextIO, line: str) -> None:
    output.write(line)
    output.flush()


def _text(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}" if not isinstance(error, MissingEngineError) else str(error)
    return text.splitlines()[0][:500]


def main(words: Sequence[str] | None = None) -> None:
    """Serve the engine that is named."""
    parser = argparse.ArgumentParser(prog="python -m bgfast.engines.serve", description=__doc__)
    parser.add_argument("name", choices=ENGINES)
    name = parser.parse_args(words).name
    serve(lambda: make_adapter(name))


if __name__ == "__main__":
    main()
