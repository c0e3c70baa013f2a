# Difference rows of moves, and sinks for successors, shared by kernel.pxi and levels.pyx.

from libc.stdint cimport int8_t, uint32_t, uint64_t
from libc.string cimport memset

from bgfast.core.board cimport BAR, BOARD_SIZE
from bgfast.core.row cimport (
    BG_MOVE, bg_add, bg_load_board, bg_load_flipped, bg_lowest, bg_popcount, bg_row, bg_store,
)


cdef enum:
    POINTS = 0x01FFFFFE    # bits of the points 1..24
    BAR_BIT = 0x02000000
    OUTSIDE = 0x03FFFF80   # points 7..24 and the bar
    MAX_RUN = 11           # pips of one checker with two different dice, 6 + 5

cdef uint32_t NO_POINTS = 0xFC000000   # bits 26..31: their rows are zero in every table


# ---- tables, filled once at import and only read afterwards -----------------------------------------------

cdef struct StepTables:
    # step[n][2 * p]: difference row of a checker that moves n pips from p, or bears off if p <= n;
    # step[n][2 * p + 1]: the same with a hit on the landing point.
    bg_row step[MAX_RUN + 1][64]
    # hit[q]: difference row of a hit on q by a checker that moves on.
    bg_row hit[32]

cdef StepTables FROM_MOVER     # rows from the mover's side
cdef StepTables FROM_NEXT      # rows from the next player's side
cdef uint64_t MOVE[4][7][32]   # MOVE[slot][die][p]: the (from, to) pair of a move, in its slot of a play
cdef uint64_t UNUSED[5]        # UNUSED[n]: -1 in the slots from n on


cdef void _fill_tables() noexcept:
    cdef int n, p, slot, hit
    cdef int8_t row[32]
    for n in range(1, MAX_RUN + 1):
        for hit in range(2):
            for p in range(32):
                memset(row, 0, 32)
                if 1 <= p <= BAR:
                    row[p] -= 1
                    if p > n:
                        row[p - n] += 1 + hit
                        row[0] -= hit
                FROM_MOVER.step[n][2 * p + hit] = bg_load_board(row)
                FROM_NEXT.step[n][2 * p + hit] = bg_load_flipped(row)
    for p in range(32):
        memset(row, 0, 32)
        if 1 <= p < BAR:
            row[p] += 1
            row[0] -= 1
        FROM_MOVER.hit[p] = bg_load_board(row)
        FROM_NEXT.hit[p] = bg_load_flipped(row)
    for slot in range(4):
        for n in range(1, 7):
            for p in range(32):
                MOVE[slot][n][p] = BG_MOVE(slot, <uint64_t> p, <uint64_t> (p - n if p > n else 0))
    for n in range(5):
        UNUSED[n] = 0
        for slot in range(n, 4):
            UNUSED[n] |= BG_MOVE(slot, <uint64_t> 255, <uint64_t> 255)

_fill_tables()


# ---- sinks: the output for each successor -----------------------------------------------------------------

cdef struct Counter:   # counts successors
    const StepTables *tables

cdef struct Rows:      # writes boards
    const StepTables *tables
    int8_t *rows

cdef struct RowsMoves:   # writes boards and moves
    const StepTables *tables
    int8_t *rows
    uint64_t *moves

ctypedef fused Sink:
    Counter
    Rows
    RowsMoves


cdef inline int _emit(
    Sink sink, int n, const bg_row *base, const bg_row *step, uint32_t sources, uint32_t hits,
    uint64_t played, const uint64_t *move, int batch,
) noexcept nogil:
    """Emit a successor for each bit of `sources`: `base` plus the checker's step, with a hit for bits of `hits`.

    Rows are stored in fixed batches: a mispredicted loop end costs more than a few surplus rows, which later
    rows overwrite. Surplus rows use the bits of `NO_POINTS`, so a batch has at most 6 rows.
    """
    cdef int total = bg_popcount(sources)
    cdef int left = total
    cdef int _, p
    cdef int8_t *row
    cdef uint64_t *pairs
    if Sink is not Counter:
        row = sink.rows + n * BOARD_SIZE
        if Sink is RowsMoves:
            pairs = sink.moves + n
        sources |= NO_POINTS
        while left > 0:
            for _ in range(batch):
                p = bg_lowest(sources)
                bg_store(row, bg_add(base[0], step[2 * p + ((hits >> p) & 1)]))
                row += BOARD_SIZE
                if Sink is RowsMoves:
                    pairs[0] = played | move[p]
                    pairs += 1
                sources &= sources - 1
            left -= batch
    return n + total


cdef inline int _emit_row(Sink sink, int n, bg_row row, uint64_t played) noexcept nogil:
    if Sink is not Counter:
        bg_store(sink.rows + n * BOARD_SIZE, row)
        if Sink is RowsMoves:
            sink.moves[n] = played
    return n + 1


cdef inline Counter _counter() noexcept nogil:
    cdef Counter sink
    sink.tables = &FROM_MOVER
    return sink


cdef inline Rows _rows(int8_t *rows, bint flip) noexcept nogil:
    cdef Rows sink
    sink.tables = &FROM_NEXT if flip else &FROM_MOVER
    sink.rows = rows
    return sink


cdef inline RowsMoves _rows_moves(int8_t *rows, uint64_t *moves, bint flip) noexcept nogil:
    cdef RowsMoves sink
    sink.tables = &FROM_NEXT if flip else &FROM_MOVER
    sink.rows = rows
    sink.moves = moves
    return sink
