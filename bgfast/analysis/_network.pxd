"""The built-in network as a player of the core: its tables, for other modules of the core."""

from bgfast.analysis._evaluators cimport BuiltIn
from bgfast.core.network cimport PARTS, BgNet


cdef class Tables(BuiltIn):
    cdef BgNet[PARTS] nets
    cdef void *memory[PARTS]
    cdef int checkers

    cdef int _hold(
        self, int part, const float[:, ::1] weights, const float[::1] output_bias, bint features) except -1
