"""Stakes of a game and cubeful values, without the GIL.

`cube_values.h` defines the struct and the formulas. All functions assume stakes from `stakes_of`, or from these
functions; probabilities are those of the mover.
"""

from bgfast.core.probabilities cimport Probabilities


cdef extern from "cube_values.h" nogil:
    enum:
        STAKES_LEVELS

    ctypedef struct StakesLevel:
        double[3] win
        double[3] lose

    ctypedef struct Stakes:
        StakesLevel[21] level
        double whole
        int levels
        int endless
        int owner
        int[2] away
        int beavers

    double cube_divisor(double divisor) noexcept
    double stakes_equity(const Stakes *stakes, double value) noexcept
    double stakes_dead(const Stakes *stakes, const double *probabilities) noexcept
    double stakes_value_of(const Stakes *stakes, const double *probabilities, double x) noexcept
    double stakes_taken(const Stakes *stakes, const double *probabilities, double x) noexcept
    bint stakes_may_double(const Stakes *stakes) noexcept
    bint stakes_may_double_freely(const Stakes *stakes) noexcept
    bint stakes_may_beaver(const Stakes *stakes) noexcept
    bint stakes_is_doubled_next(const Stakes *stakes) noexcept
    void stakes_flip(const Stakes *stakes, Stakes *out) noexcept
    void stakes_double(const Stakes *stakes, Stakes *out) noexcept


cdef inline double stakes_value(const Stakes *stakes, const Probabilities *probabilities, double x) noexcept nogil:
    """Return the cubeful value (MWC or points) with the present cube, efficiency x from 0 to 1."""
    return stakes_value_of(stakes, <const double *> probabilities, x)


cdef inline double stakes_dead_value(const Stakes *stakes, const Probabilities *probabilities) noexcept nogil:
    """Return the value with a dead cube."""
    return stakes_dead(stakes, <const double *> probabilities)


cdef inline double stakes_of_points(const Stakes *stakes, int points) noexcept nogil:
    """Return the value of a finished game: 1 to 3 points won, -1 to -3 lost."""
    return stakes.level[0].win[points - 1] if points > 0 else stakes.level[0].lose[-points - 1]


cdef inline double stakes_double_take(
    const Stakes *stakes, const Probabilities *probabilities, double x,
) noexcept nogil:
    """Return the value of a double against the better of take and beaver; the mover may double."""
    return stakes_taken(stakes, <const double *> probabilities, x)


cdef inline double stakes_double_drop(const Stakes *stakes) noexcept nogil:
    """Return the value of a double that is dropped."""
    return stakes.level[0].win[0]


cdef inline double stakes_denormalized(const Stakes *stakes, double equity) noexcept nogil:
    """Return the value of an equity (EMG)."""
    cdef double win = stakes.level[0].win[0], lose = stakes.level[0].lose[0]
    return ((win + lose) + equity * cube_divisor(win - lose)) / 2


cdef inline double gammon_weight(const Stakes *stakes) noexcept nogil:
    """Return the weight of cubeless equity in the choice of a play: 1e-6 if no gammon can count, else 0.

    Without it the gammon chances of plays that are equal but for noise would be arbitrary.
    """
    cdef const double *win = stakes.level[0].win
    cdef const double *lose = stakes.level[0].lose
    return 1e-6 if stakes.levels == 1 and win[0] == win[1] == win[2] and lose[0] == lose[1] == lose[2] else 0


cdef class CubeStakes:
    """Python owner of stakes."""

    cdef Stakes stakes
