"""Rules other than `standard`."""

from bgfast.core.generator.kernels cimport Rules


cdef class GeneratorRules:
    cdef Rules rules
    cdef const Rules *get(self) noexcept nogil
