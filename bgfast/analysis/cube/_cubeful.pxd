"""Cubeful values of some rows of probabilities at a time, without the GIL."""

from bgfast.analysis.cube._efficiency cimport EfficiencyLines
from bgfast.analysis.cube._stakes cimport Stakes


cdef extern from "cube_values.h" nogil:
    enum:
        CUBE_BLOCK
        FEW "CUBE_FEW"

    ctypedef struct CubeBlock:
        double[5][32] given

    ctypedef struct CubePoints:
        double[32] take
        double[32] cash


# Write the cubeful equities (EMG) of FEW rows, whose probabilities are given, the mover's, with these
# efficiencies: those that `equity_at` finds for each, to the last bit.
cdef void few_equities(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept nogil

# The efficiencies by these lines of FEW rows, whose probabilities are given.
cdef void few_efficiencies(const EfficiencyLines *known, const CubeBlock *block, double *x) noexcept nogil
