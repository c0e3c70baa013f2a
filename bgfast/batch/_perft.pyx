"""Perft: the number of leaves of the game tree below a position.

A child is a distinct position after a play, seen from the next player. A pass is one child. A finished game is
one leaf whatever depth remains.

A merged level is an array of distinct boards and, for each board, the number of ways that lead to it, by first
roll. It is built in parts, which divide the positions by hash, so that a single part at a time has to be in
memory.

`leaves_below` caches the leaf counts of the last ply. Similar positions have many children in common, above all
where the checkers of the opponent, who is on roll next, stand alike. `merged_children` returns positions in that
order, so that a hash table small enough for the processor's cache answers four children of five.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Board, Fault, board_equal, board_fault, board_flip, board_hash,
    board_hash_opponent, board_over, board_read,
)
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.generator cimport (
    MAX_SUCCESSORS, SLACK_ROWS, Batch, GeneratorRules, Rules, count, count_batch, generate,
)

from bgfast.core.board import fault_text
from bgfast.errors import InvalidPositionError

cdef enum:
    LEVEL_BYTES = 80_000   # scratch memory for one level of the tree

if LEVEL_BYTES < (MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE:
    raise ImportError("LEVEL_BYTES is too small for a level; expected extension modules of the same sources")

cdef enum:
    CACHE_SIZE = 262144   # a power of two: 8 MiB, which fits the cache of current processors


cdef struct CachedCount:
    int8_t point[26]   # zeros, an invalid board, if the entry is free
    uint32_t leaves    # one ply below the board


cdef struct Cache:
    CachedCount counts[CACHE_SIZE]


cdef struct Settings:
    # Doubles have the weight weights[0], other rolls weights[1]. With `bulk` the last ply is
    # counted without writing its boards; `cache`, which may be NULL, stores these counts.
    const Rules *rules
    uint64_t weights[2]
    bint bulk
    Cache *cache


cdef inline Settings _settings(const Rules *rules, bint weighted, bint bulk, Cache *cache) noexcept:
    cdef Settings settings
    settings.rules = rules
    settings.weights[0] = 1
    settings.weights[1] = 2 if weighted else 1
    settings.bulk = bulk
    settings.cache = cache
    return settings


# Writes the children of one roll to `rows` (LEVEL_BYTES), seen from the next player, and returns their number; a
# pass is one child. Assumes an unfinished game.
cdef int children(const Rules *rules, const Board *board, int die1, int die2, int8_t *rows) noexcept nogil:
    cdef Board passed
    cdef int n = generate(rules, board, die1, die2, rows, NULL, True)
    if n:
        return n
    board_flip(board, &passed)
    memcpy(rows, passed.point, BOARD_SIZE)
    return 1


cdef uint32_t _last_ply(const Settings *settings, const Board *board) noexcept nogil:
    """Return the number of leaves one ply below a board, over all rolls, without writing boards."""
    cdef Batch all_rolls
    cdef int64_t sizes[ROLL_COUNT]
    cdef uint32_t leaves = 0
    cdef int roll
    if board_over(board):
        return 1
    memset(&all_rolls, 0, sizeof(Batch))
    all_rolls.rules = settings.rules
    all_rolls.boards = &board.point[0]
    all_rolls.keep_passes = True
    count_batch(&all_rolls, 0, 1, sizes, NULL)
    for roll in range(ROLL_COUNT):
        leaves += <uint32_t> (sizes[roll] * <int64_t> settings.weights[ROLLS[roll][0] != ROLLS[roll][1]])
    return leaves


cdef uint32_t _cached_last_ply(const Settings *settings, const Board *board) noexcept nogil:
    """Return `_last_ply` by the cache; a new board replaces the previous one of its entry."""
    cdef CachedCount *entry = &settings.cache.counts[board_hash(board) & (CACHE_SIZE - 1)]
    if memcmp(entry.point, board.point, BOARD_SIZE) != 0:
        entry.leaves = _last_ply(settings, board)
        memcpy(entry.point, board.point, BOARD_SIZE)
    return entry.leaves


cdef int _add_leaves_of_roll(
    const Settings *settings, const Board *board, int die1, int die2, int depth, int8_t *scratch, uint64_t *total,
) except -1 nogil:
    """Add the leaves `depth` >= 1 plays below a board whose first roll is given."""
    cdef Board child
    cdef int i, n
    if depth == 1 and settings.bulk:
        n = count(settings.rules, board, die1, die2)
        total[0] += n if n else 1
        return 0
    n = children(settings.rules, board, die1, die2, scratch)
    if depth == 1:
        total[0] += n
        return 0
    for i in range(n):
        board_read(&child, scratch + i * BOARD_SIZE)
        _add_leaves(settings, &child, depth - 1, scratch + LEVEL_BYTES, total)
    return 0


cdef int _add_leaves(
    const Settings *settings, const Board *board, int depth, int8_t *scratch, uint64_t *total,
) except -1 nogil:
    """Add to `total`, modulo 2**64, the leaves `depth` >= 1 plays below a valid board.

    `scratch` has depth * LEVEL_BYTES bytes. From depth 3 on signals are checked: after Ctrl-C it returns -1 with
    KeyboardInterrupt set.
    """
    cdef uint64_t roll_leaves
    cdef int roll, die1, die2
    if depth == 1 and settings.bulk:
        total[0] += _last_ply(settings, board) if settings.cache == NULL else _cached_last_ply(settings, board)
        return 0
    if board_over(board):
        total[0] += 1
        return 0
    if depth >= 3:   # a few tenths of a second of work
        with gil:
            PyErr_CheckSignals()
    for roll in range(ROLL_COUNT):
        die1, die2 = ROLLS[roll][0], ROLLS[roll][1]
        roll_leaves = 0
        _add_leaves_of_roll(settings, board, die1, die2, depth, scratch, &roll_leaves)
        total[0] += settings.weights[die1 != die2] * roll_leaves
    return 0


def leaves_of_roll(
    switches, const int8_t[::1] numbers, int die1, int die2, int depth, bint weighted, bint bulk,
):
    """Return the number of leaves `depth` >= 1 plays below a board whose first roll is given; see `bgfast.perft`.

    `switches` are those of `GeneratorRules`. Assumes an unfinished game, valid dice and a depth of at most
    `bgfast.batch.perft.MAX_DEPTH`. Raises `InvalidPositionError` for an impossible board. Releases the
    GIL; Ctrl-C interrupts it.
    """
    cdef GeneratorRules generator_rules = GeneratorRules(switches)
    cdef Settings settings = _settings(generator_rules.get(), weighted, bulk, NULL)
    cdef Board board
    cdef uint64_t total = 0
    cdef Fault fault
    cdef int8_t *scratch
    if numbers.shape[0] != BOARD_SIZE:
        raise InvalidPositionError(f"board has {numbers.shape[0]} numbers; expected {BOARD_SIZE}")
    board_read(&board, &numbers[0])
    fault = board_fault(&board, CHECKERS)
    if fault != FAULT_NONE:
        raise InvalidPositionError(fault_text(fault, numbers, CHECKERS))
    scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    if scratch == NULL:
        raise MemoryError
    try:
        with nogil:
            _add_leaves_of_roll(&settings, &board, die1, die2, depth, scratch, &total)
        return total
    finally:
        PyMem_RawFree(scratch)


def leaves_below(
    switches, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, int depth, bint weighted,
):
    """Return the sum over boards of leaves times ways, by column and modulo 2**64.

    Leaves are those `depth` >= 1 plays below a board. `switches` are those of `GeneratorRules`; `ways` has a
    row for each board. Releases the GIL; Ctrl-C interrupts it.
    """
    cdef GeneratorRules generator_rules = GeneratorRules(switches)
    cdef uint64_t[::1] total = np.zeros(ways.shape[1], np.uint64)
    cdef uint64_t board_leaves
    cdef Board board
    cdef Settings settings
    cdef int64_t i, column
    cdef Cache *cache = <Cache *> PyMem_RawMalloc(sizeof(Cache))
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    try:
        if cache == NULL or scratch == NULL:
            raise MemoryError
        memset(cache, 0, sizeof(Cache))
        settings = _settings(generator_rules.get(), weighted, True, cache)
        with nogil:
            for i in range(boards.shape[0]):
                board_read(&board, &boards[i, 0])
                board_leaves = 0
                _add_leaves(&settings, &board, depth, scratch, &board_leaves)
                for column in range(ways.shape[1]):
                    total[column] += ways[i, column] * board_leaves
        return np.asarray(total)
    finally:
        PyMem_RawFree(cache)
        PyMem_RawFree(scratch)


# ---- merged levels ----


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
