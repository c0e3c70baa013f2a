# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Perft: the number of leaves of the game tree below a position.

A child is a distinct position after a play, seen from the next player. A pass is one child. A finished game is
one leaf whatever depth remains.

`leaves_below` caches the leaf counts of the last ply. Similar positions have many children in common, above all
where the checkers of the opponent, who is on roll next, stand alike. `merged_children` returns positions in that
order, so that a hash table small enough for the processor's cache answers four children of five.
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
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, SLACK_ROWS, Batch, count, count_batch, generate
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.rules cimport GeneratorRules, Rules

from bgfast.core.board.board import fault_text
from bgfast.errors import InvalidPositionError

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
    `bgfast.batch.perft.perft.MAX_DEPTH`. Raises `InvalidPositionError` for an impossible board. Releases the
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
