"""Exit status of commands; errors and signals become one line on standard error."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from signal import Signals
from sysconfig import get_path
from traceback import extract_tb

from bgfast.cli.colours import coloured_error
from bgfast.common.signals import EndSignal, end_signals_as_ctrl_c
from bgfast.common.streams import complain, discard, flush_errors, mend_streams
from bgfast.errors import UNBUILT, BgfastError, WrongCountError, is_unbuilt, one_line

__all__ = ["INTERRUPTED", "exit_status", "raised"]

INTERRUPTED = 130
SIGNALLED = 128
OUR_CODE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def exit_status(run: Callable[[], int | None]) -> int:
    """Run a command and return its exit status.

    Parameters
    ----------
    run : callable
        Reads the command line and does what it says; returns a status of its own, or None for success.

    Returns
    -------
    int
        2 for bad input, 1 if the output could not be written, a measurement was worth nothing, or something
        was raised that is no error of bgfast, as by a callable that was named; 130 after Ctrl-C, 128 and the
        number of the signal after SIGTERM, SIGHUP or SIGQUIT; else what `run` returned.

    Notes
    -----
    In Python's development mode, ``-X dev``, what is no error of bgfast is passed on with its traceback.
    """
    mend_streams()
    with end_signals_as_ctrl_c() as asked, warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = partial(_show_warning, warnings.showwarning)
        status = _status(run, asked)
    return SIGNALLED + asked.signal if asked.signal else status


def _show_warning(
    others: Callable[..., object], message: Warning | str, category: type[Warning], *where: object
) -> None:
    """Show what bgfast warns of as a line: who types a command need not know where in the program."""
    if category is UserWarning:
        complain(f"bgfast: {message}")
    else:
        others(message, category, *where)


def _status(run: Callable[[], int | None], asked: EndSignal) -> int:
    try:
        return _flushed(run)
    except BgfastError as error:
        complain(coloured_error(str(error), sys.stderr), is_clean=True)
        return 2
    except WrongCountError as error:
        complain(coloured_error(str(error), sys.stderr), is_clean=True)
        return 1
    except KeyboardInterrupt:
        complain(f"bgfast: ended by {Signals(asked.signal).name}" if asked.signal else "bgfast: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone.
        discard(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:
            complain(coloured_error(f"{error.filename}: {error.strerror}", sys.stderr), is_clean=True)
            return 2
        discard(sys.stdout)
        complain(f"bgfast: error: standard output: {error.strerror}")
        return 1
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        if is_unbuilt(error):
            complain(coloured_error(UNBUILT, sys.stderr), is_clean=True)
            return 2
        complain(
            coloured_error(f"{raised(error)}; python -X dev -m bgfast shows where", sys.stderr), is_clean=True
        )
        return 1


def _flushed(run: Callable[[], int | None]) -> int:
    """Run the command and see that what it printed is written."""
    try:
        status = run()
    except SystemExit:  # of --help, which has printed, or of bad input, which has complained
        flush_errors()
        _flush_output()
        raise
    _flush_output()
    return status or 0


def _flush_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def raised(error: BaseException) -> str:
    """Return in one line what code has raised, and the line if it is neither bgfast's nor Python's own."""
    said = one_line(error)
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    inside = (OUR_CODE, get_path("stdlib"), "<")
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(inside)]
    return f"{text} ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else text
