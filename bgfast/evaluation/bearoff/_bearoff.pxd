"""Lookup of boards in bear-off databases, for other extension modules; without the GIL."""

from libc.stdint cimport int8_t, int32_t

from bgfast.core.probabilities cimport Probabilities


# The arrays of `Bearoff.databases`, whose owner must stay alive.
cdef struct BearoffDatabases:
    const double *rolls    # for each side, distribution of the rolls until all checkers are off
    const double *firsts   # for each side, distribution of the rolls until the first checker is off
    const double *wins     # winning probabilities, indexed by waiting side and side on roll
    int32_t sides          # number of sides in `wins`


# Side numbers of mover and opponent, and their numbers of checkers.
cdef struct Sides:
    int32_t[2] number
    int[2] count


# Reads a board; returns False unless both sides have 1 to `checkers` checkers, all at home.
cdef bint read_sides(const int8_t *board, int checkers, Sides *sides) noexcept nogil

# Returns whether the two-sided database covers the sides.
cdef inline bint two_sided_has(const BearoffDatabases *databases, const Sides *sides) noexcept nogil:
    return sides.number[0] < databases.sides and sides.number[1] < databases.sides

cdef void sides_probabilities(
    const BearoffDatabases *databases, const Sides *sides, int checkers, Probabilities *out) noexcept nogil
