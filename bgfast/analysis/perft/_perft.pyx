# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Perft: the number of positions that follow within a number of plays.

A child is a distinct position after a play, sides then swapped; a pass is one child; a finished game is one leaf
whatever depth remains.

Below many positions the last ply of one that was met before is not counted again. Positions that differ little
have many children in common, most of all where the opponent, who is on roll next, stands the same in both.
`merged_children` hands them over in that order; then a small memory of what was counted last, which a processor's
cache can hold, answers four children of five.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from bgfast.core.board.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Fault, board_fault, board_flip, board_hash, board_over, board_read,
)
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, SLACK_ROWS, count, count_batch, generate
from bgfast.core.generator.kernel cimport Batch
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.rules cimport HeldRules, Rules

from bgfast.core.board.board import fault_text
from bgfast.errors import InvalidPositionError

if LEVEL_BYTES < (MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE:
    raise ImportError("no room for the rows of a level; expected a build of one and the same sources")

cdef enum:
    PLACES = 262144   # a power of two: 8 MiB of memory, within what processors cache nowadays


cdef struct Known:
    int8_t point[26]   # zeros, which is no board, where nothing is known yet
    uint32_t leaves    # one ply below this board


cdef struct Memory:
    Known known[PLACES]


cdef struct Counting:
    # What is the same everywhere in a tree. Rolls of equal dice count weights[0] times, others weights[1] times.
    # `bulk` counts the last ply without writing its boards; `memory`, which may be NULL, remembers the counts.
    const Rules *rules
    uint64_t weights[2]
    bint bulk
    Memory *memory


cdef inline Counting _counting(const Rules *rules, bint weighted, bint bulk, Memory *memory) noexcept:
    cdef Counting counting
    counting.rules = rules
    counting.weights[0] = 1
    counting.weights[1] = 2 if weighted else 1
    counting.bulk = bulk
    counting.memory = memory
    return counting


cdef int children(const Rules *rules, const Board *board, int die1, int die2, int8_t *rows) noexcept nogil:
    cdef Board passed
    cdef int n = generate(rules, board, die1, die2, rows, NULL, True)
    if n:
        return n
    board_flip(board, &passed)
    memcpy(rows, passed.point, BOARD_SIZE)
    return 1


cdef uint32_t _last_ply(const Counting *counting, const Board *board) noexcept nogil:
    """The leaves one ply below a board, over all rolls, without writing one."""
    cdef Batch all_rolls
    cdef int64_t sizes[ROLL_COUNT]
    cdef uint32_t leaves = 0
    cdef int roll
    if board_over(board):
        return 1
    memset(&all_rolls, 0, sizeof(Batch))
    all_rolls.rules = counting.rules
    all_rolls.boards = &board.point[0]
    all_rolls.keep_passes = True
    count_batch(&all_rolls, 0, 1, sizes, NULL)
    for roll in range(ROLL_COUNT):
        leaves += <uint32_t> (sizes[roll] * <int64_t> counting.weights[ROLLS[roll][0] != ROLLS[roll][1]])
    return leaves


cdef uint32_t _known_last_ply(const Counting *counting, const Board *board) noexcept nogil:
    """The same, remembered until another board needs the place."""
    cdef Known *place = &counting.memory.known[board_hash(board) & (PLACES - 1)]
    if memcmp(place.point, board.point, BOARD_SIZE) != 0:
        place.leaves = _last_ply(counting, board)
        memcpy(place.point, board.point, BOARD_SIZE)
    return place.leaves


cdef int _add_leaves_of_roll(
    const Counting *counting, const Board *board, int die1, int die2, int depth, int8_t *scratch, uint64_t *total,
) except -1 nogil:
    """Add the leaves within `depth` >= 1 plays, the first of them with this roll."""
    cdef Board child
    cdef int i, n
    if depth == 1 and counting.bulk:
        n = count(counting.rules, board, die1, die2)
        total[0] += n if n else 1
        return 0
    n = children(counting.rules, board, die1, die2, scratch)
    if depth == 1:
        total[0] += n
        return 0
    for i in range(n):
        board_read(&child, scratch + i * BOARD_SIZE)
        _add_leaves(counting, &child, depth - 1, scratch + LEVEL_BYTES, total)
    return 0


cdef int _add_leaves(
    const Counting *counting, const Board *board, int depth, int8_t *scratch, uint64_t *total,
) except -1 nogil:
    """Add to `total`, modulo 2**64, the leaves within `depth` >= 1 plays of a valid board.

    `scratch` has depth * LEVEL_BYTES. From depth 3 on it looks for signals: -1 with KeyboardInterrupt set after
    Ctrl-C.
    """
    cdef uint64_t of_roll
    cdef int roll, die1, die2
    if depth == 1 and counting.bulk:
        total[0] += _last_ply(counting, board) if counting.memory == NULL else _known_last_ply(counting, board)
        return 0
    if board_over(board):
        total[0] += 1
        return 0
    if depth >= 3:   # some tenths of a second of work lie below
        with gil:
            PyErr_CheckSignals()
    for roll in range(ROLL_COUNT):
        die1, die2 = ROLLS[roll][0], ROLLS[roll][1]
        of_roll = 0
        _add_leaves_of_roll(counting, board, die1, die2, depth, scratch, &of_roll)
        total[0] += counting.weights[die1 != die2] * of_roll
    return 0


def leaves_of_roll(
    switches, const int8_t[::1] numbers, int die1, int die2, int depth, bint weighted, bint bulk,
):
    """Return the leaves within `depth` >= 1 plays when the first roll is given; see `bgfast.perft`.

    `switches` are the rules, as for `HeldRules`.

    Assumes an unfinished game, valid dice and a depth of at most `bgfast.analysis.perft.perft.MAX_DEPTH`;
    refuses a board that cannot be. Counts without the GIL; sees Ctrl-C.
    """
    cdef HeldRules held = HeldRules(switches)
    cdef Counting counting = _counting(held.get(), weighted, bulk, NULL)
    cdef Board board
    cdef uint64_t total = 0
    cdef Fault fault
    cdef int8_t *scratch
    if numbers.shape[0] != BOARD_SIZE:
        raise InvalidPositionError(f"a board of {numbers.shape[0]} numbers; expected {BOARD_SIZE}")
    board_read(&board, &numbers[0])
    fault = board_fault(&board, CHECKERS)
    if fault != FAULT_NONE:
        raise InvalidPositionError(fault_text(fault, numbers, CHECKERS))
    scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    if scratch == NULL:
        raise MemoryError
    try:
        with nogil:
            _add_leaves_of_roll(&counting, &board, die1, die2, depth, scratch, &total)
        return total
    finally:
        PyMem_RawFree(scratch)


def leaves_below(
    switches, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, int depth, bint weighted,
):
    """Return the leaves within `depth` >= 1 plays of each board, times its ways, summed by column modulo 2**64.

    `switches` are the rules, as for `HeldRules`; `ways` has a row for each board. Counts without the GIL; sees
    Ctrl-C.
    """
    cdef HeldRules held = HeldRules(switches)
    cdef uint64_t[::1] total = np.zeros(ways.shape[1], np.uint64)
    cdef uint64_t here
    cdef Board board
    cdef Counting counting
    cdef int64_t i, column
    cdef Memory *memory = <Memory *> PyMem_RawMalloc(sizeof(Memory))
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    try:
        if memory == NULL or scratch == NULL:
            raise MemoryError
        memset(memory, 0, sizeof(Memory))
        counting = _counting(held.get(), weighted, True, memory)
        with nogil:
            for i in range(boards.shape[0]):
                board_read(&board, &boards[i, 0])
                here = 0
                _add_leaves(&counting, &board, depth, scratch, &here)
                for column in range(ways.shape[1]):
                    total[column] += ways[i, column] * here
        return np.asarray(total)
    finally:
        PyMem_RawFree(memory)
        PyMem_RawFree(scratch)
