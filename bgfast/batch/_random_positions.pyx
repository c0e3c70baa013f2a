# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Positions from random games: row i depends only on the seed and the phase, on every machine.

Every row has its own random stream. Nothing depends on byte order, on floating point, or on the generator's order
of successors, so that another generator does not change the positions.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from bgfast.core.board.board cimport (
    BOARD_SIZE, PHASE_OVER, Board, board_flip, board_phase, board_read,
)
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, SLACK_ROWS, generate
from bgfast.core.board.random_stream cimport (
    RANDOM_POSITIONS, stream_below, stream_die, stream_mixed, stream_next, stream_of,
)

cpdef enum:
    ANY_PHASE = -1


cdef inline uint64_t _word(const int8_t *row) noexcept nogil:
    """Read eight numbers as a word, independent of byte order; compiled to a single load."""
    cdef const uint8_t *byte = <const uint8_t *> row
    return (<uint64_t> byte[0] | <uint64_t> byte[1] << 8 | <uint64_t> byte[2] << 16 | <uint64_t> byte[3] << 24
            | <uint64_t> byte[4] << 32 | <uint64_t> byte[5] << 40 | <uint64_t> byte[6] << 48
            | <uint64_t> byte[7] << 56)


cdef inline uint64_t _mix(uint64_t key, uint64_t word) noexcept nogil:
    key = (key ^ word) * 0xD6E8FEB86659FD93U
    return key ^ key >> 32


cdef inline uint64_t _key(const int8_t *row, uint64_t salt) noexcept nogil:
    """Hash 26 numbers with a salt; the last word overlaps the previous one."""
    return stream_mixed(_mix(_mix(_mix(_mix(
        salt, _word(row)), _word(row + 8)), _word(row + 16)), _word(row + 18)))


cdef void _play(Board *board, int die1, int die2, uint64_t salt, int8_t *rows) noexcept nogil:
    """Replace the board by a random successor, from the next player's side."""
    cdef int n = generate(NULL, board, die1, die2, rows, NULL, True)
    cdef const int8_t *chosen = NULL
    cdef uint64_t key, min_key = 0
    cdef Board passed
    cdef int i
    if n == 0:
        board_flip(board, &passed)
        board[0] = passed
        return
    # The successor with the minimum key, which does not depend on the order of successors.
    for i in range(n):
        key = _key(rows + i * BOARD_SIZE, salt)
        if chosen == NULL or key < min_key:
            min_key = key
            chosen = rows + i * BOARD_SIZE
    board_read(board, chosen)


cdef bint _sample_game(
    const Board *start, uint64_t *state, int target, int8_t *rows, int8_t *out,
) noexcept nogil:
    """Play a game and write a uniformly random position of the target phase; return False if it has none."""
    cdef Board board = start[0]
    cdef int phase, die1 = 0, die2 = 0
    cdef uint64_t candidates = 0
    while die1 == die2:   # the opening roll is not a double
        die1 = stream_die(state)
        die2 = stream_die(state)
    while True:
        phase = board_phase(&board)
        # Phases follow each other in the order of their numbers.
        if phase == PHASE_OVER or (target != ANY_PHASE and phase > target):
            return candidates > 0
        if target == ANY_PHASE or phase == target:
            candidates += 1
            if stream_below(state, candidates) == 0:
                memcpy(out, board.point, BOARD_SIZE)
        _play(&board, die1, die2, stream_next(state), rows)
        die1 = stream_die(state)
        die2 = stream_die(state)


def fill_random(
    const int8_t[::1] start, uint64_t seed, int phase, int64_t first, int8_t[:, ::1] out,
):
    """Write the rows from number `first` on: random positions of random games that begin at `start`.

    `phase` is a number of `Phase` other than PHASE_OVER, or -1 for any unfinished position.
    """
    cdef Board board
    cdef uint64_t state
    cdef int64_t i
    cdef int8_t *rows = <int8_t *> PyMem_Malloc((MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE)
    if rows == NULL:
        raise MemoryError
    board_read(&board, &start[0])
    with nogil:
        for i in range(out.shape[0]):
            state = stream_of(seed, RANDOM_POSITIONS, first + i)
            while not _sample_game(&board, &state, phase, rows, &out[i, 0]):
                pass
    PyMem_Free(rows)
