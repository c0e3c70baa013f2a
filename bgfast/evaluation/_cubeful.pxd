"""Stakes of a game, cube efficiency and cubeful values, declared for use without the GIL.

`cube_values.h` defines the structs and the formulas. All functions assume stakes from `stakes_of`, or from these
functions, and valid boards; the five probabilities are the mover's. Efficiency is 0 for a dead and 1 for a fully
live cube.
"""

from bgfast.core.board cimport Board
from bgfast.core.probabilities cimport Probabilities


cdef extern from "cube_values.h" nogil:
    enum:
        STAKES_LEVELS
        CUBE_BLOCK
        SMALL_BLOCK "CUBE_SMALL_BLOCK"

    ctypedef struct StakesLevel:
        double[3] win
        double[3] lose

    ctypedef struct Stakes:
        StakesLevel[21] level
        double total
        int levels
        int endless
        int owner
        int[2] away
        int beavers

    double cube_divisor(double divisor) noexcept
    double stakes_equity(const Stakes *stakes, double value) noexcept
    double stakes_dead_value(const Stakes *stakes, const double *probabilities) noexcept
    double stakes_value(const Stakes *stakes, const double *probabilities, double x) noexcept
    double stakes_double_take(const Stakes *stakes, const double *probabilities, double x) noexcept
    bint stakes_may_double(const Stakes *stakes) noexcept
    bint stakes_may_double_freely(const Stakes *stakes) noexcept
    bint stakes_may_beaver(const Stakes *stakes) noexcept
    bint stakes_is_doubled_next(const Stakes *stakes) noexcept
    void stakes_flip(const Stakes *stakes, Stakes *out) noexcept
    void stakes_double(const Stakes *stakes, Stakes *out) noexcept

    ctypedef struct EfficiencyLine:
        double lost
        double won
        double slope

    ctypedef struct EfficiencyLines:
        EfficiencyLine line
        bint centred
        EfficiencyLine unavailable
        EfficiencyLine owned

    double efficiency_at(const EfficiencyLines *lines, double win, double gammons) noexcept

    ctypedef struct CubeBlock:
        double[5][32] probabilities

    ctypedef struct CubePoints:
        double[32] take
        double[32] cash


cdef inline double stakes_of_points(const Stakes *stakes, int points) noexcept nogil:
    """Return the value of a finished game; `points` is 1 to 3 for a win, -1 to -3 for a loss."""
    return stakes.level[0].win[points - 1] if points > 0 else stakes.level[0].lose[-points - 1]


cdef inline double stakes_double_drop(const Stakes *stakes) noexcept nogil:
    """Return the value of a double that is dropped."""
    return stakes.level[0].win[0]


cdef inline double stakes_denormalize(const Stakes *stakes, double equity) noexcept nogil:
    """Convert a normalized equity (EMG) to a value in the units of the stakes."""
    cdef double win = stakes.level[0].win[0], lose = stakes.level[0].lose[0]
    return ((win + lose) + equity * cube_divisor(win - lose)) / 2


cdef inline double gammon_weight(const Stakes *stakes) noexcept nogil:
    """Return the weight of cubeless equity in the choice of a play: 1e-6 if no gammon can count, else 0.

    Without the weight, noise would decide between equal plays, whatever their gammon chances.
    """
    cdef const double *win = stakes.level[0].win
    cdef const double *lose = stakes.level[0].lose
    return 1e-6 if stakes.levels == 1 and win[0] == win[1] == win[2] and lose[0] == lose[1] == lose[2] else 0


cdef enum EfficiencyModel:
    EFFICIENCY_BGFAST
    EFFICIENCY_GNUBG
    EFFICIENCY_MODELS

# Writes the efficiency lines of boards with contact.
cdef void lines_in_contact(EfficiencyModel model, const Stakes *stakes, EfficiencyLines *out) noexcept nogil

# Returns the efficiency; a finished game counts as a bear-off.
cdef double cube_efficiency(
    EfficiencyModel model, const Stakes *stakes, const Board *board,
    const Probabilities *probabilities) noexcept nogil

ctypedef void (*FillEquities)(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept nogil
ctypedef void (*FillEfficiencies)(const EfficiencyLines *lines, const CubeBlock *block, double *x) noexcept nogil

# Writes the cubeful equities (EMG) of SMALL_BLOCK rows with efficiencies x, bit-identical to `equity_at`.
cdef FillEquities fill_equities
# Writes the efficiencies of SMALL_BLOCK rows from lines.
cdef FillEfficiencies fill_efficiencies


cdef class CubeStakes:
    """Python object that holds stakes."""

    cdef Stakes stakes
