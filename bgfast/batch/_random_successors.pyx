# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Random plays of many positions, without the GIL; the caller has checked boards and dice.

`first` and `last` choose boards, so that threads can share a call. Each board has a random stream of its own.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.batch._successors cimport refusal_error
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_fault, board_flip, board_read,
)
from bgfast.core.generator cimport MAX_SUCCESSORS, SLACK_ROWS, generate
from bgfast.core.kernel cimport Refused
from bgfast.core.random_stream cimport RANDOM_SUCCESSORS, stream_below, stream_die, stream_of
from bgfast.core.rules cimport HeldRules, Rules


def fill_random_successors(
    switches, const int8_t[:, ::1] boards, const int8_t[:, ::1] dice, uint64_t seed, bint flip, int64_t first,
    int64_t last, int8_t[:, ::1] out,
):
    """Write a random successor of each board, the board itself where there is none; `out` may be `boards`.

    `switches` are the rules, as for `HeldRules`. `dice` has one pair for all boards or a pair for each; with None
    each board throws its own roll.
    """
    cdef HeldRules held = HeldRules(switches)
    cdef const Rules *rules = held.get()
    cdef int64_t dice_step = 0
    cdef const int8_t *chosen
    cdef Board board, flipped
    cdef uint64_t state
    cdef int64_t i
    cdef int die1, die2, n
    cdef Refused refused
    cdef int8_t *rows
    if dice is not None:
        dice_step = 0 if dice.shape[0] == 1 else 1
    rows = <int8_t *> PyMem_Malloc((MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE)
    if rows == NULL:
        raise MemoryError
    with nogil:
        for i in range(first, last):
            # Read once, and checked again as it was read: the caller's memory may change at any time.
            board_read(&board, &boards[i, 0])
            state = stream_of(seed, RANDOM_SUCCESSORS, i)
            # Thrown in any case, so that the number that chooses is the same whoever gives the roll.
            die1 = stream_die(&state)
            die2 = stream_die(&state)
            if dice is not None:
                die1 = dice[dice_step * i, 0]
                die2 = dice[dice_step * i, 1]
            if not (board_fault(&board, CHECKERS) == FAULT_NONE and 1 <= die1 <= 6 and 1 <= die2 <= 6):
                refused.row = i
                refused.board = board
                refused.dice = [<int8_t> die1, <int8_t> die2]
                break
            n = generate(rules, &board, die1, die2, rows, NULL, flip)
            if n:
                chosen = rows + stream_below(&state, n) * BOARD_SIZE
            elif flip:
                board_flip(&board, &flipped)
                chosen = flipped.point
            else:
                chosen = board.point
            memcpy(&out[i, 0], chosen, BOARD_SIZE)
        else:
            refused.row = -1
    PyMem_Free(rows)
    if refused.row >= 0:
        raise refusal_error(&refused)
