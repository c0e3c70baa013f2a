"""What row.h offers: a board as a 32-byte vector, bit scans, and a play's moves as one word."""

from libc.stdint cimport int8_t, uint32_t, uint64_t


cdef extern from "row.h" nogil:
    ctypedef struct bg_row:
        pass

    int bg_lowest(uint32_t x)
    int bg_highest(uint32_t x)
    int bg_popcount(uint32_t x)

    bg_row bg_load(const void *source)
    void bg_store(void *target, bg_row row)
    bg_row bg_add(bg_row a, bg_row b)
    bg_row bg_negated(bg_row a)
    uint32_t bg_greater(bg_row row, int than)
    void bg_flip(const int8_t *board, int8_t *out)

    uint64_t BG_MOVE(int slot, int source, int target)
