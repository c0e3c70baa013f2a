# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Loops over batches of games, without the GIL; callers check shapes.

Boards are rows of 26 int8, segments those of `bgfast.successors`.
"""

from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy, memset

from bgfast.core.board.board cimport BOARD_SIZE
from bgfast.core.generator.generator cimport MAX_SUCCESSORS

MAX_PLAYS = MAX_SUCCESSORS


def choose(
    const int8_t[:, ::1] boards not None, const int64_t[::1] offsets not None, const int64_t[::1] actions not None,
    int8_t[:, ::1] out not None,
):
    """Write the board at the action, an index into the segment of each game; no segment is empty.

    Returns the first game with an invalid action, or -1; the board written for it is the first of its segment.
    """
    cdef int64_t i, row
    cdef int64_t bad = -1
    with nogil:
        for i in range(actions.shape[0]):
            row = offsets[i]
            if 0 <= actions[i] < offsets[i + 1] - offsets[i]:
                row += actions[i]
            elif bad < 0:
                bad = i
            memcpy(&out[i, 0], &boards[row, 0], BOARD_SIZE)
    return bad


def mark(
    const int64_t[::1] offsets not None, int64_t[::1] marked not None, int64_t max_plays,
    int8_t[:, ::1] mask not None,
):
    """Update the masks to as many ones as the segments have rows; `marked` holds the numbers of ones.

    Returns the first game with more than `max_plays` rows, where it stops, or -1.
    """
    cdef int64_t i, old, new
    cdef int64_t crowded = -1
    with nogil:
        for i in range(marked.shape[0]):
            old = marked[i]
            new = offsets[i + 1] - offsets[i]
            if new > max_plays:
                crowded = i
                break
            if new > old:
                memset(&mask[i, 0] + old, 1, new - old)
            else:
                memset(&mask[i, 0] + new, 0, old - new)
            marked[i] = new
    return crowded


def observe(
    const int8_t[:, ::1] boards not None, const int8_t[:, ::1] dice not None, int8_t[:, ::1] out not None,
):
    """Write each board followed by its dice."""
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            memcpy(&out[i, 0], &boards[i, 0], BOARD_SIZE)
            out[i, BOARD_SIZE] = dice[i, 0]
            out[i, BOARD_SIZE + 1] = dice[i, 1]
