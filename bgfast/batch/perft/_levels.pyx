# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Levels of a game tree whose equal positions are merged, with the number of ways to reach them.

A level is an array of distinct boards and, for each board, the number of ways that lead to it, in columns: perft
has a column for each first roll. A level is built in parts, which divide the positions by hash, so that a single
part at a time has to be in memory.
"""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from bgfast.core.board.board cimport (
    BOARD_SIZE, Board, board_equal, board_hash, board_hash_opponent, board_over, board_read,
)
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.rules cimport GeneratorRules, Rules
from bgfast.batch.perft._perft cimport LEVEL_BYTES, children

cdef enum:
    FIRST_SIZE = 1024
    PART_SHIFT = 40   # parts are chosen by upper bits of the hash, from this one up


cdef struct Table:
    # Rows in order of insertion: a distinct board, its ways in `columns` columns, and the hash of the opponent's
    # checkers.
    Board *boards
    uint64_t *ways
    uint64_t *opponents
    size_t used
    size_t capacity
    int columns
    # Open-addressing hash index with linear probing: row + 1 of a board; 0 is free.
    uint32_t *rows
    size_t index_size  # a power of two


cdef int _grow(Table *table) noexcept nogil:
    """Double the table; return -1 and leave its contents intact if memory runs out."""
    cdef size_t capacity = table.capacity * 2 if table.capacity else FIRST_SIZE
    cdef size_t i, slot
    cdef void *grown = PyMem_RawRealloc(table.boards, capacity * sizeof(Board))
    if grown == NULL:
        return -1
    table.boards = <Board *> grown
    grown = PyMem_RawRealloc(table.ways, capacity * table.columns * sizeof(uint64_t))
    if grown == NULL:
        return -1
    table.ways = <uint64_t *> grown
    grown = PyMem_RawRealloc(table.opponents, capacity * sizeof(uint64_t))
    if grown == NULL:
        return -1
    table.opponents = <uint64_t *> grown
    grown = PyMem_RawMalloc(2 * capacity * sizeof(uint32_t))
    if grown == NULL:
        return -1
    PyMem_RawFree(table.rows)
    table.rows = <uint32_t *> grown
    table.capacity = capacity
    table.index_size = 2 * capacity
    memset(table.rows, 0, table.index_size * sizeof(uint32_t))
    for i in range(table.used):
        slot = board_hash(&table.boards[i]) & (table.index_size - 1)
        while table.rows[slot]:
            slot = (slot + 1) & (table.index_size - 1)
        table.rows[slot] = <uint32_t> (i + 1)
    return 0


cdef inline uint64_t *_ways_to(Table *table, const Board *board, uint64_t opponent) noexcept nogil:
    """Return the ways of a board, inserting it if it is new; NULL if memory runs out."""
    cdef size_t slot
    cdef uint64_t *ways
    if table.used == table.capacity and _grow(table) < 0:
        return NULL
    slot = board_hash(board) & (table.index_size - 1)
    while table.rows[slot]:
        if board_equal(&table.boards[table.rows[slot] - 1], board):
            return table.ways + (table.rows[slot] - 1) * <size_t> table.columns
        slot = (slot + 1) & (table.index_size - 1)
    table.boards[table.used] = board[0]
    table.opponents[table.used] = opponent
    ways = table.ways + table.used * table.columns
    memset(ways, 0, table.columns * sizeof(uint64_t))
    table.used += 1
    table.rows[slot] = <uint32_t> table.used
    return ways


cdef int _fill(
    const Rules *rules, Table *table, const int8_t *boards, const uint64_t *ways, int64_t n,
    const uint64_t *weights, int64_t part, int64_t parts, int8_t *scratch, uint64_t *finished,
) noexcept nogil:
    """Merge the part's children of n boards; add the ways to finished games to `finished`."""
    cdef Board board, child
    cdef const uint64_t *parent_ways
    cdef uint64_t *child_ways
    cdef uint64_t opponent
    cdef int64_t i
    cdef int roll, die1, die2, j, m, column
    for i in range(n):
        board_read(&board, boards + i * BOARD_SIZE)
        parent_ways = ways + i * table.columns
        for roll in range(ROLL_COUNT):
            die1, die2 = ROLLS[roll][0], ROLLS[roll][1]
            m = children(rules, &board, die1, die2, scratch)
            for j in range(m):
                board_read(&child, scratch + j * BOARD_SIZE)
                opponent = board_hash_opponent(&child)
                if <int64_t> ((opponent >> PART_SHIFT) % <uint64_t> parts) != part:
                    continue
                child_ways = finished if board_over(&child) else _ways_to(table, &child, opponent)
                if child_ways == NULL:
                    return -1
                for column in range(table.columns):
                    child_ways[column] += parent_ways[column] * weights[die1 != die2]
    return 0


def merged_children(
    switches, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, bint weighted, int64_t part,
    int64_t parts,
):
    """Return the distinct unfinished children of boards that belong to a part: (boards, ways, finished).

    `switches` are those of `GeneratorRules`. Boards are unfinished and seen from the player on roll, children
    from the next player. `ways` has a row for each board; `finished` is the number of ways to finished games of
    the part, by column. Children in which the opponent's checkers stand alike belong to the same part, in
    adjacent rows.
    """
    cdef GeneratorRules generator_rules = GeneratorRules(switches)
    cdef const Rules *rules = generator_rules.get()
    cdef Table table
    cdef uint64_t[2] weights = [1, 2 if weighted else 1]
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(LEVEL_BYTES)
    cdef uint64_t[::1] finished = np.zeros(ways.shape[1], np.uint64)
    cdef int8_t[:, ::1] children_out
    cdef uint64_t[:, ::1] ways_out
    cdef uint64_t[::1] opponents
    cdef int64_t[::1] order
    cdef int64_t i
    cdef int failed = 0
    memset(&table, 0, sizeof(Table))
    table.columns = <int> ways.shape[1]
    try:
        if scratch == NULL:
            raise MemoryError
        if boards.shape[0]:
            with nogil:
                failed = _fill(rules, &table, &boards[0, 0], &ways[0, 0], boards.shape[0], weights, part, parts,
                               scratch, &finished[0])
        if failed:
            raise MemoryError
        opponents = np.empty(table.used, np.uint64)
        if table.used:
            memcpy(&opponents[0], table.opponents, table.used * sizeof(uint64_t))
        order = np.argsort(opponents, kind="stable")
        children_out = np.empty((table.used, BOARD_SIZE), np.int8)
        ways_out = np.empty((table.used, table.columns), np.uint64)
        with nogil:
            for i in range(<int64_t> table.used):
                memcpy(&children_out[i, 0], table.boards[order[i]].point, BOARD_SIZE)
                memcpy(&ways_out[i, 0], table.ways + order[i] * table.columns, table.columns * sizeof(uint64_t))
        return np.asarray(children_out), np.asarray(ways_out), np.asarray(finished)
    finally:
        PyMem_RawFree(table.boards)
        PyMem_RawFree(table.ways)
        PyMem_RawFree(table.opponents)
        PyMem_RawFree(table.rows)
        PyMem_RawFree(scratch)
