"""Server of the line protocol for an engine in this process: ``python -m bgfast.engines.serve NAME``.

All registered engines run like this, so that hangs and crashes are handled in one place, `process`.
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


def serve(make_engine: Callable[[], Engine]) -> None:
    """Answer the questions on standard input, on standard output, until standard input is closed.

    `make_engine` is called once, after bgfast's greeting. Everything it prints goes to standard error.
    """
    output = take_stdout()
    greeting = sys.stdin.readline()
    if not greeting:
        return
    try:
        engine = make_engine()
    except (ImportError, MissingEngineError) as error:
        _write(output, messages.missing(_error_text(error)))
        return
    # Any error of an untrusted engine is reported to bgfast.
    except Exception as error:
        _write(output, messages.failure(None, _error_text(error)))
        return
    _write(output, messages.introduction(engine))
    try:
        for line in sys.stdin:
            _write(output, _answer(engine, line))
    finally:
        engine.close()


def take_stdout() -> TextIO:
    """Return the stream to bgfast; redirect all other output, from C as well, to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


def _answer(engine: Engine, line: str) -> str:
    question = messages.read_question(line)
    if question is None:
        return messages.introduction(engine)
    try:
        return messages.answer(question.number, engine.successors(question.case))
    except UnreachableError as error:
        return messages.unreachable(question.number, str(error))
    # Any error of an untrusted engine is reported to bgfast.
    except Exception as error:
        return messages.failure(question.number, _error_text(error))


def _write(output: TextIO, line: str) -> None:
    output.write(line)
    output.flush()


def _error_text(error: Exception) -> str:
    text = f"{type(error).__name__}: {error}" if not isinstance(error, MissingEngineError) else str(error)
    return text.splitlines()[0][:500]


def main(words: Sequence[str] | None = None) -> None:
    """Serve the engine named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m bgfast.engines.serve", description=__doc__)
    parser.add_argument("name", choices=ENGINES)
    name = parser.parse_args(words).name
    serve(lambda: make_adapter(name))


if __name__ == "__main__":
    main()
