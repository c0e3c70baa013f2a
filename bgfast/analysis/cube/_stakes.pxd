"""What a game is played for, without the GIL: what it brings with each value of the cube, and cubeful values.

`cube_values.h` says what the struct holds and how values are found. All functions assume stakes that `stakes_of`
has made, or one of these functions of such; probabilities are those of the mover.
"""

from bgfast.core.board.probabilities cimport Probabilities


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

    double stakes_dead(const Stakes *stakes, const double *given) noexcept
    double stakes_value_of(const Stakes *stakes, const double *given, double x) noexcept
    double stakes_taken(const Stakes *stakes, const double *given, double x) noexcept
    bint stakes_can_double(const Stakes *stakes) noexcept
    bint stakes_can_beaver(const Stakes *stakes) noexcept
    bint stakes_is_turned_next(const Stakes *stakes) noexcept
    void stakes_flip(const Stakes *stakes, Stakes *out) noexcept
    void stakes_turn(const Stakes *stakes, Stakes *out) noexcept


cdef inline double stakes_value(const Stakes *stakes, const Probabilities *probabilities, double x) noexcept nogil:
    """The cubeful value with the cube as it is, efficiency x from 0 to 1: MWC, or points."""
    return stakes_value_of(stakes, <const double *> probabilities, x)


cdef inline double stakes_dead_value(const Stakes *stakes, const Probabilities *probabilities) noexcept nogil:
    """The value if nobody doubles any more."""
    return stakes_dead(stakes, <const double *> probabilities)


cdef inline double stakes_of_points(const Stakes *stakes, int points) noexcept nogil:
    """The value of a game that has ended: 1 to 3 won, -1 to -3 lost."""
    return stakes.level[0].win[points - 1] if points > 0 else stakes.level[0].lose[-points - 1]


cdef inline bint stakes_may_double(const Stakes *stakes) noexcept nogil:
    """Whether the rules let the mover double."""
    return stakes_can_double(stakes)


cdef inline bint stakes_turned_next(const Stakes *stakes) noexcept nogil:
    """Whether the opponent, who may double in the next turn, loses nothing by that."""
    return stakes_is_turned_next(stakes)


cdef inline double stakes_double_take(
    const Stakes *stakes, const Probabilities *probabilities, double x,
) noexcept nogil:
    """The value of doubling where it is taken, or beavered if that is better; the mover may double."""
    return stakes_taken(stakes, <const double *> probabilities, x)


cdef inline double stakes_double_pass(const Stakes *stakes) noexcept nogil:
    """The value of a double that is passed."""
    return stakes.level[0].win[0]


cdef inline void stakes_flipped(const Stakes *stakes, Stakes *out) noexcept nogil:
    """The same game from the opponent's side; `out` is another struct."""
    stakes_flip(stakes, out)


cdef inline void stakes_doubled(const Stakes *stakes, Stakes *out) noexcept nogil:
    """The game after the mover's double is taken, from the mover's side; `out` is another struct."""
    stakes_turn(stakes, out)


cdef inline double stakes_normalized(const Stakes *stakes, double value) noexcept nogil:
    """A value as an equity (EMG): 1 is what winning the cube as it is brings, -1 what losing it does."""
    cdef double win = stakes.level[0].win[0], lose = stakes.level[0].lose[0]
    return (2 * value - (win + lose)) / (win - lose)


cdef inline double stakes_denormalized(const Stakes *stakes, double equity) noexcept nogil:
    """The value of a normalised equity."""
    cdef double win = stakes.level[0].win[0], lose = stakes.level[0].lose[0]
    return ((win + lose) + equity * (win - lose)) / 2


cdef class HeldStakes:
    """Stakes that Python holds."""

    cdef Stakes stakes
