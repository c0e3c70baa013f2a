# Interface of a build of the generator: single positions and batches. kernel.pxi or levels.pyx defines `Root`,
# `_root` and `_plays`.

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from bgfast.core.board cimport CHECKERS, FAULT_NONE, Board, board_fault, board_read
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.row cimport BG_ROW_NAME, bg_prefetch_rows
from bgfast.core.generator.kernels cimport (
    INVALID_ROW, KERNEL_NAME, MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, SLACK_ROWS, TOO_MANY, Batch, InvalidRow,
    Kernel, batch_die,
)


cdef int _generate(
    const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil:
    cdef Root root = _root(board.point, flip)
    if moves == NULL:
        return _plays(_rows(rows, flip), rules, &root, die1, die2)
    return _plays(_rows_moves(rows, moves, flip), rules, &root, die1, die2)


cdef int _count(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil:
    cdef Root root = _root(board.point, False)
    return _plays(_counter(), rules, &root, die1, die2)


# ---- batches ----------------------------------------------------------------------------------------------

cdef inline int _count_segment(const Batch *batch, const Root *root, int die1, int die2) noexcept nogil:
    cdef int n = _plays(_counter(), batch.rules, root, die1, die2)
    return 1 if n == 0 and batch.keep_passes and not root.is_over else n


cdef bint _read_board(
    const Batch *batch, int64_t i, Board *board, int8_t *dice, InvalidRow *invalid,
) noexcept nogil:
    """Copy a board and its roll, if any; return whether they are valid. Check nothing if `invalid` is NULL."""
    board_read(board, batch.boards + i * BOARD_SIZE)
    if batch.dice != NULL:
        dice[0] = <int8_t> batch_die(batch, i, 0)
        dice[1] = <int8_t> batch_die(batch, i, 1)
    if invalid == NULL:
        return True
    if board_fault(board, CHECKERS) == FAULT_NONE and 1 <= dice[0] <= 6 and 1 <= dice[1] <= 6:
        return True
    invalid.row = i
    invalid.board = board[0]
    invalid.dice = [dice[0], dice[1]]
    return False


cdef int64_t _count_batch(
    const Batch *batch, int64_t first, int64_t last, int64_t *sizes, InvalidRow *invalid,
) noexcept nogil:
    cdef Root root
    cdef Board board
    cdef int8_t dice[2]
    cdef int64_t i
    cdef int roll
    dice = [1, 1]
    for i in range(first, last):
        if not _read_board(batch, i, &board, dice, invalid):
            return INVALID_ROW
        root = _root(board.point, False)
        if batch.dice == NULL:
            for roll in range(ROLL_COUNT):
                sizes[roll] = _count_segment(batch, &root, ROLLS[roll][0], ROLLS[roll][1])
            sizes += ROLL_COUNT
        else:
            sizes[0] = _count_segment(batch, &root, dice[0], dice[1])
            sizes += 1
    return 0


cdef inline Sink _sink_after(Sink sink, int64_t n) noexcept nogil:
    """Return a sink that continues after the first n rows."""
    if Sink is not Counter:
        sink.rows += n * BOARD_SIZE
        if Sink is RowsMoves:
            sink.moves += n
    return sink


cdef int _emit_through_scratch(
    Sink sink, const Batch *batch, const Root *root, int die1, int die2, int64_t capacity, uint64_t *scratch,
) noexcept nogil:
    """Write a segment to `scratch` and copy it: near the end of the buffers, a wide store could exceed them."""
    cdef Sink temporary = sink
    cdef int n = _count_segment(batch, root, die1, die2)
    if n > capacity:
        return TOO_MANY
    if Sink is not Counter:
        # Moves come first, since they must be aligned to 8 bytes.
        temporary.rows = <int8_t *> (scratch + MAX_SUCCESSORS + SLACK_ROWS)
        if Sink is RowsMoves:
            temporary.moves = scratch
        if _plays(temporary, batch.rules, root, die1, die2) == 0:
            _emit_row(temporary, 0, root.row, UNUSED[0])
        memcpy(sink.rows, temporary.rows, n * BOARD_SIZE)
        if Sink is RowsMoves:
            memcpy(sink.moves, temporary.moves, n * sizeof(uint64_t))
    return n


cdef inline int _emit_segment(
    Sink sink, const Batch *batch, const Root *root, int die1, int die2, int64_t capacity, bint tail,
    uint64_t *scratch,
) noexcept nogil:
    cdef int n
    if tail or capacity < SLACK_ROWS + (MAX_SUCCESSORS if die1 == die2 else MAX_SUCCESSORS_TWO_DICE):
        return _emit_through_scratch(sink, batch, root, die1, die2, capacity, scratch)
    if Sink is not Counter:
        bg_prefetch_rows(sink.rows)
    n = _plays(sink, batch.rules, root, die1, die2)
    if n == 0 and batch.keep_passes and not root.is_over:
        n = _emit_row(sink, 0, root.row, UNUSED[0])
    return n


cdef int64_t _find_tail(const Batch *batch, int64_t first, int64_t last) noexcept nogil:
    """Return the index of the first segment whose stores could exceed the last row; `scratch` is used from there.

    Surplus rows that earlier segments store are overwritten by later rows.
    """
    cdef Board board
    cdef InvalidRow invalid
    cdef int8_t dice[2]
    cdef int64_t i, rows = 0
    cdef int rolls = ROLL_COUNT if batch.dice == NULL else 1
    cdef int roll
    dice = [1, 1]
    for i in range(last - 1, first - 1, -1):
        if not _read_board(batch, i, &board, dice, &invalid):
            return (i - first) * rolls   # `_fill` stops at this board
        for roll in range(rolls - 1, -1, -1):
            if batch.dice == NULL:
                dice = [ROLLS[roll][0], ROLLS[roll][1]]
            # Passes count as 0 rows even if they get one: the tail may then be longer than needed.
            rows += _count(batch.rules, &board, dice[0], dice[1])
            if rows >= SLACK_ROWS:
                return (i - first) * rolls + roll
    return 0


cdef int64_t _fill(
    Sink sink, const Batch *batch, int64_t first, int64_t last, int64_t capacity, int64_t *sizes,
    uint64_t *scratch, InvalidRow *invalid,
) noexcept nogil:
    cdef Root root
    cdef Board board
    cdef int8_t dice[2]
    cdef int64_t total = 0
    cdef int64_t segment = 0
    cdef int64_t tail = _find_tail(batch, first, last)
    cdef int64_t i
    cdef int roll, n
    cdef int rolls = ROLL_COUNT if batch.dice == NULL else 1
    dice = [1, 1]
    for i in range(first, last):
        if not _read_board(batch, i, &board, dice, invalid):
            return INVALID_ROW
        root = _root(board.point, batch.flip)
        for roll in range(rolls):
            if batch.dice == NULL:
                dice = [ROLLS[roll][0], ROLLS[roll][1]]
            n = _emit_segment(
                _sink_after(sink, total), batch, &root, dice[0], dice[1], capacity - total, segment >= tail,
                scratch)
            if n < 0:
                return TOO_MANY
            total += n
            if sizes != NULL:
                sizes[segment] = n
            segment += 1
    return total


cdef int64_t _generate_batch(
    const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t capacity,
    int64_t *sizes, uint64_t *scratch, InvalidRow *invalid,
) noexcept nogil:
    if moves == NULL:
        return _fill(_rows(rows, batch.flip), batch, first, last, capacity, sizes, scratch, invalid)
    return _fill(_rows_moves(rows, moves, batch.flip), batch, first, last, capacity, sizes, scratch, invalid)


cdef Kernel _functions = [_generate, _count, _count_batch, _generate_batch]

VECTORS = BG_ROW_NAME.decode()   # instruction set used for rows
KERNEL = PyCapsule_New(&_functions, KERNEL_NAME, NULL)
