# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Generator for other rules on any processor of the platform: SSE2, NEON or scalar code."""

include "kernel.pxi"
include "levels.pxi"
include "forfeits.pxi"
include "any_rules.pxi"
include "batches.pxi"
