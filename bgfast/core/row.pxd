"""Declarations of row.h."""

from libc.stdint cimport int8_t, uint32_t, uint64_t


cdef extern from "row.h" nogil:
    const char *BG_ROW_NAME

    ctypedef struct bg_row:
        pass

    int bg_lowest(uint32_t x)
    int bg_highest(uint32_t x)
    int bg_popcount(uint32_t x)

    void bg_store(void *target, bg_row row)
    void bg_prefetch_rows(const void *rows)
    bg_row bg_add(bg_row a, bg_row b)
    bg_row bg_negate(bg_row a)
    uint32_t bg_greater(bg_row row, int limit)
    int bg_sum_positive(bg_row row)
    int bg_sum_absolute(bg_row row)
    ctypedef struct BgSideSums:
        unsigned int checkers
        unsigned int pips
        unsigned int dice
    void bg_sums_of_sides(bg_row board, BgSideSums *mover, BgSideSums *opponent)
    bg_row bg_load_board(const int8_t *board)
    bg_row bg_load_flipped(const int8_t *board)

    uint64_t BG_MOVE(int slot, int source, int target)
