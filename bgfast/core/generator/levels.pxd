"""Rules other than `standard`."""

from bgfast.core.generator.kernels cimport Rules


# Rules and workspace of a thread.
cdef class GeneratorRules:
    cdef Rules rules
    cdef const Rules *get(self) noexcept nogil
