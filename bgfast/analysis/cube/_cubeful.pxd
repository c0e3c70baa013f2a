"""Cubeful values of some rows of probabilities at a time, without the GIL."""

from bgfast.analysis.cube._stakes cimport Stakes


cdef extern from "cube_values.h" nogil:
    enum:
        CUBE_BLOCK

    ctypedef struct CubeBlock:
        double[5][32] given

    ctypedef struct CubePoints:
        double[32] take
        double[32] cash


cdef enum:
    FEW = 8   # rows that are taken together where there are not many


# Write the cubeful equities (EMG) of FEW rows, whose probabilities are given, the mover's, with these
# efficiencies: those that `equity_at` finds for each, to the last bit.
cdef void equities_of_few(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept nogil
