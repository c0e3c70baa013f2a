# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Immutable positions, lists of plays, and plays."""

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from collections.abc import Sequence
from importlib import import_module

from bgfast.core.board cimport (
    BAR, BOARD_SIZE, CHECKERS, FAULT_NONE, Board, Fault, board_checkers, board_checkers_opponent, board_equal,
    board_fault, board_flip, board_hash, board_over, board_phase, board_pips, board_pips_opponent, board_read,
)
from bgfast.core.result cimport WIN_STANDARD, board_result
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, SLACK_ROWS, generate
from bgfast.core.generator.rules cimport GeneratorRules, Rules

from bgfast.common import LOADING
from bgfast.common.validation import (
    board_numbers, checkers_per_side, dice_pair, generated_switches, rule_set, whole_number,
)
from bgfast.core.board import fault_text
from bgfast.errors import IllegalPlayError, InvalidIndexError, InvalidPositionError, shown
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD

cdef extern from *:
    """
    /* In free-threaded builds, threads that share an object would contend for its reference count. */
    static void bg_immortal(PyObject *object)
    {
    #ifdef Py_GIL_DISABLED
        Py_SET_REFCNT(object, (Py_ssize_t)_Py_IMMORTAL_REFCNT_LOCAL + 1);
    #endif
    }
    """
    void immortal "bg_immortal"(object)

cnp.import_array()

cdef object _STANDARD = STANDARD

# Only this module creates objects: calling a class raises a TypeError instead of returning an incomplete object.
cdef object _TOKEN = object()

cdef enum:
    ROWS = MAX_SUCCESSORS + SLACK_ROWS
    ROWS_TWO_DICE = MAX_SUCCESSORS_TWO_DICE + SLACK_ROWS


cdef dict _modules = {}   # texts, pictures and explanations, imported on first use: listing plays needs none


cdef object _module(str name):
    """Return a module of this package."""
    module = _modules.get(name)
    if module is None:
        with LOADING:
            module = _modules[name] = import_module(f"bgfast.position.{name}")
    return module


cdef int _read_roll(object roll, int *dice) except -1:
    """Read the two dice of a roll, with a fast path for tuples of int."""
    cdef object first, second
    if type(roll) is tuple and len(<tuple> roll) == 2:
        first, second = (<tuple> roll)[0], (<tuple> roll)[1]
        if type(first) is int and type(second) is int and 1 <= first <= 6 and 1 <= second <= 6:
            dice[0] = first
            dice[1] = second
            return 0
    first, second = dice_pair(roll)
    dice[0] = first
    dice[1] = second
    return 0


cdef cnp.ndarray _frozen(bytes memory, int dimensions, cnp.npy_intp *shape):
    """Return an int8 view of bytes; as bytes are immutable, it cannot be made writable."""
    cdef cnp.ndarray array = cnp.PyArray_SimpleNewFromData(
        dimensions, shape, cnp.NPY_INT8, PyBytes_AS_STRING(memory))
    cnp.PyArray_CLEARFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    Py_INCREF(memory)   # PyArray_SetBaseObject steals a reference
    cnp.PyArray_SetBaseObject(array, memory)
    return array


cdef Position _position(const Board *board, int checkers):
    cdef Position position = Position.__new__(Position, _TOKEN)
    position.board = board[0]
    position._checkers = checkers
    return position


cdef Position _checked_position(object numbers, object checkers):
    """Return the position of 26 numbers; raise `InvalidPositionError` if it is impossible."""
    cdef const int8_t[::1] row
    cdef Board board
    cdef int per_side = checkers_per_side(checkers)
    cdef Fault fault
    row = board_numbers(numbers)
    board_read(&board, &row[0])
    fault = board_fault(&board, per_side)
    if fault != FAULT_NONE:
        raise InvalidPositionError(fault_text(fault, row, per_side))
    return _position(&board, per_side)


def _restored_position(bytes numbers not None, checkers):
    """Unpickle a position; checked, since a pickle may be damaged."""
    return _checked_position([number - 256 if number > 127 else number for number in numbers], checkers)


def _restored_plays(Position position not None, roll, rules):
    """Unpickle a list of plays."""
    return position.plays(roll, rules)


def _restored_play(PlayList plays not None, Position position):
    """Unpickle a play by its resulting position, since the order of the list may change between versions."""
    for play in plays if len(plays) else [plays._pass()]:
        if play.position == position:
            return play
    raise IllegalPlayError(f"no play of {plays!r} leads to {position!r}")


# The classes create each other, so they are compiled as one module.
include "position.pxi"
include "plays.pxi"

# Objects that every call uses.
for _constant in (STANDARD, EXACT, REAR_FIRST, FIVE_STACK, _TOKEN):
    immortal(_constant)
for _class in (Position, PlayList, Play):
    for _attribute in vars(_class).values():
        immortal(getattr(_attribute, "__func__", _attribute))
del _constant, _class, _attribute
