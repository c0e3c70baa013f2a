"""C interface: the functions of the core under stable names and types."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memcpy

from bgfast.core cimport board as core_board
from bgfast.core.generator cimport generator as core_generator
from bgfast.core.network cimport network as core_network
from bgfast.core.board cimport STANDARD_GAME, Board
from bgfast.core.generator.generator cimport INVALID_ROW, TOO_MANY, Batch, InvalidRow, batch_die
from bgfast.core.network.network cimport BgNet
from bgfast.core.rolls cimport ROLL_COUNT

cdef enum:
    BLOCK_BOARDS = 64    # boards counted at a time
    BLOCK_SIZES = 1344   # segments of these boards with all rolls
    MAX_ROWS = 3068      # maximum number of rows of a roll, with the slack

# Positions are cast to `Board`, and callers size their buffers by the header.
for _is_consistent, _name in (
    (sizeof(bgfast_position) == sizeof(Board), "bgfast_position"),
    (sizeof(uint64_t) == BGFAST_MOVES_SIZE, "BGFAST_MOVES_SIZE"),
    (core_board.BOARD_SIZE == BGFAST_BOARD_SIZE, "BGFAST_BOARD_SIZE"),
    (core_board.BAR == BGFAST_BAR, "BGFAST_BAR"),
    (core_board.CHECKERS == BGFAST_CHECKERS, "BGFAST_CHECKERS"),
    (core_generator.MAX_SUCCESSORS <= BGFAST_MAX_SUCCESSORS, "BGFAST_MAX_SUCCESSORS"),
    (core_generator.MAX_SUCCESSORS_TWO_DICE <= BGFAST_MAX_SUCCESSORS_TWO_DICE, "BGFAST_MAX_SUCCESSORS_TWO_DICE"),
    (core_generator.SLACK_ROWS <= BGFAST_SLACK_ROWS, "BGFAST_SLACK_ROWS"),
    (core_generator.SCRATCH_WORDS <= BGFAST_SCRATCH_WORDS, "BGFAST_SCRATCH_WORDS"),
    (ROLL_COUNT == BGFAST_ROLL_COUNT, "BGFAST_ROLL_COUNT"),
    (TOO_MANY == BGFAST_NO_ROOM, "BGFAST_NO_ROOM"),
    (core_network.OUTPUTS == BGFAST_PROBABILITIES, "BGFAST_PROBABILITIES"),
    (BLOCK_SIZES == BLOCK_BOARDS * ROLL_COUNT, "BLOCK_SIZES"),
    (MAX_ROWS == core_generator.MAX_SUCCESSORS + core_generator.SLACK_ROWS, "MAX_ROWS"),
):
    if not _is_consistent:
        raise ImportError(f"{_name} differs from the core; expected modules built from the same sources")


cdef void read(bgfast_position *position, const int8_t *numbers) noexcept nogil:
    core_board.board_read(<Board *> position, numbers)


cdef bint is_valid(const bgfast_position *position, int checkers) noexcept nogil:
    cdef int i
    if not 1 <= checkers <= BGFAST_CHECKERS:
        return False
    for i in range(BGFAST_BOARD_SIZE, <int> sizeof(bgfast_position)):
        if position.point[i]:
            return False
    return core_board.board_fault(<const Board *> position, checkers) == core_board.FAULT_NONE


cdef int generate(
    const bgfast_position *position, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil:
    return core_generator.generate(NULL, <const Board *> position, die1, die2, rows, moves, flip)


cdef int count(const bgfast_position *position, int die1, int die2) noexcept nogil:
    return core_generator.count(NULL, <const Board *> position, die1, die2)


cdef void flip(const bgfast_position *position, bgfast_position *out) noexcept nogil:
    core_board.board_flip(<const Board *> position, <Board *> out)


cdef int pip_count(const bgfast_position *position) noexcept nogil:
    return core_board.board_pips(<const Board *> position)


cdef int pip_count_opponent(const bgfast_position *position) noexcept nogil:
    return core_board.board_pips_opponent(<const Board *> position)


cdef bint is_over(const bgfast_position *position) noexcept nogil:
    return core_board.board_over(<const Board *> position)


cdef bint equal(const bgfast_position *a, const bgfast_position *b) noexcept nogil:
    return core_board.board_equal(<const Board *> a, <const Board *> b)


cdef uint64_t hash(const bgfast_position *position) noexcept nogil:
    return core_board.board_hash(<const Board *> position)


# ---- batches ----


cdef int64_t count_batch(const int8_t *boards, const int8_t *dice, int64_t number, int64_t *sizes) noexcept nogil:
    cdef Batch batch = Batch(NULL, boards, dice, 2, False, False)
    cdef InvalidRow invalid
    cdef int64_t block_sizes[BLOCK_SIZES]
    cdef int64_t *segment_sizes
    cdef int64_t block, first, last, i, total = 0
    cdef int64_t rolls = BGFAST_ROLL_COUNT if dice == NULL else 1
    for block in range((number + BLOCK_BOARDS - 1) // BLOCK_BOARDS):
        first = block * BLOCK_BOARDS
        last = min(first + BLOCK_BOARDS, number)
        segment_sizes = &block_sizes[0] if sizes == NULL else sizes + first * rolls
        if core_generator.count_batch(&batch, first, last, segment_sizes, &invalid) == INVALID_ROW:
            return -2 - invalid.row
        for i in range((last - first) * rolls):
            total += segment_sizes[i]
    return total


cdef int64_t generate_batch(
    const int8_t *boards, const int8_t *dice, int64_t number, bint flip, int8_t *rows, uint64_t *moves,
    int64_t room, int64_t *sizes, uint64_t *scratch,
) noexcept nogil:
    cdef Batch batch = Batch(NULL, boards, dice, 2, flip, False)
    cdef InvalidRow invalid
    cdef int64_t n = core_generator.generate_batch(
        &batch, 0, max(number, 0), rows, moves, room, sizes, scratch, &invalid)
    return -2 - invalid.row if n == INVALID_ROW else n


# ---- networks ----


cdef const bgfast_network *network_of(object network) except NULL:
    try:
        return <const bgfast_network *> PyCapsule_GetPointer(network._nets, core_network.NETS_NAME)
    except (AttributeError, ValueError):   # no attribute, or not a capsule of this name
        type_name = type(network).__name__
        raise TypeError(f"an object of type {type_name} is not a network; expected a bgfast.Network") from None


cdef inline int _best_successor(
    const BgNet *nets, const Board *board, int die1, int die2, Board *successor, uint64_t *moves, float *value,
    uint64_t *scratch,
) noexcept nogil:
    cdef uint64_t best_moves
    cdef float equity
    cdef int n = core_network.network_best_successor(
        nets, NULL, board, die1, die2, &STANDARD_GAME, <int8_t *> (scratch + MAX_ROWS), scratch, successor,
        &best_moves, &equity)
    if moves != NULL:
        moves[0] = best_moves
    if value != NULL:
        value[0] = equity
    return n


cdef void evaluate(
    const bgfast_network *network, const bgfast_position *position, float *probabilities,
) noexcept nogil:
    evaluate_batch(network, position.point, 1, probabilities)


cdef float equity(const float *probabilities) noexcept nogil:
    return core_network.network_equity(probabilities)


cdef int best_successor(
    const bgfast_network *network, const bgfast_position *position, int die1, int die2, bgfast_position *successor,
    uint64_t *moves, float *value, uint64_t *scratch,
) noexcept nogil:
    cdef Board board = (<const Board *> position)[0]   # a copy: `successor` may be `position`
    return _best_successor(<const BgNet *> network, &board, die1, die2, <Board *> successor, moves, value, scratch)


cdef int64_t evaluate_batch(
    const bgfast_network *network, const int8_t *boards, int64_t number, float *probabilities,
) noexcept nogil:
    cdef Board invalid
    cdef int64_t n = core_network.network_evaluate(
        <const BgNet *> network, boards, number, &STANDARD_GAME, probabilities, &invalid)
    return -2 - n if n < number else n


cdef int64_t best_successor_batch(
    const bgfast_network *network, const int8_t *boards, const int8_t *dice, int64_t number, int8_t *successors,
    uint64_t *moves, float *values, uint64_t *scratch,
) noexcept nogil:
    cdef Batch batch = Batch(NULL, boards, dice, 2, False, False)
    cdef Board board, successor
    cdef int64_t i
    cdef int die1, die2
    for i in range(number):
        core_board.board_read(&board, boards + i * BGFAST_BOARD_SIZE)
        die1 = batch_die(&batch, i, 0)
        die2 = batch_die(&batch, i, 1)
        if (core_board.board_fault(&board, BGFAST_CHECKERS) != core_board.FAULT_NONE
                or not (1 <= die1 <= 6 and 1 <= die2 <= 6)):
            return -2 - i
        _best_successor(
            <const BgNet *> network, &board, die1, die2, &successor, NULL if moves == NULL else moves + i,
            NULL if values == NULL else values + i, scratch)
        memcpy(successors + i * BGFAST_BOARD_SIZE, successor.point, BGFAST_BOARD_SIZE)
    return max(number, 0)
