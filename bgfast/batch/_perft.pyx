"""Perft, as `bgfast.perft` defines it, without the GIL.

A merged level is an array of distinct boards and, for each board, the number of ways to reach it, by first
roll. It is built in parts, which divide the positions by hash: only one part needs to be in memory at a time.

`leaves_below` caches the leaf counts of the last ply. Similar positions have many children in common, above all
if the opponent's checkers, which move next, are on the same points. `merge_children` sorts positions by these
checkers; a hash table small enough for the processor's cache then holds four of every five children.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from bgfast.core.board cimport (
    BOARD_SIZE, Board, board_equal, board_flip, board_hash, board_hash_opponent, board_over, board_read,
)
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.generator cimport (
    MAX_SUCCESSORS, SLACK_ROWS, Batch, GeneratorRules, Rules, count, count_batch, generate,
)

cdef enum:
    LEVEL_BYTES = 80_000   # scratch memory for one level of the tree
    CACHE_SIZE = 262144    # a power of two: 8 MiB, which fits the cache of current processors
    FIRST_SIZE = 1024      # initial size of the table of merged children
    PART_SHIFT = 40        # the hash bits from this one up select the part

if LEVEL_BYTES < (MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE:
    raise ImportError("LEVEL_BYTES is too small for a level; expected modules built from the same sources")


cdef struct CachedCount:
    int8_t point[26]   # zeros, an invalid board, if the entry is free
    uint32_t leaves    # number of leaves one ply below the board


cdef struct Cache:
    CachedCount counts[CACHE_SIZE]


cdef struct Settings:
    const Rules *rules
    bint weighted
    bint bulk       # count the last ply without writing its boards
    Cache *cache    # stores these counts, unless NULL


cdef inline uint64_t _weight(bint weighted, int die1, int die2) noexcept nogil:
    return 2 if weighted and die1 != die2 else 1


# Writes the children of one roll to `rows` (LEVEL_BYTES), seen from the next player, and returns their number; a
# pass is one child. Assumes an unfinished game.
cdef int _write_children(const Rules *rules, const Board *board, int die1, int die2, int8_t *rows) noexcept nogil:
    cdef Board flipped
    cdef int n = generate(rules, board, die1, die2, rows, NULL, True)
    if n:
        return n
    board_flip(board, &flipped)
    memcpy(rows, flipped.point, BOARD_SIZE)
    return 1


cdef uint32_t _count_last_ply(const Settings *settings, const Board *board) noexcept nogil:
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
        leaves += <uint32_t> (sizes[roll] * _weight(settings.weighted, ROLLS[roll][0], ROLLS[roll][1]))
    return leaves


cdef uint32_t _cached_count(const Settings *settings, const Board *board) noexcept nogil:
    """Return the count of `_count_last_ply` from the cache; a new board replaces the board of its entry."""
    cdef CachedCount *entry = &settings.cache.counts[board_hash(board) & (CACHE_SIZE - 1)]
    if memcmp(entry.point, board.point, BOARD_SIZE) != 0:
        entry.leaves = _count_last_ply(settings, board)
        memcpy(entry.point, board.point, BOARD_SIZE)
    return entry.leaves


cdef int _add_leaves_of_roll(
    const Settings *settings, const Board *board, int die1, int die2, int depth, int8_t *scratch, uint64_t *total,
) except -1 nogil:
    """Add the leaves `depth` >= 1 plays below a board after a first roll."""
    cdef Board child
    cdef int i, n
    if depth == 1 and settings.bulk:
        n = count(settings.rules, board, die1, die2)
        total[0] += n if n else 1
        return 0
    n = _write_children(settings.rules, board, die1, die2, scratch)
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

    `scratch` has depth * LEVEL_BYTES bytes. From depth 3 on, signals are checked: Ctrl-C makes it return -1 with
    KeyboardInterrupt set.
    """
    cdef uint64_t roll_leaves
    cdef int roll, die1, die2
    if depth == 1 and settings.bulk:
        total[0] += _count_last_ply(settings, board) if settings.cache == NULL else _cached_count(settings, board)
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
        total[0] += _weight(settings.weighted, die1, die2) * roll_leaves
    return 0


def leaves_of_roll(
    switches, const int8_t[::1] cells, int die1, int die2, int depth, bint weighted, bint bulk,
):
    """Return the number of leaves `depth` >= 1 plays below a board after a first roll; see `bgfast.perft`.

    `switches` as for `GeneratorRules`. Assumes a valid board of an unfinished game, valid dice and a depth of at
    most `bgfast.batch.perft.MAX_DEPTH`. Ctrl-C interrupts it.
    """
    cdef GeneratorRules generator_rules = GeneratorRules(switches)
    cdef Settings settings = Settings(generator_rules.get(), weighted, bulk, NULL)
    cdef Board board
    cdef uint64_t total = 0
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    if scratch == NULL:
        raise MemoryError
    board_read(&board, &cells[0])
    try:
        with nogil:
            _add_leaves_of_roll(&settings, &board, die1, die2, depth, scratch, &total)
        return total
    finally:
        PyMem_RawFree(scratch)


def leaves_below(
    switches, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, int depth, bint weighted,
):
    """Return, for each column of `ways`, the sum over boards of ways * leaves at `depth` >= 1, modulo 2**64.

    `switches` as for `GeneratorRules`; `ways` has a row for each board. Ctrl-C interrupts it.
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
        settings = Settings(generator_rules.get(), weighted, True, cache)
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


cdef struct Entry:
    Board board
    uint64_t opponent_hash      # hash of the opponent's checkers
    uint64_t ways[ROLL_COUNT]


# numpy would parse the struct's format in Python, where Ctrl-C becomes a ValueError.
_ENTRY = np.dtype([("board", np.int8, sizeof(Board)), ("hash", np.uint64), ("ways", np.uint64, ROLL_COUNT)])


cdef struct Table:
    # Distinct boards in order of insertion.
    Entry *entries
    size_t size
    size_t capacity
    # Open-addressing hash index with linear probing: number of an entry + 1, or 0 for a free slot.
    uint32_t *index
    size_t index_size  # a power of two


cdef int _grow(Table *table) noexcept nogil:
    """Double the table; return -1 and leave its contents intact if memory runs out."""
    cdef size_t capacity = table.capacity * 2 if table.capacity else FIRST_SIZE
    cdef size_t i
    cdef void *memory = PyMem_RawRealloc(table.entries, capacity * sizeof(Entry))
    if memory == NULL:
        return -1
    table.entries = <Entry *> memory
    memory = PyMem_RawMalloc(2 * capacity * sizeof(uint32_t))
    if memory == NULL:
        return -1
    PyMem_RawFree(table.index)
    table.index = <uint32_t *> memory
    table.capacity = capacity
    table.index_size = 2 * capacity
    memset(table.index, 0, table.index_size * sizeof(uint32_t))
    for i in range(table.size):
        table.index[_slot(table, &table.entries[i].board)] = <uint32_t> (i + 1)
    return 0


cdef inline size_t _slot(const Table *table, const Board *board) noexcept nogil:
    """Return the slot of a board in the index, or the free slot for it."""
    cdef size_t slot = board_hash(board) & (table.index_size - 1)
    while table.index[slot] and not board_equal(&table.entries[table.index[slot] - 1].board, board):
        slot = (slot + 1) & (table.index_size - 1)
    return slot


cdef inline uint64_t *_ways_to(Table *table, const Board *board, uint64_t opponent_hash) noexcept nogil:
    """Return the ways of a board, inserting it if it is new; NULL if memory runs out."""
    cdef size_t slot
    cdef Entry *entry
    if table.size == table.capacity and _grow(table) < 0:
        return NULL
    slot = _slot(table, board)
    if table.index[slot]:
        return table.entries[table.index[slot] - 1].ways
    entry = table.entries + table.size
    memset(entry, 0, sizeof(Entry))
    entry.board = board[0]
    entry.opponent_hash = opponent_hash
    table.size += 1
    table.index[slot] = <uint32_t> table.size
    return entry.ways


cdef int _fill(
    const Rules *rules, Table *table, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, bint weighted,
    int64_t part, int64_t parts, int8_t *scratch, uint64_t *finished,
) noexcept nogil:
    """Merge the children that belong to the part; add the ways to finished games to `finished`."""
    cdef Board board, child
    cdef uint64_t *child_ways
    cdef uint64_t opponent_hash
    cdef int64_t i
    cdef int roll, die1, die2, j, m, column
    for i in range(boards.shape[0]):
        board_read(&board, &boards[i, 0])
        for roll in range(ROLL_COUNT):
            die1, die2 = ROLLS[roll][0], ROLLS[roll][1]
            m = _write_children(rules, &board, die1, die2, scratch)
            for j in range(m):
                board_read(&child, scratch + j * BOARD_SIZE)
                opponent_hash = board_hash_opponent(&child)
                if <int64_t> ((opponent_hash >> PART_SHIFT) % <uint64_t> parts) != part:
                    continue
                child_ways = finished if board_over(&child) else _ways_to(table, &child, opponent_hash)
                if child_ways == NULL:
                    return -1
                for column in range(ways.shape[1]):
                    child_ways[column] += ways[i, column] * _weight(weighted, die1, die2)
    return 0


def merge_children(
    switches, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, bint weighted, int64_t part,
    int64_t parts,
):
    """Return the distinct unfinished children that belong to a part: (boards, ways, finished).

    `switches` as for `GeneratorRules`. Boards are unfinished and seen from the player on roll, children from the
    next player. `ways` has a row for each board; `finished` is the number of ways to finished games of the part,
    by column. Children with the opponent's checkers on the same points belong to the same part, in adjacent rows.
    """
    cdef GeneratorRules generator_rules = GeneratorRules(switches)
    cdef Table table
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(LEVEL_BYTES)
    cdef uint64_t[::1] finished = np.zeros(ways.shape[1], np.uint64)
    cdef int status
    memset(&table, 0, sizeof(Table))
    try:
        if scratch == NULL or _grow(&table) < 0:
            raise MemoryError
        with nogil:
            status = _fill(
                generator_rules.get(), &table, boards, ways, weighted, part, parts, scratch, &finished[0])
        if status < 0:
            raise MemoryError
        memory = np.asarray(<uint8_t[:table.capacity * sizeof(Entry)]> <uint8_t *> table.entries)
        entries = memory.view(_ENTRY)[:table.size]
        order = np.argsort(entries["hash"], kind="stable")
        children = entries["board"][order, :BOARD_SIZE]
        return children, entries["ways"][order, :ways.shape[1]], np.asarray(finished)
    finally:
        PyMem_RawFree(table.entries)
        PyMem_RawFree(table.index)
        PyMem_RawFree(scratch)
