"""What each build of the generator offers: one position or many, under the `standard` or other rules."""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t

from bgfast.core.board cimport Board
from bgfast.core.generator cimport MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, SLACK_ROWS
from bgfast.core.kernel cimport KERNEL_NAME, Batch, Kernel
from bgfast.core.row cimport BG_ROW_NAME


cdef int _generate(
    const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil:
    cdef Root root = _root(board.point, flip)
    if rules != NULL:
        root.bearoff_die = rules.bearoff_die
        if moves == NULL:
            return _plays_under(_rows(rows, flip), rules, &root, die1, die2)
        return _plays_under(_rows_moves(rows, moves, flip), rules, &root, die1, die2)
    if moves == NULL:
        return _plays(_rows(rows, flip), &root, die1, die2)
    return _plays(_rows_moves(rows, moves, flip), &root, die1, die2)


cdef int _count(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil:
    cdef Root root = _root(board.point, False)
    if rules != NULL:
        root.bearoff_die = rules.bearoff_die
        return _plays_under(_counter(), rules, &root, die1, die2)
    return _plays(_counter(), &root, die1, die2)


cdef uint32_t _movable(const Board *board, int die) noexcept nogil:
    cdef Root root = _root(board.point, False)
    if root.over:
        return 0
    if root.own.one & BAR_BIT:
        return BAR_BIT & (root.open << die)
    return _sources(root.own.one, root.open << die, die, BEAROFF_STANDARD)


# ---- many positions ---------------------------------------------------------------------------------------

cdef struct Standard:
    const Rules *rules   # NULL

cdef struct Other:
    const Rules *rules

ctypedef fused RulesOfBatch:   # compiled once for each, so that the usual rules are not asked for in the loops
    Standard
    Other


cdef inline int _plays_of_batch(
    Output sink, RulesOfBatch game, const Root *root, int die1, int die2,
) noexcept nogil:
    if RulesOfBatch is Standard:
        return _plays(sink, root, die1, die2)
    else:
        return _plays_under(sink, game.rules, root, die1, die2)


cdef inline int _count_segment(
    RulesOfBatch game, const Batch *batch, const Root *root, int die1, int die2,
) noexcept nogil:
    cdef int n = _plays_of_batch(_counter(), game, root, die1, die2)
    return 1 if n == 0 and batch.keep_passes and not root.over else n


cdef void _count_all(
    RulesOfBatch game, const Batch *batch, int64_t first, int64_t last, int64_t *sizes,
) noexcept nogil:
    cdef Root root
    cdef const int8_t *dice
    cdef int64_t i
    cdef int die1, die2
    for i in range(first, last):
        root = _root(batch.boards + i * BOARD_SIZE, False)
        if RulesOfBatch is Other:
            root.bearoff_die = game.rules.bearoff_die
        if batch.dice == NULL:
            for die1 in range(1, 7):
                for die2 in range(1, die1 + 1):
                    sizes[0] = _count_segment(game, batch, &root, die1, die2)
                    sizes += 1
        else:
            dice = batch.dice + i * batch.dice_step
            sizes[0] = _count_segment(game, batch, &root, dice[0], dice[1])
            sizes += 1


cdef inline Output _further(Output sink, int64_t n) noexcept nogil:
    """The sink for what comes behind n rows."""
    if Output is not Counter:
        sink.rows += n * BOARD_SIZE
        if Output is RowsMoves:
            sink.moves += n
    return sink


cdef int _careful_segment(
    Output sink, RulesOfBatch game, const Batch *batch, const Root *root, int die1, int die2, int64_t room,
    int8_t *scratch,
) noexcept nogil:
    """As `_segment` near the end of the room: nothing may be stored behind it, so rows take a detour."""
    cdef Output detour = sink
    cdef int n = _count_segment(game, batch, root, die1, die2)
    if n > room:
        return -1
    if Output is not Counter:
        detour.rows = scratch
        if Output is RowsMoves:
            detour.moves = <uint64_t *> (scratch + (MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE)
        if _plays_of_batch(detour, game, root, die1, die2) == 0:
            _emit_one(detour, 0, root.row, UNUSED[0])
        memcpy(sink.rows, detour.rows, n * BOARD_SIZE)
        if Output is RowsMoves:
            memcpy(sink.moves, detour.moves, n * sizeof(uint64_t))
    return n


cdef inline int _segment(
    Output sink, RulesOfBatch game, const Batch *batch, const Root *root, int die1, int die2, int64_t room,
    int8_t *scratch,
) noexcept nogil:
    cdef int n
    if room < SLACK_ROWS + (MAX_SUCCESSORS if die1 == die2 else MAX_SUCCESSORS_TWO_DICE):
        return _careful_segment(sink, game, batch, root, die1, die2, room, scratch)
    n = _plays_of_batch(sink, game, root, die1, die2)
    if n == 0 and batch.keep_passes and not root.over:
        n = _emit_one(sink, 0, root.row, UNUSED[0])
    return n


cdef int64_t _fill(
    Output sink, RulesOfBatch game, const Batch *batch, int64_t first, int64_t last, int64_t room, int64_t *sizes,
    int8_t *scratch,
) noexcept nogil:
    cdef Root root
    cdef const int8_t *dice
    cdef int64_t total = 0
    cdef int64_t i
    cdef int die1, die2, n
    for i in range(first, last):
        root = _root(batch.boards + i * BOARD_SIZE, batch.flip)
        if RulesOfBatch is Other:
            root.bearoff_die = game.rules.bearoff_die
        if batch.dice == NULL:
            for die1 in range(1, 7):
                for die2 in range(1, die1 + 1):
                    n = _segment(_further(sink, total), game, batch, &root, die1, die2, room - total, scratch)
                    if n < 0:
                        return -1
                    total += n
                    if sizes != NULL:
                        sizes[0] = n
                        sizes += 1
        else:
            dice = batch.dice + i * batch.dice_step
            n = _segment(_further(sink, total), game, batch, &root, dice[0], dice[1], room - total, scratch)
            if n < 0:
                return -1
            total += n
            if sizes != NULL:
                sizes[0] = n
                sizes += 1
    return total


cdef inline int64_t _fill_as(
    RulesOfBatch game, const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves,
    int64_t room, int64_t *sizes, int8_t *scratch,
) noexcept nogil:
    if moves == NULL:
        return _fill(_rows(rows, batch.flip), game, batch, first, last, room, sizes, scratch)
    return _fill(_rows_moves(rows, moves, batch.flip), game, batch, first, last, room, sizes, scratch)


cdef inline Standard _standard() noexcept nogil:
    cdef Standard game
    game.rules = NULL
    return game


cdef inline Other _other(const Rules *rules) noexcept nogil:
    cdef Other game
    game.rules = rules
    return game


cdef void _count_batch(const Batch *batch, int64_t first, int64_t last, int64_t *sizes) noexcept nogil:
    if batch.rules == NULL:
        _count_all(_standard(), batch, first, last, sizes)
    else:
        _count_all(_other(batch.rules), batch, first, last, sizes)


cdef int64_t _generate_batch(
    const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t room, int64_t *sizes,
    int8_t *scratch,
) noexcept nogil:
    if batch.rules == NULL:
        return _fill_as(_standard(), batch, first, last, rows, moves, room, sizes, scratch)
    return _fill_as(_other(batch.rules), batch, first, last, rows, moves, room, sizes, scratch)


cdef Kernel _functions = [_generate, _count, _movable, _count_batch, _generate_batch]

VECTORS = BG_ROW_NAME.decode()   # what the rows were compiled to
KERNEL = PyCapsule_New(&_functions, KERNEL_NAME, NULL)
