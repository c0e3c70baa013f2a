"""How efficient the cube is, from 0 dead to 1 fully live, by the kind of position; without the GIL."""

from bgfast.analysis.cube._stakes cimport Stakes
from bgfast.core.board.board cimport Board
from bgfast.core.board.probabilities cimport Probabilities


cdef enum EfficiencyModel:
    EFFICIENCY_BGFAST
    EFFICIENCY_GNUBG
    EFFICIENCY_MODELS


cdef extern from "cube_efficiency.h" nogil:
    ctypedef struct EfficiencyLine:
        double lost
        double won
        double gammons

    ctypedef struct EfficiencyLines:
        EfficiencyLine line
        bint centred
        EfficiencyLine unavailable
        EfficiencyLine owned

    double efficiency_at(const EfficiencyLines *known, double win, double gammons) noexcept


# The lines of all boards with contact, for the mover's stakes.
cdef void lines_in_contact(EfficiencyModel model, const Stakes *stakes, EfficiencyLines *out) noexcept nogil

# Of a valid board, the mover's side, with stakes and probabilities of the mover; a finished one counts as a
# bear-off.
cdef double cube_efficiency(
    EfficiencyModel model, const Stakes *stakes, const Board *board,
    const Probabilities *probabilities) noexcept nogil


cdef class HeldLines:
    """The lines of one board that Python holds."""

    cdef EfficiencyLines lines
