# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Fair rolls, without the GIL: row i depends only on the seed, on every machine."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board.random_stream cimport RANDOM_DICE, stream_die, stream_of


def fill_dice(uint64_t seed, bint opening, int64_t first, int8_t[:, ::1] out):
    """Write the rolls from number `first` on; with `opening` without doubles."""
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
