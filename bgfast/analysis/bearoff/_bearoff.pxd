"""Bear-off databases as the core asks them: what they have about a board, without the GIL."""

from libc.stdint cimport int8_t, int32_t

from bgfast.core.board.probabilities cimport Probabilities


# The arrays of `Bearoff.databases`, in memory that its owner keeps alive.
cdef struct BearoffDatabases:
    const double *rolls    # of each side, until all checkers are off
    const double *firsts   # of each side, until the next one is
    const double *wins     # of each pair of sides, the waiting one first
    int32_t sides          # how many of them `wins` has


# The numbers of the mover's side and of the opponent's, and how many checkers they have.
cdef struct Sides:
    int32_t[2] number
    int[2] count


# Reads a board; False unless both sides have checkers, at most so many, and all of them at home.
cdef bint read_sides(const int8_t *board, int checkers, Sides *sides) noexcept nogil

# Whether the two-sided database has them.
cdef inline bint two_sided_has(const BearoffDatabases *databases, const Sides *sides) noexcept nogil:
    return sides.number[0] < databases.sides and sides.number[1] < databases.sides

cdef void sides_probabilities(
    const BearoffDatabases *databases, const Sides *sides, int checkers, Probabilities *out) noexcept nogil
