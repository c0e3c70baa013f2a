# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Generator for the `standard` rules on any processor of the platform: SSE2, NEON or scalar code."""

include "sinks.pxi"
include "kernel.pxi"
include "batches.pxi"
