"""Cube efficiency, from 0 for a dead to 1 for a fully live cube, for other extension modules; without the GIL."""

from bgfast.evaluation._stakes cimport Stakes
from bgfast.core.board cimport Board
from bgfast.core.probabilities cimport Probabilities


cdef enum EfficiencyModel:
    EFFICIENCY_BGFAST
    EFFICIENCY_GNUBG
    EFFICIENCY_MODELS


cdef extern from "cube_values.h" nogil:
    ctypedef struct EfficiencyLine:
        double lost
        double won
        double gammons

    ctypedef struct EfficiencyLines:
        EfficiencyLine line
        bint centred
        EfficiencyLine unavailable
        EfficiencyLine owned

    double efficiency_at(const EfficiencyLines *lines, double win, double gammons) noexcept


# Writes the lines of boards with contact, for the mover's stakes.
cdef void lines_in_contact(EfficiencyModel model, const Stakes *stakes, EfficiencyLines *out) noexcept nogil

# Returns the efficiency for a valid board, stakes and probabilities, all from the mover's side; a finished game
# counts as a bear-off.
cdef double cube_efficiency(
    EfficiencyModel model, const Stakes *stakes, const Board *board,
    const Probabilities *probabilities) noexcept nogil


cdef class BoardEfficiency:
    """Python owner of the efficiency lines of a board."""

    cdef EfficiencyLines lines
