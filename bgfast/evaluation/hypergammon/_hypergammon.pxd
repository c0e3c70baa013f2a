"""Index of all positions with one to three checkers a side, for other extension modules; without the GIL."""

from libc.stdint cimport int8_t, int32_t

from bgfast.core.board cimport Board

cdef enum:
    MAX_CHECKERS = 3
    PLACES = 25      # points 1 to 24 and the bar


cdef struct Places:
    # Places that a side on roll leaves free; indices refer to its board.
    int8_t place[PLACES]         # 1 for the waiting side's lowest free point, ...; 0 for a blocked point
    int8_t index[PLACES + 1]     # index by place
    int8_t own[PLACES + 1]       # its checkers
    int32_t first                # index of the first position with this side on roll
    int32_t pips                 # of the side on roll


cdef class PositionIndex:
    cdef readonly int checkers     # a side
    cdef readonly int sides        # including the empty one, number 0
    cdef readonly int size          # number of positions
    cdef Places *places            # by number of the side on roll

    # Returns the index of a position with 1 to `checkers` checkers a side, the player on roll the mover.
    cdef int32_t number(self, const int8_t *board) noexcept nogil
    cdef int32_t _side_of(self, int32_t position) noexcept nogil
    cdef int32_t _board_at(self, int32_t position, Board *out) noexcept nogil
