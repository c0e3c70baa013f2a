"""What each build of the generator offers to `generator.pyx`: the functions of kernel.pxi, in a capsule."""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from bgfast.core.board cimport Board

cdef extern from *:
    """
    #define BGFAST_KERNEL_NAME "bgfast.core.kernel"
    """
    const char *KERNEL_NAME "BGFAST_KERNEL_NAME"

# See generator.pxd for what they do.
cdef struct Kernel:
    int (*generate)(
        const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip) noexcept nogil
    int (*count)(const Board *board, int die1, int die2) noexcept nogil
    uint32_t (*movable)(const Board *board, int die) noexcept nogil
