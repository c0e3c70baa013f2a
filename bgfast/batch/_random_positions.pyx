"""Fair rolls, random plays for arrays of boards, and positions from random games, without the GIL.

Every row has its own random stream. Rolls and positions are the same on every machine: they depend only on the
seed (and the phase), not on byte order, floating point or the generator's order of successors.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy

from bgfast.batch._successors cimport Request, read_turn
from bgfast.core.board cimport BOARD_SIZE, PHASE_OVER, Board, board_flip, board_phase, board_read
from bgfast.core.random_stream cimport (
    RANDOM_DICE, RANDOM_POSITIONS, RANDOM_SUCCESSORS, stream_below, stream_die, stream_mix, stream_next,
    stream_of,
)
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, ROWS_BYTES, SLACK_ROWS, Batch, generate

cpdef enum:
    ANY_PHASE = -1

cdef enum:
    MIN_SHARE = 128    # minimum number of boards for a thread
    RANGE = 256        # boards that a thread takes at a time


# ---- rolls ------------------------------------------------------------------------------------------------------


def fill_dice(uint64_t seed, bint opening, int64_t first, int8_t[:, ::1] out):
    """Write the rolls from index `first` on; without doubles if `opening`."""
    cdef uint64_t state
    cdef int64_t i
    with nogil:
        for i in range(out.shape[0]):
            state = stream_of(seed, RANDOM_DICE, first + i)
            out[i, 0] = stream_die(&state)
            out[i, 1] = stream_die(&state)
            while opening and out[i, 0] == out[i, 1]:   # ties are rolled again
                out[i, 0] = stream_die(&state)
                out[i, 1] = stream_die(&state)


# ---- plays ------------------------------------------------------------------------------------------------------


@cython.final
cdef class RandomChoice(Request):
    """A random successor of each board, or the board itself if it has none.

    `dice` has one pair for all boards or a pair for each; with None every board gets a random roll.
    """

    cdef uint64_t seed
    cdef int8_t[:, ::1] out
    cdef int8_t *dice_out   # output of the dice, or NULL
    cdef int8_t *rows       # ROWS_BYTES per thread slot: successors of one roll at a time

    def __init__(self, switches, boards, dice, uint64_t seed, bint flip, int64_t threads):
        Request.__init__(self, switches, boards, dice, flip, False, MIN_SHARE, threads)
        self.seed = seed
        self.rows = <int8_t *> PyMem_Malloc(self.threads * ROWS_BYTES)
        if self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.rows)

    def into(self, int8_t[:, ::1] out not None, int8_t[:, ::1] dice_out):
        """Write the successors, and the dice if `dice_out` is not None; `out` may be `boards`."""
        self.out = out
        self.dice_out = NULL
        if dice_out is not None and dice_out.shape[0]:
            self.dice_out = &dice_out[0, 0]
        self.share(RANGE)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef const Batch *batch = &self.batches[slot]
        cdef int8_t *rows = self.rows + slot * ROWS_BYTES
        cdef const int8_t *successor
        cdef Board board, flipped
        cdef uint64_t state
        cdef int64_t i
        cdef int dice[2]
        cdef int n
        for i in range(first, last):
            state = stream_of(self.seed, RANDOM_SUCCESSORS, i)
            # Dice are always drawn: the choice must not depend on whether the caller passes a roll.
            dice[0] = stream_die(&state)
            dice[1] = stream_die(&state)
            if not read_turn(self, slot, batch, i, &board, dice):
                return False
            if self.dice_out != NULL:
                self.dice_out[2 * i] = dice[0]
                self.dice_out[2 * i + 1] = dice[1]
            n = generate(batch.rules, &board, dice[0], dice[1], rows, NULL, batch.flip)
            if n:
                successor = rows + stream_below(&state, n) * BOARD_SIZE
            elif batch.flip:
                board_flip(&board, &flipped)
                successor = flipped.point
            else:
                successor = board.point
            memcpy(&self.out[i, 0], successor, BOARD_SIZE)
        return True


# ---- positions --------------------------------------------------------------------------------------------------


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
    return stream_mix(_mix(_mix(_mix(_mix(
        salt, _word(row)), _word(row + 8)), _word(row + 16)), _word(row + 18)))


cdef void _play(Board *board, int die1, int die2, uint64_t salt, int8_t *rows) noexcept nogil:
    """Replace the board by a random successor, from the next player's side."""
    cdef int n = generate(NULL, board, die1, die2, rows, NULL, True)
    cdef const int8_t *successor = NULL
    cdef uint64_t key, min_key = 0
    cdef Board flipped
    cdef int i
    if n == 0:
        board_flip(board, &flipped)
        board[0] = flipped
        return
    # Choose the successor with the minimum key, whatever the order of successors.
    for i in range(n):
        key = _key(rows + i * BOARD_SIZE, salt)
        if successor == NULL or key < min_key:
            min_key = key
            successor = rows + i * BOARD_SIZE
    board_read(board, successor)


cdef bint _sample_game(
    const Board *start, uint64_t *state, int target, int8_t *rows, int8_t *out,
) noexcept nogil:
    """Play a game and write a uniformly random position of the target phase; return False if the game has none."""
    cdef Board board = start[0]
    cdef int phase, die1 = 0, die2 = 0
    cdef uint64_t candidate_count = 0
    while die1 == die2:   # the opening roll is not a double
        die1 = stream_die(state)
        die2 = stream_die(state)
    while True:
        phase = board_phase(&board)
        # Phases follow each other in the order of their numbers.
        if phase == PHASE_OVER or (target != ANY_PHASE and phase > target):
            return candidate_count > 0
        if target == ANY_PHASE or phase == target:
            candidate_count += 1
            if stream_below(state, candidate_count) == 0:
                memcpy(out, board.point, BOARD_SIZE)
        _play(&board, die1, die2, stream_next(state), rows)
        die1 = stream_die(state)
        die2 = stream_die(state)


def fill_random(
    const int8_t[::1] start, uint64_t seed, int phase, int64_t first, int8_t[:, ::1] out,
):
    """Write the rows from index `first` on: random positions of random games that begin at `start`.

    `phase` is a value of `Phase` other than PHASE_OVER, or -1 for any unfinished position.
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
