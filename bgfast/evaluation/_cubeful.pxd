"""Cubeful values of several rows of probabilities at a time, without the GIL."""

from bgfast.evaluation._efficiency cimport EfficiencyLines
from bgfast.evaluation._stakes cimport Stakes


cdef extern from "cube_values.h" nogil:
    enum:
        CUBE_BLOCK
        FEW "CUBE_FEW"

    ctypedef struct CubeBlock:
        double[5][32] probabilities

    ctypedef struct CubePoints:
        double[32] take
        double[32] cash


# Writes the cubeful equities (EMG) of FEW rows of the mover's probabilities with efficiencies x; they equal those
# of `equity_at` bit by bit.
cdef void few_equities(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept nogil

# Writes the efficiencies of FEW rows of probabilities from lines.
cdef void few_efficiencies(const EfficiencyLines *lines, const CubeBlock *block, double *x) noexcept nogil
