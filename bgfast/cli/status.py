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

from bgfast.cli.colours import complain_of_error
from bgfast.common.signals import EndSignal, end_signals_as_ctrl_c
from bgfast.common.streams import complain, discard, flush_errors, mend_streams
from bgfast.errors import UNBUILT, BgfastError, WrongCountError, is_unbuilt, one_line

INTERRUPTED = 130
SIGNALLED = 128
OUR_CODE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def exit_status(run: Callable[[], int | None]) -> int:
    """Run a command, which returns its own status or None for success, and return its exit status.

    2 for bad input; 1 if the output could not be written, a measurement is invalid, or external code such as
    a named callable raised an exception, which passes with its traceback in Python's development mode; 130
    after Ctrl-C, 128 plus the number of the signal after SIGTERM, SIGHUP or SIGQUIT.
    """
    mend_streams()
    with end_signals_as_ctrl_c() as end, warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = partial(_show_warning, warnings.showwarning)
        status = _status(run, end)
    return SIGNALLED + end.signal if end.signal else status


def _show_warning(
    default: Callable[..., object], message: Warning | str, category: type[Warning], *where: object
) -> None:
    """Print a warning of bgfast as a line, without its place in the source."""
    if category is UserWarning:
        complain(f"bgfast: {message}")
    else:
        default(message, category, *where)


def _status(run: Callable[[], int | None], end: EndSignal) -> int:
    try:
        return _flushed(run)
    except BgfastError as error:
        complain_of_error(str(error))
        return 2
    except WrongCountError as error:
        complain_of_error(str(error))
        return 1
    except KeyboardInterrupt:
        complain(f"bgfast: ended by {Signals(end.signal).name}" if end.signal else "bgfast: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone.
        discard(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:
            complain_of_error(f"{error.filename}: {error.strerror}")
            return 2
        discard(sys.stdout)
        complain(f"bgfast: error: standard output: {error.strerror}")
        return 1
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        if is_unbuilt(error):
            complain_of_error(UNBUILT)
            return 2
        complain_of_error(f"{raised(error)}; python -X dev -m bgfast shows where")
        return 1


def _flushed(run: Callable[[], int | None]) -> int:
    try:
        status = run()
    except SystemExit:  # after --help or bad input, whose text is already printed
        flush_errors()
        _flush_output()
        raise
    _flush_output()
    return status or 0


def _flush_output() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def raised(error: BaseException) -> str:
    """Return an exception in one line, with its source line if that is in external code."""
    message = one_line(error)
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    inside = (OUR_CODE, get_path("stdlib"), "<")
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(inside)]
    return f"{text} ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else text
